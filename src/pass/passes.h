// pass/passes.h - the passes, a line each.
#pragma once
#include "base/result.h"
#include "ir/decision.h"
#include "ir/module.h"

namespace nereus {
Result<Module> cells_to_states(Module module);   // cells that only their function knows are states of its loops; before shapes
Result<Module> tail_loops(Module module);    // a function that calls itself last is a loop
Result<Module> outline_late(Module module);  // what comes after a late size is a function of it
Result<Module> inline_calls(Module module);  // bodies of small functions, and of those called once, where they are called
Result<Module> inline_calls(Module module, Decisions& out_decisions);    // and which calls stay
Result<Module> fold_constants(Module module);    // operators on constants, branches that are decided, parts of known wholes
Result<Module> common_values(Module module); // what was computed before is not computed again
Result<Module> static_arguments(Module module);  // out of recursion: what its unchanging arguments decide alone
Result<Module> hoist_invariants(Module module);  // out of loops: what every trip would compute alike
Result<Module> narrow_sequences(Module module);  // parts of tuples in a sequence that nobody reads are not kept
Result<Module> dead_code(Module module);     // drops bindings that nothing needs and that do nothing else

// On request, for modules before shapes: what gradients will need.
Result<Module> rotate_while(Module module);      // the condition of a while at the end of its body, carried as a bool
Result<Module> defunctionalise(Module module);   // closures as data, their calls as matches
Result<Module> partial_evaluation(Module module);    // closures, cells, data and loops that are known are gone
} // namespace nereus
