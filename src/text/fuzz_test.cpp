// Hostile text: whatever is read ends in a module that verifies and reads back, or in one error with a place.
#include "text/testing.h"
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace nereus {
namespace {
const std::string seed_program = R"(
type Tree[a] = Leaf(a) | Node(Tree[a], Tree[a])
type Box = Two[n, m](Tensor[(n), f32], Tensor[(n, m), i64]) | Nothing
type R[d: dim, t: dtype, ..s] = {w: Tensor[(5*d, ..s), t], b: Tensor[(d), f32]}
def @f[n: dim](%x: Tensor[(n, m), f32], %t: Tree[f32], %p: R[n, f32, (2)]) -> (Tensor[(new k), f32], f32) where n > 0, m <= 2*n {
  %two = 2; %k = n * %two - min(n, 3)
  (%a, (_, {w = %w})) = @g(%x, [%k, 2, n])
  Two[q, r](%u, _) = %p.w.0
  %s = for %i in n, (%s1 = 0, %s2 = %x) { yield %i * q; (%s1 + 1, %s2[0, 1:n, :]) }
  %v: Tensor[(n), f32] = if (%a[0] > 1 && !%w || true) { max(%x, axes=[0], keepdims=true) } else { %x }
  %z = match (%t) { Leaf(%l) if %l > 2 => {a = %l}, Node(%l, Leaf(_)) => { print("n\n", %l); %l }, _ => {%p with w = %v} }
  %h = while (%j: i64 = 0) (%j < 10) { %j + 1 }
  check(n == m)
  %b {new late y}: Tensor[(y), f32] = exp(%x)
  %c, %d = kernel.region([%x]; tile=4) {(%pp: f32)
    => %pp
  } : f32, f32
  (fn(%e) { reshape(%e, [-1, %k]) }(%x), tensor([[1.0, 2], [3, -4]]), grad(@g, wrt=[0]), Leaf, add)
}
def @g(%x, %y) with vjp = (@g, @g) { -%x.0.1 + 1e-3 // 2 }
)";

// Everything that must hold of any text at all.
void read(const std::string& text) {
    std::vector<SourceText> sources;
    Result<Module> module = parse(ParseInput{"prog.nr", text, no_imports(), {}}, test_ops(), &sources);
    if (!module) {
        const Error& error = module.error();
        EXPECT_TRUE(error.where.known() && error.where.line > 0 && error.where.column > 0) << error.message << "\n" << text;
        EXPECT_NE(error.code, Code::internal) << error.message << "\n" << text;
        EXPECT_FALSE(render(error, sources).empty());
        return;
    }
    Status sound = verify(*module);
    ASSERT_TRUE(sound) << sound.error().message << "\n" << text;
    for (bool generic : {false, true}) {
        PrintOptions options{.generic = generic};
        std::string once = print(*module, options);
        Result<Module> again = parse("printed", once, test_ops());
        ASSERT_TRUE(again) << again.error().message << " at line " << again.error().where.line << "\n" << once << "\nof\n" << text;
        ASSERT_EQ(print(*again, options), once) << text;
        ASSERT_TRUE(same_module(*module, *again)) << once << "\nof\n" << text;
    }
}

std::vector<std::string> pieces() {
    std::vector<std::string> out = {"%x", "%y", "%0", "@f", "@g", "n", "m", "k", "f32", "i64", "Leaf", "Node", "Tree", "Tensor",
                                    "add", "exp", "max", "reshape", "concat", "tensor", "1", "2.0", "\"s\"", "\n", " ", ";",
                                    "%x = ", "new k", "..s", "?", "?1", "axis=", "mem.alloc", "ir.if", "ir.match", "case "};
    for (const char* sign : {"->", "=>", "==", "!=", "<=", ">=", "&&", "||", "//", "..", "(", ")", "[", "]", "{", "}", ",",
                             ":", ".", "=", "+", "-", "*", "/", "<", ">", "!", "|", "_", "#"})
        out.push_back(sign);
    for (const char* word : {"def ", "else ", "false", "fn", "for ", "if ", "import ", "in ", "match ", "new ", "true", "type ",
                             "where ", "while ", "with ", "yield "})
        out.push_back(word);
    return out;
}
} // namespace

TEST(Fuzz, TheSeedIsAProgram) {
    std::string text = printed(seed_program);
    EXPECT_TRUE(text.starts_with("type Tree")) << text;
}

TEST(Fuzz, RandomTokens) {
    std::mt19937 random(1);
    std::vector<std::string> words = pieces();
    for (int round = 0; round < 6000; ++round) {
        std::string text = random() % 2 ? "def @f(%x, %y: Tensor[(n), f32]) {" : "";
        bool closed = !text.empty() && random() % 2;
        for (unsigned i = random() % 25; i > 0; --i) text += words[random() % words.size()] + (random() % 2 ? " " : "");
        read(closed ? text + "}" : text);
        if (HasFatalFailure()) return;
    }
}

TEST(Fuzz, MutatedPrograms) {
    std::mt19937 random(2);
    std::vector<std::string> words = pieces();
    std::string generic = print(*parse("p", seed_program, test_ops()), {.generic = true});
    for (int round = 0; round < 6000; ++round) {
        std::string text = round % 3 ? seed_program : generic;
        for (unsigned i = 1 + random() % 3; i > 0; --i) {
            size_t at = random() % text.size(), length = std::min<size_t>(random() % 12, text.size() - at);
            switch (random() % 4) {
            case 0: text.erase(at, length); break;
            case 1: text.insert(at, words[random() % words.size()]); break;
            case 2: text[at] = char(random() % 256); break;
            default: text.insert(at, text.substr(random() % text.size(), random() % 30)); break;
            }
        }
        read(text);
        if (HasFatalFailure()) return;
    }
}

// What libFuzzer found once, and what it begins with: test/fuzz.
TEST(Fuzz, Corpus) {
    int files = 0;
    for (const auto& file : std::filesystem::directory_iterator(NEREUS_SOURCE_DIR "/test/corpus/programs")) {
        std::stringstream text;
        text << std::ifstream(file.path()).rdbuf();
        read(text.str());
        ++files;
    }
    EXPECT_GT(files, 0);
}

TEST(Fuzz, EveryPrefix) {
    for (size_t i = 0; i < seed_program.size(); ++i) {
        read(seed_program.substr(0, i));
        if (HasFatalFailure()) return;
    }
}
} // namespace nereus
