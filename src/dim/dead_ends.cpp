#include "dim/dead_ends.h"
#include <algorithm>

namespace nereus {
void DeadEnds::touch(Atom a) {
    if (a.index >= touched_.size()) touched_.resize(2 * a.index + 1);
    touched_[a.index] = ++touches_;
}

void DeadEnds::add(Dim goal, std::vector<Atom> looked_at) {
    constexpr size_t most = 1 << 16;                     // what is dropped is searched for again
    if (ends_.size() >= most) ends_.clear();
    ends_[goal] = {touches_, std::move(looked_at)};
}

bool DeadEnds::know(Dim goal) const {
    auto found = ends_.find(goal);
    return found != ends_.end() && std::ranges::all_of(found->second.looked_at, [&](Atom a) {
               return a.index >= touched_.size() || touched_[a.index] <= found->second.when;
           });
}
} // namespace nereus
