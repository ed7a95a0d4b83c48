// codegen/codegen.h - scheduled loop functions in, one blob of position-independent machine code out.
#pragma once
#include "base/result.h"
#include "loop/schedule.h"
#include <cstddef>
#include <functional>
#include <span>

namespace nereus {
struct Target {
    std::string name;                     // x86-64-v2, x86-64-v3, x86-64-v4 or host
    std::string tune;                     // the processor to order instructions for; never adds features
    int level;                            // what exe/cpu.h must report where the code runs
    loop::Machine machine;                // what schedules need to know
};
Result<Target> target_named(std::string_view name);      // host: the highest level this processor has

struct CodegenOptions {
    bool checked = false;                 // every load and store asserts that it stays inside its buffer
    std::function<void(int64_t done, int64_t of)> progress = {};         // kernels whose code is written; empty: nobody asks
};

struct MachineCode {
    std::vector<std::byte> blob;          // map with CodeBlob::map
    std::vector<size_t> entries;          // offset of each kernel, in the order given
    int level = 0;
};

// All kernels go through one LLVM module. Fails only if LLVM emits something the linker does not accept.
Result<MachineCode> codegen(std::span<const loop::Scheduled> kernels, const Target& target,
                            const CodegenOptions& options = {});

int64_t codegen_runs();                   // of this process, so that tests see that nothing is compiled later

// The LLVM IR of one kernel, for people.
std::string llvm_text(const loop::Scheduled& kernel, const Target& target, const CodegenOptions& options = {});
} // namespace nereus
