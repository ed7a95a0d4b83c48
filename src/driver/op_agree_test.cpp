// Every operator compiled against eval: one compile per case and dtype, before any size is known, then many sizes.
// Tolerances come from the operators' declarations (ops/tolerance.h). An operator without a case fails the test.
#include "base/file.h"
#include "driver/compile.h"
#include "eval/as_written.h"
#include "exe/cpu.h"
#include "library/library.h"
#include "tensor/text_tensor.h"
#include "ops/registry.h"
#include "ops/tolerance.h"
#include "value/text.h"
#include "vm/context.h"
#include <bit>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace nereus {
namespace {
using Sizes = std::map<std::string, int64_t>;
struct Case {
    std::string_view op;
    std::string_view dtypes;                 // of $T: num, int, float, basic, equal, any, bits, bool
    std::string_view text;                   // what @main takes, then => and what it gives
    int64_t (*terms)(const Sizes&) = nullptr;            // of one element; of a sum as many as share the result
    bool special = false;                    // also NaN, infinities, -0, subnormals, the least integer
    std::string_view magnitude = {};         // of absolute arguments, what the terms of each element add up to; else what @main gives
};
int64_t p_terms(const Sizes& s) { return s.at("p"); }
int64_t three_terms(const Sizes&) { return 3; }
int64_t six_terms(const Sizes&) { return 6; }
int64_t three_p_terms(const Sizes& s) { return 3 * s.at("p"); }
int64_t six_p_terms(const Sizes& s) { return 6 * s.at("p"); }
int64_t halvings(const Sizes& s) { return std::bit_width(uint64_t(s.at("p"))); }
int64_t many_terms(const Sizes& s) { return 2 * s.at("p") * (s.at("m") + 1); }

const Case cases[] = {
    {"neg", "num", "%a: Tensor[(n, m), $T] => neg(%a)", nullptr, true},
    {"exp", "float", "%a: Tensor[(n, m), $T] => exp(%a)", nullptr, true},
    {"log", "float", "%a: Tensor[(n, m), $T] => log(%a)", nullptr, true},
    {"sqrt", "float", "%a: Tensor[(n, m), $T] => sqrt(%a)", nullptr, true},
    {"tanh", "float", "%a: Tensor[(n, m), $T] => tanh(%a)", nullptr, true},
    {"erf", "float", "%a: Tensor[(n, m), $T] => erf(%a)", nullptr, true},
    {"sin", "float", "%a: Tensor[(n, m), $T] => sin(%a)", nullptr, true},
    {"cos", "float", "%a: Tensor[(n, m), $T] => cos(%a)", nullptr, true},
    {"asin", "float", "%a: Tensor[(n, m), $T] => asin(%a)", nullptr, true},
    {"acos", "float", "%a: Tensor[(n, m), $T] => acos(%a)", nullptr, true},
    {"atan", "float", "%a: Tensor[(n, m), $T] => atan(%a)", nullptr, true},
    {"abs", "num", "%a: Tensor[(n, m), $T] => abs(%a)", nullptr, true},
    {"sign", "num", "%a: Tensor[(n, m), $T] => sign(%a)", nullptr, true},
    {"floor", "float", "%a: Tensor[(n, m), $T] => (floor(%a), floor(%a * 0.25))", nullptr, true},
    {"ceil", "float", "%a: Tensor[(n, m), $T] => (ceil(%a), ceil(%a * 0.25))", nullptr, true},
    {"round", "float", "%a: Tensor[(n, m), $T] => (round(%a), round(%a * 0.5))", nullptr, true},
    {"bit_not", "int", "%a: Tensor[(n, m), $T] => bit_not(%a)", nullptr, true},
    {"isnan", "float", "%a: Tensor[(n, m), $T] => isnan(%a)", nullptr, true},
    {"isinf", "float", "%a: Tensor[(n, m), $T] => isinf(%a)", nullptr, true},
    {"not", "bool", "%a: Tensor[(n, m), $T] => not(%a)", nullptr, true},
    {"cast", "any", "%a: Tensor[(n, m), $T] => (cast(%a, f32), cast(%a, f64), cast(%a, i32), cast(%a, i64), cast(%a, bool))", nullptr, true},
    {"bit_cast", "bits", "%a: Tensor[(n, m), $T], %b: $T => (bit_cast(%a, $T), bit_cast(%b, $T))"},
    {"bit_cast", "bool", "%a: Tensor[(n, m), f32], %b: f32, %c: i32, %d: Tensor[(n), i32], %x: $T => (bit_cast(%a, i32), bit_cast(%b, i32), bit_cast(%c, f32), bit_cast(-%d, u32))"},
    {"bit_cast", "bool", "%a: Tensor[(n, m), i4], %b: f8e5m2, %c: Tensor[(n), f8e8m0], %d: Tensor[(n), i8], %x: $T => (bit_cast(%a, f4e2m1), bit_cast(%b, u8), bit_cast(%c, bool), bit_cast(%d, f8e4m3fn))"},
    {"bit_cast", "bool", "%a: Tensor[(n, m), f16], %b: bf16, %c: bool, %d: Tensor[(n), i16], %x: $T => (bit_cast(%a, i16), bit_cast(%b, f16), bit_cast(%c, u8), bit_cast(%d, bf16))"},
    {"cast", "any", "%a: Tensor[(n, m), $T] => (cast(%a, i8), cast(%a, i16), cast(%a, u8), cast(%a, u16))", nullptr, true},
    {"cast", "any", "%a: Tensor[(n, m), $T] => (cast(%a, u32), cast(%a, u64), cast(%a, f16), cast(%a, bf16))", nullptr, true},
    {"cast", "any", "%a: Tensor[(n, m), $T], %b: $T => (cast(%a, str), cast(%b, str), cast(2, str), cast(0.1, str), cast(cast(%a, str), str))", nullptr, true},
    {"cast", "bool", "%a: Tensor[(n, m), str], %b: str, %x: $T => (cast(%a, i4), cast(%a, f8e5m2), cast(%b, f32), cast(%b, i64), cast(%b, bool))"},
    {"str_concat", "bool", "%a: Tensor[(n, m), str], %b: Tensor[(m), str], %c: str, %x: $T => (str_concat(%a, %b), str_concat(%c, %c), str_concat(%a, tensor(\"-\")))", nullptr, true},
    {"str_concat", "bool", "%a: Tensor[(n, 1), str], %b: Tensor[(1, m), str], %x: $T => str_concat(str_concat(%a, %b), tensor([[\"x\"], [\"y\"]])[0])", nullptr, true},
    {"str_lower", "bool", "%a: Tensor[(n, m), str], %b: str, %x: $T => (str_lower(%a), str_lower(%b))", nullptr, true},
    {"str_upper", "bool", "%a: Tensor[(n, m), str], %b: str, %x: $T => (str_upper(%a), str_upper(%b))", nullptr, true},
    {"str_match", "bool", "%a: Tensor[(n, m), str], %b: str, %x: $T => (str_match(%a, tensor(\"-?1[0-9]*|[a-z].*\")), str_match(%b, tensor([\"1\", \".*\"])), str_match(%b, tensor(\"\")))", nullptr, true},
    {"str_count", "bool", "%a: Tensor[(n, m), str], %b: str, %x: $T => (str_count(%a, tensor(\"\")), str_count(%a, tensor([[\",\"], [\"1\"]])[0]), str_count(%b, tensor(\"1\"), limit=1))", nullptr, true},
    {"str_part", "bool", "%a: Tensor[(n, m), str], %b: str, %i: Tensor[(m), i64], %k: i64, %x: $T => (str_part(%a, tensor(\"1\"), %i), str_part(%b, tensor(\",\"), iota(3)), str_part(%a, tensor(\"\"), %k, limit=1), str_part(%b, %b, 1))", nullptr, true},
    {"str_order", "bool", "%a: Tensor[(n, m), str], %b: str, %x: $T => (str_order(%a), str_order(%b), str_order(transpose(%a, [1, 0])))", nullptr, true},
    {"select", "any", "%c: Tensor[(n, m), bool], %a: Tensor[(n, m), $T], %b: Tensor[(m), $T] => select(%c, %a, %b)"},
    {"select", "any", "%c: Tensor[(n, 1), bool], %a: Tensor[(n, m), $T], %b: Tensor[(), $T] => select(%c, %a, %b)"},
    {"sum", "num", "%x: Tensor[(n, m), $T] => (sum(%x), sum(%x, keepdims=true))"},
    {"sum", "num", "%x: Tensor[(n, m, p), $T] => (sum(%x, axes=[1]), sum(%x, axes=[-2], keepdims=true))"},
    {"sum", "num", "%x: Tensor[(n, m, p), $T] => (sum(%x, axes=[0]), sum(%x, axes=[0], keepdims=true))"},
    {"sum", "num", "%x: Tensor[(n, m, p), $T] => (sum(%x, axes=[2]), sum(%x, axes=[]))"},
    {"sum", "num", "%x: Tensor[(n, m, p), $T], %k: i64 => (sum(%x, axes=[mod(%k, 3)]), sum(%x, axes=[mod(%k, 3) - 3], keepdims=true))"},
    {"sum", "num", "%x: Tensor[(n, m, p), $T], %v: Tensor[(2), i64] => (sum(%x, axes=mod(%v, 3)), sum(%x, axes=mod(%v, 3), keepdims=true))"},
    {"max", "num", "%x: Tensor[(n, m), $T] => (max(%x), max(%x, axes=[0]), max(%x, axes=[1], keepdims=true))", nullptr, true},
    {"max", "num", "%x: Tensor[(n, m, p), $T] => (max(%x, axes=[0, 2]), max(%x, axes=[1]))"},
    {"max", "num", "%x: Tensor[(n, m, p), $T], %k: i64 => (max(%x, axes=[mod(%k, 3)]), max(%x, axes=[mod(%k, 3)], keepdims=true))"},
    {"max", "bool", "%x: Tensor[(n, m), $T] => (max(%x), max(%x, axes=[0]), max(%x, axes=[1], keepdims=true))"},
    {"min", "basic", "%x: Tensor[(n, m), $T] => (min(%x), min(%x, axes=[0]), min(%x, axes=[1], keepdims=true))", nullptr, true},
    {"min", "num", "%x: Tensor[(n, m, p), $T], %k: i64 => (min(%x, axes=[0, 2]), min(%x, axes=[mod(%k, 3)], keepdims=true))"},
    {"prod", "num", "%x: Tensor[(n, m), $T] => (prod(%x), prod(%x, axes=[0]), prod(%x, axes=[1], keepdims=true))"},
    {"prod", "num", "%x: Tensor[(n, m, p), $T], %k: i64 => (prod(%x, axes=[0, 2]), prod(%x, axes=[mod(%k, 3)], keepdims=true))"},
    {"argmax", "num", "%x: Tensor[(n, m + 1), $T] => (argmax(%x), argmax(%x, axis=1, keepdims=true, select_last_index=true))", nullptr, true},
    {"argmax", "num", "%x: Tensor[(n + 1, m, p), $T] => (argmax(%x, axis=0), argmax(%x, axis=-3, select_last_index=true))"},
    {"argmin", "num", "%x: Tensor[(n, m + 1), $T] => (argmin(%x), argmin(%x, axis=1, keepdims=true, select_last_index=true))", nullptr, true},
    {"argmin", "num", "%x: Tensor[(n + 1, m, p), $T] => (argmin(%x, axis=0), argmin(%x, axis=-3, select_last_index=true))"},
    {"argmin", "num", "%x: Tensor[(n + 1), $T] => (argmin(mod(iota(n + 1), 3)), argmax(%x - %x))"},
    {"sum_to", "num", "%x: Tensor[(n, m), $T] => (sum_to(%x, [m]), sum_to(%x, [1, m]))"},
    {"sum_to", "num", "%x: Tensor[(n, m), $T] => (sum_to(%x, [n, 1]), sum_to(%x, [n, m]))"},
    {"matmul", "num", "%a: Tensor[(n, p), $T], %b: Tensor[(p, m), $T] => matmul(%a, %b)", p_terms},
    {"matmul", "num", "%a: Tensor[(p), $T], %b: Tensor[(p, m), $T], %c: Tensor[(m, p), $T] => (matmul(%a, %b), matmul(%c, %a), matmul(%a, %a))", p_terms},
    {"matmul", "num", "%a: Tensor[(3, 1, n, p), $T], %b: Tensor[(2, p, m), $T] => matmul(%a, %b)", p_terms},
    {"matmul_i32", "int", "%a: Tensor[(n, p), $T], %b: Tensor[(p, m), i8], %c: Tensor[(p, m), u8] => (matmul_i32(%a, %b), matmul_i32(%a, %c))", nullptr, true},
    {"matmul_i32", "int", "%a: Tensor[(n, p), u8], %b: Tensor[(m, p), $T], %c: Tensor[(p), $T] => (matmul_i32(%a, transpose(%b, perm=[1, 0])), matmul_i32(%a, %c))", nullptr, true},
    {"matmul_i32", "int", "%a: Tensor[(3, 1, n, p), i16], %b: Tensor[(2, p, m), $T] => matmul_i32(%a, %b)", nullptr, true},
    {"reshape", "any", "%x: Tensor[(n, m), $T] => (reshape(%x, [m, n]), reshape(%x, [n * m]), reshape(%x, [n, m, 1]))"},
    {"concat", "any", "%x: Tensor[(n, m), $T], %y: Tensor[(p, m), $T] => concat([%x, %y, %x], axis=0)"},
    {"concat", "any", "%x: Tensor[(n, m), $T], %y: Tensor[(n, p), $T] => concat([%x, %y], axis=-1)"},
    {"concat", "any", "%x: Tensor[(n, m), $T], %y: Tensor[(p, m), $T] => concat(push(push([%x], %y), %x), axis=0)"},
    {"slice", "any", "%x: Tensor[(n + 2, m), $T] => (slice(%x, [1], [n + 1]), slice(%x, [0, 0], [2, m]), slice(%x, [n], [n + 2], axes=[0]))"},
    {"slice", "any", "%x: Tensor[(n, m), $T], %k: i64 => slice(%x, [mod(%k, m + 1)], [m], axes=[1])"},
    {"slice_update", "any", "%x: Tensor[(n + p, m), $T], %v: Tensor[(p, m), $T] => (slice_update(%x, %v, [0]), slice_update(%x, %v, [n], axes=[0]))"},
    {"gather", "any", "%x: Tensor[(n + 1, m), $T], %i: Tensor[(p, 2), i64] => (gather(%x, mod(%i, n + 1), axis=0), %x[n])"},
    {"gather", "any", "%x: Tensor[(m, n + 1, 2), $T], %i: Tensor[(p), i32] => gather(%x, mod(%i, n + 1), axis=1)"},
    {"scatter_add", "num", "%x: Tensor[(n + 1, m), $T], %i: Tensor[(p), i64], %v: Tensor[(p, m), $T] => scatter_add(%x, mod(%i, n + 1), %v, axis=0)", p_terms},
    {"scatter", "any", "%x: Tensor[(n + 1, m), $T], %i: Tensor[(p), i64], %v: Tensor[(p, m), $T] => scatter(%x, mod(%i, n + 1), %v, axis=0)"},
    {"scatter", "any", "%x: Tensor[(m, n + 1), $T], %i: Tensor[(p, 2), i32], %v: Tensor[(m, p, 2), $T] => scatter(%x, mod(%i, n + 1), %v, axis=-1)"},
    {"scatter_mul", "num", "%x: Tensor[(n + 1, m), $T], %i: Tensor[(p), i64], %v: Tensor[(p, m), $T] => scatter_mul(%x, mod(%i, n + 1), %v, axis=0)"},
    {"scatter_max", "num", "%x: Tensor[(n + 1, m), $T], %i: Tensor[(p), i64], %v: Tensor[(p, m), $T] => scatter_max(%x, mod(%i, n + 1), %v, axis=0)", nullptr, true},
    {"scatter_min", "num", "%x: Tensor[(n + 1, m), $T], %i: Tensor[(p), i64], %v: Tensor[(p, m), $T] => scatter_min(%x, mod(%i, n + 1), %v, axis=0)", nullptr, true},
    {"windows", "any", "%x: Tensor[(n, m + 2, p + 3), $T] => (windows(%x, [3]), windows(%x, [2, 3], strides=[2, 1]), windows(%x, [2], dilations=[2]))"},
    {"windows", "num", "%x: Tensor[(n, m + 2, p + 3), $T] => (max(windows(%x, [2, 3], strides=[1, 2]), axes=[-1]), min(windows(%x, [2, 2]), axes=[0, -1]))", nullptr, true},
    {"windows", "num", "%x: Tensor[(n, m + 2, p + 3), $T] => (argmax(windows(%x, [3, 2], dilations=[1, 2]), axis=-1), argmin(windows(%x, [2], strides=[3])))"},
    {"windows", "int", "%x: Tensor[(n, m + 2, p + 3), $T] => (sum(windows(%x, [3, 2], strides=[2, 2]), axes=[-1]), sum(windows(%x, [p + 1])))"},
    {"fold_windows", "num", "%v: Tensor[(n, m + 2, 3), $T] => fold_windows(%v, [m + 4], [3])", three_terms},
    {"fold_windows", "num", "%v: Tensor[(n, m + 1, p + 1, 6), $T] => fold_windows(%v, [2 * m + 3, p + 5], [2, 3], strides=[2, 1], dilations=[2, 2])", six_terms},
    {"conv", "num", "%x: Tensor[(n, p, m + 3), $T], %w: Tensor[(2, p, 3), $T] => conv(%x, %w)", three_p_terms},
    {"conv", "num", "%x: Tensor[(2, 2 * p, n + 2, m + 5), $T], %w: Tensor[(6, p, 2, 3), $T] => conv(%x, %w, strides=[1, 2], dilations=[2, 2], groups=2)", six_p_terms},
    {"conv_input", "num", "%y: Tensor[(n, p, m + 1), $T], %w: Tensor[(p, 2, 3), $T] => conv_input(%y, %w, [m + 3])", three_p_terms},
    {"conv_input", "num", "%y: Tensor[(2, 2 * p, n + 1, m + 1), $T], %w: Tensor[(2 * p, 3, 2, 3), $T] => conv_input(%y, %w, [n + 3, 2 * m + 6], strides=[1, 2], dilations=[2, 2], groups=2)", six_p_terms},
    {"conv_weight", "num", "%x: Tensor[(p, n, m + 3), $T], %y: Tensor[(p, 2, m + 1), $T] => conv_weight(%x, %y, [3])", many_terms},
    {"conv_weight", "num", "%x: Tensor[(p, 2 * n, m + 3, 6), $T], %y: Tensor[(p, 4, m + 1, 2), $T] => conv_weight(%x, %y, [2, 2], strides=[1, 3], dilations=[2, 2], groups=2)", many_terms},
    {"transpose", "any", "%x: Tensor[(n, m, p), $T] => (transpose(%x, [2, 0, 1]), transpose(%x, [1, 0, 2]), transpose(%x, [0, 2, 1]))"},
    {"broadcast_to", "any", "%x: Tensor[(m), $T], %y: Tensor[(n, 1), $T] => (broadcast_to(%x, [n, m]), broadcast_to(%y, [3, n, m]))"},
    {"shape_of", "any", "%x: Tensor[(n, m, p), $T] => shape_of(%x)"},
    {"iota", "bool", "%x: Tensor[(n), $T], %k: i64 => (iota(n), iota(mod(%k, 9)))"},
    {"full", "any", "%v: Tensor[(), $T], %x: Tensor[(n), bool] => full([n, 3], %v)"},
    {"split", "any", "%x: Tensor[(n + m, p), $T], %y: Tensor[(p, n + m), $T], %z: Tensor[(n), bool] => (split(%x, [n, m]), split(%y, [n, m], axis=1))"},
    {"topk", "num", "%x: Tensor[(n, m), $T] => (topk(%x, m), topk(%x, n, axis=0), topk(%x, 0))", nullptr, true},
    {"topk", "num", "%x: Tensor[(n, m, p), $T], %k: i64 => topk(%x, mod(%k, m + 1), axis=1)"},
    {"fft", "float", "%x: Tensor[(n, m, p, 2), $T] => (fft(%x), fft(%x, inverse=true))", halvings, false,
     "(broadcast_to(sum(%x, axes=[2, 3], keepdims=true), shape_of(%x)), broadcast_to(sum(%x, axes=[2, 3], keepdims=true), shape_of(%x)))"},
    {"fft", "float", "%x: Tensor[(p, 2), $T] => fft(%x)", halvings, false, "broadcast_to(sum(%x), shape_of(%x))"},
    {"nonzero", "basic", "%c: Tensor[(n, m), $T] => nonzero(%c)", nullptr, true},
    {"random", "basic", "%x: Tensor[(n, m), bool], %k: i64 => random(%k, 3, [n, m], dtype=$T)"},
};
// Elementwise operators of two tensors: equal shapes, broadcast ones, and every pair of special values.
struct Two { std::string_view op, dtypes; };
constexpr Two twos[] = {
    {"add", "num"}, {"sub", "num"}, {"mul", "num"}, {"div", "num"}, {"floor_div", "num"}, {"mod", "num"}, {"rem", "num"}, {"pow", "num"}, {"maximum", "num"},
    {"minimum", "num"}, {"eq", "equal"}, {"ne", "equal"}, {"lt", "num"}, {"le", "num"}, {"gt", "num"}, {"ge", "num"},
    {"and", "bool"}, {"or", "bool"}, {"xor", "bool"}, {"bit_and", "int"}, {"bit_or", "int"}, {"bit_xor", "int"}, {"shift_left", "int"},
    {"shift_right", "int"},
};
constexpr std::string_view shapes_of_two[] = {
    "%a: Tensor[(n, m), $T], %b: Tensor[(n, m), $T] => ",
    "%a: Tensor[(n, m), $T], %b: Tensor[(m), $T] => ",
    "%a: Tensor[(n, 1), $T], %b: Tensor[(1, m), $T] => ",
    "%a: Tensor[(), $T], %b: Tensor[(n, m), $T] => ",
};

// In the order of DType; the first ones, which came before the small types, go through every case.
std::vector<DType> dtypes_of(std::string_view name) {
    std::vector<DType> all;
    for (const DTypeRow& row : dtype_rows) {
        bool boolean = row.kind == DTypeKind::boolean, real = row.kind == DTypeKind::real;
        if (is_text(row.dtype)) {
            if (name == "any" || name == "equal") all.push_back(row.dtype);
            continue;
        }
        if (is_storage(row.dtype)) {                     // all that moves one moves them all; casts: storage_cast_test.cpp
            if ((name == "any" || name == "bits") && (row.dtype == DType::f8e5m2 || row.dtype == DType::i4)) all.push_back(row.dtype);
            continue;
        }
        if (name == "any" || name == "bits" || name == "basic" || name == "equal" || (name == "bool" ? boolean : name == "float" ? real : name == "int"     ? !boolean && !real : !boolean)) all.push_back(row.dtype);
    }
    return all;
}
bool is_small(DType t) { return t > DType::f64; }

const double real_specials[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 7.0, 1e-310, -5e-324, 1e-40, 1.4e-45, 3e38, -3e38,
                                1e300, -1e300, 1e10, 16777217.0, 9007199254740993.0, 0.1, -0.3, 88.0, -104.5, 710.0, 2147483648.0, -9.3e18,
                                65504.0, 65519.9, 6e-8, -3e-5, 255.5, 1.00048828125, 1.00390625};
const int64_t whole_specials[] = {0, 1, -1, 2, -3, 7, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1000003, -65536, 127, -128, 255, 2049, 32767,
                                  (int64_t(1) << 62) + (int64_t(1) << 54) + 1};

struct Inputs {
    std::mt19937_64 random{7};
    Domain domain;
    bool divides = false;                    // no zero among the second operand's integers

