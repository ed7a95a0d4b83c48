// vm/shadow_heap.h - the objects of a call that is followed without running it: their structure and bytes, without their
// elements. Allocates, shares and frees as vm/heap.h does, by the same sizes (vm/object_size.h); a copy of it is another
// course that the call may take.
//
// What is not known is never taken for less than it may be: an object of which an owner went out of sight stays alive.
#pragma once
#include "vm/known_bytes.h"
#include "vm/object_size.h"
#include <optional>
#include <utility>
#include <vector>

namespace nereus {
// A register or a part of an object, as far as it is known without elements.
struct Word {
    enum class Kind : uint8_t {
        unknown,
        number,
        at_most,                             // a size that elements decide: from 0 to that number
        object,                              // name in the shadow heap; the object may be gone, as in registers of a run
        elements,                            // address of the elements of that object, and `offset`
        range,                               // address that far on the range of frames and arenas
        memory,                              // address of constants and arguments that may be read
        outside,                             // address of results, and of arguments that are not read
    } kind = Kind::unknown;
    uint32_t offset = 0;
    uint64_t value = 0;

    static Word number(int64_t value) { return {Kind::number, 0, uint64_t(value)}; }
    bool is_number() const { return kind == Kind::number; }
    bool is_size() const { return kind == Kind::at_most || (kind == Kind::number && int64_t(value) >= 0); }
    bool operator==(const Word&) const = default;
};

class ShadowHeap {
 public:
    struct Thing {
        ObjectKind kind = ObjectKind::tensor;
        DType dtype = DType::boolean;        // tensor
        uint16_t tag = 0;                    // data
        uint32_t refs = 0;                   // 0: this place is free
        uint32_t name = 0;                   // how often the place was used
        uint32_t capacity = 0;               // seq: of its items
        int64_t bytes = 0, items_bytes = 0;  // of its blocks
        bool written = false;                // tensor: elements were; until then they are undefined
        bool borrowed = false;               // tensor: they are those of an argument
        std::vector<int64_t> dims;           // tensor
        uint64_t at_most = 0;                // a bit per dim that is only bounded
        KnownBytes elements;                 // tensor
        std::vector<Word> parts;             // fields, items, content
        std::vector<Word> bound;             // data: bound dims
    };

    // Each gives an object with one owner; nothing: there can be no such tensor.
    std::optional<Word> new_tensor(DType dtype, std::span<const int64_t> dims);
    Word borrow_tensor(DType dtype, std::span<const int64_t> dims);
    Word new_data(uint16_t tag, std::span<const Word> fields, std::span<const Word> bound_dims);     // takes fields
    Word new_seq(std::span<const Word> items);                                                       // takes items
    Word new_ref(Word content);                                                                      // takes content

    // As in vm/heap.h; the sequence and the cell must be known. Nothing: a copy would share items that are not known.
    std::optional<Word> push(Word seq, Word item);
    std::optional<Word> set(Word seq, size_t index, Word item);
    void write(Word cell, Word content);
    void retain(Word object) { ++find(object)->refs; }
    void release(Word object);               // nothing happens where it is not known

    const Thing* find(Word object) const;    // null: not known, or not an object any more
    Thing* find(Word object) { return const_cast<Thing*>(std::as_const(*this).find(object)); }
    void set_parts(Word object, std::span<const Word> parts) { find(object)->parts.assign(parts.begin(), parts.end()); }

    int64_t live_bytes() const { return live_bytes_; }
    int64_t high_water() const { return high_water_; }
    size_t places() const { return things_.size(); }     // the most objects alive at once

    // What roots and all that they reach look like: equal for two heaps that only differ in names.
    void describe(std::span<const Word> roots, std::vector<uint64_t>& out) const;
    // Forgets, in this heap and in its roots, what is not so in another one; false: there was nothing to forget.
    bool join(std::span<Word> roots, const ShadowHeap& other, std::span<const Word> other_roots);

 private:
    Word allocate(ObjectKind kind, int64_t bytes);
    Thing& at(Word object) { return things_[uint32_t(object.value)]; }
    void take_block(int64_t& place, int64_t bytes);
    void take_items(Thing& seq, uint32_t capacity);
    std::optional<Word> unique(Word seq, uint32_t capacity);

    std::vector<Thing> things_;
    std::vector<uint32_t> free_;
    std::vector<uint32_t> dying_;
    int64_t live_bytes_ = 0, high_water_ = 0;
};
} // namespace nereus
