// Memory is planned: what Context::peak says is what a run reserves, close to what is alive in it, and far below what
// every buffer apart would take. What is alive is counted by a script of its own, on a trace of the run.
#include "driver/compiled_testing.h"
#include <cstdio>
#include <filesystem>
#include <malloc.h>
#include <unistd.h>

namespace nereus {
namespace {
// The extents that the entry looks at, as the door finds them.
std::vector<int64_t> door_sizes(const Compiled& program, std::span<const Value> args) {
    std::vector<int64_t> sizes(program.entry().sizes);
    for (size_t i = 0; i < args.size(); ++i) {
        const DoorType& type = program.loaded->exe().door_types[program.entry().params[i].type];
        for (size_t axis = 0; axis < type.axes.size(); ++axis)
            if (type.axes[axis] >= 0) sizes[size_t(type.axes[axis])] = args[i].tensor().shape()[axis];
    }
    return sizes;
}

std::vector<int64_t> live_bytes(const std::string& trace) {
    std::string command = "/usr/bin/python3 " NEREUS_SOURCE_DIR "/test/live_bytes.py '" + trace + "'", text;
    FILE* pipe = ::popen(command.c_str(), "r");
    std::vector<int64_t> numbers;
    for (long long number; pipe && std::fscanf(pipe, "%lld", &number) == 1;) numbers.push_back(number);
    EXPECT_TRUE(pipe && ::pclose(pipe) == 0) << command;
    return numbers;
}

Value flag(bool on) {
    HostTensor made = *HostTensor::make(DType::boolean, {});
    **made.mutable_bytes() = std::byte(on);
    return Value::tensor(std::move(made));
}

struct Case { const char* entry; bool disjoint; };       // disjoint: some of its buffers are never alive together
constexpr Case cases[] = {
    {"layers", true},   {"attention", true},    {"wide_and_narrow", true}, {"steps", true},  {"recurrent", true},
    {"nested", true},   {"unequal_arms", true}, {"called_deep", true},     {"blocks", true}, {"boxes", false},
};

void planned_well(const Case& c) {
    SCOPED_TRACE(c.entry);
    Compiled program("memory.nr", c.entry);
    ASSERT_TRUE(program.loaded);
    std::string path = std::filesystem::temp_directory_path() / ("nereus_trace_" + std::to_string(::getpid()));
    FILE* trace = std::fopen(path.c_str(), "w");
    ASSERT_TRUE(trace);
    auto write = [&](std::string_view line) { std::fprintf(trace, "%.*s\n", int(line.size()), line.data()); };
    std::unique_ptr<Context> planned = program.context(), pool = program.context({.pack = PackMode::pool}),
                             none = program.context({.pack = PackMode::apart}), traced = program.context({.trace = write});
    struct Call { int64_t reserved, live; };
    std::vector<Call> calls;
    std::mt19937_64 random(11);
    for (int binding = 0; binding < 4; ++binding) {
        RandomInputs inputs{program.typed, random, [](std::mt19937_64& r) { return int64_t(40 + r() % 120); }};
        std::vector<Value> args = random_arguments(inputs);
        std::vector<int64_t> sizes = door_sizes(program, args);
        std::map<Context*, int64_t> most;
        for (bool way : {false, true}) {                 // the peak is promised before elements choose an arm
            for (Value& arg : args)
                if (arg.tensor().dtype() == DType::boolean) arg = flag(way);
            for (Context* context : {planned.get(), pool.get(), none.get(), traced.get()}) {
                Result<Value> result = context->run(program.entry(), args);
                ASSERT_TRUE(result) << result.error().message;
                const Stats& stats = context->stats();
                Result<int64_t> peak = context->peak(program.entry(), sizes), of_call = context->peak(program.entry(), args);
                ASSERT_TRUE(peak) << peak.error().message;
                ASSERT_TRUE(of_call) << of_call.error().message;
                EXPECT_GE(*peak, stats.peak_bytes);
                most[context] = std::max(most[context], stats.peak_bytes);
                if (way) {
                    EXPECT_EQ(*peak, most[context]) << "sizes alone promise for both ways";
                }
                EXPECT_EQ(*of_call, stats.peak_bytes);
                EXPECT_EQ(stats.leaked_objects, 0);
            }
            int64_t reserved = planned->stats().peak_bytes;
            EXPECT_LE(reserved, pool->stats().peak_bytes);
            if (c.disjoint) {
                EXPECT_LT(reserved, none->stats().peak_bytes);
            }
            EXPECT_LE(pool->stats().peak_bytes, none->stats().peak_bytes);
            calls.push_back({reserved, 0});
        }
    }
    std::fclose(trace);
    std::vector<int64_t> live = live_bytes(path);
    std::filesystem::remove(path);
    ASSERT_EQ(live.size(), calls.size());
    for (size_t i = 0; i < calls.size(); i += 2) {
        int64_t most = std::max(live[i], live[i + 1]);
        EXPECT_GE(calls[i].reserved, most) << "the script counts what cannot be";
        EXPECT_LE(double(calls[i].reserved), 1.25 * double(most));
    }
}

int64_t resident_bytes() {
    long long all = 0, resident = 0;
    FILE* file = std::fopen("/proc/self/statm", "r");
    EXPECT_TRUE(file && std::fscanf(file, "%lld %lld", &all, &resident) == 2);
    if (file) std::fclose(file);
    return resident * ::sysconf(_SC_PAGESIZE);
}
// Stretches of memory that hold code: compiling anything would add one.
int code_mappings() {
    int count = 0;
    std::string text = *read_file("/proc/self/maps");
    for (size_t at = text.find("r-xp"); at != std::string::npos; at = text.find("r-xp", at + 1)) ++count;
    return count;
}

void thousand_shapes(const std::string& file, const std::string& entry, uint64_t largest_size = 250) {
    SCOPED_TRACE(entry);
    Compiled program(file, entry);
    ASSERT_TRUE(program.loaded);
    std::unique_ptr<Context> context = program.context();
    std::mt19937_64 random(23);
    int64_t before = 0, largest = 0;
    const int mappings = code_mappings();
    const int64_t compilations = compiles();
    for (int call = 0; call < 1000; ++call) {
        RandomInputs inputs{program.typed, random, [&](std::mt19937_64& r) { return int64_t(1 + r() % largest_size); }};
        std::vector<Value> args = random_arguments(inputs);
        if (call == 1) ::malloc_trim(0), before = resident_bytes();
        Result<Value> result = context->run(program.entry(), args);
        ASSERT_TRUE(result) << result.error().message;
        largest = std::max(largest, context->stats().peak_bytes);
    }
    ::malloc_trim(0);
#if !defined(NEREUS_ADDRESS_SANITIZER) && !defined(NEREUS_THREAD_SANITIZER)      // these keep what is freed
    EXPECT_LE(double(resident_bytes() - before), 1.1 * double(largest) + 8e6) << "largest peak " << largest;
#endif
    EXPECT_EQ(code_mappings(), mappings);
    EXPECT_EQ(compiles(), compilations);
    EXPECT_EQ(context->stats().calls, 1000);
    EXPECT_EQ(context->stats().leaked_objects, 0);
}
} // namespace

TEST(Memory, PeakIsWhatIsReservedAndCloseToWhatIsAlive) {
    for (const Case& c : cases) planned_well(c);
}
// Trips that follow from an argument do not matter where sizes stay the same; a depth must be given.
TEST(Memory, PeakWithTripsAndDepthsFromArguments) {
    Value x = Value::tensor(*HostTensor::make(DType::f32, {30, 7})), row = Value::tensor(*HostTensor::make(DType::f32, {50}));
    Compiled loop("control.nr", "loop"), deep("depth.nr", "tensors");
    ASSERT_TRUE(loop.loaded && deep.loaded);
    std::unique_ptr<Context> context = loop.context();
    Value args[] = {x, number_value(3)};
    ASSERT_TRUE(context->run(loop.entry(), args));
    Result<int64_t> peak = context->peak(loop.entry(), door_sizes(loop, args));
    ASSERT_TRUE(peak) << peak.error().message;
    EXPECT_EQ(*peak, context->stats().peak_bytes);

    context = deep.context();
    for (int64_t depth : {0, 1, 50}) {
        Value deep_args[] = {row, number_value(depth)};
        ASSERT_TRUE(context->run(deep.entry(), deep_args));
        std::optional<int64_t> numbers[] = {std::nullopt, depth};
        peak = context->peak(deep.entry(), door_sizes(deep, deep_args), numbers);
        ASSERT_TRUE(peak) << peak.error().message;
        EXPECT_EQ(*peak, context->stats().peak_bytes);
    }
    int64_t sizes[] = {50};
    EXPECT_EQ(context->peak(deep.entry(), sizes).error().code, Code::limit);
}
TEST(Memory, ThousandShapesOnOneContext) {
    for (const char* entry : {"attention", "recurrent", "unequal_arms", "blocks"}) thousand_shapes("memory.nr", entry);
    for (const char* entry : {"growing", "encode", "seqs", "twice"}) thousand_shapes("control.nr", entry);
    thousand_shapes("straight.nr", "late");
    thousand_shapes("../../bench/hundred.nr", "hundred", 20000);        // its plans alone would be tens of megabytes
}
} // namespace nereus
