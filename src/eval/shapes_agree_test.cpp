// A program means the same before and after the shapes stage, on random arguments of its declared types. Sizes 0 and 1
// are as likely as others; every type, check and hidden integer that the stage wrote down is tried on the way.
#include "eval/eval.h"
#include "infer/shapes.h"
#include "infer/specialise.h"
#include "ops/registry.h"
#include "text/parse.h"
#include "value/compare.h"
#include "value/text.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace nereus {
namespace {
class RandomArguments {
 public:
    RandomArguments(const Module& module, unsigned seed) : m(module), random_(seed) {}

    Value of(TypeId id, int depth = 0) {
        const Type& t = m.types[id];
        std::vector<Value> items;
        switch (t.kind) {
        case TypeKind::tensor: {
            Extents shape;
            for (Dim d : t.shape.dims) shape.push_back(size(d));
            for (int64_t i = t.shape.ranked ? 0 : below(3); i > 0; --i) shape.push_back(below(4));
            return tensor(t.element.dtype.value_or(DType::f32), std::move(shape));
        }
        case TypeKind::seq:
            for (int64_t i = below(4); i > 0; --i) items.push_back(of(t.parts[0], depth + 1));
            return Value::seq(std::move(items));
        case TypeKind::data: {                           // one type parameter at most, handed on as it is
            const TypeDecl& decl = m[t.decl];
            const Constructor& made = decl.constructors[depth > 5 ? 0 : size_t(below(int64_t(decl.constructors.size())))];
            for (TypeId field : made.fields) {
                TypeKind kind = m.types[field].kind;
                TypeId type = kind == TypeKind::var ? std::get<TypeId>(t.args[0]) : kind == TypeKind::data ? id : field;
                items.push_back(of(type, depth + 1));
            }
            return Value::ctor(made.name, std::move(items));
        }
        default: return Value();
        }
    }

 private:
    int64_t below(int64_t n) { return int64_t(random_() % uint64_t(n)); }
    int64_t size(Dim d) {
        Result<int64_t> value = m.dims.evaluate(d, [&](Sym s) -> std::optional<int64_t> {
            if (m.dims.symbol(s).kind == SymKind::unknown) return below(4);
            return sizes_.try_emplace(s, below(5)).first->second;
        });
        return value ? *value : 0;
    }
    Value tensor(DType dtype, Extents shape) {
        Result<HostTensor> made = HostTensor::make(dtype, std::move(shape));
        for (int64_t i = 0; i < made->count(); ++i) {
            if (dtype == DType::f32) (*made->mutable_data<float>())[size_t(i)] = float(below(9) - 2) / 2;
            if (dtype == DType::i64) (*made->mutable_data<int64_t>())[size_t(i)] = below(6);
            if (dtype == DType::boolean) (*made->mutable_data<bool>())[size_t(i)] = below(2) != 0;
        }
        return Value::tensor(*made);
    }

