// driver/pipeline.h - the order of the stages and why it is that.
#pragma once
#include "driver/compile.h"

namespace nereus {
struct StageContext { const CompileOptions& options; CompileReport& report; };

struct Stage {
    std::string_view name;
    Result<Module> (*run)(Module, StageContext&);
    bool optional;                           // an optimisation: the program means the same without it
    std::string_view reason;
};
std::span<const Stage> pipeline();           // up to the last module; kernels, storage and emit follow in compile.cpp
} // namespace nereus
