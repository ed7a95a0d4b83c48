#include "ops/storage_lower.h"
#include "tensor/element.h"

namespace nereus {
namespace {
using loop::ExprId;
using loop::Op;

// f32 and f64 as words of their bits.
struct Layout { DType real, word; int mantissa, bias; };
constexpr Layout single = {DType::f32, DType::u32, 23, 127}, wide = {DType::f64, DType::u64, 52, 1023};

// Arithmetic on words of a layout.
struct Words {
    loop::Builder& b;
    Layout of;

    ExprId num(uint64_t v) const { return b.bits(of.word, int64_t(v)); }
    ExprId real(double v) const { return b.number(of.real, v); }
    ExprId bits(ExprId x) const { return b.bit_cast(x, of.word); }
    ExprId value(ExprId x) const { return b.bit_cast(x, of.real); }
    ExprId masked(ExprId x, uint64_t mask) const { return b.apply(Op::bit_and, x, num(mask)); }
    ExprId up(ExprId x, int by) const { return b.apply(Op::shift_left, x, num(uint64_t(by))); }
    ExprId down(ExprId x, int by) const { return b.apply(Op::shift_right, x, num(uint64_t(by))); }
    ExprId add(ExprId x, ExprId y) const { return b.apply(Op::add, x, y); }
    ExprId sub(ExprId x, uint64_t y) const { return b.apply(Op::sub, x, num(y)); }
    ExprId pick(ExprId c, ExprId x, ExprId y) const { return b.apply(Op::select, c, x, y); }
    ExprId test(Op op, ExprId x, uint64_t y) const { return b.apply(op, x, num(y)); }

