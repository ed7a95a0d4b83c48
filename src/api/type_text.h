// api/type_text.h - the types of an entry point for people to read.
#pragma once
#include "exe/executable.h"

namespace nereus::api {
// Tensor[(n, 4), f32], (A, B), {w: A, b: B}, Seq[A], Leaf(A) | Node(Leaf|Node, Leaf|Node): a data type is
// written out once, then named by its constructors. An axis that is not observed is `_`, one that its
// constructor binds `_0`, one that the tensors of an object share `?0`.
// The axes of a tensor in these words, outermost first; of any rank: those that are known to lead.
std::vector<std::string> dim_texts(const EntryInfo& entry, const DoorType& tensor);
std::string type_text(const Executable& exe, const EntryInfo& entry, uint32_t type);
} // namespace nereus::api
