// grad/rewrite.h - writes one function from another: as it is, with its gradients expanded, or taped.
//
// A value of the source has a *twin* in the output: the value itself and, in taped code, its shadow. No shadow where the
// type is inert, and none for a constant: that gets a fresh one, which nobody reads, where one must be handed on.
//
// rewrite.cpp: copies; rewrite_grad.cpp: grad(f) itself; rewrite_taped.cpp: plain forms of taped code;
// rewrite_control.cpp: if, match, loops; rewrite_op.cpp: operators.
#pragma once
#include "grad/gradients.h"

namespace nereus {
struct Twin { ValueId value, shadow; };

class Rewrite {
 public:
    Rewrite(Gradients& all, const Function& source, Function& out);
    // The body as it is, but for gradients of functions that contain none themselves. True: something was expanded.
    Result<bool> expand();
    // The body as it is, but for indexing: that becomes operators.
    Status copied();
    // Parameters, shadows, tape; the body; what comes back is with_shadow of the result.
    Status taped();
    // A lambda of the source as a function: what it captures, then its parameters.
    Status lifted(const Binding& lambda, const std::vector<ValueId>& captured);

 private:
    // Copies.
    Result<BlockId> copy_block(BlockId from);
    std::vector<ValueId> new_params(BlockId from);                   // of its parameters; twins are set
    Status copy_bindings(BlockId from);
    Status copy(const Binding& b);
    Binding with_new_args(const Binding& b);                         // no results, no blocks
    Pattern renamed(const Pattern& pattern);

    // Gradients.
    struct Target { const Binding* definition = nullptr; bool ready = false; };
    Result<Target> target_of(const Binding& b) const;
    bool holds_gradient(BlockId block) const;
    bool awaits_gradient(const Binding& lambda) const;
    struct Asked { const Binding* target = nullptr; bool product = false; };
    Status plan();                                                   // the gradients to be expanded, and in which form
    Result<bool> takes_product(const Binding& b, const Binding& target);
    bool is_used_as_value(ValueId v) const;
    std::vector<ValueId> captured(const Binding& lambda) const;
    bool sizes_are_told(const Binding& lambda) const;
    void sizes_of(TypeId type, bool shows, std::set<Sym>& shown, std::set<Sym>& mentioned) const;
    std::set<Sym> sizes_mentioned(BlockId block) const;
    Status product(const Binding& b, const Binding& target);
    Status closures(const Binding& b, const Binding& target);
    Result<GradientForm> form_of(const Binding& b);
    Result<Twin> run_target(const Binding& target, const std::vector<ValueId>& params, const std::vector<ValueId>& shadows);
    Status shadow_captured_cells(const Binding& lambda);
    Status outer_cells(ValueId v);

    // Taped code.
    Result<Twin> taped_block(BlockId from);                          // of the one result, in the block at hand
    Status taped_bindings(BlockId from);
    Status taped_binding(const Binding& b);
    Result<Twin> taped_form(const Binding& b);
    Result<Twin> call(const Binding& b);
    Result<Twin> apply(const Binding& b);
    Result<Twin> construct(const Binding& b);
    Result<Twin> field(const Binding& b);
    Result<Twin> update(const Binding& b);
    Result<Twin> lambda(const Binding& b);
    Result<ValueId> taped_lambda(const Binding& b);
    Result<Twin> index(const Binding& b, const std::function<Result<Twin>(Binding, Twin)>& write);
    Result<Twin> taped_index(const Binding& b);
    Result<ValueId> plain_index(const Binding& b);
    Result<Twin> branch(const Binding& b);
    Result<Twin> match(const Binding& b);
    Result<Twin> loop(const Binding& b);
    Result<Twin> operate(const Binding& b);
    Result<Twin> builtin(const Binding& b);
    struct Operation { Binding binding; std::vector<ValueId> shadows; TypeId type; std::string name; };  // shadows: per arg
    Result<Twin> tape_op(Operation operation);
    void push_step(ValueId step);
    void push_yield_step(ValueId stacked, ValueId cell, ValueId cells);
    Pattern shadow_pattern(const Pattern& pattern, TypeId type, std::vector<ValueId>& variables);

    Twin twin(ValueId from) const { return twins_[from.index]; }
    ValueId value(ValueId from) const { return twins_[from.index].value; }
    TypeId type(ValueId from) const { return source_[from].type; }
    TypeId type(const Binding& b) const { return source_[b.results[0]].type; }
    const std::string& name(const Binding& b) const { return source_[b.results[0]].name; }
    bool is_constant(ValueId from) const { return !twin(from).shadow.valid() && !shadows_.inert(type(from)); }
    Result<ValueId> shadow(ValueId from);                            // () where the type is inert
    Result<ValueId> shadow(const Twin& twin);
    ValueId join(const Twin& twin, TypeId type, ValueId shadow);     // with_shadow
    Twin parted(ValueId joined, TypeId type, std::string_view name); // the other way round

    Gradients& all_;
    Module& module_;
    ShadowTypes& shadows_;
    const Function& source_;
    Writer w_;
    std::vector<Twin> twins_;
    std::unordered_map<ValueId, const Binding*> definitions_;
    ValueId tape_;
    bool expanded_ = false, resolves_index_ = false;
    std::map<const Binding*, Asked> asked_;
    struct Expanded { FunctionId function; std::vector<ValueId> captured; };
    std::map<ValueId, Expanded> products_;   // gradients that are functions now, by the value that named them
    std::vector<ValueId> cells_;             // that come from outside of the gradient being written
};
} // namespace nereus
