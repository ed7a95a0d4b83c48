// What goes wrong when a program runs is said in the same words compiled and interpreted.
#include "base/file.h"
#include "driver/compile.h"
#include "eval/eval.h"
#include "library/library.h"
#include "ops/registry.h"
#include "vm/context.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
Value ones(Extents shape) {
    HostTensor made = *HostTensor::make(DType::f32, std::move(shape));
    std::span<float> to = *made.mutable_data<float>();
    std::fill(to.begin(), to.end(), 1.0f);
    return Value::tensor(std::move(made));
}
Value integers(std::vector<int64_t> numbers, bool scalar = false) {
    HostTensor made = *HostTensor::make(DType::i64, scalar ? Extents{} : Extents{int64_t(numbers.size())});
    std::span<int64_t> to = *made.mutable_data<int64_t>();
    std::copy(numbers.begin(), numbers.end(), to.begin());
    return Value::tensor(std::move(made));
}
Value list(std::vector<Value> items) {
    Value made = Value::ctor("Nil", {});
    for (size_t i = items.size(); i-- > 0;) made = Value::ctor("Cons", {items[i], made});
    return made;
}

// The message both give; nothing: both succeed.
std::string message(const std::string& program, std::vector<Value> args) {
    SCOPED_TRACE(program);
    ParseInput input;
    input.path = "test.nr";
    input.text = program;
    input.load = [](const std::string& imported) { return read_file(imported); };
    Result<Module> parsed = parse(std::move(input), all_ops(), nullptr);
    if (!parsed) return ADD_FAILURE() << parsed.error().message, "";
    CompileOptions options;
    Result<Module> shaped = run_until(*parsed, "shapes", options);
    if (!shaped) return ADD_FAILURE() << shaped.error().message, "";
    Result<Executable> exe = compile(*parsed, options);
    if (!exe) return ADD_FAILURE() << exe.error().message, "";
    Result<std::shared_ptr<const LoadedExecutable>> loaded = LoadedExecutable::load(std::move(*exe), library());
    if (!loaded) return ADD_FAILURE() << loaded.error().message, "";
    std::unique_ptr<Context> context = std::move(*Context::make(*loaded, {}));
    Result<Value> expected = eval(*shaped, FunctionId(0), args), found = context->run((*loaded)->exe().entries[0], args);
    EXPECT_EQ(bool(expected), bool(found));
    if (expected || found) return "";
    EXPECT_EQ(expected.error().message, found.error().message);
    EXPECT_EQ(expected.error().code, found.error().code);
    return found.error().message;
}

constexpr std::string_view lists = R"(
type List[a] = Nil | Cons(a, List[a])
def @main(%x: List[Tensor[(?), f32]]) { @f(%x) }
def @f(%x: List[Tensor[(n), f32]]) { full([n], 1.0) }
)";

