#include "exe/samples.h"
#include "vm/arithmetic.h"
#include "vm/assembled.h"
#include "vm/shadow_heap.h"
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
site {what: "no: {0} is not {1}", where: {source: 0, line: 1, column: 2}}
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
                EXPECT_EQ(*peak, f.stats().peak_bytes) << body << n << " " << m;
                EXPECT_EQ(*f.context->peak(f.entry(), args), f.stats().peak_bytes);
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
    EXPECT_EQ(failing.context->peak(failing.entry(), sizes).error().message, "no: 50 is not 3");
    EXPECT_EQ(failing.context->peak(failing.entry(), std::span<const int64_t>()).error().code, Code::usage);
    int64_t negative[] = {-50, 3}, huge[] = {INT64_MAX / 4, 3};
    Assembled f(repaired(program("enter 0 leave (r0)")), {}, library);
    EXPECT_EQ(f.context->peak(f.entry(), negative).error().code, Code::shape);
    EXPECT_EQ(f.context->peak(f.entry(), huge).error().code, Code::shape);
}

// f(n, k: i64, u: f32): u is an element, which nobody knows.
static std::string object_program(std::string_view body) {
    return R"(
type {dtype: i64}
type {dtype: f32}
type {kind: seq, fields: [[3]]}
type {axes: [0, 1]}
entry {name: "f", params: [{name: "n"}, {name: "k"}, {name: "u", type: 1}],
       param_leaves: [{kind: number}, {kind: number}, {kind: number, type: 1}], result_type: 0, result_leaves: [{kind: number}]}
source {path: "m.nr"}
site {what: "of {found}, not{= expected}", where: {source: 0, line: 7, column: 1}}
function f(3) -> 1 {
    mark 0 r3 = move r0 r4 = move r0 r5 = move r0 r6 = move r0 r7 = move r0 r8 = move r0 r9 = load_constant 1 r10 = load_constant 0 )" +
           std::string(body) + " }\n";
}
static std::vector<Value> object_arguments(int64_t n, int64_t k, float u) {
    return {Value::tensor(HostTensor::scalar(n)), Value::tensor(HostTensor::scalar(k)), Value::tensor(HostTensor::scalar(u))};
}
// Bytes that are predicted, or -1 where there is no bound; never less than what runs need.
static int64_t predicted(std::string_view body, int64_t n, int64_t k, bool exact) {
    Assembled f(object_program(body));
    int64_t most = 0, bound = -1;
    for (float u : {0.0f, 1.0f}) {
        std::vector<Value> args = object_arguments(n, k, u);
        Result<int64_t> peak = f.context->peak(f.entry(), args);
        for (int again = 0; again < 2; ++again) {
            Result<Value> result = f.context->run(f.entry(), args);
            EXPECT_TRUE(result) << body << ": " << result.error().message;
            EXPECT_GT(f.stats().object_bytes, 0) << body;
            EXPECT_EQ(f.stats().leaked_objects, 0) << body;
            most = std::max(most, f.stats().peak_bytes);
            if (exact) {
                EXPECT_EQ(peak ? *peak : -1, f.stats().peak_bytes) << body << " at " << n << ", " << k;
            }
        }
        if (!peak) {
            EXPECT_EQ(peak.error().code, Code::limit) << peak.error().message;
            EXPECT_EQ(peak.error().where.line, 7);
            continue;
        }
        bound = *peak;
    }
    if (bound >= 0) {
        EXPECT_GE(bound, most) << body;
    }
    return bound;
}
static void exact(std::string_view body) {
    for (int64_t n : {1, 2, 3, 8, 33, 300})
        for (int64_t k : {0, 1, 5}) predicted(body, n, k, true);
}

