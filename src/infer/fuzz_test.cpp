// Programs with a token changed: typed and shaped, or refused with a reason that is the program's. test/fuzz does the same
// with more time.
#include "infer/shapes.h"
#include "infer/specialise.h"
#include "infer/types.h"
#include "ir/op.h"
#include "ir/verify.h"
#include "ops/registry.h"
#include "base/diagnostics.h"
#include "text/lexer.h"
#include "text/parse.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

namespace nereus {
namespace {
bool holds(const Result<Module>& module, std::span<const SourceText> sources, const std::string& text) {
    if (!module) {
        EXPECT_NE(module.error().code, Code::internal) << module.error().message << "\n" << text;
        EXPECT_FALSE(render(module.error(), sources).empty());
        return false;
    }
    Status sound = verify(*module);
    EXPECT_TRUE(sound) << sound.error().message << "\n" << text;
    return true;
}

bool has_unexpanded(const Module& module) {              // the stages between are those of other rooms
    for (const Function& function : module.functions)
        for (const Binding& b : function.bindings)
            if (b.form == Form::op && (b.op->builtin == Builtin::grad || b.op->builtin == Builtin::leaves)) return true;
    return false;
}

// How far a program gets: 1 read, 2 typed, 3 a function shaped.
int infer_all(const std::string& text) {
    std::vector<SourceText> sources;
    Result<Module> module = parse(ParseInput{"prog.nr", text, no_imports(), {}}, all_ops(), &sources);
    if (!module) return 0;
    if (!holds(infer_types(*module), sources, text)) return 1;
    int reached = 2;
    for (size_t i = 0; i < module->functions.size() && i < 8; ++i) {
        Result<Module> copies = specialise(*module, FunctionId(i));
        if (!holds(copies, sources, text) || has_unexpanded(*copies)) continue;
        if (holds(infer_shapes(std::move(*copies), FunctionId(0), nullptr), sources, text)) reached = 3;
    }
    return reached;
}

std::string text_of(const std::filesystem::path& file) {
    std::stringstream stream;
    stream << std::ifstream(file).rdbuf();
    return stream.str();
}

std::string whole(const Token& token) {
    if (token.kind == TokenKind::text) return "\"" + std::string(token.text) + "\"";
    std::string sigil = token.kind == TokenKind::value ? "%" : token.kind == TokenKind::function ? "@" : "";
    return sigil + std::string(token.text);
}
} // namespace

// What libFuzzer found once: test/fuzz.
TEST(InferFuzz, Corpus) {
    int reached[4] = {};
    for (const auto& file : std::filesystem::directory_iterator(NEREUS_SOURCE_DIR "/test/corpus/programs")) ++reached[infer_all(text_of(file.path()))];
    EXPECT_GT(reached[1], 0);
}

TEST(InferFuzz, ChangedPrograms) {
    std::mt19937 random(4);
    int reached[4] = {};
    for (const auto& file : std::filesystem::directory_iterator(NEREUS_SOURCE_DIR "/test/programs")) {
        const std::string text = text_of(file.path());
        const std::vector<Token> tokens = *lex(text, 0);
        for (int round = 0; round < 3000; ++round) {
            std::string changed = text;
            size_t which = random() % (tokens.size() - 1), other = std::min(tokens.size() - 2, which + 1 + random() % 40);
            const Token &at = tokens[which], &by = tokens[other];    // near, so that names are known there
            const bool numbers = at.kind == TokenKind::integer || at.kind == TokenKind::real;
            if (at.kind == TokenKind::sign || at.text == by.text || (at.kind != by.kind && !numbers)) continue;
            const size_t sigil = whole(at).size() == at.text.size() ? 0 : 1;
            changed.replace(size_t(at.text.data() - text.data()) - sigil, whole(at).size(), whole(by));
            ++reached[infer_all(changed)];
            if (testing::Test::HasFailure()) return;
        }
    }
    EXPECT_GT(reached[1], 10);
    EXPECT_GT(reached[3], 50);
}
} // namespace nereus
