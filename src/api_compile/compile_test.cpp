#include "nereus/nereus.hpp"
#include "nereus/plugin.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace {
using nereus::Code;
using nereus::Context;
using nereus::Executable;
using nereus::Result;
using nereus::Value;

constexpr std::string_view trees = R"(
type Tree[a] = Leaf(a) | Node(Tree[a], Tree[a])
type Pair[d: dim] = {left: Tensor[(d), f32], right: Tensor[(2*d), f32]}
def @mirror(%t: Tree[Tensor[(d), f32]]) -> Tree[Tensor[(d), f32]] {
  match (%t) {
    Leaf(%x) => Leaf(%x * 2.0),
    Node(%l, %r) => Node(@mirror(%r), @mirror(%l))
  }
}
def @all(%t: Tree[Tensor[(d), f32]], %p: Pair[d], %s: Seq[Tensor[(d), f32]], %k: (i64, bool)) {
  (@mirror(%t), %p, push(%s, %p.left), %k)
}
def @deep(%k: i64) -> i64 { if (%k == 0) { 0 } else { 1 + @deep(%k - 1) } }
def @divide(%x: Tensor[(n), i64], %y: Tensor[(n), i64]) { %x // %y }
def @dense(%x: Tensor[(n, d), f32], %w: Tensor[(d, m), f32]) { tanh(matmul(%x, %w)) }
def @spin(%k: i64) { while (%i = 0) (%i < %k) { %i + 1 } }
)";

Executable compiled(std::string_view entry) {
    Result<Executable> made = nereus::compile(trees, {.entry = std::string(entry), .name = "trees.nr"});
    if (!made) ADD_FAILURE() << made.error().text;
    return *made;
}
Context context_of(const Executable& executable, const nereus::ContextOptions& options = {}) {
    return *Context::make(executable, options);
}
Value floats(std::vector<float> data) { return *Value::tensor<float>({int64_t(data.size())}, data); }
Value leaf(std::vector<float> data) { return Value::constructor("Leaf", {floats(std::move(data))}); }

TEST(PublicCompile, EveryKindOfValueGoesInAndOut) {
    Context context = context_of(compiled("all"));
    for (int64_t d : {0, 1, 3, 8}) {
        std::vector<float> x(size_t(d), 1.5f), twice(size_t(d), 3.0f), wide(size_t(2 * d), 4.0f);
        Value tree =
            Value::constructor("Node", {leaf(x), Value::constructor("Node", {leaf(x), leaf(twice)})});
        Value pair = Value::record({{"right", floats(wide)}, {"left", floats(x)}});
        Value numbers = Value::tuple({Value::scalar(int64_t(7)), Value::scalar(true)});
        Result<Value> result = context.call({tree, pair, Value::sequence({floats(twice)}), numbers});
        ASSERT_TRUE(result) << result.error().text;
        EXPECT_EQ((*result)[0][0][0][0].data<float>().size(), size_t(d));
        EXPECT_EQ((*result)[0][1], leaf(twice));
        EXPECT_EQ((*result)[1], Value::record({{"left", floats(x)}, {"right", floats(wide)}}));
        EXPECT_EQ((*result)[2], Value::sequence({floats(twice), floats(x)}));
        EXPECT_EQ((*result)[3], numbers);
    }
    EXPECT_EQ(context.stats().calls, 4);
    EXPECT_EQ(context.stats().leaked_objects, 0);
    EXPECT_GT(context.stats().object_bytes, 0);
}

TEST(PublicCompile, SignaturesAreText) {
    std::vector<nereus::Signature> entries = compiled("all").entries();
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].name, "all");
    EXPECT_EQ(entries[0].sizes, std::vector<std::string>{"d"});
    ASSERT_EQ(entries[0].parameters.size(), 4u);
    EXPECT_EQ(entries[0].parameters[0].name, "t");
    EXPECT_EQ(entries[0].parameters[0].type, "Leaf(Tensor[(d), f32]) | Node(Leaf|Node, Leaf|Node)");
    EXPECT_EQ(entries[0].parameters[1].type, "{left: Tensor[(d), f32], right: Tensor[(2*d), f32]}");
    EXPECT_EQ(entries[0].parameters[2].type, "Seq[Tensor[(d), f32]]");
    EXPECT_EQ(entries[0].parameters[3].type, "(i64, bool)");
    EXPECT_EQ(compiled("dense").entries()[0].sizes, (std::vector<std::string>{"n", "d", "m"}));
}

