#include "ir/scheme.h"
#include <gtest/gtest.h>

namespace nereus {
using Kind = SchemeType::Kind;

TEST(scheme, reads_classes_and_variables) {
    Result<Scheme> s = parse_scheme("int b, any a: a.., b -> (a, i64)");
    ASSERT_TRUE(bool(s)) << s.error().message;
    ASSERT_EQ(s->dtype_vars.size(), 2u);
    EXPECT_EQ(s->dtype_vars[0].of, DTypeClass::integer);
    ASSERT_EQ(s->args.size(), 2u);
    EXPECT_TRUE(s->args[0].repeated);
    EXPECT_EQ(s->args[0].type.var, 1u);
    EXPECT_EQ(s->result.kind, Kind::tuple);
    EXPECT_EQ(s->result.parts[1].dtype, DType::i64);
}
TEST(scheme, reads_structure) {
    Result<Scheme> s = parse_scheme("'x: Ref['x], Seq['x], fn('x, bool) -> 'x -> ()");
    ASSERT_TRUE(bool(s)) << s.error().message;
    EXPECT_EQ(s->args[0].type.kind, Kind::ref);
    EXPECT_EQ(s->args[1].type.parts[0].kind, Kind::type_var);
    EXPECT_EQ(s->args[2].type.parts.size(), 3u);
    EXPECT_TRUE(s->result.parts.empty());
}
TEST(scheme, reads_results_that_follow_attributes) {
    EXPECT_EQ(parse_scheme("any a: a -> $to")->result.param, "to");
    EXPECT_EQ(parse_scheme("any a: a -> (a..)")->result.kind, Kind::tuple_of_sizes);
    EXPECT_TRUE(parse_scheme("-> i64")->args.empty());
}
TEST(scheme, refuses_what_it_cannot_read) {
    EXPECT_FALSE(bool(parse_scheme("num a: b -> a")));
    EXPECT_FALSE(bool(parse_scheme("num a: a -> a a")));
    EXPECT_FALSE(bool(parse_scheme("some a: a -> a")));
}
} // namespace nereus
