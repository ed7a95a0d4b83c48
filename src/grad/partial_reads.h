// grad/partial_reads.h - of which values parts are read: by an index, or by a function that is given them. Their adjoints are
// accumulators that go along with the backward code and are added to in place; one that were made anew for every part
// and then added would cost the size of the whole each time.
#pragma once
#include "ir/module.h"
#include <map>
#include <set>

namespace nereus {
class Products;

// What goes through the backward half of a function as an accumulator, of a parameter.
enum class Threaded : uint8_t { nothing, tensors, everything };

class PartialReads {
 public:
    explicit PartialReads(Products& all) : all_(all) {}

    // A parameter of which parts are read goes through with everything; one that a recursion hands on with its tensors.
    const std::vector<Threaded>& of(FunctionId function);
    // All values of which parts are read, through structures that hold them too.
    std::set<ValueId> in(const Function& function);

 private:
    std::vector<FunctionId> new_ones(FunctionId from);   // that it reaches and nobody asked for yet; nothing is known of them
    bool update(FunctionId function);                    // from what is known of those it calls

    Products& all_;
    std::map<FunctionId, std::vector<Threaded>> known_;
};
} // namespace nereus
