// cli/lint.h - numbers in a model that look like sizes of the example it was exported with, and what of it nobody looks at.
#pragma once
#include "cli/dynamism.h"

namespace nereus {
struct LintWarning {
    std::string rule;                            // fixed_size, frozen_constant, recorded_shape, unknown_attribute, those of ModelNote
    std::string node;                            // as node_title; empty: of no single node
    std::string message, hint;
};
std::vector<LintWarning> lint(Dynamism& dynamism, const SourceProgram& program);
} // namespace nereus
