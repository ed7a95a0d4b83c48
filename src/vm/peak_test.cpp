#include "exe/samples.h"
#include "vm/arithmetic.h"
#include "vm/assembled.h"
#include <gtest/gtest.h>
#include <random>

namespace nereus {
static int32_t nothing(const Launch*, int64_t, int64_t, Worker*) { return 0; }
static const Kernel library[] = {nothing};

// f(x: Tensor[(n, m), f32], k: i64): slots of n and of n * m floats, one of them across the call of g.
static std::string program(std::string_view body) {
    return R"(
type {axes: [0, 1]}
type {dtype: i64}
entry {name: "f", sizes: 2, size_names: ["n", "m"], params: [{name: "x"}, {name: "k", type: 1}], param_leaves: [{kind: address}, {kind: number, type: 1}],
       result_type: 1, result_leaves: [{kind: number, type: 1}]}
source {path: "m.nr"}
site {what: "no", where: {source: 0, line: 1, column: 2}}
region 0 {key: [0, 1], slots: [{bytes: p3, last: 2}, {bytes: p4}, {bytes: p4, first: 2, last: 2}], prefixes: [1]}
region 1 {function: 1, key: [0], slots: [{bytes: p0}]}
function f(4) -> 1 {)" +
           std::string(body) + R"(}
plan 0 { r2 = load_constant 4 r3 = size_mul r0, r2 r4 = size_mul r3, r1 leave () }
function g(1) -> 1 {                        ; as deep as its argument says
  enter 1
  r1 = load_constant 1
  r2 = lt r0, r1
  jump_if end, r2
  r2 = sub r0, r1
  (r2) = call h, (r2)
  leave (r2)
end: leave (r0)
}
plan 1 { leave () }
function h(1) -> 1 { (r1) = call g, (r0) leave (r1) }
)";
}
// region 1 has no prefix: calls out of it would need one
static std::string repaired(std::string text) {
    text.replace(text.find("slots: [{bytes: p0}]"), 20, "slots: [{bytes: p0, last: 1}], prefixes: [1]");
    return text;
}
static void expect_exact(std::string_view body, PackMode mode) {
    Assembled f(repaired(program(body)), {.pack = mode}, library);
    for (int64_t n : {0, 1, 7, 100})
        for (int64_t m : {1, 33}) {
            Value args[] = {Value::tensor(*HostTensor::make(DType::f32, {n, m})),
                            Value::tensor(HostTensor::scalar(int64_t(1)))};
            for (int again = 0; again < 2; ++again) {
                Result<Value> result = f.context->run(f.entry(), args);
                ASSERT_TRUE(result) << result.error().message;
                int64_t sizes[] = {n, m};
                Result<int64_t> peak = f.context->peak(f.entry(), sizes);
                ASSERT_TRUE(peak) << peak.error().message;
                EXPECT_EQ(*peak, f.stats().arena_bytes) << body << n << " " << m;
            }
        }
}

TEST(Peak, IsWhatARunReserves) {
    for (PackMode mode : {PackMode::packed, PackMode::apart}) {
        expect_exact("enter 0 r4 = move r0 leave (r4)", mode);
        expect_exact("enter 0 (r4) = call.0 g, (r0) leave (r4)", mode);
        expect_exact("(r4) = call g, (r0) enter 0 leave (r4)", mode);
        expect_exact(
            "r5 = load_constant 1 again: enter 0 r0 = sub r0, r5 (r4) = call.0 g, (r1) r6 = gt r0, r5 jump_if again, r6 leave (r4)",
            mode);
    }
}

TEST(Peak, UnknownWaysAreAllFollowed) {
    // k decides whether g runs, and a loop ends when k says so
    std::string text = repaired(program(
        "enter 0 r4 = move r2 jump_unless over, r3 (r4) = call.0 g, (r0) over: jump_if over, r3 leave (r4)"));
    Assembled f(text, {}, library),
        always(repaired(program("enter 0 r4 = move r2 (r4) = call.0 g, (r0) leave (r4)")), {}, library);
    int64_t sizes[] = {50, 3};
    EXPECT_EQ(*f.context->peak(f.entry(), sizes), *always.context->peak(always.entry(), sizes));
}

TEST(Peak, SaysWhereThereIsNoBound) {
    int64_t sizes[] = {50, 3};
    Assembled depth(repaired(program("mark 0 (r4) = call g, (r3) leave (r4)")), {}, library);
    EXPECT_EQ(depth.context->peak(depth.entry(), sizes).error().code, Code::limit);
    Assembled late(repaired(program("mark 0 r0 = move r3 enter 0 leave (r0)")), {}, library);
    Result<int64_t> peak = late.context->peak(late.entry(), sizes);
    EXPECT_EQ(
        peak.error().message,
        "the peak has no bound that can be computed: sizes here are known only after something has executed");
    EXPECT_EQ(peak.error().where, (Span{0, 1, 2, 0}));
    Assembled forever(repaired(program("x: jump x")), {}, library);
    EXPECT_EQ(forever.context->peak(forever.entry(), sizes).error().code, Code::limit);
    Assembled failing(repaired(program("check.equal 0, r0, r1 leave (r0)")), {}, library);
    EXPECT_EQ(failing.context->peak(failing.entry(), sizes).error().message, "no");
    EXPECT_EQ(failing.context->peak(failing.entry(), std::span<const int64_t>()).error().code, Code::usage);
    int64_t negative[] = {-50, 3}, huge[] = {INT64_MAX / 4, 3};
    Assembled f(repaired(program("enter 0 leave (r0)")), {}, library);
    EXPECT_EQ(f.context->peak(f.entry(), negative).error().code, Code::shape);
    EXPECT_EQ(f.context->peak(f.entry(), huge).error().code, Code::shape);
}

TEST(Peak, ArithmeticIsThatOfTheLoop) {
    std::mt19937_64 random(5);
    const int64_t corners[] = {0, 1, -1, 2, 3, 7, INT64_MIN, INT64_MAX, INT64_MIN + 1, 1LL << 32, -(1LL << 31)};
    auto some = [&] { return random() % 3 ? corners[random() % std::size(corners)] : int64_t(random()); };
    for (const OpcodeRow& row : opcode_rows()) {
        if (!is_arithmetic(row.op)) continue;
        bool two = row.c == OperandKind::use;
        Assembled f(integer_entry(2, 1) + "function f(2) -> 1 { r2 = " + std::string(row.name) +
                    (two ? " r0, r1" : " r0") + " leave (r2) }");
        for (int i = 0; i < 300; ++i) {
            int64_t a = some(), b = some();
            uint64_t out = 0;
            Result<int64_t> expected = f.number({a, b});
            ASSERT_EQ(arithmetic(row.op, uint64_t(a), uint64_t(b), out), bool(expected))
                << row.name << " " << a << " " << b;
            if (expected) {
                ASSERT_EQ(int64_t(out), *expected) << row.name << " " << a << " " << b;
            }
        }
    }
}
} // namespace nereus
