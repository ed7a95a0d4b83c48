#include "exe/samples.h"
#include "vm/assembled.h"
#include "vm/frame.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

namespace nereus {
// out = a + b of f32, in tiles of 16 points: kernel 0 of the sample.
static int32_t add_kernel(const Launch* l, int64_t begin, int64_t end, Worker* worker) {
    std::memset(worker->scratch, 1, size_t(4096));       // all it asked for
    int64_t points = l->p[4], per_task = l->p[1] * 16, rank = l->p[2];
    const int64_t* extents = l->p + l->p[3];
    for (int64_t i = begin * per_task; i < std::min(end * per_task, points); ++i) {
        int64_t at[3] = {}, rest = i;
        for (int64_t d = rank; d-- > 0; rest /= extents[d])
            for (int b = 0; b < 3; ++b) at[b] += rest % extents[d] * extents[rank + b * rank + d];
        auto element = [&](int b) { return reinterpret_cast<float*>(static_cast<char*>(l->buf[b]) + at[b]); };
        *element(0) = *element(1) + *element(2);
    }
    return 0;
}
static std::vector<int64_t> tasks_seen;
static int32_t failing_kernel(const Launch* l, int64_t begin, int64_t end, Worker*) {
    for (int64_t i = begin; i < end; ++i) tasks_seen.push_back(i);
    if (end < l->p[0]) return 0;
    *l->err = {begin, int32_t(Fault::index_range), 1, 4, 99, 7};
    return int32_t(Fault::index_range);
}
static int32_t silent_kernel(const Launch*, int64_t, int64_t, Worker*) { return int32_t(Fault::cancelled); }
static int32_t late_kernel(const Launch* l, int64_t, int64_t, Worker*) {
    l->out[0] = l->p[4] * 2;                 // points of its group
    l->out[1] = l->p[5];                     // its scalar
    return 0;
}
static int32_t copy_kernel(const Launch* l, int64_t, int64_t, Worker*) {
    return *static_cast<int64_t*>(l->buf[0]) = *static_cast<int64_t*>(l->buf[1]), 0;
}

static std::string sample(std::string_view from = "", std::string_view to = "") {
    std::string text(sample_program);
    auto change = [&](std::string_view a, std::string_view b) {
        size_t at = text.find(a);
        invariant(at != std::string::npos, "the sample has that text");
        text.replace(at, a.size(), b);
    };
    change("name: \"add\"", "name: \"add\", library: true");
    change("blob \"c3\"", "");
    if (!from.empty()) change(from, to);
    return text;
}
static Assembled sample_with(Kernel kernel, ContextOptions options = {}, std::string_view extra = "") {
    return Assembled(sample() + std::string(extra), std::move(options), std::span(&kernel, 1));
}
static Result<Value> run_sample(Context& context, int64_t n, int64_t k) {
    HostTensor x = *HostTensor::make(DType::f32, {n});
    std::span<float> data = *x.mutable_data<float>();
    for (int64_t i = 0; i < n; ++i) data[size_t(i)] = float(i);
    Value args[] = {Value::tensor(std::move(x)), Value::tensor(HostTensor::scalar(k))};
    return context.run(context.program().exe().entries[0], args);
}
static bool right(const Result<Value>& result, int64_t n) {
    if (!result) return false;
    std::span<const float> data = result->children()[0].tensor().data<float>();
    for (int64_t i = 0; i < n; ++i)
        if (data[size_t(i)] != float(3 * i)) return false;
    return int64_t(data.size()) == n && result->children()[1].tensor().as_i64(0) == 120;
}

TEST(Region, RunsTheSample) {
    Assembled f = sample_with(add_kernel);
    for (int64_t n : {0, 1, 15, 16, 17, 1000}) EXPECT_TRUE(right(run_sample(*f.context, n, 5), n)) << n;
    Result<Value> wrong = run_sample(*f.context, 3, 21);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().message, "k is 21, over 20");
    EXPECT_EQ(wrong.error().hint, "use a smaller k");
    EXPECT_EQ(f.stats().plan_misses, 6);
    EXPECT_EQ(f.stats().launches, 12);
}

