#include "exe/samples.h"
#include "value/compare.h"
#include "value/text.h"
#include "vm/assembled.h"
#include "vm/small_stack.h"
#include <gtest/gtest.h>

namespace nereus {
// f(x) = x for one parameter of type 0, kept as an object; `types` declares it and what it needs.
static std::string identity(std::string_view types, std::string_view sizes = "") {
    return std::string(types) + "\nentry {name: \"f\", " + std::string(sizes) +
           "params: [{name: \"x\"}], param_leaves: [{}], result_leaves: [{}]}\n" + "function f(" +
           (sizes.empty() ? "1" : "2") + ") -> 1 { retain " +
           (sizes.empty() ? "r0 leave (r0) }" : "r1 leave (r1) }");
}
static Value i64(int64_t n) { return Value::tensor(HostTensor::scalar(n)); }
static std::string outcome(Assembled& f, Value arg) {
    Result<Value> result = f.run({std::move(arg)});
    return result ? to_text(*result)
                  : std::string(code_name(result.error().code)) + ": " + result.error().message;
}
static std::string outcome(std::string_view types, Value arg) {
    Assembled f(identity(types));
    std::string text = outcome(f, std::move(arg));
    EXPECT_EQ(f.stats().leaked_objects, 0);
    return text;
}

TEST(Door, ValuesOfEveryKindReturn) {
    EXPECT_EQ(outcome("type {axes: [-1, -1]}", Value::tensor(HostTensor::of<float>({2, 2}, {1, 2, 3, 4}))),
              "Tensor[(2, 2), f32] [[1, 2], [3, 4]]");
    EXPECT_EQ(
        outcome("type {dtype: i64, ranked: false}", Value::tensor(HostTensor::of<int64_t>({1, 2}, {1, 2}))),
        "Tensor[(1, 2), i64] [[1, 2]]");
    EXPECT_EQ(outcome("type {kind: seq, fields: [[1]]} type {dtype: i64}", Value::seq({i64(1), i64(2)})),
              "[i64 1, i64 2]");
    EXPECT_EQ(outcome("type {kind: seq, fields: [[1]]} type {dtype: i64}", Value::seq({})), "[]");
    EXPECT_EQ(
        outcome(
            "type {kind: record, names: [\"a\", \"b\"], fields: [[1, 2]]} type {dtype: i64} type {dtype: bool}",
            Value::record({{"b", Value::tensor(HostTensor::scalar(true))}, {"a", i64(3)}})),
        "{a = i64 3, b = bool true}");
    EXPECT_EQ(
        outcome("type {kind: data, names: [\"Leaf\", \"Node\"], fields: [[1], [0, 0]]} type {dtype: i64}",
                Value::ctor("Node", {Value::ctor("Leaf", {i64(1)}), Value::ctor("Leaf", {i64(2)})})),
        "Node(Leaf(i64 1), Leaf(i64 2))");
    EXPECT_EQ(outcome("type {kind: seq, fields: [[1]]} type {kind: tuple, fields: [[2, 2]]} type {dtype: i64}",
                      Value::seq({Value::tuple({i64(1), i64(2)})})), "[(i64 1, i64 2)]");
    EXPECT_EQ(outcome("type {axes: [-1]}", Value::tensor(HostTensor())), "Tensor[(0), f32] []");
}

TEST(Door, WhatDoesNotFitIsRefused) {
    constexpr std::string_view tree =
        "type {kind: data, names: [\"Leaf\", \"Node\"], fields: [[1], [0, 0]]} type {dtype: i64}";
    constexpr std::string_view record =
        "type {kind: record, names: [\"a\", \"b\"], fields: [[1, 1]]} type {dtype: i64}";
    EXPECT_EQ(outcome(tree, Value::ctor("Twig")), "type: argument %x: no constructor 'Twig' in this type");
    EXPECT_EQ(outcome(tree, Value::ctor("Leaf")), "type: argument %x: Leaf has 1 part, found 0");
    EXPECT_EQ(outcome(tree, i64(3)), "type: argument %x: expected a constructor, found a tensor");
    EXPECT_EQ(outcome(tree, Value::ctor("Leaf", {Value::tensor(HostTensor::scalar(1.5f))})),
              "type: argument %x, at .Leaf.0: expected dtype i64, found f32");
    EXPECT_EQ(outcome(tree, Value::ctor("Leaf", {Value::tensor(HostTensor::of<int64_t>({1}, {2}))})),
              "shape: argument %x, at .Leaf.0: expected rank 0, found shape (1)");
    EXPECT_EQ(outcome(tree, Value::ctor("Node", {Value::ctor("Leaf", {i64(1)}), Value()})),
              "type: argument %x, at .Node.1: expected a constructor, found a tuple");
    EXPECT_EQ(outcome(record, Value::record({{"a", i64(1)}, {"c", i64(1)}})), "type: argument %x: the record has no field 'c'");
    EXPECT_EQ(outcome(record, Value::record({{"a", i64(1)}})), "type: argument %x: field 'b' of the record is missing");
    EXPECT_EQ(outcome("type {kind: seq, fields: [[1]]} type {dtype: i64}", Value::seq({i64(1), Value()})),
              "type: argument %x, at [1]: expected a tensor of i64, found a tuple");
    EXPECT_EQ(outcome("type {ranked: false, axes: [-1, -1]}", Value::tensor(HostTensor::of<float>({1}, {1}))),
              "shape: argument %x: expected rank 2 or more, found shape (1)");
    Assembled f(identity(tree));
    EXPECT_EQ(f.run({}).error().message, "expected 1 arguments, found 0");
    EXPECT_EQ(outcome(f, Value::ctor("Twig")), "type: argument %x: no constructor 'Twig' in this type");
    EXPECT_EQ(outcome(f, Value::ctor("Leaf", {i64(1)})), "Leaf(i64 1)") << "usable afterwards";
}

TEST(Door, ItemsOfOneSeqAgreeInTheirSizes) {
    Assembled f(identity("type {kind: seq, fields: [[1]]} type {dtype: i64, axes: [0]}",
                         "sizes: 1, size_names: [\"n\"], "));
    Value two = Value::tensor(HostTensor::of<int64_t>({2}, {1, 2})),
          one = Value::tensor(HostTensor::of<int64_t>({1}, {1}));
    EXPECT_EQ(outcome(f, Value::seq({two, two})), "[Tensor[(2), i64] [1, 2], Tensor[(2), i64] [1, 2]]");
    EXPECT_EQ(outcome(f, Value::seq({two, one})),
              "shape: argument %x, at [1]: elements differ in size: n is both 2 and 1");
}

TEST(Door, SizesComeFirst) {
    Assembled f(
        "type {axes: [0, 1]} type {dtype: i64} type {kind: tuple, fields: [[1, 1, 1]]} type {kind: seq, fields: [[3]]} type {axes: [2]}\n"
        "entry {name: \"f\", sizes: 3, size_names: [\"n\", \"m\", \"k\"], params: [{name: \"x\"}, {name: \"s\", type: 3}], param_leaves: [{kind: address}, {type: 3}],"
        " result_type: 2, result_leaves: [{kind: number, type: 1}, {kind: number, type: 1}, {kind: number, type: 1}]}\n"
        "function f(5) -> 3 { leave (r0, r1, r2) }");
    // a seq type that holds itself has no values but the empty and those of empties: its items have no size
    EXPECT_EQ(
        to_text(*f.run({Value::tensor(*HostTensor::make(DType::f32, {4, 0})), Value::seq({Value::seq({})})})),
        "(i64 4, i64 0, i64 -1)");
}

TEST(Door, BoundDimsBelongToTheirConstructor) {
    // Pair[k](Tensor[(k)], Tensor[(k)]), in a list
    constexpr std::string_view types =
        "type {kind: seq, fields: [[1]]} type {kind: data, names: [\"Pair\"], fields: [[2, 2]], bound: [1]} type {dtype: i64, axes: [-2]}";
    Value one = Value::tensor(HostTensor::of<int64_t>({1}, {1})),
          two = Value::tensor(HostTensor::of<int64_t>({2}, {1, 2}));
    EXPECT_EQ(
        outcome(types, Value::seq({Value::ctor("Pair", {one, one}), Value::ctor("Pair", {two, two})})),
        "[Pair(Tensor[(1), i64] [1], Tensor[(1), i64] [1]), Pair(Tensor[(2), i64] [1, 2], Tensor[(2), i64] [1, 2])]");
    EXPECT_EQ(outcome(types, Value::seq({Value::ctor("Pair", {one, two})})),
              "shape: argument %x, at [0].Pair.1: field 1 of Pair: axis 0 has size 2 where another field says 1");
    Assembled f(
        "type {kind: data, names: [\"Many\"], fields: [[1]], bound: [1]} type {kind: seq, fields: [[2]]} type {dtype: i64, axes: [-2]} type {dtype: i64}\n"
        "entry {name: \"f\", params: [{name: \"x\"}], param_leaves: [{}], result_type: 3, result_leaves: [{kind: number, type: 3}]}\n"
        "function f(1) -> 1 { r1 = bound_dim r0, 0 leave (r1) }");
    EXPECT_EQ(outcome(f, Value::ctor("Many", {Value::seq({two, two})})), "i64 2");
    EXPECT_EQ(outcome(f, Value::ctor("Many", {Value::seq({two, one})})),
              "shape: argument %x, at .Many.0[1]: field 0 of Many: axis 0 has size 1 where another field says 2");
    EXPECT_EQ(outcome(f, Value::ctor("Many", {Value::seq({})})), "i64 0") << "nothing was seen";
}

// Cell[?] in a list, where Cell[d] has two tensors of size d: each object has its own d, and its tensors agree in it.
TEST(Door, SharedSizesBelongToTheirObject) {
    constexpr std::string_view types =
        "type {kind: seq, fields: [[1]]} type {kind: record, names: [\"a\", \"b\"], fields: [[2, 3]], shared: 1}"
        " type {dtype: i64, axes: [-1048578]} type {kind: seq, fields: [[2]]}";
    Value one = Value::tensor(HostTensor::of<int64_t>({1}, {1})),
          two = Value::tensor(HostTensor::of<int64_t>({2}, {1, 2}));
    auto cell = [](Value a, std::vector<Value> b) { return Value::record({{"a", std::move(a)}, {"b", Value::seq(std::move(b))}}); };
    EXPECT_EQ(outcome(types, Value::seq({cell(one, {one}), cell(two, {two, two}), cell(one, {})})),
              "[{a = Tensor[(1), i64] [1], b = [Tensor[(1), i64] [1]]}, {a = Tensor[(2), i64] [1, 2], b = [Tensor[(2), i64] [1, 2], "
              "Tensor[(2), i64] [1, 2]]}, {a = Tensor[(1), i64] [1], b = []}]");
    EXPECT_EQ(outcome(types, Value::seq({cell(one, {one}), cell(two, {two, one})})),
              "shape: argument %x, at [1].b[1]: tensors of one value differ in a size that its type gives all of them: 2 and 1");
    Value both = cell(two, {two});                       // one object at two places
    EXPECT_EQ(outcome(types, Value::seq({both, both})), outcome(types, Value::seq({cell(two, {two}), cell(two, {two})})));
}

// One tensor at two places with two types is looked at twice.
TEST(Door, SharedPartsAreCheckedAgainstEveryType) {
    constexpr std::string_view types =
        "type {kind: record, names: [\"a\", \"b\"], fields: [[1, 2]]} type {dtype: i64, axes: [-1]} type {dtype: f64, axes: [-1]}";
    Value shared = Value::tensor(HostTensor::of<int64_t>({1}, {1}));
    EXPECT_EQ(outcome(types, Value::record({{"a", shared}, {"b", shared}})),
              "type: argument %x, at .b: expected dtype f64, found i64");
}

TEST(Door, SharedValuesStayShared) {
    for (std::string_view bound : {"", ", bound: [0, 1]"}) {
        Assembled f(identity("type {kind: data, names: [\"Leaf\", \"Node\"], fields: [[1], [0, 0]]" +
                             std::string(bound) + "} type {dtype: i64}"));
        Value tree = Value::ctor("Leaf", {i64(1)});
        for (int i = 0; i < 60; ++i) tree = Value::ctor("Node", {tree, tree});
        Result<Value> result = f.run({tree});
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_LT(f.stats().object_bytes, 1 << 16);
        Value at = *result;
        for (int i = 0; i < 60; ++i) {
            ASSERT_EQ(at.children()[0].node(), at.children()[1].node());
            at = Value(at.children()[0]);
        }
        EXPECT_EQ(to_text(at), "Leaf(i64 1)");
    }
}

TEST(Door, MillionDeepValuesPass) {
    on_small_stack([] {
        Assembled f(identity(
            "type {kind: data, names: [\"Nil\", \"Cons\"], fields: [[], [1, 0]]} type {dtype: i64}"));
        Value list = Value::ctor("Nil");
        Value item = i64(1);
        for (int i = 0; i < 1'000'000; ++i) list = Value::ctor("Cons", {item, list});
        Result<Value> result = f.run({list});
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(result->ctor_name(), "Cons");
        EXPECT_EQ(f.stats().leaked_objects, 0);
        f.restart({.memory_limit = 1 << 20});
        EXPECT_EQ(f.run({list}).error().code, Code::memory);
        EXPECT_TRUE(f.run({Value::ctor("Nil")}));
    });
}

TEST(Door, NumbersOfEveryDtypeAreTheirBits) {
    const HostTensor numbers[] = {HostTensor::scalar(true), HostTensor::scalar(int32_t(-7)),
                                  HostTensor::scalar(int64_t(-7)), HostTensor::scalar(1.5f),
                                  HostTensor::scalar(-2.25)};
    for (const HostTensor& number : numbers) {
        std::string type = "type {dtype: " + std::string(dtype_name(number.dtype())) + "}\n";
        Assembled f(
            type +
            "entry {name: \"f\", params: [{name: \"x\"}], param_leaves: [{kind: number}], result_leaves: [{kind: number}]}\n"
            "function f(1) -> 1 { leave (r0) }");
        EXPECT_EQ(outcome(f, Value::tensor(number)), to_text(number));
    }
}

TEST(Door, TuplesAreTakenApart) {
    Assembled f(
        "type {kind: tuple, fields: [[1, 2]]} type {dtype: i64} type {kind: tuple, fields: [[1, 3]]} type {kind: tuple, fields: [[]]}\n"
        "entry {name: \"f\", params: [{name: \"x\"}], param_leaves: [{kind: number, type: 1}, {kind: number, type: 1}],"
        " result_leaves: [{kind: number, type: 1}, {kind: number, type: 1}]}\n"
        "function f(2) -> 2 { leave (r1, r0) }");
    EXPECT_EQ(outcome(f, Value::tuple({i64(1), Value::tuple({i64(2), Value()})})), "(i64 2, (i64 1, ()))");
    EXPECT_EQ(outcome(f, Value::tuple({i64(1)})), "type: argument %x: the tuple has 2 parts, found 1");
    EXPECT_EQ(outcome(f, Value::tuple({i64(1), Value::tuple({Value::seq({}), Value()})})), "type: argument %x, at .1.0: expected a tensor of i64, found a seq");
}

TEST(Door, PrintShowsValues) {
    std::string printed;
    Assembled f(
        "type {dtype: i64} site {what: \"x is\"}\nentry {name: \"f\", params: [{name: \"x\"}], param_leaves: [{}], result_leaves: [{}]}\n"
        "function f(1) -> 1 { print 0, (r0), (0) retain r0 leave (r0) }",
        {.print = [&](std::string_view line) { printed = line; }});
    EXPECT_EQ(outcome(f, i64(5)), "i64 5");
    EXPECT_EQ(printed, "x is i64 5");
}

static constexpr std::string_view copy_it = R"(
type {axes: [0]}
type {dtype: i64, ranked: false}
type {kind: seq, fields: [[1]]}
entry {name: "f", sizes: 1, size_names: ["n"], params: [{name: "x"}], param_leaves: [{kind: address}], result_leaves: [{kind: address}]}
entry {name: "any", function: 1, params: [{name: "x", type: 1}], param_leaves: [{type: 1}], result_type: 1, result_leaves: [{type: 1}]}
entry {name: "seq", function: 2, result_type: 2, result_leaves: [{type: 2}]}
function f(2) -> 1 {
  r2 = new_output.f32 (r0), 0
  r3 = load_constant 4
  r3 = size_mul r3, r0
  copy r2, r1, r3
  leave (r2)
}
function any(1) -> 1 { retain r0 leave (r0) }
function seq(0) -> 1 { r0 = new_seq () leave (r0) }
)";