TEST(PeakOfObjects, Tensors) {
    exact("r3 = new_tensor.f32 (r0, r0) r4 = tensor_bytes r3 r5 = new_tensor.bool (r4) release r3 release r5 leave (r4)");
    exact("r3 = new_tensor.f64 (r0, r1) r4 = tensor_dim r3, 0 r5 = tensor_rank r3 r6 = tensor_dim_back r3, 5 r7 = new_tensor.i32 (r4, r5, r6) "
          "release r7 release r3 leave (r4)");
    exact("r3 = new_tensor.f64 (r0, r0, r9) r4 = tensor_rest r3, 1 r5 = tensor_before r3, 2 r6 = new_tensor.f32 (r4, r5) release r3 release r6 leave (r4)");
    exact("r3 = new_tensor.f64 (r0, r9) r4 = tensor_shape r3 r5 = tensor_data r4 r6 = read_scalar.i64 r5 r7 = new_tensor.bool (r6) "
          "release r3 release r4 release r7 leave (r6)");
}
TEST(PeakOfObjects, ExtentsOfUnknownRank) {
    // (n), then all of (n, k) but its first axis; then as many i64s as a shape has, one of them inferred
    exact("r3 = new_tensor.f64 (r0, r1) r4 = new_shaped.f32 (r0, r3), (0, 2, 1) r5 = new_shaped.f32 (r4, r9), (3, 1, 5) "
          "r6 = tensor_rank r5 release r3 release r4 release r5 leave (r6)");
    exact("r3 = new_tensor.f64 (r0, r1) r4 = tensor_shape r3 r5 = tensor_data r4 r6 = load_constant 2 r7 = neg r9 "
          "r8 = new_shaped.i32 (r5, r6, r7), (4) release r3 release r4 release r8 leave (r6)");
    exact("r3 = new_tensor.f64 (r0, r9) r4 = new_tensor.f64 (r0, r0) r5 = tensor_same.0 r3, r4 r6 = tensor_same_but.1 r3, r4 r5 = add r5, r6 "
          "r7 = new_tensor.bool (r5) release r3 release r4 release r7 leave (r5)");
}
TEST(PeakOfObjects, DataClosuresAndCells) {
    exact("r3 = new_scalar.i64 r0 r4 = new_scalar.i64 r1 r5 = new_data.7 (r3, r4), (r1, r0) r6 = tag r5 r7 = field r5, 0 r7 = scalar_value.i64 r7 "
          "r8 = bound_dim r5, 1 r6 = new_tensor.f32 (r6, r7, r8) release r6 release r5 leave (r7)");
    // a list as long as n, walked again
    exact("r3 = new_data.0 (), () more: r4 = new_scalar.i64 r0 r3 = new_data.1 (r4, r3), () r0 = sub r0, r9 jump_if more, r0 "
          "r5 = move r3 walk: r6 = tag r5 jump_unless end, r6 r4 = new_tensor.f32 (r1, r1) release r4 r5 = field r5, 1 jump walk end: release r3 leave (r6)");
    exact("r3 = new_scalar.i64 r0 r4 = new_ref r3 r5 = ref_read r4 retain r5 r6 = new_scalar.i64 r1 ref_write r4, r6 "
          "r6 = scalar_value.i64 r5 r7 = new_tensor.bool (r6) release r7 release r5 release r4 leave (r6)");
    exact("r3 = new_scalar.i64 r0 r4 = new_ref r3 retain r4 r5 = new_data.0 (r4), () ref_write r4, r5 release r4 leave (r0)");      // a cycle
}
TEST(PeakOfObjects, Sequences) {
    std::string build = "r3 = new_seq () r4 = move r10 push: r5 = new_tensor.f32 (r9, r9) r3 = seq_push r3, r5 r4 = add r4, r9 r5 = lt r4, r0 jump_if push, r5 ";
    exact(build + "release r3 leave (r4)");
    // shared: a copy, which then grows alone
    exact(build + "retain r3 r5 = new_scalar.i64 r0 r6 = seq_push r3, r5 release r3 release r6 leave (r4)");
    exact(build + "retain r3 r4 = new_tensor.f32 (r0) r6 = seq_set (r3, r10, r4) r5 = seq_get r6, r10 r5 = tensor_dim r5, 0 r5 = new_tensor.f32 (r5, r5) "
                  "release r5 release r3 release r6 leave (r9)");
    exact(build + "r4 = new_tensor.f32 (r0) r3 = seq_set (r3, r10, r4) release r3 leave (r9)");
    exact(build + "r4 = seq_length r3 r5 = seq_stack.f32 r3, (r4, r9, r9) release r5 r5 = seq_concat.f32 r3, r10 release r5 release r3 leave (r4)");
    exact(build + "r4 = seq_get r3, r10 retain r4 r5 = new_seq (r4, r3) release r5 leave (r9)");
}
TEST(PeakOfObjects, Looks) {
    std::string build = "r3 = new_tensor.f32 (r0, r1) r4 = new_tensor.f32 (r0, r1) r5 = new_seq (r3, r4) ";
    exact(build + "(r6, r7) = observe 2, r5 check_fit 0, 2, (r5, r6, r7) r8 = new_tensor.f32 (r6, r7) release r8 release r5 leave (r6)");
    exact(build + "r6 = equal r5, r5 r7 = new_data.0 (), () r8 = equal r7, r5 r6 = add r6, r8 r6 = new_tensor.f32 (r6, r0) release r6 release r7 release r5 leave (r0)");
    Assembled f(object_program("r3 = new_tensor.f32 (r0, r1) r5 = new_seq (r3) check_fit 0, 2, (r5, r0, r0) release r5 leave (r0)"));
    EXPECT_TRUE(f.context->peak(f.entry(), object_arguments(3, 3, 0)));
    Result<int64_t> failing = f.context->peak(f.entry(), object_arguments(3, 4, 0));
    ASSERT_FALSE(failing) << "the run fails, and so does the walk";
    EXPECT_EQ(failing.error().message, "of (3, 4), not = (3, 3)");
}
TEST(PeakOfObjects, NumbersStayKnownInMemory) {
    exact("r3 = new_tensor.i64 (r9, r9) r4 = tensor_data r3 write_scalar.i64 r4, r0 r5 = read_scalar.i64 r4 r6 = new_tensor.f32 (r5) "
          "release r3 release r6 leave (r5)");
    exact("r3 = load_constant 2 r3 = new_tensor.i64 (r3) r4 = tensor_data r3 write_scalar.i64 r4, r1 r5 = load_constant 8 r5 = add r4, r5 "
          "write_scalar.i64 r5, r0 r6 = load_constant 16 r7 = load_constant 2 r7 = new_tensor.i64 (r7) r8 = tensor_data r7 copy r8, r4, r6 "
          "r6 = load_constant 8 r8 = add r8, r6 r6 = read_scalar.i64 r8 r8 = new_tensor.f32 (r6) release r3 release r7 release r8 leave (r6)");
    // what an element is written to is not known any more
    std::string over = "r3 = new_scalar.i64 r0 r4 = tensor_data r3 r5 = and r2, r9 write_scalar.i64 r4, r5 r5 = scalar_value.i64 r3 r6 = new_tensor.f32 (r5) "
                       "release r3 release r6 leave (r5)";
    EXPECT_EQ(predicted(over, 10, 1, false), -1);
}

