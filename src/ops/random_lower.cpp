// The words of random.cpp as loop expressions; the element's index is the counter, so order and threads do not matter.
#include "ops/lowers.h"
#include <cmath>

namespace nereus {
Status lower_random(OpLowering& l) {
    using loop::ExprId;
    using loop::Op;
    ValueId y = l.result();
    DType t = l.dtype(y);
    const std::vector<Dim> over = l.shape(y);
    KernelWriter k(l, "random");
    loop::Builder& b = k.builder();
    loop::GroupId g = k.group("g", loop::Role::parallel, over);
    ExprId key = k.read(l.arg(0), {}), counter = b.apply(Op::add, k.read(l.arg(1), {}), b.index(g)), value;
    auto word = [&](DType as) { return b.philox(key, counter, as); };
    auto fraction = [&](DType bits, DType real) {        // the upper bits, as many as `t` has, as a number below 1
        ExprId upper = b.apply(Op::shift_right, word(bits), b.integer(bits, 8 * size_of(bits) - precision(t)));
        return b.cast(b.apply(Op::mul, b.cast(upper, real), b.number(real, std::ldexp(1.0, -precision(t)))), t);
    };
    if (t == DType::f64) value = fraction(DType::i64, t);
    else if (is_float(t)) value = fraction(DType::i32, DType::f32);
    else if (t == DType::boolean) value = b.cast(b.apply(Op::bit_and, word(DType::i32), b.integer(DType::i32, 1)), t);
    else value = b.cast(word(size_of(t) == 8 ? DType::i64 : DType::i32), t);
    k.store(y, {{g, dense_strides(l.dims(), over)}}, value);
    return k.finish();
}
} // namespace nereus
