// plan/in_place.h - who may take whose memory: mem.copy gives a value that is about to be changed in part. It costs
// nothing where what it copies is read for the last time: the new value takes the old one's place. A kernel that reads a
// value where it writes its result alone may write over it. The same holds where
// the old value goes into a loop as a state, into the arms of a branch, or into a call whose result begins as a parameter.
//
// Names. Several values are one in memory: views, narrowed values, states that no trip changes have one *root*. A value
// that *may follow* another stands, perhaps, in its memory, once that one is dead.
#pragma once
#include "plan/storage.h"
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace nereus {
class InPlace {
 public:
    InPlace(const Lowered& lowered, const Storage& storage, size_t function);

    ValueId root(ValueId v) const;
    // Nothing reads `old`, under any name, from the binding on that writes `next`, a result of the block; the binding may
    // read it where it is made from it in place.
    bool gives_way(const Block& block, ValueId old, ValueId next) const;
    // The value from around the block that `v` is made from in place, or may be; invalid: none.
    ValueId origin(const Block& block, ValueId v) const;
    // The one value of this block that `v` is made from in place and that nothing else reads; invalid: none.
    ValueId made_here_from(const Block& block, ValueId v) const;
    size_t mentions(const Binding& b, ValueId root) const;           // nested blocks included
    // The last binding of the block that mentions it; the number of bindings if a result does.
    std::optional<size_t> last_mention(BlockId block, ValueId root);

 private:
    using Names = std::unordered_set<ValueId>;
    const Binding* definition(const Block& block, ValueId v) const;  // in this very block
    std::vector<ValueId> made_from(const Binding& b, size_t result) const;           // whose memory a result may take
    bool mentions(const Binding& b, const Names& names) const;
    void count_mentions(BlockId block);
    bool gives_way(const Block& block, Names names, ValueId next) const;
    bool hands_on(const Binding& b, const Names& names, ValueId next) const;
    bool overwrites(const Binding& b, const Names& names, ValueId next) const;

    const Lowered& lowered_;
    const Function& function_;
    const Storage& storage_;
    const FunctionStorage& own_;
    std::unordered_map<ValueId, ValueId> view_of_;
    std::unordered_map<ValueId, const Binding*> definitions_;
    std::unordered_map<ValueId, const Block*> homes_;                // of what bindings define
    std::unordered_map<uint32_t, std::unordered_map<ValueId, size_t>> last_;
    std::vector<uint32_t> mentions_;                                 // by root: in the whole function
};

// Fills in Signature::begins_as of all functions but the entry, whose callers are outside.
void plan_in_place(const Lowered& lowered, FunctionId entry, Storage& storage);
} // namespace nereus
