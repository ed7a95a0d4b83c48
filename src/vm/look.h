// vm/look.h - the sizes of tensors inside an object, against a door type: what the elements show, and whether all of
// them agree. Objects may be a million levels deep and share parts, so both keep their own stack and meet what is
// shared once.
#pragma once
#include "vm/loaded.h"
#include "vm/object.h"

namespace nereus {
// Per door size, what the first element that shows it says, depth first; -1: none does.
void observe(const LoadedExecutable& program, uint32_t type, const Object* object, std::span<int64_t> sizes);

struct Mismatch { std::string expected, found; bool same_rank = true; };     // shapes as text
// An element that is not as the type and these sizes say; nothing: all are.
std::optional<Mismatch> find_mismatch(const LoadedExecutable& program, uint32_t type, const Object* object,
                                  std::span<const int64_t> sizes);
} // namespace nereus
