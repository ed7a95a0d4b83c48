// infer/acts.h - which bindings do something that others see besides their value: print, or write to a cell. An error
// must not come before it if it comes after it in the program as written.
#pragma once
#include "ir/module.h"

namespace nereus {
class Acts {
 public:
    explicit Acts(const Module& module) : module_(module) {}
    bool block(const Function& function, BlockId block);
    bool binding(const Function& function, const Binding& binding);

 private:
    void look();                                         // when first asked: most programs never ask
    bool seen(const Function& function, BlockId block) const;
    bool seen(const Function& function, const Binding& binding) const;

    const Module& module_;
    std::vector<bool> functions_;
    bool anything_ = false;                              // somewhere in the module; nobody knows what a closure does
};
} // namespace nereus
