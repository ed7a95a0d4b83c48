#include "grad/product_support.h"
#include "ir/op.h"

namespace nereus {
Error not_run_again(const std::string& obstacle, Span asked) {
    return Error{Code::unsupported, "checkpoint: " + (obstacle.empty() ? "what is run again prints" : "what is run again has " + obstacle), asked,
                 obstacle == function_of_functions ? "it may use functions, and neither take nor give them: `checkpoint(fn(%x) { @f(%g, %x) })(%x)`"
                                                   : "checkpoint code that does nothing but compute its result"};
}

Result<std::string> ProductSupport::obstacle(FunctionId id, Span asked) {
    if (!seen_.insert(id).second) return std::string();
    TRY(all_.expand(id, asked));
    const Function function = all_.module[id];           // a copy: expanding others moves the table
    const bool custom = function.vjp_forward.valid();
    for (ValueId param : function.params) {
        if (custom && all_.products.cells.holds(function[param].type)) return std::string("a cell given to a rule of one's own");
        if (all_.shadows.holds_function(function[param].type)) return std::string("a function as a value");
    }
    if (custom && all_.products.cells.holds(function.result)) return std::string("a cell given by a rule of one's own");
    if (custom) return std::string();                    // what it does inside is not looked at
    return obstacle_in(function, function.body, asked);
}
Result<std::string> ProductSupport::obstacle(const Function& function, BlockId block, Span asked) {
    return obstacle_in(function, block, asked);
}

Result<std::string> ProductSupport::obstacle_in(const Function& function, BlockId block, Span asked) {
    for (BindingId id : function[block].bindings) {
        const Binding& b = function[id];
        std::string found = obstacle_in(function, b);
        if (found.empty() && b.form == Form::call) found = TRY(obstacle(b.function, asked));
        for (const Arm& arm : b.arms)
            if (found.empty() && arm.guard.valid()) {
                found = TRY(obstacle_in(function, arm.guard, asked));
                if (all_.products.cells.changes(function, arm.guard)) found = "a guard that writes a cell";
            }
        for (BlockId inner : b.blocks)
            if (found.empty()) found = TRY(obstacle_in(function, inner, asked));
        if (found.empty() && b.form == Form::while_ && all_.products.cells.changes(function, b.blocks[0])) found = "a condition that writes a cell";
        if (!found.empty()) return found;
    }
    return std::string();
}

std::string ProductSupport::obstacle_in(const Function& function, const Binding& b) {
    std::string found = all_.products.cells.obstacle(function[b.results[0]].type);
    if (!found.empty()) return found;
    switch (b.form) {
    case Form::apply: case Form::function: case Form::lambda: return "a function as a value";
    case Form::update: return all_.products.types.is_spread(function[b.results[0]].type) ? "" : "an update of a record that holds itself";
    case Form::op: break;
    default: return "";
    }
    prints_ |= b.op->builtin == Builtin::print;
    switch (b.op->builtin) {
    case Builtin::grad: return "a gradient of a function that only the run decides on";
    case Builtin::none: case Builtin::push: case Builtin::length: case Builtin::set: case Builtin::seq_get: case Builtin::print:
    case Builtin::ref: case Builtin::read: case Builtin::write: case Builtin::assert_: case Builtin::equal: case Builtin::stop_gradient: case Builtin::leaves: break;
    }
    return "";
}
} // namespace nereus
