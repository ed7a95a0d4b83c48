// Everything runs three ways and agrees: interpreted, compiled in process, and from the bytes of an artefact; the last
// two bit for bit. One compile per entry and target, before any input exists; then many sizes in random order on one
// context.
#include "base/file.h"
#include "driver/run_artefact_testing.h"
#include "eval/as_written.h"
#include "exe/artefact.h"
#include "library/library.h"
#include "value/compare.h"
#include "value/json.h"
#include "value/text.h"
#include "vm/context.h"
#include "vm/run_once.h"
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>

namespace nereus {
namespace {
std::unique_ptr<Context> context_of(Executable exe) {
    Result<std::shared_ptr<const LoadedExecutable>> loaded = LoadedExecutable::load(std::move(exe), library());
    if (!loaded) {
        ADD_FAILURE() << loaded.error().message;
        return nullptr;
    }
    return std::move(*Context::make(std::move(*loaded), {.memory_limit = int64_t(1) << 30}));
}

std::string json_error(const Error& error) {
    std::string out = "{\"error\": ";
    append_json_string(out, error.message);
    return out + "}";
}

// Functions such as exp may differ in the last place, of which f16 and bf16 have few.
Tolerance tolerance_of(const std::string& path) {
    const bool small = path.ends_with("small_types.nr");
    return {small ? 0.02 : 2e-5, small ? 1e-3 : 1e-6, true};
}

// reach: how large floats are; values that feed on each other enlarge rounding errors less when it is small
void three_ways(const std::string& path, const std::string& entry, int calls, uint64_t seed, double reach = 2) {
    SCOPED_TRACE(path + " @" + entry);
    std::vector<SourceText> sources;
    Result<Module> parsed = parse_program(path, &sources);
    ASSERT_TRUE(parsed) << parsed.error().message;
    CompileOptions options;
    options.entry = entry;
    options.run_init = [](Executable exe) { return run_once(std::move(exe), library()); };
    Result<Module> typed = run_until(*parsed, "grad", options), shaped = run_until(*parsed, "shapes", options);
    ASSERT_TRUE(typed) << typed.error().message;
    ASSERT_TRUE(shaped) << shaped.error().message;
    AsWritten program{std::move(*typed), std::move(*shaped)};

    struct Way { std::string name; std::unique_ptr<Context> context, artefact; };
    std::vector<Way> ways;
    std::vector<std::byte> artefact;                     // of the host: made before any input is
    std::string inputs_json, results_json;
    for (std::string target : {"x86-64-v2", "x86-64-v3", "host", "checked"}) {
        options.checked = target == "checked";
        options.target = options.checked ? "host" : target;
        Result<Executable> exe = compile(*parsed, options);
        ASSERT_TRUE(exe) << target << ": " << exe.error().message;
        Result<std::vector<std::byte>> bytes = save(*exe);
        ASSERT_TRUE(bytes) << bytes.error().message;
        if (target == "host") artefact = *bytes;
        Result<Executable> again = load(*bytes);
        ASSERT_TRUE(again) << again.error().message;
        ways.push_back({target, context_of(std::move(*exe)), context_of(std::move(*again))});
        ASSERT_TRUE(ways.back().context && ways.back().artefact);
    }
    const Function& entry_function = program.written.functions[0];
    std::mt19937_64 random(seed);
    int succeeded = 0;
    for (int call = 0; call < calls; ++call) {
        RandomInputs inputs{program.written, random, RandomInputs::some_size, reach};
        std::vector<Value> args = random_arguments(inputs);
        Result<Value> expected = eval(program, FunctionId(0), args), after = eval(program.shaped, FunctionId(0), args);
        ASSERT_EQ(bool(expected), bool(after)) << (expected ? after : expected).error().message;
        ASSERT_TRUE(!expected || !compare(*after, *expected, Tolerance{0, 0, true}));
        succeeded += bool(expected);
        for (Way& way : ways) {
            SCOPED_TRACE(way.name + ", call " + std::to_string(call));
            Result<Value> found = way.context->run(way.context->program().exe().entries[0], args);
            if (way.name == "host") {
                std::vector<Field> named;
                for (size_t i = 0; i < args.size(); ++i)
                    named.push_back({entry_function[entry_function.params[i]].name, args[i]});
                inputs_json += (inputs_json.empty() ? "[" : ", ") + json_object(named);
                results_json += (results_json.empty() ? "[" : ", ") + (found ? to_json(*found) : json_error(found.error()));
            }
            ASSERT_EQ(bool(expected), bool(found)) << (found ? "eval fails: " + expected.error().message : found.error().message);
            if (!expected) continue;
            std::optional<Difference> difference = compare(*expected, *found, tolerance_of(path));
            ASSERT_FALSE(difference) << difference->path << ": " << difference->what << "\nargs " << to_text(Value::tuple(args));
            Result<Value> again = way.artefact->run(way.artefact->program().exe().entries[0], args);
            ASSERT_TRUE(again) << again.error().message;
            ASSERT_TRUE(equal_bitwise(*found, *again));
            ASSERT_EQ(way.context->stats().leaked_objects, 0);
        }
    }
    EXPECT_EQ(run_artefact(artefact, inputs_json + "]"), results_json + "]\n");
    EXPECT_GE(succeeded, reach < 2 ? 1 : calls / 10) << "most inputs are refused: little is compared";
}

TEST(ThreeWays, Programs) {
    for (const auto& file : std::filesystem::directory_iterator(NEREUS_SOURCE_DIR "/test/programs"))
        for (const std::string& entry : entries_of(file.path())) three_ways(file.path(), entry, 20, 1);
}
// Run by tools/soak, round after round, each with a seed of its own.
TEST(ThreeWays, DISABLED_Soak) {
    const char* seed = std::getenv("NEREUS_SEED");
    ASSERT_TRUE(seed) << "NEREUS_SEED is not set";
    for (const auto& file : std::filesystem::directory_iterator(NEREUS_SOURCE_DIR "/test/programs"))
        for (const std::string& entry : entries_of(file.path()))
            three_ways(file.path(), entry, 150, std::strtoull(seed, nullptr, 10), 0.25);
}
TEST(ThreeWays, ThousandShapesOnOneContext) { three_ways(NEREUS_SOURCE_DIR "/test/programs/straight.nr", "dense", 1000, 2); }
} // namespace
} // namespace nereus
