#include "tensor/text_tensor.h"
#include "tensor/texts.h"

namespace nereus {
namespace {
// Lets go of the texts when the last tensor that shares it is gone.
struct Held {
    std::vector<Text> texts;
    ~Held() { let_go(texts); }
};

Result<HostTensor> view_of(Extents shape, std::shared_ptr<Held> held) {
    const int64_t bytes = int64_t(held->texts.size() * sizeof(Text));
    const std::byte* first = reinterpret_cast<const std::byte*>(held->texts.data());
    return HostTensor::view(DType::str, std::move(shape), std::shared_ptr<const std::byte>(std::move(held), first), bytes);
}

template <class String> Result<HostTensor> made_of(Extents shape, std::span<const String> texts) {
    const int64_t count = TRY(element_count(shape));
    if (uint64_t(count) != texts.size())
        return Error{Code::shape, "shape " + shape_text(shape) + " takes " + std::to_string(count) + " texts, found " + std::to_string(texts.size())};
    auto held = std::make_shared<Held>();
    held->texts.reserve(texts.size());
    for (const String& text : texts) held->texts.push_back(intern(text));
    return view_of(std::move(shape), std::move(held));
}
} // namespace

Result<HostTensor> text_tensor(Extents shape, std::span<const std::string> texts) { return made_of(std::move(shape), texts); }
Result<HostTensor> text_tensor(Extents shape, std::span<const std::string_view> texts) { return made_of(std::move(shape), texts); }

Result<HostTensor> holding(HostTensor tensor) {
    if (!is_text(tensor.dtype()) || tensor.count() == 0) return tensor;
    auto held = std::make_shared<Held>();
    held->texts.assign(tensor.data<Text>().begin(), tensor.data<Text>().end());
    hold(held->texts);
    return view_of(tensor.shape(), std::move(held));
}

std::string_view text_at(const HostTensor& tensor, int64_t index) { return text_of(tensor.data<Text>()[size_t(index)]); }

std::vector<std::string_view> texts_of(const HostTensor& tensor) {
    std::vector<std::string_view> texts;
    for (Text text : tensor.data<Text>()) texts.push_back(text_of(text));
    return texts;
}
} // namespace nereus
