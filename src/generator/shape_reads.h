// generator/shape_reads.h - the program as lowering sees it: numbers that are known as sizes need no tensor that has them.
#pragma once
#include "base/result.h"
#include "ir/module.h"

namespace nereus::gen {
// The module behind the last stage, without what is computed only to be asked for its shape: its errors are not reported
// by compiled code (contract K9).
Result<Module> without_shape_reads(Module module);
} // namespace nereus::gen
