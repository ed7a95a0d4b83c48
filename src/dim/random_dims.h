// dim/random_dims.h - for tests: random expressions as plain trees, with their meaning by brute force.
#pragma once
#include "dim/dims.h"
#include <memory>
#include <random>

namespace nereus {
// What an expression means, without any simplification: nullopt where it has no value.
struct Tree {
    char op = 'c';                         // c s + - * / % m(in) M(ax) b(cast)
    int64_t number = 0;
    Sym symbol = {};
    std::vector<Tree> args = {};

    std::optional<int64_t> value(const std::vector<int64_t>& point) const;
    Dim build(Dims& dims) const;
};

struct RandomTrees {
    std::mt19937_64& random;
    std::vector<Sym> symbols;
    int64_t pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); }
    Tree tree(int depth);
    Tree tree(int depth, std::string_view operators);
};

// Calls f for every point of the box; the i-th symbol ranges over [low[i], high[i]].
template <class F> void for_each_point(const std::vector<int64_t>& low, const std::vector<int64_t>& high, F f) {
    std::vector<int64_t> point = low;
    for (;;) {
        f(point);
        size_t i = 0;
        while (i < point.size() && point[i] == high[i]) point[i] = low[i], i++;
        if (i == point.size()) return;
        point[i]++;
    }
}

// Of a second run of each property: NEREUS_SEED, which tools/soak changes, else a fixed one. Failures print it.
uint64_t second_seed();
} // namespace nereus
