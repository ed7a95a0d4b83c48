// dim/dead_ends.h - goals whose search found nothing. It would find nothing again as long as nothing was learnt or
// forgotten about the atoms that it looked at: most of what a program learns has nothing to do with an earlier question.
#pragma once
#include "dim/dims.h"
#include <unordered_map>

namespace nereus {
class DeadEnds {
 public:
    void touch(Atom a);                                  // something is learnt or forgotten about it
    void add(Dim goal, std::vector<Atom> looked_at);     // with the atoms inside of them
    bool know(Dim goal) const;

 private:
    struct End { uint64_t when; std::vector<Atom> looked_at; };
    std::unordered_map<Dim, End> ends_;
    std::vector<uint64_t> touched_;                      // per atom: which touch was its last
    uint64_t touches_ = 0;
};
} // namespace nereus
