#include "dim/facts.h"
#include "dim/random_dims.h"
#include <gtest/gtest.h>

namespace nereus {
static std::ostream& operator<<(std::ostream& out, Answer a) {
    return out << (a == Answer::yes ? "yes" : a == Answer::no ? "no" : "unknown");
}

namespace {
constexpr Answer yes = Answer::yes, no = Answer::no, unknown = Answer::unknown;

struct FactsTest : testing::Test {
    Dims dims;
    Facts facts{dims};
    Dim symbol(const char* name, SymKind kind = SymKind::size) { return dims.of(dims.new_symbol(name, kind)); }
    Dim n = symbol("n"), m = symbol("m"), h = symbol("h"), w = symbol("w"), i = symbol("i", SymKind::counter);
    Dim j = symbol("j", SymKind::join), k = symbol("k", SymKind::host), late = symbol("u", SymKind::late);
    Dim c(int64_t v) { return dims.constant(v); }
    Dim add(Dim a, Dim b) { return dims.add(a, b); }
    Dim add(Dim a, int64_t v) { return dims.add(a, c(v)); }
    Dim mul(Dim a, Dim b) { return dims.mul(a, b); }
    Dim times(int64_t v, Dim a) { return dims.scale(a, v); }
    Dim div(Dim a, int64_t v) { return dims.floor_div(a, c(v)); }
    Dim mod(Dim a, int64_t v) { return dims.mod(a, c(v)); }
    Dim max(Dim a, Dim b) { return dims.max(std::vector{a, b}); }
    Dim min(Dim a, Dim b) { return dims.min(std::vector{a, b}); }
    Dim bcast(Dim a, Dim b) { return dims.bcast(std::vector{a, b}); }
};
} // namespace

TEST_F(FactsTest, SignsComeFromKinds) {
    EXPECT_EQ(facts.less_equal(c(0), n), yes);
    EXPECT_EQ(facts.less_equal(c(0), add(mul(n, m), late)), yes);
    EXPECT_EQ(facts.less(n, c(0)), no);
    EXPECT_EQ(facts.less_equal(c(0), j), unknown);
    EXPECT_EQ(facts.less_equal(c(0), k), unknown);
    EXPECT_EQ(facts.equal(max(n, c(0)), n), yes);
    EXPECT_EQ(facts.equal(max(k, c(0)), k), unknown);
    EXPECT_EQ(facts.less_equal(c(1), n), unknown);
    facts.assume_less(c(0), n);
    EXPECT_EQ(facts.less_equal(c(1), n), yes);
    EXPECT_EQ(facts.equal(n, c(0)), no);
}

TEST_F(FactsTest, EqualNeedsNoFacts) {
    EXPECT_EQ(facts.equal(mul(n, m), mul(m, n)), yes);
    EXPECT_EQ(facts.equal(div(times(2, n), 2), n), yes);
    EXPECT_EQ(facts.equal(times(2, n), add(times(2, m), 1)), no);
    EXPECT_EQ(facts.equal(add(n, 3), n), no);
    EXPECT_EQ(facts.equal(n, m), unknown);
    EXPECT_EQ(facts.equal(add(n, 1), c(0)), no);
    EXPECT_EQ(facts.equal(add(div(n, 2), div(add(n, 1), 2)), n), yes);           // the halves of a size
    EXPECT_EQ(facts.equal(dims.sub(n, times(4, div(n, 4))), mod(n, 4)), yes);
    EXPECT_EQ(facts.equal(add(max(n, m), min(n, m)), add(n, m)), yes);
    EXPECT_EQ(facts.equal(times(-1, div(times(-1, n), 4)), div(add(n, 3), 4)), yes);     // two ways to round up
}

// Of the 2^28 paths to n, each part on them is gone through once.
TEST_F(FactsTest, SharedPartsAreRewrittenOnce) {
    Dim p = n, q = m;
    for (int level = 0; level < 28; ++level) {
        Dim next = div(add(p, times(2, q)), 3);
        q = div(add(times(2, p), add(q, 1)), 5), p = next;
    }
    EXPECT_TRUE(facts.assume_equal(n, c(7)));
    EXPECT_EQ(dims.symbols_of(p).size(), 2u);
    EXPECT_EQ(dims.symbols_of(facts.normalise(p)), dims.symbols_of(m));
}

// A search for what an equation leads back to gives up where parts are deep: then the equation is taken the other way.
TEST_F(FactsTest, DeepPartsAreTakenForOne) {
    std::vector<Dim> parts = {n, m, h, w, i, symbol("o")};
    for (int level = 0; level < 11; ++level) {
        Dim sum = c(level);
        for (Dim part : parts) sum = add(sum, part);
        for (size_t at = 0; at < parts.size(); ++at) parts[at] = div(sum, int64_t(at) + 2);
    }
    EXPECT_TRUE(facts.assume_equal(late, parts[0]));
    EXPECT_EQ(facts.normalise(late), facts.normalise(parts[0]));
    EXPECT_EQ(facts.equal(add(late, 1), add(parts[0], 1)), yes);
    EXPECT_EQ(facts.equal(late, add(parts[0], 1)), no);
}

TEST_F(FactsTest, EquationsRewrite) {
    EXPECT_TRUE(facts.assume_equal(n, m));
    EXPECT_EQ(facts.equal(mul(n, h), mul(h, m)), yes);
    EXPECT_EQ(facts.normalise(add(m, n)), times(2, n));                          // the newer symbol goes
    EXPECT_TRUE(facts.assume_equal(late, add(times(2, h), 1)));
    EXPECT_EQ(facts.normalise(div(late, 2)), h);
    EXPECT_TRUE(facts.assume_equal(h, c(4)));
    EXPECT_EQ(facts.equal(late, c(9)), yes);
    EXPECT_FALSE(facts.assume_equal(late, c(8)));
    EXPECT_TRUE(facts.contradictory());
}

TEST_F(FactsTest, WhatWasSearchedInVainIsTriedAgain) {
    facts.assume_less_equal(n, h);
    facts.assume_less_equal(w, m);
    EXPECT_EQ(facts.less_equal(n, m), unknown);
    facts.push();
    facts.assume_less_equal(h, w);                       // says nothing of n or m themselves
    EXPECT_EQ(facts.less_equal(n, m), yes);
    facts.pop();
    facts.assume_less_equal(i, j);
    EXPECT_EQ(facts.less_equal(n, m), unknown);
    facts.assume_less_equal(h, w);
    EXPECT_EQ(facts.less_equal(n, m), yes);
}

TEST_F(FactsTest, EliminatedSymbolsKeepTheirSign) {
    EXPECT_TRUE(facts.assume_equal(late, dims.sub(n, add(w, 5))));               // late goes, and n >= w + 5 stays
    EXPECT_EQ(facts.less_equal(add(w, 5), n), yes);
    EXPECT_TRUE(facts.assume_equal(div(h, 4), c(3)));                            // so does what a quotient means
    EXPECT_EQ(facts.less_equal(c(12), h), yes);
    EXPECT_EQ(facts.bounds(h).high, 15);
    EXPECT_TRUE(facts.assume_equal(m, add(k, -3)));
    EXPECT_EQ(facts.less_equal(c(3), k), yes);
    EXPECT_FALSE(facts.assume_equal(k, c(2)));
}

TEST_F(FactsTest, CoefficientsOtherThanOne) {
    EXPECT_TRUE(facts.assume_equal(times(2, n), times(3, m)));
    EXPECT_EQ(facts.divides(3, n), yes);
    EXPECT_EQ(facts.divides(2, m), yes);
    EXPECT_EQ(facts.equal(times(4, n), times(6, m)), yes);
    EXPECT_TRUE(facts.assume_equal(mul(h, w), times(12, late)));                 // kept, not solved
    EXPECT_EQ(facts.equal(mul(mul(h, w), n), times(12, mul(n, late))), yes);
    EXPECT_EQ(facts.less_equal(mul(h, w), add(times(12, late), n)), yes);
}

TEST_F(FactsTest, CongruencesCarryThroughAUNet) {
    EXPECT_TRUE(facts.assume_divides(32, h));
    EXPECT_EQ(facts.divides(16, h), yes);
    EXPECT_EQ(facts.divides(64, h), unknown);
    EXPECT_EQ(facts.equal(mod(h, 32), c(0)), yes);
    EXPECT_EQ(facts.equal(mod(add(h, 5), 32), c(5)), yes);
    Dim down = h;
    for (int level = 0; level < 5; level++) {
        Dim half = div(add(down, -1), 2);                                        // kernel 3, stride 2, padding 1
        half = add(half, 1);
        EXPECT_EQ(facts.equal(times(2, half), down), yes);                       // what the way up gives
        down = half;
    }
    EXPECT_EQ(facts.equal(down, div(h, 32)), yes);
    EXPECT_EQ(facts.equal(times(32, down), h), yes);
    EXPECT_TRUE(facts.assume_divides(3, h));
    EXPECT_EQ(facts.divides(96, h), yes);
    EXPECT_EQ(facts.equal(times(3, div(h, 3)), h), yes);
    EXPECT_TRUE(facts.assume_equal(h, w));
    EXPECT_EQ(facts.divides(32, w), yes);
    EXPECT_FALSE(facts.assume_equal(w, c(100)));
}

TEST_F(FactsTest, RemaindersOtherThanZero) {
    EXPECT_TRUE(facts.assume_equal(mod(n, 4), c(1)));
    EXPECT_EQ(facts.divides(2, n), no);
    EXPECT_EQ(facts.equal(div(n, 2), times(2, div(n, 4))), yes);
    EXPECT_EQ(facts.equal(n, c(0)), no);
}

TEST_F(FactsTest, OrderChains) {
    EXPECT_TRUE(facts.assume_less(i, n));
    EXPECT_TRUE(facts.assume_less_equal(n, m));
    EXPECT_EQ(facts.less(i, m), yes);
    EXPECT_EQ(facts.less_equal(add(i, 1), m), yes);
    EXPECT_EQ(facts.less_equal(c(1), n), yes);
    EXPECT_EQ(facts.less_equal(mul(i, h), mul(n, h)), yes);
    EXPECT_EQ(facts.less(add(mul(i, h), div(h, 2)), add(mul(n, h), 1)), yes);
    EXPECT_EQ(facts.less_equal(mul(i, i), mul(m, n)), yes);
    EXPECT_EQ(facts.equal(dims.mod(i, n), i), yes);
    EXPECT_EQ(facts.normalise(dims.floor_div(i, n)), c(0));
    EXPECT_EQ(facts.normalise(max(n, m)), m);
    EXPECT_EQ(facts.normalise(min(n, add(m, 1))), n);
    EXPECT_TRUE(facts.assume_less_equal(m, n));
    EXPECT_EQ(facts.equal(m, n), yes);
}

TEST_F(FactsTest, Slices) {                              // start and end clamped: 0 <= end - start <= n
    Dim end = min(k, n), start = min(max(k, c(0)), n);
    EXPECT_EQ(facts.less_equal(end, n), yes);
    EXPECT_EQ(facts.less_equal(c(0), start), yes);
    EXPECT_EQ(facts.less_equal(start, n), yes);
    EXPECT_EQ(facts.less_equal(max(dims.sub(end, i), c(0)), n), yes);
    EXPECT_EQ(facts.less_equal(div(n, 2), n), yes);
    EXPECT_EQ(facts.less_equal(times(2, div(n, 2)), n), yes);
    EXPECT_EQ(facts.less(n, times(2, add(div(n, 2), 1))), yes);
    EXPECT_EQ(facts.less(mod(n, 8), c(8)), yes);
    EXPECT_EQ(facts.less_equal(dims.floor_div(n, m), n), yes);
}

TEST_F(FactsTest, Bounds) {
    EXPECT_TRUE(facts.assume_less_equal(n, c(10)));
    EXPECT_TRUE(facts.assume_less(i, n));
    EXPECT_EQ(facts.bounds(i).high, 9);
    EXPECT_EQ(facts.bounds(add(times(2, i), -1)).low, -1);
    EXPECT_EQ(facts.bounds(add(times(2, i), -1)).high, 17);
    EXPECT_EQ(facts.bounds(div(add(n, 3), 4)).high, 3);
    EXPECT_FALSE(facts.bounds(m).high);
    EXPECT_FALSE(facts.bounds(j).low);
    EXPECT_TRUE(facts.assume_less_equal(j, max(n, c(20))));
    EXPECT_EQ(facts.bounds(j).high, 20);
    EXPECT_TRUE(facts.assume_less_equal(add(m, h), c(7)));
    EXPECT_EQ(facts.bounds(add(h, m)).high, 7);
    EXPECT_EQ(facts.equal(i, c(30)), no);
    EXPECT_EQ(facts.bounds(c(INT64_MAX)).high, INT64_MAX);
}

TEST_F(FactsTest, Disequalities) {
    EXPECT_TRUE(facts.assume_not_equal(n, m));
    EXPECT_EQ(facts.equal(m, n), no);
    EXPECT_EQ(facts.equal(times(2, n), times(2, m)), no);
    EXPECT_EQ(facts.equal(add(n, 1), m), unknown);
    EXPECT_TRUE(facts.assume_not_equal(h, c(0)));
    EXPECT_EQ(facts.less_equal(c(1), h), yes);
    EXPECT_EQ(facts.equal(mul(h, n), mul(h, m)), no);
    EXPECT_TRUE(facts.assume_equal(mul(h, n), mul(h, w)));
    EXPECT_EQ(facts.equal(n, w), yes);
    EXPECT_TRUE(facts.assume_not_equal(k, c(3)));
    EXPECT_TRUE(facts.assume_less_equal(c(3), k));
    EXPECT_EQ(facts.less_equal(c(4), k), yes);
    EXPECT_FALSE(facts.assume_equal(k, c(3)));
}

TEST_F(FactsTest, Broadcast) {
    EXPECT_EQ(facts.broadcast(n, n), n);
    EXPECT_EQ(facts.broadcast(n, c(1)), n);
    EXPECT_EQ(facts.broadcast(c(1), n), n);
    EXPECT_EQ(facts.broadcast(n, c(8)), c(8));
    EXPECT_EQ(facts.broadcast(n, m), bcast(n, m));       // nothing is assumed to differ from 1
    EXPECT_EQ(facts.compatible(n, m), unknown);
    EXPECT_TRUE(facts.assume_compatible(n, m));
    EXPECT_EQ(facts.compatible(m, n), yes);
    EXPECT_EQ(facts.compatible(bcast(n, m), n), yes);
    EXPECT_EQ(facts.compatible(c(3), c(4)), no);
    EXPECT_EQ(facts.compatible(n, h), unknown);
    EXPECT_EQ(facts.equal(n, m), unknown);
    facts.push();
    EXPECT_TRUE(facts.assume_less(c(1), n));
    EXPECT_EQ(facts.broadcast(n, m), n);
    EXPECT_EQ(facts.normalise(bcast(n, m)), n);
    EXPECT_EQ(facts.equal(n, m), unknown);
    EXPECT_TRUE(facts.assume_not_equal(m, c(1)));
    EXPECT_EQ(facts.equal(n, m), yes);
    facts.pop();
    EXPECT_EQ(facts.broadcast(n, m), bcast(n, m));
    EXPECT_TRUE(facts.assume_equal(m, c(1)));
    EXPECT_EQ(facts.normalise(bcast(n, m)), n);
    EXPECT_TRUE(facts.assume_compatible(h, c(5)));
    EXPECT_TRUE(facts.assume_not_equal(h, c(1)));
    EXPECT_FALSE(facts.assume_compatible(h, c(4)) && facts.assume_equal(h, c(3)));
}

TEST_F(FactsTest, WhatIsCutToACapAndFitsIsNotCut) {
    EXPECT_TRUE(facts.assume_compatible(min(c(512), n), n));
    EXPECT_EQ(facts.less_equal(n, c(512)), yes);
    EXPECT_EQ(facts.broadcast(min(c(512), n), n), n);
    EXPECT_TRUE(facts.assume_compatible(m, min(m, c(1))));           // (m, 1) broadcasts
    EXPECT_EQ(facts.less_equal(m, c(1)), unknown);
}

TEST_F(FactsTest, AnArmTeachesItselfAlone) {
    EXPECT_EQ(facts.depth(), 0u);
    facts.push();
    EXPECT_TRUE(facts.assume_equal(n, c(0)));
    EXPECT_EQ(facts.equal(mul(n, m), c(0)), yes);
    facts.push();
    EXPECT_FALSE(facts.assume_less(c(3), n));
    EXPECT_TRUE(facts.contradictory());
    facts.pop();
    EXPECT_FALSE(facts.contradictory());
    EXPECT_EQ(facts.equal(n, c(0)), yes);
    facts.pop();
    EXPECT_EQ(facts.depth(), 0u);
    EXPECT_EQ(facts.equal(n, c(0)), unknown);
    EXPECT_EQ(facts.equal(mul(n, m), c(0)), unknown);
    facts.push();
    EXPECT_TRUE(facts.assume_not_equal(n, c(0)));
    EXPECT_EQ(facts.less_equal(m, mul(n, m)), yes);
    facts.pop();
    facts.push();
    EXPECT_TRUE(facts.assume_divides(32, h));
    facts.pop();
    EXPECT_EQ(facts.divides(2, h), unknown);
    EXPECT_EQ(facts.normalise(h), h);
}

TEST_F(FactsTest, CarriedStatesOfLoops) {                // a cache that grows by one row per trip
    Dim trips = symbol("t", SymKind::counter), head = add(n, i), next = add(head, 1);
    EXPECT_EQ(facts.equal(next, add(n, add(i, 1))), yes);
    facts.push();
    EXPECT_TRUE(facts.assume_less(i, trips));
    EXPECT_EQ(facts.less(head, add(n, trips)), yes);
    EXPECT_EQ(facts.less_equal(next, add(n, trips)), yes);
    EXPECT_EQ(facts.equal(trips, c(0)), no);
    facts.pop();
    EXPECT_EQ(facts.less(head, add(n, trips)), unknown);
}

TEST_F(FactsTest, JoinSymbolsAreBoundedByTheirArms) {
    EXPECT_TRUE(facts.assume_less_equal(min(n, m), j));
    EXPECT_TRUE(facts.assume_less_equal(j, max(n, m)));
    EXPECT_EQ(facts.less_equal(c(0), j), yes);
    EXPECT_EQ(facts.less_equal(j, add(n, m)), yes);
    EXPECT_TRUE(facts.assume_equal(n, m));
    EXPECT_EQ(facts.equal(j, n), yes);
}

TEST_F(FactsTest, ManyQuestionsMakeNothingNew) {
    facts.assume_less(i, n);
    facts.assume_divides(8, h);
    std::vector<Dim> list{n, m, h, w, i, add(n, 1), mul(n, m), div(h, 8), max(n, k), mod(m, 3)};
    auto ask = [&] {
        for (Dim a : list)
            for (Dim b : list) facts.equal(a, b), facts.less_equal(a, b), facts.compatible(a, b), facts.bounds(a);
    };
    ask();
    size_t before = dims.polynomial_count();
    for (int round = 0; round < 100; round++) {
        facts.push();
        ask();
        facts.pop();
    }
    EXPECT_EQ(dims.polynomial_count(), before);
}

namespace {
// Facts and questions at random; whatever is answered has to hold at every point that satisfies the facts.
struct Checker {
    std::mt19937_64& random;
    Dims dims = {};
    Facts facts{dims};
    RandomTrees trees{random, {dims.new_symbol("n", SymKind::size), dims.new_symbol("m", SymKind::late),
                               dims.new_symbol("j", SymKind::join), dims.new_symbol("k", SymKind::host)}};
    using Point = std::vector<int64_t>;
    std::vector<std::vector<Point>> points = {};         // per frame: those that satisfy all facts
    std::string story = {};
    size_t decided = 0, asked = 0;

