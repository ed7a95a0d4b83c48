#include "text/testing.h"

namespace nereus {
TEST(Dumps, SymbolsAndKnownValues) {
    EXPECT_EQ(printed(R"(def @f(%x: Tensor[(n), f32], %k: i64 {= new host k}) -> Tensor[(new late m, n), f32] {
  symbols (n, k)
  %0: Tensor[(new m, n), f32] = exp(%x)
  %1 {= 2, new q, new join p}: Tensor[(p, q), f32] = exp(%0)
  %c: i64 {= 2*k, new host h} = add(%k, %k)
  %3: f32 {dims (n, 2*k)} = @f(%x, %c)
  %4 {new join j} = if (true) {
    sizes (n)
    %x
  } else {
    sizes (m)
    %0
  }
  %5: f32 = for %i: i64 {= new counter i} in %c, (%s: Tensor[(new join a), f32] = %x) {
    symbols (a)
    sizes (a + 1)
    %s
  }
  %6 = while (%s: Tensor[(new join b), f32] = %x) {
    %7: bool = lt(b, 3)
    %7
  } {
    symbols (b)
    %s
  }
  sizes (m)
  %0
})"), R"(def @f(%x: Tensor[(n), f32], %k: i64 {= new host k}) -> Tensor[(new late m, n), f32] {
  symbols (n, k)
  %0: Tensor[(new m, n), f32] = exp(%x)
  %1 {= 2, new q, new join p}: Tensor[(p, q), f32] = exp(%0)
  %c: i64 {= 2*k, new host h} = add(%k, %k)
  %3: f32 {dims (n, 2*k)} = @f(%x, %c)
  %4 {new join j} = if (true) {
    sizes (n)
    %x
  } else {
    sizes (m)
    %0
  }
  %5: f32 = for %i: i64 {= new counter i} in %c, (%s: Tensor[(new join a), f32] = %x) {
    symbols (a)
    sizes (a + 1)
    %s
  }
  %6 = while (%s_1: Tensor[(new join b), f32] = %x) {
    %7: bool = lt(b, 3)
    %7
  } {
    symbols (b)
    %s_1
  }
  sizes (m)
  %0
}
)");
}

// A caller hands it in beside the arguments: no parameter's type says it.
TEST(Dumps, SizesThatOnlyTheResultNames) {
    const std::string text = R"(def @f(%x: f32) -> Tensor[(new host p, 3), f32] {
  symbols (p)
  %0: Tensor[(p, 3), f32] = exp(%x)
  %0
}
)";
    EXPECT_EQ(printed(text), text);
}

// (f32) is f32; split gives tuples of one part, too.
TEST(Dumps, TuplesOfOnePart) {
    const std::string text = R"(def @f(%x: tuple(tuple(f32)), %y: (tuple(f32), f32)) -> tuple(f32) {
  %0: tuple(f32) = %x.0
  %0
}
)";
    EXPECT_EQ(printed(text), text);
}

TEST(Dumps, Checks) {
    const std::string text = R"(def @f(%x: Tensor[(n, m), f32]) {
  check(n == m)
  check(compatible(n, m))
  check(n > m)
  check(n + 1 <= 2*m; what="rows")
  %2: Tensor[(?1, ?1, ?), f32] = check(%x)
  %3: i64 = add((?1: i64), (n: i64))
  %2
}
)";
    EXPECT_EQ(printed(text), text);
}

TEST(Dumps, TypedConstants) {
    const std::string text = R"(def @f(%x: Tensor[(n), f32]) {
  %0: Tensor[(n), f32] = add(%x, (2: f32))
  %1: Tensor[(n), f32] = mul(%0, (n: f32))
  %2: Tensor[(4), f32] = reshape(%1, [4])
  %3: bool = not(true)
  %4: Tensor[(2), f32] = exp((tensor([1.0, 2.0]): Tensor[(2), f32]))
  %5 = (2.0).0
  %4
}
)";
    EXPECT_EQ(printed(text), text);
}

