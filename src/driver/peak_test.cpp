// The peak that is predicted from the structure of arguments is what a run then needs, to the byte: for every program there
// is, and for gradients of recurrent and recursive networks, in steps, nodes and depth.
#include "driver/compiled_testing.h"
#include "exe/artefact.h"
#include <chrono>
#include <cstdio>
#include <filesystem>

namespace nereus {
namespace {
enum class Known { exactly, at_most, never };
struct Exception { const char *file, *entry; Known known; const char* reason; };
// All others are known exactly.
constexpr Exception exceptions[] = {
    {"tail.nr", "until", Known::at_most, "how often a loop runs follows from elements"},
    {"tail.nr", "grown", Known::at_most, "as until"},
    {"run_time_axes.nr", "two", Known::never, "axes are elements"},
    {"run_time_axes.nr", "two_kept", Known::never, "axes are elements"},
    {"unranked.nr", "where_set", Known::at_most, "nonzero: a size is how many elements are so"},
    {"straight.nr", "late", Known::at_most, "nonzero"},
    {"topk.nr", "late", Known::at_most, "nonzero"},
    {"in_place.nr", "late_size", Known::at_most, "nonzero"},
    {"strings.nr", "parts", Known::at_most, "nonzero"},
    {"unranked.nr", "one_of", Known::at_most, "nonzero"},
    {"sizes.nr", "through_floats", Known::never, "a tenth of a size by way of f32: the exact product may not fit 64 bits, so it is read"},
    {"strings.nr", "made", Known::never, "how many parts texts have is a size"},
    {"derivatives.nr", "second_derivatives", Known::at_most, "which function is differentiated follows from an element"},
};
Known expected(const std::string& file, const std::string& entry) {
    for (const Exception& each : exceptions)
        if (file == each.file && entry == each.entry) return each.known;
    return Known::exactly;
}

int64_t run_twice(const Compiled& program, Context& context, std::span<const Value> args, int64_t predicted) {
    int64_t measured = -1;
    for (int again = 0; again < 2; ++again) {
        Result<Value> result = context.run(program.entry(), args);
        if (!result) return -1;
        if (again == 1) {
            EXPECT_EQ(measured, context.stats().peak_bytes);
        }
        measured = context.stats().peak_bytes;
        Result<int64_t> peak = context.peak(program.entry(), args);
        EXPECT_EQ(peak ? *peak : -1, predicted) << "a run changes what is predicted";
    }
    return measured;
}

// How many calls went through, and were known exactly.
std::pair<int, int> predict(const std::string& file, const std::string& entry) {
    SCOPED_TRACE(file + " @" + entry);
    Compiled program(file, entry);
    if (!program.loaded) return {};
    std::mt19937_64 random(5);
    const Known known = expected(file, entry);
    int ran = 0, refused = 0, exact = 0;
    for (int call = 0; call < 12; ++call) {
        RandomInputs inputs{program.typed, random};
        std::vector<Value> args = random_arguments(inputs);
        std::unique_ptr<Context> context = program.context({.print = [](std::string_view) {}});
        Result<int64_t> peak = context->peak(program.entry(), args);         // before anything ran
        int64_t measured = run_twice(program, *context, args, peak ? *peak : -1);
        if (measured < 0) continue;
        ++ran;
        if (!peak) {
            EXPECT_EQ(peak.error().code, Code::limit) << peak.error().message;
            EXPECT_TRUE(peak.error().where.known() || known == Known::exactly);
            EXPECT_EQ(known, Known::never) << peak.error().message;
            ++refused;
            continue;
        }
        exact += *peak == measured;
        EXPECT_GE(*peak, measured) << "too little is promised";
        if (known != Known::at_most) {
            EXPECT_EQ(*peak, measured);
        }
    }
    EXPECT_EQ(refused > 0, known == Known::never);
    EXPECT_EQ(exact < ran - refused, known == Known::at_most) << "strike it from the exceptions";
    return {ran, exact};
}

struct Row { std::string what; int64_t predicted, measured; };
void print_table(const char* title, std::span<const Row> rows) {
    std::printf("%-34s %14s %14s\n", title, "predicted", "measured");
    for (const Row& row : rows) std::printf("%-34s %14ld %14ld\n", row.what.c_str(), long(row.predicted), long(row.measured));
    std::fflush(stdout);
}

// As compiled and as loaded from an artefact; on a context that has run other sizes and on a fresh one.
struct Predicted {
    Compiled program;
    std::unique_ptr<Context> used = program.context();
    std::shared_ptr<const LoadedExecutable> artefact = *LoadedExecutable::load(*load(*save(program.loaded->exe())), library());

