#include "cli/commands.h"
#include "driver/model.h"
#include "import/host_data.h"
#include "import/read_data.h"
#include "import/read_model.h"
#include "library/library.h"
#include "value/compare.h"
#include "vm/context.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace nereus {
namespace {
namespace fs = std::filesystem;
constexpr std::string_view help_text =
    "nereus check PATH...\n"
    "Runs models on recorded inputs and compares what they give. A path is a folder with model.onnx and test_data_set_N, or a\n"
    "folder of such folders. A line for each, then the count; exit 0 only if all passed.\n"
    "\n";

// Every folder below that has a model, by name.
std::vector<fs::path> folders_in(const fs::path& path) {
    std::vector<fs::path> found, inside;
    std::error_code failed;
    if (fs::exists(path / "model.onnx", failed)) return {path};
    for (const fs::directory_entry& entry : fs::directory_iterator(path, failed))
        if (entry.is_directory(failed)) inside.push_back(entry.path());
    std::sort(inside.begin(), inside.end());
    for (const fs::path& folder : inside) {
        std::vector<fs::path> below = folders_in(folder);
        found.insert(found.end(), below.begin(), below.end());
    }
    return found;
}

onnx::DataKind kind_of(const onnx::TypeInfo& type) {
    if (type.layers.empty()) return type.leaf == onnx::TypeInfo::Leaf::sparse_tensor ? onnx::DataKind::sparse_tensor : onnx::DataKind::tensor;
    switch (type.layers[0].kind) {
    case onnx::TypeLayer::Kind::sequence: return onnx::DataKind::sequence;
    case onnx::TypeLayer::Kind::optional: return onnx::DataKind::optional;
    case onnx::TypeLayer::Kind::map: return onnx::DataKind::map;
    }
    return onnx::DataKind::tensor;
}

// One folder: compiled first, its data opened after.
class ModelTest {
 public:
    Status compile_model(const fs::path& folder, const onnx::TextOptions& how, const CompileOptions& options) {
        file_ = TRY(onnx::read_model((folder / "model.onnx").string()));
        model_ = TRY(parse_model(*file_, how, (folder / "model.onnx").string()));
        Executable exe = TRY(compile(model_->module, options));
        loaded_ = TRY(LoadedExecutable::load(std::move(exe), library()));
        return {};
    }
    Status run(const fs::path& folder, const Tolerance& tolerance) {
        std::unique_ptr<Context> context = TRY(Context::make(loaded_));
        std::error_code failed;
        for (int set = 0;; ++set) {
            const fs::path data = folder / ("test_data_set_" + std::to_string(set));
            if (!fs::exists(data, failed)) return set > 0 ? Status() : Status(Error{Code::io, "it has no test data"});
            TRY(run_set(*context, data, tolerance));
        }
    }

 private:
    Result<std::vector<Value>> read(const fs::path& data, const std::string& stem, const std::vector<onnx::ValueInfo>& ports, const std::vector<std::string>& names) {
        std::vector<Value> values;
        for (size_t i = 0; i < names.size(); ++i) {
            auto port = std::find_if(ports.begin(), ports.end(), [&](const onnx::ValueInfo& p) { return p.name == names[i]; });
            onnx::DataFile file = TRY(onnx::read_data((data / (stem + std::to_string(i) + ".pb")).string(), kind_of(port->type)));
            values.push_back(TRY(onnx::value_of(file)));
        }
        return values;
    }
    Status run_set(Context& context, const fs::path& data, const Tolerance& tolerance) {
        const onnx::Graph& graph = file_->main();
        std::vector<Value> inputs = TRY(read(data, "input_", graph.inputs, model_->inputs));
        std::vector<Value> expected = TRY(read(data, "output_", graph.outputs, model_->outputs));
        Value found = TRY(context.run(loaded_->exe().entries[0], inputs));
        for (size_t i = 0; i < expected.size(); ++i) {
            const Value& one = expected.size() == 1 ? found : found.children()[i];
            if (std::optional<Difference> differs = compare(one, expected[i], tolerance))
                return Error{Code::value, "output '" + model_->outputs[i] + "'" + (differs->path.empty() ? "" : " at " + differs->path) + ": " + differs->what};
        }
        return {};
    }

    std::optional<onnx::ModelFile> file_;
    std::optional<ModelModule> model_;
    std::shared_ptr<const LoadedExecutable> loaded_;
};

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}
} // namespace

int check_command(Words words) {
    const FlagSpec flags[] = {{"symbolic", false, "every size of an input is a symbol of its own; all models are compiled before any data is opened"},
                              {"target", true, "CPU x86-64-v2, x86-64-v3, x86-64-v4 or host (host)"},
                              {"checked", false, "kernels assert that they stay inside their buffers"},
                              {"help", false, "this text"}};
    Result<Arguments> arguments = parse_arguments(words, flags);
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help")) return std::fputs((std::string(help_text) + flags_help(flags)).c_str(), stdout), 0;
    if (arguments->rest.empty()) return fail(Error{Code::usage, "expected folders with models", {}, "nereus check --help"});
    CompileOptions options = compile_options(*arguments);
    const onnx::TextOptions how{.symbolic = arguments->has("symbolic")};
    std::vector<fs::path> folders;
    for (const std::string& path : arguments->rest) {
        std::vector<fs::path> found = folders_in(path);
        if (found.empty()) return fail(Error{Code::io, "'" + path + "' has no folder with a model.onnx"});
        folders.insert(folders.end(), found.begin(), found.end());
    }
    std::vector<std::unique_ptr<ModelTest>> tests;
    std::vector<Status> compiled;
    auto compile_one = [&](const fs::path& folder) {
        tests.push_back(std::make_unique<ModelTest>());
        compiled.push_back(tests.back()->compile_model(folder, how, options));
    };
    if (how.symbolic) {
        for (const fs::path& folder : folders) compile_one(folder);
        std::printf("compiles=%zu\n", folders.size());
    }
    size_t passed = 0;
    for (size_t i = 0; i < folders.size(); ++i) {
        if (!how.symbolic) compile_one(folders[i]);
        Status done = std::move(compiled[i]);
        const bool runs = bool(done);
        if (done) done = tests[i]->run(folders[i], {.rtol = 1e-3, .atol = 1e-5});
        tests[i].reset();
        passed += bool(done);
        const std::string name = folders[i].filename().string();
        if (done) std::printf("ok      %s\n", name.c_str());
        else std::printf("FAILED  %s: %s%s\n", name.c_str(), runs ? "" : "not compiled: ", one_line(done.error().message).c_str());
        std::fflush(stdout);
    }
    std::printf("%zu passed, %zu failed\n", passed, folders.size() - passed);
    return passed == folders.size() ? 0 : 1;
}
} // namespace nereus