    Tree tree() {
        Tree t = trees.pick(0, 2) ? trees.tree(int(trees.pick(0, 2)), "+++--*/%mMb") : trees.tree(0);
        return t;
    }
    std::string text(const Tree& t) { return dims.to_string(t.build(dims)); }

    static bool fit(int64_t a, int64_t b) { return a == b || a == 1 || b == 1; }

    bool relation(int kind, int64_t divisor, int64_t a, int64_t b) {
        switch (kind) {
        case 0: return a == b;
        case 1: return a <= b;
        case 2: return a < b;
        case 3: return a != b;
        case 4: return a % divisor == 0;
        default: return fit(a, b);
        }
    }

    bool assume() {
        int kind = int(trees.pick(0, 5));
        int64_t divisor = trees.pick(2, 6);
        Tree a = tree(), b = tree();
        Dim x = a.build(dims), y = b.build(dims);
        const char* names[] = {" == ", " <= ", " < ", " != ", " divisible ", " fits "};
        story += "; " + text(a) + names[kind] + (kind == 4 ? std::to_string(divisor) : text(b));
        std::erase_if(points.back(), [&](const Point& p) {
            std::optional<int64_t> u = a.value(p), v = b.value(p);
            return !u || (kind != 4 && !v) || !relation(kind, divisor, *u, v.value_or(0));
        });
        bool possible = true;
        switch (kind) {
        case 0: possible = facts.assume_equal(x, y); break;
        case 1: possible = facts.assume_less_equal(x, y); break;
        case 2: possible = facts.assume_less(x, y); break;
        case 3: possible = facts.assume_not_equal(x, y); break;
        case 4: possible = facts.assume_divides(divisor, x); break;
        default: possible = facts.assume_compatible(x, y); break;
        }
        EXPECT_TRUE(possible || points.back().empty()) << "wrongly contradictory: " << story;
        EXPECT_EQ(possible, !facts.contradictory()) << story;
        return possible;
    }

