#include "cli/recorded_check.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "cli/child_process.h"
#include "cli/names_apart.h"
#include "cli/program_file.h"
#include "cli/strict.h"
#include "exe/artefact.h"
#include "exe/source_texts.h"
#include "import/read_model.h"
#include "library/library.h"
#include "value/npz.h"
#include <algorithm>
#include <cstdlib>

namespace nereus {
namespace fs = std::filesystem;

std::string ModelPlace::name() const { return (folder.empty() ? file.stem() : folder.filename()).string(); }

namespace {
std::vector<ModelPlace> below(const fs::path& path) {
    std::vector<fs::path> inside;
    std::vector<ModelPlace> found;
    std::error_code failed;
    if (fs::is_regular_file(path, failed) && is_model(path.string())) return {{path, {}}};
    if (fs::exists(path / "model.onnx", failed)) return {{path / "model.onnx", path}};
    for (const fs::directory_entry& entry : fs::directory_iterator(path, failed))
        if (entry.is_directory(failed) && !entry.path().filename().string().starts_with(".")) inside.push_back(entry.path());
    std::sort(inside.begin(), inside.end());
    for (const fs::path& folder : inside) {
        std::vector<ModelPlace> more = below(folder);
        found.insert(found.end(), more.begin(), more.end());
    }
    return found;
}
} // namespace

Result<std::vector<ModelPlace>> models_in(const std::vector<std::string>& paths) {
    std::vector<ModelPlace> all;
    for (const std::string& path : paths) {
        std::vector<ModelPlace> found = below(path);
        if (found.empty()) return Error{Code::io, "'" + path + "' has no folder with a model.onnx"};
        all.insert(all.end(), found.begin(), found.end());
    }
    return all;
}

Result<ScratchFolder> ScratchFolder::make() {
    std::error_code failed;
    std::string path = (fs::temp_directory_path(failed) / "nereus-XXXXXX").string();
    if (failed || !::mkdtemp(path.data())) return Error{Code::io, "cannot make a folder for temporary files"};
    return ScratchFolder(path);
}
ScratchFolder::~ScratchFolder() {
    std::error_code failed;
    if (!path_.empty()) fs::remove_all(path_, failed);
}

Status RecordedCheck::compile_model(const ModelPlace& place, const HowToCompile& how) {
    std::vector<SourceText> sources;
    Status made = compile_model(place, how, sources);
    if (made) return {};
    Error error = std::move(made).error();
    error.message = message_with_node(error, sources);
    return error;
}
Status RecordedCheck::compile_model(const ModelPlace& place, const HowToCompile& how, std::vector<SourceText>& sources) {
    how_ = how;
    file_ = TRY(onnx::read_model(place.file.string()));
    onnx::TextOptions text = how.text;
    if (Result<ModelCases> cases = ModelCases::open(place.folder)) text.given = cases->replaced(file_->main());
    if (how.strict) TRY(strict_status(place.file.string(), how.options, text, sources));
    ModelModule model = TRY(parse_model(*file_, text, place.file.string(), &sources));
    inputs_ = std::move(model.inputs), outputs_ = std::move(model.outputs);
    loaded_ = TRY(LoadedExecutable::load(TRY(compile(std::move(model.module), how.options)), library()));
    return {};
}

// Sizes of one name that differ in a case: the model is compiled again, with names that are hints.
Result<bool> RecordedCheck::allow_names_to_differ(const ModelPlace& place, std::span<const Value> inputs) {
    if (how_->text.apart || how_->text.symbolic || how_->text.unranked) return false;
    const std::optional<std::string> differ = names_differ(*file_, inputs_, inputs);
    if (!differ) return false;
    note_ = compiled_apart(*differ);
    HowToCompile how = *how_;
    how.text.apart = true;
    TRY(compile_model(place, how));
    return true;
}
Status RecordedCheck::set_aside(const fs::path& file) {
    constexpr size_t small = 1 << 20;                  // most models are, and are quicker kept
    const std::vector<std::byte> bytes = TRY(save(loaded_->exe()));
    if (bytes.size() < small) return {};
    TRY(write_file(file.string(), bytes));
    loaded_.reset();
    aside_ = file;
    return {};
}
Status RecordedCheck::take_up() {
    if (aside_.empty()) return {};
    const std::string bytes = TRY(read_file(aside_.string()));
    std::error_code failed;
    fs::remove(aside_, failed);
    loaded_ = TRY(LoadedExecutable::load(TRY(load(std::as_bytes(std::span(bytes)))), library()));
    return {};
}

Result<Value> RecordedCheck::run_apart(const fs::path& runner, const fs::path& scratch, std::span<const Value> args) const {
    const std::string program = (scratch / "model.nrx").string(), in = (scratch / "in.npz").string(), out = (scratch / "out.npz").string(), said = (scratch / "said.txt").string();
    std::vector<Field> fields;
    for (size_t i = 0; i < args.size(); ++i) fields.push_back({loaded_->exe().entries[0].params[i].name, args[i]});
    std::error_code failed;
    fs::remove(out, failed);
    std::vector<std::string> words = {runner.string(), program, "--save", out};
    if (!fields.empty()) {
        TRY(write_npz(in, Value::record(std::move(fields))));
        words.insert(words.end(), {"--inputs", in});
    }
    TRY(run_child(std::move(words), said));
    return read_npz(out);
}

Result<size_t> RecordedCheck::run(const ModelPlace& place, const std::function<void(Nearness&)>& adjust, const fs::path& runner, const fs::path& scratch) {
    TRY(take_up());
    const ModelCases cases = TRY(ModelCases::open(place.folder));
    Nearness near = cases.near();
    adjust(near);
    std::unique_ptr<Context> context = TRY(Context::make(loaded_));
    if (!runner.empty()) TRY(write_file((scratch / "model.nrx").string(), TRY(save(loaded_->exe()))));
    size_t by_l2 = 0;
    for (const fs::path& one : cases.folders()) {
        const ModelCase data = TRY(cases.read(one, *file_, inputs_, outputs_));
        if (TRY(allow_names_to_differ(place, data.inputs))) {
            context = TRY(Context::make(loaded_));
            if (!runner.empty()) TRY(write_file((scratch / "model.nrx").string(), TRY(save(loaded_->exe()))));
        }
        Result<Value> found = runner.empty() ? context->run(loaded_->exe().entries[0], data.inputs) : run_apart(runner, scratch, data.inputs);
        const std::string where = cases.folders().size() > 1 ? one.filename().string() + ": " : "";
        if (!found) return Error{found.error().code, where + message_with_node(found.error(), source_texts(loaded_->exe()))};
        std::vector<Value> all = {*found};
        if (data.expected.size() != 1) all.assign(found->children().begin(), found->children().end());
        const Verdict verdict = judge(all, data.expected, outputs_, near);
        if (verdict.difference) return Error{Code::value, where + verdict.difference->path + ": " + verdict.difference->what};
        by_l2 += verdict.by_l2;
    }
    return by_l2;
}
} // namespace nereus
