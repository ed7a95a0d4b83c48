// value/path.h - where a part stands inside a value, in the words of the language:
//   .layers[2].w    field layers, element 2 of that Seq, field w        .0    the first part of a tuple
//   .Node.1         argument 1 of a Node        [3]  of a list made of Cons too, and [3:] what follows
#pragma once
#include "value/value.h"

namespace nereus {
// "" for the whole itself. The middle of a long path is left out. Where several paths lead to the part, the first.
std::string path_to(const Value& whole, const Value& part);      // the very object: not one that is equal
} // namespace nereus