TEST(PeakOfObjects, ElementsThatDecideGiveAnUpperBound) {
    std::string arms = "jump_if other, r2 r3 = new_tensor.f32 (r0) jump end other: r3 = new_tensor.f32 (r0, r0) end: release r3 leave (r0)";
    EXPECT_EQ(predicted(arms, 20, 1, false), predicted("r3 = new_tensor.f32 (r0, r0) release r3 leave (r0)", 20, 1, false));
    // a loop that ends when elements say so comes to rest: each trip frees what the one before made
    std::string loop = "r3 = new_tensor.f32 (r0) again: r4 = new_tensor.f32 (r0) r5 = new_data.0 (r3), () release r5 r3 = move r4 "
                       "r5 = and r2, r10 jump_if again, r5 release r3 leave (r0)";
    EXPECT_GT(predicted(loop, 20, 1, false), 0);
}
TEST(PeakOfObjects, RefusesWhatMayBeMore) {
    const std::string refused[] = {
        // a sequence, or a pile of objects, that grows as long as elements say so
        "r3 = new_seq () again: r4 = new_scalar.i64 r0 r3 = seq_push r3, r4 r5 = and r2, r10 jump_if again, r5 release r3 leave (r0)",
        "r3 = new_data.0 (), () again: r3 = new_data.1 (r3), () r5 = and r2, r10 jump_if again, r5 release r3 leave (r0)",
        // which item, which object, how large
        "r3 = new_tensor.f32 (r0) r4 = new_tensor.f32 (r9) r5 = new_seq (r3, r4) r6 = and r2, r9 r6 = seq_get r5, r6 retain r6 release r5 release r6 leave (r0)",
        "r3 = and r2, r9 r3 = new_tensor.f32 (r3) release r3 leave (r0)",
        "r3 = new_tensor.f32 (r0) r4 = new_seq (r3) r5 = new_tensor.f32 (r9) r6 = and r2, r10 r4 = seq_set (r4, r6, r5) release r4 leave (r0)",
    };
    for (const std::string& body : refused) EXPECT_EQ(predicted(body, 20, 1, false), -1) << body;
}

