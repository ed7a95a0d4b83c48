#include "import/aligned_copies.h"
#include <algorithm>
#include <map>
#include <mutex>

namespace nereus::onnx {
namespace {
// With the file it came from: as long as that is mapped, nothing else is at the address it is known by.
struct Copy {
    HostTensor tensor;
    std::shared_ptr<const MappedFile> file;
};

class Copies {
 public:
    Result<std::shared_ptr<const Copy>> find_or_make(DType dtype, const Extents& shape, std::span<const std::byte> bytes, std::shared_ptr<const MappedFile> file) {
        const std::lock_guard lock(mutex_);
        std::weak_ptr<const Copy>& known = copies_[{bytes.data(), dtype}];
        std::shared_ptr<const Copy> copy = known.lock();
        if (copy && copy->tensor.byte_size() == int64_t(bytes.size())) return copy;
        copy = std::make_shared<const Copy>(TRY(HostTensor::copy_of(dtype, shape, bytes)), std::move(file));
        copy->file->let_go(bytes);
        known = copy;
        if (copies_.size() > most_) {
            std::erase_if(copies_, [](const auto& entry) { return entry.second.expired(); });
            most_ = 2 * copies_.size() + 64;
        }
        return copy;
    }

 private:
    std::mutex mutex_;
    std::map<std::pair<const std::byte*, DType>, std::weak_ptr<const Copy>> copies_;
    size_t most_ = 64;                                   // then those that nobody uses any more go
};
Copies& copies() {
    static Copies all;
    return all;
}

bool holds(const MappedFile& file, std::span<const std::byte> bytes) {
    const std::span<const std::byte> all = std::as_bytes(std::span(file.bytes()));
    return bytes.data() >= all.data() && bytes.data() + bytes.size() <= all.data() + all.size();
}
} // namespace

Result<HostTensor> aligned_copy(DType dtype, const Extents& shape, std::span<const std::byte> bytes, const std::shared_ptr<const Storage>& storage) {
    constexpr size_t worth_sharing = size_t(1) << 14;
    if (!storage || bytes.size() < worth_sharing) return HostTensor::copy_of(dtype, shape, bytes);       // null: for a moment
    const auto file = std::ranges::find_if(storage->files, [&](const auto& each) { return holds(*each, bytes); });
    if (file == storage->files.end()) return HostTensor::copy_of(dtype, shape, bytes);
    const std::shared_ptr<const Copy> copy = TRY(copies().find_or_make(dtype, shape, bytes, *file));
    return HostTensor::view(dtype, shape, std::shared_ptr<const std::byte>(copy, copy->tensor.bytes()), copy->tensor.byte_size());
}
} // namespace nereus::onnx
