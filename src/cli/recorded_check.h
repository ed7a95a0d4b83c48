// cli/recorded_check.h - one model on recorded cases: compiled first, its data opened after.
#pragma once
#include "cli/both_ways.h"

namespace nereus {
struct ModelPlace { std::filesystem::path file, folder; std::string name() const; };        // folder: of its cases; empty: it has none
// Every folder below that has a model.onnx, by name; a path may also be a model itself.
Result<std::vector<ModelPlace>> models_in(const std::vector<std::string>& paths);

// A folder that is gone when this is.
class ScratchFolder {
 public:
    static Result<ScratchFolder> make();
    ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    ~ScratchFolder();
    const std::filesystem::path& path() const { return path_; }

 private:
    explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;
};

class RecordedCheck {
 public:
    Status compile_model(const ModelPlace& place, const HowToCompile& how);
    const std::string& note() const { return note_; }     // on how it was compiled, after run(); empty: as asked
    // Where many are compiled before any runs, what is large waits in a file.
    Status set_aside(const std::filesystem::path& file);
    // Every case; gives how many were right as vectors only. `runner`: nereus-run, which then runs the artefact in a process of
    // its own, with files in `scratch`; empty: this process does.
    Result<size_t> run(const ModelPlace& place, const std::function<void(Nearness&)>& adjust, const std::filesystem::path& runner, const std::filesystem::path& scratch);

 private:
    Status compile_model(const ModelPlace& place, const HowToCompile& how, std::vector<SourceText>& sources);
    Status take_up();
    Result<Value> run_apart(const std::filesystem::path& runner, const std::filesystem::path& scratch, std::span<const Value> args) const;
    Result<bool> allow_names_to_differ(const ModelPlace& place, std::span<const Value> inputs);
    std::optional<HowToCompile> how_;
    std::string note_;
    std::optional<onnx::ModelFile> file_;
    std::vector<std::string> inputs_, outputs_;
    std::shared_ptr<const LoadedExecutable> loaded_;
    std::filesystem::path aside_;            // empty: it is in loaded_
};
} // namespace nereus
