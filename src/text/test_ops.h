// text/test_ops.h - a few operators of every kind of parameter, for the tests of this room.
#pragma once
#include "ir/op.h"

namespace nereus {
inline const OpRegistry& test_ops() {
    using K = ParamKind;
    static constexpr OpParam one[] = {{"x"}}, two[] = {{"x"}, {"y"}}, three[] = {{"c"}, {"a"}, {"b"}};
    static constexpr OpParam reduce[] = {{"x"}, {"axes", K::integers, true}, {"keepdims", K::boolean, true}};
    static constexpr OpParam reshape[] = {{"x"}, {"shape", K::sizes}};
    static constexpr OpParam full[] = {{"shape", K::sizes}, {"v"}};
    static constexpr OpParam concat[] = {{"xs", K::values}, {"axis", K::integer, true, 0}};
    static constexpr OpParam slice[] = {{"x"}, {"starts", K::sizes}, {"ends", K::sizes}, {"axes", K::integers, true}};
    static constexpr OpParam transpose[] = {{"x"}, {"perm", K::integers}};
    static constexpr OpParam iota[] = {{"n", K::size}};
    static constexpr OpParam topk[] = {{"x"}, {"k", K::size}, {"axis", K::integer, true, -1}};
    static constexpr OpParam cast[] = {{"x"}, {"to", K::dtype}};
    static constexpr OpParam print[] = {{"text", K::text}, {"xs", K::values, true}};
    static constexpr OpParam grad[] = {{"f"}, {"wrt", K::integers, true}, {"mode", K::text, true}};
    static constexpr OpParam pad[] = {{"x"}, {"pads", K::sizes}, {"value", K::value, true}, {"mode", K::text, true}};
    static constexpr OpParam alloc[] = {{"bytes", K::size}};
    static constexpr OpParam region[] = {{"xs", K::values, true}};
    static constexpr OpDef rows[] = {
        {.name = "add", .params = two},      {.name = "sub", .params = two},       {.name = "mul", .params = two},
        {.name = "div", .params = two},      {.name = "floor_div", .params = two}, {.name = "mod", .params = two},
        {.name = "eq", .params = two},       {.name = "ne", .params = two},        {.name = "lt", .params = two},
        {.name = "le", .params = two},       {.name = "gt", .params = two},        {.name = "ge", .params = two},
        {.name = "maximum", .params = two},  {.name = "minimum", .params = two},   {.name = "matmul", .params = two},
        {.name = "neg", .params = one},      {.name = "not", .params = one},       {.name = "exp", .params = one},
        {.name = "tanh", .params = one},     {.name = "select", .params = three},  {.name = "sum", .params = reduce},
        {.name = "max", .params = reduce},   {.name = "reshape", .params = reshape}, {.name = "full", .params = full},
        {.name = "concat", .params = concat}, {.name = "slice", .params = slice},  {.name = "transpose", .params = transpose},
        {.name = "iota", .params = iota},    {.name = "topk", .params = topk},     {.name = "cast", .params = cast},
        {.name = "print", .params = print},  {.name = "grad", .params = grad},     {.name = "ref", .params = one},
        {.name = "read", .params = one},     {.name = "write", .params = two},     {.name = "push", .params = two},
        {.name = "pad", .params = pad},      {.name = "mem.alloc", .params = alloc}, {.name = "mem.free", .params = one},
        {.name = "kernel.region", .params = region},
    };
    static const OpRegistry registry = [] {
        std::vector<const OpDef*> list;
        for (const OpDef& row : rows) list.push_back(&row);
        return OpRegistry(list);
    }();
    return registry;
}
} // namespace nereus