// Lists, sequences with shared parts, records: what the door makes of them counts too, and sizes alone say less.
TEST(PeakOfObjects, ArgumentsAreTakenAsACallTakesThem) {
    const std::string list = R"(
type {dtype: i64}
type {kind: data, names: ["Nil", "Cons"], fields: [[], [0, 1]], bound: [0, 0]}
type {kind: record, names: ["a", "b"], fields: [[3, 0]]}
type {axes: [0]}
type {kind: seq, fields: [[1]]}
)";
    auto program = [&](int type, int sizes, std::string_view body) {
        return list + "entry {name: \"f\", sizes: " + std::to_string(sizes) + (sizes ? ", size_names: [\"n\"]" : "") +
               ", params: [{name: \"x\", type: " + std::to_string(type) + "}], param_leaves: [{type: " + std::to_string(type) +
               "}], result_type: 0, result_leaves: [{kind: number}]}\nfunction f(" + std::to_string(1 + sizes) + ") -> 1 { " +
               std::string(body) + " }\n";
    };
    auto one = [](int64_t v) { return Value::tensor(HostTensor::scalar(v)); };
    auto same = [](Assembled& f, const Value& arg) {
        Result<int64_t> peak = f.context->peak(f.entry(), {&arg, 1});
        ASSERT_TRUE(peak) << peak.error().message;
        ASSERT_TRUE(f.context->run(f.entry(), {&arg, 1}));
        EXPECT_EQ(*peak, f.stats().peak_bytes);
    };
    // a tensor as large as each number of the list says
    Assembled walk(program(1, 0, "r3 = move r0 more: r1 = tag r3 jump_unless end, r1 r2 = field r3, 0 r2 = scalar_value.i64 r2 r2 = new_tensor.f32 (r2) release r2 "
                                 "r3 = field r3, 1 jump more end: leave (r1)"));
    Value all = Value::ctor("Nil");
    for (int64_t i = 0; i < 100; ++i) {
        same(walk, all);
        all = Value::ctor("Cons", {one(i * 37 % 101), all});
    }
    EXPECT_EQ(walk.context->peak(walk.entry(), std::span<const int64_t>()).error().message,
              "the peak has no bound that can be computed: sizes do not say which structure an argument has");
    Assembled shared(program(4, 0, "r1 = seq_length r0 leave (r1)"));
    same(shared, Value::seq({all, all, Value::ctor("Nil"), all}));
    same(shared, Value::seq({}));
    EXPECT_EQ(shared.context->peak(shared.entry(), {&all, 1}).error().code, Code::type);
    Assembled record(program(2, 1, "r2 = field r1, 0 r3 = tensor_dim r2, 0 r4 = new_tensor.f32 (r3) release r4 leave (r3)"));
    Value x = Value::record({{"b", one(3)}, {"a", Value::tensor(*HostTensor::make(DType::f32, {17}))}});
    same(record, x);
    int64_t sizes[] = {17};
    EXPECT_EQ(*record.context->peak(record.entry(), sizes), record.stats().peak_bytes) << "a record is as its type says";
}