TEST(PublicCompile, ArgumentsByName) {
    Context context = context_of(compiled("divide"));
    Value x = *Value::tensor<int64_t>({2}, {9, 8}), y = *Value::tensor<int64_t>({2}, {3, 2});
    EXPECT_EQ(*context.call_named({{"y", y}, {"x", x}}), *Value::tensor<int64_t>({2}, {3, 4}));
    EXPECT_EQ(*context.call("@divide", {x, y}), *context.call("divide", {x, y}));
    EXPECT_EQ(context.call_named({{"x", x}}).error().message, "argument %y is missing");
    EXPECT_EQ(context.call_named({{"x", x}, {"y", y}, {"z", y}}).error().message,
              "@divide has no parameter %z");
    EXPECT_EQ(context.call_named({{"x", x}, {"y", y}, {"x", y}}).error().message,
              "argument %x is given twice");
    EXPECT_EQ(context.call("other", {x, y}).error().code, Code::name);
    EXPECT_EQ(context.call("other", {x, y}).error().hint, "it has @divide");
}

TEST(PublicCompile, AContextIsUsableAfterAnError) {
    Context context = context_of(compiled("divide"));
    Value x = *Value::tensor<int64_t>({2}, {9, 8}), y = *Value::tensor<int64_t>({2}, {3, 2}),
          zero = *Value::tensor<int64_t>({2}, {3, 0});
    for (int i = 0; i < 3; ++i) {
        Result<Value> failed = context.call({x, zero});
        ASSERT_FALSE(failed);
        EXPECT_EQ(failed.error().code, Code::value);
        EXPECT_EQ(failed.error().where.file, "trees.nr");
        EXPECT_EQ(failed.error().where.line, 14);
        EXPECT_EQ(failed.error().where.column, 59);
        EXPECT_EQ(failed.error().text, "trees.nr:14:59: error: division by zero\n");
        EXPECT_EQ(context.call({x}).error().code, Code::usage);
        EXPECT_EQ(context.call({x, floats({1, 2})}).error().code, Code::type);
        EXPECT_EQ(context.call({x, *Value::tensor<int64_t>({1}, {1})}).error().code, Code::shape);
        EXPECT_TRUE(context.call({x, y}));
    }
}

TEST(PublicCompile, ErrorsShowTheirPlace) {
    Result<Executable> failed = nereus::compile(
        "def @main(%x: Tensor[(n, 3), f32], %w: Tensor[(4, m), f32]) {\n  matmul(%x, %w)\n}\n");
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, Code::shape);
    EXPECT_EQ(nereus::code_name(failed.error().code), "shape");
    EXPECT_EQ(failed.error().where.file, "program.nr");
    EXPECT_EQ(failed.error().where.line, 2);
    EXPECT_EQ(failed.error().text, "program.nr:2:3: error: matmul: inner dims: 3 and 4 differ\n"
                                   "      matmul(%x, %w)\n"
                                   "      ^~~~~~~~~~~~~~\n");
    EXPECT_EQ(nereus::compile("def @main( {").error().code, Code::parse);
    EXPECT_EQ(nereus::compile(trees, {.entry = "nobody"}).error().code, Code::name);
    EXPECT_FALSE(nereus::compile(trees, {.entry = "deep", .target = "z80"}));
    EXPECT_EQ(nereus::compile_file("/no/such/file.nr").error().code, Code::io);
}

