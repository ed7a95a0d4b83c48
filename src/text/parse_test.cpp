#include "text/testing.h"

namespace nereus {
TEST(Literals, Numbers) {
    EXPECT_EQ(body("(2, 2.0, 1e-3, 1.5E+2, -7, -0.5, 9223372036854775807, -9223372036854775808)"), R"(%0 = (2, 2.0, 0.001, 150.0, -7, -0.5, 9223372036854775807, -9223372036854775808)
%0
)");
}

TEST(Literals, Others) {
    EXPECT_EQ(body(R"((true, false, (), "text\n", "a\"b\\c\x41\t"))"), R"(%0 = (true, false, (), "text\n", "a\"b\\cA\t")
%0
)");
    EXPECT_EQ(body("inf + -inf + nan"), R"(%0 = add(inf, -inf)
%1 = add(%0, nan)
%1
)");
}

TEST(Literals, Tensors) {
    EXPECT_EQ(body("[tensor([[1, 2], [3, 4]]), tensor([1.0, 2, -3]), tensor(true), tensor([]), tensor([[], []]), tensor([[[1], [2]]])]"), R"(%0 = [tensor([[1, 2], [3, 4]]), tensor([1.0, 2.0, -3.0]), tensor(true), tensor([], shape=[0], kind="integer"), tensor([], shape=[2, 0], kind="integer"), tensor([[[1], [2]]])]
%0
)");
}

TEST(Infix, LevelsAndLeftAssociation) {
    EXPECT_EQ(body("%x + %y * 2 - -%x / 3 // %y"), R"(%0 = mul(%y, 2)
%1 = add(%x, %0)
%2 = neg(%x)
%3 = div(%2, 3)
%4 = floor_div(%3, %y)
%5 = sub(%1, %4)
%5
)");
    EXPECT_EQ(body("%x - %y - 1"), R"(%0 = sub(%x, %y)
%1 = sub(%0, 1)
%1
)");
    EXPECT_EQ(body("!%x.0 == -%y[0]"), R"(%0 = %x.0
%1 = not(%0)
%2 = %y[0]
%3 = neg(%2)
%4 = eq(%1, %3)
%4
)");
}

TEST(Infix, EveryComparison) {
    EXPECT_EQ(body("[%x == 1, %x != 1, %x < 1, %x <= 1, %x > 1, %x >= 1]"), R"(%0 = eq(%x, 1)
%1 = ne(%x, 1)
%2 = lt(%x, 1)
%3 = le(%x, 1)
%4 = gt(%x, 1)
%5 = ge(%x, 1)
%6 = [%0, %1, %2, %3, %4, %5]
%6
)");
}

TEST(Infix, AndOrShortCircuit) {
    EXPECT_EQ(body("%x == 1 && !%y || %x < 2"), R"(%0 = eq(%x, 1)
%2: bool = if (%0) {
  %1 = not(%y)
  %1
} else {
  false
}
%4: bool = if (%2) {
  true
} else {
  %3 = lt(%x, 2)
  %3
}
%4
)");
    EXPECT_EQ(body("%x && %y && %x"), R"(%0: bool = if (%x) {
  %y
} else {
  false
}
%1: bool = if (%0) {
  %x
} else {
  false
}
%1
)");
}