TEST(Dumps, DialectsAndGenericForms) {
    EXPECT_EQ(printed(R"(def @f(%x: f32) {
  %a, %b {= 4} = kernel.region([%x, 2]; tile=4) {(%p: f32, %q)
    %r = mul(%p, %q)
    => %r, %p
  } {
    => 1
  } : f32, i64
  mem.free(%a)
  %c = mem.alloc(16)
  %d = ir.closure<3>(%a, %b)
  %e {new join z}: f32 = ir.apply<0: @f[new k](2*k), 1: @f[]() -> [new l](l + 1)>(%d, %x; hint="h")
  %t = ir.tuple()
  %u = ir.call<@f>(%x; inline=true)
  %e
})"), R"(def @f(%x: f32) {
  %a, %b {= 4} = kernel.region([%x, 2]; tile=4) {(%p: f32, %q)
    %r = mul(%p, %q)
    => %r, %p
  } {
    => 1
  } : f32, i64
  mem.free(%a)
  %c = mem.alloc(16)
  %d = ir.closure<3>(%a, %b)
  %e {new join z} = ir.apply<0: @f[new k](2*k), 1: @f[]() -> [new l](l + 1)>(%d, %x; hint="h") : f32
  %t = ir.tuple()
  %u = ir.call<@f>(%x; inline=true)
  %e
}
)");
}

TEST(Dumps, TheGenericFormIsReadEverywhere) {
    EXPECT_EQ(printed(R"(type L = N | C(f32, L)
type R = {a: f32, b: f32}
def @f(%x, %l: L) {
  %0 = ir.if(%x) {
    => 1
  } {
    %1 = ir.project<0>(%x)
    => %1
  }
  %2 = ir.for(3, %0) {(%i: i64, %s)
    => %s, %i
  } : f32
  %3 = ir.while(0) {(%s1)
    %4 = lt(%s1, 3)
    => %4
  } {
    => %s1
  }
  %5 = ir.match(%l) {case C(%h, _) if {
      %6 = lt(%h, 3)
      => %6
    }
    => %h
  } {case _
    => 2
  }
  %7 = ir.record<R: a, b>(%x, %x)
  %8 = ir.update<a>(%7, 2)
  %9 = ir.field<a>(%8)
  %10 = ir.index<at, from_to, from, to, all>(%x, 1, 2, 3, 4, 5)
  %11 = ir.construct<C>(%9, %l)
  %12 = ir.lambda() {(%p)
    => %p
  }
  %13 = ir.apply(%12, %10)
  %14 = ir.function<@f>()
  %15 = ir.seq(%14, %14)
  %16 = ir.check<2 > 1>()
  %17 = ir.check(%x)
  mul(%17, %16)
})"), R"(type L = N | C(f32, L)
type R = {a: f32, b: f32}

def @f(%x, %l: L) {
  %0 = if (%x) {
    1
  } else {
    %1 = %x.0
    %1
  }
  %2: f32 = for %i: i64 in 3, (%s = %0) {
    yield %i
    %s
  }
  %3 = while (%s1 = 0) (lt(%s1, 3)) {
    %s1
  }
  %5 = match (%l) {
    C(%h, _) if lt(%h, 3) => {
      %h
    },
    _ => {
      2
    },
  }
  %7 = R{a = %x, b = %x}
  %8 = {%7 with a = 2}
  %9 = %8.a
  %10 = %x[1, 2:3, 4:, :5, :]
  %11 = C(%9, %l)
  %12 = fn(%p) {
    %p
  }
  %13 = %12(%10)
  %14 = @f
  %15 = [%14, %14]
  %16 = check(2 > 1)
  %17 = check(%x)
  %18 = mul(%17, %16)
  %18
}
)");
}

TEST(Dumps, UndeclaredNamesGetADeclaration) {
    const std::string text = R"(def @f[n: dim, a, t: dtype, ..s](%x) {
  %0: Tensor[(n, ..s), t] = exp(%x)
  %1: a = exp(%0)
  %1
}
)";
    EXPECT_EQ(printed(text), text);
}

// A size that divides by zero is one only where that is said; written by hand it is an operator, which fails where it runs.
TEST(Dumps, SizesThatDivideByZero) {
    const char* text = R"(def @f(%x: Tensor[(n), f32]) {
  %0 = add((= mod(3, 0): i64), (2: i64))
  %1 = for %i in (= n//0), (%s = %x) {
    %3 = exp(%s)
    %3
  }
  %2 = mod(3, 0)
  %4 = (%0, %1, %2)
  %4
}
)";
    EXPECT_EQ(printed(text), text);
}
} // namespace nereus
