// vm/heap.h - the objects of one context: allocation by size class, release without recursion, and an end of call
// after which nothing is left, cycles through cells included.
#pragma once
#include "base/result.h"
#include "tensor/allocator.h"
#include "vm/object_size.h"
#include <array>
#include <span>
#include <vector>

namespace nereus {
class Trace;

class Heap {
 public:
    explicit Heap(int64_t limit, const Allocator& allocator = {}) : limit_(limit), allocator_(allocator) {}
    ~Heap();
    Heap(const Heap&) = delete;
    Heap& operator=(const Heap&) = delete;

    // Each returns an object with one owner, or null when the limit is reached or sizes overflow.
    TensorObject* new_tensor(DType dtype, std::span<const int64_t> dims);            // elements not initialised
    TensorObject* borrow_tensor(DType dtype, std::span<const int64_t> dims, const std::byte* data);
    DataObject* new_data(uint16_t tag, uint32_t fields, uint32_t bound_dims);        // fields null, filled by the caller
    SeqObject* new_seq(uint32_t count);                                              // items null, filled by the caller
    RefObject* new_ref(Object* content);                                             // takes content

    // Both take their arguments. A sequence with one owner changes in place, a shared one is copied first.
    SeqObject* push(SeqObject* seq, Object* item);
    SeqObject* set(SeqObject* seq, int64_t index, Object* item);
    void write(RefObject* cell, Object* content);                                    // takes content
    // The tensor itself where it has one owner and memory of its own, else a copy; null: no memory for it.
    TensorObject* own(TensorObject* tensor);

    static void retain(Object* object) { ++object->refs; }
    void release(Object* object) { if (--object->refs == 0) destroy(object); }

    // The same structure with equal elements (NaN equals NaN); cells are equal only to themselves.
    bool equal(const Object* a, const Object* b);

    // Ends a call: empties cells, so that cycles fall apart, and returns how many objects are left without a reason.
    // After an error `forced` drops everything at once instead.
    int64_t end_call(bool forced);

    int64_t live_objects() const { return live_objects_; }
    int64_t live_bytes() const { return live_bytes_; }
    int64_t high_water() const { return high_water_; }
    void reset_high_water() { high_water_ = live_bytes_; }
    int64_t resident_bytes() const { return resident_bytes_; }
    void set_limit(int64_t bytes) { limit_ = bytes; }
    void set_trace(Trace* trace) { trace_ = trace; }                 // null: nobody watches
    void trim();                                                     // frees what is cached

 private:
    struct Free { Free* next; bool cold; };                          // cold: its pages are the system's again
    static constexpr int64_t chunk_bytes = 1 << 16;

    std::byte* new_block(int64_t bytes);                             // null: no memory
    void free_block(std::byte* at, int64_t bytes);
    void* allocate(int64_t bytes, uint32_t* out_block);
    void deallocate(void* at, uint32_t block);
    void destroy(Object* object);
    SeqItems* new_items(uint32_t capacity);
    SeqObject* unique(SeqObject* seq, uint32_t capacity);
    void empty_cells();
    void drop_cache(int64_t keep);
    void cool(int64_t bytes);                                        // so many of what is cached

    int64_t limit_;
    Allocator allocator_;
    int64_t live_bytes_ = 0, live_objects_ = 0, high_water_ = 0, resident_bytes_ = 0, cached_large_ = 0;
    int64_t warm_ = 0;                                               // bytes of cached blocks that are of pages and have them
    int64_t last_high_water_ = 0;                                    // of the call before
    std::array<Free*, block_classes> free_ = {};
    std::vector<std::byte*> chunks_;                                 // small blocks are carved from these
    size_t used_chunks_ = 0;
    std::byte *bump_ = nullptr, *bump_end_ = nullptr;
    std::vector<std::pair<std::byte*, uint32_t>> large_;             // every large block there is, in use or cached
    std::vector<Object*> dying_;                                     // the explicit stack of `destroy`
    std::vector<std::pair<const Object*, const Object*>> comparing_;  // the explicit stack of `equal`
    RefObject* cells_ = nullptr;
    Trace* trace_ = nullptr;
};
} // namespace nereus
