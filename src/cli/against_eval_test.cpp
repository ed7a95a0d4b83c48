// Models against eval. What goes wrong is planted where constants are run: compiled code gets others than the model has.
#include "cli/against_eval.h"
#include "base/file.h"
#include "cli/random_cases.h"
#include "import/onnx_testing.h"
#include "library/library.h"
#include "vm/run_once.h"
#include <gtest/gtest.h>
#include <set>

namespace nereus {
namespace {
namespace fs = std::filesystem;
using namespace onnx;

Message value_message(std::string_view name, ElemType type, std::initializer_list<std::string_view> dims) {
    Message shape;
    for (std::string_view dim : dims)
        shape.message(1, dim == "3" ? Message().number(1, 3) : Message().text(2, dim));
    return Message().text(1, name).message(2, Message().message(1, Message().number(1, int64_t(type)).message(2, shape)));
}
Message node_message(std::string_view op, std::string_view name, std::initializer_list<std::string_view> inputs, std::string_view output) {
    return Message().texts(1, inputs).text(2, output).text(3, name).text(4, op);
}
// y = relu(-x · wᵀ) of rows i; w's transpose is known before any x.
Message product_model() {
    Message graph;
    graph.message(1, node_message("Neg", "first", {"x"}, "a")).message(1, node_message("Transpose", "turned", {"w"}, "t"));
    graph.message(1, node_message("MatMul", "product", {"a", "t"}, "b")).message(1, node_message("Relu", "above", {"b"}, "c"));
    graph.message(1, node_message("Gather", "rows", {"c", "i"}, "y"));
    graph.message(5, tensor_message("w", ElemType::float32, {3, 3}).reals(4, {1, 2, 3, 4, 5, 6, 7, 8, 9}));
    graph.message(11, value_message("x", ElemType::float32, {"n", "3"})).message(11, value_message("i", ElemType::int64, {"m"}));
    graph.message(12, value_message("y", ElemType::float32, {"m", "3"}));
    return model_message(graph);
}

struct AgainstEvalTest : ::testing::Test {
    void SetUp() override {
        folder = fs::temp_directory_path() / ("nereus-against-" + std::to_string(::getpid()));
        fs::create_directories(folder);
        ASSERT_TRUE(write_file((folder / "model.onnx").string(), product_model().bytes()));
        against.runs = 20, against.seed = 7, against.differences = folder / "differences";
        against.adjust = [](Nearness&) {};
        against.how.options.without = {"fold_constants"};        // so that they are run
        against.how.options.run_init = [](Executable exe) { return run_once(std::move(exe), library()); };
    }
    void TearDown() override { fs::remove_all(folder); }
    void plant_bug() {
        against.how.options.run_init = [](Executable exe) -> Result<Value> {
            const Value right = TRY(run_once(std::move(exe), library()));
            HostTensor wrong = right.is(Value::Kind::tensor) ? right.tensor() : right.children()[0].tensor();
            (*wrong.mutable_data<float>())[5] += 1;
            return right.is(Value::Kind::tensor) ? Value::tensor(wrong) : Value::tuple({Value::tensor(wrong)});
        };
    }
    Result<size_t> check(const fs::path& where) {
        RecordedCheck recorded;
        const ModelPlace place{where / "model.onnx", where};
        TRY(recorded.compile_model(place, against.how));
        return recorded.run(place, against.adjust, {}, {});
    }
    fs::path folder;
    AgainstEval against;
};

TEST_F(AgainstEvalTest, AgreesWhereNothingIsWrong) {
    Result<AgainstTally> tally = check_against_eval({folder / "model.onnx", {}}, against);
    ASSERT_TRUE(tally) << tally.error().message;
    EXPECT_EQ(tally->difference, "");
    EXPECT_EQ(tally->compared, 20);
    EXPECT_GT(tally->refused, 0);                        // rows that x does not have
}

TEST_F(AgainstEvalTest, FindsTheNodeAndWritesAModelOfIt) {
    plant_bug();
    Result<AgainstTally> tally = check_against_eval({folder / "model.onnx", {}}, against);
    ASSERT_TRUE(tally) << tally.error().message;
    EXPECT_NE(tally->difference.find("first in MatMul 'product', node 3 of 5"), std::string::npos) << tally->difference;
    const fs::path shown = folder / "differences/model";
    Result<ModelFile> part = read_model((shown / "model.onnx").string());
    ASSERT_TRUE(part);
    EXPECT_EQ(part->main().nodes.size(), 2u);            // the product, and what turns its weights
    EXPECT_EQ(part->main().inputs.size(), 1u);
    EXPECT_FALSE(check(shown));
    against.how.options.run_init = [](Executable exe) { return run_once(std::move(exe), library()); };
    Result<size_t> right = check(shown);
    EXPECT_TRUE(right) << right.error().message;
}

TEST(RandomCases, SizesWithOneNameAreOneAndSmallOnesAllCome) {
    const Message bytes = product_model();
    Result<ModelFile> model = read_model(bytes.bytes());
    Result<RandomCases> cases = RandomCases::make(model->main(), {"x", "i"}, {}, 1);
    std::set<int64_t> seen;
    for (int i = 0; i < 200; ++i) {
        const std::vector<Value> values = *cases->next(0);
        EXPECT_EQ(values[0].tensor().shape()[1], 3);
        seen.insert(values[0].tensor().shape()[0]);
    }
    EXPECT_EQ(seen, (std::set<int64_t>{0, 1, 2, 3, 5, 7, 11, 13}));
}
// Recorded cases say that both sizes are the same, that they come in eights, and which values a model takes.
TEST(RandomCases, AreLikeRecordedOnes) {
    Message graph;
    graph.message(11, value_message("x", ElemType::float32, {"n"})).message(11, value_message("i", ElemType::int64, {"m"}));
    const Message bytes = model_message(graph);
    Result<ModelFile> model = read_model(bytes.bytes());
    auto one = [](int64_t size, int64_t value) {
        HostTensor x = *HostTensor::make(DType::f32, {size}), i = *HostTensor::make(DType::i64, {size});
        std::ranges::fill(*i.mutable_data<int64_t>(), value);
        return std::vector<Value>{Value::tensor(x), Value::tensor(i)};
    };
    Result<RandomCases> cases = RandomCases::make(model->main(), {"x", "i"}, {one(16, 4), one(24, 9)}, 1);
    int small = 0;
    for (int i = 0; i < 200; ++i) {
        const std::vector<Value> values = *cases->next(0);
        const HostTensor &x = values[0].tensor(), &numbers = values[1].tensor();
        ASSERT_EQ(x.shape(), numbers.shape());
        EXPECT_EQ(x.count() % 8, 0);
        small += x.count() < 16;
        for (int64_t number : numbers.data<int64_t>()) EXPECT_TRUE(number == 4 || number == 9);
    }
    EXPECT_GT(small, 20);
    const int64_t size = (*cases->next(100))[0].tensor().count();      // patience is over
    EXPECT_TRUE(size == 16 || size == 24);
}
} // namespace
} // namespace nereus
