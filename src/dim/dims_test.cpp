#include "dim/dims.h"
#include "dim/random_dims.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
struct DimsTest : testing::Test {
    Dims dims;
    Sym sn = dims.new_symbol("n", SymKind::size), sm = dims.new_symbol("m", SymKind::size);
    Sym sh = dims.new_symbol("h", SymKind::size), sj = dims.new_symbol("j", SymKind::join);
    Dim n = dims.of(sn), m = dims.of(sm), h = dims.of(sh), j = dims.of(sj);
    Dim c(int64_t v) { return dims.constant(v); }
    Dim add(Dim a, int64_t v) { return dims.add(a, c(v)); }
    Dim div(Dim a, int64_t v) { return dims.floor_div(a, c(v)); }
    Dim mod(Dim a, int64_t v) { return dims.mod(a, c(v)); }
    Dim max(Dim a, Dim b) { return dims.max(std::vector{a, b}); }
    Dim min(Dim a, Dim b) { return dims.min(std::vector{a, b}); }
    Dim bcast(Dim a, Dim b) { return dims.bcast(std::vector{a, b}); }
    std::string text(Dim d) { return dims.to_string(d); }
};
} // namespace

TEST_F(DimsTest, PolynomialsAreCanonical) {
    EXPECT_EQ(dims.mul(n, m), dims.mul(m, n));
    EXPECT_EQ(dims.sub(dims.add(n, m), m), n);
    EXPECT_EQ(dims.mul(dims.add(n, m), dims.sub(n, m)), dims.sub(dims.mul(n, n), dims.mul(m, m)));
    EXPECT_EQ(dims.sub(n, n), c(0));
    EXPECT_EQ(*dims.constant_value(dims.sub(add(n, 7), n)), 7);
    EXPECT_EQ(*dims.as_symbol(dims.sub(dims.scale(n, 2), n)), sn);
    EXPECT_EQ(dims.product(std::vector{n, m, c(4)}), dims.scale(dims.mul(m, n), 4));
    EXPECT_EQ(dims.symbols_of(dims.mul(j, div(n, 3))), (std::vector{sn, sj}));
}

TEST_F(DimsTest, Prints) {
    EXPECT_EQ(text(dims.add(n, dims.scale(m, 2))), "n + 2*m");
    EXPECT_EQ(text(div(n, 4)), "n//4");
    EXPECT_EQ(text(mod(n, 32)), "mod(n, 32)");
    EXPECT_EQ(text(max(n, m)), "max(n, m)");
    EXPECT_EQ(text(bcast(n, m)), "bcast(n, m)");
    EXPECT_EQ(text(add(n, -1)), "n - 1");
    EXPECT_EQ(text(dims.sub(c(5), n)), "5 - n");
    EXPECT_EQ(text(dims.scale(n, -1)), "0 - n");
    EXPECT_EQ(text(dims.scale(div(add(n, 1), 4), 3)), "3*((n + 1)//4)");
    EXPECT_EQ(text(dims.floor_div(n, dims.mul(m, h))), "n//(m*h)");
    EXPECT_EQ(text(dims.floor_div(n, div(m, 2))), "n//(m//2)");
    EXPECT_EQ(text(dims.mul(n, n)), "n*n");
    EXPECT_EQ(text(c(-3)), "-3");
    EXPECT_EQ(dims.to_string(n, [](Sym) { return std::string("x"); }), "x");
}

TEST_F(DimsTest, DivisionSurvivesConvolutions) {
    Dim size = h;                                        // five convolutions of stride 2, kernel 3, padding 1
    for (int i = 0; i < 5; i++) size = add(div(add(size, -1), 2), 1);
    EXPECT_EQ(text(size), "(h + 31)//32");
    EXPECT_EQ(div(div(h, 2), 3), div(h, 6));
    EXPECT_EQ(div(dims.scale(n, 2), 2), n);
    EXPECT_EQ(div(add(dims.scale(n, 4), 6), 4), add(n, 1));
    EXPECT_EQ(div(add(dims.scale(n, 2), 3), 4), div(add(n, 1), 2));
    EXPECT_EQ(dims.floor_div(dims.mul(dims.mul(n, m), h), dims.mul(m, h)), n);
    EXPECT_EQ(dims.floor_div(dims.mul(n, dims.add(m, h)), dims.add(h, m)), n);
    EXPECT_EQ(dims.floor_div(dims.floor_div(n, m), h), dims.floor_div(n, dims.mul(m, h)));
    EXPECT_EQ(div(n, -2), div(dims.scale(n, -1), 2));
    EXPECT_EQ(text(div(n, 0)), "n//0");
}

