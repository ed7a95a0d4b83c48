// tensor/allocator.h - where the memory of tensors comes from, if the user says so.
#pragma once
#include <cstddef>

namespace nereus {
struct Allocator {
    void* (*allocate)(void* user, size_t bytes, size_t alignment) = nullptr;     // null: no memory
    void (*release)(void* user, void* memory, size_t bytes) = nullptr;
    void* user = nullptr;
    bool given() const { return allocate != nullptr; }                           // else: the C library's
};
} // namespace nereus
