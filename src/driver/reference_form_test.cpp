// What the reference form of gradients writes with a tape of closures and a cell per value is, once what is known is done
// (partial_evaluation), the code that the product form writes, if the program is straight-line: same operators on the same
// values, whatever their names and the order of independent ones.
#include "driver/canonical_testing.h"
#include "driver/pipeline.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
struct Straight { const char* name; const char* text; };         // GRAD(f) is grad in either form

constexpr Straight programs[] = {
    {"line", "def @loss(%w: Tensor[(d), f64], %x: Tensor[(d), f64]) { sum(tanh(%w * %x)) }\n"
             "def @main(%w: Tensor[(d), f64], %x: Tensor[(d), f64]) { GRAD(@loss)(%w, %x) }"},
    {"two_uses", "def @main(%x: Tensor[(n), f64]) { GRAD(fn(%x) { sum(exp(%x) * %x + %x) })(%x) }"},
    {"matmul_chain", "def @loss(%a: Tensor[(n, k), f64], %b: Tensor[(k, m), f64], %c: Tensor[(m, 2), f64]) {\n"
                     "  sum(matmul(tanh(matmul(%a, %b)), %c)) }\n"
                     "def @main(%a: Tensor[(n, k), f64], %b: Tensor[(k, m), f64], %c: Tensor[(m, 2), f64]) { GRAD(@loss)(%a, %b, %c) }"},
    {"tuple", "def @main(%p: (Tensor[(n), f64], Tensor[(n), f64]), %x: Tensor[(n), f64]) {\n"
              "  GRAD(fn(%p) { sum(%p.0 * %x - %p.1 * %p.1) })(%p) }"},
    {"record", "type Line = {slope: f64, offset: f64}\n"
               "def @loss(%l: Line, %x: Tensor[(n), f64], %y: Tensor[(n), f64]) { %e = %l.slope * %x + %l.offset - %y; sum(%e * %e) }\n"
               "def @main(%l: Line, %x: Tensor[(n), f64], %y: Tensor[(n), f64]) { GRAD(@loss)(%l, %x, %y) }"},
    {"reduction", "def @main(%x: Tensor[(n, m), f64]) { GRAD(fn(%x) { sum(exp(sum(%x, axes=[1]) - sum(%x * %x))) })(%x) }"},
    {"broadcasting", "def @main(%x: Tensor[(n, m), f64], %b: Tensor[(m), f64], %s: f64) {\n"
                     "  GRAD(fn(%x, %b, %s) { sum((%x + %b) * (%x / %s)) })(%x, %b, %s) }"},
    {"select", "def @main(%x: Tensor[(n), f64], %y: Tensor[(n), f64]) { GRAD(fn(%x, %y) { sum(select(%x < %y, %x * %y, tanh(%x))) })(%x, %y) }"},
    {"called", "def @norm(%x: Tensor[(k), f64]) { sqrt(sum(%x * %x)) }\n"
               "def @loss(%x: Tensor[(n), f64], %y: Tensor[(m), f64]) { @norm(%x) / @norm(%y) }\n"
               "def @main(%x: Tensor[(n), f64], %y: Tensor[(m), f64]) { GRAD(@loss)(%x, %y) }"},
    {"stopped", "def @main(%x: Tensor[(n), f64]) { GRAD(fn(%x) { sum(stop_gradient(exp(%x)) * %x) })(%x) }"},
    {"unused", "def @main(%x: Tensor[(n), f64], %y: Tensor[(n), f64]) { GRAD(fn(%x, %y) { %z = %x / %y; sum(%x * 2.0) })(%x, %y) }"},
    {"nested", "def @main(%x: Tensor[(n), f64], %v: Tensor[(n), f64]) {\n"
               "  GRAD(fn(%x) { sum(GRAD(fn(%x) { sum(tanh(%x) * %x) })(%x) * %v) })(%x) }"},
};

std::string with_form(const Straight& program, const std::string& form) {
    std::string text = program.text;
    for (size_t at = text.find("GRAD("); at != std::string::npos; at = text.find("GRAD(", at)) {
        size_t end = at + 5;
        for (int depth = 1; depth > 0; ++end) depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
        text.insert(end - 1, ", mode=\"" + form + "\"");
        text.replace(at, 4, "grad");
    }
    return text;
}

Result<Module> compiled(const Straight& program, const std::string& form) {
    CompileOptions options;
    CompileReport report;
    StageContext context{options, report};
    Module m = TRY(find_pass("partial_evaluation")->pass(TRY(run_until(TRY(parse_text("p.nr", with_form(program, form), nullptr)), "grad", options))));
    bool begun = false;
    for (const Stage& stage : pipeline()) {
        if (begun) {
            m = TRY(stage.run(std::move(m), context));
            TRY(verified(m, stage));
        }
        begun |= stage.name == "grad";
    }
    return m;
}

class ReferenceForm : public testing::TestWithParam<Straight> {};

TEST_P(ReferenceForm, IsTheProductFormOnceWhatIsKnownIsDone) {
    std::string texts[2];
    for (int i = 0; i < 2; ++i) {
        Result<Module> m = compiled(GetParam(), i == 0 ? "product" : "closures");
        ASSERT_TRUE(m) << m.error().message;
        ASSERT_EQ(m->functions.size(), 1u) << print(*m);
        texts[i] = CanonicalText(*m, m->functions[0]).text();
    }
    EXPECT_EQ(texts[0], texts[1]);
}

INSTANTIATE_TEST_SUITE_P(StraightLine, ReferenceForm, testing::ValuesIn(programs), [](const auto& info) { return info.param.name; });
} // namespace
} // namespace nereus
