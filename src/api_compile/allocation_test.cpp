// Memory that runs out at any allocation becomes an error, and the context is usable after it.
#include "nereus/nereus.hpp"
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

namespace {
thread_local int64_t left = -1;                // allocations until one fails; -1: none does
thread_local int64_t allocations = 0;          // of this thread

[[maybe_unused]] void* allocate(size_t bytes, size_t alignment) {
    if (left == 0) throw std::bad_alloc();
    if (left > 0) --left;
    ++allocations;
    void* at = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (!at) throw std::bad_alloc();
    return at;
}
} // namespace

#ifndef NEREUS_THREAD_SANITIZER
void* operator new(size_t bytes) { return allocate(bytes ? bytes : 1, alignof(std::max_align_t)); }
void* operator new(size_t bytes, std::align_val_t alignment) { return allocate(bytes, size_t(alignment)); }
void operator delete(void* at) noexcept { std::free(at); }
void operator delete(void* at, size_t) noexcept { std::free(at); }
void operator delete(void* at, std::align_val_t) noexcept { std::free(at); }
void operator delete(void* at, size_t, std::align_val_t) noexcept { std::free(at); }
#endif

namespace {
using namespace nereus;

// Lets the first allocation fail, then the second, and so on until the work succeeds.
template <class Work> int failures_of(Work&& work) {
    for (int failures = 0;; ++failures) {
        left = failures;
        auto result = work();
        left = -1;
        if (result) return failures;
        EXPECT_EQ(result.error().code, Code::memory) << result.error().text;
        if (result.error().code != Code::memory) return failures;
    }
}

TEST(OutOfMemory, IsAnErrorWhereverItHappens) {
#ifdef NEREUS_THREAD_SANITIZER
    GTEST_SKIP() << "the sanitizer has its own allocator";
#endif
    constexpr std::string_view program = R"(
type Tree[a] = Leaf(a) | Node(Tree[a], Tree[a])
def @main(%t: Tree[Tensor[(d), f32]]) -> Tree[Tensor[(d), f32]] {
  match (%t) { Leaf(%x) => Leaf(tanh(%x) + 1.0), Node(%l, %r) => Node(@main(%r), @main(%l)) }
}
)";
    Result<Executable> executable = compile(program);
    ASSERT_TRUE(executable) << executable.error().text;
    std::vector<std::byte> bytes = *executable->to_bytes();
    std::vector<float> elements = {1, 2, 3};
    Result<Context> context = Context::make(*executable);
    ASSERT_TRUE(context) << context.error().text;
    Value leaf = Value::constructor("Leaf", {*Value::tensor<float>({3}, elements)});
    std::vector<Value> arguments = {
        Value::constructor("Node", {leaf, Value::constructor("Node", {leaf, leaf})})};
    Value expected = *context->call(arguments);
    std::string json = expected.to_json();

    EXPECT_GT(
        failures_of([&] { return Value::tensor<float>(Shape(), std::span<const float>(elements).first(1)); }),
        0);
    EXPECT_GT(failures_of([&] { return Value::from_json(json); }), 10);
    EXPECT_GT(failures_of([&] { return Executable::from_bytes(bytes); }), 10);
    EXPECT_GT(failures_of([&] { return executable->to_bytes(); }), 0);
    EXPECT_GT(failures_of([&] { return Context::make(*executable); }), 0);
    EXPECT_GT(failures_of([&] { return context->call(arguments); }), 10);
    Result<Value> after = context->call(arguments);
    ASSERT_TRUE(after) << after.error().text;
    EXPECT_EQ(*after, expected);
    EXPECT_EQ(context->stats().leaked_objects, 0);
}

TEST(OutOfMemory, IsThrownByWhatGivesNoResult) {
#ifdef NEREUS_THREAD_SANITIZER
    GTEST_SKIP() << "the sanitizer has its own allocator";
#endif
    const std::string longer(100, 'x');
    auto throws = [](auto&& make) {
        left = 0;
        try {
            (void)make();
        } catch (const std::bad_alloc&) { return left = -1, true; }
        return left = -1, false;
    };
    EXPECT_TRUE(throws([] { return Value::scalar(1.5f); }));
    EXPECT_TRUE(throws([&] { return Value::text(longer); }));
    const std::vector<std::string> texts(3, longer);
    const Shape shape = {3};
    EXPECT_GT(failures_of([&] { return Value::texts(shape, texts); }), 3);
}

TEST(Allocation, OfASecondCallIsItsResult) {
#ifdef NEREUS_THREAD_SANITIZER
    GTEST_SKIP() << "the sanitizer has its own allocator";
#endif
    Result<Executable> executable = compile("def @main(%x: Tensor[(n, d), f32], %w: Tensor[(d, m), f32]) { tanh(matmul(%x, %w)) }");
    ASSERT_TRUE(executable) << executable.error().text;
    Context context = *Context::make(*executable);
    const Value x = *Value::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}), w = *Value::tensor<float>({3, 1}, {1, 2, 3});
    const std::array<const nereus_value*, 2> arguments = {x.handle(), w.handle()};
    std::array<float, 2> out = {};
    const nereus_destination to = {out.data(), sizeof out};
    nereus_call_options options = {};
    options.struct_size = sizeof options;
    options.destinations = &to, options.destination_count = 1;
    for (int call = 0; call < 5; ++call) {
        const int64_t before = allocations;
        nereus_value* result = nullptr;
        nereus_status* status = nereus_context_call(context.handle(), &options, arguments.data(), 2, &result);
        const int64_t counted = allocations - before;
        ASSERT_FALSE(status);
        nereus_value_release(result);
        if (call == 0) continue;
        EXPECT_EQ(counted, 3) << "a value, its shape, the count of its memory's owners";
    }
    EXPECT_EQ(out[1], 1.0f);
}
} // namespace
