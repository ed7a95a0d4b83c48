// generator/shrink.h - makes a failing program small: it keeps failing in the same way while pieces are left out or
// replaced by smaller ones of the same type, and its inputs by smaller ones.
#pragma once
#include "generator/judge.h"
#include "generator/program.h"

namespace nereus::gen {
// Changes the program; returns what is found in it then. Tries at most so many candidates, for some minutes.
Finding shrink(Program& program, Case c, Finding finding, int tries = 1500);
} // namespace nereus::gen