TEST(Door, TensorCallsWriteResultsInPlace) {
    Assembled f(copy_it);
    std::vector<HostTensor> args = {HostTensor::of<float>({3}, {1, 2, 3})}, results(1);
    ASSERT_TRUE(f.context->run(f.entry(), args, results));
    EXPECT_EQ(to_text(results[0]), "Tensor[(3), f32] [1, 2, 3]");
    const std::byte* first = results[0].bytes();
    args[0] = HostTensor::of<float>({3}, {4, 5, 6});
    ASSERT_TRUE(f.context->run(f.entry(), args, results));
    EXPECT_EQ(results[0].bytes(), first);
    HostTensor kept = results[0];
    args[0] = HostTensor::of<float>({3}, {7, 8, 9});
    ASSERT_TRUE(f.context->run(f.entry(), args, results));
    EXPECT_NE(results[0].bytes(), first) << "somebody else still reads it";
    EXPECT_EQ(to_text(kept), "Tensor[(3), f32] [4, 5, 6]");
    EXPECT_EQ(to_text(results[0]), "Tensor[(3), f32] [7, 8, 9]");
    args[0] = HostTensor::of<float>({0}, {});
    ASSERT_TRUE(f.context->run(f.entry(), args, results));
    EXPECT_EQ(to_text(results[0]), "Tensor[(0), f32] []");

    EXPECT_EQ(f.context->run(f.entry(), results, results).error().code, Code::usage) << "the same tensor twice";
    EXPECT_EQ(f.context->run(f.entry(), {}, results).error().code, Code::usage);
    args[0] = HostTensor::scalar(1.0);
    EXPECT_EQ(f.context->run(f.entry(), args, results).error().message,
              "argument %x: expected dtype f32, found f64");
    const EntryInfo& any = *f.program->find_entry("any");
    EXPECT_EQ(f.context->run(any, args, results).error().message, "argument %x: expected dtype i64, found f64");
    EXPECT_EQ(f.context->run(*f.program->find_entry("seq"), {}, results).error().code, Code::usage)
        << "gives no tensor";
    EXPECT_EQ(f.program->find_entry("none"), nullptr);
}

