// Bytes to executable: what loads is well formed, and saves as something that loads. The sum over the bytes is put right
// first, or every change would end there.
#include "exe/artefact.h"
#include "exe/verify.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace nereus;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::vector<std::byte> bytes(size);
    if (size) std::memcpy(bytes.data(), data, size);
    seal(bytes);
    Result<Executable> loaded = load(bytes);
    if (!loaded) return 0;
    if (!verify(*loaded)) std::abort();
    Result<std::vector<std::byte>> saved = save(*loaded);
    if (!saved || !load(*saved)) std::abort();
    return 0;
}