    Row operator()(std::string what, std::span<const Value> args) {
        std::unique_ptr<Context> fresh = program.context(), loaded = std::move(*Context::make(artefact, {}));
        Result<int64_t> peak = fresh->peak(program.entry(), args);
        EXPECT_TRUE(peak) << what << ": " << peak.error().message;
        if (!peak) return {std::move(what), -1, 0};
        for (Context* context : {fresh.get(), loaded.get(), used.get()}) {
            const EntryInfo& entry = context->program().exe().entries[0];
            Result<Value> result = context->run(entry, args);
            EXPECT_TRUE(result) << result.error().message;
            EXPECT_EQ(*peak, context->stats().peak_bytes) << what;
            EXPECT_EQ(*peak, *context->peak(entry, args)) << what;
            EXPECT_GT(context->stats().object_bytes, 0);
        }
        return {std::move(what), *peak, fresh->stats().peak_bytes};
    }
};

Value reals(Extents shape) {
    HostTensor made = *HostTensor::make(DType::f64, std::move(shape));
    std::fill_n(reinterpret_cast<double*>(*made.mutable_bytes()), made.count(), 0.125);
    return Value::tensor(std::move(made));
}

struct Trees {
    std::mt19937_64 random{17};
    int64_t d = 1;
    int deepest = 0;                         // of the tree made last

    Value cell() {
        return Value::record({{"w", reals({5 * d, 2 * d})}, {"b", reals({5 * d})}, {"u", reals({2 * d, d})}, {"v", reals({d})}});
    }
    Value leaf() { return Value::ctor("Leaf", {reals({d})}); }
    Value tree(int leaves, int depth = 1) {
        deepest = depth == 1 ? 1 : std::max(deepest, depth);
        if (leaves == 1) return leaf();
        int left = std::uniform_int_distribution<>(1, leaves - 1)(random);
        Value l = tree(left, depth + 1);
        return Value::ctor("Node", {l, tree(leaves - left, depth + 1)});
    }
    Value chain(int nodes) {
        Value all = leaf();
        for (int i = 1; i + 1 < nodes; i += 2) all = Value::ctor("Node", {leaf(), all});
        deepest = nodes / 2 + 1;
        return all;
    }
};
} // namespace

TEST(PeakOfCalls, EveryProgram) {
    int calls = 0, exact = 0, entries = 0;
    for (std::string folder : {"test/programs/", "examples/"})
        for (const auto& file : std::filesystem::directory_iterator(NEREUS_SOURCE_DIR "/" + folder)) {
            if (file.path().extension() != ".nr") continue;
            for (const std::string& entry : entries_of(file.path())) {
                auto [ran, known] = predict((folder == "examples/" ? "../../examples/" : "") + file.path().filename().string(), entry);
                calls += ran, exact += known, ++entries;
            }
        }
    std::printf("%d entries, %d calls, %d of them known to the byte\n", entries, calls, exact);
    EXPECT_GT(exact, 2500);
}

TEST(PeakOfCalls, LstmGradientInSteps) {
    Predicted predicted{Compiled("gradient_work.nr", "lstm_gradient")};
    ASSERT_TRUE(predicted.program.loaded);
    Value cell = Value::record({{"wx", reals({64, 16})}, {"wh", reals({64, 16})}, {"b", reals({64})}});
    std::vector<Row> rows;
    for (int64_t steps : {1, 2, 7, 64, 500}) {
        Value args[] = {cell, reals({steps, 16})};
        rows.push_back(predicted("lstm_gradient, " + std::to_string(steps) + " steps", args));
    }
    Value args[] = {cell, reals({10'000, 16})};
    auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(predicted.used->peak(predicted.program.entry(), args));
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(took.count(), 5);
    RecordProperty("seconds_for_10000_steps", std::to_string(took.count()));
    rows.push_back(predicted("lstm_gradient, 10000 steps", args));
    print_table("steps", rows);
    std::printf("10000 steps predicted in %.3f s\n", took.count());
}

TEST(PeakOfCalls, TreeLstmGradientInNodesAndDepth) {
    for (const char* entry : {"gradient", "value_and_gradient"}) {           // as products, and with closures and cells
        Predicted predicted{Compiled("tree_lstm.nr", entry)};
        ASSERT_TRUE(predicted.program.loaded);
        std::vector<Row> rows;
        Trees trees;
        auto add = [&](int nodes, Value tree) {
            Value args[] = {trees.cell(), tree};
            rows.push_back(predicted(std::to_string(nodes) + " nodes, depth " + std::to_string(trees.deepest) + ", d = " +
                                         std::to_string(trees.d), args));
        };
        for (int64_t d : {1, 16})
            for (int nodes : {1, 3, 5, 15, 31, 31, 63, 63}) {
                trees.d = d;
                add(nodes, trees.tree((nodes + 1) / 2));
            }
        add(1001, trees.chain(1001));
        print_table(entry, rows);
    }
}
} // namespace nereus
