// ir/op.h - what an operator declares about itself. Filled in ops/, one row per operator; every stage reads rows and
// none knows an operator by name.
#pragma once
#include "ir/module.h"
#include "tensor/host_tensor.h"
#include <optional>
#include <span>

namespace nereus {
enum class ParamKind : uint8_t {
    value,         // a tensor or any other value
    values,        // a list [a, b, …] or one Seq
    size,          // an i64 scalar: literal, dim or value
    sizes,         // a list of such scalars, or one i64 vector
    integer,       // attributes: constants written in the program
    integers,
    boolean,
    dtype,
    text,
};
struct OpParam {
    std::string_view name;
    ParamKind kind = ParamKind::value;
    bool optional = false;
    int64_t otherwise = 0;                  // integer, boolean: the value when left out
};
constexpr bool is_attribute(ParamKind kind) { return kind >= ParamKind::integer; }   // else it takes arguments

// Operators whose meaning is not tensors to tensors; each stage that runs programs has a case for them.
enum class Builtin : uint8_t {
    none, ref, read, write, push, length, set, seq_get, print, assert_, equal, stop_gradient, grad,
    leaves,        // what is done to every tensor of a structure: written out once types are ground
};

// What an operator may do besides giving a value. Requirements on sizes do not count: the shapes stage proves them or
// puts a `check` before the operator. `writes` covers making a cell too, because two cells may not become one.
enum class Effect : uint8_t { total, may_fail, reads, writes, io };

// Where random arguments of a property test are drawn from: elements in [low, high].
struct Domain { double low = -8, high = 8; };
// Instead of a count of ulps: |error| <= 4 * eps * (K + 8) * sum of |terms|, K the number of terms of one element.
inline constexpr int sum_bound = -1;

// Arguments of an evaluation, by parameter position; `sizes` are already numbers, in list or vector form alike.
struct EvalArgs {
    const OpDef& op;
    std::vector<std::vector<HostTensor>> tensors;        // value: one; values: several; absent: none
    std::vector<std::vector<int64_t>> sizes;             // size: one; sizes: several
    std::vector<bool> present;
    const AttributeList& attributes;

    const HostTensor& tensor(size_t param) const { return tensors[param][0]; }
    int64_t integer(std::string_view name) const;        // left out: as the parameter declares
    bool boolean(std::string_view name) const;
    std::optional<std::vector<int64_t>> integers(std::string_view name) const;
    std::optional<DType> dtype(std::string_view name) const;
    std::string_view text(std::string_view name, std::string_view otherwise) const;
};
using EvalFn = Result<std::vector<HostTensor>> (*)(const EvalArgs&);

// How an operator on numbers (rank-0 integers and bools) is computed by the host program; none: by a kernel.
enum class HostOp : uint8_t {
    none, add, sub, mul, div, floor_div, mod, min, max, neg, eq, ne, lt, le, gt, ge, logical_and, logical_or, logical_not,
    select, cast,
};
class OpLowering;                           // ops/lowering.h
using LowerFn = Status (*)(OpLowering&);
struct ShapeArgs;                           // ir/shape_rule.h
struct ShapedTensor;
class ShapeScope;
using ShapeRule = Result<std::vector<ShapedTensor>> (*)(const ShapeArgs&, ShapeScope&);
class Gradient;                             // ops/gradients.h
using GradientRule = void (*)(Gradient&);

struct OpDef {
    std::string_view name;
    std::string_view doc;                   // one line
    std::span<const OpParam> params;
    // Dtypes and structure for phase T, over the parameters of kind value and values in order; ir/scheme.h has the
    // grammar. "num a: a, a -> a", "int b, any a: a.., b -> a", "'x: Ref['x], 'x -> ()", "any a: a -> $to".
    std::string_view scheme;
    Effect effect = Effect::total;
    bool total_on_floats = false;           // may fail on integers only: division
    bool fails_on_texts = false;            // may fail on texts only: a cast reads them
    Builtin builtin = Builtin::none;
    EvalFn eval = nullptr;                  // plain and obvious, in f64 or exact integers, rounded once; builtins: none
    Domain domain = {};
    int ulps = 0;                           // how far compiled code may be from eval, in units of the last place
    LowerFn lower = nullptr;                // to loop functions
    HostOp host = HostOp::none;
    // Rows without these have them in the tables of their family: ops/shape_rules.h, ops/gradients.h.
    ShapeRule shapes = nullptr;             // rank and sizes of the results
    GradientRule grad = nullptr;            // what an adjoint of the result adds to those of the operands
    std::string_view no_grad = {};          // or why there is no gradient
    bool linear = false;                    // in all its floats together
};
constexpr Effect effect_on(const OpDef& op, DType operand) {
    if (op.fails_on_texts && is_text(operand)) return Effect::may_fail;
    return op.total_on_floats && is_float(operand) ? Effect::total : op.effect;
}

// All operators there are, by name; ops/registry.h has the one list.
class OpRegistry {
 public:
    explicit OpRegistry(std::vector<const OpDef*> ops);
    const OpDef* find(std::string_view name) const;
    std::span<const OpDef* const> all() const { return ops_; }      // in order of name

 private:
    std::vector<const OpDef*> ops_;
};
} // namespace nereus
