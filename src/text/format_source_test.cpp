#include "text/format_source.h"
#include "text/lexer.h"
#include "text/testing.h"
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace nereus {
namespace {
std::string formatted(const std::string& text) {
    Result<std::string> out = format_source(text);
    if (!out) return out.error().message;
    EXPECT_EQ(*format_source(*out), *out);
    return *out;
}

TEST(FormatSource, Spaces) {
    EXPECT_EQ(formatted("def @f ( %x:f32,%y :i64 )->f32{%x+ %y*2}\n"), "def @f (%x: f32, %y: i64) -> f32 { %x + %y * 2 }\n");
    EXPECT_EQ(formatted("def @f(%x){if(!%x&&true){-1}else{%x[ 0 , 1 : n ] . 0}}\n"),
              "def @f(%x) { if (!%x && true) { -1 } else { %x[0, 1 : n].0 } }\n");
    EXPECT_EQ(formatted("type P[ d:dim ]={ w:Tensor[( d,2*d ),f32] }\n"), "type P[d: dim] = {w: Tensor[(d, 2*d), f32]}\n");
    EXPECT_EQ(formatted("def @f(%p){sum({ %p with w=-1 },axes = [ 0 ],keepdims =true)}\n"),
              "def @f(%p) { sum({%p with w = -1}, axes=[0], keepdims=true) }\n");
    EXPECT_EQ(formatted("def @f(%x) { fn (%y){%y} ; match(%x){Leaf( _ )=>{ a=1 },_=>{ %x }} }"),
              "def @f(%x) { fn(%y) { %y }; match (%x) { Leaf(_) => {a = 1}, _ => { %x } } }\n");
    EXPECT_EQ(formatted("def @f(%x) { match(%x){Leaf=>{_=assert(%x); 1},_=>{a=1}} }"), "def @f(%x) { match (%x) { Leaf => { _ = assert(%x); 1 }, _ => {a = 1} } }\n");
}

// Sizes may be tight; arithmetic of values never is.
TEST(FormatSource, SpacesAroundOperators) {
    EXPECT_EQ(formatted("def @f(%x,%y){%x+%y*2.0-sum(%x)/n}\n"), "def @f(%x, %y) { %x + %y * 2.0 - sum(%x) / n }\n");
    EXPECT_EQ(formatted("def @f(%v){match(%v){A(%w)if %w>0.0=>-%w*(2+n),_=>%v.0*2+n}}\n"),
              "def @f(%v) { match (%v) { A(%w) if %w > 0.0 => -%w * (2+n), _ => %v.0 * 2 + n } }\n");
    const std::string sizes = "def @f(%x: Tensor[(2*n), f32], %k: i64) -> Tensor[(n//2 + 1, ?), f32] where n > 2*m, m < (n-1)*2 {\n"
                              "  for %i in 2*n, (%a = full([n//2, 2 * %k], -1.0)) { %x[n-1:n] + 1.0 }\n}\n";
    EXPECT_EQ(formatted(sizes), sizes);
}

TEST(FormatSource, LinesAndComments) {
    EXPECT_EQ(formatted(R"(

  # the network
type T =
 A
| B(f32)   # two


def @f(%x)
->  f32   # it gives
where n > 0 {

     %a = %x +   # more
  1
   # before
  %b = g(
%a,
      [ 1,
   2 ]
 )
       %b

}   # end
# last)"), R"(# the network
type T =
  A
  | B(f32)  # two

def @f(%x)
  -> f32  # it gives
  where n > 0 {
  %a = %x +      # more
    1
  # before
  %b = g(
    %a,
    [1,
      2]
  )
  %b
}   # end
# last
)");
}

TEST(FormatSource, LongLines) {
    const std::string a = "%a" + std::string(40, 'a'), b = "%b" + std::string(40, 'b');
    EXPECT_EQ(formatted("def @f(" + a + ", " + b + ") {\n  1\n}\n"), "def @f(" + a + ", " + b + ") {\n  1\n}\n");
    EXPECT_EQ(formatted("def @f(" + a + ": f32, " + b + ": f32) {  # why\n  1\n}\n"),
              "def @f(\n  " + a + ": f32,\n  " + b + ": f32\n) {  # why\n  1\n}\n");
    EXPECT_EQ(formatted("def @f(%x) { g(" + a + ", " + b + ", %x, %x) }\n"), "def @f(%x) {\n  g(" + a + ", " + b + ", %x, %x)\n}\n");
    EXPECT_EQ(formatted("def @f(%x) {\n  %y = g(" + a + ", h(" + b + ", 1), %x, axes=[0]) + 1.0  # sum\n  %y\n}\n"),
              "def @f(%x) {\n  %y = g(\n    " + a + ",\n    h(" + b + ", 1),\n    %x,\n    axes=[0]\n  ) + 1.0  # sum\n  %y\n}\n");
    EXPECT_EQ(formatted("def @f(%x) {\n  if (" + a + ") { " + b + " } else { g(%x, %x, %x) }\n}\n"),
              "def @f(%x) {\n  if (" + a + ") {\n    " + b + "\n  } else {\n    g(%x, %x, %x)\n  }\n}\n");
    EXPECT_EQ(formatted("def @f(%x) {\n  match (%x) { Nil => " + a + ", Cons(%h, %t) => " + b + " }\n}\n"),
              "def @f(%x) {\n  match (%x) {\n    Nil => " + a + ",\n    Cons(%h, %t) => " + b + "\n  }\n}\n");
    const std::string type(45, 'T');
    EXPECT_EQ(formatted("type E = A(" + type + ") | B(" + type + ")\n"), "type E = A(" + type + ")\n  | B(" + type + ")\n");
    EXPECT_EQ(formatted("type R = {a: " + type + ", b: " + type + "}\n"), "type R = {\n  a: " + type + ",\n  b: " + type + "\n}\n");
    // what has no bracket to break at, or is a comment, stays
    EXPECT_EQ(formatted("def @f(%x) {\n  " + a + " + " + b + " + " + a + "\n}\n"), "def @f(%x) {\n  " + a + " + " + b + " + " + a + "\n}\n");
    EXPECT_EQ(formatted("# " + a + b + a + "\n"), "# " + a + b + a + "\n");
    EXPECT_EQ(formatted("def @f(%x) { %x }  # " + a + b + "\n"), "def @f(%x) { %x }  # " + a + b + "\n");
}

TEST(FormatSource, WhatIsNoProgramIsRefused) {
    EXPECT_EQ(format_source("def @f(%x) { (%x }").error().message, "expected `)` but found `}`");
}

// The same module, whatever spaces and comments stood between the tokens.
TEST(FormatSource, RandomLayout) {
    std::mt19937 random(3);
    int programs = 0;
    for (const char* folder : {"prelude", "examples", "test/programs", "bench"})
        for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(NEREUS_SOURCE_DIR) / folder)) {
            if (entry.path().extension() != ".nr") continue;
            std::stringstream file;
            file << std::ifstream(entry.path()).rdbuf();
            const std::string text = file.str();
            Result<std::vector<Token>> tokens = lex(text, 0);
            ASSERT_TRUE(tokens) << entry.path();
            ++programs;
            for (int round = 0; round < 20; ++round) {
                std::string other;
                for (const Token& token : *tokens) {
                    if (token.kind == TokenKind::end) break;
                    // what touches may matter, and so may a newline: those stay
                    if (!other.empty() && !token.touches && !token.newline_before) other += std::string(1 + random() % 3, ' ');
                    if (token.newline_before && !other.empty())
                        other += random() % 4 ? "\n" : random() % 2 ? " # why\n\n\n" : "\n\t# a line\n";
                    if (token.newline_before) other += std::string(random() % 9, ' ');
                    bool marked = token.kind == TokenKind::value || token.kind == TokenKind::function;
                    if (marked) other += token.kind == TokenKind::value ? "%" : "@";
                    other += token.kind == TokenKind::text ? "\"" + std::string(token.text) + "\"" : std::string(token.text);
                }
                Result<std::string> once = format_source(other);
                ASSERT_TRUE(once) << once.error().message << "\n" << other;
                ASSERT_EQ(*format_source(*once), *once) << other;
                Result<std::vector<Token>> again = lex(*once, 0);
                ASSERT_TRUE(again);
                ASSERT_EQ(again->size(), tokens->size());
                for (size_t i = 0; i < tokens->size(); ++i) ASSERT_EQ((*again)[i].text, (*tokens)[i].text) << *once;
            }
        }
    EXPECT_GT(programs, 20);
}
} // namespace
} // namespace nereus
