// What only a call decides: ranks, broadcasts, numbers that become sizes. One compile, then the interpreter's results.
#include "driver/compile.h"
#include "eval/eval.h"
#include "library/library.h"
#include "ops/registry.h"
#include "value/compare.h"
#include "vm/context.h"
#include <gtest/gtest.h>
#include <numeric>

namespace nereus {
namespace {
template <class T> Value counting(Extents shape) {
    HostTensor made = *HostTensor::make(dtype_of<T>, std::move(shape));
    std::span<T> to = *made.mutable_data<T>();
    std::iota(to.begin(), to.end(), T(1));
    return Value::tensor(std::move(made));
}

struct Both {
    Module shaped;
    CompileReport report;
    std::unique_ptr<Context> context;                    // null: a failure has been reported

    explicit Both(const std::string& program) {
        ParseInput input;
        input.path = "test.nr";
        input.text = program;
        Result<Module> parsed = parse(std::move(input), all_ops(), nullptr);
        Result<Module> module = parsed ? run_until(*parsed, "shapes", {}) : parsed.error();
        Result<Executable> exe = module ? compile(*parsed, {}, &report) : module.error();
        Result<std::shared_ptr<const LoadedExecutable>> loaded = exe ? LoadedExecutable::load(std::move(*exe), library()) : exe.error();
        if (!loaded) {
            ADD_FAILURE() << program << ": " << loaded.error().message;
            return;
        }
        shaped = std::move(*module);
        context = std::move(*Context::make(std::move(*loaded), {.memory_limit = int64_t(1) << 28}));
    }
    void agree(std::vector<Value> args, bool succeeds = true) {
        Result<Value> expected = eval(shaped, FunctionId(0), args);
        Result<Value> found = context->run(context->program().exe().entries[0], args);
        ASSERT_EQ(bool(expected), succeeds) << (expected ? "" : expected.error().message);
        ASSERT_EQ(bool(found), succeeds) << (found ? "" : found.error().message);
        if (!succeeds) return;
        std::optional<Difference> difference = compare(*expected, *found, Tolerance{0, 0, true});
        EXPECT_FALSE(difference) << difference->path << ": " << difference->what;
    }
};
} // namespace

TEST(AtTheCall, RanksMeetAlignedAtTheRight) {
    Both add("def @main(%x: Tensor[.., f32], %y: Tensor[.., f32]) { %x + %y }");
    ASSERT_TRUE(add.context);
    const Extents shapes[] = {{}, {3}, {2, 3}, {4, 1, 3}, {5, 1, 1, 1}, {0, 3}};
    for (const Extents& x : shapes)
        for (const Extents& y : shapes) {
            bool differ = x.size() == 2 && y.size() == 2 && x != y;      // 0 and 2 rows
            add.agree({counting<float>(x), counting<float>(y)}, !differ);
        }
}

TEST(AtTheCall, OneKernelServesEqualSizesAndOnes) {
    Both add("def @main(%x: Tensor[(n, k), f32], %y: Tensor[(m, k), f32]) { %x + %y }");
    ASSERT_TRUE(add.context);
    EXPECT_EQ(add.report.kernels, 1);
    for (int64_t n : {0, 1, 2, 3})
        for (int64_t m : {0, 1, 2, 3}) add.agree({counting<float>({n, 5}), counting<float>({m, 5})}, n == m || n == 1 || m == 1);
}

TEST(AtTheCall, NumbersThatOnlyFeedSizesAreNoKernels) {
    Both sized("def @main(%k: i32) {\n"
               "  %wrapped = %k * 65537 * 65537\n"            // 32 bits hold less: the size says whether they wrapped
               "  full([cast(mod(%wrapped, 7), to=i64) + 1], 1.0)\n}");
    ASSERT_TRUE(sized.context);
    EXPECT_EQ(sized.report.launches, 1) << "the one that fills the result";
    for (int32_t k : {0, 1, 3, 40000, -1, INT32_MIN}) sized.agree({Value::tensor(HostTensor::scalar(k))});
    EXPECT_EQ(sized.context->stats().launches, 6);
}
} // namespace nereus
