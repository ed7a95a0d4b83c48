// nereus/value.hpp - what an entry point takes and gives: tensors, tuples, records, constructors and sequences.
// A Value is a small handle; copies share, nothing ever changes, and threads may share it. Depth is yours: a
// list of a million constructors is built, read, compared and freed without deep recursion.
#pragma once
#include "nereus/result.hpp"
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <vector>

namespace nereus::v1 {
enum class DType : int32_t {
    boolean = NEREUS_BOOL, i32 = NEREUS_I32, i64 = NEREUS_I64, f32 = NEREUS_F32, f64 = NEREUS_F64, i8 = NEREUS_I8,
    i16 = NEREUS_I16, u8 = NEREUS_U8, u16 = NEREUS_U16, u32 = NEREUS_U32, u64 = NEREUS_U64, f16 = NEREUS_F16, bf16 = NEREUS_BF16,
    // Only stored, moved and cast:
    f8e4m3fn = NEREUS_F8E4M3FN, f8e4m3fnuz = NEREUS_F8E4M3FNUZ, f8e5m2 = NEREUS_F8E5M2, f8e5m2fnuz = NEREUS_F8E5M2FNUZ,
    f8e8m0 = NEREUS_F8E8M0, f4e2m1 = NEREUS_F4E2M1, i4 = NEREUS_I4, u4 = NEREUS_U4, i2 = NEREUS_I2, u2 = NEREUS_U2,
    str = NEREUS_STR,                          // texts, UTF-8
};
// As programs write it: "bool", "i32", "bf16" and so on.
inline std::string_view dtype_name(DType dtype) {
    const char* name = nereus_dtype_name(nereus_dtype(dtype));
    return name ? name : "";
}

// Floats of 16 bits, as their bits: IEEE binary16, and the upper half of a float.
struct F16 {
    uint16_t bits = 0;
    static F16 of(double value) { return {nereus_f16_from_double(value)}; }    // the nearest, ties to even
    operator double() const { return nereus_f16_to_double(bits); }
};
struct BF16 {
    uint16_t bits = 0;
    static BF16 of(double value) { return {nereus_bf16_from_double(value)}; }
    operator double() const { return nereus_bf16_to_double(bits); }
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
    enum class Kind : int32_t {
        tensor = NEREUS_TENSOR, tuple = NEREUS_TUPLE, record = NEREUS_RECORD, constructor = NEREUS_CONSTRUCTOR,
        sequence = NEREUS_SEQUENCE,
    };
    class Iterator;

    // ---- builders
    // (), the empty tuple.
    Value() noexcept { (void)nereus_tuple_create(nullptr, 0, &handle_); }
    // A tensor with a copy of the elements, row by row. Refused: another number of elements than the shape
    // has, too little memory.
    template <Element T>
    static Result<Value> tensor(const Shape& shape, std::type_identity_t<std::span<const T>> data) {
        return copied(dtype_of<T>, shape, data.data(), data.size_bytes());
    }
    template <Element T> static Result<Value> tensor(const Shape& shape, std::initializer_list<T> data) {
        return tensor<T>(shape, std::span<const T>(data.begin(), data.size()));
    }
    // A tensor whose elements stay where they are: `owner` keeps them alive, and nobody changes them again.
    template <Element T>
    static Result<Value> view(const Shape& shape, std::type_identity_t<std::span<const T>> data,
                              std::shared_ptr<const void> owner) {
        return viewed(dtype_of<T>, shape, data.data(), data.size_bytes(), std::move(owner));
    }
    // A tensor of rank 0.
    template <Element T> static Value scalar(T value) {
        Value out;
        detail::succeed(nereus_tensor_create(nereus_dtype(dtype_of<T>), 0, nullptr, &value, sizeof value, &out.handle_));
        return out;
    }
    // A tensor of str with copies of the texts, row by row; of rank 0.
    static Result<Value> texts(const Shape& shape, std::span<const std::string> texts) {
        return detail::guarded<Value>([&] {
            std::vector<const char*> data;
            std::vector<size_t> sizes;
            for (const std::string& text : texts) data.push_back(text.data()), sizes.push_back(text.size());
            return result([&](nereus_value** out) {
                return nereus_texts_create(shape.size(), shape.data(), data.data(), sizes.data(), data.size(), out);
            });
        });
    }
    static Value text(const std::string& text) {
        Value out;
        const char* data = text.data();
        const size_t bytes = text.size();
        detail::succeed(nereus_texts_create(0, nullptr, &data, &bytes, 1, &out.handle_));
        return out;
    }
    static Value tuple(std::span<const Value> items) { return made(nereus_tuple_create, items); }
    static Value tuple(std::initializer_list<Value> items) { return tuple(std::span(items.begin(), items.size())); }
    // Field names must differ; their order does not matter to an entry point.
    static Value record(std::span<const Field> fields);
    static Value record(std::initializer_list<Field> fields);
    // A constructor of a data type, as in Node(left, right).
    static Value constructor(const std::string& name, std::span<const Value> arguments) {
        Value out;
        detail::succeed(nereus_constructor_create(name.c_str(), handles(arguments), arguments.size(), &out.handle_));
        return out;
    }
    static Value constructor(const std::string& name, std::initializer_list<Value> arguments = {}) {
        return constructor(name, std::span(arguments.begin(), arguments.size()));
    }
    static Value sequence(std::span<const Value> items) { return made(nereus_sequence_create, items); }
    static Value sequence(std::initializer_list<Value> items) { return sequence(std::span(items.begin(), items.size())); }
    // The encoding of --inputs and --json, for example {"dtype": "f32", "shape": [2], "data": [1, 2]}.
    static Result<Value> from_json(std::string_view text) {
        return result([&](nereus_value** out) { return nereus_value_from_json(text.empty() ? "" : text.data(), text.size(), out); });
    }
    // A structure of tensors from NumPy's .npz, whose names say what is where, as in layers.0.w: fields, items of
    // tuples .0 and of sequences [0], arguments of constructors .Node.0. `part`: what to take of it; empty: all.
    static Result<Value> load_npz(const std::string& path, const std::string& part = {}) {
        return result([&](nereus_value** out) { return nereus_value_load_npz(path.c_str(), part.c_str(), out); });
    }

