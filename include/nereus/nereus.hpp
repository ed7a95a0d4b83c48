// nereus/nereus.hpp - all of the library for C++: values, compiling, running.
#pragma once
#include "nereus/compile.hpp"
#include "nereus/executable.hpp"
#include "nereus/result.hpp"
#include "nereus/value.hpp"
