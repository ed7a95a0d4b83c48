// What a second call at a seen shape costs: no allocation, no plan, and one run of bound launches where nothing branches.
// This file counts every allocation of the test binary.
#include "driver/compiled_testing.h"
#include <atomic>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NEREUS_COUNTS 0
#elif defined(__has_feature)
#define NEREUS_COUNTS !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define NEREUS_COUNTS 1
#endif

static std::atomic<int64_t> allocations = 0;
#if NEREUS_COUNTS
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void* malloc(size_t size) { return ++allocations, __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return ++allocations, __libc_calloc(count, size); }
void* realloc(void* at, size_t size) { return ++allocations, __libc_realloc(at, size); }
void* aligned_alloc(size_t alignment, size_t size) { return ++allocations, __libc_memalign(alignment, size); }
}
#endif

namespace nereus {
namespace {
struct Case { const char *file, *entry; int64_t runs; };             // runs of launch lists; 0: not counted
constexpr Case cases[] = {
    {"straight.nr", "dense", 1},  {"straight.nr", "softmax", 1},   {"straight.nr", "batched", 1},
    {"memory.nr", "layers", 1},   {"layers.nr", "twelve_layers", 1}, {"memory.nr", "attention", 1},
    {"memory.nr", "steps", 7},    {"memory.nr", "blocks", 1},      {"control.nr", "arms", 0},
    {"memory.nr", "nested", 0},   {"memory.nr", "recurrent", 0},   {"memory.nr", "unequal_arms", 0},
    {"control.nr", "loop", 0},    {"control.nr", "doubling", 0},   {"memory.nr", "called_deep", 0},
    {"control.nr", "closures", 0}, {"control.nr", "cells", 0},     {"memory.nr", "boxes", 0},
    {"control.nr", "growing", 0}, {"straight.nr", "late", 0},
};

void costs_nothing(const Case& c) {
    SCOPED_TRACE(std::string(c.file) + " @" + c.entry);
    Compiled program(c.file, c.entry);
    ASSERT_TRUE(program.loaded);
    std::unique_ptr<Context> context = program.context();
    std::mt19937_64 random(3);
    RandomInputs inputs{program.typed, random, [](std::mt19937_64& r) { return int64_t(1 + r() % 20); }};
    std::vector<HostTensor> args, results(program.entry().result_leaves.size());
    for (const Value& arg : random_arguments(inputs)) args.push_back(arg.tensor());
    for (int warm = 0; warm < 2; ++warm) {
        Status first = context->run(program.entry(), args, results);
        ASSERT_TRUE(first) << first.error().message;
    }
    const Stats before = context->stats();
    int64_t counted = allocations;
    bool good = true;
    for (int call = 0; call < 5; ++call) good &= bool(context->run(program.entry(), args, results));
    counted = allocations - counted;
    EXPECT_TRUE(good);
    EXPECT_EQ(counted, 0);
    EXPECT_EQ(context->stats().plan_misses, before.plan_misses);
    EXPECT_EQ(context->stats().leaked_objects, 0);
    if (c.runs > 0) {
        EXPECT_EQ(context->stats().region_runs - before.region_runs, 5 * c.runs);
    }
}
} // namespace

TEST(SecondCall, AllocatesNothingAndRunsBoundLists) {
    if (!NEREUS_COUNTS) GTEST_SKIP() << "the sanitizer has its own allocator";
    EXPECT_GT(allocations, 0) << "the counter counts";
    for (const Case& c : cases) costs_nothing(c);
}

TEST(SecondCall, TwelveEqualLayersAreTheKernelsOfOne) {
    Compiled one("layers.nr", "one_layer"), twelve("layers.nr", "twelve_layers");
    ASSERT_TRUE(one.loaded && twelve.loaded);
    EXPECT_EQ(twelve.loaded->exe().kernels.size(), one.loaded->exe().kernels.size());
    EXPECT_EQ(twelve.loaded->exe().blob.size(), one.loaded->exe().blob.size());
    EXPECT_EQ(twelve.loaded->exe().launches.size(), 12 * one.loaded->exe().launches.size());
}
} // namespace nereus
