// pass/size_demands.h - whether an operator asks anything of its sizes that only a check or a fact grants. An operator is
// total where its demands are proved, and the proof may rest on the place: a check above it, the bounds of a loop's
// counter, the condition of an arm. One that is to run elsewhere must have none that do not hold everywhere.
#pragma once
#include "dim/facts.h"
#include "ir/op.h"

namespace nereus {
class SizeDemands {
 public:
    explicit SizeDemands(Module& module) : module_(module), facts_(module.dims) {}
    // By its shape rule, with no more known than what symbols are: sizes are not negative.
    bool hold_everywhere(const Function& function, const Binding& binding, const std::vector<const Binding*>& definitions);

 private:
    Module& module_;
    Facts facts_;
};
} // namespace nereus
