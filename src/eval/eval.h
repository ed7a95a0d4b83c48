// eval/eval.h - runs a program as it is written: slow, obviously right, and the judge of every compiled form.
//
// Works on typed modules, before and after the shapes stage. Calls, values and cells may be as deep as memory allows:
// nothing recurses natively on them. Sizes named in a signature get their values from the arguments at each call, and
// whatever a type, fact or check states about sizes is checked.
#pragma once
#include "ir/module.h"
#include "value/value.h"
#include <functional>

namespace nereus {
struct EvalOptions {
    std::function<void(std::string_view)> print = {};    // where print() goes, a line without its end; empty: stderr
    size_t max_depth = 10'000'000;                       // calls in progress; more is an error, not an exhausted machine
    int64_t memory_limit = 0;                            // what the process may have, to be named in errors; 0: not known
    size_t max_steps = 0;                                // bindings run; 0: no limit
    bool* guessed_size = nullptr;                        // becomes true when a loop of no trips yields what has sizes that no type tells
};

// One call of a function. Arguments are checked against the declared types.
Result<Value> eval(const Module& module, FunctionId entry, std::span<const Value> args, const EvalOptions& options = {});
} // namespace nereus
