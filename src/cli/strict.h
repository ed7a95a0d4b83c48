// cli/strict.h - refuses a model whose sizes are not all known from those of its inputs, and names the node that is at fault.
// What runs to find its size (class 4, such as NonZero) is none: there is nothing to know before.
#pragma once
#include "cli/commands.h"

namespace nereus {
inline constexpr FlagSpec strict_flag = {"strict", false, "refuse what has a rank or size that does not follow from shapes, nor is found by running, as NonZero's; names the node"};
Status strict_status(const std::string& path, const CompileOptions& options, onnx::TextOptions how, std::vector<SourceText>& out_sources);
int check_strict(const std::string& path, const CompileOptions& options, const onnx::TextOptions& how = {});       // 0, or the exit code of what is wrong, which is printed
} // namespace nereus
