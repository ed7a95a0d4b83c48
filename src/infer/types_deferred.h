// infer/types_deferred.h - what cannot be typed before another type is known: .0, .f, {e with f = …}, e[…], length, grad,
// map_leaves and fold_leaves, and records whose fields do not name one type.
#pragma once
#include "infer/types_term.h"

namespace nereus {
struct TypeContext;

struct Deferred {
    enum class Kind : uint8_t { project, field, update, record, record_pattern, index, length, grad, leaves } kind = Kind::project;
    TermId subject;                         // must be known first
    TermId result;                          // project, field, index, grad: what comes out
    std::vector<TermId> parts;              // update, record, record_pattern: the types of the named fields, in order; leaves: f
    FunctionId function;                    // where it is written
    const Binding* binding = nullptr;       // record_pattern: the match
    const Pattern* pattern = nullptr;       // record_pattern
    Span call;                              // the call through which it came with a scheme; not known: written here

    Span span() const;
    std::span<const std::string> names() const;
};

// Solves what can be solved, in rounds, and keeps the rest in order.
Status solve(TypeContext& context, std::vector<Deferred>& open);
// Then gives a field of an unknown value to the only record that has it, and solves again.
Status solve_by_fields(TypeContext& context, std::vector<Deferred>& open);
// The error for one that stays open where everything must be known.
Error still_open(const TypeContext& context, const Deferred& open);
} // namespace nereus
