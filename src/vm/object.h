// vm/object.h - values in containers, cells and closures: reference-counted objects of one context. Counts are plain
// integers: nothing here is seen by a second thread. What crosses the API is a Value, made at the door.
#pragma once
#include "tensor/dtype.h"
#include <cstddef>
#include <cstdint>
#include <span>

namespace nereus {
enum class ObjectKind : uint8_t { tensor, data, seq, ref };

struct Object {
    uint32_t refs;
    ObjectKind kind;
    DType dtype;                             // tensor
    uint16_t tag;                            // data: constructor or lambda; tuples and records 0
    uint32_t count;                          // tensor: rank; data: fields; seq: items
    uint32_t block;                          // size class of its memory, see heap.h
};

struct TensorObject : Object {
    std::byte* data;                         // behind dims, or borrowed from an argument
    int64_t dims[];
    std::span<const int64_t> extents() const { return {dims, count}; }
};
struct DataObject : Object {
    uint64_t bound;                          // how many dims follow the fields
    Object* fields[];
    int64_t* dims() { return reinterpret_cast<int64_t*>(fields + count); }
};
struct SeqItems { uint32_t block, capacity; Object* at[]; };
struct SeqObject : Object { SeqItems* items; };                               // null while empty
struct RefObject : Object { Object* content; RefObject *previous, *next; };   // all cells alive are linked, see heap.h
} // namespace nereus
