// Two courses of a call that come to the same place: are their objects the same but for names, and what is so in both?
#include "vm/shadow_heap.h"

namespace nereus {
void ShadowHeap::describe(std::span<const Word> roots, std::vector<uint64_t>& out) const {
    std::vector<uint32_t> number(things_.size(), UINT32_MAX), order;     // by the first way to each
    auto words = [&](std::span<const Word> all) {
        out.push_back(all.size());
        for (Word word : all) {
            bool named = word.kind == Word::Kind::object || word.kind == Word::Kind::elements;
            if (named && !find(word)) word = {};         // its object is gone: nobody will use it
            else if (named) {
                uint32_t& known = number[uint32_t(word.value)];
                if (known == UINT32_MAX) {
                    known = uint32_t(order.size());
                    order.push_back(uint32_t(word.value));
                }
                word.value = known;
            }
            out.insert(out.end(), {uint64_t(word.kind) << 32 | word.offset, word.value});
        }
    };
    out.push_back(uint64_t(live_bytes_));
    words(roots);
    for (size_t i = 0; i < order.size(); ++i) {
        const Thing& thing = things_[order[i]];
        out.insert(out.end(), {uint64_t(thing.kind) << 32 | uint64_t(thing.dtype) << 16 | thing.tag,
                               uint64_t(thing.refs) << 32 | thing.capacity, uint64_t(thing.bytes), thing.dims.size()});
        for (int64_t dim : thing.dims) out.push_back(uint64_t(dim));
        out.insert(out.end(), {thing.at_most, thing.written});
        thing.elements.describe(out);
        words(thing.parts);
        words(thing.bound);
    }
}

bool ShadowHeap::join(std::span<Word> roots, const ShadowHeap& other, std::span<const Word> other_roots) {
    constexpr uint32_t none = UINT32_MAX;
    std::vector<uint32_t> theirs(things_.size(), none), ours(other.things_.size(), none);
    std::vector<uint32_t> paired;            // of ours, whose parts are still to be joined
    bool changed = false;
    auto pair = [&](uint32_t i, uint32_t j) {
        if (theirs[i] != none || ours[j] != none) return theirs[i] == j;
        const Thing &a = things_[i], &b = other.things_[j];
        bool same = a.kind == b.kind && a.dtype == b.dtype && a.tag == b.tag && a.bytes == b.bytes &&
                    a.items_bytes == b.items_bytes && a.dims == b.dims && a.at_most == b.at_most && a.bound.size() == b.bound.size() &&
                    a.parts.size() == b.parts.size();
        if (!same) return false;
        theirs[i] = j;
        ours[j] = i;
        paired.push_back(i);
        return true;
    };
    auto join_word = [&](Word& a, Word b) {
        if (a.kind == Word::Kind::unknown) return;
        bool same = a == b;
        if (a.kind == Word::Kind::object || a.kind == Word::Kind::elements) {
            if (!find(a)) return void(a = {});           // its object is gone: nobody will use it
            same = b.kind == a.kind && b.offset == a.offset && other.find(b) && pair(uint32_t(a.value), uint32_t(b.value));
        }
        if (same) return;
        a = {};
        changed = true;
    };
    for (size_t i = 0; i < roots.size(); ++i) join_word(roots[i], other_roots[i]);
    while (!paired.empty()) {
        Thing& a = things_[paired.back()];
        const Thing& b = other.things_[theirs[paired.back()]];
        paired.pop_back();
        if (b.refs > a.refs) a.refs = b.refs, changed = true;        // an owner too many only keeps it
        changed |= a.elements.join(b.elements);
        if (b.written && !a.written) a.written = changed = true;
        for (size_t i = 0; i < a.parts.size(); ++i) join_word(a.parts[i], b.parts[i]);
        for (size_t i = 0; i < a.bound.size(); ++i) join_word(a.bound[i], b.bound[i]);
    }
    // what is paired has the same bytes; of what is not, the larger sum stays alive on both courses
    if (other.live_bytes_ > live_bytes_) live_bytes_ = other.live_bytes_, changed = true;
    high_water_ = std::max({high_water_, other.high_water_, live_bytes_});
    return changed;
}
} // namespace nereus