    const Module& m;
    std::mt19937 random_;
    std::map<Sym, int64_t> sizes_;
};

constexpr std::string_view list = "type List[a] = Nil | Cons(a, List[a])\n";
const std::string programs[] = {
    std::string(list) + "def @map(%f, %l) { match (%l) { Nil => Nil, Cons(%x, %r) => Cons(%f(%x), @map(%f, %r)) } }\n"
        "def @foldl(%f, %a, %l) { match (%l) { Nil => %a, Cons(%x, %r) => @foldl(%f, %f(%a, %x), %r) } }\n"
        "def @main(%l: List[Tensor[(d), f32]], %w: Tensor[(d, h), f32]) {\n"
        "  @foldl(fn(%a, %x) { %a + %x }, full([h], 0.0), @map(fn(%x) { matmul(%x, %w) }, %l)) }",
    std::string(list) + "def @cat(%l, %x) { match (%l) { Nil => %x, Cons(%y, %r) => @cat(%r, concat([%x, %y])) } }\n"
        "def @main(%l: List[Tensor[(?), f32]], %x: Tensor[(n), f32]) { @cat(%l, %x) }",
    "type Tree[a] = Leaf(a) | Node(Tree[a], Tree[a])\n"
    "def @encode(%t, %w) { match (%t) { Leaf(%x) => tanh(%x),\n"
    "  Node(%l, %r) => tanh(matmul(concat([@encode(%l, %w), @encode(%r, %w)], axis=0), %w)) } }\n"
    "def @main(%t: Tree[Tensor[(d), f32]], %w: Tensor[(2*d, d), f32]) { @encode(%t, %w) }",
    "def @cps(%n, %k) { if (%n <= 0) { %k(0) } else { @cps(%n - 1, fn(%r) { %k(%r + %n) }) } }\n"
    "def @main(%n: i64) { @cps(%n, fn(%x) { %x }) }",
    "def @main(%c: bool, %x: Tensor[(n), f32], %w: Tensor[(n, m), f32], %v: Tensor[(n, k), f32]) {\n"
    "  %f = if (%c) { fn(%y) { matmul(%y, %w) } } else { fn(%y) { concat([matmul(%y, %v), matmul(%y, %w)]) } }\n"
    "  (%f(%x), %f(%x)) }",
    "type Layer = {f: fn(Tensor[.., f32]) -> Tensor[.., f32], name: i64}\n"
    "def @main(%x: Tensor[(n), f32], %w: Tensor[(n, m), f32], %v: Tensor[(m, k), f32]) {\n"
    "  %a = {f = fn(%y) { matmul(%y, %w) }, name = 1}\n  %b = {f = fn(%y) { matmul(%y, %v) }, name = 2}\n"
    "  (%b.f)((%a.f)(%x)) }",
    "def @f(%x: Seq[Tensor[(n), f32]]) { if (length(%x) > 0) { sum(%x[0]) + sum(full([n], 1.0)) } else { 0.0 } }\n"
    "def @main(%x: Tensor[(n), f32], %y: Tensor[(m), f32], %s: Seq[Tensor[(?), f32]]) { @f([%x, %y]) + @f(%s) }",
    "def @main(%x: Tensor[(n), f32], %s: Seq[Seq[Tensor[(?), f32]]]) {\n"
    "  for %i in length(%s), (%t = %x) { for %j in length(%s[%i]), (%u = %t) { concat([%u, %s[%i][%j]]) } } }",
    "def @main(%x: Tensor[(n, m), f32], %s: Tensor[(2), i64]) { reshape(%x, %s) }",
    "def @main(%x: Tensor[.., f32]) { %y = reshape(%x, [-1]); (sum(%y), %y * 2.0, shape_of(%x)) }",
    "def @main(%x: Tensor[(n), f32], %k: i64) { match (%k) { 0 => %x, 1 => concat([%x, %x]), _ => full([%k], 1.0) } }",
    "def @main(%x: Tensor[(n), f32], %y: Tensor[(m), f32]) {\n"
    "  if (n == m && n > 0) { %x + %y } else { if (n > m || m == 3) { %x } else { %y } } }",
    "def @main(%x: Tensor[(n, m), f32], %i: i64, %j: i64) { (%x[%i, %j], %x[%i], %x[:, %j:], %x[0:1, 0]) }",
    "def @main(%x: Tensor[(n), f32], %k: i64) { while (%a = %x, %i = %k) (%i < n) { (concat([%a, %x]), %i + 2) } }",
    "def @main(%x: Tensor[(n), f32], %k: i64) {\n"
    "  %r = ref(%x)\n  %u = for %i in %k, () { write(%r, concat([read(%r), %x])) }\n  read(%r) }",
    "def @keep(%c, %x) { gather(%x, nonzero(%c)[0]) }\n"
    "def @main(%c: Tensor[(n), bool], %x: Tensor[(n, d), f32], %y: Tensor[(n), f32]) {\n"
    "  %a = @keep(%c, %x)\n  %b = @keep(%c, %y)\n  %a * reshape(%b, [-1, 1]) }",
};
} // namespace

TEST(shapes_agree, on_random_arguments) {
    for (const std::string& text : programs) {
        Result<Module> parsed = parse("test.nr", text, all_ops());
        ASSERT_TRUE(parsed) << parsed.error().message << "\n" << text;
        FunctionId entry = parsed->find_id("main");
        Result<Module> typed = specialise(std::move(*parsed), entry);
        ASSERT_TRUE(typed) << typed.error().message << "\n" << text;
        Result<Module> shaped = infer_shapes(*typed, FunctionId(0), nullptr);
        ASSERT_TRUE(shaped) << shaped.error().message << "\n" << text;
        const Function& main = typed->functions[0];
        for (unsigned seed = 0; seed < 40; ++seed) {
            RandomArguments random(*typed, seed);
            std::vector<Value> args;
            for (ValueId param : main.params) args.push_back(random.of(main[param].type));
            Result<Value> before = eval(*typed, FunctionId(0), args), after = eval(*shaped, FunctionId(0), args);
            ASSERT_EQ(bool(before), bool(after))
                << (before ? after.error().message : before.error().message) << "\nseed " << seed << "\n" << text;
            if (!before) continue;
            ASSERT_TRUE(equal_bitwise(*before, *after)) << to_text(*before) << "\n" << to_text(*after) << "\n" << text;
        }
    }
}
} // namespace nereus
