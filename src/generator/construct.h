// generator/construct.h - the constructs of the language that are seen nested in each other, every pair of them.
#pragma once
#include <cstdint>
#include <iterator>
#include <string_view>

namespace nereus::gen {
enum class Construct : uint8_t {
    leaf,                                    // a variable, a literal, a size
    tuple, pattern, record, update, choice, match, guard, loop, yield, while_loop,
    call, recursion, mutual, polymorphic, higher_order, closure, cell, seq, data,
    arithmetic, compare, select, cast, reduce, matmul, layout, index, late, topk, shape, random, unranked,
    gradient, vjp, effect,
};
inline constexpr std::string_view construct_names[] = {
    "leaf",
    "tuple", "pattern", "record", "update", "if", "match", "guard", "for", "yield", "while",
    "call", "recursion", "mutual recursion", "polymorphic", "higher order", "closure", "cell", "Seq", "data",
    "arithmetic", "compare", "select", "cast", "reduce", "matmul", "layout", "index", "late dim", "topk", "shape", "random", "unranked",
    "grad", "vjp", "effect",
};
inline constexpr int construct_count = std::size(construct_names);
constexpr std::string_view name_of(Construct c) { return construct_names[int(c)]; }
} // namespace nereus::gen
