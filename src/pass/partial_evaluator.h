// pass/partial_evaluator.h - writes one function from another, with what is known done already; see partial_evaluation.cpp.
//
// partial_evaluator.cpp: functions, blocks, what stays; partial_data.cpp: structures, sequences, cells;
// partial_control.cpp: branches and loops; partial_calls.cpp: calls and closures.
#pragma once
#include "pass/effects.h"
#include "pass/function_edit.h"
#include "pass/known_values.h"

namespace nereus {
class PartialEvaluator {
 public:
    // `source`: the module as it was; types and sizes that are new go into `module`.
    PartialEvaluator(Module& module, const Module& source, const Effects& effects);
    Function run(FunctionId id);

 private:
    using Known = KnownValue;
    // Code that is gone through: a function, or a lambda that is applied, with what its values are.
    struct Frame {
        const Function& source;
        FunctionId id;
        std::unordered_map<ValueId, KnownId> values;
        SizeNames sizes;
    };
    struct Activation { FunctionId function; BindingId lambda; uint32_t made; int branches = 0; int depth = 0; ActivationId caller; };

    // Code of the source, evaluated here.
    void bindings(Frame& f, BlockId block, BindingList& out);
    std::vector<KnownId> results(Frame& f, BlockId block, BindingList& out);         // bindings, then what it gives
    KnownId binding(Frame& f, const Binding& b, BindingId at, BindingList& out);
    void name_parameters(Frame& f, const std::vector<ValueId>& params, std::vector<KnownId> args, BindingList& out);
    // With the sizes that were stated for it: checked if they are not plain to see.
    KnownId stated(Frame& f, KnownId known, TypeId type, BindingList& out);
    std::vector<KnownId> stated(Frame& f, std::vector<KnownId> known, const std::vector<TypeId>& types, BindingList& out);
    bool shows(KnownId known, TypeId type) const;        // it is seen to have the sizes that the type states

    // What stays to be done when the program runs.
    ValueId write(Frame& f, Binding b, const std::vector<KnownId>& args, BindingList& out);
    KnownId stays(Frame& f, Binding b, const std::vector<KnownId>& args, BindingList& out, Known about = {});
    ValueId use(KnownId known, BindingList& out);
    std::vector<ValueId> uses(const std::vector<KnownId>& known, BindingList& out);
    KnownId unknown(ValueId value);
    KnownId constant(Binding immediate, TypeId type);
    KnownId integer(int64_t value, TypeId type);
    KnownId unit();
    std::vector<ValueId> new_parameters(Frame& f, const std::vector<ValueId>& params);
    BlockId block_that_stays(Frame& f, BlockId from, std::vector<ValueId> params);
    void expose(KnownId known);

    // Structures, sequences and cells.
    KnownId part(Frame& f, const Binding& b, KnownId whole, const std::vector<KnownId>& args, BindingList& out);
    KnownId update(Frame& f, const Binding& b, const std::vector<KnownId>& args, BindingList& out);
    KnownId operate(Frame& f, const Binding& b, const std::vector<KnownId>& args, BindingList& out);
    KnownId cell(Frame& f, const Binding& b, const std::vector<KnownId>& args, BindingList& out);
    KnownId sequence(Frame& f, const Binding& b, const std::vector<KnownId>& args, BindingList& out);
    KnownId shape_of(const Binding& b, const std::vector<KnownId>& args) const;
    std::optional<KnownId> computed(Frame& f, const Binding& b, const std::vector<KnownId>& args);

    // Branches and loops.
    KnownId branch(Frame& f, const Binding& b, KnownId condition, BindingList& out);
    KnownId match(Frame& f, const Binding& b, KnownId subject, BindingList& out);
    KnownId match_that_stays(Frame& f, const Binding& b, size_t first, KnownId subject, BindingList& out);
    KnownId arm(Frame& f, const Binding& b, BlockId block, BindingList& out);
    std::optional<bool> fits(const Pattern& pattern, KnownId subject, std::map<ValueId, KnownId>& variables) const;
    Pattern renamed(Frame& f, const Pattern& pattern, KnownId subject, std::vector<ValueId>& variables);
    KnownId counted_loop(Frame& f, const Binding& b, const std::vector<KnownId>& args, BindingList& out);
    KnownId while_loop(Frame& f, const Binding& b, std::vector<KnownId> states, BindingList& out);
    KnownId loop_that_stays(Frame& f, const Binding& b, const std::vector<KnownId>& args, BindingList& out);
    KnownId loop_result(Frame& f, const Binding& b, const std::vector<KnownId>& states, BindingList& out);
    bool tells(Frame& f, BlockId body, const std::vector<KnownId>& states) const;

    // Calls and closures.
    KnownId call(Frame& f, const Binding& b, const std::vector<KnownId>& args, BindingList& out);
    KnownId apply(Frame& f, const Binding& b, const std::vector<KnownId>& args, BindingList& out);
    KnownId lambda(Frame& f, const Binding& b, BindingId at, BindingList& out);
    void write_lambda(BindingId lambda, KnownId closure);
    void write_live_lambdas();
    bool can_enter(FunctionId function, BindingId lambda, uint32_t made = 0) const;
    ActivationId enter(FunctionId function, BindingId lambda, uint32_t made = 0);
    bool can_be_put_elsewhere(const Function& function, BlockId block) const;
    bool tell_their_sizes(const Frame& f, const std::vector<ValueId>& params, const std::vector<KnownId>& args) const;

    Module& module_;
    const Module& source_;
    const Effects& effects_;
    Function out_;
    std::optional<FunctionEdit> edit_;
    KnownValues known_;
    CellContents cells_;
    uint32_t next_cell_ = 0;
    std::vector<Activation> activations_;
    ActivationId at_;
    int branches_ = 0;                       // blocks around that may not run, or run more than once
    int64_t fuel_ = 0;
    Span span_;                              // of the binding at hand
    std::set<BindingId> sure_;               // may fail by their form, but not here
    std::map<BindingId, KnownId> unwritten_; // lambdas without their body: most are applied and then not needed
};

bool mentions_sizes(const Module& module, TypeId type);              // sizes or a rank, outside of function types
// Structures that nothing needs, cells that nothing reads with what is written to them. Bindings that may fail stay.
// `sure`: those that are known not to.
void drop_unused_parts(const Module& module, Function& function, const std::set<BindingId>& sure);
// By what is not dropped then.
std::set<ValueId> needed_values(const Module& module, const Function& function, const std::set<BindingId>& sure);
} // namespace nereus
