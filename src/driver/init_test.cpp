// What depends on constants only is run once, by the compiler: its kernels are not in the executable, its numbers are.
#include "driver/pipeline.h"
#include "library/library.h"
#include "vm/context.h"
#include "vm/run_once.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
struct Made { Executable exe; CompileReport report; std::vector<std::string> init_targets; };

Made made(const std::string& entry, const std::string& target = "host", bool with_init = true) {
    std::vector<SourceText> sources;
    CompileOptions options;
    options.entry = entry, options.target = target;
    Made out;
    if (with_init)
        options.run_init = [&](Executable exe) {
            out.init_targets.push_back(exe.target);
            return run_once(std::move(exe), library());
        };
    Result<Module> parsed = parse_program(NEREUS_SOURCE_DIR "/test/programs/constant_part.nr", &sources);
    Result<Executable> exe = parsed ? compile(*parsed, options, &out.report) : parsed.error();
    if (exe) out.exe = std::move(*exe);
    else ADD_FAILURE() << entry << ": " << exe.error().message;
    return out;
}

TEST(Init, KernelsOfTheConstantPartAreGone) {
    struct Case { const char* entry; int64_t launches; size_t floats; };         // left; kept at least
    for (const Case& c : {Case{"transposed", 2, 12 * 8 + 8}, {"product", 1, 64}, {"scalars", 1, 0}, {"split_parts", 2, 60}, {"random_weights", 2, 256}}) {
        SCOPED_TRACE(c.entry);
        Made with = made(c.entry), without = made(c.entry, "host", false);
        EXPECT_EQ(with.report.launches, c.launches);
        EXPECT_GT(without.report.launches, c.launches);
        size_t bytes = 0;
        for (const HeldBytes& weight : with.exe.weights) bytes += weight.size();
        EXPECT_GE(bytes, c.floats * 4);
        EXPECT_EQ(with.init_targets.size(), 1u);
    }
}

TEST(Init, IsCompiledForThisMachineWhateverTheTarget) {
    const std::string host = made("transposed").exe.target;
    Made cross = made("transposed", "x86-64-v2");
    EXPECT_EQ(cross.exe.target, "x86-64-v2");
    EXPECT_EQ(cross.init_targets, std::vector<std::string>{host});
}

// K9: the arm that fails never runs. What does not fail is kept all the same, by a second try without what may.
TEST(Init, WhatFailsStaysWhereItWas) {
    Made out = made("fails_in_an_arm");
    EXPECT_EQ(out.init_targets.size(), 2u);
    std::unique_ptr<Context> context = std::move(*Context::make(*LoadedExecutable::load(out.exe, library())));
    HostTensor x = *HostTensor::make(DType::i64, {3});
    auto call = [&](int64_t k) { return context->run(out.exe.entries[0], std::vector{Value::tensor(x), Value::tensor(HostTensor::scalar(k))}); };
    EXPECT_TRUE(call(1));
    Result<Value> failed = call(77);
    ASSERT_FALSE(failed);
    EXPECT_TRUE(failed.error().where.known() || !failed.error().notes.empty()) << failed.error().message;
}

TEST(Init, CanBeLeftOut) {
    std::vector<SourceText> sources;
    Result<Module> parsed = parse_program(NEREUS_SOURCE_DIR "/test/programs/constant_part.nr", &sources);
    CompileOptions options;
    options.entry = "product";
    options.without = {"init"};
    options.run_init = [](Executable) -> Result<Value> { return Error{Code::internal, "not asked for"}; };
    CompileReport report;
    ASSERT_TRUE(compile(*parsed, options, &report));
    for (const StageTime& stage : report.stages) EXPECT_NE(stage.name, "init");
}
} // namespace
} // namespace nereus
