// nereus/value.h - what an entry point takes and gives: tensors, tuples, records, constructors and sequences.
// A Value is a small handle; copies share, nothing ever changes, and threads may share it. Depth is yours: a
// list of a million constructors is built, read, compared and freed without deep recursion.
#pragma once
#include "nereus/result.h"
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace nereus::api {
struct ValueInside;                            // of the library
}

namespace nereus::v1 {
enum class DType : uint8_t {
    boolean, i32, i64, f32, f64, i8, i16, u8, u16, u32, u64, f16, bf16,
    // Only stored, moved and cast:
    f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, f8e8m0, f4e2m1, i4, u4, i2, u2,
    str,                                       // texts, UTF-8
};
// As programs write it: "bool", "i32", "bf16" and so on.
std::string_view dtype_name(DType dtype);

// Floats of 16 bits, as their bits: IEEE binary16, and the upper half of a float.
struct F16 {
    uint16_t bits = 0;
    static F16 of(double value);               // the nearest, ties to even
    operator double() const;
};
struct BF16 {
    uint16_t bits = 0;
    static BF16 of(double value);
    operator double() const;
};

// What is only stored, as its code in the low bits of a byte: Stored<DType::f8e4m3fn>{0x38} is 1.
template <DType t>
    requires(t >= DType::f8e4m3fn && t <= DType::u2)
struct Stored {
    uint8_t code = 0;
};

// The C++ types of elements.
template <class T> inline constexpr int dtype_index = -1;
template <> inline constexpr int dtype_index<bool> = int(DType::boolean);
template <> inline constexpr int dtype_index<int8_t> = int(DType::i8);
template <> inline constexpr int dtype_index<int16_t> = int(DType::i16);
template <> inline constexpr int dtype_index<int32_t> = int(DType::i32);
template <> inline constexpr int dtype_index<int64_t> = int(DType::i64);
template <> inline constexpr int dtype_index<uint8_t> = int(DType::u8);
template <> inline constexpr int dtype_index<uint16_t> = int(DType::u16);
template <> inline constexpr int dtype_index<uint32_t> = int(DType::u32);
template <> inline constexpr int dtype_index<uint64_t> = int(DType::u64);
template <> inline constexpr int dtype_index<F16> = int(DType::f16);
template <> inline constexpr int dtype_index<BF16> = int(DType::bf16);
template <> inline constexpr int dtype_index<float> = int(DType::f32);
template <> inline constexpr int dtype_index<double> = int(DType::f64);
template <DType t> inline constexpr int dtype_index<Stored<t>> = int(t);
template <class T>
concept Element = dtype_index<T> >= 0;
template <Element T> inline constexpr DType dtype_of = DType(dtype_index<T>);

using Shape = std::vector<int64_t>;            // outermost first; empty: a scalar
struct Field;
struct Tolerance { double relative = 0, absolute = 0; };     // of floats; all else must be equal

class Value {
 public:
    enum class Kind : uint8_t { tensor, tuple, record, constructor, sequence };
    class Iterator;

    // ---- builders
    // (), the empty tuple.
    Value() noexcept;
    // A tensor with a copy of the elements, row by row. Refused: another number of elements than the shape
    // has, too little memory.
    template <Element T>
    static Result<Value> tensor(Shape shape, std::type_identity_t<std::span<const T>> data) {
        return copied(dtype_of<T>, std::move(shape), data.data(), data.size_bytes());
    }
    template <Element T> static Result<Value> tensor(Shape shape, std::initializer_list<T> data) {
        return tensor<T>(std::move(shape), std::span<const T>(data.begin(), data.size()));
    }
    // A tensor whose elements stay where they are: `owner` keeps them alive, and nobody changes them again.
    template <Element T>
    static Result<Value> view(Shape shape, std::type_identity_t<std::span<const T>> data,
                              std::shared_ptr<const void> owner) {
        return viewed(dtype_of<T>, std::move(shape), data.data(), data.size_bytes(), std::move(owner));
    }
    // A tensor of rank 0.
    template <Element T> static Value scalar(T value) { return scalar_of(dtype_of<T>, &value); }
    // A tensor of str with copies of the texts, row by row; of rank 0.
    static Result<Value> texts(Shape shape, std::span<const std::string> texts);
    static Value text(std::string_view text);
    static Value tuple(std::vector<Value> items);
    // Field names must differ; their order does not matter to an entry point.
    static Value record(std::vector<Field> fields);
    // A constructor of a data type, as in Node(left, right).
    static Value constructor(std::string name, std::vector<Value> arguments = {});
    static Value sequence(std::vector<Value> items);
    // The encoding of --inputs and --json, for example {"dtype": "f32", "shape": [2], "data": [1, 2]}.
    static Result<Value> from_json(std::string_view text);
    // A structure of tensors from NumPy's .npz, whose names say what is where, as in layers.0.w: fields, items of
    // tuples .0 and of sequences [0], arguments of constructors .Node.0. `part`: what to take of it; empty: all.
    static Result<Value> load_npz(const std::string& path, std::string_view part = {});

