// ops/library_call.h - a launch of a kernel that was written by hand; library/kernels.h says what each one expects.
#pragma once
#include "ops/lowering.h"

namespace nereus {
class LibraryCall {
 public:
    struct Along { uint32_t group; std::vector<Stride> strides; };

    LibraryCall(OpLowering& op, std::string name) : op_(op) { spec_.kernel.name = std::move(name), spec_.library = true; }
    uint32_t group(std::string name, loop::Role role, std::vector<Dim> extents);     // tasks divide the first one
    void buffer(std::string name, ValueId value, bool out, std::vector<Along> along);
    void scalar(std::string name, Dim dim);
    void gives_late(Sym symbol) { spec_.late.push_back(symbol); }
    Status launch() { return op_.launch(std::move(spec_)); }

 private:
    OpLowering& op_;
    LaunchSpec spec_;
};
} // namespace nereus
