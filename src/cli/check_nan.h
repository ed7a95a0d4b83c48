// cli/check_nan.h - finds the node of a model that makes the first NaN or infinity.
//
// The model is compiled with two numbers more for every float of its main graph, counted right after its node: how many NaNs
// it holds and how many elements that are not finite. So values die as they do in any call, and memory stays what it is. A node
// is to blame for a NaN if none of its inputs has one, and for an infinity if none of them has either; constants may hold both.
#pragma once
#include "cli/commands.h"

namespace nereus {
int check_nan(const std::string& path, Arguments arguments);         // exit 1: a node is to blame
} // namespace nereus
