// Bytes to an ONNX model, to text of the language, to a module with types and shapes, some of them to machine code.
#include "driver/hostile_model_testing.h"
#include "import/mutate_testing.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace nereus;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

static std::span<const std::byte> bytes_of(const uint8_t* data, size_t size) { return std::as_bytes(std::span(data, size)); }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const HostileOutcome outcome = take_hostile_model(bytes_of(data, size), size % 2 == 1, size % 4 == 0);
    if (outcome.mistake.empty()) return 0;
    std::fprintf(stderr, "%s\n", outcome.mistake.c_str());
    std::abort();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
    Result<onnx::ModelFile> file = onnx::read_model(bytes_of(data, size));
    const std::string made = file && seed % 16 ? onnx::ModelMutator(std::move(*file), seed).run() : std::string();
    if (made.empty() || made.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
    std::memcpy(data, made.data(), made.size());
    return made.size();
}
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* one, size_t one_size, const uint8_t* other, size_t other_size, uint8_t* out, size_t max_size, unsigned seed) {
    Result<onnx::ModelFile> file = onnx::read_model(bytes_of(one, one_size)), more = onnx::read_model(bytes_of(other, other_size));
    if (!file || !more) return 0;
    const std::string made = onnx::ModelMutator(std::move(*file), seed).crossed(*more);
    if (made.size() > max_size) return 0;
    std::memcpy(out, made.data(), made.size());
    return made.size();
}
