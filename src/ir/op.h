// ir/op.h - what an operator declares about itself. Filled in ops/, one row per operator; every stage reads rows and
// none knows an operator by name.
#pragma once
#include "ir/module.h"
#include <optional>
#include <span>
#include "tensor/host_tensor.h"

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

// Operators whose meaning is not tensors to tensors; each stage that runs programs has a case for them.
enum class Builtin : uint8_t {
    none, ref, read, write, push, length, set, seq_get, print, assert_, equal, stop_gradient, grad,
};

enum class Effect : uint8_t { total, may_fail, reads, writes, io };

// Arguments of an evaluation, by parameter position; `sizes` are already numbers, in list or vector form alike.
struct EvalArgs {
    const OpDef& op;
    std::vector<std::vector<HostTensor>> tensors;        // value: one; values: several; absent: none
    std::vector<std::vector<int64_t>> sizes;             // size: one; sizes: several
    std::vector<bool> present;
    const AttributeList& attributes;

    const HostTensor& tensor(size_t param) const { return tensors[param][0]; }
    int64_t integer(std::string_view name, int64_t otherwise) const;
    bool boolean(std::string_view name, bool otherwise) const;
    std::optional<DType> dtype(std::string_view name) const;
};
using EvalFn = Result<std::vector<HostTensor>> (*)(const EvalArgs&);

// How an operator on numbers (rank-0 integers and bools) is computed by the host program; none: by a kernel.
enum class HostOp : uint8_t {
    none, add, sub, mul, div, floor_div, mod, min, max, neg, eq, ne, lt, le, gt, ge, logical_and, logical_or, logical_not,
    select, cast,
};
class OpLowering;                           // ops/lowering.h
using LowerFn = Status (*)(OpLowering&);

struct OpDef {
    std::string_view name;
    std::string_view doc;                   // one line
    std::span<const OpParam> params;
    // Dtypes and structure for phase T, over the parameters of kind value and values, e.g. "num a: a, a -> a",
    // "any a: a, i64 -> (a, i64)", "int b, any a: a.., b -> a" (a.. = a values parameter), "'x: Ref['x], 'x -> ()".
    // A dtype parameter `to` is written $to. Classes: any num int float. "(a..)" = a tuple as long as the list `sizes`.
    std::string_view scheme;
    Effect effect = Effect::total;
    Builtin builtin = Builtin::none;
    EvalFn eval = nullptr;                  // plain and obvious, in f64 or exact integers, rounded once
    LowerFn lower = nullptr;                // to loop functions
    HostOp host = HostOp::none;
};

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