    // ---- readers; using one on a value of another kind is a misuse that ends the program
    Kind kind() const;
    // Of a tensor. What the spans show lives as long as a copy of the value.
    DType dtype() const;
    std::span<const int64_t> shape() const;
    template <Element T> std::span<const T> data() const {
        return {static_cast<const T*>(elements(dtype_of<T>)), size_t(count())};
    }
    // The number of elements of a tensor.
    int64_t count() const;
    // The element of a tensor that has one.
    template <Element T> T item() const {
        if (count() != 1) misuse("item() of a tensor of " + std::to_string(count()) + " elements");
        return data<T>()[0];
    }
    // The elements of a tensor of str.
    std::vector<std::string> texts() const;
    // Of a constructor.
    std::string_view constructor_name() const;
    // Of a record: parallel to its parts.
    std::span<const std::string> field_names() const;
    // The parts: items of a tuple or sequence, fields of a record, arguments of a constructor; no elements.
    size_t size() const;
    Value operator[](size_t part) const;
    // The field of a record; find() for one that may be missing.
    Value operator[](std::string_view field) const;
    std::optional<Value> find(std::string_view field) const;
    Iterator begin() const;
    Iterator end() const;

    // The same structure, dtypes, shapes and bits: a NaN equals itself, 0 and -0 differ.
    bool operator==(const Value& other) const;
    // Where this first differs from what was expected, and how; nothing if it does not. NaN equals NaN.
    std::optional<std::string> difference(const Value& expected, const Tolerance& tolerance = {}) const;
    // from_json() gives the same bits back.
    std::string to_json() const;
    // load_npz() gives the same bits back, and so does numpy.load.
    Status save_npz(const std::string& path) const;
    // On one line for people; what is long is shortened.
    std::string to_text() const;

    Value(const Value& other) noexcept;
    Value(Value&& other) noexcept;
    Value& operator=(const Value& other) noexcept;
    Value& operator=(Value&& other) noexcept;
    ~Value();

 private:
    friend struct api::ValueInside;
    static Result<Value> copied(DType dtype, Shape shape, const void* data, size_t bytes);
    static Result<Value> viewed(DType dtype, Shape shape, const void* data, size_t bytes,
                                std::shared_ptr<const void> owner);
    static Value scalar_of(DType dtype, const void* element);
    const void* elements(DType wanted) const;

    alignas(void*) std::byte inside_[sizeof(void*)];   // the value of the library, a counted pointer
};

struct Field {
    std::string name;
    Value value;
};

// Over the parts of a value, in order.
class Value::Iterator {
 public:
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const Value* whole, size_t part) : whole_(whole), part_(part) {}
    Value operator*() const { return (*whole_)[part_]; }
    Iterator& operator++() { ++part_; return *this; }
    Iterator operator++(int) { return Iterator(whole_, part_++); }
    bool operator==(const Iterator& other) const { return part_ == other.part_; }

 private:
    const Value* whole_ = nullptr;
    size_t part_ = 0;
};
inline Value::Iterator Value::begin() const { return Iterator(this, 0); }
inline Value::Iterator Value::end() const { return Iterator(this, size()); }
} // namespace nereus::v1
