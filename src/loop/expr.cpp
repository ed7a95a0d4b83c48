#include "loop/expr.h"
#include "base/invariant.h"

namespace nereus::loop {
static constexpr OpRow rows[] = {
//   op                name           operands  takes            gives
    {Op::constant,     "constant",     0,       Takes::leaf,     Gives::stated},
    {Op::scalar,       "scalar",       0,       Takes::leaf,     Gives::stated},
    {Op::index,        "index",        0,       Takes::leaf,     Gives::stated},
    {Op::load,         "load",         0,       Takes::leaf,     Gives::stated},
    {Op::value,        "value",        0,       Takes::leaf,     Gives::stated},
    {Op::neg,          "neg",          1,       Takes::number,   Gives::same},
    {Op::abs,          "abs",          1,       Takes::number,   Gives::same},
    {Op::exp,          "exp",          1,       Takes::real,     Gives::same},
    {Op::log,          "log",          1,       Takes::real,     Gives::same},
    {Op::sqrt,         "sqrt",         1,       Takes::real,     Gives::same},
    {Op::tanh,         "tanh",         1,       Takes::real,     Gives::same},
    {Op::erf,         "erf",          1,       Takes::real,     Gives::same},
    {Op::sin,         "sin",          1,       Takes::real,     Gives::same},
    {Op::cos,         "cos",          1,       Takes::real,     Gives::same},
    {Op::asin,        "asin",         1,       Takes::real,     Gives::same},
    {Op::acos,        "acos",         1,       Takes::real,     Gives::same},
    {Op::atan,        "atan",         1,       Takes::real,     Gives::same},
    {Op::floor,        "floor",        1,       Takes::real,     Gives::same},
    {Op::ceil,         "ceil",         1,       Takes::real,     Gives::same},
    {Op::round,        "round",        1,       Takes::real,     Gives::same},
    {Op::logical_not,  "not",          1,       Takes::boolean,  Gives::same},
    {Op::cast,         "cast",         1,       Takes::any,      Gives::stated},
    {Op::bit_cast,     "bit_cast",     1,       Takes::number,   Gives::stated},
    {Op::add,          "add",          2,       Takes::number,   Gives::same},
    {Op::sub,          "sub",          2,       Takes::number,   Gives::same},
    {Op::mul,          "mul",          2,       Takes::number,   Gives::same},
    {Op::div,          "div",          2,       Takes::number,   Gives::same},
    {Op::floor_div,    "floor_div",    2,       Takes::number,   Gives::same},
    {Op::mod,          "mod",          2,       Takes::number,   Gives::same},
    {Op::rem,          "rem",          2,       Takes::number,   Gives::same},
    {Op::pow,          "pow",          2,       Takes::number,   Gives::same},
    {Op::max,          "max",          2,       Takes::number,   Gives::same},
    {Op::min,          "min",          2,       Takes::number,   Gives::same},
    {Op::logical_and,  "and",          2,       Takes::boolean,  Gives::same},
    {Op::logical_or,   "or",           2,       Takes::boolean,  Gives::same},
    {Op::eq,           "eq",           2,       Takes::any,      Gives::boolean},
    {Op::ne,           "ne",           2,       Takes::any,      Gives::boolean},
    {Op::lt,           "lt",           2,       Takes::number,   Gives::boolean},
    {Op::le,           "le",           2,       Takes::number,   Gives::boolean},
    {Op::gt,           "gt",           2,       Takes::number,   Gives::boolean},
    {Op::ge,           "ge",           2,       Takes::number,   Gives::boolean},
    {Op::bit_and,      "bit_and",      2,       Takes::integer,  Gives::same},
    {Op::bit_or,       "bit_or",       2,       Takes::integer,  Gives::same},
    {Op::bit_xor,      "bit_xor",      2,       Takes::integer,  Gives::same},
    {Op::shift_left,   "shift_left",   2,       Takes::integer,  Gives::same},
    {Op::shift_right,  "shift_right",  2,       Takes::integer,  Gives::same},
    {Op::philox,       "philox",       2,       Takes::integer,  Gives::stated},
    {Op::select,       "select",       3,       Takes::any,      Gives::same},
};

const OpRow& op_row(Op op) {
    const OpRow& row = rows[size_t(op)];
    invariant(row.op == op, "the rows follow the order of Op");
    return row;
}

const OpRow* op_named(std::string_view name) {
    for (const OpRow& row : rows)
        if (row.name == name && row.operands > 0) return &row;
    return nullptr;
}

bool takes_dtype(Takes takes, DType t) {
    switch (takes) {
    case Takes::leaf: return false;
    case Takes::number: return t != DType::boolean && !is_storage(t) && !is_text(t);
    case Takes::real: return is_float(t);
    case Takes::integer: return is_integer(t);
    case Takes::boolean: return t == DType::boolean;
    case Takes::any: return !is_storage(t) && !is_text(t);
    }
    return false;
}
} // namespace nereus::loop
