#include "codegen/kernel_case.h"
#include <gtest/gtest.h>

namespace nereus::test {
static std::string matmul(const std::string& t) {
    return "kernel matmul(a: " + t + ", b: " + t + ", y: out " + t + ") { parallel i; parallel axis m; parallel axis n; reduce axis k"
           "; %0 = contract over k of a[i, m, k], b[i, k, n]; y[i, m, n] = %0 }";
}

TEST(Contract, EveryDtypeAndLayout) {
    for (const char* t : {"i32", "i64", "f64"}) check_kernel(matmul(t).c_str(), 40, 1e-10);
    for (const char* t : {"i8", "u16", "u64"}) check_kernel(matmul(t).c_str(), 20, 0);
    check_kernel(matmul("f16").c_str(), 40, 2e-3);       // rounded once: a unit in the last place where f32 sums differ
    check_kernel(matmul("bf16").c_str(), 40, 1.6e-2);
    check_kernel(matmul("f32").c_str(), 120, 1e-3);
}

TEST(Contract, EpilogueOverBroadcasts) {
    check_kernel("kernel linear(a: f32, b: f32, bias: f32, r: f32, y: out f32) { parallel i; parallel axis m; parallel axis n; reduce axis k"
                 "; %0 = contract over k of a[i, m, k], b[k, n]; y[i, m, n] = add(tanh(add(%0, bias[n])), r[i, m, n]) }", 60, 1e-4);
}

TEST(Contract, ComputedFactors) {
    check_kernel("kernel k(a: f32, s: f32, b: i32, y: out f32) { parallel i; parallel axis m; parallel axis n; reduce axis k"
                 "; %0 = contract over k of mul(a[i, m, k], s[k]), cast(b[i, k, n], f32); y[i, m, n] = %0 }", 40, 1e-2);
}

// Narrow integers are widened as they are read, in each of the ways that strides choose.
TEST(Contract, WidenedIntegers) {
    for (const char* a : {"i8", "u8", "i16", "u16", "i32"})
        for (const char* b : {"i8", "u8", "u16"})
            check_kernel((std::string("kernel k(a: ") + a + ", b: " + b + ", y: out i32) { parallel i; parallel axis m; parallel axis n; reduce axis k"
                          "; %0 = contract over k of cast(a[i, m, k], i32), cast(b[i, k, n], i32); y[i, m, n] = %0 }").c_str(), 20, 0);
    check_kernel("kernel k(a: i8, b: u32, y: out i64) { parallel i; parallel axis m; parallel axis n; reduce axis k"
                 "; %0 = contract over k of cast(a[i, m, k], i64), cast(b[i, k, n], i64); y[i, m, n] = %0 }", 20, 0);
    check_kernel("kernel k(a: i8, b: i8, z: i32, y: out i32) { parallel i; parallel axis m; parallel axis n; reduce axis k"
                 "; %0 = contract over k of sub(cast(a[i, m, k], i32), z[i, m]), cast(b[i, k, n], i32); y[i, m, n] = %0 }", 20, 0);
}

// More steps of k than a block of scratch holds, in every order of strides.
TEST(Contract, LongSums) {
    loop::Function f = parsed(matmul("f32").c_str());
    for (const Target& target : targets())
        for (bool checked : {false, true}) {
            Compiled k = compile(f, target, {.checked = checked});
            for (int64_t step : {1, 2})
                for (bool turned : {false, true}) {
                    KernelCase c;
                    c.f = f;
                    Rng rng(4);
                    int64_t m = 7, n = 19, steps = 601;
                    make_dense(c, {{}, {m}, {n}, {steps}}, rng);
                    c.strides[{1, 2}] = {turned ? steps * step : step};      // the right factor: columns, then k
                    c.strides[{1, 3}] = {turned ? step : n * step};
                    c.buffers[1].resize(size_t(n * steps * step * 4));
                    fill_random(c.buffers[1], DType::f32, rng);
                    Outcome whole = run(k, c);
                    ASSERT_EQ(difference(c, whole, interpret(c), 1e-3), "") << target.name << step << turned;
                    ASSERT_EQ(run(k, c, Split::single_tasks_shuffled).buffers, whole.buffers);
                }
        }
}

// Heights 1..13 and widths around a panel, so that every tile shape runs.
TEST(Contract, EveryTileShape) {
    loop::Function f = parsed(matmul("f32").c_str());
    for (const Target& target : targets()) {
        Compiled k = compile(f, target);
        for (int64_t m = 1; m <= 13; ++m)
            for (int64_t n : {1, 3, 4, 8, 9, 15, 16, 17, 33, 48, 63, 64, 65, 129}) {
                KernelCase c;
                c.f = f;
                Rng rng(1);
                make_dense(c, {{}, {m}, {n}, {5}}, rng);
                ASSERT_EQ(difference(c, run(k, c), interpret(c), 1e-5), "") << target.name << " " << m << "x" << n;
            }
    }
}
} // namespace nereus::test
