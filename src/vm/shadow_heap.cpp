#include "vm/shadow_heap.h"

namespace nereus {
const ShadowHeap::Thing* ShadowHeap::find(Word object) const {
    if (object.kind != Word::Kind::object && object.kind != Word::Kind::elements) return nullptr;
    const Thing& thing = things_[uint32_t(object.value)];
    return thing.refs > 0 && thing.name == object.value >> 32 ? &thing : nullptr;
}

void ShadowHeap::take_block(int64_t& place, int64_t bytes) {
    place = block_bytes(block_class(bytes));
    live_bytes_ += place;
    high_water_ = std::max(high_water_, live_bytes_);
}

Word ShadowHeap::allocate(ObjectKind kind, int64_t bytes) {
    if (free_.empty()) {
        free_.push_back(uint32_t(things_.size()));
        things_.emplace_back();
    }
    uint32_t index = free_.back();
    free_.pop_back();
    Thing& thing = things_[index];
    thing.kind = kind;
    thing.tag = 0;
    thing.refs = 1;
    ++thing.name;
    thing.capacity = 0;
    thing.items_bytes = 0;
    thing.written = thing.borrowed = false;
    thing.dims.clear();
    thing.at_most = 0;
    thing.elements.clear();
    thing.parts.clear();
    thing.bound.clear();
    take_block(thing.bytes, bytes);
    return {Word::Kind::object, 0, uint64_t(thing.name) << 32 | index};
}

std::optional<Word> ShadowHeap::new_tensor(DType dtype, std::span<const int64_t> dims) {
    int64_t bytes;
    if (!payload_bytes(dtype, dims, &bytes)) return std::nullopt;
    Word made = allocate(ObjectKind::tensor, payload_at(int64_t(dims.size()), bytes) + bytes);
    at(made).dtype = dtype;
    at(made).dims.assign(dims.begin(), dims.end());
    return made;
}
Word ShadowHeap::borrow_tensor(DType dtype, std::span<const int64_t> dims) {
    Word made = allocate(ObjectKind::tensor, payload_at(int64_t(dims.size()), 0));
    at(made).written = at(made).borrowed = true;
    at(made).dtype = dtype;
    at(made).dims.assign(dims.begin(), dims.end());
    return made;
}
Word ShadowHeap::new_data(uint16_t tag, std::span<const Word> fields, std::span<const Word> bound_dims) {
    Word made = allocate(ObjectKind::data, data_bytes(int64_t(fields.size()), int64_t(bound_dims.size())));
    at(made).tag = tag;
    at(made).parts.assign(fields.begin(), fields.end());
    at(made).bound.assign(bound_dims.begin(), bound_dims.end());
    return made;
}
void ShadowHeap::take_items(Thing& seq, uint32_t capacity) {
    take_block(seq.items_bytes, items_bytes(capacity));
    seq.capacity = items_capacity(block_class(items_bytes(capacity)));
}
Word ShadowHeap::new_seq(std::span<const Word> items) {
    Word made = allocate(ObjectKind::seq, sizeof(SeqObject));
    if (!items.empty()) take_items(at(made), uint32_t(items.size()));
    at(made).parts.assign(items.begin(), items.end());
    return made;
}
Word ShadowHeap::new_ref(Word content) {
    Word made = allocate(ObjectKind::ref, sizeof(RefObject));
    at(made).parts.assign(1, content);
    return made;
}

// The same items with one owner and room for `capacity`; takes seq.
std::optional<Word> ShadowHeap::unique(Word seq, uint32_t capacity) {
    if (at(seq).refs == 1) {
        Thing& own = at(seq);
        if (capacity == 0 || own.capacity >= capacity) return seq;
        const int64_t old = own.items_bytes;
        take_items(own, capacity);
        live_bytes_ -= old;                              // after: both are alive while items move
        return seq;
    }
    for (Word item : at(seq).parts)
        if (!find(item)) return std::nullopt;
    Word copy = new_seq({});
    if (capacity > 0) take_items(at(copy), capacity);
    at(copy).parts = at(seq).parts;
    for (Word item : at(copy).parts) retain(item);
    release(seq);
    return copy;
}
std::optional<Word> ShadowHeap::push(Word seq, Word item) {
    std::optional<Word> owned = unique(seq, pushed_capacity(uint32_t(at(seq).parts.size()), at(seq).capacity));
    if (owned) at(*owned).parts.push_back(item);
    return owned;
}
std::optional<Word> ShadowHeap::set(Word seq, size_t index, Word item) {
    std::optional<Word> owned = unique(seq, uint32_t(at(seq).parts.size()));
    if (!owned) return owned;
    std::swap(at(*owned).parts[index], item);
    release(item);
    return owned;
}
void ShadowHeap::write(Word cell, Word content) {
    std::swap(at(cell).parts[0], content);
    release(content);
}

void ShadowHeap::release(Word object) {
    auto let_go = [&](Word part) {
        Thing* thing = part.kind == Word::Kind::object ? find(part) : nullptr;
        if (thing && --thing->refs == 0) dying_.push_back(uint32_t(part.value));
    };
    let_go(object);
    while (!dying_.empty()) {
        uint32_t index = dying_.back();
        dying_.pop_back();
        Thing& thing = things_[index];
        live_bytes_ -= thing.bytes + thing.items_bytes;
        for (Word part : thing.parts) let_go(part);
        free_.push_back(index);
    }
}
} // namespace nereus
