#include "emit/emit.h"
#include "emit/entry.h"
#include "emit/function.h"

namespace nereus {
Result<Executable> emit(Lowered& lowered, const Storage& storage, KernelCode code, FunctionId entry, const Function& typed) {
    EmitProgram program{lowered, storage, {}, {}, {}, {}, {}};
    program.exe.functions.resize(lowered.module.functions.size());
    for (size_t i = 0; i < lowered.module.functions.size(); ++i) TRY(EmitFunction(program, code, FunctionId(i)).run());
    TRY(emit_entry(program, entry, typed));
    for (size_t i = 0; i < code.kernels.size(); ++i) {
        const loop::Scheduled& kernel = code.kernels[i];
        std::vector<uint16_t> outs;
        for (size_t b = 0; b < kernel.function.buffers.size(); ++b)
            if (kernel.function.buffers[b].out) outs.push_back(uint16_t(b));
        program.exe.kernels.push_back(
            KernelInfo{kernel.function.name, code.offsets[i], lowered.in_library[i], kernel.scratch_bytes, kernel.params, std::move(outs)});
    }
    program.name_nodes();
    program.exe.blob = HeldBytes::copy_of(code.blob);
    program.exe.target = std::move(code.target);
    program.exe.checked = code.checked;
    return std::move(program.exe);
}
} // namespace nereus
