// infer/types_group.h - types every function of a module, group by group.
#pragma once
#include "infer/types_body.h"

namespace nereus {
// Functions that refer to each other, directly or in a circle, form a group; each group comes after those it refers to.
std::vector<std::vector<FunctionId>> reference_groups(const Module& module);
// Within a group recursion is monomorphic; then everything left unknown is quantified. Fills context.schemes; the
// result is by FunctionId.
Result<std::vector<BodyTypes>> type_functions(TypeContext& context);
} // namespace nereus