TEST(SameErrors, ElementsOfAnotherSize) {
    EXPECT_EQ(message(std::string(lists), {list({ones({2}), ones({2})})}), "");
    EXPECT_EQ(message(std::string(lists), {list({})}), "");
    EXPECT_EQ(message(std::string(lists), {list({ones({2}), ones({3}), ones({4})})}),
              "an element of %x_1: expected sizes (2), found (3)");
}
TEST(SameErrors, SequencesAreWalkedFromTheirEnd) {
    std::string text = "def @main(%x: Seq[Tensor[(?, 3), f32]]) { @f(%x) }\n"
                       "def @f(%x: Seq[Tensor[(n, ?), f32]]) { full([n], 1.0) }";
    EXPECT_EQ(message(text, {Value::seq({ones({2, 3}), ones({4, 3}), ones({5, 3})})}),
              "an element of %x_1: expected sizes (2, 3), found (5, 3)");
}
TEST(SameErrors, NoNumberMakesTheSize) {
    std::string text = "def @main(%x: Seq[Tensor[(?), f32]]) { @f(%x) }\n"
                       "def @f(%x: Seq[Tensor[(2*n + 1), f32]]) { full([n], 1.0) }";
    EXPECT_EQ(message(text, {Value::seq({ones({5}), ones({5})})}), "");
    EXPECT_EQ(message(text, {Value::seq({ones({4})})}), "no n makes 2*n + 1 = 4");
}
TEST(SameErrors, RankOfATensor) {
    std::string text = "def @main(%x: Tensor[.., f32]) { @f(%x) }\ndef @f(%x: Tensor[(n, 3), f32]) { full([n], 1.0) }";
    EXPECT_EQ(message(text, {ones({2, 3})}), "");
    EXPECT_EQ(message(text, {ones({2, 4})}), "%x_1 is declared (n, 3) = (2, 3), found (2, 4)");
    message(text, {ones({2})});
}
// A million levels: neither walk may use the native stack, and what is shared is met once.
TEST(SameErrors, DeepAndShared) {
    std::vector<Value> items(200'000, ones({2}));
    EXPECT_EQ(message(std::string(lists), {list(items)}), "");
    std::string text = R"(
type Tree[a] = Leaf(a) | Node(Tree[a], Tree[a])
def @main(%x: Tensor[(n), f32], %y: Tensor[(m), f32], %k: i64) {
  %t = for %i in %k, (%t = Node(Leaf(%x), Leaf(%y))) { Node(%t, %t) }
  @f(%t)
}
def @f(%t: Tree[Tensor[(d), f32]]) { full([d], 1.0) }
)";
    EXPECT_EQ(message(text, {ones({2}), ones({2}), integers({60}, true)}), "");
}
TEST(SameErrors, MoreThanThereAre) {
    std::string text = "def @main(%x: Tensor[(n, m), f32], %k: i64) { topk(%x, %k, axis=0) }";
    EXPECT_EQ(message(text, {ones({2, 3}), integers({2}, true)}), "");
    EXPECT_EQ(message(text, {ones({2, 3}), integers({0}, true)}), "");
    EXPECT_EQ(message(text, {ones({2, 3}), integers({3}, true)}), "k=3 is out of range for axis 0 of size 2");
}
TEST(SameErrors, AxesAtRunTime) {
    std::string text = "def @main(%x: Tensor[(n, m), f32], %k: i64) { sum(%x, axes=[%k]) }";
    EXPECT_EQ(message(text, {ones({2, 3}), integers({-2}, true)}), "");
    EXPECT_EQ(message(text, {ones({2, 3}), integers({2}, true)}), "axis 2 is out of range for rank 2");
    EXPECT_EQ(message(text, {ones({2, 3}), integers({-3}, true)}), "axis -3 is out of range for rank 2");
    text = "def @main(%x: Tensor[(n, m, 2), f32], %k: Tensor[(2), i64]) { max(%x, axes=%k, keepdims=true) }";
    EXPECT_EQ(message(text, {ones({2, 3, 2}), integers({1, -3})}), "");
    EXPECT_EQ(message(text, {ones({2, 3, 2}), integers({1, -2})}), "axis -2 is given twice");
}
// What wants a scalar looks at a value of unknown rank; what comes out of the look is used as the scalar.
TEST(SameErrors, ScalarsOfUnknownRank) {
    auto number = [](const std::string& use) { return "def @main(%k: Tensor[.., i64], %x: Tensor[(n), f32], %s: Seq[f32]) { " + use + " }"; };
    struct Row { std::string use, refused; };
    for (const Row& row : std::vector<Row>{
             {"for %i in %k, (%a = 0) { %a + %i }", "the count of a for is an integer scalar"},
             {"match (%k) { 1 => 2, _ => 3 }", "what a literal is matched with is an integer scalar"},
             {"%x[%k]", "an index is an integer scalar"},
             {"%s[%k]", "an index is an integer scalar"},
             {"set(%s, %k, 2.0)", "set: an index is an integer scalar"},
             {"%x[%k:]", "the start of a range is an integer scalar"},
             {"%x[:%k]", "the end of a range is an integer scalar"},
             {"iota(%k)", "iota: n is an integer scalar"},
             {"full([%k, 2], 1.0)", "full: each of shape is an integer scalar"},
             {"slice_update(%x, %x[0:1], [%k])", "slice_update: each of starts is an integer scalar"},
             {"topk(%x, %k)", "topk: k is an integer scalar"},
             {"sum(full([2, 2], 1.0), axes=[%k])", "sum: each of axes is an integer scalar"},
             {"random(%k, 0, [2], dtype=f32)", "random: key is an integer scalar"},
             {"random(0, %k, [2], dtype=f32)", "random: counter is an integer scalar"},
         }) {
        Value x = ones({2}), s = Value::seq({Value::tensor(HostTensor::scalar(1.0f)), Value::tensor(HostTensor::scalar(2.0f))});
        EXPECT_EQ(message(number(row.use), {integers({1}, true), x, s}), "");
        EXPECT_EQ(message(number(row.use), {integers({1}), x, s}), row.refused + ", found shape (1)");
    }
    for (std::string use : {"if (%c) { 1 } else { 2 }", "while (%i = 0) (if (%i < 1) { %c } else { false }) { %i + 1 }", "%b && %c", "!%b || %c",
                            "%c && %b", "assert(%c, \"no\")", "match (1) { %a if %c => %a, _ => 2 }"}) {
        std::string text = "def @main(%c: Tensor[.., bool], %b: bool) { " + use + " }";
        Value yes = Value::tensor(HostTensor::scalar(true)), several = Value::tensor(*HostTensor::make(DType::boolean, {1}));
        EXPECT_EQ(message(text, {yes, yes}), "");
        EXPECT_EQ(message(text, {several, yes}), (use.starts_with("assert") ? "assert: " : "") + std::string("a condition is a bool scalar, found shape (1)"));
    }
    EXPECT_EQ(message("def @main(%v: Tensor[.., f32]) { full([3], %v) }", {ones({})}), "");
    EXPECT_EQ(message("def @main(%v: Tensor[.., f32]) { full([3], %v) }", {ones({1})}), "full: the value is a scalar, found shape (1)");
    EXPECT_EQ(message("def @main(%v: Tensor[.., f32]) { grad(fn(%x) { %x * %x })(%v) }", {ones({})}), "");
    EXPECT_EQ(message("def @main(%v: Tensor[.., f32]) { grad(fn(%x) { %x * %x })(%v) }", {ones({2})}),
              "grad: the value is a scalar, found shape (2)");
}
TEST(SameErrors, SizesOfUnknownRank) {
    std::string text = "def @main(%s: Tensor[.., i64]) { full(%s, 1.0) }";
    EXPECT_EQ(message(text, {integers({2, 3})}), "");
    EXPECT_EQ(message(text, {integers({2}, true)}), "full: shape is an integer vector, found shape ()");
}
TEST(SameErrors, SequencesThatCannotBeJoined) {
    std::string text = "def @main(%x: Seq[Tensor[(?, ?), f32]]) { concat(%x, axis=0) }";
    EXPECT_EQ(message(text, {Value::seq({ones({2, 3}), ones({1, 3})})}), "");
    EXPECT_EQ(message(text, {Value::seq({})}), "concat: nothing to concatenate");
    EXPECT_EQ(message(text, {Value::seq({ones({2, 3}), ones({1, 2})})}), "concat: shapes differ off axis 0: (2, 3) and (1, 2)");
}
} // namespace
} // namespace nereus
