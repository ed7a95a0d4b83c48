// Contexts do not wait for each other: a call that is held inside a kernel delays no call on another context.
#include "vm/assembled.h"
#include <condition_variable>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

namespace nereus {
namespace {
struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool entered = false, open = false;
};
Gate& gate() {
    static Gate one;
    return one;
}

// y = 2 x; an x that begins with a negative number waits at the gate first.
int32_t twice_or_wait(const Launch* l, int64_t, int64_t, Worker*) {
    auto* y = static_cast<float*>(l->buf[0]);
    auto* x = static_cast<const float*>(l->buf[1]);
    if (x[0] < 0) {
        std::unique_lock lock(gate().mutex);
        gate().entered = true;
        gate().changed.notify_all();
        gate().changed.wait(lock, [] { return gate().open; });
    }
    for (int64_t i = 0; i < l->p[4]; ++i) y[i] = 2 * x[i];
    return 0;
}
} // namespace

TEST(Threads, ACallHeldInAKernelDelaysNoOther) {
    const Kernel library[] = {twice_or_wait};
    Assembled f(R"(
        type {axes: [0]}
        kernel {name: "twice", library: true, layout: {groups: [{buffers: [0, 1]}], buffers: [f32, f32]}, outs: [0]}
        site {}
        launch {buffers: [{kind: address, index: 2, bytes: p1}, {kind: address, index: 1, bytes: p1}], groups: [{extents: [p0], strides: [1, 1]}]}
        entry {name: "f", sizes: 1, size_names: ["n"], params: [{name: "x"}], param_leaves: [{kind: address}], result_leaves: [{kind: address}]}
        region {key: [0], lists: [[0]]}
        function f(2) -> 1 registers 3 {
          r2 = new_output.f32 (r0), 0
          enter 0
          run 0
          leave (r2)
        }
        plan 0 { r2 = load_constant 4 r1 = size_mul r0, r2 leave () })",
                {}, library);
    std::vector<HostTensor> held_results(1);
    std::thread held([&] {
        std::vector<HostTensor> args = {HostTensor::of<float>({2}, {-1, 5})};
        EXPECT_TRUE(f.context->run(f.entry(), args, held_results));
    });
    {
        std::unique_lock lock(gate().mutex);
        gate().changed.wait(lock, [] { return gate().entered; });
    }
    Result<std::unique_ptr<Context>> other = Context::make(f.program);
    ASSERT_TRUE(other);
    for (int call = 0; call < 100; ++call) {             // would never end if they waited for the one at the gate
        std::vector<HostTensor> args = {call % 2 ? HostTensor::of<float>({1}, {4}) : HostTensor::of<float>({2}, {4, 5})};
        std::vector<HostTensor> results(1);
        ASSERT_TRUE((*other)->run(f.entry(), args, results));
        ASSERT_EQ(results[0].as_f64(0), 8);
    }
    {
        std::unique_lock lock(gate().mutex);
        gate().open = true;
    }
    gate().changed.notify_all();
    held.join();
    EXPECT_EQ(held_results[0].as_f64(1), 10);
}
} // namespace nereus
