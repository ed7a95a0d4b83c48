// tensor/text_tensor.h - tensors of str that hold their texts. Others, made inside a call, have numbers of texts that the call
// holds, and become one of these before they leave it.
#pragma once
#include "tensor/host_tensor.h"
#include <string>

namespace nereus {
Result<HostTensor> text_tensor(Extents shape, std::span<const std::string> texts);
Result<HostTensor> text_tensor(Extents shape, std::span<const std::string_view> texts);
// The same elements, held. Of another dtype: the tensor itself.
Result<HostTensor> holding(HostTensor tensor);
std::string_view text_at(const HostTensor& tensor, int64_t index);
std::vector<std::string_view> texts_of(const HostTensor& tensor);    // valid as long as the tensor
} // namespace nereus
