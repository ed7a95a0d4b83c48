#include "cli/commands.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "base/suggest.h"
#include "cli/program_file.h"
#include "driver/pipeline.h"
#include "import/read_model.h"
#include "library/library.h"
#include "vm/run_once.h"
#include <algorithm>
#include <cstdio>

namespace nereus {
const FlagSpec compile_flags[5] = {
    {"entry", true, "NAME the function to compile (main)"},
    {"target", true, "CPU x86-64-v2, x86-64-v3, x86-64-v4 or host (host)"},
    {"checked", false, "kernels assert that they stay inside their buffers"},
    {"without", true, "PASS an optimisation that is left out; may be given several times"},
    {"names", true, "apart: of a model, sizes of one name may differ"},
};

std::string describe(const Error& error, std::span<const SourceText> sources) {
    return sources.empty() || !error.where.known() ? plain_error(error) : render(error, sources);
}
int fail(const Error& error, std::span<const SourceText> sources) {
    std::fputs(describe(error, sources).c_str(), stderr);
    return exit_code(error);
}
void warn(const CompileReport& report, std::span<const SourceText> sources) {
    for (const Error& warning : report.shapes.warnings) {
        const bool of_model = std::ranges::any_of(sources, is_of_model);     // whose owner did not write the text; dump has them
        if (!of_model) std::fputs(render(warning, sources, "warning").c_str(), stderr);
    }
}

namespace {
// `path`: as it was named.
Result<Module> load_model(const std::string& from, const std::string& path, const onnx::TextOptions& how,
                          SourceProgram& out) {
    out.file = TRY(onnx::read_model(from));
    Result<ModelModule> parsed = parse_model(*out.file, how, path, &out.sources);
    if (!parsed) {
        Error error = std::move(parsed).error();
        if (!error.where.known()) error.message = path + ": " + error.message;       // the text that it became tells its own places
        return error;
    }
    ModelModule& model = *parsed;
    const Function& main = model.module[model.module.find_id("main")];
    for (size_t i = 0; i < model.inputs.size(); ++i) out.parameters[model.inputs[i]] = main[main.params[i]].name;
    for (const auto& [name, symbol] : model.dims) out.symbols[name] = symbol;
    out.inputs = std::move(model.inputs), out.outputs = std::move(model.outputs), out.nodes = std::move(model.nodes);
    out.counted = std::move(model.counted), out.notes = std::move(model.notes);
    return std::move(model.module);
}
} // namespace

// The text without what TextOptions::numbered puts behind its lines: errors show it.
static std::string without_numbers(std::string_view text) {
    std::string out;
    for (size_t end; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
        end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        const size_t mark = line.rfind("  #");
        if (mark != line.npos && mark + 3 < end && line.find_first_not_of("0123456789", mark + 3) == line.npos) line = line.substr(0, mark);
        out.append(line) += '\n';
    }
    return out;
}

Status read_program(const std::string& path, const onnx::TextOptions& how, SourceProgram& out) {
    if (path.ends_with(".nrx")) return Error{Code::usage, "'" + path + "' is a compiled program, expected one in source", {}, "run it with nereus-run " + path};
    const ProgramFile file = TRY(program_file(path));
    if (file.is_model) out.module = TRY(load_model(file.path, path, how, out));
    else if (file.path == path) out.module = TRY(parse_program(path, &out.sources));
    else
        out.module = TRY(
            parse_text(path, TRY(read_file(file.path)), &out.sources)); // of a stream: it has no folder to import from
    out.sources = out.module.sources;
    if (how.numbered)
        for (SourceText& source : out.sources) source.text = without_numbers(source.text);
    return {};
}
std::optional<SourceProgram> load_program(const std::string& path, int* out_exit, const onnx::TextOptions& how) {
    SourceProgram program;
    if (Status read = read_program(path, how, program); !read) {
        *out_exit = fail(read.error(), program.sources);
        return std::nullopt;
    }
    for (const onnx::ModelNote& note : program.notes) std::fputs((path + ": note: " + note.text() + "\n").c_str(), stderr);
    return program;
}

CompileOptions compile_options(const Arguments& arguments) {
    CompileOptions options;
    options.entry = arguments.value("entry", "main");
    if (options.entry.starts_with("@")) options.entry.erase(0, 1);
    options.target = arguments.value("target", "host");
    options.checked = arguments.has("checked");
    options.without = arguments.values("without");
    options.run_init = [](Executable exe) { return run_once(std::move(exe), library()); };
    return options;
}

bool is_stage(std::string_view name) {
    return name == "parse" || std::ranges::any_of(pipeline(), [&](const Stage& stage) { return stage.name == name; });
}

Error no_such_stage(std::string_view name) {
    std::vector<std::string_view> names = {"parse", "types", "kernels", "code"};
    for (const Stage& stage : pipeline()) names.push_back(stage.name);
    Error error{Code::usage, "there is no stage '" + std::string(name) + "'", {}, did_you_mean("", name, names)};
    if (error.hint.empty()) error.hint = "nereus dump --help lists them";
    return error;
}

std::string times_text(const CompileReport& report) {
    std::string text = "stage                    ms  MB so far     bindings\n";
    char line[120];
    double all = 0;
    for (const StageTime& stage : report.stages) {
        std::snprintf(line, sizeof line, "%-18s %8.2f %10.1f", stage.name.c_str(), stage.milliseconds, double(stage.most_resident) * 1e-6);
        text += line;
        if (stage.before + stage.after > 0) {
            std::snprintf(line, sizeof line, " %8lld -> %lld", static_cast<long long>(stage.before), static_cast<long long>(stage.after));
            text += line;
        }
        text += "\n";
        all += stage.milliseconds;
    }
    std::snprintf(line, sizeof line, "%-18s %8.2f\n", "all", all);
    return text + line;
}
} // namespace nereus
