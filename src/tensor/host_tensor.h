// tensor/host_tensor.h - a dense row-major tensor in host memory. Copies share bytes until one is written.
#pragma once
#include "tensor/allocator.h"
#include "tensor/element.h"
#include "tensor/shape.h"
#include <cstddef>
#include <initializer_list>
#include <memory>

namespace nereus {
class HostTensor {
 public:
    HostTensor() = default;                                          // f32 of shape (0)
    // Zero-filled, 64-byte aligned. What the machine cannot hold is an Error (memory), never a thrown
    // bad_alloc.
    static Result<HostTensor> make(DType dtype, Extents shape);
    // In memory of the allocator, with whatever was in it. No allocator given: as above.
    static Result<HostTensor> make(DType dtype, Extents shape, const Allocator& allocator);
    // In memory of somebody else that is written, and that outlives the tensor and its copies.
    static Result<HostTensor> over(DType dtype, Extents shape, std::byte* memory);
    // Holds a copy of `bytes`, which must be exactly as many as the shape asks for.
    static Result<HostTensor> copy_of(DType dtype, Extents shape, std::span<const std::byte> bytes);
    // Borrows memory that `owner` keeps alive and nobody changes; any owner will do (aliasing, custom
    // deleter). Refused: too few bytes, less alignment than an element needs, a bool that is neither 0 nor
    // 1, a code of more bits than its dtype has.
    static Result<HostTensor> view(DType dtype, Extents shape, std::shared_ptr<const std::byte> owner,
                                   int64_t bytes);
    template <HostElement T> static HostTensor scalar(T value) { return of<T>({}, {value}); }
    // For constants written in code: aborts when the count of values does not fit the shape.
    template <HostElement T> static HostTensor of(Extents shape, std::initializer_list<T> values) {
        return of_bytes(dtype_of<T>, std::move(shape), std::as_bytes(std::span(values)));
    }

    DType dtype() const { return dtype_; }
    const Extents& shape() const { return memory_ ? shape_ : nothing(); }
    int64_t rank() const { return int64_t(shape().size()); }
    int64_t count() const { return count_; }
    int64_t byte_size() const { return count_ * size_of(dtype_); }

    const std::byte* bytes() const { return memory_.get(); }         // null in a default-constructed tensor
    template <HostElement T> std::span<const T> data() const {
        invariant(dtype_ == dtype_of<T>, "data<T>() of another dtype");
        return {reinterpret_cast<const T*>(bytes()), size_t(count_)};
    }
    // Bytes of this tensor alone: copied first when shared or borrowed, which may run out of memory.
    Result<std::byte*> mutable_bytes();
    template <HostElement T> Result<std::span<T>> mutable_data() {
        invariant(dtype_ == dtype_of<T>, "mutable_data<T>() of another dtype");
        return std::span<T>(reinterpret_cast<T*>(TRY(mutable_bytes())), size_t(count_));
    }
    // The element at a row-major index, cast as the language does: to integers toward zero, saturating, NaN to 0; what is
    // beyond i64 in a u64 wraps.
    int64_t as_i64(int64_t index) const;
    double as_f64(int64_t index) const;
    // The same elements in another shape of as many; shares the bytes.
    Result<HostTensor> reshaped(Extents shape) const;

 private:
    static HostTensor of_bytes(DType dtype, Extents shape, std::span<const std::byte> bytes);

    static const Extents& nothing();                                 // (0), without an allocation in every tensor that is not made yet

    DType dtype_ = DType::f32;
    bool borrowed_ = false;                                          // never written, even by a sole owner
    Extents shape_;
    int64_t count_ = 0;
    std::shared_ptr<const std::byte> memory_;
};
} // namespace nereus
