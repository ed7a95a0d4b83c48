// loop/expr.h - typed scalar expressions, evaluated once per point of an iteration space.
//
// Meaning. Integers wrap. Floats follow IEEE: no rule may change NaN, infinity or signed zero; a product that feeds
// a sum may be fused (FMA). max and min propagate NaN. `div` truncates on integers, `floor_div` floors, `mod` has
// the divisor's sign, `rem` the dividend's; a zero divisor at any point fails the launch. `pow` is C's; a
// negative power of an integer is 1, -1 or 0. `cast` float -> int goes toward zero,
// saturates, NaN -> 0; int -> int wraps; -> bool is != 0. Values of f16 and bf16 are rounded after each operator; folds
// and contractions of them run in f32 and are rounded once. All operands are evaluated, also those of `select`.
#pragma once
#include "base/id.h"
#include "tensor/dtype.h"
#include <string_view>

namespace nereus::loop {
using ExprId = Id<struct ExprTag>;
using BufferId = Id<struct BufferTag>;
using ScalarId = Id<struct ScalarTag>;
using GroupId = Id<struct GroupTag>;
using AccessId = Id<struct AccessTag>;

enum class Op : uint8_t {
    // leaves; `bits` says which
    constant,      // bits: the value, as tensor/element.h:to_word writes it
    scalar,        // bits: a ScalarId; one number per launch
    index,         // bits: a GroupId; i64, row-major position in the group
    load,          // bits: an AccessId
    value,         // bits: number of the fold or contraction whose result this is
    // one operand
    neg, abs, exp, log, sqrt, tanh, erf, sin, cos, asin, acos, atan, floor, ceil, round /* half to even */, logical_not, cast,
    // two operands
    add, sub, mul, div, floor_div, mod, rem, pow, max, min, logical_and, logical_or, eq, ne, lt, le, gt, ge,
    bit_and, bit_or, bit_xor, shift_left, shift_right /* logical; by less than the width */,
    philox,        // (key i64, counter i64): word 0 as i32, or words 0 and 1 as i64, of Philox4x32-10
    // three operands
    select,        // (bool, a, b)
};

struct Expr {
    Op op = Op::constant;
    DType dtype = DType::f32;
    ExprId a = {}, b = {}, c = {};
    int64_t bits = 0;
    bool operator==(const Expr&) const = default;
};

// Which dtypes an operator takes; the verifier and the random tests read the same rows.
enum class Takes : uint8_t { leaf, number, real, integer, boolean, any };
enum class Gives : uint8_t { same, boolean, stated };
struct OpRow { Op op; std::string_view name; int operands; Takes takes; Gives gives; };
const OpRow& op_row(Op op);
const OpRow* op_named(std::string_view name);     // null: no operator of that name
bool takes_dtype(Takes takes, DType t);
} // namespace nereus::loop
