// The words of random.cpp as loop expressions; the element's index is the counter, so order and threads do not matter.
#include "ops/lowers.h"

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
    switch (t) {
    case DType::i32: case DType::i64: value = b.philox(key, counter, t); break;
    case DType::boolean: value = b.cast(b.apply(Op::bit_and, b.philox(key, counter, DType::i32), b.integer(DType::i32, 1)), t); break;
    case DType::f32: {
        ExprId bits = b.apply(Op::shift_right, b.philox(key, counter, DType::i32), b.integer(DType::i32, 8));
        value = b.apply(Op::mul, b.cast(bits, t), b.number(t, 0x1p-24));
        break;
    }
    case DType::f64: {
        ExprId bits = b.apply(Op::shift_right, b.philox(key, counter, DType::i64), b.integer(DType::i64, 11));
        value = b.apply(Op::mul, b.cast(bits, t), b.number(t, 0x1p-53));
        break;
    }
    }
    k.store(y, {{g, dense_strides(l.dims(), over)}}, value);
    return k.finish();
}
} // namespace nereus
