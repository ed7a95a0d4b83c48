// Each promise of verify.h, broken once.
#include "ir/verify.h"
#include "ir/op.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
constexpr OpParam one[] = {{"x"}};
constexpr OpParam lists[] = {{"xs", ParamKind::values}, {"axis", ParamKind::integer}, {"y", ParamKind::value, true}};
constexpr OpDef neg{.name = "neg", .params = one};
constexpr OpDef concat{.name = "concat", .params = lists};

// def @f(%x) { %1 = neg(2); %2 = neg(%x); %2 }
Module sample() {
    Module m;
    Function f{.name = "f", .result = m.types.hole()};
    ValueId x = f.add_value("x", m.types.hole(), {}), two = f.add_value("0", m.types.hole(), {});
    ValueId first = f.add_value("1", m.types.hole(), {}), second = f.add_value("2", m.types.hole(), {});
    f.params = {x};
    f.body = f.add_block();
    Literal number{.kind = Literal::Kind::integer, .integers = {2}};
    BindingId a = f.add_binding(Binding{.form = Form::literal, .results = {two}, .literal = number});
    BindingId b = f.add_binding(Binding{.form = Form::op, .op = &neg, .args = {two}, .groups = {{1, false}}, .results = {first}});
    BindingId c = f.add_binding(Binding{.form = Form::op, .op = &neg, .args = {x}, .groups = {{1, false}}, .results = {second}});
    f[f.body].bindings = {a, b, c};
    f[f.body].results = {second};
    m.functions.push_back(std::move(f));
    return m;
}
std::string problem(const Module& m) {
    Status status = verify(m);
    return status ? "none" : status.error().message;
}
template <class F> std::string after(F change) {
    Module m = sample();
    change(m, m.functions[0]);
    return problem(m);
}
} // namespace

TEST(Verify, ASoundModule) { EXPECT_EQ(problem(sample()), "none"); }

TEST(Verify, Values) {
    EXPECT_EQ(after([](Module&, Function& f) { f.bindings[2].args = {ValueId(99)}; }), "function @f: a value is out of range");
    EXPECT_EQ(after([](Module&, Function& f) { f.bindings[1].args = {ValueId(3)}; }), "function @f: %2 is used before it is bound");
    EXPECT_EQ(after([](Module&, Function& f) { f.bindings[2].results = {ValueId(2)}; }), "function @f: %1 is bound twice");
    EXPECT_EQ(after([](Module&, Function& f) { f.bindings[2].args = {ValueId(1)}; }), "function @f: the constant %0 has several uses");
    EXPECT_EQ(after([](Module&, Function& f) { f.values[3].name = "1"; }), "function @f: two values are called %1");
    EXPECT_EQ(after([](Module&, Function& f) { f.values[3].name = "a b"; }), "function @f: the name 'a b' is not a word");
    EXPECT_EQ(after([](Module&, Function& f) { f.values[3].type = TypeId(77); }), "function @f: %2 has no type");
}

TEST(Verify, BlocksAreScopes) {
    auto lambda = [](Function& f) {                      // %2 becomes fn(%3) { %1 }
        ValueId inner = f.add_value("3", TypeId(0), {});
        BlockId block = f.add_block();
        f[block].params = {inner};
        f[block].results = {ValueId(2)};
        f.bindings[2] = Binding{.form = Form::lambda, .blocks = {block}, .results = {ValueId(3)}};
        return block;
    };
    EXPECT_EQ(after([&](Module&, Function& f) { lambda(f); }), "none");
    EXPECT_EQ(after([&](Module&, Function& f) { lambda(f); f[f.body].results = {ValueId(4)}; }),
              "function @f: %3 is used outside its block");
    EXPECT_EQ(after([&](Module&, Function& f) { f[lambda(f)].results = {}; }), "function @f: a block has 0 results instead of 1");
    EXPECT_EQ(after([&](Module&, Function& f) { f.bindings[2].blocks = {f.body}; lambda(f); f.bindings[2].blocks = {f.body}; }),
              "function @f: a block is used twice");
    EXPECT_EQ(after([&](Module&, Function& f) { lambda(f); f.bindings[2].blocks = {}; }), "function @f: blocks: 0 instead of 1");
    EXPECT_EQ(after([&](Module&, Function& f) { f[f.body].bindings.push_back(BindingId(0)); }),
              "function @f: a binding stands in two places");
}