TEST(PublicCompile, LimitsAndPeaks) {
    Context small = context_of(compiled("deep"), {.memory_limit = 1'000'000});
    EXPECT_EQ(small.call({Value::scalar(int64_t(1'000'000))}).error().code, Code::memory);
    EXPECT_EQ(small.call({Value::scalar(int64_t(100))})->item<int64_t>(), 100);
    Context context = context_of(compiled("dense"));
    for (int64_t n : {1, 5, 64}) {
        std::vector<float> x(size_t(n * 3), 1.0f), w(3 * 2, 1.0f);
        Value arguments[] = {*Value::tensor<float>({n, 3}, x), *Value::tensor<float>({3, 2}, w)};
        ASSERT_TRUE(context.call(arguments));
        Result<int64_t> peak = context.peak({{"n", n}, {"d", 3}, {"m", 2}});
        ASSERT_TRUE(peak) << peak.error().text;
        EXPECT_EQ(*peak, context.stats().peak_bytes);
        EXPECT_EQ(*context.peak(arguments), context.stats().peak_bytes);
        EXPECT_EQ(*context.peak({arguments[0], arguments[1]}), context.stats().peak_bytes);
    }
    EXPECT_EQ(context.peak({{"n", 1}}).error().message, "size d has no number");
    EXPECT_EQ(context.peak({}).error().message, "size n has no number");
    EXPECT_EQ(context.peak({Value()}).error().code, Code::usage);
    context.trim();
    Context mirror = context_of(compiled("mirror"));
    Value tree = Value::constructor("Node", {Value::constructor("Node", {leaf({1}), leaf({2})}), leaf({3})});
    Result<int64_t> peak = mirror.peak({tree});
    ASSERT_TRUE(peak) << peak.error().text;
    ASSERT_TRUE(mirror.call({tree}));
    EXPECT_EQ(*peak, mirror.stats().peak_bytes);
    EXPECT_GT(mirror.stats().object_bytes, 0);
    EXPECT_EQ(mirror.peak({{"d", 1}}).error().code, Code::limit) << "sizes do not tell the tree";
}

TEST(PublicCompile, AMillionLevelsThroughACall) {
    Value tree = leaf({1});
    for (int i = 0; i < 1'000'000; ++i) tree = Value::constructor("Node", {std::move(tree), leaf({2})});
    Context context = context_of(compiled("mirror"));
    Result<Value> mirrored = context.call({tree});
    ASSERT_TRUE(mirrored) << mirrored.error().text;
    int levels = 0;
    for (Value at = *mirrored; at.constructor_name() == "Node"; at = at[1]) ++levels;
    EXPECT_EQ(levels, 1'000'000);
}

TEST(PublicCompile, ThreadsShareOneExecutable) {
    Executable executable = compiled("dense");
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([executable, t] {
            Context context = context_of(executable);
            for (int64_t n = 1; n < 40; ++n) {
                std::vector<float> x(static_cast<size_t>(n), float(t));
                Result<Value> y =
                    context.call({*Value::tensor<float>({n, 1}, x), *Value::tensor<float>({1, 1}, {0.5f})});
                ASSERT_TRUE(y) << y.error().text;
                for (float found : y->data<float>()) ASSERT_NEAR(found, std::tanh(0.5f * float(t)), 1e-6);
            }
        });
    for (std::thread& thread : threads) thread.join();
}

TEST(PublicCompile, ThreadsCompileAtTheSameTime) {
    std::vector<std::vector<std::byte>> bytes(4);
    std::vector<std::thread> threads;
    threads.reserve(bytes.size());
    for (std::vector<std::byte>& out : bytes)
        threads.emplace_back([&out] { out = *compiled("mirror").to_bytes(); });
    for (std::thread& thread : threads) thread.join();
    for (const std::vector<std::byte>& one : bytes) EXPECT_EQ(one, bytes[0]);
}

