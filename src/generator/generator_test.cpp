// Random programs, each run every way there is. Settings, all from the environment:
//   NEREUS_SEED, NEREUS_PROGRAM, NEREUS_PROGRAMS   which programs: one that failed is run again by its seed and number
//   NEREUS_FAILURES, NEREUS_SHRINK=0               after how many failures to stop; do not make them small
//   NEREUS_SHOW=1, NEREUS_KEEP=FOLDER              print the program; keep what failed, with its inputs
#include "base/file.h"
#include "driver/run_artefact_testing.h"
#include "exe/artefact.h"
#include "library/library.h"
#include "value/json.h"
#include "vm/context.h"
#include "generator/pairs.h"
#include "generator/runner.h"
#include "generator/shrink.h"
#include <cstdlib>
#include <gtest/gtest.h>

namespace nereus::gen {
namespace {
constexpr int all_programs = 2000;
#if defined(NEREUS_ADDRESS_SANITIZER) || defined(NEREUS_THREAD_SANITIZER)
constexpr int programs_of_a_run = 300;                   // each takes twenty times as long
#else
constexpr int programs_of_a_run = all_programs;
#endif

int64_t setting(const char* name, int64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtoll(text, nullptr, 10) : otherwise;
}

// NEREUS_KEEP names a folder for what failed: SEED-NUMBER.nr and its inputs.
void keep(const std::string& name, const Program& program, const Finding& finding) {
    const char* folder = std::getenv("NEREUS_KEEP");
    if (!folder) return;
    for (auto [ending, text] : {std::pair{".nr", program.text()}, {".json", finding.inputs}, {".txt", finding.kind + "\n" + finding.what + "\n"}})
        EXPECT_TRUE(write_file(folder + ("/" + name) + ending, std::as_bytes(std::span(text))));
}

TEST(Generator, Programs) {
    uint64_t seed = uint64_t(setting("NEREUS_SEED", 1));
    int first = int(setting("NEREUS_PROGRAM", 0)), count = int(setting("NEREUS_PROGRAMS", first ? 1 : programs_of_a_run));
    if (std::getenv("NEREUS_SHOW")) std::printf("%s\n", program_of(options_of(seed, first)).text().c_str());
    Tally tally = run_programs(seed, first, count, int(setting("NEREUS_FAILURES", 5)));
    for (const Failure& failure : tally.failures) {
        Options options = options_of(seed, failure.index);
        Program program = program_of(options);
        Finding finding = failure.finding;
        if (setting("NEREUS_SHRINK", 1)) finding = shrink(program, case_of(options, program), finding);
        keep(std::to_string(seed) + "-" + std::to_string(failure.index), program, finding);
        ADD_FAILURE() << "seed " << seed << ", program " << failure.index << ": " << finding.kind << "\n" << finding.what << "\n\n"
                      << program.text() << "\ninputs " << finding.inputs << "\n"
                      << "again: NEREUS_SEED=" << seed << " NEREUS_PROGRAM=" << failure.index << " NEREUS_PROGRAMS=1 build/bin/generator_test\n";
    }
    std::printf("%d programs (%d refused), %d calls (%d fail in eval, %d decided by rounding, %d too long to compare), %d gradients compared, %.0f per CPU-minute\n",
                tally.programs, tally.refused, tally.calls, tally.failed, tally.ill, tally.too_long, tally.gradients, 60 * tally.programs / tally.cpu_seconds);
}

// The runtime alone gives what the compiled program gives in process.
TEST(Generator, SomeRunWithoutTheCompiler) {
    int compared = 0;
    for (int i = 0; i < 40 && compared < 8; ++i) {
        Options options = options_of(2, i);
        Result<Module> parsed = parse_text("p.nr", program_of(options).text(), nullptr);
        Result<Executable> exe = parsed ? compile(*parsed, {}) : parsed.error();
        Result<Module> typed = parsed ? run_until(*parsed, "specialise", {}) : parsed.error();
        if (!exe || !typed) continue;                    // Programs tells
        std::mt19937_64 random(options.seed);
        RandomInputs inputs{*typed, random, [](std::mt19937_64& r) { return int64_t(r() % 4); }};
        std::vector<Value> args = random_arguments(inputs);
        std::vector<Field> named;
        const nereus::Function& entry = typed->functions[0];
        for (size_t k = 0; k < args.size(); ++k) named.push_back({entry[entry.params[k]].name, args[k]});
        Result<std::vector<std::byte>> bytes = save(*exe);
        ASSERT_TRUE(bytes);
        std::unique_ptr<Context> context = std::move(*Context::make(*LoadedExecutable::load(std::move(*exe), library())));
        Result<Value> found = context->run(context->program().exe().entries[0], args);
        if (!found) continue;
        EXPECT_EQ(run_artefact(*bytes, json_object(named)), to_json(*found) + "\n") << "program " << i;
        ++compared;
    }
    EXPECT_EQ(compared, 8);
}

TEST(Generator, EveryPairOfConstructsIsSeenNested) {
    Pairs pairs;
    for (int i = 0; i < all_programs; ++i) pairs.add(program_of(options_of(1, i)));
    for (int outer = 0; outer < construct_count; ++outer)
        for (int inner = 0; inner < construct_count; ++inner) {
            if (!is_possible(Construct(outer), Construct(inner))) continue;
            EXPECT_GT(pairs.seen[outer][inner], 0) << name_of(Construct(inner)) << " inside " << name_of(Construct(outer));
        }
}
} // namespace
} // namespace nereus::gen
