#include "codegen/kernel_case.h"
#include <gtest/gtest.h>
#include <tuple>

namespace nereus::test {
TEST(Row, EveryFold) {
    for (const char* dtype : {"i32", "i64", "f32", "f64", "i8", "i16", "u8", "u16", "u32", "u64", "f16", "bf16"})
        for (const char* fold : {"sum", "prod", "max", "min"}) {
            bool product = fold[0] == 'p';
            std::string t(dtype);
            // products of many numbers overflow: keep floats near 1
            std::string value = product && t.find('f') != t.npos ? "add(mul(x[g, r], 0.01:" + t + "), 1:" + t + ")" : "x[g, r]";
            std::string text = "kernel k(x: " + t + ", y: out " + t + ") { parallel g; reduce r; %0 = " + fold + " over r of " +
                               value + "; y[g] = %0 }";
            double small = t == "f16" ? 4e-3 : t == "bf16" ? 3e-2 : 0;
            check_kernel(text.c_str(), t == "f32" || t == "i64" ? 60 : 20, small ? small : t == "f32" ? 2e-3 : 1e-11);
        }
    check_kernel("kernel k(x: bool, y: out bool, z: out bool) { parallel g; reduce r; %0 = any over r of x[g, r]"
                 "; %1 = all over r of x[g, r]; y[g] = %0; z[g] = not(%1) }", 60, 0);
}

TEST(Row, SumOfProductsWithEpilogue) {
    check_kernel("kernel k(x: f32, w: f32, b: f32, y: out f32) { parallel g; reduce r"
                 "; %0 = sum over r of mul(x[g, r], w[r]); y[g] = tanh(add(%0, b[g])) }", 150, 1e-3);
}

TEST(Row, Softmax) {
    check_kernel("kernel softmax(x: f32, y: out f32) { parallel g; reduce r; %0 = max over r of x[g, r]"
                 "; %1 = sum over r of exp(sub(x[g, r], %0)); y[g, r] = div(exp(sub(x[g, r], %0)), %1) }", 100, 1e-5);
}

TEST(Row, LayerNorm) {
    check_kernel("kernel norm(x: f32, w: f32, b: f32, y: out f32; count: f32) { parallel g; reduce r\n"
                 "  %0 = sum over r of x[g, r]\n"
                 "  $0 = sub(x[g, r], div(%0, count))\n"
                 "  %1 = sum over r of mul($0, $0)\n"
                 "  y[g, r] = add(mul(div($0, sqrt(add(div(%1, count), 0.1:f32))), w[r]), b[r]) }", 80, 1e-3);
}

TEST(Row, ArgmaxIsTheFirst) {
    check_kernel("kernel k(x: i32, y: out i64) { parallel g; reduce r; %0 = max over r of x[g, r]"
                 "; %1 = min over r of select(eq(x[g, r], %0), index(r), 1000000:i64); y[g] = %1 }", 80, 0);
}

TEST(Row, NanPropagatesThroughMax) {
    loop::Function f = parsed("kernel k(x: f32, y: out f32) { parallel g; reduce r; %0 = max over r of x[g, r]; y[g] = %0 }");
    for (const Target& target : targets()) {
        Compiled k = compile(f, target);
        for (int64_t at : {0, 15, 16, 36}) {
            KernelCase c;
            c.f = f;
            Rng rng(1);
            make_dense(c, {{2}, {37}}, rng);
            float nan = NAN;
            std::memcpy(c.buffers[0].data() + 4 * at, &nan, 4);
            std::vector<float> y = as<float>(run(k, c).buffers[1]);
            EXPECT_TRUE(std::isnan(y[0]) && !std::isnan(y[1])) << target.name << at;
        }
    }
}

// 2048 + 1 is 2048 in f16, 256 + 1 is 256 in bf16: a sum that is rounded on the way stands still there.
TEST(Row, SmallFloatsAccumulateInF32) {
    for (const auto& [dtype, one, sum] : {std::tuple("f16", 0x3c00, 0x6c00), std::tuple("bf16", 0x3f80, 0x4580)}) {
        std::string t(dtype);
        for (std::string text : {"kernel k(x: " + t + ", y: out " + t + ") { parallel g; reduce r; %0 = sum over r of x[g, r]; y[g] = %0 }",
                                 "kernel k(x: " + t + ", y: out " + t + ") { parallel g; parallel axis m; parallel axis n; reduce axis k; "
                                 "%0 = contract over k of x[g, m, k], x[g, k, n]; y[g, m, n] = %0 }"})
            for (const Target& target : targets()) {
                KernelCase c;
                c.f = parsed(text.c_str());
                Rng rng(1);
                if (c.f.groups.size() == 2) make_dense(c, {{1}, {4096}}, rng);
                else make_dense(c, {{1}, {1}, {1}, {4096}}, rng);
                c.buffers[0] = bytes_of(std::vector<uint16_t>(4096, uint16_t(one)));
                EXPECT_EQ(as<uint16_t>(run(compile(c.f, target), c).buffers[1])[0], sum) << target.name << " " << text;
            }
    }
}

TEST(Row, DivisionInsideAFoldFaults) {
    check_kernel("kernel k(x: i32, y: out i32) { parallel g; reduce r; %0 = sum over r of div(7:i32, x[g, r]); y[g] = %0 }", 100, 0);
}

TEST(Scatter, AddsInOrder) {
    loop::Function f = parsed("kernel scatter(v: f32, ids: i64, y: out f32; s: i64, n: i64) { parallel g; sequential j"
                              "; y[g, at(ids[j], s, n)] += v[g, j] }");
    for (const Target& target : targets())
        for (bool checked : {false, true}) {
            Compiled k = compile(f, target, {.checked = checked});
            for (int64_t rows : {0, 1, 90})
                for (int64_t post : {1, 7, 64, 300}) {
                    KernelCase c;                        // y is (13, post), v is (rows, post)
                    c.f = f;
                    c.extents = {{post}, {rows}};
                    c.strides = {{{0, 0}, {1}}, {{0, 1}, {post}}, {{1, 1}, {1}}, {{2, 0}, {1}}};
                    c.scalars = {post, 13};
                    Rng rng(5);
                    c.buffers = {Bytes(size_t(rows * post * 4)), {}, Bytes(size_t(13 * post * 4))};
                    fill_random(c.buffers[0], DType::f32, rng);
                    fill_random(c.buffers[2], DType::f32, rng);
                    std::vector<int64_t> ids(static_cast<size_t>(rows));
                    for (int64_t& id : ids) id = int64_t(rng() % 13);
                    c.buffers[1] = bytes_of(ids);
                    Outcome whole = run(k, c);
                    ASSERT_EQ(difference(c, whole, interpret(c), 1e-5), "") << target.name;
                    ASSERT_EQ(run(k, c, Split::single_tasks_shuffled).buffers, whole.buffers);
                    if (rows < 90) continue;
                    ids[33] = 13;
                    c.buffers[1] = bytes_of(ids);
                    Outcome failed = run(k, c, Split::single_tasks_shuffled);
                    EXPECT_EQ(failed.fault, int32_t(Fault::index_range));
                    EXPECT_EQ(failed.error.task, 0);
                    EXPECT_EQ(failed.error.index, 33);
                    EXPECT_EQ(failed.error.value, 13);
                    EXPECT_EQ(failed.error.size, 13);
                }
        }
}

TEST(Scatter, EveryUpdateAndLayout) {
    for (const char* sign : {":=", "+=", "*=", "max=", "min="})
        for (const char* dtype : {"i32", "i64", "f32", "f64", "u8", "f16"}) {
            std::string t(dtype);
            std::string text = "kernel k(v: " + t + ", y: out " + t + ") { parallel g; sequential j; y[g] " + sign + " v[g, j] }";
            check_kernel(text.c_str(), 20, t == "f32" ? 1e-3 : t == "f16" ? 0 : 1e-10);
        }
}

TEST(Compact, CountAndValues) {
    check_kernel("kernel k(c: bool, x: i32) { sequential g; count where and(c[g], gt(x[g], 0:i32)) }", 60, 0);
}

TEST(Compact, CoordinatesInRowMajorOrder) {
    loop::Function f = parsed("kernel nonzero(c: bool, y: out i64; row: i64) { sequential g; compact y(row) = coordinates where c[g] }");
    loop::Function h = parsed("kernel keep(c: bool, x: f32, y: out f32) { sequential g; compact y = x[g] where c[g] }");
    for (const Target& target : targets())
        for (bool checked : {false, true}) {
            Compiled k = compile(f, target, {.checked = checked}), keep = compile(h, target, {.checked = checked});
            for (const Dims& shape : {Dims{}, Dims{0}, Dims{1}, Dims{7}, Dims{3, 1, 5}, Dims{4, 6, 2, 3}}) {
                int64_t points = 1;
                for (int64_t extent : shape) points *= extent;
                Rng rng(9);
                KernelCase c;
                c.f = f;
                make_dense(c, {shape}, rng);
                c.scalars = {points};
                c.buffers[1].resize(size_t(points) * shape.size() * 8);
                ASSERT_EQ(difference(c, run(k, c), interpret(c), 0), "") << target.name << " rank " << shape.size();
                c.f = h;
                c.scalars = {};
                make_dense(c, {shape}, rng);
                c.buffers[2].resize(size_t(points) * 4);
                ASSERT_EQ(difference(c, run(keep, c), interpret(c), 0), "") << target.name;
            }
        }
}
} // namespace nereus::test
