// infer/types_walk.h - the walk over one body, shared by types_body.cpp (values) and types_control.cpp (branches, loops).
// One method per form of binding. Locals never generalise, so a value has one term and every use unifies with it.
#pragma once
#include "infer/types_body.h"

namespace nereus {
class TypeWalk {
 public:
    TypeWalk(TypeContext& context, FunctionId id, BodyTypes& types, std::vector<Deferred>& open)
        : context_(context), terms_(context.terms), id_(id), function_(context.module[id]), types_(types), open_(open),
          immediate_(function_.values.size()) {}
    Status function();

 private:
    Result<TermId> block(BlockId id);                    // the type of its results
    Status bind(BindingId id);
    Result<TermId> infer(BindingId id, const Binding& b);
    Result<TermId> literal(const Literal& literal, Span span);
    Result<TermId> op(const Binding& b);
    Result<TermId> call(BindingId id, const Binding& b);
    Result<TermId> apply(const Binding& b);
    Result<TermId> construct(const Binding& b);
    Result<TermId> record(const Binding& b);
    Result<TermId> index(const Binding& b);
    Result<TermId> seq(const Binding& b);
    Result<TermId> lambda(const Binding& b);
    Status custom_gradient();

    Result<TermId> if_else(const Binding& b);
    Result<TermId> match(const Binding& b);
    Status pattern(const Binding& b, const Pattern& p, TermId subject);
    Status record_pattern(const Binding& b, const Pattern& p, TermId subject);
    Status enter_loop(const Binding& b);
    Result<TermId> for_loop(const Binding& b);
    Result<TermId> while_loop(const Binding& b);
    Status initial_states(const Binding& b, std::span<const ValueId> states, std::span<const ValueId> initial);
    Result<TermId> loop_result(const Binding& b, BlockId body, std::span<const ValueId> states);

    TermId of(ValueId value) const { return types_.values[value.index]; }
    TermId bind_param(ValueId value);                    // its annotation, or a new unknown
    TermId bundle(const std::vector<TermId>& parts);     // one stands for itself, others are a tuple
    Deferred deferred(Deferred::Kind kind, const Binding& b, TermId subject) const;
    Status wait(Deferred one);                           // tried at once
    Status count_arguments(Span span, std::string_view sigil, std::string_view name, size_t wanted,
                           size_t given) const;
    Status condition(TermId found, Blame blame);
    Status operand(const Binding& b, size_t at, TermId expected);        // of an operator
    const Binding* definition(ValueId value) const;
    bool annotates(const Binding& apply) const;
    Error no_such_record(std::span<const std::string> fields, Span span) const;

    Blame blame(Span span, std::string_view what, ValueId value) const;      // of a value, where it is written if it is
    Blame blame_argument(const Binding& b, size_t position, ValueId value, std::string_view owner,
                         std::string_view sigil) const;
    Blame blame_block(BlockId block, std::string_view what, size_t position = 0) const;      // of its result

    TypeContext& context_;
    Terms& terms_;
    FunctionId id_;
    const Function& function_;
    BodyTypes& types_;
    std::vector<Deferred>& open_;
    int loops_ = 0;                                      // around what is being typed
    std::vector<bool> immediate_;                        // by ValueId: written as a literal or dim
};
} // namespace nereus
