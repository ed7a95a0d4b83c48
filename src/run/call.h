// run/call.h - calls an entry once per set of inputs and reports: results on stdout, everything else on stderr.
#pragma once
#include "base/source_text.h"
#include "run/arguments.h"
#include "run/progress.h"
#include "value/json.h"
#include "vm/context.h"

namespace nereus {
// The flags of input and output that nereus and nereus-run share.
std::span<const FlagSpec> call_flags();      // inputs, input, json, seed, stats, memory-limit

// Lets --input use the names that a model has for its inputs; the map has the parameters by these.
void name_parameters(Arguments& arguments, const std::map<std::string, std::string>& parameters);
Result<Inputs> read_inputs(const Arguments& arguments, const ScalarTypes& scalars = {});
ScalarTypes scalars_of(const Executable& exe);      // of its entry's parameters; the executable outlives them
Result<int64_t> thread_count(const Arguments& arguments);        // --threads
// Arguments in the order of the entry's parameters; missing and unknown names are errors in the user's terms.
Result<std::vector<Value>> order_inputs(std::span<const std::string> params, const NamedValues& named);

// What depends on the program: a model has names of its own for what it gives, and nereus reads more kinds of files.
struct CallHooks {
    std::function<Result<Inputs>(const Arguments&, const ScalarTypes&)> read = read_inputs;
    ScalarTypes scalars = {};                                // of the parameters, for `read`; run_loaded knows them
    std::function<Result<Value>(Value)> finish = {};         // gives what is printed of a result; empty: all of it
    std::map<std::string, std::string> names = {};           // what a model calls its parameters, for errors
    std::vector<std::string> outputs = {};                   // what a model calls its results: --save and --json do so too
    Progress* progress = nullptr;                            // is told which call runs, and to make room for results; null: nobody is
};

using CallFn = std::function<Result<Value>(std::span<const Value>)>;
// Prints every result. With a list of inputs a failing call becomes {"error": text}, as text a line `error: ...`, and
// the others still run; stderr counts them from 1. `describe`: what stderr gets for an error.
int call_all(const Arguments& arguments, std::span<const std::string> params, const CallFn& call,
             const std::function<std::string(const Error&)>& describe = plain_error, const CallHooks& hooks = {});
// `sources`: the texts of the program if they are at hand; its files are looked for if none is.
int run_loaded(const Arguments& arguments, std::shared_ptr<const LoadedExecutable> program, std::span<const SourceText> sources = {}, CallHooks hooks = {});
} // namespace nereus
