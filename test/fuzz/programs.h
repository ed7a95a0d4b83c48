// test/fuzz/programs.h - what the fuzzers of programs share: the whole language, and what must hold of any text at all.
#pragma once
#include "ir/verify.h"
#include "ops/registry.h"
#include "base/diagnostics.h"
#include "text/parse.h"
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace nereus {
[[noreturn]] inline void wrong(const std::string& what, const std::string& text) {
    std::fprintf(stderr, "%s\n%s\n", what.c_str(), text.c_str());
    std::abort();
}

inline const std::vector<SourceText>& prelude_texts() {
    static const std::vector<SourceText> texts = [] {
        std::vector<SourceText> read;
        for (const auto& file : std::filesystem::directory_iterator(NEREUS_SOURCE_DIR "/prelude")) {
            std::stringstream text;
            text << std::ifstream(file.path()).rdbuf();
            read.push_back({file.path().string(), text.str()});
        }
        return read;
    }();
    return texts;
}

// An error is the text's, never ours, and can be shown.
inline void refuse(const Error& error, std::span<const SourceText> sources, const std::string& text) {
    if (error.code == Code::internal) wrong("an error of ours: " + error.message, text);
    if (render(error, sources).empty()) wrong("an error that shows nothing", text);
}

inline std::optional<Module> read_program(const std::string& text) {
    std::vector<SourceText> sources;
    Result<Module> module = parse(ParseInput{"fuzz.nr", text, no_imports(), prelude_texts()}, all_ops(), &sources);
    if (!module) {
        if (!module.error().where.known()) wrong("an error without a place: " + module.error().message, text);
        refuse(module.error(), sources, text);
        return std::nullopt;
    }
    if (Status sound = verify(*module); !sound) wrong("a malformed module: " + sound.error().message, text);
    return std::move(*module);
}
} // namespace nereus
