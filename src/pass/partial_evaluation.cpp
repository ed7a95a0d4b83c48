// pass/partial_evaluation.cpp - does while compiling what does not depend on inputs: applies closures that are known, takes
// apart what was built in sight, follows what cells hold, decides branches, runs loops over known sequences trip by trip
// and goes through functions that are handed such things.
//
//     %fs = [fn(%a) { %a * %w }, @half]
//     for %i in length(%fs), (%y = %x) { %fs[%i](%y) }     to     mul(%mul_x_w, (0.5: f32))
//
// Every binding that is gone through is written down, in order, and what is known of its result beside it. So effects,
// errors and sharing are those of the program; what turns out to be needed no more is dropped at the end
// (unused_parts.cpp). Lambdas get their bodies last, if something still needs them.
//
// Fuel bounds the work for each function: when it is used up, calls and loops stay what they are.
//
// For modules before shapes, where a type that somebody wrote is also a check and names sizes: both are kept, by a tuple of
// that type, wherever a parameter or result with one vanishes.
#include "pass/call_graph.h"
#include "pass/partial_evaluator.h"
#include "pass/passes.h"

namespace nereus {
namespace {
bool has_shapes(const Module& module) {
    for (const Function& f : module.functions) {
        if (!f.symbols.empty()) return true;
        for (const Binding& b : f.bindings)
            if (b.form == Form::closure || b.form == Form::check || !b.dims.empty() || !b.targets.empty()) return true;
    }
    return false;
}
} // namespace

Result<Module> partial_evaluation(Module module) {
    if (has_shapes(module)) return module;
    const Module source = module;
    const Effects effects(source);
    const CallGraph calls(source);
    for (size_t i = 0; i < source.functions.size(); ++i)
        module.functions[i] = PartialEvaluator(module, source, effects).run(FunctionId(i));
    drop_functions(module, CallGraph(module).reached_from(calls.is_root));
    return module;
}
} // namespace nereus