static constexpr std::string_view number_and_tensor =
        "type {dtype: i64} type {dtype: i64, axes: [-1]} type {kind: tuple, fields: [[0, 1]]}\n"
        "entry {name: \"f\", params: [{name: \"x\"}], param_leaves: [{kind: number}], result_type: 2, result_leaves: [{kind: number}, {type: 1}]}\n"
        "function f(1) -> 2 { r1 = load_constant 1 r1 = new_tensor.i64 (r1) r2 = tensor_data r1 write_scalar.i64 r2, r0 leave (r0, r1) }";

TEST(Door, TensorCallsGiveNumbersAndLateTensors) {
    Assembled f(number_and_tensor);
    std::vector<HostTensor> args = {HostTensor::scalar(int64_t(5))}, results(2);
    ASSERT_TRUE(f.context->run(f.entry(), args, results));
    EXPECT_EQ(to_text(results[0]) + " " + to_text(results[1]), "i64 5 Tensor[(1), i64] [5]");
    EXPECT_EQ(f.stats().leaked_objects, 0);
}

TEST(Door, ResultsGoWhereTheyFit) {
    int64_t number = 0, late = 0;
    const CallOptions::Destination both[] = {{reinterpret_cast<std::byte*>(&number), 8}, {reinterpret_cast<std::byte*>(&late), 8}};
    Assembled f(number_and_tensor);
    const Value five[] = {i64(5)};
    Result<Value> result = f.context->run(f.entry(), five, {.destinations = both});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->children()[0].tensor().bytes(), both[0].data);
    EXPECT_EQ(result->children()[1].tensor().bytes(), both[1].data);
    EXPECT_EQ(number, 5);
    EXPECT_EQ(late, 5);
    const CallOptions::Destination small[] = {{}, {both[1].data, 7}};
    const Value six[] = {i64(6)};
    result = f.context->run(f.entry(), six, {.destinations = small});
    EXPECT_EQ(to_text(*result), "(i64 6, Tensor[(1), i64] [6])");
    EXPECT_EQ(late, 5) << "it was too small";

    float out[3] = {};
    const CallOptions::Destination wide[] = {{reinterpret_cast<std::byte*>(out), sizeof out}};
    Assembled copier(copy_it);
    const Value x[] = {Value::tensor(HostTensor::of<float>({3}, {1, 2, 3}))};
    ASSERT_TRUE(copier.context->run(copier.entry(), x, {.destinations = wide}));
    EXPECT_EQ(out[2], 3);
}

