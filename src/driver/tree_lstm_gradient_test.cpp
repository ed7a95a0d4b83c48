// The gradient of a recursive Tree-LSTM, element by element, against central differences of the compiled loss: for the
// parameters and the leaves, interpreted and compiled. And on a chain as deep as memory allows.
#include "library/library.h"
#include "driver/compile.h"
#include "eval/eval.h"
#include "ir/op.h"
#include "value/compare.h"
#include "vm/context.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace nereus {
namespace {
struct Model {
    std::mt19937_64 random{7};
    int64_t d = 1;

    Value tensor(Extents shape) {
        HostTensor made = *HostTensor::make(DType::f64, std::move(shape));
        double* at = reinterpret_cast<double*>(*made.mutable_bytes());
        for (int64_t i = 0; i < made.count(); ++i) at[i] = std::uniform_real_distribution<>(-0.7, 0.7)(random);
        return Value::tensor(std::move(made));
    }
    Value cell() {
        return Value::record({{"w", tensor({5 * d, 2 * d})}, {"b", tensor({5 * d})}, {"u", tensor({2 * d, d})}, {"v", tensor({d})}});
    }
    Value leaf() { return Value::ctor("Leaf", {tensor({d})}); }
    Value tree(int leaves) {
        if (leaves == 1) return leaf();
        int left = std::uniform_int_distribution<>(1, leaves - 1)(random);
        return Value::ctor("Node", {tree(left), tree(leaves - left)});
    }
    Value chain(int nodes) {
        Value all = leaf();
        for (int i = 1; i + 1 < nodes; i += 2) all = Value::ctor("Node", {leaf(), all});
        return all;
    }
};

// The tensors of a value, depth first; their bytes are the test's to change for a while.
void tensors(const Value& value, std::vector<HostTensor>& out) {
    if (value.is(Value::Kind::tensor)) out.push_back(value.tensor());
    for (const Value& child : value.children()) tensors(child, out);
}

struct Compiled {
    std::unique_ptr<Context> context;
    Result<Value> operator()(std::span<const Value> args) { return context->run(context->program().exe().entries[0], args); }
};
Compiled compiled(const Module& parsed, const std::string& entry) {
    CompileOptions options;
    options.entry = entry;
    Result<Executable> exe = compile(parsed, options);
    EXPECT_TRUE(exe) << exe.error().message;
    return {std::move(*Context::make(*LoadedExecutable::load(std::move(*exe), library())))};
}

class TreeLstm : public testing::Test {
 protected:
    void SetUp() override {
        std::vector<SourceText> sources;
        Result<Module> read = parse_program(std::string(NEREUS_SOURCE_DIR) + "/test/programs/tree_lstm.nr", &sources);
        ASSERT_TRUE(read) << read.error().message;
        parsed = std::move(*read);
        CompileOptions options;
        options.entry = "gradient";
        Result<Module> made = run_until(parsed, "grad", options);
        ASSERT_TRUE(made) << made.error().message;
        expanded = std::move(*made);
        gradient = compiled(parsed, "gradient");
    }
    Module parsed, expanded;
    Compiled gradient;
};

TEST_F(TreeLstm, GradientIsTheCentralDifference) {
    Compiled loss = compiled(parsed, "loss");
    Model model;
    double worst = 0;
    for (int64_t d : {1, 5, 17})
        for (int tree = 0; tree < 20; ++tree) {
            model.d = d;
            int nodes = tree == 0 ? 63 : 1 + 2 * int(model.random() % 32);
            std::vector<Value> args{model.cell(), model.tree((nodes + 1) / 2)};
            Result<Value> found = gradient(args), judged = eval(expanded, FunctionId(0), args);
            ASSERT_TRUE(found) << found.error().message;
            ASSERT_TRUE(judged) << judged.error().message;
            ASSERT_EQ(gradient.context->stats().leaked_objects, 0);
            std::vector<HostTensor> point, adjoints, judgement;
            tensors(Value::tuple(args), point);
            tensors(*found, adjoints);
            tensors(*judged, judgement);
            ASSERT_EQ(point.size(), adjoints.size());
            // The error is relative to the largest element of the gradient of w, b, u, v or all leaves together.
            constexpr size_t parts = 5;
            double largest[parts] = {}, error[parts] = {}, h = 1e-5;
            for (size_t k = 0; k < point.size(); ++k) {
                size_t part = std::min(k, parts - 1);
                double* x = const_cast<double*>(reinterpret_cast<const double*>(point[k].bytes()));
                for (int64_t i = 0; i < point[k].count(); ++i) {
                    double was = x[i], ends[2];
                    for (int side : {0, 1}) {
                        x[i] = was + (side ? h : -h);
                        Result<Value> y = loss(args);
                        ASSERT_TRUE(y) << y.error().message;
                        ends[side] = y->tensor().as_f64(0);
                    }
                    x[i] = was;
                    double expected = (ends[1] - ends[0]) / (2 * h);
                    largest[part] = std::max(largest[part], std::abs(expected));
                    error[part] = std::max({error[part], std::abs(adjoints[k].as_f64(i) - expected),
                                            std::abs(judgement[k].as_f64(i) - expected)});
                }
            }
            for (size_t part = 0; part < parts; ++part) {
                if (error[part] == 0) continue;          // a leaf alone: w and b are not used, exactly
                worst = std::max(worst, error[part] / largest[part]);
                ASSERT_LE(error[part], 1e-6 * largest[part]) << "d = " << d << ", tree " << tree << ", part " << part;
            }
        }
    RecordProperty("worst", std::to_string(worst));
    std::printf("largest relative error %.3g\n", worst);
    EXPECT_EQ(loss.context->stats().leaked_objects, 0);
}

TEST_F(TreeLstm, ProductFormHasNoCellsAndAgreesWithTheReferenceForm) {
    for (const Function& function : expanded.functions)
        for (const Binding& b : function.bindings) {
            EXPECT_TRUE(b.form != Form::lambda && b.form != Form::function && b.form != Form::apply) << function.name;
            EXPECT_FALSE(b.form == Form::op && b.op->builtin == Builtin::ref) << function.name;
        }
    Compiled reference = compiled(parsed, "value_and_gradient");
    Model model;
    for (int leaves : {1, 2, 7, 32}) {
        model.d = 1 + leaves % 5;
        std::vector<Value> args{model.cell(), model.tree(leaves)};
        Result<Value> found = gradient(args), expected = reference(args);
        ASSERT_TRUE(found) << found.error().message;
        ASSERT_TRUE(expected) << expected.error().message;
        std::optional<Difference> difference = compare(*found, expected->children()[1], Tolerance{1e-12, 1e-14, false});
        EXPECT_FALSE(difference) << difference->path << ": " << difference->what;
    }
}

TEST_F(TreeLstm, ChainOfTenThousandNodes) {
    Model model;
    model.d = 5;
    std::vector<Value> args{model.cell(), model.chain(10'000)};
    Result<Value> found = gradient(args), judged = eval(expanded, FunctionId(0), args);
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_TRUE(judged) << judged.error().message;
    std::optional<Difference> difference = compare(*found, *judged, Tolerance{1e-9, 1e-12, false});
    EXPECT_FALSE(difference) << difference->path << ": " << difference->what;
    EXPECT_EQ(gradient.context->stats().leaked_objects, 0);
}
} // namespace
} // namespace nereus
