// infer/types_body.h - the types of everything inside one function, from its signature and the schemes of what it calls.
#pragma once
#include "infer/types_context.h"

namespace nereus {
struct BodyTypes {
    BodyTypes(const Module& module, Terms& terms) : written(module, terms) {}
    WrittenTypes written;                                // the terms of the variables in its annotations
    TermId type;                                         // of the function itself
    std::vector<TermId> values;                          // by ValueId; invalid: not reached from the body
    std::vector<TermId> callees;                         // by BindingId: call, function: the type this use needs
    TermId vjp_forward, vjp_backward;                    // the types these need, where they are declared
    std::vector<std::pair<const Pattern*, TermId>> record_patterns;
    std::vector<BindingId> literals, matches;
};

// Terms for the parameters, the result and every annotated value. `rigid`: the variables of the signature stand for
// every type, as they must when the function is typed for all its callers.
BodyTypes read_signature(TypeContext& context, FunctionId function, bool rigid);
// Fills in the rest. What must wait is appended to `open`.
Status infer_body(TypeContext& context, FunctionId function, BodyTypes& types, std::vector<Deferred>& open);
// Once everything is solved: no type contains itself, integers fit their dtype, matches cover their subject.
Status check_body(const TypeContext& context, FunctionId function, const BodyTypes& types);
} // namespace nereus