TEST(Constants, DimsFoldIntoOne) {
    EXPECT_EQ(body(R"(%k = 2*n + m // 4 - min(n, 3, m)
reshape(%x, [%k, max(n, m), mod(n, 32), n - n + 5, -1, %k, -n, (n + 1)*(m - 1)]))", R"((%x: Tensor[(n, m), f32]))"), R"(%0 = reshape(%x, [2*n + m//4 - min(3, m, n), max(m, n), mod(n, 32), 5, -1, 2*n + m//4 - min(3, m, n), 0 - n, m*n + m - n - 1])
%0
)");
}

TEST(Constants, NumbersFold) {
    EXPECT_EQ(body("[2 + 3 * 4, 7 // 2, -7 // 2, mod(-7, 2), max(3, 9, 4), min(3, 1), 2 * 3.5, 1.0 - 0.25, -(2 + 1)]"), R"(%0 = [14, 3, -4, 1, 9, 1, 7.0, 0.75, -3]
%0
)");
}

TEST(Constants, WhatIsNotFolded) {
    EXPECT_EQ(body("[n * 0.5, 7 / 2, n / 2, 1 // 0, n // 0, mod(2, 0), !true, n == 0]", R"((%x: Tensor[(n), f32]))"), R"(%0 = mul(n, 0.5)
%1 = div(7, 2)
%2 = div(n, 2)
%3 = floor_div(1, 0)
%4 = floor_div(n, 0)
%5 = mod(2, 0)
%6 = not(true)
%7 = eq(n, 0)
%8 = [%0, %1, %2, %3, %4, %5, %6, %7]
%8
)");
}

TEST(Constants, BindingsAreCopiedToTheirUses) {
    EXPECT_EQ(body(R"(%two = 2
%k = %two * n
%h: f32 = 0.5
%x * %two + %x * %two + iota(%k) * %h * %h)", R"((%x: Tensor[(n), f32]))"), R"(%0 = mul(%x, 2)
%1 = mul(%x, 2)
%2 = add(%0, %1)
%3 = iota(2*n)
%4 = mul(%3, (0.5: f32))
%5 = mul(%4, (0.5: f32))
%6 = add(%2, %5)
%6
)");
}

TEST(Postfix, FieldsAndProjections) {
    EXPECT_EQ(body("%x.0.1.name"), R"(%0 = %x.0
%1 = %0.1
%2 = %1.name
%2
)");
}

TEST(Postfix, CallsOfValues) {
    EXPECT_EQ(body("%x(1)(2, 3)[%y].k"), R"(%0 = %x(1)
%1 = %0(2, 3)
%2 = %1[%y]
%3 = %2.k
%3
)");
}

TEST(Postfix, Index) {
    EXPECT_EQ(body("%x[1, 2:3, :4, 5:, :][n - 1:n]", R"((%x: Tensor[(n), f32]))"), R"(%0 = %x[1, 2:3, :4, 5:, :]
%1 = %0[n - 1:n]
%1
)");
}

TEST(Operators, PositionalAndNamed) {
    EXPECT_EQ(body("concat([%x, %y], axis=1) + concat(%x) + concat(axis=0, xs=[%x])"), R"(%0 = concat([%x, %y], axis=1)
%1 = concat(%x)
%2 = add(%0, %1)
%3 = concat([%x], axis=0)
%4 = add(%2, %3)
%4
)");
}

TEST(Operators, SizesAsListOrVector) {
    EXPECT_EQ(body("reshape(%x, [n, 2*n, %k, 3]) + reshape(%x, %v) + slice(%x, [0], [n], axes=[0]) + topk(%x, n, axis=1) + topk(%x, k=%k)", R"((%x: Tensor[(n), f32], %k, %v))"), R"(%0 = reshape(%x, [n, 2*n, %k, 3])
%1 = reshape(%x, %v)
%2 = add(%0, %1)
%3 = slice(%x, [0], [n], axes=[0])
%4 = add(%2, %3)
%5 = topk(%x, n, axis=1)
%6 = add(%4, %5)
%7 = topk(%x, %k)
%8 = add(%6, %7)
%8
)");
}

TEST(Operators, OptionalLeftOut) {
    EXPECT_EQ(body(R"(pad(%x, [1, 2], 0.5) + pad(%x, pads=[1], mode="edge") + pad(%x, %y) + pad(%x, [], mode="wrap", value=%y))"), R"(%0 = pad(%x, [1, 2], 0.5)
%1 = pad(%x, [1], mode="edge")
%2 = add(%0, %1)
%3 = pad(%x, %y)
%4 = add(%2, %3)
%5 = pad(%x, [], %y, mode="wrap")
%6 = add(%4, %5)
%6
)");
}

TEST(Operators, AttributesOfEveryKind) {
    EXPECT_EQ(body(R"([sum(%x, axes=[0, -1], keepdims=true), sum(%x, [1], false), cast(%x, f32), transpose(%x, [1, 0]), grad(%y, mode="closures")])"), R"(%0 = sum(%x, axes=[0, -1], keepdims=true)
%1 = sum(%x, axes=[1], keepdims=false)
%2 = cast(%x, to=f32)
%3 = transpose(%x, perm=[1, 0])
%4 = grad(%y, mode="closures")
%5 = [%0, %1, %2, %3, %4]
%5
)");
}

TEST(Operators, MoreValuesThanParameters) {
    EXPECT_EQ(body(R"(print("a")
print("b", %x)
print("c", %x, %y, 3)
print("d", [%x, %y])
())"), R"(print(text="a")
print("b", %x)
print("c", [%x, %y, 3])
print("d", [%x, %y])
()
)");
}

TEST(Operators, UndeclaredAttributes) {
    EXPECT_EQ(body(R"(mul(%x, %y; note=1, a.b="t", c=[1, 2], d=f32, e=type Tensor[(3), i64], g=2.5, h=true, i=[]))"), R"(%0 = mul(%x, %y; note=1, a.b="t", c=[1, 2], d=f32, e=type Tensor[(3), i64], g=2.5, h=true, i=[])
%0
)");
    EXPECT_EQ(body("exp(%x; size=dim 2*n)", R"((%x: Tensor[(n), f32]))"), R"(%0 = exp(%x; size=dim 2*n)
%0
)");
}

TEST(Operators, MaxAndMin) {
    EXPECT_EQ(body("max(%x, %y, 3) + max(%x) + max(%x, axes=[0], keepdims=true) + min(%x, 2) + max(%x, [1]) + mod(%x, 3)"), R"(%0 = maximum(%x, %y)
%1 = maximum(%0, 3)
%2 = max(%x)
%3 = add(%1, %2)
%4 = max(%x, axes=[0], keepdims=true)
%5 = add(%3, %4)
%6 = minimum(%x, 2)
%7 = add(%5, %6)
%8 = max(%x, axes=[1])
%9 = add(%7, %8)
%10 = mod(%x, 3)
%11 = add(%9, %10)
%11
)");
}

TEST(Operators, AsValues) {
    EXPECT_EQ(body("[exp, add, max]"), R"(%2 = fn(%0) {
  %1 = exp(%0)
  %1
}
%6 = fn(%3, %4) {
  %5 = add(%3, %4)
  %5
}
%9 = fn(%7) {
  %8 = max(%7)
  %8
}
%10 = [%2, %6, %9]
%10
)");
}

TEST(Names, RebindingRenames) {
    EXPECT_EQ(body(R"(%x = %x + 1
%x = %x + 2
%x_1 = %x
%0 = %x * 3
%0 + %x * 4)"), R"(%x_2 = add(%x, 1)
%x_3 = add(%x_2, 2)
%0 = mul(%x_3, 3)
%1 = mul(%x_3, 4)
%2 = add(%0, %1)
%2
)");
}

TEST(Names, AnAliasIsNoBinding) {
    EXPECT_EQ(body(R"(%a = %x
%b = %a
%b + %a)"), R"(%0 = add(%x, %x)
%0
)");
}

TEST(Names, DimsAndVariablesAreUnrelated) {
    EXPECT_EQ(body("%n * n + %n", R"((%n: Tensor[(n), f32]))"), R"(%0 = mul(%n, n)
%1 = add(%0, %n)
%1
)");
}

TEST(Names, ADimHidesAnOperatorExceptBeforeACall) {
    EXPECT_EQ(body("exp(%x) * exp", R"((%x: Tensor[(exp), f32]))"), R"(%0 = exp(%x)
%1 = mul(%0, exp)
%1
)");
}

TEST(Names, DeclarationOrderNeverMatters) {
    EXPECT_EQ(printed(R"(def @f(%x: T) { @g(%x, A) }
def @g(%x: T, %y) { match (%y) { A => %x } }
type T = A | B(U[4])
type U[d] = {w: Tensor[(d), f32]})"), R"(type T = A | B(U[4])
type U[d: dim] = {w: Tensor[(d), f32]}

def @f(%x: T) {
  %0 = A
  %1 = @g(%x, %0)
  %1
}

def @g(%x: T, %y) {
  %0 = match (%y) {
    A => {
      %x
    },
  }
  %0
}
)");
}

TEST(Tuples, Destructuring) {
    EXPECT_EQ(body(R"((%a, _, (%b, %c)) = @f(%x, %y)
{w = %d, v = (%e, _)} = %y
(%g, %h) = (%a + %b, 2)
(%h, %h, %g, %c, %d, %e))", R"((%x, %y))"), R"(%0: (_, _, _) = @f(%x, %y)
%a = %0.0
%1: (_, _) = %0.2
%b = %1.0
%c = %1.1
%d = %y.w
%2: (_, _) = %y.v
%e = %2.0
%g = add(%a, %b)
%3 = (2, 2, %g, %c, %d, %e)
%3
)");
}

TEST(Tuples, ParenthesesAreNoTuple) {
    EXPECT_EQ(body("((%x) + (%y,), (), (1, 2,))"), R"(%0 = add(%x, %y)
%1 = (1, 2)
%2 = (%0, (), %1)
%2
)");
}

TEST(Records, LiteralAndUpdate) {
    EXPECT_EQ(body("{a = 1, b = {%x with c = 2,},}"), R"(%0 = {%x with c = 2}
%1 = {a = 1, b = %0}
%1
)");
}

TEST(Records, OfAWrittenType) {
    EXPECT_EQ(printed(R"(type R = {a: f32}
def @f(%x) { match (R{a = 1.0}) { R{a = %b} => %b } })"), R"(type R = {a: f32}

def @f(%x) {
  %0 = R{a = 1.0}
  %1 = match (%0) {
    R{a = %b} => {
      %b
    },
  }
  %1
}
)");
}

TEST(Sequences, Lists) {
    EXPECT_EQ(body("[%x, %y, [1, 2,],]"), R"(%0 = [1, 2]
%1 = [%x, %y, %0]
%1
)");
}

TEST(Functions, Lambda) {
    EXPECT_EQ(body(R"(%f = fn(%a, %b: f32) { %a * %b }
%f(%x, fn() { () }))"), R"(%f = fn(%a, %b: f32) {
  %0 = mul(%a, %b)
  %0
}
%1 = fn() {
  ()
}
%2 = %f(%x, %1)
%2
)");
}

TEST(Functions, LambdaSizes) {
    EXPECT_EQ(printed(R"(def @f(%x: Tensor[(n), f32], %w: a) {
  %g: fn(Tensor[(m), f32]) -> Tensor[(m), f32] = fn(%a: Tensor[(m), f32]) {
    %h = fn(%b: Tensor[(m, k, n), f32], %c: q, %d: a) { %b }
    exp(%a)
  }
  %g
})"), R"(def @f(%x: Tensor[(n), f32], %w: a) {
  %g: fn(Tensor[(m), f32]) -> Tensor[(m), f32] = fn(%a: Tensor[(m), f32]) {
    %h = fn(%b: Tensor[(m, k, n), f32], %c: q, %d: a) {
      %b
    }
    %0 = exp(%a)
    %0
  }
  %g
}
)");
}

TEST(Functions, FunctionsAsValues) {
    EXPECT_EQ(body("grad(@f, wrt=[0])(%x, %y)"), R"(%0 = @f
%1 = grad(%0, wrt=[0])
%2 = %1(%x, %y)
%2
)");
}

TEST(Control, If) {
    EXPECT_EQ(body("if (%x) { 1 } else if (%y) { 2 } else { 3 }"), R"(%1 = if (%x) {
  1
} else {
  %0 = if (%y) {
    2
  } else {
    3
  }
  %0
}
%1
)");
}

TEST(Control, IfAsAnOperand) {
    EXPECT_EQ(body("1 + if (%x) { (1, 2) } else { (3, 4) }.0"), R"(%2 = if (%x) {
  %0 = (1, 2)
  %0
} else {
  %1 = (3, 4)
  %1
}
%3 = %2.0
%4 = add(1, %3)
%4
)");
}

TEST(Control, ForStatesAndYields) {
    EXPECT_EQ(body("for %i in 10, (%s = 0, %t = %x) { yield %i; yield %t; (%s + %i, %t) }"), R"(%1 = for %i in 10, (%s = 0, %t = %x) {
  %0 = add(%s, %i)
  yield %i
  yield %t
  (%0, %t)
}
%1
)");
}

TEST(Control, ForOneState) {
    EXPECT_EQ(body("for %i in %x, (%s = %y,) { %s + %i }"), R"(%1 = for %i in %x, (%s = %y) {
  %0 = add(%s, %i)
  %0
}
%1
)");
}

TEST(Control, ForTupleOfAnotherExpression) {
    EXPECT_EQ(body("for %i in %x, (%s = %y, %t = %x) { @f(%s, %t) }"), R"(%3 = for %i in %x, (%s = %y, %t = %x) {
  %0 = @f(%s, %t)
  %1 = %0.0
  %2 = %0.1
  (%1, %2)
}
%3
)");
}

TEST(Control, ForWithoutState) {
    EXPECT_EQ(body(R"(for %i in %x, () { print("i", %i); yield %i * 2 })"), R"(%2 = for %i in %x, () {
  print("i", %i)
  %1 = mul(%i, 2)
  yield %1
  ()
}
%2
)");
    EXPECT_EQ(body("for %i in %x, () { write(%y, %i) }"), R"(%1 = for %i in %x, () {
  write(%y, %i)
  ()
}
%1
)");
}

TEST(Control, InitialisersSeeTheOuterScope) {
    EXPECT_EQ(body("for %x in 3, (%y = %x, %z = %y) { (%y, %z) }"), R"(%0 = for %x_1 in 3, (%y_1 = %x, %z = %y) {
  (%y_1, %z)
}
%0
)");
}

TEST(Control, While) {
    EXPECT_EQ(body("while (%s = 0) (%s < 10) { %s + 1 }"), R"(%2 = while (%s = 0) (lt(%s, 10)) {
  %1 = add(%s, 1)
  %1
}
%2
)");
    EXPECT_EQ(body("while (%s = 0, %t = %x) (%s < 10 && %t > 0) { yield %t; (%s + 1, %t) }"), R"(%4 = while (%s = 0, %t = %x) {
  %0 = lt(%s, 10)
  %2: bool = if (%0) {
    %1 = gt(%t, 0)
    %1
  } else {
    false
  }
  %2
} {
  %3 = add(%s, 1)
  yield %t
  (%3, %t)
}
%4
)");
    EXPECT_EQ(body("while () (true) { () }"), R"(%0 = while () (true) {
  ()
}
%0
)");
}