TEST(PublicCompile, AnotherThreadCancels) {
    Context context = context_of(compiled("spin"));
    std::atomic<bool> done = false;
    std::thread other([&] {
        while (!done) {
            context.cancel();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    EXPECT_EQ(context.call({Value::scalar(INT64_MAX)}).error().code, Code::cancelled);
    done = true;
    other.join();
    EXPECT_EQ(context.call({Value::scalar(int64_t(5))})->item<int64_t>(), 5);
}

TEST(PublicCompile, DeadlinesAndTokens) {
    using Clock = std::chrono::steady_clock;
    Context context = context_of(compiled("spin"));
    nereus::CancelToken token = *nereus::CancelToken::make();
    const Value endless[] = {Value::scalar(INT64_MAX)}, five[] = {Value::scalar(int64_t(5))};
    const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(20);
    EXPECT_EQ(context.call(endless, {.deadline = deadline}).error().code, Code::deadline);
    EXPECT_GE(Clock::now(), deadline);
    EXPECT_EQ(context.call(five, {.deadline = deadline}).error().message, "the time given for the call is over");
    std::thread other([copy = token]() mutable {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        copy.trigger();
    });
    EXPECT_EQ(context.call(endless, {.cancel = &token}).error().code, Code::cancelled);
    other.join();
    EXPECT_EQ(context.call(five, {.cancel = &token}).error().code, Code::cancelled) << "until it is reset";
    token.reset();
    EXPECT_EQ(context.call(five, {.deadline = Clock::now() + std::chrono::hours(1), .cancel = &token})->item<int64_t>(), 5);
}

// Each way a call can fail while it holds results, objects and arenas.
TEST(PublicCompile, TrimGivesBackWhatAFailedCallHeld) {
    constexpr std::string_view text = R"(
        def @main(%x: Tensor[(n), f32], %k: i64, %i: Tensor[(m), i64], %spins: i64) {
          %kept = for %j in %k, (%s = []) { push(%s, %x + cast(%j, f32)) }
          %sum = matmul(reshape(tanh(%x), [n, 1]), reshape(%x, [1, n]))
          (%sum, %kept, gather(%x, %i, axis=0), while (%c = 0) (%c < %spins) { %c + 1 })
        })";
    static int64_t live = 0;
    const nereus::Allocator counted{[](void*, size_t bytes, size_t alignment) -> void* { return ++live, std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment); },
                                    [](void*, void* memory, size_t) { --live, std::free(memory); }};
    Executable executable = *nereus::compile(text);
    Context context = context_of(executable, {.memory_limit = 100'000'000, .allocator = counted});
    auto call = [&](int64_t n, int64_t k, int64_t at, int64_t spins, nereus::CallOptions options = {}) {
        const Value arguments[] = {floats(std::vector<float>(size_t(n), 1)), Value::scalar(k), *Value::tensor<int64_t>({1}, {at}), Value::scalar(spins)};
        return context.call(arguments, options);
    };
    auto is_given_back = [&](const char* what) {
        EXPECT_GT(context.stats().kept_bytes, 0) << what;
        context.trim();
        EXPECT_EQ(context.stats().kept_bytes, 0) << what;
        EXPECT_EQ(context.stats().leaked_objects, 0) << what;
        EXPECT_EQ(live, 0) << what;
    };
    ASSERT_TRUE(call(100, 3, 0, 1));
    is_given_back("returned, and the result is gone");
    EXPECT_EQ(call(1000, 50, 0, INT64_MAX, {.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20)}).error().code, Code::deadline);
    is_given_back("deadline");
    nereus::CancelToken token = *nereus::CancelToken::make();
    std::thread other([copy = token]() mutable {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        copy.trigger();
    });
    EXPECT_EQ(call(1000, 50, 0, INT64_MAX, {.cancel = &token}).error().code, Code::cancelled);
    other.join();
    is_given_back("cancelled");
    EXPECT_EQ(call(1000, 100'000'000, 0, 1).error().code, Code::memory);
    is_given_back("out of memory");
    EXPECT_EQ(call(1000, 2, 1000, 1).error().code, Code::value);
    is_given_back("an index out of range");
    ASSERT_TRUE(call(100, 3, 0, 1)) << "ready for the next call";
}

TEST(PublicCompile, ResultsGoWhereTheyFit) {
    Context context = context_of(compiled("divide"));
    const Value arguments[] = {*Value::tensor<int64_t>({2}, {9, 8}), *Value::tensor<int64_t>({2}, {3, 2})};
    int64_t out[2] = {};
    nereus::Destination to = {out, sizeof out};
    Result<Value> result = context.call(arguments, {.destinations = {&to, 1}});
    ASSERT_TRUE(result) << result.error().text;
    EXPECT_EQ(result->data<int64_t>().data(), out);
    EXPECT_EQ(out[1], 4);
    to.bytes = 8;
    result = context.call(arguments, {.destinations = {&to, 1}});
    EXPECT_NE(result->data<int64_t>().data(), out);
    EXPECT_EQ(*result, *Value::tensor<int64_t>({2}, {3, 4}));
}

