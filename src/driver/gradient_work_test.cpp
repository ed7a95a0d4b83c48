// K21: a gradient does at most five times the work of what it is the gradient of, and its work grows with the number of
// steps or nodes as that does. Counted in compiled code: points that kernels compute and bytes that they and copies touch.
#include "driver/compiled_testing.h"
#include <cstdio>

namespace nereus {
namespace {
struct Work { int64_t points = 0, bytes = 0; };

Value tensor(Extents shape) {
    HostTensor made = *HostTensor::make(DType::f64, std::move(shape));
    double* at = reinterpret_cast<double*>(*made.mutable_bytes());
    for (int64_t i = 0; i < made.count(); ++i) at[i] = double(i * 7919 % 101) / 101 - 0.5;
    return Value::tensor(std::move(made));
}
Value cell() { return Value::record({{"wx", tensor({64, 16})}, {"wh", tensor({64, 16})}, {"b", tensor({64})}}); }
Value tree_cell() { return Value::record({{"w", tensor({80, 32})}, {"b", tensor({80})}, {"u", tensor({32, 16})}, {"v", tensor({16})}}); }
Value table(int64_t rows) { return Value::record({{"rows", tensor({rows, 16})}, {"scale", tensor({16})}}); }
Value ids(int64_t n) {
    Value all = Value::ctor("Nil", {});
    for (int64_t i = 0; i < n; ++i) all = Value::ctor("Cons", {number_value(i * 13 % n), all});
    return all;
}
Value leaf() { return Value::ctor("Leaf", {tensor({16})}); }
Value balanced(int64_t leaves) {
    return leaves == 1 ? leaf() : Value::ctor("Node", {balanced(leaves / 2), balanced(leaves - leaves / 2)});
}
Value chain(int64_t leaves) {
    Value all = leaf();
    for (int64_t i = 1; i < leaves; ++i) all = Value::ctor("Node", {leaf(), all});
    return all;
}

using Arguments = std::vector<Value> (*)(int64_t n);
struct Case { const char* title; const char* file; const char* loss; const char* gradient; Arguments arguments; };
constexpr const char* own = "gradient_work.nr";
const Case cases[] = {
    {"indexed read in a loop", own, "indexed", "indexed_gradient", [](int64_t n) { return std::vector{tensor({n, 16}), tensor({16})}; }},
    {"in arms and an inner loop", own, "branches", "branches_gradient", [](int64_t n) { return std::vector{tensor({n, 16}), tensor({16})}; }},
    {"gather in a recursion", own, "looked_up", "looked_up_gradient", [](int64_t n) { return std::vector{table(n), ids(n)}; }},
    {"the same, call first", own, "counted", "counted_gradient", [](int64_t n) { return std::vector{tensor({n, 16}), tensor({16})}; }},
    {"rows of a cache", own, "cached", "cached_gradient", [](int64_t n) { return std::vector{tensor({n, 16}), tensor({16})}; }},
    {"weights of an LSTM", own, "lstm", "lstm_gradient", [](int64_t n) { return std::vector{cell(), tensor({n, 16})}; }},
    {"weights of a Tree-LSTM", "tree_lstm.nr", "loss", "gradient", [](int64_t n) { return std::vector{tree_cell(), balanced(n)}; }},
    {"the same on a chain", "tree_lstm.nr", "loss", "gradient", [](int64_t n) { return std::vector{tree_cell(), chain(n)}; }},
    {"state in a cell", own, "cell_state", "cell_state_gradient", [](int64_t n) { return std::vector{tensor({n, 16}), tensor({16})}; }},
    {"state in a cell that is kept", own, "kept_cell", "kept_cell_gradient", [](int64_t n) { return std::vector{tensor({n, 16}), tensor({16})}; }},
    {"Seq fold", own, "fold", "fold_gradient", [](int64_t n) { return std::vector{tensor({n, 16}), tensor({16})}; }},
    {"through a function value", own, "captured", "captured_gradient", [](int64_t n) { return std::vector{tensor({n, 16}), tensor({16})}; }},
    {"through a prelude function", own, "folded", "folded_gradient", [](int64_t n) { return std::vector{tensor({n, 16}), tensor({16})}; }},
    {"out of data", own, "in_data", "in_data_gradient", [](int64_t n) { return std::vector{tensor({n, 16}), tensor({16})}; }},
    {"out of a Seq", own, "in_seq", "in_seq_gradient", [](int64_t n) { return std::vector{tensor({n, 16}), tensor({16})}; }},
    {"out of a cell", own, "in_cell", "in_cell_gradient", [](int64_t n) { return std::vector{tensor({n, 16}), tensor({16})}; }},
    {"out of data, down a recursion", own, "handed", "handed_gradient", [](int64_t n) { return std::vector{tensor({n, 16}), tensor({16})}; }},
    {"in a checkpoint", own, "again", "again_gradient", [](int64_t n) { return std::vector{tensor({n, 16}), tensor({16})}; }},
    {"map over a list", own, "mapped", "mapped_gradient", [](int64_t n) { return std::vector{tensor({n, 16}), tensor({16})}; }},
};

Work work_of(const Compiled& program, std::span<const Value> args) {
    Work total;
    auto count = [&](std::string_view line) {
        long long points = 0, bytes = 0;
        if (std::sscanf(std::string(line).c_str(), "work %lld %lld", &points, &bytes) != 2) return;
        total.points += points, total.bytes += bytes;
    };
    ContextOptions options{.trace = count};
    Result<Value> done = program.context(options)->run(program.entry(), args);
    EXPECT_TRUE(done) << done.error().message;
    return total;
}

TEST(GradientWork, IsAtMostFiveTimesForwardAndLinear) {
    std::printf("%-30s %6s %12s %12s %6s %12s %12s %6s\n", "", "n", "points", "gradient", "ratio", "bytes", "gradient", "ratio");
    for (const Case& c : cases) {
        SCOPED_TRACE(c.title);
        Compiled loss(c.file, c.loss), gradient(c.file, c.gradient);
        ASSERT_TRUE(loss.loaded && gradient.loaded);
        Work forward[3], backward[3];
        for (int i = 0; i < 3; ++i) {
            int64_t n = int64_t(64) << i;
            std::vector<Value> args = c.arguments(n);
            forward[i] = work_of(loss, args), backward[i] = work_of(gradient, args);
            double points = double(backward[i].points) / double(forward[i].points), bytes = double(backward[i].bytes) / double(forward[i].bytes);
            std::printf("%-30s %6lld %12lld %12lld %6.2f %12lld %12lld %6.2f\n", c.title, (long long)n, (long long)forward[i].points,
                        (long long)backward[i].points, points, (long long)forward[i].bytes, (long long)backward[i].bytes, bytes);
            EXPECT_LE(points, 5);
            EXPECT_LE(bytes, 5);
        }
        // A quadratic part would double with each of the two differences.
        auto linear = [](int64_t a, int64_t b, int64_t d) { return double(d - b) <= 2.05 * double(b - a); };
        EXPECT_TRUE(linear(backward[0].points, backward[1].points, backward[2].points));
        EXPECT_TRUE(linear(backward[0].bytes, backward[1].bytes, backward[2].bytes));
    }
}

const Case forward_cases[] = {
    {"changes of an LSTM", own, "lstm", "lstm_tangent", [](int64_t n) { return std::vector{cell(), tensor({n, 16})}; }},
    {"changes in a recursion", own, "looked_up", "looked_up_tangent", [](int64_t n) { return std::vector{table(n), ids(n)}; }},
};

TEST(TangentWork, IsAtMostFourTimesForwardAndLinear) {
    for (const Case& c : forward_cases) {
        SCOPED_TRACE(c.title);
        Compiled loss(c.file, c.loss), tangent(c.file, c.gradient);
        ASSERT_TRUE(loss.loaded && tangent.loaded);
        for (int64_t n : {64, 256}) {
            std::vector<Value> args = c.arguments(n);
            const Work once = work_of(loss, args), with = work_of(tangent, args);
            const double points = double(with.points) / double(once.points), bytes = double(with.bytes) / double(once.bytes);
            std::printf("%-30s %6lld %12lld %12lld %6.2f %12lld %12lld %6.2f\n", c.title, (long long)n, (long long)once.points,
                        (long long)with.points, points, (long long)once.bytes, (long long)with.bytes, bytes);
            EXPECT_LE(points, 4);
            EXPECT_LE(bytes, 4);
        }
    }
}

TEST(TangentWork, KeepsNothingPerStep) {
    Compiled tangent(own, "lstm_tangent");
    ASSERT_TRUE(tangent.loaded);
    int64_t bytes[2];
    for (int i = 0; i < 2; ++i) {
        std::vector<Value> args{cell(), tensor({int64_t(64) << i, 16})};
        auto context = tangent.context({});
        ASSERT_TRUE(context->run(tangent.entry(), args));
        bytes[i] = context->stats().peak_bytes;
    }
    EXPECT_LE(bytes[1] - bytes[0], 2 * 64 * 16 * 8 + 4096);          // the change of the input is brought into form: as large as that
}
} // namespace
} // namespace nereus
