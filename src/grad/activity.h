// grad/activity.h - which values of a piece of code depend on what is differentiated by, through operators that have a
// gradient. Others are constant: they have no adjoint.
#pragma once
#include "grad/cell_adjoints.h"

namespace nereus {
class Activity {
 public:
    Activity(ShadowTypes& shadows, CellAdjoints& cells, const Function& function)
        : shadows_(shadows), cells_(cells), function_(function) {}
    void run(BlockId block, size_t first, const std::vector<ValueId>& inputs);
    bool active(ValueId v) const { return active_.contains(v); }
    void set(ValueId v);                                 // unless its type holds no floats

 private:
    void run(BlockId block, size_t first);
    bool decide(const Binding& b);
    void bind(const Pattern& pattern);
    bool loop(const Binding& b);

    ShadowTypes& shadows_;
    CellAdjoints& cells_;
    const Function& function_;
    std::set<ValueId> active_;
};
} // namespace nereus