    void check(Answer answer, int kind, int64_t divisor, const Tree& a, const Tree& b, const char* name) {
        asked++;
        if (answer == unknown) return;
        decided++;
        for (const Point& p : points.back()) {
            std::optional<int64_t> u = a.value(p), v = b.value(p);
            if (!u || (kind != 4 && !v)) continue;
            if (relation(kind, divisor, *u, v.value_or(0)) == (answer == yes)) continue;
            ADD_FAILURE() << name << "(" << text(a) << ", " << (kind == 4 ? std::to_string(divisor) : text(b))
                          << ") is not " << answer << " at " << testing::PrintToString(p) << story;
            return;
        }
    }

    void ask() {
        Tree a = tree(), b = tree();
        Dim x = a.build(dims), y = b.build(dims);
        int64_t divisor = trees.pick(2, 6);
        check(facts.equal(x, y), 0, 0, a, b, "equal");
        check(facts.less_equal(x, y), 1, 0, a, b, "less_equal");
        check(facts.less(x, y), 2, 0, a, b, "less");
        check(facts.divides(divisor, x), 4, divisor, a, b, "divides");
        check(facts.compatible(x, y), 5, 0, a, b, "compatible");
        Bounds range = facts.bounds(x);
        Dim normal = facts.normalise(x), broad = facts.broadcast(x, y);
        for (const Point& p : points.back()) {
            std::optional<int64_t> u = a.value(p), v = b.value(p);
            if (!u) continue;
            auto at = [&](Sym s) { return std::optional(p[s.index]); };
            Result<int64_t> found = dims.evaluate(normal, at);
            bool right = found && *found == *u && range.low.value_or(*u) <= *u && *u <= range.high.value_or(*u);
            EXPECT_TRUE(right) << "normalise or bounds of " << text(a) << ": " << dims.to_string(normal) << story;
            if (!right) return;
            if (!v || !fit(*u, *v)) continue;
            found = dims.evaluate(broad, at);
            right = found && *found == (*u == 1 ? *v : *u);
            EXPECT_TRUE(right) << "broadcast of " << text(a) << " and " << text(b) << story;
            if (!right) return;
        }
    }

