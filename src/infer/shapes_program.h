// infer/shapes_program.h - the whole program under analysis: instances of its functions and lambdas, what each gives
// back, and the rounds until nothing changes.
//
// An instance's summary starts at bottom and is recomputed while it changes and was used by its own recursion. One that
// leant on a caller still under analysis is tentative and is analysed again when it is needed next. When all is stable,
// every instance that the entry reaches is walked once more, audibly: that walk reports errors, leaves checks and
// emits.
#pragma once
#include "infer/acts.h"
#include "infer/shapes.h"
#include "infer/shapes_key.h"
#include "infer/shapes_prune.h"
#include <set>

namespace nereus {
// Something that can be called: a function, or a lambda with the values and dims its body takes from around it.
struct Callable {
    FunctionId function;
    BindingId lambda;                                    // invalid: the function itself
    std::vector<ValueId> captures;
    std::vector<Sym> captured_dims;                      // become captured numbers, after the values
    uint32_t origin = UINT32_MAX;                        // a variant: the code it is one of
};

// What comes back, in the key's symbols; sizes the callee chose are the pool's result symbols, in order.
struct Summary {
    AbsId result;
    std::vector<bool> extent;                            // per result symbol
    std::vector<std::string> names;
    size_t tails = 0;                                    // shape variables of the result that are not the key's
    std::optional<Error> refused = {};                   // why nothing comes back, or, `refuted`, never will
    bool refuted = false;
};

struct Instance {
    enum class State : uint8_t { idle, busy, tentative, final };
    KeyPlan plan;                                        // its actuals mean nothing
    Summary summary;
    AbsId covered = AbsId(0);                            // by the containers of the next summary: earlier ones took turns
    State state = State::idle;
    bool used_while_busy = false;
    uint32_t epoch = 0;                                  // of a tentative summary
    size_t leans_on = SIZE_MAX;                          // tentative: the lowest place of the stack it depended on
    std::map<Key, uint32_t> resolved;                    // recursive calls as the last walk matched them
    std::set<BindingId> unlike_arms;                     // branches whose arms had different ranks in some walk
    FunctionId output;                                   // given when an audible walk first calls it
    uint32_t caller = UINT32_MAX;                        // who did, and where
    Span call;
    bool certain = true;                                 // false: reached only where one of several closures may be called
};

class Program {
 public:
    Program(Module& module, ShapeReport& report);
    Status analyse_from(FunctionId entry);

    Module& module;
    Abstracts abstracts;
    PatternPool pool;
    ShapeReport& report;
    std::deque<Instance> instances;
    std::vector<Callable> codes;
    std::vector<Function> out;
    std::vector<SymbolNames> symbol_names;               // per function of `out`

    uint32_t code_of(FunctionId function);
    // `known`: sizes that stand for something where the lambda is made. It takes those from there; others that it
    // mentions are its own, or those of a lambda inside.
    uint32_t code_of(FunctionId function, BindingId lambda, const std::map<Sym, Dim>& known);
    // The lambda for captured values of these ranks and functions. Closures that differ in them stay apart, as
    // instances do: one that served tensors of several ranks at once could not be compiled. A lambda that captures
    // itself is told apart by ranks alone, for there is no end of others.
    uint32_t code_for(uint32_t lambda, const std::vector<AbsId>& captured);
    // The instance for a call from `caller`. `args` are in the caller's terms, normalised.
    struct Target { uint32_t instance; KeyPlan plan; };
    Result<Target> resolve(uint32_t caller, uint32_t code, bool checks, const std::vector<AbsId>& args, const RangeOf& range,
                           const std::function<bool(Dim, Dim)>& equal);
    Result<const Summary*> summary(uint32_t instance);   // analyses it if need be
    FunctionId output_of(uint32_t instance, uint32_t caller, Span call, bool certain = true);
    std::vector<Note> call_path(uint32_t instance, Span where) const;    // of an error there

    // Cells live as long as the analysis and only widen; any widening after its first use starts the analysis anew. A
    // cell is known by its place and by the ranks its maker works on, not by the maker's whole key: that key can hold
    // cells, so names would never end.
    uint32_t cell(const Key& creator, BindingId site);
    AbsId cell_content(uint32_t cell) const { return cells_[cell]; }
    void widen_cell(uint32_t cell, AbsId content);
    size_t widenings = 0;                                // of cells, so far
    Acts acts;
    // `what` have different ranks and become one value; a missing one is null. Says so once per place.
    void warn_of_ranks(Span where, std::string_view what, const std::vector<const Shape*>& shapes);

 private:
    uint32_t instance_of(KeyPlan plan);
    bool holds(AbsId value, uint32_t lambda) const;      // a variant of it, at any depth
    Status analyse(uint32_t instance);
    Status emit(uint32_t instance);
    Result<uint32_t> entry_instance(FunctionId entry);

    std::map<Key, uint32_t> by_key_;
    std::map<std::tuple<FunctionId, BindingId, std::vector<Sym>>, uint32_t> code_ids_;
    std::map<std::pair<uint32_t, std::string>, uint32_t> code_variants_;
    std::vector<uint32_t> stack_;
    std::vector<size_t> leaning_;                        // per place of the stack
    uint32_t epoch_ = 0;
    std::vector<uint32_t> to_emit_;
    std::map<std::string, int> name_uses_;
    std::map<std::tuple<uint32_t, std::string, BindingId>, uint32_t> cell_ids_;
    std::vector<AbsId> cells_;
};
} // namespace nereus
