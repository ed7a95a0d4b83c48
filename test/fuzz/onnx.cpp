// Bytes to an ONNX model, and to every kind of value: what is read lies in the bytes or in what was made of them.
#include "import/onnx_testing.h"
#include <cstdio>
#include <cstdlib>

using namespace nereus;
using namespace nereus::onnx;

template <class File> static void check(const Result<File>& file, std::span<const std::byte> bytes) {
    if (file && !StaysInside(*file->storage, bytes).holds(*file)) std::abort();
    if (!file && file.error().message.empty()) std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
    check(read_model(bytes), bytes);
    for (DataKind kind : {DataKind::tensor, DataKind::sparse_tensor, DataKind::sequence, DataKind::map, DataKind::optional})
        check(read_data(bytes, kind), bytes);
    return 0;
}
