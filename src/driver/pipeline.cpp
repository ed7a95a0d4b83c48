#include "driver/pipeline.h"
#include "driver/init.h"
#include "grad/grad.h"
#include "grad/leaves.h"
#include "infer/specialise.h"
#include "ir/verify.h"
#include "pass/passes.h"
#include "pass/rotate_while.h"
#include "base/suggest.h"
#include <algorithm>
#include <functional>

namespace nereus {
namespace {
Result<Module> specialise_stage(Module m, StageContext& c) {
    FunctionId entry = m.find_id(c.options.entry);
    if (!entry.valid()) {
        std::string names;
        for (const Function& f : m.functions)
            if (!f.from_prelude) names += (names.empty() ? "@" : ", @") + f.name;
        return Error{Code::name, "there is no function @" + c.options.entry + " in this program", {},
                     names.empty() ? "the program defines no function" : "choose one with --entry: " + names};
    }
    return expand_leaves(TRY(specialise(std::move(m), entry)));
}
// Closures that are differentiated are made data first. Where that costs a size that the program needs, they stay, and
// the reference form differentiates them.
Result<Module> differentiated(Module m) {
    if (!differentiates_closures(m)) return grad(rotate_writing_loops(std::move(m)));
    Result<Module> first_order = defunctionalise(m);
    if (first_order) first_order = grad(rotate_writing_loops(std::move(*first_order)));
    if (first_order && infer_shapes(*first_order, FunctionId(0), nullptr)) return first_order;
    return grad(std::move(m));
}
// Functions that make or take derivatives of functions may have to be applied first, so that it is seen which.
Result<Module> grad_stage(Module m, StageContext&) {
    Result<Module> done = differentiated(m);
    if (done || done.error().code != Code::unsupported || !(differentiates_closures(m) || differentiates_unknown(m))) return done;
    Result<Module> applied = partial_evaluation(std::move(m));
    if (!applied) return done;
    for (bool wrap : {false, true}) {
        Result<Module> other = differentiated(wrap ? wrap_unknown_functions(*applied) : *applied);
        if (!other) continue;
        const bool fits = bool(infer_shapes(*other, FunctionId(0), nullptr));
        if (fits || !done) done = std::move(other);      // sizes that do not fit are for the next stage to say
        if (fits) break;
    }
    return done;
}
Result<Module> shapes_stage(Module m, StageContext& c) { return infer_shapes(std::move(m), FunctionId(0), &c.report.shapes); }

constexpr Stage stages[] = {
    {"specialise", specialise_stage, "types first: shapes and kernels want one dtype and structure per value"},
    {"cells_to_states", cells_to_states, "before gradients, which want values, and shapes, which know more of states"},
    {"grad", grad_stage, "types tell what has an adjoint; what it writes needs shapes like all other code"},
    {"shapes", shapes_stage, "before anything looks at sizes; the entry is the first function from here on"},
    {"tail_loops", tail_loops, "before inlining: a loop can be put where it is called, recursion cannot"},
    {"outline_late", outline_late, "before inlining, which wants sizes that are known at entry"},
    {"inline_calls", inline_calls, inline_calls, "sizes are known: a body can be planned with its caller, and its launches share one list"},
    {"fold_constants", fold_constants, "arguments that were constants in the caller are constants in the body now"},
    {"common_values", common_values, "calls in one body show what they have in common"},
    {"static_arguments", static_arguments, "after inlining, which shows what a recursion computes at every step"},
    {"hoist_invariants", hoist_invariants, "each value is computed once per trip by now: once per loop is what is left"},
    {"narrow_sequences", narrow_sequences, "shapes are known by now: a tape need not keep what only told them"},
    {"dead_code", dead_code, "chains that only computed shapes are known by now and need not run"},
    {"init", init_stage, true, "last: what is left of the constant part is run once, by the compiler, and kept"},
};
constexpr Stage requested[] = {
    {"rotate_while", rotate_while, "before gradients: a condition is differentiated with the trip it ends"},
    {"defunctionalise", defunctionalise, "before gradients: the gradient of a closure is then that of data and of a match"},
    {"partial_evaluation", partial_evaluation, "after gradients: the tape of the reference form is known where code is straight"},
};
} // namespace

std::span<const Stage> pipeline() { return stages; }
std::span<const Stage> on_request() { return requested; }

const Stage* find_pass(std::string_view name) {
    for (std::span<const Stage> table : {pipeline(), on_request()})
        for (const Stage& stage : table)
            if (stage.pass && stage.name == name) return &stage;
    return nullptr;
}

Error no_such_pass(std::string_view name, std::string_view flag) {
    std::vector<std::string_view> names;
    for (std::span<const Stage> table : {pipeline(), on_request()})
        for (const Stage& stage : table)
            if (stage.pass) names.push_back(stage.name);
    Error error{Code::usage, std::string(flag) + ": there is no pass '" + std::string(name) + "'"};
    error.hint = did_you_mean("", name, names);
    if (error.hint.empty()) error.hint = "nereus opt --list shows them";
    return error;
}

Status verified(const Module& module, const Stage& stage) {
    Status sound = verify(module);
    if (sound) return sound;
    Error error = std::move(sound).error();
    error.message = "after stage " + std::string(stage.name) + ": " + error.message;
    return error;
}

Status check_without(const CompileOptions& options) {
    for (const std::string& name : options.without) {
        auto named = [&](const Stage& stage) { return stage.name == name; };
        auto stage = std::find_if(pipeline().begin(), pipeline().end(), named);
        if (stage == pipeline().end() && find_pass(name))
            return Error{Code::usage, "--without: no compile runs the pass " + name, {}, "it is there for nereus opt --pass=" + name};
        if (stage == pipeline().end()) return no_such_pass(name, "--without");
        if (!stage->may_be_left_out)
            return Error{Code::usage, "--without: " + name + " is not an optimisation: no program compiles without it", {},
                         "nereus opt --list shows what can be left out"};
    }
    return {};
}

int64_t count_bindings(const Module& module) {
    int64_t count = 0;
    for (const Function& function : module.functions) {
        std::function<void(BlockId)> walk = [&](BlockId id) {
            for (BindingId at : function[id].bindings) {
                const Binding& b = function[at];
                count += !is_immediate(b);
                for (const Arm& arm : b.arms)
                    if (arm.guard.valid()) walk(arm.guard);
                for (BlockId nested : b.blocks) walk(nested);
            }
        };
        walk(function.body);
    }
    return count;
}
} // namespace nereus
