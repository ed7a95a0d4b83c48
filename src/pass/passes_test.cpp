// What the passes promise besides goldens: time that grows with the program, and contract K9 at its corners.
#include "eval/eval.h"
#include "pass/closure_sets.h"
#include "pass/effects.h"
#include "pass/pass_testing.h"
#include "pass/size_demands.h"

namespace nereus {
namespace {
Effect effect_of(const std::string& text, const char* function) {
    Module m = module_after(text, "shapes");
    return Effects(m).of(m.find_id(function)).effect;
}

TEST(Effects, GoThroughCallsBranchesAndRecursion) {
    std::string text = "def @main(%x: Tensor[(n), f32], %i: i64, %r: i64) { (@total(%x), @fails(%x, %i), @prints(%r), @reads(%x)) }\n"
                       "def @total(%x) { tanh(%x) / 2.0 }\n"
                       "def @fails(%x, %i) { if (%i > 0) { %x[%i] } else { 0.0 } }\n"
                       "def @prints(%n: i64) -> i64 { if (%n <= 0) { print(\"end\", %n); 0 } else { @prints(%n - 1) + 1 } }\n"
                       "def @reads(%x) { @look(ref(%x)) }\n"
                       "def @look(%c) { read(%c) }";
    EXPECT_EQ(effect_of(text, "total"), Effect::total);
    EXPECT_EQ(effect_of(text, "fails"), Effect::may_fail);
    EXPECT_EQ(effect_of(text, "prints"), Effect::io);
    EXPECT_EQ(effect_of(text, "look"), Effect::reads);
    EXPECT_EQ(effect_of(text, "reads"), Effect::writes) << "makes a cell";
    EXPECT_EQ(effect_of(text, "main"), Effect::io);
    Module m = module_after(text, "shapes");
    EXPECT_FALSE(Effects(m).of(m.find_id("prints")).ends);
    EXPECT_TRUE(Effects(m).of(m.find_id("total")).ends);
}
TEST(Effects, IntegersDivideByZeroFloatsDoNot) {
    EXPECT_EQ(effect_of("def @main(%a: i64, %b: i64) { %a // %b }", "main"), Effect::may_fail);
    EXPECT_EQ(effect_of("def @main(%a: f32, %b: f32) { %a / %b }", "main"), Effect::total);
}

// Of the bindings with these operators, which would run anywhere?
std::vector<bool> anywhere(const std::string& text, std::vector<std::string> ops) {
    Module m = module_after(text, "shapes");
    Effects effects(m);
    SizeDemands demands(m);
    Function& f = m.functions[0];
    FunctionEdit edit(m, f);
    std::vector<bool> found;
    for (const std::string& op : ops)
        for (const Binding& b : f.bindings)
            if (b.form == Form::op && b.op->name == op) found.push_back(demands.runs_anywhere(edit, f, effects, b));
    return found;
}
TEST(SizeDemands, HoldEverywhereOrOnlyHere) {
    std::string head = "def @main(%x: Tensor[(n, d), f32], %w: Tensor[(d, m), f32], %y: Tensor[(m), f32]) { ";
    EXPECT_EQ(anywhere(head + "matmul(%x, %w) + %y }", {"matmul", "add"}), (std::vector<bool>{true, true}));
    EXPECT_EQ(anywhere(head + "%x + %y }", {"add"}), (std::vector<bool>{false})) << "a check vouches for it";
    EXPECT_EQ(anywhere(head + "for %i in m, (%s = 0.0) { %s + sum(slice(%y, [0], [1])) } }", {"slice", "sum"}),
              (std::vector<bool>{false, true})) << "the loop's bounds do";
    EXPECT_EQ(anywhere(head + "reshape(%w, [m * d]) }", {"reshape"}), (std::vector<bool>{true}));
    EXPECT_EQ(anywhere(head + "for %i in m, (%s = 0.0) { %s + sum(full([d // m], 1.0)) } }", {"full"}), (std::vector<bool>{false}))
        << "there is no such size where m is 0";
    EXPECT_EQ(anywhere(head + "full([d // (m + 1)], 1.0) }", {"full"}), (std::vector<bool>{true}));
}

TEST(ClosureSets, AreFoundPerCall) {
    Module m = module_after("def @main(%x: f32, %c: bool) {\n"
                            "  %f = if (%c) { fn(%a) { %a * 2.0 } } else { @half }\n"
                            "  %g = fn(%a) { %a + 1.0 }\n"
                            "  %cell = ref(%g)\n"
                            "  write(%cell, %f)\n"
                            "  (%f(%x), %g(%x), read(%cell)(%x))\n"
                            "}\ndef @half(%x) { %x * 0.5 }", "specialise");
    PlainTypes plain(m);
    ClosureSets sets(m, plain);
    std::vector<size_t> sizes;
    for (const Binding& b : m.functions[0].bindings)
        if (b.form == Form::apply) sizes.push_back(sets.at(FunctionId(0), b).size());
    EXPECT_EQ(sets.labels().size(), 3u);
    EXPECT_EQ(sizes, (std::vector<size_t>{2, 1, 3}));
}

// A failing binding that is not used may vanish; one that is used must fail still, and only where it ran before.
TEST(K9, FailuresStayWhereTheyAre) {
    std::string text = "def @main(%x: Tensor[(n), f32], %c: bool, %k: i64) {\n"
                       "  for %i in %k, (%s = 0.0) { if (%c) { %s + %x[7] + %x[7] } else { %s + 1.0 } }\n"
                       "}";
    std::vector<std::string> all;
    for (const Stage& stage : pipeline())
        if (stage.pass) all.emplace_back(stage.name);
    Module m = module_after(text, "shapes", all);
    auto run = [&](bool c, int64_t k) {
        Value args[] = {Value::tensor(HostTensor::of<float>({2}, {1, 2})), Value::tensor(HostTensor::scalar(c)),
                        Value::tensor(HostTensor::scalar(k))};
        return eval(m, FunctionId(0), args);
    };
    EXPECT_TRUE(run(true, 0));
    EXPECT_TRUE(run(false, 3));
    EXPECT_FALSE(run(true, 1));
}
} // namespace
} // namespace nereus
