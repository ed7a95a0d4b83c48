// pass/effects.h - what running a binding or a function may do besides giving a value: the declared effects of operators,
// carried through blocks and calls. What passes may do with it is contract K9.
#pragma once
#include "ir/op.h"

namespace nereus {
struct Does {
    Effect effect = Effect::total;
    bool ends = true;                        // false: perhaps it never does (while, recursion)
    bool fails = effect == Effect::may_fail; // may, besides an effect of a higher level
    // Total and ending: may move, merge, be copied, vanish.
    bool nothing() const { return effect == Effect::total && ends; }
    // Gives the same value each time, or fails each time: a second one may use the first one's value.
    bool repeats() const { return effect <= Effect::may_fail; }
};

class Effects {
 public:
    explicit Effects(const Module& module);
    Does of(FunctionId function) const { return functions_[function.index]; }
    Does of(const Function& function, const Binding& binding) const;
    Does of(const Function& function, BlockId block) const;

 private:
    const Module& module_;
    std::vector<Does> functions_;
};
} // namespace nereus
