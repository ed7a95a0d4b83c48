#include "loop/text.h"
#include "loop/builder.h"
#include "loop/verify.h"
#include <cmath>
#include <gtest/gtest.h>

namespace nereus::loop {
static const char* const samples[] = {
    "kernel add(a: f32, b: f32, y: out f32) {\n  parallel g\n  y[g] = add(a[g], b[g])\n}\n",
    "kernel k(a: f32, y: out f64, z: out bool; s: f32) {\n  parallel g\n  $0 = exp(mul(a[g], s))\n"
    "  y[g] = cast(add($0, neg($0)), f64)\n  z[g] = lt($0, -1.5e-07:f32)\n}\n",
    "kernel softmax(x: f32, y: out f32) {\n  parallel g\n  reduce r\n  %0 = max over r of x[g, r]\n"
    "  $0 = exp(sub(x[g, r], %0))\n  %1 = sum over r of $0\n  y[g, r] = div($0, %1)\n}\n",
    "kernel gather(x: f32, ids: i64, y: out f32; s: i64, n: i64) {\n  parallel g\n  y[g] = x[g, at(ids[g], s, n)]\n}\n",
    "kernel matmul(a: f32, b: f32, y: out f32) {\n  parallel i\n  parallel axis m\n  parallel axis n\n  reduce axis k\n"
    "  %0 = contract over k of a[i, m, k], b[i, n, k]\n  y[i, m, n] = %0\n}\n",
    "kernel scatter(v: f32, ids: i64, y: out f32; s: i64, n: i64) {\n  parallel g\n  sequential j\n"
    "  y[g, at(ids[j], s, n)] += v[g, j]\n}\n",
    "kernel nonzero(c: bool, y: out i64; row: i64) {\n  sequential g\n  compact y(row) = coordinates where c[g]\n}\n",
    "kernel keep(c: bool, y: out i64) {\n  sequential g\n  compact y = index(g) where not(c[g])\n}\n",
    "kernel many(c: bool) {\n  sequential g\n  count where c[g]\n}\n",
    "kernel r(y: out f32; key: i64) {\n  parallel g\n"
    "  y[g] = mul(cast(shift_right(philox(key, index(g), i32), 8:i32), f32), 5.9604645e-08:f32)\n}\n",
    "kernel c(y: out f32, z: out f64) {\n  parallel g\n  y[g] = select(true, inf:f32, -inf:f32)\n  z[g] = 0x7ff8000000000001:f64\n}\n",
    "kernel all(x: bool, y: out bool) {\n  parallel g\n  reduce r\n  %0 = all over r of x[g, r]\n  y[] = %0\n}\n",
};

TEST(LoopText, RoundTrip) {
    for (const char* text : samples) {
        Result<Function> f = parse(text);
        ASSERT_TRUE(f) << f.error().message << "\n" << text;
        EXPECT_EQ(print(*f), text);
    }
}

TEST(LoopText, PrintedBuilderOutputReadsBack) {
    Builder b("twice");
    BufferId x = b.input("x", DType::f64), y = b.output("y", DType::f64);
    GroupId g = b.group("g", Role::parallel);
    ExprId e = b.apply(Op::tanh, b.load(x, {g}));
    for (int i = 0; i < 60; ++i) e = b.apply(Op::add, e, e);          // a tree of it would have 2^60 leaves
    b.store(y, {g}, e);
    Result<Function> f = std::move(b).finish();
    ASSERT_TRUE(f);
    std::string text = print(*f);
    EXPECT_LT(text.size(), 3000u);
    EXPECT_EQ(print(*parse(text)), text);
}

TEST(LoopText, CanonicalTextForgetsNames) {
    Function a = *parse("kernel f(a: f32, y: out f32; s: f32) { parallel g; y[g] = mul(a[g], s) }");
    Function b = *parse("kernel h(x: f32, out_1: out f32; scale: f32) { parallel points; out_1[points] = mul(x[points], scale) }");
    Function c = *parse("kernel f(a: f32, y: out f32; s: f32) { parallel g; y[g] = mul(s, a[g]) }");
    EXPECT_EQ(canonical_text(a), canonical_text(b));
    EXPECT_NE(canonical_text(a), canonical_text(c));
}

TEST(LoopText, BadTextIsAnErrorWithALine) {
    EXPECT_EQ(parse("kernel k(a: f32, y: out f32) {\n  parallel g\n  y[g] = frob(a[g])\n}").error().message,
              "loop text, line 3: no operator named 'frob'");
    EXPECT_EQ(parse("kernel k(a: f33)").error().message, "loop text, line 1: 'f33' is not a dtype");
    std::string deep = "kernel k(y: out f32) { parallel g; y[g] = ";
    for (int i = 0; i < 5000; ++i) deep += "neg(";
    EXPECT_EQ(parse(deep).error().message, "loop text, line 1: expressions nest too deep");
    for (const char* sample : samples) {                              // every prefix is refused, none crashes
        std::string_view text(sample);
        for (size_t n = 0; n + 2 < text.size(); ++n) EXPECT_FALSE(parse(text.substr(0, n)));
    }
}

TEST(LoopVerify, RefusesNonsense) {
    auto refused = [](const char* body) {
        Result<Function> f = parse(std::string("kernel k(a: f32, n: i32, y: out f32; s: i64) { parallel g; reduce r; sequential q; ") + body + " }");
        return f ? std::string() : f.error().message;
    };
    EXPECT_EQ(refused("y[g] = a[g]"), "");
    EXPECT_EQ(refused("y[g] = n[g]"), "loop function 'k': a store has its buffer's dtype");
    EXPECT_EQ(refused("y[g] = add(a[g], cast(n[g], f64))"), "loop function 'k': add takes operands of one dtype");
    EXPECT_EQ(refused("y[g] = exp(n[g])"), "loop function 'k': exp does not take i32");
    EXPECT_EQ(refused("y[g] = bit_cast(n[g], f32)"), "");
    EXPECT_EQ(refused("y[g] = cast(bit_cast(a[g], u64), f32)"), "loop function 'k': bit_cast is between numbers of 32 bits or of 64");
    EXPECT_EQ(refused("y[g] = cast(bit_cast(cast(a[g], f16), u16), f32)"), "loop function 'k': bit_cast is between numbers of 32 bits or of 64");
    EXPECT_EQ(refused("y[g] = a[r]"), "loop function 'k': a store uses group 'r' out of scope");
    EXPECT_EQ(refused("a[g] = a[g]"), "loop function 'k': 'a' is not an output");
    EXPECT_EQ(refused("%0 = sum over g of a[g]; y[g] = %0"), "loop function 'k': a fold runs over a reduce group");
    EXPECT_EQ(refused("%0 = any over r of a[r]; y[g] = %0"), "loop function 'k': any and all fold bool, the others numbers");
    EXPECT_EQ(refused("y[q] = a[q]"), "loop function 'k': a store cannot follow a sequential group");
    EXPECT_EQ(refused(""), "loop function 'k': the body is empty");
    EXPECT_EQ(parse("kernel k(a: f32, a: out f32) { parallel g; a[g] = 1:f32 }").error().message,
              "loop function 'k': the name 'a' is used twice");
    EXPECT_EQ(parse("kernel k(a: i4, y: out i8) { parallel g; y[g] = 1:i8 }").error().message,
              "loop function 'k': 'a' is of a type that is only stored: its codes are u8");
}
} // namespace nereus::loop
