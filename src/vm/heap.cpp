#include "vm/heap.h"
#include "vm/trace.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#ifdef NEREUS_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) (void)(at)
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) (void)(at)
#endif

namespace nereus {
namespace {
constexpr int first_of_pages = block_class(1 << 16);         // blocks from here on are worth a call of the system
} // namespace

Heap::~Heap() {
    for (std::byte* chunk : chunks_) free_block(chunk, chunk_bytes);
    for (auto& [at, block] : large_) free_block(at, block_bytes(int(block)));
}

std::byte* Heap::new_block(int64_t bytes) {
    constexpr size_t alignment = 64;
    return static_cast<std::byte*>(allocator_.given() ? allocator_.allocate(allocator_.user, size_t(bytes), alignment)
                                                      : std::aligned_alloc(alignment, size_t(bytes)));
}
void Heap::free_block(std::byte* at, int64_t bytes) {
    ASAN_UNPOISON_MEMORY_REGION(at, size_t(bytes));      // whoever gets it next may use it
    if (allocator_.given()) allocator_.release(allocator_.user, at, size_t(bytes));
    else std::free(at);
}

void* Heap::allocate(int64_t bytes, uint32_t* out_block) {
    int block = block_class(bytes);
    int64_t size = block_bytes(block);
    if (live_bytes_ + size > limit_) return nullptr;
    void* at = nullptr;
    if (Free* cached = free_[size_t(block)]) {
        ASAN_UNPOISON_MEMORY_REGION(cached, size_t(size));
        free_[size_t(block)] = cached->next;
        at = cached;
        if (block >= small_blocks) cached_large_ -= size;
        if (block >= first_of_pages && !cached->cold) warm_ -= size;
    } else if (block < small_blocks) {
        if (bump_end_ - bump_ < size) {
            if (used_chunks_ == chunks_.size()) {
                chunks_.push_back(nullptr);              // room in the table first: it may not grow
                chunks_.back() = new_block(chunk_bytes);
                if (!chunks_.back()) return chunks_.pop_back(), nullptr;
                resident_bytes_ += chunk_bytes;
            }
            bump_ = chunks_[used_chunks_++];
            bump_end_ = bump_ + chunk_bytes;
        }
        at = bump_;
        ASAN_UNPOISON_MEMORY_REGION(at, size_t(size));
        bump_ += size;
    } else {
        large_.emplace_back(nullptr, uint32_t(block));   // room in the table first, here too
        std::byte* fresh = new_block(size);
        if (!fresh) return large_.pop_back(), nullptr;
        at = large_.back().first = fresh;
        resident_bytes_ += size;
    }
    live_bytes_ += size;
    high_water_ = std::max(high_water_, live_bytes_);
    if (block >= first_of_pages && !allocator_.given()) {      // pages of others are theirs
        // blocks of one size do not serve another: without this, memory would be that of all sizes together
        const int64_t room = std::max(high_water_, last_high_water_) - live_bytes_;
        if (warm_ > room) cool(warm_ - room);
    }
    *out_block = uint32_t(block);
    if (trace_) trace_->born(at, bytes);
    return at;
}

void Heap::deallocate(void* at, uint32_t block) {
    if (trace_) trace_->died(at);
    int64_t size = block_bytes(int(block));
    ASAN_UNPOISON_MEMORY_REGION(at, size_t(size));       // wholesale, blocks that are free already come here too
    auto* cell = static_cast<Free*>(at);
    cell->next = free_[block];
    cell->cold = false;
    free_[block] = cell;
    ASAN_POISON_MEMORY_REGION(at, size_t(size));         // an object used after its last owner let go is seen
    live_bytes_ -= size;
    if (int(block) >= small_blocks) cached_large_ += size;
    if (int(block) >= first_of_pages) warm_ += size;
}

// Keeps the blocks, for the next call to find them. The first page has the list.
void Heap::cool(int64_t bytes) {
    const uintptr_t page = uintptr_t(::sysconf(_SC_PAGESIZE));
    for (int block = block_classes; block-- > first_of_pages && bytes > 0;) {
        const int64_t size = block_bytes(block);
        for (Free *cell = free_[size_t(block)], *next; cell && bytes > 0; cell = next) {
            ASAN_UNPOISON_MEMORY_REGION(cell, sizeof(Free));
            next = cell->next;
            if (!cell->cold) {
                const uintptr_t from = (uintptr_t(cell) + sizeof(Free) + page - 1) / page * page, to = (uintptr_t(cell) + uintptr_t(size)) / page * page;
                ::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
                cell->cold = true;
                warm_ -= size;
                bytes -= size;
            }
            ASAN_POISON_MEMORY_REGION(cell, sizeof(Free));
        }
    }
}

TensorObject* Heap::new_tensor(DType dtype, std::span<const int64_t> dims) {
    int64_t bytes;
    if (!payload_bytes(dtype, dims, &bytes)) return nullptr;
    int64_t at = payload_at(int64_t(dims.size()), bytes);
    uint32_t block;
    auto* object = static_cast<TensorObject*>(allocate(at + bytes, &block));
    if (!object) return nullptr;
    static_cast<Object&>(*object) = Object{1, ObjectKind::tensor, dtype, 0, uint32_t(dims.size()), block};
    object->data = reinterpret_cast<std::byte*>(object) + at;
    std::copy(dims.begin(), dims.end(), object->dims);
    ++live_objects_;
    return object;
}

TensorObject* Heap::own(TensorObject* tensor) {
    int64_t bytes;
    const bool fits = payload_bytes(tensor->dtype, tensor->extents(), &bytes);
    const std::byte* inside = reinterpret_cast<std::byte*>(tensor) + payload_at(int64_t(tensor->count), bytes);
    if (!fits || (tensor->refs == 1 && tensor->data == inside)) return fits ? tensor : nullptr;
    TensorObject* copy = new_tensor(tensor->dtype, tensor->extents());
    if (copy && bytes > 0) std::memcpy(copy->data, tensor->data, size_t(bytes));
    return copy;
}

TensorObject* Heap::borrow_tensor(DType dtype, std::span<const int64_t> dims, const std::byte* data) {
    uint32_t block;
    auto* object = static_cast<TensorObject*>(allocate(payload_at(int64_t(dims.size()), 0), &block));
    if (!object) return nullptr;
    static_cast<Object&>(*object) = Object{1, ObjectKind::tensor, dtype, 0, uint32_t(dims.size()), block};
    object->data = const_cast<std::byte*>(data);         // arguments are read only: kernels never write an input
    std::copy(dims.begin(), dims.end(), object->dims);
    ++live_objects_;
    return object;
}

DataObject* Heap::new_data(uint16_t tag, uint32_t fields, uint32_t bound_dims) {
    uint32_t block;
    auto* object = static_cast<DataObject*>(allocate(data_bytes(fields, bound_dims), &block));
    if (!object) return nullptr;
    static_cast<Object&>(*object) = Object{1, ObjectKind::data, DType::boolean, tag, fields, block};
    object->bound = bound_dims;
    std::fill_n(object->fields, fields, nullptr);
    ++live_objects_;
    return object;
}

SeqItems* Heap::new_items(uint32_t capacity) {
    uint32_t block;
    auto* items = static_cast<SeqItems*>(allocate(items_bytes(capacity), &block));
    if (!items) return nullptr;
    items->block = block;
    items->capacity = items_capacity(int(block));
    return items;
}

SeqObject* Heap::new_seq(uint32_t count) {
    uint32_t block;
    SeqItems* items = nullptr;
    if (count > 0) {
        if (!(items = new_items(count))) return nullptr;
        std::fill_n(items->at, count, nullptr);
    }
    auto* object = static_cast<SeqObject*>(allocate(sizeof(SeqObject), &block));
    if (!object) {
        if (items) deallocate(items, items->block);
        return nullptr;
    }
    static_cast<Object&>(*object) = Object{1, ObjectKind::seq, DType::boolean, 0, count, block};
    object->items = items;
    ++live_objects_;
    return object;
}

RefObject* Heap::new_ref(Object* content) {
    uint32_t block;
    auto* object = static_cast<RefObject*>(allocate(sizeof(RefObject), &block));
    if (!object) return nullptr;
    static_cast<Object&>(*object) = Object{1, ObjectKind::ref, DType::boolean, 0, 0, block};
    object->content = content;
    object->previous = nullptr;
    object->next = cells_;
    if (cells_) cells_->previous = object;
    cells_ = object;
    ++live_objects_;
    return object;
}

// The same items with one owner and room for `capacity`; takes seq.
SeqObject* Heap::unique(SeqObject* seq, uint32_t capacity) {
    if (seq->refs == 1) {
        if (capacity == 0 || (seq->items && seq->items->capacity >= capacity)) return seq;
        SeqItems* items = new_items(capacity);
        if (!items) return nullptr;
        if (seq->items) {
            std::copy_n(seq->items->at, seq->count, items->at);
            deallocate(seq->items, seq->items->block);
        }
        seq->items = items;
        return seq;
    }
    SeqObject* copy = new_seq(0);
    SeqItems* items = copy && capacity > 0 ? new_items(capacity) : nullptr;
    if (!copy || (capacity > 0 && !items)) return nullptr;           // the call fails, and end_call takes the copy
    copy->items = items;
    copy->count = seq->count;
    for (uint32_t i = 0; i < seq->count; ++i) retain(items->at[i] = seq->items->at[i]);
    release(seq);
    return copy;
}

SeqObject* Heap::push(SeqObject* seq, Object* item) {
    if (seq->count >= UINT32_MAX / 2) return nullptr;
    SeqObject* owned = unique(seq, pushed_capacity(seq->count, seq->items ? seq->items->capacity : 0));
    if (!owned) return nullptr;
    owned->items->at[owned->count++] = item;
    return owned;
}

SeqObject* Heap::set(SeqObject* seq, int64_t index, Object* item) {
    SeqObject* owned = unique(seq, seq->count);
    if (!owned) return nullptr;
    std::swap(owned->items->at[index], item);
    release(item);
    return owned;
}

void Heap::write(RefObject* cell, Object* content) {
    std::swap(cell->content, content);
    if (content) release(content);
}

void Heap::destroy(Object* object) {
    size_t floor = dying_.size();
    auto let_go = [&](Object* child) {
        if (child && --child->refs == 0) dying_.push_back(child);
    };
    for (;;) {
        switch (object->kind) {
        case ObjectKind::tensor: break;
        case ObjectKind::data: {
            auto* data = static_cast<DataObject*>(object);
            for (uint32_t i = 0; i < data->count; ++i) let_go(data->fields[i]);
            break;
        }
        case ObjectKind::seq: {
            auto* seq = static_cast<SeqObject*>(object);
            for (uint32_t i = 0; i < seq->count; ++i) let_go(seq->items->at[i]);
            if (seq->items) deallocate(seq->items, seq->items->block);
            break;
        }
        case ObjectKind::ref: {
            auto* cell = static_cast<RefObject*>(object);
            let_go(cell->content);
            (cell->previous ? cell->previous->next : cells_) = cell->next;
            if (cell->next) cell->next->previous = cell->previous;
            break;
        }
        }
        deallocate(object, object->block);
        --live_objects_;
        if (dying_.size() == floor) return;
        object = dying_.back();
        dying_.pop_back();
    }
}

// Cycles run through cells only. Holding all cells first keeps the list still while their contents go.
void Heap::empty_cells() {
    for (RefObject* cell = cells_; cell; cell = cell->next) retain(cell);
    for (RefObject* cell = cells_; cell; cell = cell->next) write(cell, nullptr);
    for (RefObject *cell = cells_, *next; cell; cell = next) {
        next = cell->next;
        release(cell);
    }
}

int64_t Heap::end_call(bool forced) {
    if (!forced) empty_cells();
    int64_t leaked = forced ? 0 : live_objects_;
    if (live_objects_ != 0) {                            // wholesale: every block is free again
        free_.fill(nullptr);
        used_chunks_ = 0;
        bump_ = bump_end_ = nullptr;
        live_bytes_ = live_objects_ = cached_large_ = warm_ = 0;
        cells_ = nullptr;
        dying_.clear();
        for (auto& [at, block] : large_) {
            live_bytes_ += block_bytes(int(block));      // deallocate takes it off again
            deallocate(at, block);
        }
    }
    // keep about what this call needed, so that memory does not grow with the number of shapes seen
    if (cached_large_ > high_water_) drop_cache(high_water_);
    last_high_water_ = high_water_;
    return leaked;
}

void Heap::drop_cache(int64_t keep) {
    invariant(live_objects_ == 0, "cached blocks are dropped between calls only");
    std::sort(large_.begin(), large_.end(), [](auto& a, auto& b) { return a.second > b.second; });
    std::fill(free_.begin() + small_blocks, free_.end(), nullptr);
    cached_large_ = warm_ = 0;
    size_t kept = 0;
    for (auto [at, block] : large_) {
        int64_t size = block_bytes(int(block));
        if (cached_large_ + size > keep) {
            free_block(at, size);
            resident_bytes_ -= size;
            continue;
        }
        large_[kept++] = {at, block};
        live_bytes_ += size;                             // deallocate takes it off again
        deallocate(at, block);
    }
    large_.resize(kept);
}

void Heap::trim() {
    if (live_objects_ != 0) return;
    drop_cache(0);
    for (std::byte* chunk : chunks_) free_block(chunk, chunk_bytes);
    resident_bytes_ -= int64_t(chunks_.size()) * chunk_bytes;
    chunks_.clear();
    used_chunks_ = 0;
    bump_ = bump_end_ = nullptr;
    std::fill(free_.begin(), free_.begin() + small_blocks, nullptr);
    dying_ = {}, comparing_ = {};                        // as long as the deepest object was deep
}
} // namespace nereus
