// driver/pipeline.h - the order of the stages and why it is that.
#pragma once
#include "driver/compile.h"
#include "ir/decision.h"

namespace nereus {
struct StageContext { const CompileOptions& options; CompileReport& report; };

struct Stage {
    using Pass = Result<Module> (*)(Module);
    using Deciding = Result<Module> (*)(Module, Decisions& out_decisions);
    using Step = Result<Module> (*)(Module, StageContext&);
    constexpr Stage(std::string_view name, Pass pass, std::string_view reason) : name(name), reason(reason), pass(pass) {}
    constexpr Stage(std::string_view name, Pass pass, Deciding deciding, std::string_view reason)
        : name(name), reason(reason), pass(pass), deciding(deciding) {}
    constexpr Stage(std::string_view name, Step step, std::string_view reason) : name(name), reason(reason), step(step) {}

    std::string_view name, reason;
    constexpr Stage(std::string_view name, Step step, bool may_be_left_out, std::string_view reason)
        : name(name), reason(reason), step(step), may_be_left_out(may_be_left_out) {}

    Pass pass = nullptr;                     // an optimisation: the program means the same without it
    Deciding deciding = nullptr;             // the pass, when somebody asks for what it has left out
    Step step = nullptr;                     // needs the options, or reports
    bool may_be_left_out = pass != nullptr;
    Result<Module> run(Module m, StageContext& c) const { return pass ? pass(std::move(m)) : step(std::move(m), c); }
};
std::span<const Stage> pipeline();           // up to the last module; kernels, storage and emit follow in compile.cpp
std::span<const Stage> on_request();         // passes that no compile runs: for `nereus opt`, and stages to come

const Stage* find_pass(std::string_view name);           // of either table; nullptr: no pass has this name
Error no_such_pass(std::string_view name, std::string_view flag);    // a usage error with did-you-mean
Status verified(const Module& module, const Stage& stage);           // what is wrong is the mistake of this stage
Status check_without(const CompileOptions& options);     // every name in `without` is an optimisation of the pipeline
int64_t count_bindings(const Module& module);            // that blocks hold; constants are not counted
} // namespace nereus
