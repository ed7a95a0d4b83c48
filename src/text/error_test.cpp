#include "text/testing.h"

namespace nereus {
TEST(LayoutErrors, ALineThatBeginsWithAnOperator) {
    EXPECT_EQ(failure(R"(def @f(%x) {
  %y = %x
    + 2
  %y
})"), R"(prog.nr:3:5: error: a line cannot begin with `+`
        + 2
        ^
hint: end the line before with `+`
)");
    EXPECT_EQ(failure(R"(def @f(%x) {
  %y = %x
  - %x
})"), R"(prog.nr:3:3: error: a line cannot begin with `-`
      - %x
      ^
hint: end the line before with `-`
)");
    EXPECT_EQ(failure(R"(def @f(%x) {
  %y = %x
    -%x
})"), R"(prog.nr:3:5: error: a line cannot begin with `-`
        -%x
        ^
hint: end the line before with `-`
)");
    EXPECT_EQ(failure(R"(def @f(%x) {
  %y = %x
  && true
})"), R"(prog.nr:3:3: error: a line cannot begin with `&&`
      && true
      ^~
hint: end the line before with `&&`
)");
    EXPECT_EQ(failure(R"(def @f(%x) {
  %x
  .0
})"), R"(prog.nr:3:3: error: a line cannot begin with `.`
      .0
      ^
hint: write it on the line before
)");
}

TEST(LayoutErrors, ABracketThatDoesNotTouch) {
    EXPECT_EQ(failure("def @f(%x) { exp (%x) }"), R"(prog.nr:1:18: error: expected a newline or `;` after the statement but found `(`
    def @f(%x) { exp (%x) }
                     ^
hint: the `(` of a call or an index touches its head
)");
    EXPECT_EQ(failure("def @f(%x) { %x [0] }"), R"(prog.nr:1:17: error: expected a newline or `;` after the statement but found `[`
    def @f(%x) { %x [0] }
                    ^
hint: the `[` of a call or an index touches its head
)");
}

TEST(LayoutErrors, TwoStatementsOnALine) {
    EXPECT_EQ(failure("def @f(%x) { 2 3 }"), R"(prog.nr:1:16: error: expected a newline or `;` after the statement but found `3`
    def @f(%x) { 2 3 }
                   ^
)");
}

TEST(LayoutErrors, Brackets) {
    EXPECT_EQ(failure(R"(def @f(%x) {
  (%x, 1
})"), R"(prog.nr:3:1: error: expected `)` but found `}`
    }
    ^
prog.nr:2:3: note: `(` was opened here
      (%x, 1
      ^
)");
    EXPECT_EQ(failure("def @f(%x) { %x )"), R"(prog.nr:1:17: error: expected `}` but found `)`
    def @f(%x) { %x )
                    ^
prog.nr:1:12: note: `{` was opened here
    def @f(%x) { %x )
               ^
)");
    EXPECT_EQ(failure("def @f(%x) { %x"), R"(prog.nr:1:12: error: `{` is never closed
    def @f(%x) { %x
               ^
)");
    EXPECT_EQ(failure("}"), R"(prog.nr:1:1: error: `}` closes nothing
    }
    ^
)");
}

TEST(LexicalErrors, Text) {
    EXPECT_EQ(failure(R"(def @f(%x) { "abc
})"), R"(prog.nr:1:14: error: text is not closed on its line
    def @f(%x) { "abc
                 ^~~~
hint: write a newline as \n
)");
    EXPECT_EQ(failure(R"(def @f(%x) { "a\q" })"), R"(prog.nr:1:16: error: unknown escape in text
    def @f(%x) { "a\q" }
                   ^~
hint: escapes are \n \t \r \0 \\ \" \xHH
)");
    EXPECT_EQ(failure(R"(def @f(%x) { "a\x4" })"), R"(prog.nr:1:16: error: unknown escape in text
    def @f(%x) { "a\x4" }
                   ^~
hint: escapes are \n \t \r \0 \\ \" \xHH
)");
}

TEST(LexicalErrors, Numbers) {
    EXPECT_EQ(failure("def @f(%x) { 12abc }"), R"(prog.nr:1:14: error: a number ends before `a`
    def @f(%x) { 12abc }
                 ^~~
hint: names do not begin with a digit
)");
    EXPECT_EQ(failure("def @f(%x) { 99999999999999999999 }"), R"(prog.nr:1:14: error: integer does not fit into i64
    def @f(%x) { 99999999999999999999 }
                 ^~~~~~~~~~~~~~~~~~~~
)");
    EXPECT_EQ(failure("def @f(%x) { 9223372036854775808 }"), R"(prog.nr:1:14: error: integer does not fit into i64
    def @f(%x) { 9223372036854775808 }
                 ^~~~~~~~~~~~~~~~~~~
)");
    EXPECT_EQ(failure("def @f(%x) { 1e999 }"), R"(prog.nr:1:14: error: number does not fit into f64
    def @f(%x) { 1e999 }
                 ^~~~~
)");
    EXPECT_EQ(failure("def @f(%x) { 9223372036854775807 + 1 }"), R"(prog.nr:1:14: error: the result of constants does not fit into i64
    def @f(%x) { 9223372036854775807 + 1 }
                 ^~~~~~~~~~~~~~~~~~~~~~~
)");
}

TEST(LexicalErrors, Characters) {
    EXPECT_EQ(failure("def @f(%x) { %x % 2 }"), R"(prog.nr:1:17: error: `%` must be followed by a name
    def @f(%x) { %x % 2 }
                    ^
hint: `%` begins a variable; the remainder is `mod(a, b)`
)");
    EXPECT_EQ(failure("def @f(%x) { %x @ %x }"), R"(prog.nr:1:17: error: `@` must be followed by a name
    def @f(%x) { %x @ %x }
                    ^
hint: `@` begins a function; the product of matrices is `matmul(a, b)`
)");
    EXPECT_EQ(failure("def @f(%x) { %x & 2 }"), R"(prog.nr:1:17: error: unexpected `&`
    def @f(%x) { %x & 2 }
                    ^
hint: write `&&`, or `and(a, b)` elementwise
)");
    EXPECT_EQ(failure("def @f(%x) { é }"), R"(prog.nr:1:14: error: unexpected `é`
    def @f(%x) { é }
                 ^
)");
}

TEST(NameErrors, Variables) {
    EXPECT_EQ(failure("def @f(%xs) { add(%xs, %x) }"), R"(prog.nr:1:24: error: unknown variable `%x`
    def @f(%xs) { add(%xs, %x) }
                           ^~
hint: did you mean `%xs`?
)");
    EXPECT_EQ(failure("def @f(%x: Tensor[(n), f32]) { %n }"), R"(prog.nr:1:32: error: unknown variable `%n`
    def @f(%x: Tensor[(n), f32]) { %n }
                                   ^~
hint: the dim is written `n`
)");
    EXPECT_EQ(failure("def @f(%x) { { %y = 2; %y } }"), R"(prog.nr:1:16: error: unknown variable `%y`
    def @f(%x) { { %y = 2; %y } }
                   ^~
)");
    EXPECT_EQ(failure("def @f(%x) { if (%x) { %a = exp(%x); %a } else { %a } }"), R"(prog.nr:1:50: error: unknown variable `%a`
    def @f(%x) { if (%x) { %a = exp(%x); %a } else { %a } }
                                                     ^~
)");
}

TEST(NameErrors, Operators) {
    EXPECT_EQ(failure("def @f(%xs) { ad(%xs, 1) }"), R"(prog.nr:1:15: error: unknown operator `ad`
    def @f(%xs) { ad(%xs, 1) }
                  ^~
hint: did you mean `add`?
)");
    EXPECT_EQ(failure(R"(def @f(%x) { g(%x) }
def @g(%x) { 1 })"), R"(prog.nr:1:14: error: unknown operator `g`
    def @f(%x) { g(%x) }
                 ^
hint: did you mean `@g`?
)");
    EXPECT_EQ(failure("def @f(%x) { qqqqq(%x) }"), R"(prog.nr:1:14: error: unknown operator `qqqqq`
    def @f(%x) { qqqqq(%x) }
                 ^~~~~
)");
    EXPECT_EQ(failure("def @f(%x) { mem.aloc(%x) }"), R"(prog.nr:1:14: error: unknown operator `mem.aloc`
    def @f(%x) { mem.aloc(%x) }
                 ^~~~~~~~
hint: did you mean `mem.alloc`?
)");
}

TEST(NameErrors, BareNames) {
    EXPECT_EQ(failure("def @f(%x) { x }"), R"(prog.nr:1:14: error: unknown name `x`
    def @f(%x) { x }
                 ^
hint: did you mean `%x`?
)");
    EXPECT_EQ(failure("def @f(%x) { f32 }"), R"(prog.nr:1:14: error: the dtype `f32` is not a value
    def @f(%x) { f32 }
                 ^~~
)");
    EXPECT_EQ(failure("def @f[t: dtype](%x) { t }"), R"(prog.nr:1:24: error: the dtype `t` is not a value
    def @f[t: dtype](%x) { t }
                           ^
)");
    EXPECT_EQ(failure("def @f(%x) -> Tensor[(new k), f32] { k }"), R"(prog.nr:1:38: error: the size `k` is named by the result and not known inside
    def @f(%x) -> Tensor[(new k), f32] { k }
                                         ^
)");
    EXPECT_EQ(failure("def @f(%x) { ? }"), R"(prog.nr:1:14: error: expected an expression but found `?`
    def @f(%x) { ? }
                 ^
hint: a choice is written `if (c) { a } else { b }`
)");
}

TEST(NameErrors, Functions) {
    EXPECT_EQ(failure("def @fun(%x) { @fn1(%x) }"), R"(prog.nr:1:16: error: unknown function `@fn1`
    def @fun(%x) { @fn1(%x) }
                   ^~~~
)");
    EXPECT_EQ(failure("def @f(%x) { @exp(%x) }"), R"(prog.nr:1:14: error: unknown function `@exp`
    def @f(%x) { @exp(%x) }
                 ^~~~
hint: the operator is written `exp`
)");
    EXPECT_EQ(failure("def @f(%x) with vjp = (@g, @h) { %x }"), R"(prog.nr:1:24: error: unknown function `@g`
    def @f(%x) with vjp = (@g, @h) { %x }
                           ^~
)");
}

TEST(NameErrors, Constructors) {
    EXPECT_EQ(failure(R"(type T = Leaf(f32) | B
def @f(%x) { match (%x) { Leef(%a) => 1, B => 2 } })"), R"(prog.nr:2:27: error: unknown constructor `Leef`
    def @f(%x) { match (%x) { Leef(%a) => 1, B => 2 } }
                              ^~~~
hint: did you mean `Leaf`?
)");
    EXPECT_EQ(failure(R"(type T = Leaf(f32)
def @f(%x) { T.Laef(1) })"), R"(prog.nr:2:16: error: type `T` has no constructor `Laef`
    def @f(%x) { T.Laef(1) }
                   ^~~~
hint: did you mean `Leaf`?
)");
}

TEST(NameErrors, Types) {
    EXPECT_EQ(failure("def @f(%x: Tensor[(n), f23]) { %x }"), R"(prog.nr:1:24: error: unknown dtype `f23`
    def @f(%x: Tensor[(n), f23]) { %x }
                           ^~~
hint: did you mean `f32`?
)");
    EXPECT_EQ(failure("def @f(%x: Tensr[(n), f32]) { %x }"), R"(prog.nr:1:12: error: unknown type `Tensr`
    def @f(%x: Tensr[(n), f32]) { %x }
               ^~~~~
hint: did you mean `Tensor`?
)");
    EXPECT_EQ(failure("type T[a] = C(b)"), R"(prog.nr:1:15: error: unknown type `b`
    type T[a] = C(b)
                  ^
)");
}

TEST(NameErrors, Dims) {
    EXPECT_EQ(failure("def @f(%x: Tensor[(n), f32]) { %y: Tensor[(m), f32] = %x; %y }"), R"(prog.nr:1:44: error: unknown dim `m`
    def @f(%x: Tensor[(n), f32]) { %y: Tensor[(m), f32] = %x; %y }
                                               ^
hint: `new m` names a size that is first known here
)");
    EXPECT_EQ(failure("def @f(%x: Tensor[(n), f32]) where m > 2 { %x }"), R"(prog.nr:1:36: error: unknown dim `m`
    def @f(%x: Tensor[(n), f32]) where m > 2 { %x }
                                       ^
hint: a size is named in the type of a parameter, as in `%x: Tensor[(m), f32]`
)");
    EXPECT_EQ(failure("def @f(%x: Tensor[(foo(n)), f32]) { %x }"), R"(prog.nr:1:20: error: `foo` is not a function of dims
    def @f(%x: Tensor[(foo(n)), f32]) { %x }
                       ^~~
hint: those are `min`, `max`, `mod` and `bcast`
)");
}

TEST(NameErrors, OneNameOneKind) {
    EXPECT_EQ(failure("def @f[n: dim](%x: n) { %x }"), R"(prog.nr:1:20: error: `n` is a dim and cannot stand for a type
    def @f[n: dim](%x: n) { %x }
                       ^
prog.nr:1:8: note: it is declared here
    def @f[n: dim](%x: n) { %x }
           ^
)");
    EXPECT_EQ(failure("type T[a] = C(a, Tensor[(a), f32])"), R"(prog.nr:1:26: error: `a` is a type and cannot stand for a dim
    type T[a] = C(a, Tensor[(a), f32])
                             ^
prog.nr:1:8: note: it is declared here
    type T[a] = C(a, Tensor[(a), f32])
           ^
)");
}

TEST(NameErrors, DeclaredTwice) {
    EXPECT_EQ(failure(R"(type A = X | Y
type B = Y)"), R"(prog.nr:2:10: error: constructor `Y` is declared twice
    type B = Y
             ^
prog.nr:1:14: note: first declared here
    type A = X | Y
                 ^
)");
    EXPECT_EQ(failure(R"(type A = X
type A = Y)"), R"(prog.nr:2:6: error: type `A` is declared twice
    type A = Y
         ^
prog.nr:1:6: note: first declared here
    type A = X
         ^
)");
    EXPECT_EQ(failure(R"(def @f() { 1 }
def @f() { 1 })"), R"(prog.nr:2:5: error: function `@f` is declared twice
    def @f() { 1 }
        ^~
prog.nr:1:5: note: first declared here
    def @f() { 1 }
        ^~
)");
    EXPECT_EQ(failure("def @f(%x, %x) { 1 }"), R"(prog.nr:1:12: error: parameter `%x` is given twice
    def @f(%x, %x) { 1 }
               ^~
)");
    EXPECT_EQ(failure("def @f[a, a](%x) { 1 }"), R"(prog.nr:1:11: error: parameter `a` is given twice
    def @f[a, a](%x) { 1 }
              ^
)");
    EXPECT_EQ(failure("def @f(%x) { {a = 1, a = 2} }"), R"(prog.nr:1:22: error: field `a` is given twice
    def @f(%x) { {a = 1, a = 2} }
                         ^
)");
    EXPECT_EQ(failure("def @f(%x) { match (%x) { (%a, %a) => 1 } }"), R"(prog.nr:1:32: error: variable `%a` is given twice
    def @f(%x) { match (%x) { (%a, %a) => 1 } }
                                   ^~
)");
    EXPECT_EQ(failure("def @f(%x) { (%a, %a) = %x; 1 }"), R"(prog.nr:1:19: error: variable `%a` is given twice
    def @f(%x) { (%a, %a) = %x; 1 }
                      ^~
)");
    EXPECT_EQ(failure("def @f(%x) { fn(%a, %a) { 1 } }"), R"(prog.nr:1:21: error: parameter `%a` is given twice
    def @f(%x) { fn(%a, %a) { 1 } }
                        ^~
)");
    EXPECT_EQ(failure("def @f(%x) { for %i in 3, (%a = 1, %a = 2) { 1 } }"), R"(prog.nr:1:36: error: state `%a` is given twice
    def @f(%x) { for %i in 3, (%a = 1, %a = 2) { 1 } }
                                       ^~
)");
    EXPECT_EQ(failure("type R = {a: f32, a: f32}"), R"(prog.nr:1:19: error: field `a` is given twice
    type R = {a: f32, a: f32}
                      ^
)");
}

TEST(CallErrors, Counts) {
    EXPECT_EQ(failure("def @f(%x) { @f(%x, 1) }"), R"(prog.nr:1:14: error: `@f` takes 1 argument, 2 are given
    def @f(%x) { @f(%x, 1) }
                 ^~~~~~~~~
prog.nr:1:5: note: it is declared here
    def @f(%x) { @f(%x, 1) }
        ^~
)");
    EXPECT_EQ(failure("def @f(%x) { add(%x) }"), R"(prog.nr:1:14: error: `add` needs its argument `y`
    def @f(%x) { add(%x) }
                 ^~~~~~~
)");
    EXPECT_EQ(failure("def @f(%x) { add(%x, %x, %x) }"), R"(prog.nr:1:26: error: `add` takes 2 arguments, more are given
    def @f(%x) { add(%x, %x, %x) }
                             ^~
)");
    EXPECT_EQ(failure("def @f(%x) { max() }"), R"(prog.nr:1:14: error: `max` needs its argument `x`
    def @f(%x) { max() }
                 ^~~~~
)");
    EXPECT_EQ(failure(R"(type T = A(f32) | B
def @f(%x) { A(1, 2) })"), R"(prog.nr:2:14: error: `A` takes 1 field, 2 are given
    def @f(%x) { A(1, 2) }
                 ^~~~~~~
)");
    EXPECT_EQ(failure(R"(type T = A(f32) | B
def @f(%x) { match (%x) { A(%a, %b) => 1, B => 2 } })"), R"(prog.nr:2:27: error: `A` has 1 field, 2 are matched
    def @f(%x) { match (%x) { A(%a, %b) => 1, B => 2 } }
                              ^~~~~~~~~
)");
    EXPECT_EQ(failure("type T[a] = C(T[a, a])"), R"(prog.nr:1:15: error: `T` takes 1 argument, more are given
    type T[a] = C(T[a, a])
                  ^~~~~~
)");
    EXPECT_EQ(failure("type T[a] = C(T[])"), R"(prog.nr:1:15: error: `T` takes 1 argument, 0 are given
    type T[a] = C(T[])
                  ^~~
)");
}

TEST(CallErrors, NamedArguments) {
    EXPECT_EQ(failure("def @f(%x) { sum(%x, axs=[0]) }"), R"(prog.nr:1:22: error: `sum` has no parameter `axs`
    def @f(%x) { sum(%x, axs=[0]) }
                         ^~~
hint: did you mean `axes`?
)");
    EXPECT_EQ(failure("def @f(%x) { add(y=%x, %x) }"), R"(prog.nr:1:24: error: a positional argument cannot follow a named one
    def @f(%x) { add(y=%x, %x) }
                           ^~
)");
    EXPECT_EQ(failure("def @f(%x) { add(%x, x=%x) }"), R"(prog.nr:1:22: error: parameter `x` is given twice
    def @f(%x) { add(%x, x=%x) }
                         ^
)");
    EXPECT_EQ(failure("def @f(%x) { @f(x=%x) }"), R"(prog.nr:1:17: error: `@f` takes no named arguments
    def @f(%x) { @f(x=%x) }
                    ^
hint: arguments are given in order: `@f(x)`
)");
}

TEST(CallErrors, Attributes) {
    EXPECT_EQ(failure("def @f(%x) { sum(%x, axes=0) }"), R"(prog.nr:1:27: error: `axes` of `sum` must be a list of integers
    def @f(%x) { sum(%x, axes=0) }
                              ^
hint: write `[…]`
)");
    EXPECT_EQ(failure("def @f(%x) { sum(%x, axes=[%x]) }"), R"(prog.nr:1:28: error: `axes` must be an integer written in the program
    def @f(%x) { sum(%x, axes=[%x]) }
                               ^~
)");
    EXPECT_EQ(failure("def @f(%x) { sum(%x, keepdims=1) }"), R"(prog.nr:1:31: error: `keepdims` of `sum` must be `true` or `false`
    def @f(%x) { sum(%x, keepdims=1) }
                                  ^
)");
    EXPECT_EQ(failure("def @f(%x) { cast(%x, 2) }"), R"(prog.nr:1:23: error: `to` of `cast` must be a dtype
    def @f(%x) { cast(%x, 2) }
                          ^
)");
    EXPECT_EQ(failure("def @f(%x) { cast(%x, f23) }"), R"(prog.nr:1:23: error: unknown dtype `f23`
    def @f(%x) { cast(%x, f23) }
                          ^~~
hint: did you mean `f32`?
)");
    EXPECT_EQ(failure("def @f(%x) { print(%x) }"), R"(prog.nr:1:20: error: `text` of `print` must be text written in the program
    def @f(%x) { print(%x) }
                       ^~
hint: write `print("x", %x)`
)");
}

TEST(CallErrors, OperatorsThatAreNoFunctions) {
    EXPECT_EQ(failure("def @f(%x) { [reshape] }"), R"(prog.nr:1:15: error: `reshape` needs its `shape` and is not a function of values alone
    def @f(%x) { [reshape] }
                  ^~~~~~~
hint: write `fn(%x) { reshape(%x, …) }`
)");
}

TEST(GrammarErrors, Comparisons) {
    EXPECT_EQ(failure("def @f(%x) { %x < 1 < 2 }"), R"(prog.nr:1:21: error: comparisons do not chain
    def @f(%x) { %x < 1 < 2 }
                        ^
hint: write `a < b && b < c`
)");
}

TEST(GrammarErrors, If) {
    EXPECT_EQ(failure("def @f(%x) { if (%x) { 1 } }"), R"(prog.nr:1:28: error: expected `else` but found `}`
    def @f(%x) { if (%x) { 1 } }
                               ^
hint: an `if` has a value on both sides; `else { () }` does nothing
)");
    EXPECT_EQ(failure("def @f(%x) { if %x { 1 } else { 2 } }"), R"(prog.nr:1:17: error: expected `(` but found `%x`
    def @f(%x) { if %x { 1 } else { 2 } }
                    ^~
hint: write `if (condition) { … } else { … }`
)");
}

TEST(GrammarErrors, Loops) {
    EXPECT_EQ(failure("def @f(%x) { for %i in 3 { 1 } }"), R"(prog.nr:1:26: error: expected `,` and the loop's states but found `{`
    def @f(%x) { for %i in 3 { 1 } }
                             ^
hint: states are written `for %i in n, (%s = start) { next }`, none as `()`
)");
    EXPECT_EQ(failure("def @f(%x) { for %i in 3, () { if (%x) { yield 1; () } else { () } } }"), R"(prog.nr:1:42: error: `yield` stands only at the top level of a loop's body
    def @f(%x) { for %i in 3, () { if (%x) { yield 1; () } else { () } } }
                                             ^~~~~
)");
    EXPECT_EQ(failure("def @f(%x) { yield 1; 2 }"), R"(prog.nr:1:14: error: `yield` stands only at the top level of a loop's body
    def @f(%x) { yield 1; 2 }
                 ^~~~~
)");
}

TEST(GrammarErrors, Blocks) {
    EXPECT_EQ(failure("def @f(%x) { %y = 1 }"), R"(prog.nr:1:21: error: a block ends with the expression that is its value
    def @f(%x) { %y = 1 }
                        ^
hint: write `()` where there is none
)");
    EXPECT_EQ(failure("def @f(%x) { }"), R"(prog.nr:1:14: error: a block ends with the expression that is its value
    def @f(%x) { }
                 ^
hint: write `()` where there is none
)");
    EXPECT_EQ(failure("def @f(%x) { 3; %x }"), R"(prog.nr:1:14: error: a constant alone does nothing
    def @f(%x) { 3; %x }
                 ^
hint: a statement is a binding or an expression of type ()
)");
}

TEST(GrammarErrors, Records) {
    EXPECT_EQ(failure("def @f(%x) { {%x} }"), R"(prog.nr:1:17: error: expected `with` but found `}`
    def @f(%x) { {%x} }
                    ^
hint: here `{` begins a record: `{f = e}` or `{e with f = e}`
)");
    EXPECT_EQ(failure("def @f(%x) { {} }"), R"(prog.nr:1:14: error: a record needs a field
    def @f(%x) { {} }
                 ^~
)");
}

TEST(GrammarErrors, Match) {
    EXPECT_EQ(failure("def @f(%x) { match (%x) { 1 => 2 3 => 4 } }"), R"(prog.nr:1:34: error: expected `,` or `}` after the arm but found `3`
    def @f(%x) { match (%x) { 1 => 2 3 => 4 } }
                                     ^
)");
    EXPECT_EQ(failure("def @f(%x) { match (%x) { + => 2 } }"), R"(prog.nr:1:27: error: expected a pattern but found `+`
    def @f(%x) { match (%x) { + => 2 } }
                              ^
)");
}

TEST(GrammarErrors, Expressions) {
    EXPECT_EQ(failure("def @f(%x) { %x + }"), R"(prog.nr:1:19: error: expected an expression but found `}`
    def @f(%x) { %x + }
                      ^
)");
    EXPECT_EQ(failure("def @f(%x) { %x. }"), R"(prog.nr:1:18: error: expected a field or a number after `.` but found `}`
    def @f(%x) { %x. }
                     ^
)");
    EXPECT_EQ(failure("def @f(%x) { %x[] }"), R"(prog.nr:1:14: error: an index needs at least one position
    def @f(%x) { %x[] }
                 ^~~~
)");
    EXPECT_EQ(failure("def @f(%x) { tensor([[1, 2], [3]]) }"), R"(prog.nr:1:30: error: the rows of a tensor have different lengths
    def @f(%x) { tensor([[1, 2], [3]]) }
                                 ^
)");
    EXPECT_EQ(failure("def @f(%x) { tensor([%x]) }"), R"(prog.nr:1:22: error: an element of a tensor literal must be a number, a bool or a text
    def @f(%x) { tensor([%x]) }
                         ^~
hint: build a tensor from values with `concat` or `full`
)");
    EXPECT_EQ(failure("def @f(%x) { tensor([1, true]) }"), R"(prog.nr:1:25: error: the elements of a tensor literal must be all numbers, all bools or all texts
    def @f(%x) { tensor([1, true]) }
                            ^~~~
)");
}

TEST(GrammarErrors, Types) {
    EXPECT_EQ(failure("def @f(%x: Tensor[n, f32]) { %x }"), R"(prog.nr:1:19: error: expected a shape but found `n`
    def @f(%x: Tensor[n, f32]) { %x }
                      ^
hint: a shape is written `(n, 4)`, `..s` or `..`
)");
    EXPECT_EQ(failure("def @f(%x: Tensor[(new k), f32]) { %x }"), R"(prog.nr:1:20: error: `new` cannot stand here
    def @f(%x: Tensor[(new k), f32]) { %x }
                       ^~~
hint: it names a size chosen by the callee and belongs into a result
)");
    EXPECT_EQ(failure("def @f(%x: 3) { %x }"), R"(prog.nr:1:12: error: expected a type but found `3`
    def @f(%x: 3) { %x }
               ^
)");
    EXPECT_EQ(failure("def @f(%x: Tensor[(n, ..s, m), f32]) { %x }"), R"(prog.nr:1:28: error: expected `)` after `..` but found `m`
    def @f(%x: Tensor[(n, ..s, m), f32]) { %x }
                               ^
)");
}

TEST(GrammarErrors, TopLevel) {
    EXPECT_EQ(failure("%x = 1"), R"(prog.nr:1:1: error: expected `def`, `type` or `import` but found `%x`
    %x = 1
    ^~
hint: bindings stand inside a function: `def @main() { … }`
)");
    EXPECT_EQ(failure("def @f(%x)"), R"(prog.nr:1:11: error: expected `{` and the body of the function but found the end of the file
    def @f(%x)
              ^
)");
    EXPECT_EQ(failure("def f(%x) { 1 }"), R"(prog.nr:1:5: error: expected the name of a function (with an `@`) but found `f`
    def f(%x) { 1 }
        ^
hint: write `@f`
)");
    EXPECT_EQ(failure("type t = A"), R"(prog.nr:1:6: error: expected the name of a type (with a capital) but found `t`
    type t = A
         ^
hint: types and constructors begin with a capital
)");
    EXPECT_EQ(failure("type Tensor = A"), R"(prog.nr:1:6: error: `Tensor` is a type of the language
    type Tensor = A
         ^~~~~~
)");
    EXPECT_EQ(failure("type A = B C"), R"(prog.nr:1:12: error: expected `|` or the next declaration but found `C`
    type A = B C
               ^
)");
    EXPECT_EQ(failure("import other"), R"(prog.nr:1:8: error: expected a file name in quotes but found `other`
    import other
           ^~~~~
)");
    EXPECT_EQ(failure(R"(import "/etc/passwd")"), R"(prog.nr:1:8: error: the path of an import is relative to the file that imports it
    import "/etc/passwd"
           ^~~~~~~~~~~~~
)");
    EXPECT_EQ(failure(R"(import "other.nr")"), R"(prog.nr:1:8: error: cannot read 'other.nr': imports are not allowed here
    import "other.nr"
           ^~~~~~~~~~
)");
}

TEST(GrammarErrors, AMarkOfTheEncodingIsNoText) {
    EXPECT_EQ(failure("\xEF\xBB\xBF" "def @f(%x) { %y }"), "prog.nr:1:14: error: unknown variable `%y`\n"
                                                         "    def @f(%x) { %y }\n"
                                                         "                 ^~\n");
}

TEST(GrammarErrors, TheMarkStandsUnderTabsAndLetters) {
    EXPECT_EQ(failure("def @f(%x) { \t\"\u00e9\" + %y }"), "prog.nr:1:22: error: unknown variable `%y`\n"
                                                          "    def @f(%x) { \t\"\u00e9\" + %y }\n"
                                                          "                 \t      ^~\n");
}
} // namespace nereus