TEST(Region, KernelsOfTheLibraryMustBeThere) {
    EXPECT_EQ(LoadedExecutable::load(*assemble(sample())).error().message,
              "the program needs the library kernel \"add\", which this runtime does not have");
}

TEST(Region, PlansAreCachedAndEvicted) {
    Assembled f = sample_with(add_kernel, {.plans_per_region = 2});
    auto misses_after = [&](int64_t n) {
        EXPECT_TRUE(right(run_sample(*f.context, n, 5), n));
        return f.stats().plan_misses;
    };
    EXPECT_EQ(misses_after(1), 1);
    EXPECT_EQ(misses_after(1), 1);
    EXPECT_EQ(misses_after(2), 2);
    EXPECT_EQ(misses_after(1), 2);
    EXPECT_EQ(misses_after(3), 3);           // 2 goes: 1 was used later
    EXPECT_EQ(misses_after(1), 3);
    EXPECT_EQ(misses_after(2), 4);
    EXPECT_EQ(f.stats().plan_hits, 3);
    f.context->trim();
    EXPECT_EQ(misses_after(2), 5);
}

TEST(Region, BytesReservedAreThePeak) {
    for (PackMode mode : {PackMode::packed, PackMode::apart}) {
        Assembled f = sample_with(add_kernel, {.pack = mode});
        ASSERT_TRUE(right(run_sample(*f.context, 1000, 1 + 4), 1000));
        // main: 40 + 6 * 8 bytes, then its arena of 4000, rounded; factorials lie behind the slot
        int64_t arena = 128, prefix = 4032, factorial = 40 + 3 * 8;
        EXPECT_EQ(f.stats().arena_bytes, arena + prefix + 5 * factorial);
        EXPECT_EQ(f.stats().scratch_bytes, 4096);
        EXPECT_EQ(f.stats().peak_bytes, f.stats().arena_bytes + f.stats().object_bytes + f.stats().scratch_bytes);
    }
}

// rec(n, depth) = depth + rec(n, depth - 1), by way of a slot that lives across the call, beside one that does not.
static constexpr std::string_view recursive = R"(
kernel 0 {name: "copy", library: true, layout: {buffers: [i64, i64]}}
site {}
launch 0 {buffers: [{index: 1, bytes: 8}, {index: 0, bytes: 8}], step: 2}
region 0 {key: [0], slots: [{bytes: 8, last: 2}, {bytes: 8, first: 2, last: 2}, {bytes: p0}], prefixes: [1], lists: [[0]]}
function rec(2) -> 1 registers 8 {
  enter 0
  r2 = slot 0
  write_scalar.i64 r2, r1
  r3 = load_constant 0
  r4 = eq r1, r3
  jump_if base, r4
  r5 = load_constant 1
  r4 = sub r1, r5
  (r6) = call.0 rec, (r0, r4)
  run 0
  r2 = slot 1
  r7 = read_scalar.i64 r2
  r6 = add r6, r7
  leave (r6)
base:
  leave (r3)
}
plan 0 { leave () }
)";
static const Kernel copy_only[] = {copy_kernel};

