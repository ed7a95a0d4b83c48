// cli/taps.h - values inside a model that a call writes to files: --tap NAME=@FILE.npy, --tap-all FILE.npz. The model is compiled
// with them as further outputs, after its own. A value of a loop's body is stacked over the trips, as a scan output is; in an .npz
// they are apart. NAME is that of a value, or of the node that gives it.
#pragma once
#include "cli/commands.h"

namespace nereus {
class Taps {
 public:
    // `model`: the file it is in. `all`: where every value of the main graph goes; empty: nowhere.
    static Result<Taps> parse(const std::vector<std::string>& specs, const std::string& all, const std::string& model);
    onnx::TextOptions options() const;
    // Writes the files and gives the rest of a result; empty without taps, which alone need a model.
    std::function<Result<Value>(Value)> writer(const std::optional<onnx::ModelFile>& file) const;
    std::vector<std::string> without(std::vector<std::string> outputs) const;    // the model's own of what it is compiled with

 private:
    Status write(size_t tap, Value value, std::span<const onnx::Place::Kind> layers) const;
    std::vector<std::string> names_, paths_;             // those of --tap-all come last and have no path
    std::string all_;
};
} // namespace nereus
