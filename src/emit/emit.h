// emit/emit.h - lowered module, storage and kernels in, executable out.
#pragma once
#include "exe/executable.h"
#include "loop/schedule.h"
#include "plan/storage.h"

namespace nereus {
struct KernelCode {
    std::vector<loop::Scheduled> kernels;    // parallel to Lowered::kernels
    std::vector<uint64_t> offsets;           // of their code in the blob; in the library: their place there
    std::vector<std::byte> blob;
    std::string target;
    bool checked = false;
};
// `typed` is the entry before lowering: its signature is the one users see.
Result<Executable> emit(Lowered& lowered, const Storage& storage, KernelCode code, FunctionId entry, const Function& typed);
} // namespace nereus