TEST(Door, ResultsComeFromTheAllocator) {
    struct Counts { int64_t live = 0, all = 0; bool empty = false; } counts;
    ContextOptions options;
    options.allocator.allocate = [](void* user, size_t bytes, size_t alignment) -> void* {
        auto& c = *static_cast<Counts*>(user);
        if (c.empty) return nullptr;
        return ++c.live, ++c.all, std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    };
    options.allocator.release = [](void* user, void* at, size_t) { --static_cast<Counts*>(user)->live, std::free(at); };
    options.allocator.user = &counts;
    Value kept;
    {
        Assembled f(number_and_tensor, options);
        kept = *f.run({i64(5)});
        EXPECT_EQ(counts.live, 3) << "two tensors and a block of the heap";
        const int64_t before = counts.all;
        EXPECT_EQ(to_text(*f.run({i64(6)})), "(i64 6, Tensor[(1), i64] [6])");
        EXPECT_EQ(counts.all - before, 2) << "the block is kept";
        f.context->trim();
        EXPECT_EQ(counts.live, 2);
        counts.empty = true;
        EXPECT_EQ(f.run({i64(7)}).error().code, Code::memory);
        counts.empty = false;
        EXPECT_TRUE(f.run({i64(7)}));
    }
    EXPECT_EQ(counts.live, 2) << "results outlive their context";
    kept = Value();
    EXPECT_EQ(counts.live, 0);
}
} // namespace nereus
