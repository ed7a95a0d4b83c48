// Programs of several files, the prelude, and modules that no text has made.
#include "text/testing.h"
#include <map>

namespace nereus {
static Loader from(std::map<std::string, std::string> files, int* loads = nullptr) {
    return [files = std::move(files), loads](const std::string& path) -> Result<std::string> {
        if (loads) ++*loads;
        auto it = files.find(path);
        if (it == files.end()) return Error{Code::io, "cannot read '" + path + "': no such file"};
        return it->second;
    };
}

TEST(Imports, RelativeOnceEachOneNameSpace) {
    int loads = 0;
    Loader load = from({{"lib/a.nr", "import \"../main.nr\"\nimport \"b/c.nr\"\ndef @a(%x) { @c(%x) }"},
                        {"lib/b/c.nr", "import \"../a.nr\"\nimport \"./../../lib/a.nr\"\ndef @c(%x) { @main(%x) }"}}, &loads);
    Result<Module> module = parse("main.nr", "import \"lib/a.nr\"\nimport \"lib/b/c.nr\"\ndef @main(%x) { @a(%x) }", test_ops(), load);
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_EQ(loads, 2);
    ASSERT_EQ(module->sources.size(), 3u);
    EXPECT_EQ(module->sources[2].path, "lib/b/c.nr");
    EXPECT_EQ((*module)[module->find_id("c")].span.source, 2);
}

TEST(Imports, AnErrorShowsTheFileItIsIn) {
    std::vector<SourceText> sources;
    Loader load = from({{"dir/b.nr", "def @b() {\n  %y\n}"}});
    Result<Module> module = parse(ParseInput{"dir/a.nr", "import \"b.nr\"", load, {}}, test_ops(), &sources);
    ASSERT_FALSE(module);
    EXPECT_EQ(render(module.error(), sources), "dir/b.nr:2:3: error: unknown variable `%y`\n      %y\n      ^~\n");
    module = parse(ParseInput{"dir/a.nr", "import \"c.nr\"", load, {}}, test_ops(), &sources);
    ASSERT_FALSE(module);
    EXPECT_EQ(module.error().code, Code::io);
    EXPECT_EQ(module.error().where, (Span{0, 1, 8, 6}));
}

static const char prelude_text[] = R"(
type List[a] = Nil | Cons(a, List[a])
type Option[a] = None | Some(a)
def @map(%f, %xs) { match (%xs) { Nil => Nil, Cons(%x, %rest) => Cons(%f(%x), map(%f, %rest)) } }
def @twice(%f) { compose(%f, %f) }
def @compose(%f, %g) { fn(%x) { %f(%g(%x)) } }
def @head(%xs) { match (%xs) { Nil => None, Cons(%x, _) => Some(%x) } }
)";
static Result<Module> with_prelude(std::string text) {
    return parse(ParseInput{"prog.nr", std::move(text), no_imports(), {SourceText{"prelude.nr", prelude_text}}}, test_ops());
}

TEST(Prelude, IsCalledByABareName) {
    Result<Module> module = with_prelude("def @f(%xs) { map(twice(exp), map(Some, %xs)) }\ndef @map(%x) { @map(%x) }");
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_TRUE(printed(*module).starts_with("prelude type List[a] = Nil | Cons(a, List[a])\n"));
    EXPECT_EQ(print(*module, module->find_id("map")), "def @map(%x) {\n  %0 = @map(%x)\n  %0\n}\n");
    EXPECT_NE(print(*module).find("prelude def @map(%f, %xs) {"), std::string::npos);
}

TEST(Prelude, OwnConstructorsHideItsOwnAndADumpQualifiesThem) {
    Result<Module> module = with_prelude("type Mine = Nil | Some\ntype Option = Other\n"
                                         "def @f(%x: List[f32], %y: Option) { match (%x) { List.Nil => Nil, Cons(%h, _) => Some } }\n"
                                         "def @g(%x) { head(map(exp, %x)) }");
    ASSERT_TRUE(module) << module.error().message;
    std::string text = printed(*module);
    EXPECT_NE(text.find("List.Nil => {\n      %0 = Nil\n"), std::string::npos) << text;
    EXPECT_NE(text.find("prelude type Option[a] = None | Some(a)"), std::string::npos) << text;
    // the prelude's code sees its own
    EXPECT_NE(text.find("prelude def @map(%f, %xs) {\n  %4 = match (%xs) {\n    List.Nil => {\n      %0 = List.Nil\n"),
              std::string::npos) << text;
}

TEST(Prelude, CopiesWithADotAreQualified) {
    Module module = *with_prelude("def @f(%xs) { (map(exp, %xs), compose) }\ndef @g(%x) { @g(%x) }");
    module.functions[2].name = "map.1";
    module.functions[3].name = "compose.2.1";
    module.functions[1].name = "g.1";
    std::string text = printed(module);
    EXPECT_NE(text.find("= prelude @map.1(%2, %xs)\n"), std::string::npos) << text;
    EXPECT_NE(text.find("= prelude @compose.2.1\n"), std::string::npos) << text;
    EXPECT_NE(text.find("= @g.1(%x)\n"), std::string::npos) << text;
}

