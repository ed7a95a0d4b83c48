#include "cli/taps.h"
#include "tensor/npy.h"
#include "value/npz.h"

namespace nereus {
Result<Taps> Taps::parse(const std::vector<std::string>& specs) {
    Taps taps;
    for (const std::string& spec : specs) {
        const size_t at = spec.rfind("=@");
        const std::string path = at == spec.npos ? "" : spec.substr(at + 2);
        if (at == 0 || !(path.ends_with(".npy") || path.ends_with(".npz"))) return Error{Code::usage, "--tap '" + spec.substr(0, 60) + "' is not a name and a file", {}, "write --tap NAME=@out.npy; what is no tensor goes to an .npz"};
        taps.names_.push_back(spec.substr(0, at));
        taps.paths_.push_back(path);
    }
    return taps;
}

onnx::TextOptions Taps::options() const { return {.taps = names_}; }

std::function<Result<Value>(Value)> Taps::writer() const {
    if (names_.empty()) return {};
    return [this](Value all) -> Result<Value> {
        const size_t own = all.children().size() - names_.size();        // of the model: one at least, so all is a tuple
        for (size_t i = 0; i < names_.size(); ++i) {
            const Value& value = all.children()[own + i];
            if (paths_[i].ends_with(".npz")) TRY(write_npz(paths_[i], value));
            else if (value.is(Value::Kind::tensor)) TRY(write_npy(paths_[i], value.tensor()));
            else return Error{Code::type, "'" + names_[i] + "' is a " + std::string(kind_name(value.kind())) + ", which an .npy cannot hold", {}, "write it to an .npz"};
        }
        if (own == 1) return all.children()[0];
        return Value::tuple({all.children().begin(), all.children().begin() + std::ptrdiff_t(own)});
    };
}
} // namespace nereus
