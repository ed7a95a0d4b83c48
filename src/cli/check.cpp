#include "cli/commands.h"
#include "cli/model_cases.h"
#include "driver/model.h"
#include "import/read_model.h"
#include "library/library.h"
#include "vm/context.h"
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>

namespace nereus {
namespace {
namespace fs = std::filesystem;
constexpr std::string_view help_text =
    "nereus check PATH...\n"
    "Runs models on recorded inputs and compares what they give. A path is a folder with model.onnx and test_data_set_N or\n"
    "cases (with check.json), or a folder of such folders. A line for each, then the count; exit 0 only if all passed.\n"
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
    // Every case; gives how many were right as vectors only.
    Result<size_t> run(const fs::path& folder, const std::function<void(Nearness&)>& adjust) {
        const ModelCases cases = TRY(ModelCases::open(folder));
        Nearness near = cases.near();
        adjust(near);
        std::unique_ptr<Context> context = TRY(Context::make(loaded_));
        size_t by_l2 = 0;
        for (const fs::path& one : cases.folders()) {
            ModelCase data = TRY(cases.read(one, file_->main(), model_->inputs, model_->outputs));
            Result<Value> found = context->run(loaded_->exe().entries[0], data.inputs);
            const std::string where = cases.folders().size() > 1 ? one.filename().string() + ": " : "";
            if (!found) return Error{found.error().code, where + found.error().message};
            std::vector<Value> all = {*found};
            if (data.expected.size() != 1) all.assign(found->children().begin(), found->children().end());
            const Verdict verdict = judge(all, data.expected, model_->outputs, near);
            if (verdict.difference) return Error{Code::value, where + verdict.difference->path + ": " + verdict.difference->what};
            by_l2 += verdict.by_l2;
        }
        return by_l2;
    }

 private:
    std::optional<onnx::ModelFile> file_;
    std::optional<ModelModule> model_;
    std::shared_ptr<const LoadedExecutable> loaded_;
};

std::optional<double> tolerance_in(std::string_view text) {
    double value = 0;
    const std::from_chars_result end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size() || !(value >= 0)) return std::nullopt;
    return value;
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}
} // namespace

int check_command(Words words) {
    const FlagSpec flags[] = {{"symbolic", false, "every size of an input is a symbol of its own; all models are compiled before any data is opened"},
                              {"rtol", true, "R floats differ by at most A + R * |expected|, unless check.json says otherwise (1e-3)"},
                              {"atol", true, "A (1e-5)"},
                              {"target", true, "CPU x86-64-v2, x86-64-v3, x86-64-v4 or host (host)"},
                              {"checked", false, "kernels assert that they stay inside their buffers"},
                              {"help", false, "this text"}};
    Result<Arguments> arguments = parse_arguments(words, flags);
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help")) return std::fputs((std::string(help_text) + flags_help(flags)).c_str(), stdout), 0;
    if (arguments->rest.empty()) return fail(Error{Code::usage, "expected folders with models", {}, "nereus check --help"});
    CompileOptions options = compile_options(*arguments);
    const onnx::TextOptions how{.symbolic = arguments->has("symbolic")};
    std::optional<double> rtol, atol;
    for (auto [flag, value] : {std::pair("rtol", &rtol), std::pair("atol", &atol)})
        if (arguments->has(flag)) {
            *value = tolerance_in(arguments->value(flag));
            if (!*value) return fail(Error{Code::usage, "--" + std::string(flag) + " takes a number from 0 on, found '" + std::string(arguments->value(flag)) + "'", {}, "nereus check --help"});
        }
    auto adjust = [&](Nearness& near) {
        near.tolerance.rtol = rtol.value_or(near.tolerance.rtol);
        near.tolerance.atol = atol.value_or(near.tolerance.atol);
    };
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
    size_t passed = 0, by_l2 = 0;
    for (size_t i = 0; i < folders.size(); ++i) {
        if (!how.symbolic) compile_one(folders[i]);
        const std::string name = folders[i].filename().string();
        Result<size_t> done = compiled[i] ? tests[i]->run(folders[i], adjust) : Result<size_t>(compiled[i].error());
        tests[i].reset();
        passed += bool(done);
        by_l2 += done && *done > 0;
        if (!done) std::printf("FAILED  %s: %s%s\n", name.c_str(), compiled[i] ? "" : "not compiled: ", one_line(done.error().message).c_str());
        else if (*done > 0) std::printf("ok (l2) %s: %zu cases are right as vectors only\n", name.c_str(), *done);
        else std::printf("ok      %s\n", name.c_str());
        std::fflush(stdout);
    }
    if (by_l2 > 0) std::printf("%zu of those that passed did by l2 alone\n", by_l2);
    std::printf("%zu passed, %zu failed\n", passed, folders.size() - passed);
    return passed == folders.size() ? 0 : 1;
}
} // namespace nereus
