// Module to types and shapes: what passes is well formed at every step, what does not is refused with a reason.
#include "fuzz/programs.h"
#include "grad/leaves.h"
#include "infer/shapes.h"
#include "infer/specialise.h"
#include "infer/types.h"

using namespace nereus;

static bool holds(Result<Module>& module, std::span<const SourceText> sources, const std::string& text) {
    if (!module) return refuse(module.error(), sources, text), false;
    if (Status sound = verify(*module); !sound) wrong("a malformed module: " + sound.error().message, text);
    return true;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    std::optional<Module> module = read_program(text);
    if (!module) return 0;
    const std::vector<SourceText> sources = module->sources;
    Result<Module> typed = infer_types(*module);
    if (!holds(typed, sources, text)) return 0;
    for (size_t entry = 0; entry < module->functions.size(); ++entry) {
        if (module->functions[entry].from_prelude) continue;
        Result<Module> copies = specialise(*module, FunctionId(entry));
        if (!holds(copies, sources, text)) continue;
        Result<Module> expanded = expand_leaves(std::move(*copies));
        if (!holds(expanded, sources, text)) continue;
        bool differentiates = false;
        for (const Function& function : expanded->functions)
            for (const Binding& binding : function.bindings)
                differentiates |= binding.form == Form::op && binding.op->builtin == Builtin::grad;
        if (differentiates) continue;                    // the generator's business
        Result<Module> shaped = infer_shapes(std::move(*expanded), FunctionId(0), nullptr);
        holds(shaped, sources, text);
    }
    return 0;
}