    void run() {
        points.emplace_back();
        for_each_point({0, 0, -3, -3}, {6, 6, 4, 4}, [&](const Point& p) { points.back().push_back(p); });
        for (int step = 0; step < 10 && !testing::Test::HasFailure(); step++) {
            int64_t what = trees.pick(0, 9);
            if (what < 2 && points.size() < 4) {
                facts.push();
                points.push_back(points.back());
                story += "; push";
            } else if (what < 3 && points.size() > 1) {
                facts.pop();
                points.pop_back();
                story += "; pop";
            } else if (what < 6 && !facts.contradictory()) {
                assume();
            }
            for (int i = 0; i < 3 && !facts.contradictory(); i++) ask();
        }
    }
};

void answers_hold(uint64_t seed, int count) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    size_t asked = 0, decided = 0;
    for (int i = 0; i < count && !testing::Test::HasFailure(); i++) {
        Checker checker{random};
        checker.run();
        asked += checker.asked, decided += checker.decided;
    }
    std::printf("seed %llu: %zu questions, %zu decided\n", (unsigned long long)seed, asked, decided);
    EXPECT_GT(decided * 5, asked);                       // a prover that never answers would be sound as well
}
} // namespace

TEST(FactsProperty, AnswersHoldAtEveryPoint) {
    answers_hold(1, 100);
    answers_hold(second_seed(), 100);
}
} // namespace nereus