    // ---- readers; using one on a value of another kind is a misuse that ends the program
    Kind kind() const { return Kind(nereus_value_kind(handle_)); }
    // Of a tensor. What the spans show lives as long as a copy of the value.
    DType dtype() const { return DType(read("dtype()").dtype); }
    std::span<const int64_t> shape() const {
        const nereus_tensor tensor = read("shape()");
        return {tensor.extents, tensor.rank};
    }
    template <Element T> std::span<const T> data() const {
        const nereus_tensor tensor = read("data()");
        if (DType(tensor.dtype) != dtype_of<T>)
            misuse("data() as " + std::string(dtype_name(dtype_of<T>)) + " of a tensor of " + std::string(dtype_name(DType(tensor.dtype))));
        return {static_cast<const T*>(tensor.data), tensor.count};
    }
    // The number of elements of a tensor.
    int64_t count() const { return int64_t(read("count()").count); }
    // The element of a tensor that has one.
    template <Element T> T item() const {
        if (count() != 1) misuse("item() of a tensor of " + std::to_string(count()) + " elements");
        return data<T>()[0];
    }
    // The elements of a tensor of str. What they show lives as long as a copy of the value.
    std::vector<std::string_view> texts() const {
        const nereus_tensor tensor = read("texts()");
        if (DType(tensor.dtype) != DType::str) misuse("texts() of a tensor of " + std::string(dtype_name(DType(tensor.dtype))));
        std::vector<std::string_view> out;
        for (size_t i = 0; i < tensor.count; ++i) {
            const char* text = "";
            size_t bytes = 0;
            detail::succeed(nereus_value_text(handle_, i, &text, &bytes));
            out.emplace_back(text, bytes);
        }
        return out;
    }
    // Of a constructor.
    std::string_view constructor_name() const {
        require(Kind::constructor, "constructor_name()");
        const char* name = "";
        detail::succeed(nereus_value_constructor(handle_, &name));
        return name;
    }
    // Of a record: parallel to its parts.
    std::vector<std::string_view> field_names() const {
        require(Kind::record, "field_names()");
        std::vector<std::string_view> names(size());
        for (size_t i = 0; i < names.size(); ++i) {
            const char* name = "";
            detail::succeed(nereus_value_field_name(handle_, i, &name));
            names[i] = name;
        }
        return names;
    }
    // The parts: items of a tuple or sequence, fields of a record, arguments of a constructor; no elements.
    size_t size() const { return nereus_value_size(handle_); }
    Value operator[](size_t part) const {
        if (part >= size()) misuse("part " + std::to_string(part) + " of a value that has " + std::to_string(size()));
        const nereus_value* found = nullptr;
        detail::succeed(nereus_value_part(handle_, part, &found));
        return Value(nereus_value_retain(found));
    }
    // The field of a record; find() for one that may be missing.
    Value operator[](std::string_view field) const {
        std::optional<Value> found = find(field);
        if (!found) misuse("the record has no field '" + std::string(field) + "'");
        return *std::move(found);
    }
    std::optional<Value> find(std::string_view field) const {
        require(Kind::record, "a field");
        std::vector<std::string_view> names = field_names();
        for (size_t i = 0; i < names.size(); ++i)
            if (names[i] == field) return (*this)[i];
        return std::nullopt;
    }
    Iterator begin() const;
    Iterator end() const;

