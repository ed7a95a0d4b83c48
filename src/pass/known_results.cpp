#include "pass/known_results.h"
#include "pass/call_graph.h"
#include "pass/symbol_image.h"
#include <algorithm>

namespace nereus {
namespace {
void put_known(Module& module, const Function& callee, const std::vector<Dim>& dims, const std::vector<Sym>& chosen,
               const std::vector<Sym>& hidden, SymbolImage& image) {
    if (chosen.size() != callee.result_dims.size() || dims.size() != callee.symbols.size()) return;
    SymbolImage called(module);
    for (size_t i = 0; i < dims.size(); ++i) called.put(callee.symbols[i], image.of(dims[i]));
    auto own = [&](Sym s) { return std::ranges::count(callee.symbols, s) > 0; };
    auto visible = [&](Sym s) { return std::ranges::count(hidden, s) == 0; };
    for (size_t i = 0; i < chosen.size(); ++i) {
        const Dim result = callee.result_dims[i];
        if (!std::ranges::all_of(module.dims.symbols_of(result), own) || module.dims.of_shape(result)) continue;
        const Dim known = called.of(result);
        if (std::ranges::all_of(module.dims.symbols_of(known), visible)) image.put(chosen[i], known);
    }
}

void bindings(Module& module, const Function& f, BlockId id, SymbolImage& image) {
    for (BindingId at : f[id].bindings) {                // in program order
        const Binding& b = f[at];
        for (const Arm& arm : b.arms)
            if (arm.guard.valid()) bindings(module, f, arm.guard, image);
        for (BlockId nested : b.blocks) bindings(module, f, nested, image);
        if (b.form == Form::call) put_known(module, module[b.function], b.dims, b.defines, {}, image);
        // Sizes that were read out of the closure are seen by its own target alone.
        if (b.targets.size() == 1)
            put_known(module, module[b.targets[0].function], b.targets[0].dims, b.defines, b.targets[0].opened, image);
        else
            for (const ApplyTarget& t : b.targets) put_known(module, module[t.function], t.dims, t.chosen, {}, image);
    }
}
} // namespace

void tell_caller(Module& module, Function& caller) {
    SymbolImage image(module);
    bindings(module, caller, caller.body, image);
    if (!image.empty()) image.in_place(caller);
}

void tell_callers(Module& module) {
    CallGraph calls(module);
    for (FunctionId id : calls.callees_first) tell_caller(module, module[id]);
}
} // namespace nereus