TEST_F(DimsTest, ModFolds) {
    EXPECT_EQ(dims.add(dims.scale(div(n, 5), 5), mod(n, 5)), n);
    EXPECT_EQ(dims.mul(m, dims.add(dims.scale(div(n, 5), 5), mod(n, 5))), dims.mul(m, n));
    EXPECT_EQ(dims.add(dims.mul(m, dims.floor_div(n, m)), dims.mod(n, m)), n);
    EXPECT_EQ(mod(dims.scale(n, 64), 32), c(0));
    EXPECT_EQ(mod(add(dims.scale(n, 32), 5), 32), c(5));
    EXPECT_EQ(mod(mod(n, 12), 4), mod(n, 4));
    EXPECT_EQ(dims.mod(dims.mul(n, m), m), c(0));
    EXPECT_EQ(mod(c(-7), 4), c(1));
}

TEST_F(DimsTest, ExtremesFold) {
    EXPECT_EQ(max(n, c(0)), n);                          // a size is never negative
    EXPECT_NE(max(j, c(0)), j);
    EXPECT_EQ(min(j, add(j, 3)), j);
    EXPECT_EQ(max(max(n, j), max(j, n)), max(j, n));
    EXPECT_EQ(max(c(3), max(j, c(5))), max(c(5), j));
    EXPECT_EQ(min(n, dims.add(n, m)), n);
    EXPECT_EQ(bcast(c(1), n), n);
    EXPECT_EQ(bcast(n, n), n);
    EXPECT_EQ(bcast(n, c(8)), c(8));
    EXPECT_EQ(bcast(bcast(n, m), bcast(m, h)), dims.bcast(std::vector{h, m, n}));
    EXPECT_EQ(dims.bcast({}), c(1));
    EXPECT_FALSE(dims.evaluate(bcast(c(3), c(5)), [](Sym) { return std::nullopt; }));
}

TEST_F(DimsTest, OverflowIsKeptWholeAndFoundOnEvaluation) {
    Dim huge = c(INT64_MAX);
    auto value = [](int64_t v) { return [v](Sym) { return std::optional(v); }; };
    Dim over = add(huge, 1);
    EXPECT_FALSE(dims.constant_value(over));
    EXPECT_FALSE(dims.evaluate(over, value(0)));
    EXPECT_EQ(*dims.evaluate(add(over, -1), value(0)), INT64_MAX);
    Dim wide = dims.mul(dims.mul(huge, n), huge);
    EXPECT_EQ(*dims.evaluate(wide, value(0)), 0);
    EXPECT_FALSE(dims.evaluate(wide, value(1)));
    EXPECT_FALSE(dims.evaluate(dims.scale(c(INT64_MIN), -1), value(1)));
    EXPECT_FALSE(dims.evaluate(div(c(INT64_MIN), -1), value(1)));
    EXPECT_FALSE(dims.evaluate(dims.mul(dims.mul(n, n), dims.mul(n, n)), value(INT64_MAX)));
    EXPECT_EQ(*dims.evaluate(mod(dims.mul(wide, wide), 7), value(0)), 0);
}

TEST_F(DimsTest, ProductsOfSumsStaySmall) {
    Dim product = c(1), nested = n;
    for (int i = 0; i < 60; i++) {
        product = dims.mul(product, dims.add(dims.add(n, m), add(h, i)));
        nested = max(dims.add(nested, j), dims.mul(nested, nested));
        EXPECT_LE(dims.node_count(product), 80u);
        EXPECT_LE(dims.node_count(nested), 80u);
    }
    EXPECT_EQ(*dims.evaluate(dims.mul(product, m), [](Sym) { return std::optional<int64_t>(0); }), 0);
    EXPECT_EQ(*dims.evaluate(nested, [](Sym) { return std::optional<int64_t>(0); }), 0);
    EXPECT_LT(text(product).size(), 1000000u);
    EXPECT_LT(text(nested).size(), 1000000u);
    std::vector<Dim> many;
    for (int i = 0; i < 200; i++) many.push_back(dims.of(dims.new_symbol("x", SymKind::host)));
    EXPECT_LE(dims.node_count(dims.max(many)), 80u);
    int64_t next = 0;
    EXPECT_EQ(*dims.evaluate(dims.max(many), [&](Sym) { return std::optional(next++ % 7); }), 6);
}

TEST_F(DimsTest, SubstitutesAndSolves) {
    Dim d = dims.add(dims.mul(n, m), div(add(n, 1), 2));
    Dim image = dims.substitute(d, [&](Sym s) { return s == sn ? std::optional(c(5)) : std::nullopt; });
    EXPECT_EQ(image, add(dims.scale(m, 5), 3));
    EXPECT_FALSE(dims.linear_in(d, sn));
    std::optional<Dims::Linear> line = dims.linear_in(d, sm);
    ASSERT_TRUE(line);
    EXPECT_EQ(line->a, n);
    EXPECT_EQ(line->b, div(add(n, 1), 2));
    EXPECT_EQ(dims.linear_in(n, sm)->a, c(0));
}

