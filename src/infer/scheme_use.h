// infer/scheme_use.h - an operator's scheme at one use: what each argument must be, and what comes out.
#pragma once
#include "infer/types_context.h"

namespace nereus {
struct OpTypes { std::vector<TermId> args; TermId result; };      // args: as many as the binding has

// `written` gives the terms of the enclosing signature's variables, which may stand where a dtype does: cast(%x, t).
Result<OpTypes> op_types(TypeContext& context, const Binding& binding, WrittenTypes& written);
} // namespace nereus
