// Dims against brute force, where dims_test and facts_test do not look: canonical means canonical, substitution and
// linear forms keep the value, sizes that do not fit are never wrong, and the door finds what there is to find.
#include "dim/dims.h"
#include "dim/random_dims.h"
#include "dim/solve.h"
#include <gtest/gtest.h>
#include <algorithm>
#include <map>

namespace nereus {
namespace {
using Point = std::vector<int64_t>;
using Wide = __int128;

struct Fixture {
    std::mt19937_64 random;
    Dims dims = {};
    RandomTrees trees{random, {dims.new_symbol("n", SymKind::size), dims.new_symbol("m", SymKind::late),
                               dims.new_symbol("j", SymKind::join), dims.new_symbol("k", SymKind::host)}};
    explicit Fixture(uint64_t seed) : random(seed) {}
    Fixture(const Fixture&) = delete;                    // trees refer to random

    Result<int64_t> at(Dim d, const Point& p) {
        return dims.evaluate(d, [&](Sym s) { return std::optional(p[s.index]); });
    }
    Point point(int64_t low, int64_t high) {
        return {trees.pick(0, high), trees.pick(0, high), trees.pick(low, high), trees.pick(low, high)};
    }
};

// A polynomial by the schoolbook: coefficients by the powers of each symbol.
using Schoolbook = std::map<std::vector<int>, int64_t>;
Schoolbook multiplied_out(const Tree& tree) {
    Schoolbook out;
    if (tree.op == 'c') out[{0, 0, 0, 0}] = tree.number;
    if (tree.op == 's') {
        std::vector<int> powers(4);
        powers[tree.symbol.index] = 1;
        out[powers] = 1;
    }
    if (!tree.args.empty()) {
        const Schoolbook a = multiplied_out(tree.args[0]), b = multiplied_out(tree.args[1]);
        if (tree.op != '*') out = a;
        for (const auto& [right, y] : b) {
            if (tree.op != '*') out[right] += tree.op == '+' ? y : -y;
            else
                for (const auto& [left, x] : a) {
                    std::vector<int> powers = left;
                    for (size_t i = 0; i < 4; ++i) powers[i] += right[i];
                    out[powers] += x * y;
                }
        }
    }
    std::erase_if(out, [](const auto& term) { return term.second == 0; });
    return out;
}

// Equal polynomials have equal ids, and others have others.
void canonical(uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Fixture f(seed);
    std::map<Schoolbook, Dim> ids;
    std::map<Dim, Schoolbook> forms;
    size_t met_again = 0;
    for (int i = 0; i < 4000; ++i) {
        Tree tree = f.trees.tree(int(f.trees.pick(0, 3)), "+-*");
        const Dim d = tree.build(f.dims);
        const Schoolbook form = multiplied_out(tree);
        auto [id, first] = ids.try_emplace(form, d);
        met_again += !first;
        ASSERT_EQ(id->second, d) << f.dims.to_string(d) << " and " << f.dims.to_string(id->second);
        ASSERT_EQ(forms.try_emplace(d, form).first->second, form) << f.dims.to_string(d);
    }
    EXPECT_GT(met_again, 400u);
}

void substitution(uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Fixture f(seed);
    size_t compared = 0, linear = 0;
    for (int i = 0; i < 3000; ++i) {
        Tree tree = f.trees.tree(int(f.trees.pick(1, 4))), image = f.trees.tree(int(f.trees.pick(0, 2)));
        const Sym replaced = f.trees.symbols[size_t(f.trees.pick(0, 3))];
        const Dim d = tree.build(f.dims), e = image.build(f.dims);
        const Dim by = f.dims.substitute(d, [&](Sym s) { return s == replaced ? std::optional(e) : std::nullopt; });
        const std::optional<Dims::Linear> line = f.dims.linear_in(d, replaced);
        for (int k = 0; k < 20; ++k) {
            const Point p = f.point(-4, 6);
            Point q = p;
            std::optional<int64_t> inner = image.value(p);
            // a symbol that is never negative is never given such a value
            if (inner && (*inner >= 0 || f.dims.symbol(replaced).kind == SymKind::join || f.dims.symbol(replaced).kind == SymKind::host)) {
                q[replaced.index] = *inner;
                if (std::optional<int64_t> expected = tree.value(q)) {
                    Result<int64_t> found = f.at(by, p);
                    ASSERT_TRUE(found && *found == *expected) << f.dims.to_string(d) << " with " << f.dims.to_string(e) << " at " << testing::PrintToString(p);
                    ++compared;
                }
            }
            std::optional<int64_t> whole = tree.value(p);
            if (!line || !whole) continue;
            Result<int64_t> a = f.at(line->a, p), b = f.at(line->b, p);
            ASSERT_TRUE(a && b && *a * p[replaced.index] + *b == *whole) << f.dims.to_string(d);
            for (Sym s : f.dims.symbols_of(line->a)) ASSERT_NE(s, replaced);
            for (Sym s : f.dims.symbols_of(line->b)) ASSERT_NE(s, replaced);
            ++linear;
        }
    }
    EXPECT_GT(compared, 20'000u);
    EXPECT_GT(linear, 5'000u);
}

std::string text(const Tree& tree) {
    if (tree.op == 'c') return std::to_string(tree.number);
    if (tree.op == 's') return std::string(1, "nmjk"[tree.symbol.index]);
    std::string out = std::string(1, tree.op) + "(";
    for (const Tree& part : tree.args) out += (out.size() > 2 ? ", " : "") + text(part);
    return out + ")";
}

// The value in 128 bits; nullopt where it has none or might leave even those.
std::optional<Wide> wide_value(const Tree& tree, const Point& p) {
    if (tree.op == 'c') return tree.number;
    if (tree.op == 's') return p[tree.symbol.index];
    std::vector<Wide> v;
    for (const Tree& part : tree.args) {
        std::optional<Wide> x = wide_value(part, p);
        if (!x || *x > (Wide(1) << 62) * 64 || *x < -(Wide(1) << 62) * 64) return std::nullopt;
        v.push_back(*x);
    }
    switch (tree.op) {
    case '+': return v[0] + v[1];
    case '-': return v[0] - v[1];
    case '*': {
        Wide product;
        return __builtin_mul_overflow(v[0], v[1], &product) ? std::nullopt : std::optional(product);
    }
    case 'm': return *std::min_element(v.begin(), v.end());
    case 'M': return *std::max_element(v.begin(), v.end());
    case '/': case '%': {
        if (v[1] == 0) return std::nullopt;
        Wide r = v[0] % v[1];
        if (r != 0 && (r < 0) != (v[1] < 0)) r += v[1];
        return tree.op == '%' ? r : (v[0] - r) / v[1];
    }
    default: return std::nullopt;
    }
}

// Numbers near the ends of 64 bits: what is evaluated is exact, or an error says that it does not fit.
void overflow(uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Fixture f(seed);
    std::function<void(Tree&)> enlarge = [&](Tree& tree) {
        if (tree.op == 'c' && f.trees.pick(0, 1)) tree.number = f.trees.pick(0, 1) ? INT64_MAX - f.trees.pick(0, 3) : INT64_MIN + f.trees.pick(0, 3);
        for (Tree& part : tree.args) enlarge(part);
    };
    size_t exact = 0, refused = 0;
    for (int i = 0; i < 4000; ++i) {
        Tree tree = f.trees.tree(int(f.trees.pick(1, 3)), "++--**//%%mM");
        enlarge(tree);
        const Dim d = tree.build(f.dims);
        for (int k = 0; k < 10; ++k) {
            Point p = f.point(-5, 9);
            if (f.trees.pick(0, 2) == 0) p[size_t(f.trees.pick(0, 3))] = INT64_MAX - f.trees.pick(0, 9);
            std::optional<Wide> expected = wide_value(tree, p);
            Result<int64_t> found = f.at(d, p);
            if (!found) {
                ++refused;
                continue;
            }
            if (!expected) continue;
            ASSERT_EQ(Wide(*found) == *expected, true) << text(tree) << " as " << f.dims.to_string(d) << " at " << testing::PrintToString(p) << " gives " << *found;
            ++exact;
        }
    }
    EXPECT_GT(exact, 10'000u);
    EXPECT_GT(refused, 1'000u);
}

// Arguments of sizes that come from one point. What is solved fits all that was seen; where every symbol stands alone or
// in a line somewhere, it is that point. Another size at one axis is found out, unless another point gives it too.
void door(uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Fixture f(seed);
    const std::vector<Sym>& symbols = f.trees.symbols;
    size_t solved = 0, refused = 0, misled = 0;
    for (int i = 0; i < 4000; ++i) {
        const Point p = f.point(-4, 6);
        std::vector<Tree> seen;
        std::vector<Observation> observed;
        bool determined = true;
        for (Sym s : symbols) {
            const int64_t how = f.trees.pick(0, 9);
            Tree one{'s', 0, s};
            if (how < 4) seen.push_back(one);
            else if (how < 9) {
                Tree scaled{'*', 0, {}, {{'c', f.trees.pick(1, 4) * (f.trees.pick(0, 1) ? 1 : -1)}, one}};
                seen.push_back({'+', 0, {}, {scaled, {'c', f.trees.pick(-3, 3)}}});
            } else determined = false;
        }
        for (int k = 0; k < 3; ++k) seen.push_back(f.trees.tree(2, "+-*"));
        std::shuffle(seen.begin(), seen.end(), f.random);
        for (const Tree& tree : seen) observed.push_back({tree.build(f.dims), *tree.value(p)});
        Result<SymbolValues> found = solve(f.dims, observed);
        if (determined) { ASSERT_TRUE(found) << found.error().message; }
        auto agrees = [&](const SymbolValues& values) {
            for (const Observation& one : observed) {
                Result<int64_t> value = f.dims.evaluate(one.expression, [&](Sym s) { return s.index < values.size() ? values[s.index] : std::nullopt; });
                if (!value || *value != one.value) return false;
            }
            return true;
        };
        if (found) {
            ++solved;
            ASSERT_TRUE(agrees(*found));
            for (Sym s : symbols)
                if (determined) { ASSERT_EQ((*found)[s.index], p[s.index]); }
        } else ++refused;
        if (!determined) continue;
        Observation& one = observed[size_t(f.trees.pick(0, int64_t(observed.size()) - 1))];
        one.value += f.trees.pick(0, 1) ? 1 : -1;
        Result<SymbolValues> other = solve(f.dims, observed);
        if (other) { ASSERT_TRUE(agrees(*other)) << "a size that no point gives was accepted"; }
        misled += !other;
    }
    EXPECT_GT(solved, 2'000u);
    EXPECT_GT(refused, 30u);
    EXPECT_GT(misled, 1'000u);
}
} // namespace

TEST(DimsProperty, EqualPolynomialsAndNoOthersHaveOneId) { canonical(1), canonical(second_seed()); }
TEST(DimsProperty, SubstitutionAndLinesKeepTheValue) { substitution(1), substitution(second_seed()); }
TEST(DimsProperty, WhatDoesNotFitIsNeverWrong) { overflow(1), overflow(second_seed()); }
TEST(SolveProperty, TheDoorFindsWhatThereIs) { door(1), door(second_seed()); }
} // namespace nereus