// The shadow does what the heap does: random work on both, the same bytes at every step.
TEST(ShadowHeap, BytesAreThoseOfTheHeap) {
    std::mt19937_64 random(9);
    Heap heap(int64_t(1) << 40);
    ShadowHeap shadow;
    struct Both { Object* object; Word word; };
    std::vector<Both> owned;                 // each an owner
    auto take = [&] {
        size_t at = random() % owned.size();
        Both both = owned[at];
        owned[at] = owned.back();
        owned.pop_back();
        return both;
    };
    auto find_seq = [&] { return std::find_if(owned.begin(), owned.end(), [](const Both& b) { return b.object->kind == ObjectKind::seq; }); };
    for (int round = 0; round < 20000; ++round) {
        switch (owned.size() < 3 ? 0 : random() % 9) {
        case 0: case 1: {
            int64_t dims[] = {int64_t(random() % 40), int64_t(random() % 40)};
            owned.push_back({heap.new_tensor(DType::f32, dims), *shadow.new_tensor(DType::f32, dims)});
            break;
        }
        case 2: {
            Both a = take(), b = take();
            DataObject* made = heap.new_data(3, 2, 1);
            made->fields[0] = a.object, made->fields[1] = b.object;
            Word fields[] = {a.word, b.word}, bound = Word::number(4);
            owned.push_back({made, shadow.new_data(3, fields, {&bound, 1})});
            break;
        }
        case 3: {
            Both a = take();
            SeqObject* made = heap.new_seq(1);
            made->items->at[0] = a.object;
            owned.push_back({made, shadow.new_seq({&a.word, 1})});
            break;
        }
        case 4: {
            Both a = take();
            owned.push_back({heap.new_ref(a.object), shadow.new_ref(a.word)});
            break;
        }
        case 5: {
            Both a = owned[random() % owned.size()];
            Heap::retain(a.object);
            shadow.retain(a.word);
            owned.push_back(a);
            break;
        }
        case 6: {
            Both item = take();
            auto seq = find_seq();
            if (seq == owned.end() || random() % 64 == 0) {
                owned.push_back(item);
                break;
            }
            auto* real = static_cast<SeqObject*>(seq->object);
            if (random() % 3 == 0 && real->count > 0) {
                size_t index = random() % real->count;
                *seq = {heap.set(real, int64_t(index), item.object), *shadow.set(seq->word, index, item.word)};
            } else {
                *seq = {heap.push(real, item.object), *shadow.push(seq->word, item.word)};
            }
            break;
        }
        case 7: case 8: {
            Both a = take();
            heap.release(a.object);
            shadow.release(a.word);
            break;
        }
        }
        ASSERT_EQ(heap.live_bytes(), shadow.live_bytes()) << round;
        ASSERT_EQ(heap.high_water(), shadow.high_water()) << round;
    }
    for (Both& both : owned) heap.release(both.object), shadow.release(both.word);
    EXPECT_EQ(shadow.live_bytes(), 0);
}

TEST(KnownBytes, LoadsWhatWasStored) {
    std::mt19937_64 random(4);
    KnownBytes known;
    std::vector<int> model(300, -1);
    for (int round = 0; round < 5000; ++round) {
        int64_t at = int64_t(random() % 260), bytes = int64_t(1 + random() % 30);
        std::byte data[64], found[64];
        for (std::byte& each : data) each = std::byte(random());
        if (random() % 2) {
            known.store(at, bytes, data);
            for (int64_t i = 0; i < bytes; ++i) model[size_t(at + i)] = int(data[i]);
        } else {
            known.forget(at, at + bytes);
            std::fill_n(model.begin() + at, bytes, -1);
        }
        at = int64_t(random() % 260), bytes = int64_t(1 + random() % 12);
        bool all = std::none_of(model.begin() + at, model.begin() + at + bytes, [](int each) { return each < 0; });
        ASSERT_EQ(known.load(at, bytes, found), all);
        for (int64_t i = 0; all && i < bytes; ++i) ASSERT_EQ(int(found[i]), model[size_t(at + i)]);
    }
    KnownBytes other = known;
    EXPECT_FALSE(known.join(other));
    std::byte zero[8] = {};
    known.store(8, 8, zero);
    other.forget(8, 16);
    EXPECT_TRUE(known.join(other));
    EXPECT_FALSE(known.load(8, 1, zero));
}

TEST(Peak, ArithmeticIsThatOfTheLoop) {
    std::mt19937_64 random(5);
    const int64_t corners[] = {0, 1, -1, 2, 3, 7, INT64_MIN, INT64_MAX, INT64_MIN + 1, 1LL << 32, -(1LL << 31)};
    auto some = [&] { return random() % 3 ? corners[random() % std::size(corners)] : int64_t(random()); };
    for (const OpcodeRow& row : opcode_rows()) {
        if (!is_arithmetic(row.op)) continue;
        bool two = row.c == OperandKind::use, typed = row.x == OperandKind::dtype;
        const DType to = typed ? DType::u16 : DType::i64;
        Assembled f(integer_entry(2, 1) + "function f(2) -> 1 { r2 = " + std::string(row.name) + (typed ? ".u16" : "") +
                    (two ? " r0, r1" : " r0") + " leave (r2) }");
        for (int i = 0; i < 300; ++i) {
            int64_t a = some(), b = some();
            uint64_t out = 0;
            Result<int64_t> expected = f.number({a, b});
            ASSERT_EQ(arithmetic(row.op, uint64_t(a), uint64_t(b), out, to), bool(expected))
                << row.name << " " << a << " " << b;
            if (expected) {
                ASSERT_EQ(int64_t(out), *expected) << row.name << " " << a << " " << b;
            }
        }
    }
}
} // namespace nereus