TEST(Verify, OperatorsHaveWhatTheyDeclare) {
    EXPECT_EQ(after([](Module&, Function& f) { f.bindings[2].args = {}; }), "function @f: arguments of neg: 0 instead of 1");
    EXPECT_EQ(after([](Module&, Function& f) { f.bindings[2].groups = {{0, false}}; }), "function @f: neg: argument x is missing");
    EXPECT_EQ(after([](Module&, Function& f) { f.bindings[2].groups = {{1, true}}; }), "function @f: neg: argument x is not a list");
    EXPECT_EQ(after([](Module&, Function& f) { f.bindings[2].groups = {}; }), "function @f: neg: argument x has no group");
    EXPECT_EQ(after([](Module&, Function& f) { f.bindings[2].op = nullptr; }), "function @f: an operator without definition");
    EXPECT_EQ(after([](Module&, Function& f) { f.bindings[2].op = &concat; }), "function @f: concat: argument axis is missing");
    EXPECT_EQ(after([](Module&, Function& f) {
                  f.bindings[2].op = &concat;
                  f.bindings[2].groups = {{1, true}, {0, false}};
                  f.bindings[2].attributes = {{"axis", int64_t(1)}};
              }), "none");
}

TEST(Verify, FormsHaveTheirShape) {
    auto with = [](Binding binding) {
        return after([&](Module&, Function& f) {
            binding.results = {ValueId(3)};
            f.bindings[2] = binding;
        });
    };
    ValueId x(0);
    EXPECT_EQ(with({.form = Form::project, .args = {x}}), "none");
    EXPECT_EQ(with({.form = Form::project, .args = {x, x}}), "function @f: arguments of a projection: 2 instead of 1");
    EXPECT_EQ(with({.form = Form::call, .args = {x}, .function = FunctionId(9)}), "function @f: unknown function");
    EXPECT_EQ(with({.form = Form::call, .args = {x, x}, .function = FunctionId(0)}), "function @f: arguments: 2 instead of 1");
    EXPECT_EQ(with({.form = Form::construct, .decl = DeclId(0)}), "function @f: unknown constructor");
    EXPECT_EQ(with({.form = Form::record, .args = {x}}), "function @f: values of a record: 1 instead of 0");
    EXPECT_EQ(with({.form = Form::index, .args = {x}, .parts = {{IndexPart::Kind::from_to}}}),
              "function @f: positions of an index: 1 instead of 3");
    EXPECT_EQ(with({.form = Form::dim}), "function @f: a dim is missing");
    EXPECT_EQ(with({.form = Form::literal, .literal = {.kind = Literal::Kind::real}}), "function @f: numbers of a constant: 0 instead of 1");
    EXPECT_EQ(with({.form = Form::check}), "function @f: a check compares nothing");
}

TEST(Verify, NamesOfTheModule) {
    EXPECT_EQ(after([](Module& m, Function&) { m.functions.push_back(m.functions[0]); }), "two functions are called @f");
    EXPECT_EQ(after([](Module& m, Function&) { m.decls = {{.name = "T"}, {.name = "T"}}; }), "two types are called T");
    EXPECT_EQ(after([](Module& m, Function&) {
                  m.decls = {{.name = "T", .constructors = {{.name = "A"}}}, {.name = "U", .constructors = {{.name = "A"}}}};
              }), "two constructors are called A");
}
} // namespace nereus