    uint64_t exponent(int power) const { return uint64_t(power + of.bias) << of.mantissa; }          // the bits of 2^power
    uint64_t infinity() const { return exponent(of.bias + 1); }
    uint64_t quiet() const { return infinity() | uint64_t(1) << (of.mantissa - 1); }
    int sign_place() const { return of.word == DType::u32 ? 31 : 63; }
    uint64_t size_mask() const { return (uint64_t(1) << sign_place()) - 1; }
};

// An exponent with another bias, shifted to its place, is mended by a product, of subnormals too.
ExprId decoded_real(loop::Builder& b, ExprId code, const StorageRow& row) {
    Words w{b, single};
    const ExprId word = b.cast(code, DType::u32), size = w.masked(word, row.mask() & ~row.sign());
    const int shift = single.mantissa - row.mantissa;
    ExprId bits = w.bits(b.apply(Op::mul, w.value(w.up(size, shift)), w.real(std::ldexp(1.0, single.bias - row.bias))));
    if (row.infinity) bits = w.pick(w.test(Op::eq, size, row.infinity), w.num(w.infinity()), bits);
    if (row.nan && !row.one_zero()) bits = w.pick(w.test(Op::gt, size, row.infinity ? row.infinity : row.largest), w.num(w.quiet()), bits);
    bits = b.apply(Op::bit_or, bits, w.up(w.masked(word, row.sign()), w.sign_place() - (row_of(row.dtype).bits - 1)));
    if (row.one_zero()) bits = w.pick(w.test(Op::eq, word, row.nan), w.num(w.quiet()), bits);
    return w.value(bits);
}
ExprId decoded_power(loop::Builder& b, ExprId code, const StorageRow& row) {
    Words w{b, single};
    const ExprId word = b.cast(code, DType::u32);
    ExprId bits = w.pick(w.test(Op::eq, word, 0), w.num(uint64_t(1) << (single.mantissa - 1)), w.up(word, single.mantissa));     // 2^-127 is subnormal
    return w.value(w.pick(w.test(Op::eq, word, row.nan), w.num(w.quiet()), bits));
}
ExprId decoded_whole(loop::Builder& b, ExprId code, const StorageRow& row) {
    if (!row.is_signed) return code;
    const ExprId sign = b.integer(DType::i8, row.sign());
    return b.apply(Op::sub, b.apply(Op::bit_xor, b.cast(code, DType::i8), sign), sign);
}

// Subnormals are rounded by an addition whose last bit is theirs, the others by one on the bits, carry and all.
ExprId encoded_real(loop::Builder& b, ExprId x, const StorageRow& row, StoreRule rule) {
    Words w{b, b.dtype_of(x) == DType::f64 ? wide : single};
    const ExprId bits = w.bits(x), size = w.masked(bits, w.size_mask());
    const ExprId sign = w.up(w.down(bits, w.sign_place()), row_of(row.dtype).bits - 1);
    const int drop = w.of.mantissa - row.mantissa;
    const int last = 1 - row.bias - row.mantissa;        // the power of the lowest bit
    const uint64_t unit = w.exponent(last + w.of.mantissa);
    const ExprId subnormal = w.sub(w.bits(b.apply(Op::add, w.value(size), b.bits(w.of.real, int64_t(unit)))), unit);
    const ExprId odd = w.masked(w.down(size, drop), 1), half = w.num((uint64_t(1) << (drop - 1)) - 1);
    const ExprId normal = w.down(w.add(w.sub(size, w.exponent(-row.bias)), w.add(odd, half)), drop);
    const ExprId code = w.pick(w.test(Op::lt, size, w.exponent(1 - row.bias)), subnormal, normal);

    const ExprId nan = w.test(Op::gt, size, w.infinity()), beyond = w.test(Op::gt, code, row.largest);
    const uint8_t end = rule.saturate || !row.nan ? row.largest : row.infinity ? row.infinity : row.nan;
    ExprId stored = w.pick(beyond, w.num(end), code);    // an infinity is beyond, too
    if (row.one_zero()) {                                // neither 0 nor NaN has a sign
        const ExprId is_number = b.apply(Op::logical_and, w.test(Op::ne, stored, 0), w.test(Op::ne, stored, row.nan));
        stored = b.apply(Op::bit_or, stored, w.pick(is_number, sign, w.num(0)));
        stored = w.pick(nan, w.num(row.nan), stored);
    } else if (row.nan) stored = b.apply(Op::bit_or, w.pick(nan, w.num(row.nan), stored), sign);
    else stored = w.pick(nan, w.num(row.sign()), b.apply(Op::bit_or, stored, sign));
    return b.cast(stored, DType::u8);
}
ExprId encoded_power(loop::Builder& b, ExprId x, const StorageRow& row, StoreRule rule) {
    Words w{b, wide};                                    // where no power of ours is subnormal
    const ExprId bits = w.bits(x), size = w.masked(bits, w.size_mask());
    const uint64_t rest = rule.round == Rounding::up ? (uint64_t(1) << wide.mantissa) - 1 : rule.round == Rounding::nearest ? uint64_t(1) << (wide.mantissa - 1) : 0;
    ExprId code = w.sub(w.down(w.add(size, w.num(rest)), wide.mantissa), uint64_t(wide.bias - row.bias));
    const uint64_t least = w.exponent(-row.bias), most = w.exponent(row.bias);
    code = w.pick(w.test(Op::lt, size, least), w.num(rule.saturate ? 0 : row.nan), code);
    code = w.pick(w.test(Op::gt, size, most), w.num(rule.saturate ? row.largest : row.nan), code);
    const ExprId none = b.apply(Op::logical_or, w.test(Op::gt, size, w.infinity()),
                                b.apply(Op::logical_and, w.test(Op::ne, w.down(bits, w.sign_place()), 0), w.test(Op::ne, size, 0)));
    return b.cast(w.pick(none, w.num(row.nan), code), DType::u8);
}
// The whole part modulo a power of two; what is too large for the integers in between is a multiple of it, or not finite.
ExprId encoded_whole(loop::Builder& b, ExprId x, const StorageRow& row) {
    const DType t = b.dtype_of(x);
    if (is_float(t)) {
        const DType between = t == DType::f64 ? DType::i64 : DType::i32;
        const ExprId end = b.number(t, std::ldexp(1.0, precision(between)));
        const ExprId inside = b.apply(Op::lt, b.apply(Op::abs, x), end);                 // not of NaN
        x = b.apply(Op::select, inside, b.cast(x, between), b.integer(between, 0));
    }
    return b.apply(Op::bit_and, b.cast(x, DType::u8), b.integer(DType::u8, row.mask()));
}

// An f64 from which rounding goes on as from the integer: what it does not hold is made odd at its last bit but eleven.
ExprId as_real(loop::Builder& b, ExprId x) {
    const DType t = b.dtype_of(x);
    if (size_of(t) < 8) return b.cast(x, size_of(t) < 4 ? DType::f32 : DType::f64);
    auto num = [&](uint64_t v) { return b.bits(t, int64_t(v)); };
    constexpr uint64_t low = (1 << 11) - 1, largest = uint64_t(1) << 53;                 // of either sign
    const ExprId beyond = b.apply(Op::ne, b.apply(Op::bit_and, x, num(low)), num(0));
    const ExprId odd = b.apply(Op::bit_or, b.apply(Op::bit_and, x, num(~low)), b.apply(Op::select, beyond, num(low + 1), num(0)));
    ExprId held = b.apply(Op::le, x, num(largest));
    if (!is_unsigned(t)) held = b.apply(Op::logical_and, held, b.apply(Op::ge, x, num(0 - largest)));
    return b.cast(b.apply(Op::select, held, x, odd), DType::f64);
}
} // namespace

ExprId cast_element(loop::Builder& b, ExprId x, DType from, DType to, StoreRule rule) {
    if (from == to) return x;
    if (is_storage(from)) {
        const StorageRow& row = storage_row(from);
        x = row.sort == StorageSort::whole ? decoded_whole(b, x, row) : row.sort == StorageSort::power ? decoded_power(b, x, row) : decoded_real(b, x, row);
    }
    if (!is_storage(to)) return b.cast(x, to);
    const StorageRow& row = storage_row(to);
    if (is_small_float(b.dtype_of(x))) x = b.cast(x, DType::f32);
    if (row.sort == StorageSort::whole) return encoded_whole(b, x, row);
    if (!is_float(b.dtype_of(x))) x = as_real(b, x);
    return row.sort == StorageSort::power ? encoded_power(b, b.cast(x, DType::f64), row, rule) : encoded_real(b, x, row, rule);
}
} // namespace nereus
