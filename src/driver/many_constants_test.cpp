// A kernel has its constants written into it until an operator meets too many: then one kernel reads them from memory.
#include "driver/compile.h"
#include "eval/eval.h"
#include "library/library.h"
#include "ops/registry.h"
#include "value/compare.h"
#include "vm/context.h"
#include <gtest/gtest.h>

namespace nereus {
TEST(ManyConstants, ShareOneKernel) {
    for (const char* type : {"f64", "Tensor[(n), f64]", "Tensor[.., f64]"}) {
        std::string program = "def @main(%x: " + std::string(type) + ") {\n";
        for (int i = 0; i < 300; ++i) program += "  %x = %x * " + std::to_string(1 + 1.0 / (i + 3)) + "\n";
        ParseInput input{.path = "test.nr", .text = program + "  %x\n}\n"};
        Result<Module> parsed = parse(std::move(input), all_ops(), nullptr);
        ASSERT_TRUE(parsed);
        CompileReport report;
        Result<Module> shaped = run_until(*parsed, "shapes", {});
        Result<Executable> exe = compile(*parsed, {}, &report);
        ASSERT_TRUE(shaped && exe) << type;
        EXPECT_GT(report.kernels, 32) << type;
        EXPECT_LT(report.kernels, 80) << type;

        HostTensor x = *HostTensor::make(DType::f64, type == std::string("f64") ? Extents{} : Extents{37});
        std::span<double> elements = *x.mutable_data<double>();
        for (size_t i = 0; i < elements.size(); ++i) elements[i] = double(i) / 7 - 2;
        std::vector<Value> args{Value::tensor(std::move(x))};
        std::unique_ptr<Context> context = std::move(*Context::make(*LoadedExecutable::load(std::move(*exe), library()), {.memory_limit = int64_t(1) << 28}));
        Result<Value> expected = eval(*shaped, FunctionId(0), args), found = context->run(context->program().exe().entries[0], args);
        ASSERT_TRUE(expected && found);
        std::optional<Difference> difference = compare(*expected, *found, Tolerance{0, 0, true});
        EXPECT_FALSE(difference) << type << " " << difference->path << ": " << difference->what;
    }
}
} // namespace nereus
