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

template <class Sources> std::string place(const Error& error, const Sources& sources) {
    const Span& at = error.where;
    if (!at.known() || size_t(at.source) >= sources.size()) return "nowhere";
    return sources[size_t(at.source)].path + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + "+" + std::to_string(at.length);
}

// The message both give, with the same code at the same place; nothing: both succeed.
std::string message(const std::string& program, std::vector<Value> args) {
    SCOPED_TRACE(program);
    ParseInput input;
    input.path = "test.nr";
    input.text = program;
    input.load = [](const std::string& imported) { return read_file(imported); };
    Result<Module> parsed = parse(std::move(input), all_ops(), nullptr);
    if (!parsed) return ADD_FAILURE() << parsed.error().message, "";
    const std::vector<SourceText> parsed_sources = parsed->sources;
    CompileOptions options;
    Result<Module> shaped = run_until(*parsed, "shapes", options);
    if (!shaped) return ADD_FAILURE() << shaped.error().message, "";
    Result<Executable> exe = compile(*parsed, options);
    if (!exe) return ADD_FAILURE() << exe.error().message, "";
    Result<std::shared_ptr<const LoadedExecutable>> loaded = LoadedExecutable::load(std::move(*exe), library());
    if (!loaded) return ADD_FAILURE() << loaded.error().message, "";
    constexpr int64_t limit = int64_t(1) << 33;
    std::unique_ptr<Context> context = std::move(*Context::make(*loaded, {.memory_limit = limit}));
    Result<Value> expected = eval(*shaped, FunctionId(0), args, {.memory_limit = limit});
    Result<Value> found = context->run((*loaded)->exe().entries[0], args);
    EXPECT_EQ(bool(expected), bool(found));
    if (expected || found) return "";
    EXPECT_EQ(expected.error().message, found.error().message);
    EXPECT_EQ(expected.error().hint, found.error().hint);
    EXPECT_EQ(code_name(expected.error().code), code_name(found.error().code));
    EXPECT_EQ(place(expected.error(), parsed_sources), place(found.error(), (*loaded)->exe().sources));
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
              "@f: an element of %x: expected sizes (2), found (3)");
}
TEST(SameErrors, SequencesAreWalkedInOrder) {
    std::string text = "def @main(%x: Seq[Tensor[(?, 3), f32]]) { @f(%x) }\n"
                       "def @f(%x: Seq[Tensor[(n, ?), f32]]) { full([n], 1.0) }";
    EXPECT_EQ(message(text, {Value::seq({ones({2, 3}), ones({4, 3}), ones({5, 3})})}),
              "@f: an element of %x: expected sizes (2, 3), found (4, 3)");
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
    EXPECT_EQ(message(text, {ones({2, 4})}), "@f: %x is declared (n, 3) = (2, 3), found (2, 4)");
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
TEST(SameErrors, ComplexNumbersHaveTwoParts) {
    std::string text = "def @main(%x: Tensor[(n, m), f32]) { fft(%x) }", unranked = "def @main(%x: Tensor[.., f32]) { fft(%x) }";
    EXPECT_EQ(message(text, {ones({3, 2})}), "");
    EXPECT_EQ(message(unranked, {ones({4, 3, 2})}), "");
    EXPECT_EQ(message(text, {ones({2, 3})}), "the last axis has size 3, expected 2: a real and an imaginary part");
    EXPECT_EQ(message(unranked, {ones({2, 3})}), "the last axis has size 3, expected 2: a real and an imaginary part");
    EXPECT_EQ(message(unranked, {ones({2})}), "rank 1, expected 2 or more");
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
struct Case { std::string parameters, body; std::vector<Value> args; std::string refused; };
void each_is_refused(const std::vector<Case>& cases) {
    for (const Case& c : cases) EXPECT_EQ(message("def @main(" + c.parameters + ") {\n  " + c.body + "\n}", c.args), c.refused);
}
Value number(int64_t n) { return integers({n}, true); }

TEST(SameErrors, NumbersOutOfTheirDomain) {
    each_is_refused({
        {"%k: i64", "assert(%k < 3, \"k must be below 3\"); %k", {number(3)}, "assertion failed: k must be below 3"},
        {"%k: i64", "assert(%k < 3); %k", {number(3)}, "assertion failed"},
        {"%x: Tensor[(n), f32], %i: Tensor[(k), i64]", "gather(%x, %i)", {ones({2}), integers({0, 5})}, "index 5 is out of range for size 2"},
        {"%x: Tensor[(n), f32], %i: Tensor[(k), i64]", "gather(%x, %i)", {ones({2}), integers({-1})}, "index -1 is negative"},
        {"%x: Tensor[(n, m), f32], %i: Tensor[(k), i64]", "gather(%x, %i, axis=1)", {ones({2, 3}), integers({0, 4})}, "index 4 is out of range for size 3"},
        {"%x: Tensor[(n), f32], %i: Tensor[(k), i64], %v: Tensor[(k), f32]", "scatter_add(%x, %i, %v)", {ones({2}), integers({0, 5}), ones({2})},
         "index 5 is out of range for size 2"},
        {"%x: Tensor[(n), f32], %i: i64", "%x[%i]", {ones({2}), number(2)}, "index 2 is out of range for size 2"},
        {"%x: Tensor[(n, m), f32], %i: i64", "%x[0, %i]", {ones({1, 2}), number(-3)}, "index -3 is negative"},
        {"%x: Tensor[.., f32], %i: i64", "%x[%i]", {ones({2}), number(2)}, "index 2 is out of range for size 2"},
        {"%x: Tensor[(n), f32]", "%x[3]", {ones({2})}, "index 3 is out of range for size 2"},
        // rows without elements: no element is read, every index is looked at
        {"%x: Tensor[(n, m), f32], %i: i64", "gather(%x, %i)", {ones({2, 0}), number(9)}, "index 9 is out of range for size 2"},
        {"%x: Tensor[(n, m), f32], %i: Tensor[(k), i64]", "gather(%x, sum(%i))", {ones({2, 0}), integers({3, 4})}, "index 7 is out of range for size 2"},
        {"%x: Tensor[(n, m), f32], %i: Tensor[(k), i64]", "gather(%x, %i)", {ones({2, 0}), integers({0, 9})}, "index 9 is out of range for size 2"},
        {"%x: Tensor[(m, n), f32], %i: Tensor[(k), i64]", "gather(%x, %i, axis=1)", {ones({0, 2}), integers({1, -4})}, "index -4 is negative"},
        {"%x: Tensor[.., f32]", "gather(%x, 2)", {ones({2, 0})}, "index 2 is out of range for size 2"},
        {"%x: Tensor[.., f32], %i: Tensor[(k), i64]", "gather(%x, %i)", {ones({2, 0}), integers({0, 9})}, "index 9 is out of range for size 2"},
        {"%x: Tensor[(n, m), f32], %i: Tensor[(k), i64], %v: Tensor[(k, m), f32]", "scatter_add(%x, %i, %v)",
         {ones({2, 0}), integers({0, 9}), ones({2, 0})}, "index 9 is out of range for size 2"},
        {"%x: Tensor[(n, m), f32], %w: Tensor[(n), f32], %i: i64", "(%x[%i], slice(%w, [0], [%i]))", {ones({2, 0}), ones({2}), number(5)},
         "index 5 is out of range for size 2"},
        {"%s: Seq[f32], %i: i64", "%s[%i]", {Value::seq({ones({}), ones({})}), number(2)}, "index 2 is out of range for a Seq of length 2"},
        {"%s: Seq[f32]", "%s[length(%s) - 1]", {Value::seq({})}, "index -1 is out of range for a Seq of length 0"},
        {"%s: Seq[f32], %i: i64", "set(%s, %i, 1.0)", {Value::seq({ones({})}), number(-1)}, "index -1 is out of range for a Seq of length 1"},
        {"%x: Tensor[(n), i64], %y: Tensor[(n), i64]", "%x // %y", {integers({1, 2}), integers({1, 0})}, "division by zero"},
        {"%x: i64, %y: i64", "%x / %y", {number(1), number(0)}, "division by zero"},
        {"%x: i64, %y: i64", "mod(%x, %y)", {number(1), number(0)}, "division by zero"},
        {"%k: i64", "full([%k], 1.0)", {number(1'000'000'000'000)}, "out of memory: the limit is 8589934592 bytes"},
        {"%k: i64", "sum(full([%k], 1.0))", {number(1'000'000'000'000)}, "out of memory: the limit is 8589934592 bytes"},
        {"%k: i64", "full([%k, %k], 1.0)", {number(1'000'000'000'000)},
         "shape (1000000000000, 1000000000000) has more elements than 64 bits can count"},
    });
}
// What only the comparison behind it reads is not computed, and then nothing may follow from its having gone well.
TEST(SameErrors, NothingFollowsFromAnAccessThatFails) {
    const std::string x = "%x: Tensor[(n), f32], %k: i64", i = "%i: Tensor[(m), i64], %n: i64";
    each_is_refused({
        {x, "%a = %x[%k]\n  if (%k < shape_of(%x)[0]) { 1.0 } else { 2.0 }",
         {ones({3}), number(50)}, "index 50 is out of range for size 3"},
        {x, "%a = %x[%k]\n  cast(sum(iota(%k)), f32)",
         {ones({3}), number(-50)}, "index -50 is negative"},
        {x, "%a = %x[%k]\n  for %i in %k, () {\n    yield cast(%i, f32)\n  }",
         {ones({3}), number(-50)}, "index -50 is negative"},
        {x, "%f = fn(%y) {\n  %a = %y[%k]\n  if (%k < shape_of(%y)[0]) { sum(%y) } else { 2.0 * sum(%y) } }\n  grad(%f)(%x)",
         {ones({3}), number(50)}, "index 50 is out of range for size 3"},
        {x, "%f = fn(%y, %j) {\n  %a = %y[%j]\n  if (%j < shape_of(%y)[0]) { 1.0 } else { 2.0 } }\n  (%f(%x, %k), %f(%x[1:], 0))",
         {ones({3}), number(50)}, "index 50 is out of range for size 3"},
        {x, "%i = iota(n)\n  %a = %i[%k]\n  if (%a < n) { 1.0 } else { 2.0 }",
         {ones({3}), number(77)}, "index 77 is out of range for size 3"},
        {i, "%a = gather(iota(%n), %i)[0]\n  if (%a < %n) { 1.0 } else { 2.0 }",
         {integers({77}), number(3)}, "index 77 is out of range for size 3"},
        {i, "%a = slice(iota(%n), %i, [2])[0]\n  if (%a < %n) { 1.0 } else { 2.0 }",
         {integers({-1}), number(3)}, "a range begins at -1, below 0"},
        {"%x: Tensor[.., f32]", "%a = argmax(%x)\n  if (%a[0] >= 0) { 1.0 } else { 2.0 }",
         {ones({2, 0})}, "an axis of size 0 has no element to choose"},
        {"%i: Tensor[(m), i64], %n: i64", "%a = reshape(reshape(iota(%n), %i), [])\n  if (%a < %n) { 1.0 } else { 2.0 }",
         {integers({2, 2}), number(4)}, "elements before and after: found 4 and 1"},
    });
}
// A polynomial does not show that it was divided by what cancels in it.
TEST(SameErrors, NumbersAreDividedWhereTheyStand) {
    std::vector<Case> cases;
    for (std::string use : {"full([0 // %k], 1.0)", "mod(5, %k) * 0", "(7 // %k) * 0 + 1",
                            "%a = 7 // %k\n  %a - %a", "%a = rem(7, %k)\n  %a - %a", "%a = 7 / %k\n  1", "tensor([1, 2]) // %k"})
        cases.push_back({"%k: i64", use, {number(0)}, "division by zero"});
    for (std::string use : {"iota(%k) // %k", "if (%k != 0) { 7 // %k } else { 0 }",
                            "%a = if (%k == 0) { 0 } else { mod(7, %k) }\n  %a - %a"})
        cases.push_back({"%k: i64", use, {number(0)}, ""});
    each_is_refused(cases);
}
TEST(SameErrors, SizesThatDoNotFit) {
    each_is_refused({
        {"%x: Tensor[(n), f32], %y: Tensor[(m), f32]", "%x + %y", {ones({3}), ones({2})}, "sizes that must be equal or 1: found n = 3 and m = 2"},
        {"%x: Tensor[(n), f32], %y: Tensor[(m), f32]", "gather(%x, nonzero(%x > 0.0)[0]) + %y", {ones({3}), ones({2})},
         "sizes that must be equal or 1: found 3 and m = 2"},
        {"%x: Tensor[(n, k), f32], %y: Tensor[(j, m), f32]", "matmul(%x, %y)", {ones({2, 2}), ones({1, 2})},
         "inner dims: expected k == j, found k = 2 and j = 1"},
        {"%x: Tensor[(n, k), f32], %y: Tensor[(j, m), f32]", "concat([%x, %y], axis=0)", {ones({2, 2}), ones({2, 1})},
         "axis 1: expected k == m, found k = 2 and m = 1"},
        {"%x: Tensor[(n), f32], %k: i64", "split(%x, [%k, 2], axis=0)", {ones({3}), number(2)}, "the sum of the sizes: expected k + 2 == n, found k + 2 = 4 and n = 3"},
        {"%x: Tensor[(n), f32], %k: i64", "reshape(%x, [%k, 2])", {ones({3}), number(2)},
         "elements before and after: expected n == 2*k, found n = 3 and 2*k = 4"},
        {"%x: Tensor[(n), f32]", "reshape(%x, [-1, 2])", {ones({3})},
         "elements to share among the sizes beside -1: expected n == 2*(n//2), found n = 3 and 2*(n//2) = 2"},
        {"%x: Tensor[(n), f32], %k: i64", "broadcast_to(%x, [%k])", {ones({3}), number(2)}, "size 3 does not broadcast to 2"},
        {"%k: i64, %x: Tensor[(n), f32]", "broadcast_to(%x, [%k])", {number(5), ones({3})}, "size 3 does not broadcast to 5"},
        {"%x: Tensor[(n), f32]", "broadcast_to(%x, [4])", {ones({2})}, "size 2 does not broadcast to 4"},      // a size that is surely no 1
        {"%x: Tensor[(n), f32], %y: Tensor[(m), f32]", "broadcast_to(%x, [m + 2])", {ones({2}), ones({1})}, "size 2 does not broadcast to 3"},
        {"%x: Tensor[(n), f32], %k: i64", "sum_to(%x, [%k])", {ones({3}), number(2)}, "size 3 does not sum to 2"},
        {"%k: i64, %x: Tensor[(n), f32]", "sum_to(%x, [%k])", {number(2), ones({3})}, "size 3 does not sum to 2"},
        {"%x: Tensor[(n), f32], %k: i64", "%x[%k:]", {ones({2}), number(3)}, "the ends of a range: expected k <= n, found k = 3 and n = 2"},
        {"%x: Tensor[(n), f32], %k: i64", "%x[:%k]", {ones({2}), number(3)}, "the end of a range: expected k <= n, found k = 3 and n = 2"},
        {"%x: Tensor[(n), f32], %k: i64", "slice(%x, [%k], [n])", {ones({2}), number(-1)}, "the start of a range: expected 0 <= k, found k = -1"},
        {"%x: Tensor[(n), f32], %k: i64", "slice_update(%x, %x, [%k])", {ones({2}), number(1)},
         "the end of a range: expected n + k <= n, found n + k = 3 and n = 2"},
        {"%k: i64", "full([%k], 1.0)", {number(-3)}, "a size: expected 0 <= k, found k = -3"},
        {"%x: Tensor[(n), f32]", "full([n - 3], 1.0)", {ones({2})}, "a size: expected 0 <= n - 3, found n - 3 = -1"},
        {"%x: Tensor[(n), f32], %k: i64", "%y: Tensor[(n), f32] = full([%k], 1.0)\n  %y", {ones({3}), number(2)},
         "axis 0 of %y: expected n == k, found n = 3 and k = 2"},
    });
}
TEST(SameErrors, SizesOfUnknownRanksThatDoNotFit) {
    const std::string two = "%x: Tensor[.., f32], %y: Tensor[.., f32]";
    each_is_refused({
        {two, "%x + %y", {ones({3}), ones({2})}, "sizes 3 and 2 must be equal or 1"},
        {two, "matmul(%x, %y)", {ones({2, 2}), ones({1, 2})}, "inner dims: found 2 and 1"},
        {two, "matmul(%x, %y)", {ones({}), ones({1, 2})}, "a tensor of rank 0 has no axis to contract"},
        {"%x: Tensor[.., f32], %i: i64", "%x[%i]", {ones({}), number(0)}, "axis 0 is out of range for rank 0"},
        {"%x: Tensor[.., f32]", "reshape(%x, [4, 2])", {ones({3, 1})}, "elements before and after: found 3 and 8"},
        {"%x: Tensor[.., f32]", "reshape(%x, [-1, 2])", {ones({3})}, "elements to share among the sizes beside -1: found 3 and 2"},
        {"%x: Tensor[.., f32]", "transpose(%x, [1, 0])", {ones({3})}, "perm has 2 axes, the tensor 1"},
        {"%x: Tensor[.., f32]", "sum(%x, axes=[1])", {ones({3})}, "axis 1 is out of range for rank 1"},
        {"%x: Tensor[.., f32], %k: i64", "split(%x, [%k, 2], axis=0)", {ones({3}), number(2)}, "the sum of the sizes: found 4 and 3"},
        {"%x: Tensor[.., f32], %k: i64", "broadcast_to(%x, [%k])", {ones({3}), number(5)}, "size 3 does not broadcast to 5"},
        {"%x: Tensor[.., f32], %k: i64", "broadcast_to(%x, [%k])", {ones({1, 3}), number(3)}, "rank 2 does not broadcast to rank 1"},
        {"%x: Tensor[.., f32], %k: i64", "sum_to(%x, [%k])", {ones({3}), number(2)}, "size 3 does not sum to 2"},
    });
}
TEST(SameErrors, CallsAndResults) {
    const std::string f = "def @f(%x: Tensor[(n), f32], %y: Tensor[(n), f32]) where mod(n, 2) == 0 { %x * %y }\n";
    const std::string use = "def @main(%x: Tensor[(n), f32], %y: Tensor[(m), f32]) { @f(%x, %y) }\n";
    EXPECT_EQ(message(use + f, {ones({2}), ones({2})}), "");
    EXPECT_EQ(message(use + f, {ones({2}), ones({4})}), "@f: axis 0 of %y: expected n == m, found n = 2 and m = 4");
    EXPECT_EQ(message(use + f, {ones({3}), ones({3})}), "@f: where: expected mod(n, 2) == 0, found mod(n, 2) = 1");
    const std::string made = "def @main(%x: Tensor[(n), f32], %k: i64) { @g(%x, %k) }\ndef @g(%x: Tensor[(n), f32], %k: i64) -> Tensor[(n), f32] { full([%k], 1.0) }";
    EXPECT_EQ(message(made, {ones({3}), number(2)}), "axis 0 of the result of @g: expected n == k, found n = 3 and k = 2");
    const std::string unnamed = "def @main(%x: Tensor[(n), f32], %y: Tensor[(m), f32]) { (fn(%0: Tensor[(k), f32], %1: Tensor[(k), f32]) { %0 })(%x, %y) }";
    EXPECT_EQ(message(unnamed, {ones({2}), ones({4})}), "fn: axis 0 of parameter 2: expected n == m, found n = 2 and m = 4");
    const std::string inner = "def @main(%x: Tensor[(n), f32], %i: i64) { @get(%x, %i) }\ndef @get(%x, %i) {\n  %x[%i]\n}";
    EXPECT_EQ(message(inner, {ones({3}), number(7)}), "index 7 is out of range for size 3");
}
// Recursion is not inlined: otherwise these would be the sizes of the caller, by the names that they have there.
TEST(SameErrors, SizesThatNobodyNamed) {
    auto failing = [&](const std::string& body) {
        return message("type List[a] = Nil | Cons(a, List[a])\n"
                       "def @main(%x: Tensor[(n), f32], %y: Tensor[(m), f32]) { @f(Cons(%x, Nil), %y) }\n"
                       "def @f(%l: List[Tensor[(?), f32]], %w) -> f32 { match (%l) { Nil => 0.0, Cons(%h, %t) => sum(" + body + ") + @f(%t, %w) } }",
                       {ones({3}), ones({2})});
    };
    EXPECT_EQ(failing("%h + %w"), "sizes that must be equal or 1: found 3 and 2");
    EXPECT_EQ(failing("matmul(%h, %w)"), "inner dims: found 3 and 2");
    EXPECT_EQ(failing("reshape(%h, [2, 2])"), "elements before and after: expected 4, found 3");
    EXPECT_EQ(failing("%w[0:shape_of(%h)[0]]"), "the end of a range: expected 3 <= 2, which does not hold");
}
TEST(SameErrors, TangentsAndAdjointsThatDoNotFit) {
    const std::string two = "%x: Tensor[(n), f32], %y: Tensor[(m), f32]", any = "%x: Tensor[.., f32], %y: Tensor[.., f32]";
    const std::string f = "fn(%z: Tensor[(k), f32]) { tanh(%z) }";
    each_is_refused({
        {two, "jvp(" + f + ")(%x, %y)", {ones({2}), ones({3})}, "the tangent of %z: axis 0 is 3, expected 2"},
        {two, "vjp(" + f + ")(%x, %y)", {ones({2}), ones({3})}, "the adjoint of the result: axis 0 is 3, expected 2"},
        {any, "vjp(fn(%z) { tanh(%z) })(%x, %y)", {ones({2}), ones({2, 1})}, "the adjoint of the result: expected rank 1, found 2"},
        {two, "jvp(fn(%z) { tanh(%z.0) * %z.1 })((1.0, %x), (1.0, %y))", {ones({2}), ones({3})}, "the tangent of %z, at .1: axis 0 is 3, expected 2"},
        {two, "vjp(fn(%z) { [%z, %z] })(%x, [%y, %y])", {ones({2}), ones({3})}, "the adjoint of the result, at an element: axis 0 is 3, expected 2"},
    });
}
TEST(SameErrors, ArgumentsThatAreNotWhatIsDeclared) {
    each_is_refused({
        {"%x: Tensor[(n), f32], %y: Tensor[(n), f32]", "%x + %y", {ones({2}), ones({3})}, "argument %y: axis 0 is 3, expected n = 2"},
        {"%x: Tensor[(n, 6), f32]", "sum(%x)", {ones({2, 7})}, "argument %x: axis 1 is 7, expected 6"},
        {"%x: Tensor[(n, 6*m), f32]", "sum(%x)", {ones({2, 7})}, "argument %x: axis 1: no m makes 6*m = 7"},
        {"%x: Tensor[(n, 6), f32]", "sum(%x)", {ones({2})}, "argument %x: expected rank 2, found shape (2)"},
        {"%x: Tensor[(n, ..), f32]", "sum(%x)", {ones({})}, "argument %x: expected rank 1 or more, found shape ()"},
        {"%x: Tensor[(n), f32]", "sum(%x)", {integers({1})}, "argument %x: expected dtype f32, found i64"},
        {"%x: Tensor[(n), f32]", "sum(%x)", {Value::seq({})}, "argument %x: expected a tensor of f32, found a seq"},
        {"%x: (f32, f32)", "%x.0", {ones({})}, "argument %x: expected a tuple of 2, found a tensor"},
        {"%x: (f32, f32)", "%x.0", {Value::tuple({ones({})})}, "argument %x: the tuple has 2 parts, found 1"},
        {"%x: Seq[f32]", "length(%x)", {ones({})}, "argument %x: expected a seq, found a tensor"},
        {"%x: Tensor[..s, f32], %y: Tensor[..s, f32]", "%x + %y", {ones({3}), ones({1})},
         "argument %y has another shape than %x: found (1) and (3), both are ..s"},
    });
    const std::string declared = "type T = A | B(f32)\ntype R = {w: f32, b: f32}\ntype List[a] = Nil | Cons(a, List[a])\n";
    auto taken = [&](const std::string& type, Value value) { return message(declared + "def @main(%x: " + type + ") { 1 }", {std::move(value)}); };
    EXPECT_EQ(taken("T", ones({})), "argument %x: expected a constructor, found a tensor");
    EXPECT_EQ(taken("T", Value::ctor("C", {})), "argument %x: no constructor 'C' in this type");
    EXPECT_EQ(taken("T", Value::ctor("B", {})), "argument %x: B has 1 part, found 0");
    EXPECT_EQ(taken("R", Value::ctor("B", {})), "argument %x: expected a record, found a constructor");
    EXPECT_EQ(taken("R", Value::record({{"w", ones({})}})), "argument %x: field 'b' of the record is missing");
    EXPECT_EQ(taken("R", Value::record({{"w", ones({})}, {"q", ones({})}})), "argument %x: the record has no field 'q'");
    auto r = [](Value w) { return Value::record({{"w", std::move(w)}, {"b", ones({})}}); };
    EXPECT_EQ(taken("R", r(number(1))), "argument %x, at .w: expected dtype f32, found i64");
    EXPECT_EQ(taken("(i64, Seq[R])", Value::tuple({number(1), Value::seq({r(ones({})), r(ones({2}))})})), "argument %x, at .1[1].w: expected rank 0, found shape (2)");
    EXPECT_EQ(taken("List[(f32, T)]", list({Value::tuple({ones({}), Value::ctor("A")}), Value::tuple({ones({}), Value::ctor("B", {number(1)})})})),
              "argument %x, at [1].1.B.0: expected dtype f32, found i64");
    EXPECT_EQ(message("def @main(%x: Tensor[(n), f32]) where mod(n, 2) == 0 { sum(%x) }", {ones({3})}),
              "@main: where: expected mod(n, 2) == 0, found mod(n, 2) = 1, where n = 3 is axis 0 of argument %x");
}
} // namespace
} // namespace nereus