TEST(Match, EveryPattern) {
    EXPECT_EQ(body(R"(match (%y) { 0 => "zero", -1 => "m", 2.5 => "x", true => "t", "s" => "text", (%a, (%b)) => %a, {n = %q} => %q, () => "u", _ => {%x with a = 1} })"), R"(%1 = match (%y) {
  0 => {
    "zero"
  },
  -1 => {
    "m"
  },
  2.5 => {
    "x"
  },
  true => {
    "t"
  },
  "s" => {
    "text"
  },
  (%a, %b) => {
    %a
  },
  {n = %q} => {
    %q
  },
  () => {
    "u"
  },
  _ => {
    %0 = {%x with a = 1}
    %0
  },
}
%1
)");
}

TEST(Match, ConstructorsGuardsAndBodies) {
    EXPECT_EQ(printed(R"(type List[a] = Nil | Cons(a, List[a])
def @f(%xs: List[a], %y) {
  match (%xs) {
    Nil => Nil,
    Cons(%h, Cons(_, Nil)) if %h > 2 => {n = %h},
    Cons(%h, %t) if %h > 2 && %y => {%h with n = 2},
    Cons(%h, %t) => { %a = %y + 1; %a },
  }
})"), R"(type List[a] = Nil | Cons(a, List[a])

def @f(%xs: List[a], %y) {
  %6 = match (%xs) {
    Nil => {
      %0 = Nil
      %0
    },
    Cons(%h, Cons(_, Nil)) if gt(%h, 2) => {
      %2 = {n = %h}
      %2
    },
    Cons(%h_1, %t) if {
      %3 = gt(%h_1, 2)
      %4: bool = if (%3) {
        %y
      } else {
        false
      }
      %4
    } => {
      %5 = {%h_1 with n = 2}
      %5
    },
    Cons(%h_2, %t_1) => {
      %a = add(%y, 1)
      %a
    },
  }
  %6
}
)");
}

TEST(Match, StatementsThatMayNotFit) {
    EXPECT_EQ(printed(R"(type List[a] = Nil | Cons(a, List[a])
def @f(%xs: List[a], %y) {
  Cons(%p, _) = %xs
  (%k, Cons(%q, %r)) = %y
  0 = %y
  [%p, %q, %r, %k]
})"), R"(type List[a] = Nil | Cons(a, List[a])

def @f(%xs: List[a], %y: (_, _)) {
  %p_1 = match (%xs) {
    Cons(%p, _) => {
      %p
    },
  }
  %k = %y.0
  %0 = %y.1
  %2 = match (%0) {
    Cons(%q, %r) => {
      %1 = (%q, %r)
      %1
    },
  }
  %q_1 = %2.0
  %r_1 = %2.1
  %3 = match (%y) {
    0 => {
      ()
    },
  }
  %4 = [%p_1, %q_1, %r_1, %k]
  %4
}
)");
}

TEST(Match, DimsOfAConstructor) {
    EXPECT_EQ(printed(R"(type Box = Two[n, m](Tensor[(n), f32], Tensor[(n, m), i64]) | Nothing
def @f(%b: Box) {
  %z = match (%b) { Two[p, q](%x, _) => p * 2 + q, Nothing => 0 }
  Two[k, l](%u, %v) = %b
  %w: Tensor[(k), f32] = exp(%u)
  %w * l + %z
})"), R"(type Box = Two[n, m](Tensor[(n), f32], Tensor[(n, m), i64]) | Nothing

def @f(%b: Box) {
  %z = match (%b) {
    Two[p, q](%x, _) => {
      2*p + q
    },
    Nothing => {
      0
    },
  }
  %1 {new size k, new size l} = match (%b) {
    Two[k, l](%u, %v) => {
      %0 = (%u, %v)
      %0
    },
  }
  %u_1 = %1.0
  %v_1 = %1.1
  %w: Tensor[(k), f32] = exp(%u_1)
  %2 = mul(%w, l)
  %3 = add(%2, %z)
  %3
}
)");
}

TEST(Match, ConstructorsAsValues) {
    EXPECT_EQ(printed(R"(type Tree[a] = Leaf(a) | Node(Tree[a], Tree[a]) | None
def @f(%x) { [Leaf, Node, None, Tree.Leaf(%x)] })"), R"(type Tree[a] = Leaf(a) | Node(Tree[a], Tree[a]) | None

def @f(%x) {
  %2 = fn(%0) {
    %1 = Leaf(%0)
    %1
  }
  %6 = fn(%3, %4) {
    %5 = Node(%3, %4)
    %5
  }
  %7 = None
  %8 = Leaf(%x)
  %9 = [%2, %6, %7, %8]
  %9
}
)");
}

TEST(Statements, BareExpressionsAreOfUnitType) {
    EXPECT_EQ(body(R"(write(%x, %y)
()
read(%x))"), R"(write(%x, %y)
%1 = read(%x)
%1
)");
}

TEST(Statements, Annotations) {
    EXPECT_EQ(body(R"(%z: f32 = %x + %y
%w: Tensor[(4), f32] = %z
%k: i64 = 3
(%a, %b): (f32, f32) = @f(%x, %k)
%k + (%w + 1: f32) + (2.0: f64) + %a)"), R"(%z: f32 = add(%x, %y)
%1 = fn(%0: Tensor[(4), f32]) {
  %0
}
%w = %1(%z)
%2: (f32, f32) = @f(%x, (3: i64))
%a = %2.0
%b = %2.1
%3: f32 = add(%w, 1)
%4 = add((3: i64), %3)
%5 = add(%4, (2.0: f64))
%6 = add(%5, %a)
%6
)");
}

TEST(Types, EveryForm) {
    EXPECT_EQ(printed(R"(type R[d, t, ..s] = {a: Tensor[(d), t], b: Tensor[..s, t], c: Tensor[(d, ..s), t], g: Ref[Seq[Tensor[.., t]]],}
type Q[x, y] =
  | Q1(R[x, y, (x, 2)])
  | Q2[k](Tensor[(k), y], fn(Q[x, y], f32) -> (Tensor[(k, x), y], ()))
def @f(%x: bool, %y: (i32, (f64,), ()), %z: Q[2*n, f32]) { %x })"), R"(type R[d: dim, t: dtype, ..s] = {a: Tensor[(d), t], b: Tensor[..s, t], c: Tensor[(d, ..s), t], g: Ref[Seq[Tensor[.., t]]]}
type Q[x: dim, y: dtype] = Q1(R[x, y, (x, 2)]) | Q2[k](Tensor[(k), y], fn(Q[x, y], f32) -> (Tensor[(k, x), y], ()))

def @f(%x: bool, %y: (i32, f64, ()), %z: Q[2*n, f32]) {
  %x
}
)");
}

TEST(Types, KindsFollowFromUse) {
    EXPECT_EQ(printed(R"(type A[x, y, z] = A1(B[x, y, ..z])
type B[x, y, z] = B1(C[x, y, ..z]) | B2(A[2*x, y, ..z])
type C[x, y, ..z] = C1(Tensor[(x, ..z), y])
type D[p] = D1)"), R"(type A[x: dim, y: dtype, ..z] = A1(B[x, y, ..z])
type B[x: dim, y: dtype, ..z] = B1(C[x, y, ..z]) | B2(A[2*x, y, ..z])
type C[x: dim, y: dtype, ..z] = C1(Tensor[(x, ..z), y])
type D[p] = D1
)");
}

TEST(Types, Signature) {
    EXPECT_EQ(printed(R"(def @f[a, n: dim, t: dtype, ..s](%x: Tensor[(n, ..s), t], %g: fn(a) -> Tensor[(new k), f32], %u: Tensor[(?, ?), f32])
  -> (Tensor[(new k2, n), t], Tensor[(k2), i64], Tensor[(?), f32])
  where n > 0, k2 <= n, n == 2*(n//2), mod(n, 4) != 1, n < 9
  with vjp = (@f1, @f2)
{
  (cast(%x, t), n)
}
def @f1(%x) { %x }
def @f2(%x) { %x })"), R"(def @f[a, n: dim, t: dtype, ..s](%x: Tensor[(n, ..s), t], %g: fn(a) -> Tensor[(new k), f32], %u: Tensor[(?, ?), f32]) -> (Tensor[(new k2, n), t], Tensor[(k2), i64], Tensor[(?), f32]) where n > 0, k2 <= n, n == 2*(n//2), mod(n, 4) != 1, n < 9 with vjp = (@f1, @f2) {
  %0 = cast(%x, to=t)
  %1 = (%0, n)
  %1
}

def @f1(%x) {
  %x
}

def @f2(%x) {
  %x
}
)");
}

TEST(Types, Dims) {
    EXPECT_EQ(printed("def @f(%x: Tensor[(2*n + m*n - 3, (n + 1)//2*m, min(n, m, 3), max(m, n), mod(n, 2), 0 - n + m, n*n*2, -m + 4), f32]) { %x }"), R"(def @f(%x: Tensor[(m*n + 2*n - 3, ((n + 1)//2)*m, min(3, m, n), max(m, n), mod(n, 2), m - n, 2*n*n, 4 - m), f32]) {
  %x
}
)");
}

TEST(Types, ATypeParameterWithoutKind) {
    EXPECT_EQ(printed("def @f[t, d, r](%x: Tensor[(d), t], %y: r) { %x }"), R"(def @f[t: dtype, d: dim, r](%x: Tensor[(d), t], %y: r) {
  %x
}
)");
}
} // namespace nereus
