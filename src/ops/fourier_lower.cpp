// A Fourier transform is a kernel of the library: library/kernels.h says what memory it needs per point.
#include "ops/library_call.h"
#include "ops/lowers.h"

namespace nereus {
Status lower_fft(OpLowering& l) {
    constexpr int64_t most_workers = 64, of_table = 12, of_scratch = 10;
    ValueId x = l.arg(0), y = l.result();
    Dims& dims = l.dims();
    const std::vector<Dim> shape = l.shape(x), others(shape.begin(), shape.end() - 2);
    std::vector<Stride> strides = dense_strides(dims, shape);
    const Stride step = strides[others.size()];
    strides.resize(others.size());
    const Dim n = shape[others.size()], one = dims.constant(1), most[] = {dims.product(others), dims.constant(most_workers)}, least[] = {dims.min(most), one},
              workers = dims.max(least);                 // one at least: making the table needs scratch, too
    auto per_point = [&](int64_t numbers) { return dims.mul(n, dims.constant(numbers)); };
    const ValueId table = l.temporary(DType::f64, {per_point(of_table)}), scratch = l.temporary(DType::f64, {workers, per_point(of_scratch)});

    LibraryCall make(l, "fft_table");
    make.group("one", loop::Role::parallel, {one});
    make.group("line", loop::Role::sequential, {n});
    make.buffer("table", table, true, {});
    make.buffer("scratch", scratch, true, {});
    TRY(make.launch());

    LibraryCall call(l, "fft_" + std::string(dtype_name(l.dtype(x))));
    uint32_t own = call.group("workers", loop::Role::parallel, {workers}), lines = call.group("lines", loop::Role::sequential, others),
             line = call.group("line", loop::Role::sequential, {n});
    call.buffer("x", x, false, {{lines, strides}, {line, {step}}});
    call.buffer("y", y, true, {{lines, strides}, {line, {step}}});
    call.buffer("table", table, false, {});
    call.buffer("scratch", scratch, true, {{own, {{per_point(of_scratch), {}}}}});
    call.scalar("inverse", dims.constant(l.boolean("inverse") ? 1 : 0));
    return call.launch();
}
} // namespace nereus