TEST(Prelude, OnlyWhatIsNeededIsThere) {
    Result<Module> none = with_prelude("type List = Nil\ndef @map(%head: List) { @map(%head) }");
    ASSERT_TRUE(none) << none.error().message;
    EXPECT_EQ(print(*none).find("prelude"), std::string::npos) << print(*none);
    Result<Module> some = with_prelude("def @f(%x) { twice(%x) }");
    ASSERT_TRUE(some) << some.error().message;
    ASSERT_EQ(some->functions.size(), 3u);
    EXPECT_EQ(some->functions[2].name, "compose");
    EXPECT_TRUE(some->decls.empty());
}

TEST(Prelude, HintsNameWhatIsNotNeededYet) {
    Result<Module> module = with_prelude("def @f(%x) { compos(%x, %x) }");
    ASSERT_FALSE(module);
    EXPECT_EQ(module.error().hint, "did you mean `compose`?");
}

TEST(Prelude, ANameOfAnOperatorIsRefused) {
    Result<Module> module = parse(ParseInput{"p", "def @f() { exp(1.0) }", no_imports(), {SourceText{"prelude.nr", "def @exp(%x) { %x }"}}}, test_ops());
    ASSERT_FALSE(module);
    EXPECT_EQ(module.error().message, "the prelude's `@exp` has the name of an operator");
}

// Stages make modules that nobody wrote: symbols of one name, types that are not declared, constants of their own.
TEST(Print, SymbolsOfOneNameAreToldApart) {
    Module module = *parse("p", "def @f(%x: Tensor[(n, m), f32], %y: Tensor[(k), f32]) { (%x, %y) }", test_ops());
    Sym other = module.dims.new_symbol("n", SymKind::size), strange = module.dims.new_symbol("%i", SymKind::size);
    Sym word = module.dims.new_symbol("if", SymKind::size);
    Function& f = module.functions[0];
    Dim sum = module.dims.add(module.dims.of(other), module.dims.of(word));
    f[f.params[1]].type = module.types.tensor(Shape{{sum, module.dims.of(strange)}}, DType::f32);
    EXPECT_EQ(printed(module), "def @f(%x: Tensor[(n, m), f32], %y: Tensor[(if_1 + n_1, d_i), f32]) {\n"
                               "  %0 = (%x, %y)\n  %0\n}\n");
}

TEST(Print, WhatNothingDefinesIsDeclared) {
    Module module = *parse("p", "def @f(%x) { exp(%x) }", test_ops());
    Function& f = module.functions[0];
    Sym k = module.dims.new_symbol("k", SymKind::size);
    VarId t = module.add_var("t", VarKind::dtype), a = module.add_var("a", VarKind::type);
    f[f.params[0]].type = module.types.tensor(Shape{{module.dims.of(k)}}, Element{{}, t});
    f[f[f.body].results[0]].type = module.types.variable(a);
    EXPECT_EQ(printed(module), "def @f[t: dtype, a](%x: Tensor[(k), t]) {\n  %0: a = exp(%x)\n  %0\n}\n");
}

TEST(Print, TheOrderOfSymbolsDoesNotDependOnTheirAge) {
    std::string a = printed("def @f(%x: Tensor[(n), f32], %y: Tensor[(m), f32], %z: Tensor[(n + m, n*m, min(n, m)), f32]) { 1 }");
    std::string b = printed("def @f(%y: Tensor[(m), f32], %x: Tensor[(n), f32], %z: Tensor[(m + n, m*n, min(m, n)), f32]) { 1 }");
    EXPECT_EQ(a.substr(a.find("%z")), b.substr(b.find("%z")));
}

TEST(Print, SameModuleLooksThroughNames) {
    auto of = [](const char* text) { return *parse("p", text, test_ops()); };
    EXPECT_TRUE(same_module(of("def @f(%x) { %a = exp(%x); %a }"), of("def @f(%x) { exp(%x) }")));
    EXPECT_FALSE(same_module(of("def @f(%x) { exp(%x) }"), of("def @f(%y) { exp(%y) }")));
    EXPECT_FALSE(same_module(of("def @f(%x) { exp(%x) }"), of("def @f(%x) { tanh(%x) }")));
    EXPECT_FALSE(same_module(of("def @f(%x) { %x + 1 }"), of("def @f(%x) { %x + 1.0 }")));
}

TEST(Print, TypesForMessages) {
    Module module = *parse("p", "def @f(%x: (Tensor[(2*n, ..s), f32], fn(Ref[i64]) -> ())) { 1 }", test_ops());
    const Function& f = module.functions[0];
    EXPECT_EQ(to_string(module, f[f.params[0]].type), "(Tensor[(2*n, ..s), f32], fn(Ref[i64]) -> ())");
}
} // namespace nereus
