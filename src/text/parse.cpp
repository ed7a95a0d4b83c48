#include "text/parse.h"
#include "base/big_stack.h"
#include "ir/verify.h"
#include "text/lexer.h"
#include "text/parse_decl.h"
#include "text/prelude_items.h"
#include <filesystem>
#include <unordered_set>

namespace nereus {
namespace {
std::string beside(const std::string& importer, const std::string& path) {
    return (std::filesystem::path(importer).parent_path() / path).lexically_normal().string();
}

// Texts stay where they are: tokens refer to them.
struct Reader {
    std::deque<SourceText> texts;
    std::deque<SourceFile> files;
    std::unordered_set<std::string> loaded;
    ProgramNames program;
    Declarations declarations{program};

    Status add(std::string path, std::string text, std::vector<ImportItem>& imports) {
        texts.push_back(SourceText{std::move(path), std::move(text)});
        files.push_back(SourceFile{{}, false});
        files.back().tokens = TRY(lex(texts.back().text, int32_t(texts.size() - 1)));
        return declarations.collect(files.back(), imports);
    }

    // Each file once, in the order in which they are first named; cycles are no problem.
    Status add_all(ParseInput& input) {
        std::vector<ImportItem> imports;
        loaded.insert(std::filesystem::path(input.path).lexically_normal().string());
        TRY(add(input.path, std::move(input.text), imports));
        for (size_t i = 0; i < imports.size(); ++i) {
            ImportItem item = imports[i];
            std::string written = unescape(item.path);
            if (written.empty() || written[0] == '/' || written.find('\0') != std::string::npos)
                return Error{Code::parse, "the path of an import is relative to the file that imports it", item.span};
            std::string path = beside(texts[size_t(item.span.source)].path, written);
            if (!loaded.insert(path).second) continue;
            Result<std::string> text = input.load(path);
            if (!text) {
                Error error = std::move(text).error();
                error.where = item.span;
                return error;
            }
            TRY(add(path, std::move(text).take(), imports));
        }
        return add_prelude(input.prelude);
    }

    // A dump brings along what it needs of the prelude.
    Status add_prelude(std::vector<SourceText>& prelude) {
        if (!program.prelude.functions.empty() || !program.prelude.types.empty()) return {};
        NamesOfText named;
        for (const SourceFile& file : files) named.add(file.tokens);
        PreludeItems items;
        std::deque<std::vector<Token>> tokens;
        for (SourceText& each : prelude) {
            texts.push_back(std::move(each));
            tokens.push_back(TRY(lex(texts.back().text, int32_t(texts.size() - 1))));
            items.add(tokens.back());
        }
        program.prelude_functions = items.functions();
        program.prelude_types = items.types();
        program.prelude_constructors = items.constructors();
        std::vector<ImportItem> none;
        for (std::vector<Token>& needed : items.needed_by(named)) {
            files.push_back(SourceFile{std::move(needed), true});
            TRY(declarations.collect(files.back(), none));
        }
        return {};
    }

    // Few programs nest deep; those that may get a stack that is sure to hold them.
    Status run(ParseInput& input) {
        TRY(add_all(input));
        Status status;
        if (!may_be_deep()) return read();
        TRY(on_big_stack([&] { status = read(); }));
        return status;
    }

    bool may_be_deep() const {
        int unbracketed = 0; // fn() -> fn() -> …, for %i in for %j in …, else if … else if
        for (const SourceFile& file : files)
            for (const Token& token : file.tokens) {
                if (token.depth > 50) return true;
                unbracketed += Cursor::is(token, "fn") || Cursor::is(token, "for") || Cursor::is(token, "else");
            }
        return unbracketed > 50;
    }

    Status read() {
        TRY(declarations.resolve_types());
        TRY(declarations.resolve_signatures());
        for (FunctionItem& item : declarations.functions()) TRY(BodyParser(program, item).run());
        if (!program.has_generic_form) return {};
        Status sound = verify(program.module);
        if (sound) return {};
        Error error = std::move(sound).error();
        error.code = Code::parse;                        // not our mistake here, but the text's
        return error;
    }
};
} // namespace

Loader no_imports() {
    return [](const std::string& path) -> Result<std::string> {
        return Error{Code::io, "cannot read '" + path + "': imports are not allowed here"};
    };
}

Result<Module> parse(ParseInput input, const OpRegistry& ops, std::vector<SourceText>* out_sources) {
    Reader reader{
        .texts = {}, .files = {}, .loaded = {}, .program = {.module = {}, .ops = ops, .own = {}, .prelude = {}}};
    Status status = reader.run(input);
    std::vector<SourceText> sources(std::make_move_iterator(reader.texts.begin()),
                                    std::make_move_iterator(reader.texts.end()));
    if (out_sources) *out_sources = sources;
    if (!status) return std::move(status).error();
    reader.program.module.sources = std::move(sources);
    return std::move(reader.program.module);
}

Result<Module> parse(std::string path, std::string text, const OpRegistry& ops, Loader load) {
    return parse(ParseInput{std::move(path), std::move(text), std::move(load), {}}, ops);
}
} // namespace nereus