    void set(HostTensor& t, int64_t i, double real, int64_t whole) {
        const DType d = t.dtype();
        const uint64_t word = is_storage(d) ? random() & storage_row(d).mask() : is_float(d) ? word_of(d, real) : word_of(d, d == DType::boolean ? whole & 1 : whole);
        std::memcpy(*t.mutable_bytes() + i * size_of(d), &word, size_t(size_of(d)));
    }
    // Numbers, so that casts are tried too; the special ones are none.
    Value texts(const Extents& shape, bool special) {
        static const std::string others[] = {"", "a", "A b ", "\u00c9 \u00e9", "\u65e5\u672c\u8a9e", "x,y,,z", "nan", "INF", "1e5", "-0.5"};
        std::vector<std::string> all(size_t(*element_count(shape)));
        for (std::string& text : all) text = special ? others[random() % std::size(others)] : std::to_string(int64_t(random() % 41) - 20);
        return Value::tensor(*text_tensor(shape, all));
    }
    Value tensor(DType dtype, Extents shape, size_t param, bool special) {
        if (is_text(dtype)) return texts(shape, special);
        HostTensor made = *HostTensor::make(dtype, shape);
        int64_t row = shape.empty() ? 1 : std::max<int64_t>(shape.back(), 1);
        for (int64_t i = 0; i < made.count(); ++i) {
            double real = std::uniform_real_distribution<>(domain.low, domain.high)(random);
            int64_t whole = int64_t(random() % 41) - 20;
            if (special) {
                size_t at = size_t(param == 0 ? i / row : i % row);
                real = real_specials[at % std::size(real_specials)];
                whole = whole_specials[at % std::size(whole_specials)];
            }
            if (divides && param == 1 && word_of(dtype, whole) == 0) whole = 3;
            set(made, i, real, whole);
        }
        return Value::tensor(std::move(made));
    }
};

Value absolute(const Value& value) {
    HostTensor t = value.tensor();
    std::byte* at = *t.mutable_bytes();
    for (int64_t i = 0; is_float(t.dtype()) && i < t.count(); ++i) {
        const uint64_t word = word_of(t.dtype(), std::fabs(t.as_f64(i)));
        std::memcpy(at + i * size_of(t.dtype()), &word, size_t(size_of(t.dtype())));
    }
    return Value::tensor(std::move(t));
}

void flatten(const Value& value, std::vector<HostTensor>& out) {
    if (value.is(Value::Kind::tensor)) return out.push_back(value.tensor());
    for (const Value& part : value.children()) flatten(part, out);
}

// What is wrong with `found`; empty: nothing.
std::string wrong(const OpDef& op, const HostTensor& found, const HostTensor& expected, const HostTensor& magnitude, int64_t terms) {
    if (found.dtype() != expected.dtype() || found.shape() != expected.shape())
        return "shape " + shape_text(found.shape()) + ", expected " + shape_text(expected.shape());
    for (int64_t i = 0; i < found.count(); ++i) {
        std::string where = "element " + std::to_string(i) + ": ";
        if (is_storage(found.dtype())) {                 // one byte each
            if (found.bytes()[i] != expected.bytes()[i]) return where + "code " + std::to_string(int(found.bytes()[i])) + ", expected " + std::to_string(int(expected.bytes()[i]));
            continue;
        }
        if (!is_float(found.dtype())) {
            if (found.as_i64(i) != expected.as_i64(i))
                return where + std::to_string(found.as_i64(i)) + ", expected " + std::to_string(expected.as_i64(i));
            continue;
        }
        double f = found.as_f64(i), e = expected.as_f64(i);
        if (std::isnan(f) && std::isnan(e)) continue;
        bool exact = std::isinf(e) || std::isinf(f) || (op.ulps != sum_bound && (op.ulps == 0 || e == 0));
        bool good = exact ? f == e && std::signbit(f) == std::signbit(e)
                          : std::fabs(f - e) <= allowed_error(op, found.dtype(), e, terms, magnitude.as_f64(i));
        char text[100];
        std::snprintf(text, sizeof text, "%.17g, expected %.17g", f, e);
        if (!good) return where + text;
    }
    return {};
}

Result<Module> parsed_text(const std::string& text) {
    ParseInput input;
    input.path = "test.nr";
    input.text = text;
    input.load = [](const std::string& imported) { return read_file(imported); };
    return parse(std::move(input), all_ops(), nullptr);
}

void agree(const Case& c, DType dtype, const std::string& target) {
    const OpDef& op = *all_ops().find(c.op);
    std::string text(c.text);
    for (size_t at; (at = text.find("$T")) != std::string::npos;) text.replace(at, 2, dtype_name(dtype));
    size_t arrow = text.find(" => ");
    const std::string main_of = "def @main(" + text.substr(0, arrow) + ") { ";
    text = main_of + text.substr(arrow + 4) + " }";
    SCOPED_TRACE(target + ": " + text);
    Result<Module> parsed = parsed_text(text);
    ASSERT_TRUE(parsed) << parsed.error().message;
    CompileOptions options;
    options.target = target;
    Result<Module> typed = run_until(*parsed, "specialise", options), shaped = run_until(*parsed, "shapes", options);
    ASSERT_TRUE(shaped) << shaped.error().message;
    Result<Module> sums = c.magnitude.empty() ? *shaped : run_until(*parsed_text(main_of + std::string(c.magnitude) + " }"), "shapes", options);
    ASSERT_TRUE(sums) << sums.error().message;
    Result<Executable> exe = compile(*parsed, options);
    ASSERT_TRUE(exe) << exe.error().message;
    Result<std::shared_ptr<const LoadedExecutable>> loaded = LoadedExecutable::load(std::move(*exe), library());
    ASSERT_TRUE(loaded) << loaded.error().message;
    std::unique_ptr<Context> context = std::move(*Context::make(*loaded, {.memory_limit = int64_t(1) << 30}));

    static const Sizes bindings[] = {
        {{"n", 1}, {"m", 1}, {"p", 1}}, {{"n", 7}, {"m", 13}, {"p", 5}}, {{"n", 0}, {"m", 3}, {"p", 2}}, {{"n", 13}, {"m", 7}, {"p", 1}},
        {{"n", 5}, {"m", 5}, {"p", 5}}, {{"n", 257}, {"m", 5}, {"p", 3}}, {{"n", 1}, {"m", 1031}, {"p", 2}}, {{"n", 31}, {"m", 0}, {"p", 4}},
        {{"n", 3}, {"m", 4}, {"p", 1031}}, {{"n", 64}, {"m", 33}, {"p", 0}},
        {{"n", int64_t(std::size(real_specials))}, {"m", int64_t(std::size(real_specials))}, {"p", 2}},      // the special ones
    };
    Inputs inputs;
    inputs.domain = op.domain;
    inputs.divides = op.effect == Effect::may_fail && op.total_on_floats;
    size_t count = std::size(bindings) - (c.special ? 0 : 1), succeeded = 0;
    const Function main = typed->functions[0];
    const AsWritten as_written{*typed, *shaped};
    for (size_t b = 0; b < count; ++b) {
        const Sizes& sizes = bindings[b];
        std::vector<Value> args, magnitudes;
        for (size_t p = 0; p < main.params.size(); ++p) {
            const Type type = typed->types[main[main.params[p]].type];
            Extents shape;
            for (Dim d : type.shape.dims)
                shape.push_back(*typed->dims.evaluate(d, [&](Sym s) { return std::optional(sizes.at(typed->dims.symbol(s).name)); }));
            args.push_back(inputs.tensor(*type.element.dtype, shape, p, b + 1 == std::size(bindings)));
            magnitudes.push_back(absolute(args.back()));
        }
        Result<Value> expected = eval(as_written, FunctionId(0), args),
                      found = context->run((*loaded)->exe().entries[0], args);
        ASSERT_EQ(bool(expected), bool(found)) << (found ? expected.error().message : found.error().message);
        if (!expected) continue;
        ++succeeded;
        Result<Value> magnitude = eval(*sums, FunctionId(0), op.ulps == sum_bound ? magnitudes : args);
        ASSERT_TRUE(magnitude) << magnitude.error().message;
        std::vector<HostTensor> left, right, most;
        flatten(*found, left), flatten(*expected, right), flatten(*magnitude, most);
        ASSERT_EQ(left.size(), right.size());
        for (size_t i = 0; i < left.size(); ++i) {
            int64_t terms = c.terms ? c.terms(sizes) : args[0].tensor().count() / std::max<int64_t>(left[i].count(), 1);
            std::string what = wrong(op, left[i], right[i], most[i], terms);
            ASSERT_EQ(what, "") << "part " << i << ", binding " << b << ", n=" << sizes.at("n") << " m=" << sizes.at("m") << " p=" << sizes.at("p");
        }
    }
    EXPECT_GE(succeeded, count / 3) << "most inputs are refused: little is compared";
}

class CompiledOp : public testing::TestWithParam<const char*> {};

TEST_P(CompiledOp, AgreesWithEval) {
    if (GetParam() == std::string("x86-64-v3") && cpu_level() < 3) GTEST_SKIP() << "this processor has no AVX2";
    for (const Case& c : cases)
        for (DType dtype : dtypes_of(c.dtypes)) agree(c, dtype, GetParam());
    for (const Two& two : twos)
        for (std::string_view shapes : shapes_of_two) {
            std::string text = std::string(shapes) + std::string(two.op) + "(%a, %b)";
            const bool first = shapes == shapes_of_two[0];
            for (DType dtype : dtypes_of(two.dtypes))
                if (first || !is_small(dtype)) agree({two.op, two.dtypes, text, nullptr, first}, dtype, GetParam());
        }
}
INSTANTIATE_TEST_SUITE_P(Targets, CompiledOp, testing::Values("x86-64-v2", "x86-64-v3", "host"));

TEST(CompiledOps, EveryOperatorHasACase) {
    std::set<std::string_view> covered;
    for (const Case& c : cases) covered.insert(c.op);
    for (const Two& two : twos) covered.insert(two.op);
    for (const OpDef* op : all_ops().all()) EXPECT_TRUE(!op->eval || covered.contains(op->name)) << op->name << " has no case";
}
} // namespace
} // namespace nereus
