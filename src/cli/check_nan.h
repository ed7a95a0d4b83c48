// cli/check_nan.h - finds the node of a model that makes the first NaN or infinity, also in bodies of control flow and functions.
//
// The model is compiled with two numbers more for every float, counted right after its node: how many NaNs it holds and how many
// elements that are not finite. So values die as they do in any call, and memory stays what it is, but for these numbers of
// each trip. Who is to blame: cli/first_bad_node.h.
#pragma once
#include "cli/commands.h"

namespace nereus {
int check_nan(const std::string& path, Arguments arguments);         // exit 1: a node is to blame
} // namespace nereus
