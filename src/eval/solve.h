// eval/solve.h - finds the values of sizes from values whose types mention them.
//
// In this order: a direct tensor, or one in a tuple or record, where the size stands alone; one where it is the only
// unknown of a*d + b; the first element of a container that mentions it, depth first; else there is no element, and
// the size is 0. Shape variables and dtype variables of direct tensors are bound on the way.
#pragma once
#include "eval/datum.h"

namespace nereus {
struct Claim { TypeId type; const Datum* value; };       // the value has this type

// Gives every wanted symbol that `scope` does not know yet a value. Does not compare: that is SizedTypes' job, except
// that a size with no whole, non-negative solution is an error.
Status solve_sizes(const Module& module, std::span<const Sym> wanted, std::span<const Claim> claims, Scope& scope);
// As above, for the sizes a constructor binds and those of its type, from the fields of one object.
Status solve_fields(const Module& module, DeclId decl, uint32_t constructor, std::span<const Datum> fields, Scope& scope);

// The symbols a type mentions, each once, in order of appearance; '?' is left out.
void collect_symbols(const Module& module, TypeId type, std::vector<Sym>& symbols);
} // namespace nereus
