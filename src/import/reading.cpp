#include "import/reading.h"
#include "value/inside_folder.h"
#include <cstring>
#include <filesystem>

namespace nereus::onnx {
namespace {
// A message takes two bytes in a file and a few hundred here. The largest models we know have a tenth of this.
constexpr int64_t most_messages = int64_t(1) << 22;
constexpr size_t deepest_path = 6;                     // graphs whose place is told; of more, the outermost and innermost
} // namespace

Result<Reading> Reading::of_file(const std::string& path) {
    std::shared_ptr<const MappedFile> file = TRY(MappedFile::open(path));
    Reading reading(file->bytes(), std::filesystem::path(path).parent_path().string());
    reading.file_name_ = path;
    reading.storage_->files.push_back(std::move(file));
    return reading;
}

Status Reading::count_message() {
    if (++messages_ <= most_messages) return {};
    const std::string most = std::to_string(most_messages);
    return Error{Code::limit, "the file has more than " + most + " nodes, attributes, types and the like"};
}

uint32_t Reading::put_off(Later message) {
    put_off_.push_back({message, current_, path_text()});
    return uint32_t(put_off_.size() - 1);
}
std::optional<Reading::Later> Reading::begin_put_off() {
    if (++current_ == put_off_.size()) return std::nullopt;       // from UINT32_MAX to 0
    return put_off_[current_].message;
}

std::string Reading::path_text() const {
    std::string text;
    for (const Step& step : steps_) {
        if (!text.empty()) text += '.';
        text += step.name;
        if (step.repeated) text += '[' + std::to_string(step.index) + ']';
    }
    return text;
}

Error Reading::placed(Error error) const {
    std::vector<std::string_view> around;                  // innermost first
    for (uint32_t at = current_; at < put_off_.size(); at = put_off_[at].parent) around.push_back(put_off_[at].path);
    std::string path;
    for (size_t i = around.size(); i-- > 0;) {
        const bool told = i < deepest_path / 2 || i + deepest_path / 2 >= around.size();
        if (told && !around[i].empty()) path += std::string(around[i]) + ".";
        if (!told && i == deepest_path / 2) path += "….";
    }
    path += path_text();
    if (!path.empty() && path.back() == '.') path.pop_back();
    if (!path.empty()) error.message = path + ": " + error.message;
    if (!file_name_.empty()) error.message = "'" + file_name_ + "': " + error.message;
    return error;
}

std::span<const std::byte> Reading::keep(std::vector<std::byte> bytes) {
    return storage_->packed.emplace_back(std::move(bytes));
}

Result<std::string_view> Reading::external(std::string_view location) {
    auto known = locations_.find(location);
    if (known != locations_.end()) return known->second;
    if (!folder_) return Error{Code::unsupported, "a model that does not come from a file has no external data beside it"};
    const std::string path = TRY(inside_folder(*folder_, location));
    auto [found, is_new] = paths_.try_emplace(path);
    if (is_new) {
        std::shared_ptr<const MappedFile> file = TRY(MappedFile::open(path));
        found->second = file->bytes();
        storage_->files.push_back(std::move(file));
    }
    locations_.emplace(location, found->second);
    return found->second;
}

Status take(Reading&, Wire& wire, std::string_view& out) {
    out = TRY(wire.bytes());
    return {};
}
Status take(Reading&, Wire& wire, std::vector<std::string_view>& out) {
    out.push_back(TRY(wire.bytes()));
    return {};
}
Status take(Reading&, Wire& wire, int64_t& out) {
    out = TRY(wire.integer());
    return {};
}
Status take(Reading&, Wire& wire, std::optional<int64_t>& out) {
    out = TRY(wire.integer());
    return {};
}
Status take(Reading&, Wire& wire, std::optional<float>& out) {
    std::memcpy(&out.emplace(), TRY(wire.number(WireKind::fixed32)).data(), sizeof(float));
    return {};
}
Status take(Reading&, Wire& wire, std::vector<int64_t>& out) {
    return decode_integers(TRY(wire.numbers(WireKind::varint)), out);
}
Status take(Reading&, Wire& wire, std::vector<float>& out) {
    const std::string_view bytes = TRY(wire.numbers(WireKind::fixed32));
    const size_t before = out.size();
    out.resize(before + bytes.size() / sizeof(float));
    if (!bytes.empty()) std::memcpy(out.data() + before, bytes.data(), bytes.size());
    return {};
}
Status take(Reading&, Wire& wire, Embedded& out) {
    out.bytes = TRY(wire.bytes());
    return {};
}
Status take(Reading& reading, Wire& wire, TensorData& out) {
    out = TRY(read_tensor(reading, TRY(wire.bytes())));
    return {};
}
Status take(Reading& reading, Wire& wire, TypeInfo& out) {
    out = TRY(read_type(reading, TRY(wire.bytes())));
    return {};
}
Status take(Reading& reading, Wire& wire, std::vector<TensorData>& out) {
    out.push_back(TRY(read_tensor(reading, TRY(wire.bytes()))));
    return {};
}
Status take(Reading& reading, Wire& wire, std::vector<SparseTensor>& out) {
    out.push_back(TRY(read_sparse_tensor(reading, TRY(wire.bytes()))));
    return {};
}
} // namespace nereus::onnx