    // The same structure, dtypes, shapes and bits: a NaN equals itself, 0 and -0 differ.
    bool operator==(const Value& other) const {
        int equal = 0;
        detail::succeed(nereus_value_equal(handle_, other.handle_, &equal));
        return equal != 0;
    }
    // Where this first differs from what was expected, and how; nothing if it does not. NaN equals NaN.
    std::optional<std::string> difference(const Value& expected, const Tolerance& tolerance = {}) const {
        nereus_bytes* text = nullptr;
        detail::succeed(nereus_value_compare(handle_, expected.handle_, tolerance.relative, tolerance.absolute, &text));
        return text ? std::optional(detail::text_of(text)) : std::nullopt;
    }
    // from_json() gives the same bits back.
    std::string to_json() const { return written(nereus_value_to_json); }
    // load_npz() gives the same bits back, and so does numpy.load.
    Status save_npz(const std::string& path) const {
        if (nereus_status* failed = nereus_value_save_npz(handle_, path.c_str())) return detail::error_of(failed);
        return {};
    }
    // On one line for people; what is long is shortened.
    std::string to_text() const { return written(nereus_value_to_text); }

    // The handle of nereus.h: borrowed here, taken over there.
    const nereus_value* handle() const { return handle_; }
    static Value take(nereus_value* handle) { return Value(handle); }

    Value(const Value& other) noexcept : handle_(nereus_value_retain(other.handle_)) {}
    Value(Value&& other) noexcept : Value() { std::swap(handle_, other.handle_); }
    Value& operator=(const Value& other) noexcept { return *this = Value(other); }
    Value& operator=(Value&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Value() { nereus_value_release(handle_); }

 private:
    friend class Context;
    explicit Value(nereus_value* handle) noexcept : handle_(handle) {}
    // A value is its handle and nothing else, so that many are a list of handles.
    static const nereus_value* const* handles(std::span<const Value> values) {
        static_assert(sizeof(Value) == sizeof(nereus_value*));
        return reinterpret_cast<const nereus_value* const*>(values.data());
    }
    template <class Make> static Value made(Make make, std::span<const Value> items) {
        Value out;
        detail::succeed(make(handles(items), items.size(), &out.handle_));
        return out;
    }
    template <class Make> static Result<Value> result(Make&& make) {
        Value out;
        if (nereus_status* failed = make(&out.handle_)) return detail::error_of(failed);
        return out;
    }
    template <class Write> std::string written(Write write) const {
        nereus_bytes* text = nullptr;
        detail::succeed(write(handle_, &text));
        return detail::text_of(text);
    }
    static Result<Value> copied(DType dtype, const Shape& shape, const void* data, size_t bytes) {
        return result([&](nereus_value** out) {
            return nereus_tensor_create(nereus_dtype(dtype), shape.size(), shape.data(), data, bytes, out);
        });
    }
    static Result<Value> viewed(DType dtype, const Shape& shape, const void* data, size_t bytes, std::shared_ptr<const void> owner) {
        return detail::guarded<Value>([&]() -> Result<Value> {
            using Owner = std::shared_ptr<const void>;
            auto kept = std::make_unique<Owner>(std::move(owner));
            auto let_go = [](void* user) { std::unique_ptr<Owner> last(static_cast<Owner*>(user)); };
            Result<Value> made = result([&](nereus_value** out) {
                return nereus_tensor_borrow(nereus_dtype(dtype), shape.size(), shape.data(), data, bytes, let_go, kept.get(), out);
            });
            if (made) (void)kept.release();
            return made;
        });
    }
    static std::string_view kind_name(Kind kind) {
        switch (kind) {
        case Kind::tensor: return "tensor";
        case Kind::tuple: return "tuple";
        case Kind::record: return "record";
        case Kind::constructor: return "constructor";
        case Kind::sequence: return "sequence";
        }
        return "value";
    }
    void require(Kind wanted, const char* reader) const {
        if (kind() == wanted) return;
        misuse(std::string(reader) + " of a " + std::string(kind_name(kind())) + ", not of a " + std::string(kind_name(wanted)));
    }
    nereus_tensor read(const char* reader) const {
        require(Kind::tensor, reader);
        nereus_tensor tensor{};
        tensor.struct_size = sizeof tensor;
        detail::succeed(nereus_value_tensor(handle_, &tensor));
        return tensor;
    }

    nereus_value* handle_ = nullptr;
};

struct Field {
    std::string name;
    Value value;
};
inline Value Value::record(std::span<const Field> fields) {
    std::vector<const char*> names;
    std::vector<const nereus_value*> values;
    for (const Field& field : fields) names.push_back(field.name.c_str()), values.push_back(field.value.handle_);
    Value out;
    detail::succeed(nereus_record_create(names.data(), values.data(), fields.size(), &out.handle_));
    return out;
}
inline Value Value::record(std::initializer_list<Field> fields) { return record(std::span(fields.begin(), fields.size())); }

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
