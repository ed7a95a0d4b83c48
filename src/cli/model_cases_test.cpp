#include "cli/model_cases.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>

namespace nereus {
namespace {
Value floats(Extents shape, std::initializer_list<float> elements) { return Value::tensor(HostTensor::of<float>(std::move(shape), elements)); }
std::string said(const Verdict& verdict) {
    if (verdict.difference) return verdict.difference->path + ": " + verdict.difference->what;
    return verdict.by_l2 ? "l2" : "ok";
}

TEST(CaseRule, ReadsWhatItKnowsAndSkipsTheRest) {
    Result<CaseRule> rule = parse_case_rule(R"({"reason": "x", "more": {"a": [1, {"b": null}]}, "rtol": 0.5, "atol": 2e-3, "l2": 0.25,
        "unordered": true, "inputs": {"a/b:0": "in_a"}, "outputs": {"y": "out_y", "z": "out_z"}})");
    ASSERT_TRUE(rule) << rule.error().message;
    EXPECT_EQ(rule->near.tolerance.rtol, 0.5);
    EXPECT_EQ(rule->near.tolerance.atol, 2e-3);
    EXPECT_EQ(rule->near.l2, 0.25);
    EXPECT_TRUE(rule->near.unordered);
    EXPECT_EQ(rule->inputs.at("a/b:0"), "in_a");
    EXPECT_EQ(rule->outputs.at("z"), "out_z");
    EXPECT_FALSE(parse_case_rule(R"({"l2": null})")->near.l2);
}
TEST(CaseRule, SaysWhereItIsWrong) {
    auto error = [](std::string_view text) {
        Result<CaseRule> rule = parse_case_rule(text);
        return rule ? std::string("none") : rule.error().message;
    };
    EXPECT_EQ(error("[]"), "line 1, column 1: expected '{', found '['");
    EXPECT_EQ(error(R"({"rtol": "1"})"), "line 1, column 10: expected a number, found a string");
    EXPECT_EQ(error(R"({"rtol": -1})"), "line 1, column 10: a tolerance is a number from 0 on, found -1");
    EXPECT_EQ(error(R"({"inputs": {"x": "../secret"}})"), "line 1, column 18: a name of a file has no '/'");
    EXPECT_EQ(error(R"({"other": [1, 2)"), "line 1, column 16: expected '}', found the end of the text");
}

// A folder of `data` with two cases and, beside it, two data sets; what is opened there.
std::string opened(const std::string& which) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "model_cases";
    for (const char* each : {"named/cases/one", "named/cases/two", "placed/test_data_set_0", "placed/test_data_set_1"}) std::filesystem::create_directories(folder / each);
    std::ofstream(folder / "named/check.json") << "{}";
    Result<ModelCases> cases = ModelCases::open(folder / which);
    if (!cases) return cases.error().message;
    std::string names;
    for (const std::filesystem::path& one : cases->folders()) names += one.filename().string() + " ";
    return names;
}
TEST(ModelCases, OfTheModelOrAPartOfThem) {
    for (const char* all : {"named", "named/cases", "named/cases/", "named/../named/cases"}) EXPECT_EQ(opened(all), "one two ") << all;
    for (const char* two : {"named/cases/two", "named/cases/two/"}) EXPECT_EQ(opened(two), "two ") << two;
    EXPECT_EQ(opened("placed"), "test_data_set_0 test_data_set_1 ");
    EXPECT_EQ(opened("placed/test_data_set_1"), "test_data_set_1 ");
    for (const char* none : {"named/cases/three", "placed/test_data_set_2", "elsewhere", "."}) EXPECT_EQ(opened(none), "it has no test data") << none;
}

TEST(Judge, ElementsThenVectors) {
    const std::vector<std::string> names = {"y"};
    const Value want = floats({3}, {1, 2, 100});
    Nearness near{.tolerance = {.rtol = 0.1, .atol = 0}};
    EXPECT_EQ(said(judge({floats({3}, {1.05f, 2, 109})}, {want}, names, near)), "ok");
    EXPECT_EQ(said(judge({floats({3}, {1.5f, 2, 100})}, {want}, names, near)), "output 'y' at [0]: found 1.5, expected 1 (1 of 3 elements differs, by at most 0.5)");
    EXPECT_EQ(said(judge({floats({1, 3}, {1, 2, 100})}, {want}, names, near)), "output 'y': found shape (1, 3), expected (3)");
    near.l2 = 0.01;
    EXPECT_EQ(said(judge({floats({3}, {1.5f, 2, 100})}, {want}, names, near)), "l2");
    EXPECT_EQ(said(judge({floats({3}, {3, 2, 100})}, {want}, names, near)), "output 'y' at [0]: found 3, expected 1 (1 of 3 elements differs, by at most 2)");
    EXPECT_NE(said(judge({floats({3}, {std::numeric_limits<float>::quiet_NaN(), 2, 100})}, {want}, names, near)), "l2");
    EXPECT_NE(said(judge({floats({1, 3}, {1.5f, 2, 100})}, {want}, names, near)), "l2");
}
TEST(Judge, RowsInOneOrderForAllOutputs) {
    const std::vector<std::string> names = {"boxes", "scores"};
    const std::vector<Value> want = {floats({3, 2}, {1, 1, 2, 2, 2, 2}), floats({3}, {7, 8, 9})};
    Nearness near{.unordered = true};
    EXPECT_EQ(said(judge({floats({3, 2}, {2, 2, 1, 1, 2, 2}), floats({3}, {9, 7, 8})}, want, names, near)), "ok");
    EXPECT_NE(said(judge({floats({3, 2}, {2, 2, 1, 1, 2, 2}), floats({3}, {7, 9, 8})}, want, names, near)), "ok");
    EXPECT_NE(said(judge({floats({3, 2}, {2, 2, 1, 1, 2, 2}), floats({3}, {9, 9, 7})}, want, names, near)), "ok");
    near.unordered = false;
    EXPECT_NE(said(judge({floats({3, 2}, {2, 2, 1, 1, 2, 2}), floats({3}, {9, 7, 8})}, want, names, near)), "ok");
    near.unordered = true;
    EXPECT_EQ(said(judge({floats({0, 2}, {}), floats({0}, {})}, {floats({0, 2}, {}), floats({0}, {})}, names, near)), "ok");
}
} // namespace
} // namespace nereus
