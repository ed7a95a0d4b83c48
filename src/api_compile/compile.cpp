#include "driver/compile.h"
#include "exe/artefact.h"
#include "ops/registry.h"
#include "base/diagnostics.h"
#include "api/translate.h"
#include "nereus/compile.h"

namespace nereus::v1 {
namespace {
Error translate(nereus::Error error, std::span<const SourceText> sources) {
    if (!error.where.known() || size_t(error.where.source) >= sources.size())
        return api::translate(std::move(error));
    Place where{sources[size_t(error.where.source)].path, error.where.line, error.where.column};
    std::string text = render(error, sources);
    return {Code(error.code), std::move(error.message), std::move(where), std::move(error.hint),
            std::move(text)};
}

// The runtime gets the bytes of an artefact: the one form that both libraries know.
Result<Executable> compile_module(nereus::Result<Module> parsed, std::vector<SourceText> sources,
                                  const CompileOptions& options) {
    if (!parsed) return translate(std::move(parsed).error(), sources);
    sources = parsed->sources;
    std::string entry = options.entry.starts_with("@") ? options.entry.substr(1) : options.entry;
    nereus::Result<nereus::Executable> exe =
        nereus::compile(std::move(*parsed), {entry, options.target, options.checked});
    if (!exe) return translate(std::move(exe).error(), sources);
    nereus::Result<std::vector<std::byte>> bytes = nereus::save(*exe);
    if (!bytes) return api::translate(std::move(bytes).error());
    return Executable::from_bytes(*bytes);
}
} // namespace

Result<Executable> compile(std::string_view program, const CompileOptions& options) {
    try {
        std::vector<SourceText> sources;
        nereus::Result<Module> parsed = parse_text(options.name, std::string(program), &sources);
        return compile_module(std::move(parsed), std::move(sources), options);
    } catch (const std::bad_alloc&) { return api::out_of_memory(); }
}

Result<Executable> compile_file(const std::string& path, const CompileOptions& options) {
    try {
        std::vector<SourceText> sources;
        nereus::Result<Module> parsed = parse_program(path, &sources);
        return compile_module(std::move(parsed), std::move(sources), options);
    } catch (const std::bad_alloc&) { return api::out_of_memory(); }
}
} // namespace nereus::v1
