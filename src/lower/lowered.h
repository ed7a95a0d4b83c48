// lower/lowered.h - a module of launches and host operations, with the kernels it needs.
//
// Forms that are left, and what they mean here:
//   op        a dialect operation below, a builtin on objects, or an operator on numbers
//   literal, dim, call, if_, for_, while_, check   as before, tuples taken apart; a check of a value says
//             in attribute "who" whom to blame
//   construct a data object of args (records too); tuple: a tuple object; closure: an object tagged with its lambda
//   project   item `index` of a tuple object; field: field `index` of a data object whose constructor is known
//   match     a switch: args[0] is a number, blocks[i] runs when it is i, the last block otherwise;
//             without args and blocks: never reached
#pragma once
#include "ops/lowering.h"

namespace nereus {
struct Lowered {
    Module module;
    std::vector<loop::Function> kernels;     // each different one once
    std::vector<bool> in_library;            // per kernel: only a signature, with its code in the library or from outside
    std::vector<LaunchSpec> launches;        // `kernel` moved to `kernels`
    std::vector<uint32_t> launch_kernel;     // which kernel each launch runs
};

enum class LowOp : uint8_t {
    launch,        // runs launches[attribute "launch"]; args: everything it reads; results: everything it writes; attribute
                   // "changes": an argument, too, which without results goes without saying
    view,          // the elements of args[0] in another shape
    numbers,       // a small i64 tensor whose elements are the numbers args
    read,          // the number in the rank-0 tensor args[0]
    tag,           // the constructor or lambda of the object args[0], as a number
    bound_dim,     // dim `index` that the constructor of args[0] bound, as a number
    open,          // attributes "how", "count": `defines` get extents of args[0], a value of unknown rank
    rank,          // `defines` gets the rank of args[0]
    make,          // a tensor of unknown rank: attribute "parts" (ShapePart kinds, tails followed by their axis), numbers in
                   // `dims`, values in args
    same_tails,    // 1 if args have equal extents from axes a and b on, as a number; attribute "axes": a + 256 b
    same_but,      // 1 if args have equal ranks and extents but at the axis that attribute "axes" says, as a number
    shape_vector,  // the extents of args[0] as an i64 vector
    element,       // `defines` gets the element dims[0] of the i64 vector args[0], or dims[1] where it has none
    concat_seq,    // the tensors of the sequence args[0] joined along attribute "axis"
    copy,          // args[0], to be written over in part: in its place where it is read for the last time; into args[1], if any
};
const OpDef& low_op(LowOp op);
std::optional<LowOp> low_op_of(const Binding& binding);  // nullopt: not one of these

// How a lowered value is held. A number is decided by its type, unless a kernel wrote it to memory.
enum class Held : uint8_t { nothing, number, tensor, object };
Held held(const Types& types, const Binding* definition, const ValueInfo& value);
} // namespace nereus
