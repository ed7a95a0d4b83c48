#include "exe/verify.h"
#include "exe/samples.h"
#include "exe/text.h"
#include <gtest/gtest.h>

namespace nereus {
// What verify says about the sample after one change to its text.
static std::string changed(std::string_view from, std::string_view to) {
    std::string text(sample_program);
    size_t at = text.find(from);
    if (at == std::string::npos) return "the sample has no such text";
    text.replace(at, from.size(), to);
    Result<Executable> exe = assemble(text);
    if (!exe) return exe.error().message;
    Status status = verify(*exe);
    return status ? "well formed" : status.error().message;
}
static std::string of_function(std::string_view code) {
    Result<Executable> exe = assemble("site {}\nfunction f(1) -> 1 " + std::string(code));
    if (!exe) return exe.error().message;
    Status status = verify(*exe);
    return status ? "well formed" : status.error().message;
}

TEST(Verify, AcceptsTheSample) { EXPECT_EQ(changed("main.nr", "elsewhere.nr"), "well formed"); }

TEST(Verify, Places) {
    EXPECT_EQ(changed("source: 0, line: 4", "source: 1, line: 4"), "site 1: source 1 is out of range, there are 1");
    EXPECT_EQ(changed("source: 0, line: 4", "source: -1, line: -4"), "well formed");      // no place at all
    EXPECT_EQ(changed("line: 4", "line: 0"), "site 1: a place that no text has");
    EXPECT_EQ(changed("column: 7, length: 2", "column: -7, length: 2"), "site 0: a place that no text has");
    EXPECT_EQ(changed("column: 5, length: 5", "column: 5, length: -5"), "entry 0: a place that no text has");
}

TEST(Verify, Operands) {
    EXPECT_EQ(of_function("registers 2 { r5 = neg r0 leave (r5) }"),
              "function 0 \"f\", instruction 0 (neg): register 5 is out of range, there are 2");
    EXPECT_EQ(of_function("{ r1 = load_constant #3 leave (r1) }"),
              "function 0 \"f\", instruction 0 (load_constant): constant 3 is out of range, there are 0");
    EXPECT_EQ(of_function("{ fail 7 }"),
              "function 0 \"f\", instruction 0 (fail): site 7 is out of range, there are 1");
    EXPECT_EQ(of_function("{ leave #9 }"),
              "function 0 \"f\", instruction 0 (leave): list 9 is out of range, there are 0");
    EXPECT_EQ(of_function("{ launch 0 leave (r0) }"),
              "function 0 \"f\", instruction 0 (launch): launch 0 is out of range, there are 0");
    EXPECT_EQ(of_function("{ enter 0 leave (r0) }"),
              "function 0 \"f\", instruction 0 (enter): region 0 is out of range, there are 0");
    EXPECT_EQ(of_function("{ r1 = weights 0 leave (r1) }"),
              "function 0 \"f\", instruction 0 (weights): weight 0 is out of range, there are 0");
    EXPECT_EQ(of_function("{ (r1, r2) = call f, (r0) leave (r1) }"),
              "function 0 \"f\", instruction 0 (call): expected 1 results, found 2");
    EXPECT_EQ(of_function("{ (r1) = call f, () leave (r1) }"),
              "function 0 \"f\", instruction 0 (call): expected 1 arguments, found 0");
    EXPECT_EQ(of_function("{ leave () }"),
              "function 0 \"f\", instruction 0 (leave): expected 1 results, found 0");
    EXPECT_EQ(of_function("{ r1 = seq_set (r0, r0) leave (r1) }"),
              "function 0 \"f\", instruction 0 (seq_set): expected 3 parts, found 2");
    EXPECT_EQ(of_function("{ print 0, (r0), (0) leave (r0) }"),
              "function 0 \"f\", instruction 0 (print): door type 0 is out of range, there are 0");
}

TEST(Verify, Ranks) {
    std::string extents;
    for (int i = 0; i < 65; ++i) extents += i > 0 ? ", r0" : "r0";
    for (std::string made : {"new_tensor.f32 (", "new_output.f32 (", "seq_stack.f32 r0, ("}) {
        made = "{ r1 = " + made + extents + (made.starts_with("new_output") ? "), 0" : ")") + " leave (r1) }";
        EXPECT_NE(of_function(made).find("rank 65 is out of range, there are 65"), std::string::npos) << of_function(made);
    }
}

TEST(Verify, Control) {
    EXPECT_EQ(of_function("{ r1 = neg r0 }"), "function 0 \"f\", instruction 0 (neg): control runs past the end");
    EXPECT_EQ(of_function("{ leave (r0) x: jump_if x, r0 }"),
              "function 0 \"f\", instruction 1 (jump_if): control runs past the end");
    Executable exe = *assemble("function f(0) -> 0 { x: jump x }\nfunction g(0) -> 0 { leave () }");
    exe.code[0].a = 1;
    EXPECT_EQ(verify(exe).error().message, "function 0 \"f\", instruction 0 (jump): the target lies outside");
    exe.code[0].a = 0;
    exe.functions[1].begin = 0;
    EXPECT_EQ(verify(exe).error().message, "function 0 \"f\": overlaps what follows");
}

TEST(Verify, RegistersAreWrittenOnEveryPath) {
    EXPECT_EQ(of_function("registers 2 { leave (r1) r1 = neg r0 }"),
              "function 0 \"f\", instruction 1 (neg): control runs past the end");
    EXPECT_EQ(of_function("{ jump_if x, r0 r1 = neg r0 x: leave (r1) }"),
              "function 0 \"f\", instruction 2 (leave): register 1 is read before it is written");
    EXPECT_EQ(of_function("{ jump_if x, r0 r1 = neg r0 jump y x: r1 = neg r0 y: leave (r1) }"), "well formed");
    EXPECT_EQ(of_function("{ move_if r1, r0, r0 r1 = neg r0 leave (r1) }"),
              "function 0 \"f\", instruction 0 (move_if): register 1 is read before it is written");
    EXPECT_EQ(of_function("{ x: r1 = neg r0 jump_if x, r1 leave (r1) }"), "well formed");
    EXPECT_EQ(of_function("{ jump_if y, r0 r1 = neg r0 x: leave (r1) y: jump x }"),
              "function 0 \"f\", instruction 3 (jump): a jump back to where more was known");
    EXPECT_EQ(of_function("{ jump y x: r1 = neg r0 leave (r1) y: jump x }"),
              "function 0 \"f\", instruction 3 (jump): a jump back to where control has not been");
    EXPECT_EQ(of_function("registers 70 { r1 = neg r0 leave (r1) }"),
              "function 0 \"f\": 70 registers, but 2 are written");
}

TEST(Verify, RegionsAreEnteredOnEveryPath) {
    EXPECT_EQ(changed("  enter 0\n  run 0\n", "  run 0\n  enter 0\n"),
              "function 0 \"main\", instruction 2 (run): no region has been entered");
    EXPECT_EQ(changed("  enter 0\n", "  jump_if over, r2\n  enter 0\nover:\n"),
              "function 0 \"main\", instruction 4 (run): the region differs with the path taken");
    EXPECT_EQ(changed("  enter 0\n", "again:\n  enter 0\n  jump_if again, r2\n"), "well formed");
    EXPECT_EQ(changed("  enter 0\n  run 0\n", "again:\n  run 0\n  enter 0\n  jump_if again, r2\n"),
              "function 0 \"main\", instruction 2 (run): the region differs with the path taken");
    EXPECT_EQ(changed("run 1", "run 2"),
              "function 0 \"main\", instruction 6 (run): run list 2 is out of range, there are 2");
    EXPECT_EQ(changed("call.0 f", "call.1 f"),
              "function 0 \"main\", instruction 4 (call): prefix 1 is out of range, there are 1");
    EXPECT_EQ(changed("(r2) = call f", "(r2) = call.1 f"),
              "function 1 \"factorial\", instruction 4 (call): a prefix without a region");
    EXPECT_EQ(changed("  r3 = new_output.f32 (r0), 0\n  run 1\n", "  run 1\n  r3 = new_output.f32 (r0), 0\n"),
              "function 0 \"main\", instruction 5 (run): register 3 is read before it is written");
    EXPECT_EQ(changed("key: [0]", "key: [4]"),
              "function 0 \"main\", instruction 2 (enter): register 4 is read before it is written");
}

TEST(Verify, PlanPrograms) {
    EXPECT_EQ(changed("r1 = size_mul", "r0 = size_mul"),
              "plan of region 0, instruction 2 (leave): register 1 is read before it is written");
    EXPECT_EQ(changed("{bytes: p1, last: 2}", "{bytes: p9, last: 2}"),
              "region 0: plan register 9 is out of range, there are 3");
    EXPECT_EQ(changed("  r1 = size_mul", "  run 0\n  r1 = size_mul"),
              "plan of region 0, instruction 1 (run): a plan program computes numbers only");
    EXPECT_EQ(changed("groups: [{extents: [p0]", "groups: [{extents: [r0]"),
              "region 0, launch 0: a size in a list comes from a register");
}

TEST(Verify, Launches) {
    EXPECT_EQ(changed("launch 0 {buffers: [{bytes: p1}, ", "launch 0 {buffers: ["),
              "launch 0: does not bind every buffer of its kernel");
    EXPECT_EQ(changed("strides: [1, 1, 1]", "strides: [1, 1]"),
              "launch 0: strides do not match the buffers and axes of group 0");
    EXPECT_EQ(changed("launch 0 {", "launch 0 {kernel: 1, "), "launch 0: kernel 1 is out of range, there are 1");
    EXPECT_EQ(changed("site: 1", "site: 2"), "launch 0: site 2 is out of range, there are 2");
    EXPECT_EQ(changed("blob \"c3\"", ""), "kernel \"add\": code offset 0 is out of range, there are 0");
    EXPECT_EQ(changed("tile: 16", "tile: 0"), "kernel \"add\": a tile of 0");
    EXPECT_EQ(changed("scratch: 4096", "scratch: -64"), "kernel \"add\": scratch of -64 bytes");
    EXPECT_EQ(changed("{buffers: [0, 1, 2]}", "{buffers: [0, 2, 2]}"),
              "kernel \"add\": the buffers of a group do not ascend");
    EXPECT_EQ(changed("site: 1, step: 0", "late: [4], step: 0"), "region 0, launch 0: late sizes in a list");
    EXPECT_EQ(changed("{index: 0, bytes", "{index: 5, bytes"),
              "region 0, launch 1: slot 5 is out of range, there are 1");
}

TEST(Verify, Door) {
    EXPECT_EQ(changed("type 0 {axes: [0]}", "type 0 {axes: [3]}"), "entry \"main\": no door size 3");
    EXPECT_EQ(changed("type 0 {axes: [0]}", "type 0 {axes: [-2]}"), "entry \"main\": no bound dim 0");
    EXPECT_EQ(changed("type 0 {axes: [0]}", "type 0 {axes: [-1048578]}"), "entry \"main\": no shared size 0");
    EXPECT_EQ(changed("fields: [[0, 1]]", "fields: [[0, 9]]"), "door type 2: no door type 9");
    EXPECT_EQ(changed("fields: [[0, 1]]", "fields: [[0, 2]]"), "entry \"main\": tuples too deep or too wide");
    EXPECT_EQ(changed("sizes: 1, ", "sizes: 2, "),
              "entry \"main\": its sizes and leaves are not the function's parameters");
    EXPECT_EQ(changed("new_output.f32 (r0), 0", "new_output.f32 (r0), 7"),
              "entry \"main\": function \"main\", instruction 5: no result leaf 7");
    EXPECT_EQ(changed("new_output.f32 (r0), 0", "new_output.i32 (r0), 0"),
              "entry \"main\": function \"main\", instruction 5: result leaf 0 is another kind of tensor");
    EXPECT_EQ(changed("param_leaves: [{kind: address}", "param_leaves: [{kind: number}"),
              "entry \"main\", leaf 0: a number that is no scalar");
    EXPECT_EQ(changed("result_leaves: [{kind: address}", "result_names: [\"y\", \"k\"], result_leaves: [{kind: address}"), "well formed");
    EXPECT_EQ(changed("result_leaves: [{kind: address}", "result_names: [\"y\", \"k\", \"z\"], result_leaves: [{kind: address}"),
              "entry \"main\": results and their names differ in number");
}
} // namespace nereus
