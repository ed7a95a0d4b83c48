// A second call at the same shapes allocates nothing. This file counts every allocation of the test binary.
#include "vm/assembled.h"
#include <atomic>
#include <gtest/gtest.h>

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
static int32_t twice(const Launch* l, int64_t, int64_t, Worker*) {
    for (int64_t i = 0; i < l->p[4]; ++i)
        static_cast<float*>(l->buf[0])[i] = 2 * static_cast<const float*>(l->buf[1])[i];
    return 0;
}

TEST(Allocation, SecondCallAtTheSameShapesAllocatesNothing) {
    if (!NEREUS_COUNTS) GTEST_SKIP() << "the sanitizer has its own allocator";
    const Kernel library[] = {twice};
    Assembled f(R"(
        type {axes: [0]}
        type {dtype: i64}
        type {kind: tuple, fields: [[0, 1, 0]]}
        kernel {name: "twice", library: true, layout: {groups: [{buffers: [0, 1]}], buffers: [f32, f32]}}
        site {}
        launch {buffers: [{index: 0, bytes: p1}, {kind: address, index: 1, bytes: p1}], groups: [{extents: [p0], strides: [1, 1]}]}
        launch {buffers: [{kind: address, index: 2, bytes: p1}, {index: 0, bytes: p1}], groups: [{extents: [p0], strides: [1, 1]}], step: 1}
        entry {name: "f", sizes: 1, size_names: ["n"], params: [{name: "x"}], param_leaves: [{kind: address}], result_type: 2,
               result_leaves: [{kind: address}, {kind: number, type: 1}, {}]}
        region {key: [0], slots: [{bytes: p1, last: 1}], lists: [[0, 1]]}
        function f(2) -> 3 registers 4 {
          r2 = new_output.f32 (r0), 0
          enter 0
          run 0
          r3 = new_tensor.f32 (r0)
          leave (r2, r0, r3)
        }
        plan 0 { r2 = load_constant 4 r1 = size_mul r0, r2 leave () })",
                {}, library);
    std::vector<HostTensor> args = {HostTensor::of<float>({3}, {1, 2, 3})}, results(3);
    ASSERT_TRUE(f.context->run(f.entry(), args, results));
    ASSERT_TRUE(f.context->run(f.entry(), args, results));
    int64_t before = allocations;
    EXPECT_GT(before, 0) << "the counter counts";
    bool good = true;
    for (int i = 0; i < 10; ++i) good &= bool(f.context->run(f.entry(), args, results));
    int64_t after = allocations;
    EXPECT_TRUE(good);
    EXPECT_EQ(after - before, 0);
    EXPECT_EQ(results[0].as_f64(2), 12);
    EXPECT_EQ(results[1].as_i64(0), 3);
    EXPECT_EQ(f.stats().leaked_objects, 0);
}
} // namespace nereus