TEST(Region, RecursionRebasesAndPrefixesKeepOnlyWhatLives) {
    Assembled f(integer_entry(2, 1) + std::string(recursive), {}, copy_only);
    EXPECT_EQ(*f.number({100'000, 1000}), 500'500);
    EXPECT_EQ(f.stats().plan_misses, 1);
    EXPECT_EQ(f.stats().plan_hits, 1000);
    int64_t at = 0, peak = 0;
    for (int depth = 0; depth <= 1000; ++depth) {
        int64_t arena = (at + 40 + 8 * 8 + 63) / 64 * 64;
        peak = arena + 64 + 100'032;         // slot 0, then the large one; slot 1 shares with it
        at = arena + 64;
    }
    EXPECT_EQ(f.stats().arena_bytes, peak);

    int64_t packed = f.stats().arena_bytes;
    f.restart({.pack = PackMode::apart});
    EXPECT_EQ(*f.number({100'000, 1000}), 500'500);
    EXPECT_GE(f.stats().arena_bytes, packed);
}

TEST(Region, PlansInUseArePinnedHoweverManyThereAre) {
    // every level has a key of its own, and the cache is smaller than the recursion is deep
    std::string text(recursive);
    text.replace(text.find("(r0, r4)"), 8, "(r4, r4)");
    Assembled f(integer_entry(2, 1) + text, {.plans_per_region = 4}, copy_only);
    EXPECT_EQ(*f.number({20'000, 20'000}), 200'010'000);
    EXPECT_EQ(f.stats().plan_misses, 20'001);
    EXPECT_EQ(*f.number({20'000, 20'000}), 200'010'000);
    EXPECT_EQ(*f.number({3, 3}), 6);
    Assembled small(integer_entry(2, 1) + text, {.memory_limit = 1 << 20, .plans_per_region = 4}, copy_only);
    EXPECT_EQ(small.number({20'000, 20'000}).error().code, Code::memory);
    EXPECT_EQ(*small.number({100, 100}), 5050) << "a failed call leaves no pins";
    EXPECT_EQ(small.number({INT64_MAX - 200, 3}).error().code, Code::memory);
    EXPECT_TRUE(small.number({-1, 3})) << "nothing to run: a check of the program refuses it where it matters";
}

TEST(Region, ALoopMayEnterAgain) {
    std::string text(recursive);
    size_t at = text.find("  leave (r6)\n");
    text.replace(at, 13, "  r1 = sub r1, r5\n  r0 = add r0, r5\n  jump_if again, r1\n  leave (r6)\n");
    text.replace(text.find("  enter 0\n"), 10, "again:\n  enter 0\n");
    text.replace(text.find("call.0 rec, (r0, r4)"), 20, "call.0 zero, (r0, r4)");
    text += "function zero(2) -> 1 { r2 = load_constant 0 leave (r2) }";
    Assembled f(integer_entry(2, 1) + text, {.plans_per_region = 2}, copy_only);
    EXPECT_EQ(*f.number({1, 10}), 1) << "the last turn";
    EXPECT_EQ(f.stats().plan_misses, 10);
    EXPECT_EQ(*f.number({9, 2}), 1);
    EXPECT_EQ(f.stats().plan_hits, 2) << "the last two keys were kept, unpinned";
}

TEST(Region, FaultsOfKernelsAreBlamedOnTheirSite) {
    Assembled f = sample_with(failing_kernel);
    Result<Value> result = run_sample(*f.context, 100, 5);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::value);
    EXPECT_EQ(result.error().message, "index 99 is out of range for size 7");
    EXPECT_EQ(result.error().where, (Span{0, 4, 1, 0}));
    Assembled g = sample_with(silent_kernel);
    EXPECT_EQ(run_sample(*g.context, 100, 5).error().code, Code::cancelled);
}

TEST(Region, CheckedProgramsShuffleTasks) {
    std::vector<int64_t> orders[3];
    for (uint64_t seed : {0, 1, 2}) {
        tasks_seen.clear();
        Assembled f = sample_with(failing_kernel, {.shuffle_seed = seed * 100}, "checked");
        EXPECT_FALSE(run_sample(*f.context, 25'600, 5));
        orders[seed] = tasks_seen;
        std::vector<int64_t> sorted = tasks_seen;
        std::sort(sorted.begin(), sorted.end());
        ASSERT_EQ(sorted.size(), 100u);
        for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(sorted[size_t(i)], i);
        EXPECT_NE(sorted, tasks_seen);
    }
    EXPECT_NE(orders[0], orders[1]);
    Assembled f = sample_with(add_kernel, {}, "checked");
    EXPECT_TRUE(right(run_sample(*f.context, 1000, 5), 1000));
}

TEST(Region, CheckedProgramsPoisonWhatDied) {
    // reads slot 0 after the step at which it dies, and slot 2 that nobody wrote
    std::string text = R"(checked
        kernel 0 {name: "copy", library: true, layout: {buffers: [i64, i64]}}
        site {}
        launch 0 {buffers: [{index: 1, bytes: 8}, {index: 0, bytes: 8}], step: 0}
        region 0 {key: [0], slots: [{bytes: 8}, {bytes: 8, last: 1}, {bytes: 8, last: 1}], lists: [[0]]}
        function f(2) -> 1 {
          enter 0
          r2 = slot 0
          write_scalar.i64 r2, r0
          RUN
          r3 = slot 1
          r3 = read_scalar.i64 r3
          r2 = read_scalar.i64 r2
          r4 = slot 2
          r4 = read_scalar.i64 r4
          r2 = mul r2, r1
          r2 = add r2, r3
          r2 = add r2, r4
          leave (r2) }
        plan 0 { leave () })";
    for (std::string_view way : {"run 0", "launch 0"}) {
        std::string each = text;
        each.replace(each.find("RUN"), 3, way);
        Assembled f(integer_entry(2, 1) + each, {}, copy_only);
        EXPECT_EQ(*f.number({5, 1000}), -1000 + 5 - 1) << way;
    }
}

TEST(Region, ScratchCountsAgainstTheLimit) {
    Kernel kernel = add_kernel;
    Assembled small(sample("scratch: 4096", "scratch: 400000"), {.memory_limit = 1 << 20}, std::span(&kernel, 1));
    EXPECT_TRUE(right(run_sample(*small.context, 100, 5), 100));
    EXPECT_EQ(small.stats().scratch_bytes, 400000);
    small.context->trim();
    EXPECT_TRUE(right(run_sample(*small.context, 10, 5), 10)) << "scratch comes back";
    Assembled large(sample("scratch: 4096", "scratch: 2000000"), {.memory_limit = 1 << 20}, std::span(&kernel, 1));
    EXPECT_EQ(run_sample(*large.context, 10, 5).error().code, Code::memory);
}

TEST(Region, LaunchesByRegistersGiveLateSizes) {
    const Kernel late[] = {late_kernel};
    Assembled f(integer_entry(2, 1) + R"(
        kernel 0 {name: "late", library: true, layout: {groups: [{}], scalars: 1}}
        source {path: "p"}
        site {what: "w", where: {source: 0, line: 1, column: 1}}
        launch 0 {groups: [{extents: [r0, 3]}], scalars: [r1], late: [2, 3]}
        function f(2) -> 1 registers 4 { launch 0 r2 = add r2, r3 leave (r2) })", {}, late);
    EXPECT_EQ(*f.number({7, 1000}), 42 + 1000);
    EXPECT_EQ(f.number({-7, 1000}).error().message, "the sizes of a tensor overflow or are negative");
    EXPECT_EQ(f.number({INT64_MAX, 1000}).error().code, Code::shape);
}

TEST(Region, SixteenThreadsShareOneProgram) {
    Assembled f = sample_with(add_kernel);
    std::vector<std::thread> threads;
    std::atomic<int> good = 0;
    for (int t = 0; t < 16; ++t)
        threads.emplace_back([&, t] {
            Result<std::unique_ptr<Context>> context = Context::make(f.program, {.plans_per_region = 4});
            for (int64_t i = 0; i < 200; ++i)
                good += right(run_sample(**context, (i * (t + 1)) % 97, 5), (i * (t + 1)) % 97);
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(good, 16 * 200);
}
} // namespace nereus
