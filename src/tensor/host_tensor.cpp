#include "tensor/host_tensor.h"
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/sysinfo.h>

namespace nereus {
namespace {
constexpr size_t alignment = 64;
constexpr int64_t surely_small = int64_t(1) << 26;

// An overcommitting kernel grants what it does not have and kills the process at the first touch, so what
// exceeds all memory and swap is refused here.
bool machine_could_hold(int64_t bytes) {
    if (bytes <= surely_small) return true;
    struct sysinfo machine;
    if (::sysinfo(&machine) != 0) return true;
    return uint64_t(bytes) / machine.mem_unit < machine.totalram + machine.totalswap;
}

Error no_memory(int64_t bytes) {
    return Error{Code::memory, "no memory for a tensor of " + std::to_string(bytes) + " bytes"};
}

Result<std::shared_ptr<std::byte>> allocate_zeroed(int64_t bytes) {
    // calloc: large blocks come as untouched zero pages, and nobody pays for writing zeros
    void* block = machine_could_hold(bytes) ? std::calloc(size_t(bytes) + alignment, 1) : nullptr;
    if (!block) return no_memory(bytes);
    uintptr_t start = (uintptr_t(block) + alignment - 1) / alignment * alignment;
    auto free_block = [block](std::byte*) { std::free(block); };
    return std::shared_ptr<std::byte>(reinterpret_cast<std::byte*>(start), free_block);
}

Result<std::shared_ptr<std::byte>> allocate_by(const Allocator& allocator, int64_t bytes) {
    void* block = machine_could_hold(bytes) ? allocator.allocate(allocator.user, size_t(bytes), alignment) : nullptr;
    if (!block) return no_memory(bytes);
    auto release = [allocator, bytes](std::byte* at) { allocator.release(allocator.user, at, size_t(bytes)); };
    return std::shared_ptr<std::byte>(static_cast<std::byte*>(block), release);
}

Error wrong_size(DType dtype, const Extents& shape, int64_t wanted, uint64_t found) {
    return Error{Code::shape, "shape " + shape_text(shape) + " of " + std::string(dtype_name(dtype)) + " takes " +
                                  std::to_string(wanted) + " bytes, found " + std::to_string(found)};
}

// Of dtypes that do not fill their byte.
Status check_codes(DType dtype, std::span<const std::byte> bytes) {
    if (row_of(dtype).bits >= 8) return {};
    const int end = 1 << row_of(dtype).bits;
    for (std::byte byte : bytes)
        if (int(byte) >= end)
            return Error{Code::value, dtype == DType::boolean ? "a bool is the byte 0 or 1, found " + std::to_string(int(byte))
                                                              : "the code of " + std::string(dtype_name(dtype)) + " is a byte below " +
                                                                    std::to_string(end) + ", found " + std::to_string(int(byte))};
    return {};
}
} // namespace

Result<HostTensor> HostTensor::make(DType dtype, Extents shape) { return make(dtype, std::move(shape), {}); }

Result<HostTensor> HostTensor::make(DType dtype, Extents shape, const Allocator& allocator) {
    int64_t bytes = TRY(byte_count(dtype, shape));
    HostTensor tensor;
    tensor.memory_ = allocator.given() && bytes > 0 ? TRY(allocate_by(allocator, bytes)) : TRY(allocate_zeroed(bytes));
    tensor.dtype_ = dtype;
    tensor.count_ = bytes / size_of(dtype);
    tensor.shape_ = std::move(shape);
    return tensor;
}

const Extents& HostTensor::nothing() {
    static const Extents none{0};
    return none;
}

Result<HostTensor> HostTensor::over(DType dtype, Extents shape, std::byte* memory) {
    HostTensor tensor;
    tensor.count_ = TRY(byte_count(dtype, shape)) / size_of(dtype);
    tensor.memory_ = std::shared_ptr<std::byte>(memory, [](std::byte*) {});
    tensor.dtype_ = dtype;
    tensor.shape_ = std::move(shape);
    return tensor;
}

Result<HostTensor> HostTensor::copy_of(DType dtype, Extents shape, std::span<const std::byte> bytes) {
    int64_t wanted = TRY(byte_count(dtype, shape));
    if (uint64_t(wanted) != bytes.size())
        return wrong_size(dtype, shape, wanted, bytes.size());
    TRY(check_codes(dtype, bytes));
    HostTensor tensor = TRY(make(dtype, std::move(shape)));
    if (wanted > 0) std::memcpy(TRY(tensor.mutable_bytes()), bytes.data(), bytes.size());
    return tensor;
}

Result<HostTensor> HostTensor::view(DType dtype, Extents shape, std::shared_ptr<const std::byte> owner,
                                    int64_t bytes) {
    int64_t wanted = TRY(byte_count(dtype, shape));
    if (bytes < wanted)
        return wrong_size(dtype, shape, wanted, uint64_t(bytes));
    if (wanted == 0) return make(dtype, std::move(shape));    // the memory of an empty array may be null
    if (!owner) return Error{Code::value, "a tensor of " + std::to_string(wanted) + " bytes in null memory"};
    if (uintptr_t(owner.get()) % uintptr_t(size_of(dtype)) != 0)
        return Error{Code::value, "memory is not aligned for " + std::string(dtype_name(dtype))};
    TRY(check_codes(dtype, {owner.get(), size_t(wanted)}));
    HostTensor tensor;
    tensor.memory_ = std::move(owner);
    tensor.borrowed_ = true;
    tensor.dtype_ = dtype;
    tensor.count_ = wanted / size_of(dtype);
    tensor.shape_ = std::move(shape);
    return tensor;
}

HostTensor HostTensor::of_bytes(DType dtype, Extents shape, std::span<const std::byte> bytes) {
    Result<HostTensor> tensor = copy_of(dtype, std::move(shape), bytes);
    if (!tensor && tensor.error().code == Code::memory) throw std::bad_alloc();
    invariant(bool(tensor), "HostTensor::of: values do not fit the shape");
    return std::move(tensor).take();
}

Result<std::byte*> HostTensor::mutable_bytes() {
    bool alone = !borrowed_ && memory_ && memory_.use_count() == 1;
    if (alone) {
        // Counting up and down once orders the reads of an owner that has just let go, on another thread,
        // before the writes to come; use_count alone orders nothing.
        std::shared_ptr<const std::byte> ordered = memory_;
    } else {
        std::shared_ptr<std::byte> copy = TRY(allocate_zeroed(byte_size()));
        if (byte_size() > 0) std::memcpy(copy.get(), bytes(), size_t(byte_size()));
        memory_ = std::move(copy);
        borrowed_ = false;
    }
    return const_cast<std::byte*>(memory_.get());             // ours: made without const in allocate_zeroed
}

int64_t HostTensor::as_i64(int64_t index) const {
    invariant(0 <= index && index < count_, "element index out of range");
    return with_type(dtype_, [&](auto zero) {
        using T = decltype(zero);
        return element_cast<int64_t>(WideOf<T>(data<T>()[size_t(index)]));
    });
}

double HostTensor::as_f64(int64_t index) const {
    invariant(0 <= index && index < count_, "element index out of range");
    return with_type(dtype_, [&](auto zero) { return double(data<decltype(zero)>()[size_t(index)]); });
}

Result<HostTensor> HostTensor::reshaped(Extents shape) const {
    int64_t count = TRY(element_count(shape));
    if (count != count_)
        return Error{Code::shape, "cannot reshape " + shape_text(this->shape()) + " to " + shape_text(shape) + ": " +
                                      std::to_string(count_) + " elements against " + std::to_string(count)};
    HostTensor tensor = *this;
    tensor.shape_ = std::move(shape);
    return tensor;
}
} // namespace nereus
