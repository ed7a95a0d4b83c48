// api/executable.h - the handle of a compiled program.
#pragma once
#include "api/signature.h"
#include "vm/loaded.h"
#include <atomic>

struct nereus_executable {
    explicit nereus_executable(std::shared_ptr<const nereus::LoadedExecutable> loaded)
        : program(std::move(loaded)), signatures(program->exe()) {}
    const nereus::Executable& exe() const { return program->exe(); }

    mutable std::atomic<int64_t> owners = 1;
    std::shared_ptr<const nereus::LoadedExecutable> program;
    nereus::api::Signatures signatures;
};
