// driver/init.h - what depends on constants only is computed at the end of a compile: @init is compiled like any program,
// for this machine, run, and its results are constants of the executable, next to those that somebody wrote.
#pragma once
#include "driver/pipeline.h"

namespace nereus {
// Without CompileOptions::run_init the program stays as it is. An @init that fails stays where it was, and fails when the
// program comes to it (contract K9).
Result<Module> init_stage(Module module, StageContext& context);
} // namespace nereus
