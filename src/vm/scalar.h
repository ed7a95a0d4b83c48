// vm/scalar.h - a number between memory and a register: integers sign-extended, bool 0 or 1, floats as their bits.
#pragma once
#include "tensor/dtype.h"
#include <cstddef>
#include <cstring>

namespace nereus {
inline uint64_t load_scalar(DType dtype, const std::byte* at) {
    switch (dtype) {
    case DType::boolean: return uint64_t(*at);
    case DType::i32: { int32_t v; std::memcpy(&v, at, 4); return uint64_t(int64_t(v)); }
    case DType::f32: { uint32_t v; std::memcpy(&v, at, 4); return v; }
    case DType::i64: case DType::f64: { uint64_t v; std::memcpy(&v, at, 8); return v; }
    }
    return 0;
}
inline void store_scalar(DType dtype, std::byte* at, uint64_t value) { std::memcpy(at, &value, size_t(size_of(dtype))); }
} // namespace nereus
