// tensor/npy_texts.h - texts as NumPy's .npy files hold them, dtype <U5: as many UTF-32 codes as the longest has, zeros at the end. A byte
// that is no UTF-8 is the code 0xdc00 + byte, as Python's surrogateescape has it.
#pragma once
#include "tensor/host_tensor.h"

namespace nereus {
// The elements of `data`, in the order in which they lie there.
Result<std::vector<std::string>> texts_of_npy(std::string_view data, int64_t width, int64_t count);
struct NpyTexts { int64_t width; std::string data; };
NpyTexts npy_of_texts(const HostTensor& tensor);
} // namespace nereus
