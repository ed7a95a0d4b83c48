#include "codegen/kernel_case.h"
#include "loop/builder.h"
#include "loop/text.h"
#include <gtest/gtest.h>

namespace nereus::test {
using namespace loop;

TEST(Map, BroadcastAndTransposeThroughStrides) {
    check_kernel("kernel add(a: f32, b: f32, y: out f32) { parallel g; y[g] = add(a[g], b[g]) }", 300, 0);
}

// Every operator on every dtype it takes; a new row of the table is tested unasked.
TEST(Map, EveryOperator) {
    for (int number = int(Op::neg); number <= int(Op::select); ++number)
        for (DType t : {DType::boolean, DType::i32, DType::i64, DType::f32, DType::f64, DType::u8, DType::u64, DType::f16, DType::bf16}) {
            const OpRow& row = op_row(Op(number));       // the other dtypes: src/driver/op_agree_test.cpp
            if (!takes_dtype(row.takes, t) || row.gives == Gives::stated) continue;
            std::string dtype(dtype_name(t)), result(row.gives == Gives::boolean ? "bool" : dtype);
            std::string operands = row.operands == 1 ? "(a[g])" : row.operands == 2 ? "(a[g], b[g])" : "(c[g], a[g], b[g])";
            std::string text = "kernel k(a: " + dtype + ", b: " + dtype + ", c: bool, y: out " + result + ") { parallel g; y[g] = " +
                               std::string(row.name) + operands + " }";
            // a unit in the last place of small floats, where the function is not exact
            bool exact = row.op != Op::pow && (row.op < Op::exp || row.op == Op::sqrt || row.op > Op::atan);
            double small = exact ? 0 : t == DType::f16 ? 1e-3 : 8e-3;
            check_kernel(text.c_str(), t > DType::f64 ? 4 : 12, is_small_float(t) ? small : t == DType::f32 ? 4e-7 : 1e-15);
        }
}

TEST(Map, EveryCast) {
    for (const DTypeRow& from : dtype_rows)
        for (const DTypeRow& to : dtype_rows) {
            auto common = [](DType t) { return t <= DType::f64 || is_small_float(t); };        // the others with i64 and f64 only
            const bool both = common(from.dtype) && common(to.dtype), wide = from.size == 8 || to.size == 8;
            if (from.dtype == to.dtype || (!both && !wide) || is_storage(from.dtype) || is_storage(to.dtype) || from.dtype == DType::str || to.dtype == DType::str) continue;
            std::string text = "kernel k(a: " + std::string(from.name) + ", y: out " + std::string(to.name) +
                               ") { parallel g; y[g] = cast(a[g], " + std::string(to.name) + ") }";
            check_kernel(text.c_str(), from.dtype > DType::f64 || to.dtype > DType::f64 ? 3 : 8, is_small_float(to.dtype) ? 0 : 1e-7);
        }
}

TEST(Map, BitsAreThoseOfTheOtherDtype) {
    for (auto [from, to] : {std::pair("f32", "u32"), std::pair("u32", "f32"), std::pair("i32", "f32"), std::pair("f64", "i64"), std::pair("u64", "f64"), std::pair("i64", "u64")})
        check_kernel(("kernel k(a: " + std::string(from) + ", y: out " + to + ") { parallel g; y[g] = bit_cast(a[g], " + to + ") }").c_str(), 8, 0);
}

// Next to the middle of two small floats, by less than an f32 or an f64 between them would see.
TEST(Map, CastsToSmallFloatsRoundOnce) {
    std::vector<double> reals;
    std::vector<int64_t> wholes;
    for (double middle : {1 + 0x1p-11, 1 + 0x1p-8, 65520.0, 0x1p-25, 0x1p-134, 3.0 + 0x1p-10, 0x1.ffp127})
        for (double off : {0.0, 0x1p-45, -0x1p-45})
            for (double sign : {1.0, -1.0}) reals.push_back(sign * middle * (1 + off));
    for (int64_t middle : {(int64_t(1) << 62) + (int64_t(1) << 54), (int64_t(1) << 40) + (int64_t(1) << 32), int64_t(2049), int64_t(257), INT64_MAX - 1})
        for (int64_t off : {0, 1, -1})
            for (int64_t sign : {1, -1}) wholes.push_back(sign * (middle + off));
    for (const char* to : {"f16", "bf16"})
        for (const char* from : {"f64", "i64", "u64"})
            for (const Target& target : targets()) {
                KernelCase c;
                c.f = parsed(("kernel k(x: " + std::string(from) + ", y: out " + to + ") { parallel g; y[g] = cast(x[g], " + to + ") }").c_str());
                Rng rng(1);
                const bool real = from[0] == 'f';
                make_dense(c, {{int64_t(real ? reals.size() : wholes.size())}}, rng);
                c.buffers[0] = real ? bytes_of(reals) : bytes_of(wholes);
                EXPECT_EQ(difference(c, run(compile(c.f, target), c), interpret(c), 0), "") << from << " " << to << " " << target.name;
            }
}

// Each operator rounds, also inside one kernel: no product of small floats is fused with a sum.
TEST(Map, SmallFloatsRoundAfterEachOperator) {
    for (std::string t : {"f16", "bf16"})
        check_kernel(("kernel k(a: " + t + ", b: " + t + ", y: out " + t + ") { parallel g; y[g] = div(sub(add(mul(a[g], b[g]), a[g]), "
                      "mul(0.1:" + t + ", b[g])), sqrt(add(mul(b[g], b[g]), 1:" + t + "))) }").c_str(), 60, 0);
}

TEST(Map, CastSaturatesAndNanIsZero) {
    Function f = parsed("kernel k(a: f64, y: out i32, z: out i64) { parallel g; y[g] = cast(a[g], i32); z[g] = cast(a[g], i64) }");
    KernelCase c;
    c.f = f;
    Rng rng(1);
    make_dense(c, {{21}}, rng);
    std::vector<double> a(21, 2.5);
    double special[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, -2.9, 2147483647.5, -2147483648.9, 9.3e18, -0.0};
    std::copy(std::begin(special), std::end(special), a.begin() + 3);
    c.buffers[0] = bytes_of(a);
    for (const Target& target : targets()) EXPECT_EQ(difference(c, run(compile(f, target), c), interpret(c), 0), "");
}

// Quotients of any size: random bits over random bits, next to each other and far apart, subnormals among them.
template <class T, class Bits> void exact_divisions(const char* dtype) {
    Rng rng(5);
    std::vector<T> a(4003), b(4003);
    for (size_t i = 0; i < a.size(); ++i) {
        Bits x = Bits(rng()), y = i % 3 == 0 ? x + Bits(rng() % 1000) - 500 : Bits(rng());
        if (i % 5 == 0) y &= Bits(rng()) & Bits(rng()) & Bits(rng());            // small: often subnormal
        std::memcpy(&a[i], &x, sizeof x);
        std::memcpy(&b[i], &y, sizeof y);
        if (i % 7 == 0) a[i] = T(int64_t(rng() % 4001) - 2000) / 8, b[i] = T(int64_t(rng() % 41) - 20) / 4;
    }
    for (const char* op : {"mod", "rem", "floor_div"}) {
        std::string t(dtype);
        Function f = parsed(("kernel k(a: " + t + ", b: " + t + ", y: out " + t + ") { parallel g; y[g] = " + op + "(a[g], b[g]) }").c_str());
        KernelCase c;
        c.f = f;
        make_dense(c, {{int64_t(a.size())}}, rng);
        c.buffers[0] = bytes_of(a);
        c.buffers[1] = bytes_of(b);
        for (const Target& target : targets()) EXPECT_EQ(difference(c, run(compile(f, target), c), interpret(c), 0), "") << target.name << " " << op;
    }
}
TEST(Map, FloatDivisionsAreExact) {
    exact_divisions<float, uint32_t>("f32");
    exact_divisions<double, uint64_t>("f64");
}

TEST(Map, MixedTypesIndexAndScalars) {
    check_kernel("kernel k(a: f32, m: bool, n: i32, y: out f64, z: out i64; s: f32, t: i64) { parallel g\n"
                 "  $0 = add(cast(n[g], i64), mul(index(g), t))\n"
                 "  y[g] = select(m[g], cast(mul(a[g], s), f64), cast($0, f64))\n"
                 "  z[g] = bit_xor($0, 77:i64) }", 100, 1e-6);
}

TEST(Map, SharedSubexpressionsAndFma) {
    check_kernel("kernel k(a: f32, b: f32, y: out f32) { parallel g\n"
                 "  $0 = tanh(mul(a[g], b[g]))\n"
                 "  y[g] = sub(mul($0, $0), add(mul(a[g], $0), b[g])) }", 60, 1e-5);
}

TEST(Map, PhiloxDependsOnKeyAndElementOnly) {
    check_kernel("kernel k(y: out i32, z: out i64; key: i64) { parallel g\n"
                 "  y[g] = philox(key, index(g), i32)\n  z[g] = philox(key, index(g), i64) }", 40, 0);
    // Known answer of the reference implementation: counter and key zero.
    Function f = parsed("kernel k(y: out i32) { parallel g; y[g] = philox(0:i64, index(g), i32) }");
    KernelCase c;
    c.f = f;
    Rng rng(1);
    make_dense(c, {{1}}, rng);
    EXPECT_EQ(as<uint32_t>(run(compile(f, *target_named("x86-64-v2")), c).buffers[0])[0], 0x6627e8d5u);
}

TEST(Map, Gather) {
    check_kernel("kernel gather(x: f32, ids: i64, y: out f32; s: i64, n: i64) { parallel g; y[g] = x[g, at(ids[g], s, n)] }", 0, 0);
    Function f = parsed("kernel gather(x: f32, ids: i64, y: out f32; s: i64, n: i64) { parallel g; y[g] = x[g, at(ids[g], s, n)] }");
    // x is (pre, 11, post), ids has `ids` numbers, y is (pre, ids, post).
    for (const Target& target : targets())
        for (bool checked : {false, true}) {
            Compiled k = compile(f, target, {.checked = checked});
            for (int64_t pre : {1, 3})
                for (int64_t ids : {0, 1, 70})
                    for (int64_t post : {1, 5, 33, 64}) {
                        KernelCase c;
                        c.f = f;
                        c.extents = {{pre, ids, post}};
                        c.strides = {{{0, 0}, {11 * post, 0, 1}}, {{1, 0}, {0, 1, 0}}, {{2, 0}, {ids * post, post, 1}}};
                        c.scalars = {post, 11};
                        Rng rng(2);
                        c.buffers = {Bytes(size_t(pre * 11 * post * 4)), Bytes(size_t(ids * 8)), Bytes(size_t(pre * ids * post * 4))};
                        fill_random(c.buffers[0], DType::f32, rng);
                        std::vector<int64_t> numbers(static_cast<size_t>(ids));
                        for (int64_t& n : numbers) n = int64_t(rng() % 11);
                        c.buffers[1] = bytes_of(numbers);
                        ASSERT_EQ(difference(c, run(k, c), interpret(c), 0), "") << target.name;
                        if (ids < 70) continue;
                        numbers[61] = 11;
                        numbers[65] = -1;
                        c.buffers[1] = bytes_of(numbers);
                        for (Split split : {Split::whole, Split::single_tasks_shuffled}) {
                            Outcome failed = run(k, c, split);
                            EXPECT_EQ(failed.fault, int32_t(Fault::index_range));
                            EXPECT_EQ(failed.error.value, 11);
                            EXPECT_EQ(failed.error.size, 11);
                            EXPECT_EQ(failed.error.operand, 0);
                            EXPECT_EQ(failed.error.index, 61 * post);
                        }
                    }
        }
}

TEST(Map, ZeroDivisorNamesTheFirstElement) {
    for (const char* dtype : {"i32", "i64"})
        for (const char* op : {"div", "floor_div", "mod", "rem"}) {
            std::string t(dtype);
            Function f = parsed(("kernel k(a: " + t + ", b: " + t + ", y: out " + t + ") { parallel g; y[g] = " + op + "(a[g], b[g]) }").c_str());
            for (const Target& target : targets()) {
                Compiled k = compile(f, target);
                KernelCase c;
                c.f = f;
                Rng rng(3);
                make_dense(c, {{30000}}, rng);
                auto set = [&](size_t buffer, size_t element, int64_t value) {
                    size_t size = t == "i32" ? 4 : 8;
                    std::memcpy(c.buffers[buffer].data() + element * size, &value, size);
                };
                for (size_t i = 0; i < 30000; ++i) set(1, i, i % 7 == 0 ? -1 : int64_t(i) - 15001);
                for (size_t i = 0; i < 30000; i += 14) set(0, i, t == "i32" ? INT32_MIN : INT64_MIN);    // over -1: wraps
                set(1, 15001, 1);
                Outcome expected = interpret(c);
                EXPECT_EQ(difference(c, run(k, c), expected, 0), "");
                set(1, 20011, 0);
                set(1, 29999, 0);
                for (Split split : {Split::whole, Split::single_tasks_shuffled}) {
                    Outcome failed = run(k, c, split);
                    EXPECT_EQ(failed.fault, int32_t(Fault::zero_divisor));
                    EXPECT_EQ(failed.error.index, 20011);
                    EXPECT_EQ(failed.error.task, 20011 / (failed.tasks == 4 ? 8192 : 1));
                }
            }
        }
}

TEST(Map, CheckedModeFindsEscapes) {
    Function f = parsed("kernel add(a: f32, b: f32, y: out f32) { parallel g; y[g] = add(a[g], b[g]) }");
    for (const Target& target : targets()) {
        Compiled k = compile(f, target, {.checked = true});
        KernelCase c;
        c.f = f;
        Rng rng(3);
        make_dense(c, {{3, 50}}, rng);
        EXPECT_EQ(run(k, c).fault, 0);
        c.buffers[1].resize(c.buffers[1].size() - 4);    // the guard bytes take the read if it happens
        Outcome failed = run(k, c);
        EXPECT_EQ(failed.fault, int32_t(Fault::bounds)) << target.name;
        EXPECT_EQ(failed.error.operand, 1);
        EXPECT_EQ(failed.error.index, 149);
    }
}
} // namespace nereus::test
