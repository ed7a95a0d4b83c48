#include "text/habits.h"
#include "ir/module.h"
#include <algorithm>
#include <string>

namespace nereus {
namespace {
struct Habit { std::string_view word, hint; };
constexpr Habit habits[] = {
    {"return", "a block's value is its last expression: leave `return` out"},
    {"let", "a binding is written `%x = …`"},
    {"var", "a binding is written `%x = …`"},
    {"const", "a binding is written `%x = …`"},
    {"lambda", "a function value is written `fn(%x) { … }`"},
    {"func", "a function is written `def @f(%x) { … }`"},
    {"function", "a function is written `def @f(%x) { … }`"},
    {"elif", "write `else if (…) { … }`"},
    {"elsif", "write `else if (…) { … }`"},
    {"switch", "write `match (…) { pattern => value, … }`"},
    {"case", "write `match (…) { pattern => value, … }`"},
    {"struct", "a record is declared `type P = {w: f32, b: f32}`"},
    {"class", "a record is declared `type P = {w: f32, b: f32}`"},
    {"enum", "alternatives are declared `type T = A | B(f32)`"},
    {"True", "did you mean `true`?"},
    {"False", "did you mean `false`?"},
    {"null", "a value that may be absent is `Some(…)` or `None`"},
    {"nil", "the empty list is `Nil`"},
    {"float", "did you mean `f32`?"},
    {"float32", "did you mean `f32`?"},
    {"float64", "did you mean `f64`?"},
    {"double", "did you mean `f64`?"},
    {"int", "did you mean `i64`?"},
    {"half", "did you mean `f16`?"},
    {"float16", "did you mean `f16`?"},
    {"bfloat16", "did you mean `bf16`?"},
    {"int8", "did you mean `i8`?"},
    {"int16", "did you mean `i16`?"},
    {"uint8", "did you mean `u8`?"},
    {"byte", "did you mean `u8`?"},
    {"uint16", "did you mean `u16`?"},
    {"uint32", "did you mean `u32`?"},
    {"uint64", "did you mean `u64`?"},
    {"int32", "did you mean `i32`?"},
    {"int64", "did you mean `i64`?"},
    {"long", "did you mean `i64`?"},
    {"boolean", "did you mean `bool`?"},
    {"pow", "a power is a product, or `exp(b * log(a))`"},
    {"^", "a power is a product, or `exp(b * log(a))`"},
    {"&", "write `&&`, or `and(a, b)` elementwise"},
    {"dot", "write `matmul(a, b)`"},
    {"mm", "write `matmul(a, b)`"},
    {"where", "elementwise choice is `select(c, a, b)`"},
    {"and", "on scalars it is `&&`; elementwise `and(a, b)`"},
    {"or", "on scalars it is `||`; elementwise `or(a, b)`"},
    {"?", "a choice is written `if (c) { a } else { b }`"},
    {"//", "a comment begins with `#`"},
    {"/", "a comment begins with `#`"},
    {"len", "did you mean `length`?"},
    {"shape", "sizes have names: `n` in `Tensor[(n), f32]`; as a vector, `shape_of(%x)`"},
    {"zeros", "write `full([n, 4], 0.0)`"},
    {"ones", "write `full([n, 4], 1.0)`"},
    {"arange", "did you mean `iota`?"},
};

// Functions of the prelude that elsewhere take an axis.
constexpr Habit along_axes[] = {
    {"mean", "`mean(x)` is of all elements; along an axis of size n it is `sum(x, axes=[0]) / n`"},
    {"softmax", "`softmax(x)` is along the last axis; `transpose(x, [1, 0])` makes another one the last"},
    {"log_softmax", "`log_softmax(x)` is along the last axis; `transpose(x, [1, 0])` makes another one the last"},
};
} // namespace

std::string_view habit(std::string_view word) {
    for (const Habit& each : habits)
        if (each.word == word) return each.hint;
    return {};
}

std::string_view axis_habit(std::string_view function) {
    for (const Habit& each : along_axes)
        if (each.word == function) return each.hint;
    return {};
}

bool is_foreign_dtype(std::string_view word) {
    if (dtype_from_name(word)) return false;
    for (int i = 0; i < dtype_count; ++i)
        if (habit(word) == "did you mean `" + std::string(dtype_name(DType(i))) + "`?") return true;
    const size_t digits = word.find_first_of("0123456789");
    if (digits == word.npos || word.find_first_not_of("0123456789", digits) != word.npos) return false;
    const std::string_view bits = word.substr(digits);   // f1 and i2 may well be variables
    if (bits.size() < 2 && bits != "8") return false;
    constexpr std::string_view letters[] = {"f", "bf", "i", "u", "float", "bfloat", "int", "uint", "c", "complex"};
    return std::find(std::begin(letters), std::end(letters), word.substr(0, digits)) != std::end(letters);
}
} // namespace nereus
