// cli/taps.h - values inside a model that a call writes to files: NAME=@FILE.npy. The model is compiled with them as further
// outputs, after its own.
#pragma once
#include "cli/commands.h"

namespace nereus {
class Taps {
 public:
    static Result<Taps> parse(const std::vector<std::string>& specs);
    onnx::TextOptions options() const;
    // Writes the files and gives the rest of a result; empty without taps.
    std::function<Result<Value>(Value)> writer() const;

 private:
    std::vector<std::string> names_, paths_;
};
} // namespace nereus
