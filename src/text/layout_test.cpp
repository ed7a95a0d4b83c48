#include "text/testing.h"

namespace nereus {
TEST(Layout, SemicolonAndNewline) {
    EXPECT_EQ(body(R"(%a = exp(%x); %b = exp(%y);

; %c = %a + %b
# a comment ; with { brackets
%c   # and one behind)"), R"(%a = exp(%x)
%b = exp(%y)
%c = add(%a, %b)
%c
)");
}

TEST(Layout, InsideParenthesesNewlinesEndNothing) {
    EXPECT_EQ(body(R"(%a = (%x
  + %y
  - 1)
add(
  %a
  ,
  %x
  * 2
))"), R"(%0 = add(%x, %y)
%a = sub(%0, 1)
%1 = mul(%x, 2)
%2 = add(%a, %1)
%2
)");
}

TEST(Layout, TheInnermostBracketDecides) {
    EXPECT_EQ(body(R"(add(if (%x) {
  %a = exp(%y)
  %a
} else { %y }
, %x))"), R"(%0 = if (%x) {
  %a = exp(%y)
  %a
} else {
  %y
}
%1 = add(%0, %x)
%1
)");
}

// Fields have no such name: an arm may begin with what is not looked at, like any block.
TEST(Layout, AnArmMayBeginWithUnderscore) {
    EXPECT_EQ(body(R"(match (%x) {
  0 => { _ = exp(%y); 1.0 },
  _ => { a = 1.0 }
})"), R"(%2 = match (%x) {
  0 => {
    %0 = exp(%y)
    1.0
  },
  _ => {
    %1 = {a = 1.0}
    %1
  },
}
%2
)");
}

TEST(Layout, AfterAnOperatorOrComma) {
    EXPECT_EQ(body(R"(%a = %x +
  %y *

  # nothing here
  2
%b =
  -%a
%b)"), R"(%0 = mul(%y, 2)
%a = add(%x, %0)
%b = neg(%a)
%b
)");
}

TEST(Layout, BeforeElse) {
    EXPECT_EQ(body(R"(%z = if (%x) {
  1
}
else {
  2
}
%z)"), R"(%z = if (%x) {
  1
} else {
  2
}
%z
)");
}

TEST(Layout, BeforeArrowWhereWithAndBar) {
    EXPECT_EQ(printed(R"(type T
  = A
  | B
def @f(%x: Tensor[(n), f32])
  -> Tensor[(n), f32]
  where n > 2
  with vjp = (@f, @f)
{ %x })"), R"(type T = A | B

def @f(%x: Tensor[(n), f32]) -> Tensor[(n), f32] where n > 2 with vjp = (@f, @f) {
  %x
}
)");
}

TEST(Layout, AMinusMayBeginAStatement) {
    EXPECT_EQ(body(R"(%a = exp(%x)
-%a)"), R"(%a = exp(%x)
%0 = neg(%a)
%0
)");
}

TEST(Layout, MatchArmsAreInsideABracket) {
    EXPECT_EQ(body(R"(match (%x) {
  1
    => %y
    + 2
  ,
  _ => %y
})"), R"(%1 = match (%x) {
  1 => {
    %0 = add(%y, 2)
    %0
  },
  _ => {
    %y
  },
}
%1
)");
}

TEST(Layout, RecordsMayCoverLines) {
    EXPECT_EQ(body(R"({
  a = %x
    + 1,
  b = %y
})"), R"(%0 = add(%x, 1)
%1 = {a = %0, b = %y}
%1
)");
}

TEST(Layout, BlockOrRecordAfterArrow) {
    EXPECT_EQ(body(R"(match (%x) {
  0 => {a = 1},
  1 => {%y with a = 1},
  2 => { %y },
  3 => { {a = 2} },
  4 => { %z = {%y with a = 3}
    %z },
  _ => { () }
})"), R"(%3 = match (%x) {
  0 => {
    %0 = {a = 1}
    %0
  },
  1 => {
    %1 = {%y with a = 1}
    %1
  },
  2 => {
    %y
  },
  3 => {
    %2 = {a = 2}
    %2
  },
  4 => {
    %z = {%y with a = 3}
    %z
  },
  _ => {
    ()
  },
}
%3
)");
}

TEST(Layout, CommentsAndCarriageReturns) {
    EXPECT_EQ(printed(R"(# first

def @f(%x) { # one
  # two
  %x # three
} # four)"), R"(def @f(%x) {
  %x
}
)");
}

TEST(Layout, EmptyText) {
    EXPECT_EQ(printed("# nothing"), R"()");
}
} // namespace nereus
