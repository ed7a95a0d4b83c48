// ops/structure.cpp - operators that are not tensors to tensors: cells, Seq, output, gradients. Whoever runs programs
// has a case for each Builtin, so no row here has an eval.
#include "ops/families.h"

namespace nereus {
namespace {
constexpr OpParam ref_params[] = {{"v"}};
constexpr OpParam read_params[] = {{"r"}};
constexpr OpParam write_params[] = {{"r"}, {"v"}};
constexpr OpParam push_params[] = {{"s"}, {"v"}};
constexpr OpParam length_params[] = {{"s"}};
constexpr OpParam set_params[] = {{"s"}, {"i", ParamKind::size}, {"v"}};
constexpr OpParam seq_get_params[] = {{"s"}, {"i", ParamKind::size}};
constexpr OpParam print_params[] = {{"text", ParamKind::text}, {"x", ParamKind::value, true}};
constexpr OpParam assert_params[] = {{"c"}, {"message", ParamKind::text, true}};
constexpr OpParam equal_params[] = {{"a"}, {"b"}};
constexpr OpParam one[] = {{"x"}};
constexpr OpParam grad_params[] = {
    {"f"}, {"wrt", ParamKind::integers, true}, {"mode", ParamKind::text, true}};

constexpr OpParam checkpoint_params[] = {{"f"}};

constexpr OpParam map_leaves_params[] = {
    {"f"}, {"s"}, {"t", ParamKind::value, true}, {"u", ParamKind::value, true}, {"v", ParamKind::value, true},
    {"floats", ParamKind::boolean, true}};
constexpr OpParam fold_leaves_params[] = {{"f"}, {"init"}, {"s"}, {"floats", ParamKind::boolean, true}};

constexpr OpDef rows[] = {
    {.name = "ref", .doc = "a new cell that holds v", .params = ref_params, .scheme = "'x: 'x -> Ref['x]",
     .effect = Effect::writes, .builtin = Builtin::ref},
    {.name = "read", .doc = "what the cell holds", .params = read_params, .scheme = "'x: Ref['x] -> 'x",
     .effect = Effect::reads, .builtin = Builtin::read},
    {.name = "write", .doc = "makes the cell hold v", .params = write_params, .scheme = "'x: Ref['x], 'x -> ()",
     .effect = Effect::writes, .builtin = Builtin::write},
    {.name = "push", .doc = "s with v at its end", .params = push_params, .scheme = "'x: Seq['x], 'x -> Seq['x]",
     .builtin = Builtin::push},
    // 's is a Seq or a List
    {.name = "length", .doc = "how many elements s, a Seq or a List, has", .params = length_params, .scheme = "'s: 's -> i64",
     .builtin = Builtin::length},
    {.name = "set", .doc = "s with v at index i", .params = set_params, .scheme = "'x: Seq['x], 'x -> Seq['x]",
     .effect = Effect::may_fail, .builtin = Builtin::set},
    {.name = "seq_get", .doc = "s[i]", .params = seq_get_params, .scheme = "'x: Seq['x] -> 'x",
     .effect = Effect::may_fail, .builtin = Builtin::seq_get},
    {.name = "print", .doc = "writes the text and x to stderr", .params = print_params, .scheme = "'x: 'x -> ()",
     .effect = Effect::io, .builtin = Builtin::print},
    {.name = "assert", .doc = "fails with the message unless c, a scalar", .params = assert_params,
     .scheme = "bool -> ()", .effect = Effect::may_fail, .builtin = Builtin::assert_},
    {.name = "equal", .doc = "whether a and b are the same structure with the same elements; cells by identity",
     .params = equal_params, .scheme = "'x: 'x, 'x -> bool", .builtin = Builtin::equal},
    {.name = "stop_gradient", .doc = "x, constant to every gradient", .params = one, .scheme = "'x: 'x -> 'x",
     .builtin = Builtin::stop_gradient},
    // 'g follows from 'f by a rule of its own: f's parameters to their adjoints
    {.name = "grad", .doc = "the gradient of a scalar function, as a function of the same parameters",
     .params = grad_params, .scheme = "'f, 'g: 'f -> 'g", .builtin = Builtin::grad},
    {.name = "value_and_grad", .doc = "as grad, with the function's result before the adjoints", .params = grad_params,
     .scheme = "'f, 'g: 'f -> 'g", .builtin = Builtin::grad},
    {.name = "vjp", .doc = "the adjoints of f's parameters for an adjoint of its result, given as a last argument",
     .params = grad_params, .scheme = "'f, 'g: 'f -> 'g", .builtin = Builtin::grad},
    {.name = "jvp", .doc = "f's result and its change for changes of its parameters, which are given after them",
     .params = grad_params, .scheme = "'f, 'g: 'f -> 'g", .builtin = Builtin::grad},
    {.name = "checkpoint", .doc = "f, whose gradient keeps its arguments alone and runs it again",
     .params = checkpoint_params, .scheme = "'f, 'g: 'f -> 'g", .builtin = Builtin::grad},
    // 'f follows from the leaves of 's; floats=true passes over the others, which stay as they are in s
    {.name = "map_leaves", .doc = "s with f(x, …) for every tensor x in it and those at the same place in t, u, v",
     .params = map_leaves_params, .scheme = "'f, 's: 'f, 's, 's, 's, 's -> 's", .builtin = Builtin::leaves},
    {.name = "fold_leaves", .doc = "f(… f(f(init, x0), x1) …, xn) over the tensors of s", .params = fold_leaves_params,
     .scheme = "'f, 'a, 's: 'f, 'a, 's -> 'a", .builtin = Builtin::leaves},
    {.name = "zeros_like", .doc = "s with zeros in all its tensors", .params = one, .scheme = "'x: 'x -> 'x",
     .builtin = Builtin::leaves},
};
} // namespace

std::span<const OpDef> structure_ops() { return rows; }
} // namespace nereus
