// generator/construct.h - the constructs of the language that are seen nested in each other, every pair of them.
#pragma once
#include <cstdint>
#include <iterator>
#include <string_view>

namespace nereus::gen {
enum class Construct : uint8_t {
    leaf,                                    // a variable, a literal, a size
    tuple, pattern, record, update, choice, match, guard, nested, loop, yield, while_loop,
    call, recursion, mutual, facts, polymorphic, higher_order, closure, held_closure, cell, held_cell, seq, data, leaves,
    arithmetic, compare, select, cast, reduce, matmul, layout, index, late, topk, shape, random, unranked,
    gradient, vjp, jvp, custom, checkpoint, stop, effect,
};
inline constexpr std::string_view construct_names[] = {
    "leaf",
    "tuple", "pattern", "record", "update", "if", "match", "guard", "nested pattern", "for", "yield", "while",
    "call", "recursion", "mutual recursion", "where", "polymorphic", "higher order", "closure", "closure in a container", "cell",
    "cell in a container", "Seq", "data", "leaves",
    "arithmetic", "compare", "select", "cast", "reduce", "matmul", "layout", "index", "late dim", "topk", "shape", "random", "unranked",
    "grad", "vjp", "jvp", "with vjp", "checkpoint", "stop_gradient", "effect",
};
inline constexpr int construct_count = std::size(construct_names);
constexpr std::string_view name_of(Construct c) { return construct_names[int(c)]; }
} // namespace nereus::gen
