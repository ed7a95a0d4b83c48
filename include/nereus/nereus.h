// nereus/nereus.h - all of the library: values, compiling, running.
#pragma once
#include "nereus/compile.h"
#include "nereus/executable.h"
#include "nereus/result.h"
#include "nereus/value.h"
