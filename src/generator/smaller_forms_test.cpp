#include "generator/smaller_forms.h"
#include <gtest/gtest.h>

namespace nereus::gen {
namespace {
// The first values may be written around their parts.
TEST(SmallerForms, FirstTripBindsWhatStatesBeginWith) {
    auto leaf = [](const char* form) { return Expr{Construct::leaf, real(), form, {}, {}}; };
    const Expr loop{Construct::loop, real(), "for %i in $0, (%s = $1, %t = [$2][0], %u = {one = $1, two = $2}.two, %k = 0) #0",
                    {leaf("3"), leaf("%a"), leaf("%b")}, {Block{{}, leaf("%s")}}};
    const std::optional<Block> once = first_trip(loop);
    ASSERT_TRUE(once);
    Program program;
    program.functions.push_back({Construct::leaf, "main", "def @main()", *once});
    const std::string text = program.text();
    for (const char* line : {"%i = 0\n", "%s = %a\n", "%t = [%b][0]\n", "%u = {one = %a, two = %b}.two\n", "%k = 0\n"})
        EXPECT_NE(text.find(line), text.npos) << line << text;
}
} // namespace
} // namespace nereus::gen
