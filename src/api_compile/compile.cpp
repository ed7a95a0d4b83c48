// The compiler half of the C interface. The runtime gets the bytes of an artefact, the one form that both libraries know;
// weights stay where they are.
#include "nereus/compile.h"
#include "api/guard.h"
#include "base/diagnostics.h"
#include "driver/compile.h"
#include "driver/model.h"
#include "exe/artefact.h"
#include "import/read_model.h"
#include "plugin/plugin.h"
#include "tensor/text_tensor.h"
#include "value/value.h"
#include <mutex>

namespace nereus::api {
namespace {
template <auto release> struct Release {
    template <class T> void operator()(T* handle) const { release(handle); }
};
using OwnedExecutable = std::unique_ptr<nereus_executable, Release<nereus_executable_release>>;
using OwnedContext = std::unique_ptr<nereus_context, Release<nereus_context_release>>;
using OwnedValue = std::unique_ptr<nereus_value, Release<nereus_value_release>>;
using OwnedStatus = std::unique_ptr<nereus_status, Release<nereus_status_release>>;

// A program, and of a model the names of its ports.
struct Source {
    std::vector<SourceText> sources = {};
    std::optional<ModelModule> model = {};
    std::string path = {};                               // of the model
    std::string whole = {};                              // the file that an error without a place is about
};

Result<Value> copy_of(const nereus_value* value) {
    const Error failed{Code::internal, "@init gave what is no tensor"};
    if (nereus_value_kind(value) == NEREUS_TUPLE) {
        std::vector<Value> parts;
        for (size_t i = 0; i < nereus_value_size(value); ++i) {
            const nereus_value* part = nullptr;
            if (OwnedStatus status(nereus_value_part(value, i, &part)); status) return failed;
            parts.push_back(TRY(copy_of(part)));
        }
        return Value::tuple(std::move(parts));
    }
    nereus_tensor tensor{};
    tensor.struct_size = sizeof tensor;
    if (OwnedStatus status(nereus_value_tensor(value, &tensor)); status) return failed;
    const Extents shape(tensor.extents, tensor.extents + tensor.rank);
    if (DType(tensor.dtype) == DType::str) {             // each of the two libraries has a table of texts
        std::vector<std::string_view> texts;
        for (size_t i = 0; i < tensor.count; ++i) {
            const char* text = nullptr;
            size_t bytes = 0;
            if (OwnedStatus status(nereus_value_text(value, i, &text, &bytes)); status) return failed;
            texts.emplace_back(text, bytes);
        }
        return Value::tensor(TRY(text_tensor(shape, texts)));
    }
    std::span<const std::byte> elements(static_cast<const std::byte*>(tensor.data), tensor.bytes);
    return Value::tensor(TRY(HostTensor::copy_of(DType(tensor.dtype), shape, elements)));
}

// Where it fails, the copies of HeldBytes that it made are its own to free.
nereus_status* hand_over(const Executable& exe, nereus_executable** out_executable) {
    Result<std::vector<std::byte>> bytes = save_without_weights(exe);
    if (!bytes) return status_of(bytes.error());
    std::vector<std::unique_ptr<HeldBytes>> held;
    std::vector<nereus_constant> constants;
    for (const HeldBytes& weight : exe.weights) {
        held.push_back(std::make_unique<HeldBytes>(weight));
        auto let_go = [](void* user) { std::unique_ptr<HeldBytes> last(static_cast<HeldBytes*>(user)); };
        constants.push_back({weight.data(), weight.size(), let_go, held.back().get()});
    }
    nereus_status* status = nereus_executable_load_parts(bytes->data(), bytes->size(), constants.data(), constants.size(), out_executable);
    if (!status)
        for (std::unique_ptr<HeldBytes>& each : held) (void)each.release();      // the executable's now
    return status;
}

// @init of the program at hand, run by the other library. Where it fails does not matter: it is left in the program then.
Result<Value> run_init(Executable exe) {
    const Error failed{Code::internal, "@init did not run"};
    nereus_executable* loaded = nullptr;
    if (OwnedStatus status(hand_over(exe, &loaded)); status) return failed;
    OwnedExecutable executable(loaded);
    nereus_context* made = nullptr;
    if (OwnedStatus status(nereus_context_create(loaded, nullptr, &made)); status) return failed;
    OwnedContext context(made);
    nereus_value* result = nullptr;
    if (OwnedStatus status(nereus_context_call(made, nullptr, nullptr, 0, &result)); status) return failed;
    OwnedValue owned(result);
    return copy_of(result);
}

Result<Module> read_module(const std::string& path, const nereus_compile_options& options, Source& out) {
    if (!path.ends_with(".onnx")) return parse_program(path, &out.sources);
    out.path = path;
    const onnx::ModelFile file = TRY(onnx::read_model(path));
    Result<ModelModule> parsed = parse_model(file, {.apart = options.names_apart != 0}, path, &out.sources);
    if (!parsed) out.whole = path;
    out.model = TRY(std::move(parsed));
    return std::move(out.model->module);
}

Result<Executable> compile_module(Module module, const Source& source, const nereus_compile_options& options) {
    std::string_view entry = options.entry ? options.entry : "main";
    if (entry.starts_with("@")) entry.remove_prefix(1);
    CompileReport report;
    Executable exe = TRY(compile(std::move(module), {std::string(entry), options.target ? options.target : "host", options.checked != 0, {}, run_init}, &report));
    if (source.model) name_ports(exe, source.model->inputs, source.model->outputs);
    auto log = [&](const std::string& text) {
        if (options.log) options.log(options.log_user, NEREUS_LOG_WARNING, text.c_str(), text.size());
    };
    if (source.model)
        for (const onnx::ModelNote& note : source.model->notes) log(source.path + ": note: " + note.text());
    if (options.log)
        for (const Error& warning : report.shapes.warnings) {
            std::string text = render(warning, source.sources, "warning");
            if (text.ends_with("\n")) text.pop_back();
            log(text);
        }
    return exe;
}

// Operators are registered with the runtime; this library has a table of its own.
Status know_plugins() {
    static std::mutex mutex;
    std::scoped_lock lock(mutex);
    for (size_t i = plugin_ops().size();; ++i) {
        const nereus_plugin_op* op = nereus_registered_op(i);
        if (!op) return {};
        TRY(add_plugin_op(*op));
    }
}

// `read` fills in the source and gives its module.
template <class Read> nereus_status* compiled(const nereus_compile_options* given_options, nereus_executable** out_executable, Read&& read) {
    Source source;
    try {
        auto work = [&]() -> Result<Executable> {
            TRY(given(out_executable, "out_executable"));
            const nereus_compile_options options = TRY(options_of(given_options));
            TRY(know_plugins());
            Module module = TRY(read(options, source));
            source.sources = module.sources;
            return compile_module(std::move(module), source, options);
        };
        Result<Executable> exe = work();
        return exe ? hand_over(*exe, out_executable) : status_of(exe.error(), source.sources, source.whole);
    } catch (const std::bad_alloc&) {
        return out_of_memory();
    } catch (const std::length_error&) {
        return out_of_memory();
    }
}
} // namespace
} // namespace nereus::api

using namespace nereus;
using namespace nereus::api;

extern "C" {
nereus_status* nereus_executable_compile(const char* text, size_t size, const nereus_compile_options* given_options, nereus_executable** out_executable) {
    return compiled(given_options, out_executable, [&](const nereus_compile_options& options, Source& out) -> Result<Module> {
        TRY(given(text, "text"));
        return parse_text(options.name ? options.name : "program.nr", std::string(text, size), &out.sources);
    });
}
nereus_status* nereus_executable_compile_file(const char* path, const nereus_compile_options* given_options, nereus_executable** out_executable) {
    return compiled(given_options, out_executable, [&](const nereus_compile_options& options, Source& out) -> Result<Module> {
        TRY(given(path, "path"));
        return read_module(path, options, out);
    });
}
} // extern "C"
