// Every stage keeps what a program means: all test programs are interpreted after each stage of the pipeline, and as
// they are at its end when one optimisation is left out, or when a pass that no compile runs comes after specialise or
// grad. Same values bit for bit, same failures.
#include "driver/pipeline.h"
#include "driver/random_inputs_testing.h"
#include "eval/as_written.h"
#include "ir/print.h"
#include "value/compare.h"
#include "value/text.h"
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>

namespace nereus {
namespace {
struct Stand { std::string name; Module module; };

// The stages behind `after`.
Result<Module> run_rest(Module m, std::string_view after, const CompileOptions& options) {
    CompileReport report;
    StageContext context{options, report};
    bool begun = false;
    for (const Stage& stage : pipeline()) {
        if (begun) {
            m = TRY(stage.run(std::move(m), context));
            TRY(verified(m, stage));
        }
        begun |= stage.name == after;
    }
    return m;
}

// The program after every stage, then whole but for one pass, or with one more. What prints alike is run once.
// Open: defunctionalise, which no compile runs, loses sizes that only closures name, and numbers of captured integers.
bool is_open(const Stage& stage, const std::string& entry) {
    return stage.name == "defunctionalise" && (entry == "captured_numbers" || entry == "inner_names");
}

std::vector<Stand> stands(const Module& parsed, const CompileOptions& options) {
    std::vector<Stand> all;
    std::vector<std::string> seen;
    auto add = [&](std::string name, Result<Module> module) {
        if (!module) {
            ADD_FAILURE() << name << ": " << module.error().message;
            return;
        }
        std::string text = print(*module);
        if (std::ranges::count(seen, text) > 0) return;
        seen.push_back(std::move(text));
        all.push_back({std::move(name), std::move(*module)});
    };
    for (const Stage& stage : pipeline()) add("after " + std::string(stage.name), run_until(parsed, stage.name, options));
    for (const Stage& stage : pipeline()) {
        if (!stage.pass) continue;
        CompileOptions without = options;
        without.without = {std::string(stage.name)};
        add("without " + std::string(stage.name), run_until(parsed, "", without));
    }
    for (const Stage& stage : on_request()) {
        if (is_open(stage, options.entry)) continue;
        std::vector<std::string_view> places = {"specialise"};
        if (stage.name == "partial_evaluation") places.push_back("grad");
        for (std::string_view place : places) {
            auto changed = [&]() -> Result<Module> {
                Module m = TRY(stage.pass(TRY(run_until(parsed, place, options))));
                TRY(verified(m, stage));
                return m;
            };
            auto whole = [&]() -> Result<Module> { return run_rest(TRY(changed()), place, options); };
            add("unshaped with " + std::string(stage.name) + " after " + std::string(place), changed());
            add("with " + std::string(stage.name) + " after " + std::string(place), whole());
        }
    }
    return all;
}

bool differentiates(const Module& module) {
    const std::string text = print(module);
    constexpr std::string_view written_out[] = {"grad(", "vjp(", "jvp(", "checkpoint("};
    return std::any_of(std::begin(written_out), std::end(written_out), [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

void every_stage(const std::string& path, const std::string& entry, int calls) {
    SCOPED_TRACE(path + " @" + entry);
    std::vector<SourceText> sources;
    Result<Module> parsed = parse_program(path, &sources);
    ASSERT_TRUE(parsed) << parsed.error().message;
    CompileOptions options;
    options.entry = entry;
    Result<Module> typed = run_until(*parsed, "grad", options), shaped = run_until(*parsed, "shapes", options);
    ASSERT_TRUE(typed && shaped);
    const AsWritten as_written{*typed, *shaped};
    std::vector<Stand> programs = stands(*parsed, options);
    Result<Module> before = run_until(*parsed, "specialise", options);
    const bool before_gradients = differentiates(*before);
    std::mt19937_64 random(5);
    EvalOptions quiet{.print = [](std::string_view) {}};
    for (int call = 0; call < calls; ++call) {
        RandomInputs inputs{*typed, random, RandomInputs::some_size, 2};
        std::vector<Value> args = random_arguments(inputs);
        Result<Value> expected = eval(as_written, FunctionId(0), args, quiet);
        // only inferred shapes tell how wide nothing is: what a loop of no trips collects
        bool empty = std::any_of(inputs.sizes.begin(), inputs.sizes.end(), [](auto& size) { return size.second == 0; });
        for (const Stand& program : programs) {
            SCOPED_TRACE(program.name + ", call " + std::to_string(call));
            bool unshaped = program.name == "after specialise" || program.name == "after cells_to_states" || program.name == "after grad" ||
                            program.name.starts_with("unshaped");
            if (unshaped && program.name != "after grad" && differentiates(program.module)) continue;
            Result<Value> found = eval(program.module, FunctionId(0), args, quiet);
            ASSERT_EQ(bool(expected), bool(found)) << (expected ? found : expected).error().message;
            if (!expected || (unshaped && empty)) continue;
            // what is rewritten before it is differentiated may sum its adjoints in another order
            const bool reordered = before_gradients && program.name.ends_with("after specialise");
            const double most = reordered ? 1e-14 : 0;
            std::optional<Difference> difference = compare(*expected, *found, Tolerance{most, most, true});
            ASSERT_FALSE(difference) << difference->path << ": " << difference->what << "\nargs " << to_text(Value::tuple(args));
        }
    }
}

TEST(EveryStage, KeepsWhatProgramsMean) {
    for (const auto& file : std::filesystem::directory_iterator(NEREUS_SOURCE_DIR "/test/programs"))
        for (const std::string& entry : entries_of(file.path())) every_stage(file.path(), entry, 8);
}

// As nereus opt allows: a pass at a place that no compile gives it ends with a sound module or says why not.
TEST(EveryPass, RunsAfterEveryStage) {
    std::vector<const Stage*> passes;
    for (std::span<const Stage> table : {pipeline(), on_request()})
        for (const Stage& stage : table)
            if (stage.pass) passes.push_back(&stage);
    for (const char* file : {"control.nr", "cells.nr", "functions.nr", "tail.nr"}) {
        const std::string path = std::string(NEREUS_SOURCE_DIR "/test/programs/") + file;
        std::vector<SourceText> sources;
        Result<Module> parsed = parse_program(path, &sources);
        ASSERT_TRUE(parsed) << path;
        for (const std::string& entry : entries_of(path)) {
            CompileOptions options;
            options.entry = entry;
            for (const Stage& after : pipeline()) {
                if (after.name == "init") continue;      // needs someone who runs the constant part
                Result<Module> module = run_until(*parsed, after.name, options);
                ASSERT_TRUE(module) << module.error().message;
                for (const Stage* pass : passes) {
                    SCOPED_TRACE(path + " @" + entry + ": " + std::string(pass->name) + " after " + std::string(after.name));
                    Result<Module> changed = pass->pass(*module);
                    ASSERT_TRUE(changed) << changed.error().message;
                    Status sound = verified(*changed, *pass);
                    ASSERT_TRUE(sound) << sound.error().message;
                }
            }
        }
    }
}

Result<Module> dense() {
    std::vector<SourceText> sources;
    return parse_program(NEREUS_SOURCE_DIR "/test/programs/straight.nr", &sources);
}

TEST(Pipeline, ReportsEveryStageWithItsBindings) {
    CompileOptions options;
    options.entry = "dense";
    CompileReport report;
    Result<Executable> exe = compile(*dense(), options, &report);
    ASSERT_TRUE(exe) << exe.error().message;
    std::vector<std::string> expected, found;
    for (const Stage& stage : pipeline()) expected.emplace_back(stage.name);
    for (const char* last : {"lower", "codegen", "plan", "emit"}) expected.emplace_back(last);
    for (const StageTime& stage : report.stages) {
        found.push_back(stage.name);
        EXPECT_GE(stage.milliseconds, 0);
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(report.stages[pipeline().size() - 1].after, 3) << "matmul, add, tanh";
    EXPECT_GT(report.stages[0].before, report.stages[0].after) << "the other functions of the file are gone";
}

TEST(Pipeline, LeavesOutWhatItIsTold) {
    CompileOptions options;
    options.entry = "dense";
    options.without = {"dead_code"};
    CompileReport report;
    ASSERT_TRUE(run_until(*dense(), "", options, &report));
    for (const StageTime& stage : report.stages) EXPECT_NE(stage.name, "dead_code");
    options.without = {"shapes"};
    EXPECT_EQ(run_until(*dense(), "", options).error().code, Code::usage);
    options.without = {"dead_cod"};
    EXPECT_EQ(run_until(*dense(), "", options).error().hint, "did you mean `dead_code`?");
}

TEST(Pipeline, EachNameStandsForOneStage) {
    std::vector<std::string_view> names;
    for (std::span<const Stage> table : {pipeline(), on_request()})
        for (const Stage& stage : table) {
            EXPECT_EQ(std::ranges::count(names, stage.name), 0) << stage.name;
            names.push_back(stage.name);
            if (stage.pass) {
                EXPECT_EQ(find_pass(stage.name), &stage);
            }
        }
}
} // namespace
} // namespace nereus