TEST_F(DimsTest, CopiesKeepIds) {
    Dim d = dims.mul(n, add(m, 1));
    Dims copy = dims;
    EXPECT_EQ(copy.to_string(d), dims.to_string(d));
    EXPECT_EQ(copy.mul(n, copy.add(m, copy.constant(1))), d);
}

namespace {
// Reads what to_string prints: expr = term {(+|-) term}, term = factor {(*|//) factor}.
struct Reader {
    Dims& dims;
    std::string_view rest;
    bool eat(std::string_view word) {
        while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
        if (!rest.starts_with(word)) return false;
        rest.remove_prefix(word.size());
        return true;
    }
    Dim factor() {
        if (eat("(")) {
            Dim d = dim();
            EXPECT_TRUE(eat(")"));
            return d;
        }
        for (std::string_view function : {"mod(", "min(", "max(", "bcast(", "rounded("}) {
            if (!eat(function)) continue;
            std::vector<Dim> args{dim()};
            while (eat(",")) args.push_back(dim());
            EXPECT_TRUE(eat(")"));
            if (function == "mod(") return dims.mod(args[0], args[1]);
            if (function == "rounded(") return dims.rounded(args[0], int(*dims.constant_value(args[1])));
            return function == "min(" ? dims.min(args) : function == "max(" ? dims.max(args) : dims.bcast(args);
        }
        bool minus = eat("-");                           // a lone negative constant
        eat("");
        int64_t number = 0;
        if (!isdigit(rest[0])) {
            for (size_t i = 0; i < dims.symbol_count(); i++)
                if (eat(dims.symbol(Sym(i)).name)) return dims.of(Sym(i));
            ADD_FAILURE() << "cannot read " << rest;
            return dims.constant(0);
        }
        while (!rest.empty() && isdigit(rest[0])) number = number * 10 + (rest[0] - '0'), rest.remove_prefix(1);
        return dims.constant(minus ? -number : number);
    }
    Dim term() {
        Dim d = factor();
        for (;;) {
            if (eat("//")) d = dims.floor_div(d, factor());
            else if (eat("*")) d = dims.mul(d, factor());
            else return d;
        }
    }
    Dim dim() {
        Dim d = term();
        for (;;) {
            if (eat("+")) d = dims.add(d, term());
            else if (eat("-")) d = dims.sub(d, term());
            else return d;
        }
    }
};

bool has_part_kept_whole(const Dims& dims, Dim d) {
    for (const Term& t : dims.polynomial(d))
        for (const Factor& f : t.factors) {
            const AtomNode& node = dims.atom(f.atom);
            if (node.kind == AtomKind::min && node.args.size() == 1) return true;
            for (Dim argument : node.args)
                if (has_part_kept_whole(dims, argument)) return true;
        }
    return false;
}

// The canonical form has the value of the tree wherever the tree has one, and reads back as itself.
void simplified_evaluates_like_the_original(uint64_t seed, int count) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (int round = 0; round < count / 50; round++) {
        Dims dims;
        RandomTrees trees{random, {dims.new_symbol("n", SymKind::size), dims.new_symbol("m", SymKind::counter),
                                   dims.new_symbol("j", SymKind::join), dims.new_symbol("k", SymKind::host)}};
        for (int i = 0; i < 50; i++) {
            Tree tree = trees.tree(int(trees.pick(1, 5)));
            Dim d = tree.build(dims);
            std::string text = dims.to_string(d);
            bool wrong = false;
            for_each_point({0, 0, -3, -2}, {4, 3, 3, 2}, [&](const std::vector<int64_t>& point) {
                std::optional<int64_t> expected = tree.value(point);
                if (!expected || wrong) return;
                Result<int64_t> found = dims.evaluate(d, [&](Sym s) { return std::optional(point[s.index]); });
                wrong = !found || *found != *expected;
                EXPECT_FALSE(wrong) << text << " at " << testing::PrintToString(point) << ": expected " << *expected
                                    << ", found " << (found ? std::to_string(*found) : found.error().message);
            });
            if (wrong) return;
            // A part kept whole may read back multiplied out: same value, other id.
            if (!has_part_kept_whole(dims, d)) { EXPECT_EQ((Reader{dims, text}.dim()), d) << text; }
        }
    }
}
} // namespace

TEST(DimsProperty, SimplifiedEvaluatesLikeTheOriginal) {
    simplified_evaluates_like_the_original(1, 6000);
    simplified_evaluates_like_the_original(second_seed(), 4000);
}
} // namespace nereus
