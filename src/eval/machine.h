// eval/machine.h - the interpreter: a stack of activations, each with a stack of the blocks it is inside of.
//
// run() does one binding at a time. A binding that needs a block or a call pushes one and is finished when that ends,
// so no native frame is held across anything the program does. machine.cpp has the loop and calls, control.cpp the
// forms with blocks, forms.cpp the others, builtins.cpp and op_call.cpp the operators.
#pragma once
#include "eval/eval.h"
#include "eval/sized.h"
#include "eval/solve.h"
#include "ir/op.h"
#include "ir/scheme.h"
#include <deque>
#include <unordered_map>

namespace nereus {
struct Loop {                               // a for or while in progress
    int64_t trip = 0, trips = 0;            // trips: for only
    std::vector<std::vector<HostTensor>> yields;         // per yield statement, one tensor per trip
};
// A block in progress. Cursors of nested blocks lie above it, in the same activation.
struct BlockCursor {
    enum class Role : uint8_t { body, arm, guard, condition, loop } role = Role::body;
    BlockId block;
    uint32_t next = 0;                      // index of the binding to run next
    BindingId owner;                        // whose block it is; invalid for a body
    uint32_t arm = 0;                       // match: which arm
    std::unique_ptr<Loop> loop;             // condition, loop
};
struct Frame {
    FunctionId function;
    BlockId block;                          // the function's body, or a lambda's block
    BindingId caller;                       // the binding in the frame below that waits for the result
    std::vector<Datum> values;              // by ValueId
    std::vector<BlockCursor> cursors;
    Scope scope;
};

// What entering a function or lambda needs to know about its parameters.
struct Entry {
    std::vector<Sym> wanted;                // sizes they name
    bool closed = true;                     // they name no size, shape or dtype at all
};

class Machine {
 public:
    Machine(const Module& module, const EvalOptions& options) : module_(module), options_(options), sized_(module) {}
    Result<Datum> run(FunctionId entry, std::vector<Datum> args);
    Cells& cells() { return cells_; }
    SizedTypes& sized() { return sized_; }
    // One object; finds the dims its constructor binds and checks that its fields agree.
    struct BadField { std::optional<size_t> field; std::string inside; };            // whose sizes do not fit; where in it
    Result<Datum> construct(DeclId decl, uint32_t constructor, std::vector<Datum> fields, BadField* out_bad = nullptr);

 private:
    // machine.cpp
    Status step();
    Status run_binding(const Binding& binding);
    Status end_block();
    Status enter(FunctionId function, BlockId block, std::span<const ValueId> params, std::vector<Datum> args, BindingId caller,
                 Frame frame);
    Status call(FunctionId function, std::vector<Datum> args, std::span<const Dim> dims, BindingId caller);
    Status apply(const Binding& binding);
    const Entry& entry_of(FunctionId function, BlockId block, std::span<const ValueId> params);
    Status leave();
    Status check(const Binding& binding, const std::string& what);
    Status check_fact(const DimFact& fact, const Scope& scope, const std::string& what);
    Error located(Error error, const Binding& binding) const;
    Error unsolved_argument(const Function& entry, std::span<const Datum> args, Error error) const;
    Error misfit_argument(const Function& entry, std::span<const Datum> args, size_t which, const Scope& scope, const Misfit& misfit) const;

    // forms.cpp
    Result<Datum> simple_form(const Binding& binding);
    Result<Datum> literal(const Binding& binding);
    Result<Datum> record(const Binding& binding);
    Result<Datum> field(const Binding& binding);
    Result<Datum> updated(const Binding& binding);
    Result<Datum> indexed(const Binding& binding);
    Datum lambda(const Binding& binding);
    const std::vector<ValueId>& captures_of(FunctionId function, BindingId lambda);

    // control.cpp
    Status start_if(const Binding& binding);
    Status try_arms(const Binding& binding, uint32_t first);
    Status open_arm(const Binding& binding, uint32_t arm);
    Status enter_arm(const Binding& binding, uint32_t arm);
    Status start_loop(const Binding& binding);
    Status loop_condition_ended(bool holds);
    Status loop_body_ended();
    Status next_trip();
    Status finish_loop();
    Result<Datum> stacked(const Binding& binding, size_t yield, const Loop& loop);
    Result<bool> condition(const Datum& value) const;

    // op_call.cpp, builtins.cpp
    Result<Datum> op_call(const Binding& binding);
    Result<Datum> builtin(const Binding& binding);
    Result<Datum> run_op(const OpDef& op, const EvalArgs& args);
    const Scheme& scheme_of(const OpDef& op);

    // Gives a finished binding its result, and the symbols it defines their values.
    Status finish(const Binding& binding, Datum result);
    Status define(std::span<const Sym> symbols, std::span<const Dim> values, const Scope& from, Scope& to);
    std::optional<DType> dtype_of(ValueId value) const;

    Frame& top() { return frames_.back(); }
    const Frame& top() const { return frames_.back(); }
    const Function& function() const { return module_[top().function]; }
    const Datum& value(ValueId id) const { return top().values[id.index]; }
    const Datum& arg(const Binding& binding, size_t i) const { return value(binding.args[i]); }
    std::vector<Datum> args_from(const Binding& binding, size_t first) const;
    std::string name_of(ValueId value) const { return "%" + function()[value].name; }

    const Module& module_;
    const EvalOptions& options_;
    Cells cells_;                           // emptied after the frames below are gone
    SizedTypes sized_;
    std::deque<Frame> frames_;
    Span running_;                          // of the binding that was begun last
    std::optional<Datum> result_;           // of the entry
    size_t steps_ = 0;
    std::unordered_map<uint64_t, std::vector<ValueId>> captures_;    // by function and lambda
    std::unordered_map<uint64_t, Entry> entries_;                    // by function and block
    std::unordered_map<const OpDef*, Scheme> schemes_;
};
} // namespace nereus
