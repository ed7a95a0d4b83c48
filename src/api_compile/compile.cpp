#include "driver/compile.h"
#include "exe/artefact.h"
#include "ops/registry.h"
#include "base/diagnostics.h"
#include "api/translate.h"
#include "value/value.h"
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

template <class T> struct Outside { using Type = T; };
template <> struct Outside<nereus::F16> { using Type = F16; };
template <> struct Outside<nereus::BF16> { using Type = BF16; };
template <nereus::DType t> struct Outside<nereus::Stored<t>> { using Type = Stored<DType(t)>; };

nereus::Result<nereus::Value> inside(const Value& value) {
    if (value.kind() == Value::Kind::tuple) {
        std::vector<nereus::Value> parts;
        for (size_t i = 0; i < value.size(); ++i) parts.push_back(TRY(inside(value[i])));
        return nereus::Value::tuple(std::move(parts));
    }
    return with_type(nereus::DType(value.dtype()), [&](auto zero) -> nereus::Result<nereus::Value> {
        using T = decltype(zero);
        HostTensor tensor = TRY(HostTensor::make(nereus::dtype_of<T>, Extents(value.shape().begin(), value.shape().end())));
        std::span<const std::byte> bytes = std::as_bytes(value.data<typename Outside<T>::Type>());
        std::copy(bytes.begin(), bytes.end(), TRY(tensor.mutable_bytes()));
        return nereus::Value::tensor(std::move(tensor));
    });
}

// The runtime gets the bytes of an artefact, the one form that both libraries know; weights stay where they are.
Result<Executable> handed_over(const nereus::Executable& exe) {
    nereus::Result<std::vector<std::byte>> bytes = save_without_weights(exe);
    if (!bytes) return api::translate(std::move(bytes).error());
    std::vector<Constant> constants;
    for (const HeldBytes& weight : exe.weights)
        constants.push_back({weight.bytes(), std::make_shared<const HeldBytes>(weight)});
    return Executable::from_parts(*bytes, constants);
}

// @init of the program at hand. Where it fails does not matter: it is left in the program then.
nereus::Result<nereus::Value> run_init(nereus::Executable exe) {
    const nereus::Error failed{nereus::Code::internal, "@init did not run"};
    Result<Executable> loaded = handed_over(exe);
    if (!loaded) return failed;
    Result<Context> context = Context::make(*loaded);
    if (!context) return failed;
    Result<Value> value = context->call(std::span<const Value>());
    if (!value) return failed;
    return inside(*value);
}

Result<Executable> compile_module(nereus::Result<Module> parsed, std::vector<SourceText> sources,
                                  const CompileOptions& options) {
    if (!parsed) return translate(std::move(parsed).error(), sources);
    sources = parsed->sources;
    std::string entry = options.entry.starts_with("@") ? options.entry.substr(1) : options.entry;
    nereus::Result<nereus::Executable> exe =
        nereus::compile(std::move(*parsed), {entry, options.target, options.checked, {}, run_init});
    if (!exe) return translate(std::move(exe).error(), sources);
    return handed_over(*exe);
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
