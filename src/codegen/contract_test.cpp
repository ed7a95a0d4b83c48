#include "codegen/kernel_case.h"
#include <gtest/gtest.h>

namespace nereus::test {
static std::string matmul(const std::string& t) {
    return "kernel matmul(a: " + t + ", b: " + t + ", y: out " + t + ") { parallel i; parallel axis m; parallel axis n; reduce axis k"
           "; %0 = contract over k of a[i, m, k], b[i, k, n]; y[i, m, n] = %0 }";
}

static Compiled compile_panels(const loop::Function& f, const Target& target, CodegenOptions options) {
    loop::Scheduled scheduled = loop::schedule(f, target.machine).take();
    std::get<loop::ContractPlan>(scheduled.plan).panels = true;
    return compile(std::move(scheduled), target, options);
}
// Rows of n floats, k of them, as panels: 64 columns each, the last one rounded up to 16 with zeros.
static Bytes in_panels(const Bytes& rows, int64_t k, int64_t n) {
    std::vector<float> from = as<float>(rows), to;
    for (int64_t first = 0; first < n; first += loop::panel_columns) {
        const int64_t wide = std::min<int64_t>(loop::panel_columns, (n - first + 15) / 16 * 16);
        for (int64_t step = 0; step < k; ++step)
            for (int64_t c = 0; c < wide; ++c) to.push_back(first + c < n ? from[size_t(step * n + first + c)] : 0);
    }
    return bytes_of(to);
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

// m and k as odometers of any rank: a convolution, with and without statements after it, computed factors too.
TEST(Contract, Odometers) {
    const std::string head = "kernel conv(x: f32, w: f32, r: f32, y: out f32) { parallel b; parallel m; parallel axis n; reduce k; ";
    check_kernel((head + "%0 = contract over k of x[b, m, k], w[b, n, k]; y[b, m, n] = %0 }").c_str(), 120, 1e-3);
    check_kernel((head + "%0 = contract over k of x[b, m, k], w[b, n, k]; y[b, m, n] = max(add(%0, r[n]), r[n]) }").c_str(), 60, 1e-3);
    check_kernel((head + "%0 = contract over k of mul(x[b, m, k], r[b, k]), w[n, k]; y[b, m, n] = %0 }").c_str(), 60, 1e-2);
    check_kernel("kernel conv(x: i8, w: i8, y: out i32) { parallel b; parallel m; parallel axis n; reduce k; "
                 "%0 = contract over k of cast(x[b, m, k], i32), cast(w[b, n, k], i32); y[b, m, n] = %0 }", 40, 0);
    check_kernel("kernel conv(x: f16, w: f16, y: out f16) { parallel b; parallel m; parallel axis n; reduce k; "
                 "%0 = contract over k of x[b, m, k], w[b, n, k]; y[b, m, n] = %0 }", 40, 2e-3);
}

// Windows that overlap, rows of more points than a tile has, chunks shorter and longer than a block.
TEST(Contract, Convolutions) {
    loop::Function f = parsed("kernel conv(x: f32, w: f32, y: out f32) { parallel b; parallel m; parallel axis n; reduce k; "
                              "%0 = contract over k of x[b, m, k], w[b, n, k]; y[b, m, n] = %0 }");
    for (const Target& target : targets())
        for (bool checked : {false, true}) {
            Compiled k = compile(f, target, {.checked = checked});
            for (auto [channels, features] : {std::pair<int64_t, int64_t>{1, 3}, {5, 17}, {16, 64}, {100, 70}, {300, 5}})
                for (int64_t across : {1, 7, 20})
                    for (int64_t by : {1, 2}) {
                        const int64_t down = 3, wide = by * (across - 1) + 3, high = by * (down - 1) + 3;
                        KernelCase c;
                        c.f = f;
                        Rng rng(1);
                        c.extents = {{2}, {down, across}, {features}, {3, 3, channels}};
                        c.strides[{0, 0}] = {high * wide * channels}, c.strides[{1, 0}] = {0};
                        c.strides[{2, 0}] = {down * across * features};
                        c.strides[{0, 1}] = {by * wide * channels, by * channels};
                        c.strides[{2, 1}] = {across * features, features};
                        c.strides[{1, 2}] = {9 * channels}, c.strides[{2, 2}] = {1};
                        c.strides[{0, 3}] = {wide * channels, channels, 1};
                        c.strides[{1, 3}] = {3 * channels, channels, 1};
                        for (int64_t count : {2 * high * wide * channels, features * 9 * channels, 2 * down * across * features}) {
                            c.buffers.emplace_back(size_t(count * 4));
                            fill_random(c.buffers.back(), DType::f32, rng);
                        }
                        Outcome whole = run(k, c);
                        ASSERT_EQ(difference(c, whole, interpret(c), 1e-3), "") << target.name << channels << " " << across << " " << by;
                        ASSERT_EQ(run(k, c, Split::single_tasks_shuffled).buffers, whole.buffers);
                    }
        }
}

// A right factor in panels of 64 columns gives the bits of the same one in rows, and nothing is read beyond it.
TEST(Contract, Panels) {
    loop::Function f = parsed(matmul("f32").c_str());
    for (const Target& target : targets())
        for (bool checked : {false, true}) {
            Compiled rows = compile(f, target, {.checked = checked}), panels = compile_panels(f, target, {.checked = checked});
            for (int64_t m : {1, 6, 13})
                for (int64_t n : {1, 15, 16, 48, 64, 65, 130})
                    for (int64_t k : {0, 1, 300}) {
                        KernelCase c;
                        c.f = f;
                        Rng rng(1);
                        make_dense(c, {{}, {m}, {n}, {k}}, rng);
                        c.strides[{1, 2}] = {1}, c.strides[{1, 3}] = {n};
                        Outcome expected = run(rows, c);
                        c.buffers[1] = in_panels(c.buffers[1], k, n);
                        Outcome got = run(panels, c);
                        ASSERT_EQ(got.buffers[2], expected.buffers[2]) << target.name << " " << m << "x" << n << "x" << k;
                        ASSERT_EQ(got.fault, 0);
                    }
        }
}
} // namespace nereus::test