TEST(PublicCompile, SavesAndLoads) {
    std::string name = "nereus_api_" + std::to_string(::getpid()) + ".nrx";
    std::string path = (std::filesystem::temp_directory_path() / name).string();
    Executable executable = compiled("mirror");
    ASSERT_TRUE(executable.save(path));
    Result<Executable> loaded = Executable::load(path);
    ASSERT_TRUE(loaded) << loaded.error().text;
    EXPECT_EQ(*loaded->to_bytes(), *executable.to_bytes());
    EXPECT_EQ(loaded->target(), executable.target());
    EXPECT_GT(loaded->counts().code_bytes, 0);
    Value tree = Value::constructor("Node", {leaf({1, 2}), leaf({3, 4})});
    EXPECT_EQ(*context_of(*loaded).call({tree}), *context_of(executable).call({tree}));

    std::vector<std::byte> bytes = *executable.to_bytes();
    bytes[bytes.size() / 2] ^= std::byte(1);
    EXPECT_EQ(Executable::from_bytes(bytes).error().code, Code::corrupt);
    EXPECT_FALSE(Executable::from_bytes({}));
    EXPECT_EQ(Executable::load(path + ".none").error().code, Code::io);
    std::ofstream(path) << "not an artefact";
    EXPECT_TRUE(Executable::load(path).error().message.starts_with(path + ": "));
    EXPECT_EQ(executable.save("/no/such/folder/x.nrx").error().code, Code::io);
    std::filesystem::remove(path);
}

TEST(PublicCompile, EveryTarget) {
    Value x = *Value::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}),
          w = *Value::tensor<float>({3, 1}, {1, -1, .5f});
    Value expected = *context_of(compiled("dense")).call({x, w});
    for (const char* target : {"x86-64-v2", "x86-64-v3", "host"})
        for (bool checked : {false, true}) {
            Result<Executable> made =
                nereus::compile(trees, {.entry = "@dense", .target = target, .checked = checked});
            ASSERT_TRUE(made) << made.error().text;
            Result<Value> found = context_of(*made).call({x, w});
            ASSERT_TRUE(found) << found.error().text;
            EXPECT_FALSE(found->difference(expected, {.relative = 1e-5}));
        }
}

TEST(PublicCompile, PrintGoesWhereItIsTold) {
    Result<Executable> made =
        nereus::compile("def @main(%x: Tensor[(n), i64]) {\n  print(\"x is\", %x)\n  %x\n}\n");
    ASSERT_TRUE(made) << made.error().text;
    std::string printed;
    nereus::ContextOptions options;
    options.print = [&](std::string_view line) { printed += line; };
    ASSERT_TRUE(context_of(*made, options).call({*Value::tensor<int64_t>({2}, {1, 2})}));
    EXPECT_EQ(printed, "x is Tensor[(2), i64] [1, 2]");
}

TEST(PublicCompile, ARefusedOperatorIsInNobodysWay) {
    nereus_plugin_op op{};
    op.struct_size = sizeof op, op.name = "conv", op.inputs = "x", op.types = "float a: a -> a";
    op.infer = [](nereus_plugin_infer*, void*) -> nereus_plugin_result { return 1; };
    op.kernel = [](nereus_plugin_run*, void*) -> nereus_plugin_result { return 1; };
    ASSERT_EQ(nereus_register_op(&op), nullptr);
    Result<Executable> told = nereus::compile("def @main(%x: Tensor[(n), f32]) { %x }", {.name = "x.nr"});
    ASSERT_FALSE(told);
    EXPECT_NE(told.error().text.find("'conv' from outside: the language has an operator of this name"), std::string::npos) << told.error().text;
    EXPECT_TRUE(nereus::compile("def @main(%x: Tensor[(n), f32]) { %x }", {.name = "x.nr"}));
}

// Threads of one call, from outside.
TEST(PublicCompile, AContextHasThreads) {
    const Executable program = compiled("dense");
    const std::vector<float> numbers(256 * 256, 0.01f);
    const Value x = *Value::tensor<float>({256, 256}, numbers);
    Result<Context> alone = Context::make(program), helped = Context::make(program, {.threads = 3});
    ASSERT_TRUE(alone && helped);
    Result<Value> expected = alone->call({x, x}), found = helped->call({x, x});
    ASSERT_TRUE(expected && found);
    EXPECT_TRUE(std::ranges::equal(expected->data<float>(), found->data<float>()));
    EXPECT_FALSE(Context::make(program, {.threads = 65}));
    helped->trim();
    EXPECT_EQ(helped->stats().kept_bytes, 0);
    EXPECT_TRUE(helped->call({x, x}));
}

TEST(PublicCompile, Files) {
    Result<Executable> made = nereus::compile_file(NEREUS_SOURCE_DIR "/examples/tree_encoder.nr");
    ASSERT_TRUE(made) << made.error().text;
    EXPECT_EQ(made->entries()[0].result, "(Tensor[(_), f32], i64)");
}
} // namespace
