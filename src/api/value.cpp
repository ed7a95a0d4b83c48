#include "tensor/text_tensor.h"
#include "value/compare.h"
#include "value/json.h"
#include "value/npz.h"
#include "value/text.h"
#include "api/value_inside.h"
#include <cstring>

namespace nereus::v1 {
using api::ValueInside;
static_assert(sizeof(Value) == sizeof(nereus::Value) && alignof(Value) >= alignof(nereus::Value));
static_assert(int(Value::Kind::constructor) == int(nereus::Value::Kind::ctor) &&
              int(Value::Kind::sequence) == int(nereus::Value::Kind::seq));
static_assert(int(DType::boolean) == int(nereus::DType::boolean) &&
              int(DType::f64) == int(nereus::DType::f64) && int(DType::bf16) == int(nereus::DType::bf16) &&
              int(DType::u2) == int(nereus::DType::u2) && int(DType::str) == int(nereus::DType::str));

namespace {
const nereus::Value& inside(const Value& value) { return ValueInside::of(value); }

std::vector<nereus::Value> unwrap(std::vector<Value>& values) {
    std::vector<nereus::Value> out;
    out.reserve(values.size());
    for (Value& value : values) out.push_back(std::move(ValueInside::of(value)));
    return out;
}

void require(const Value& value, Value::Kind kind, const char* reader) {
    if (value.kind() == kind) return;
    auto name = [](Value::Kind k) { return std::string(kind_name(nereus::Value::Kind(k))); };
    misuse(std::string(reader) + " of a " + name(value.kind()) + ", not of a " + name(kind));
}
const HostTensor& tensor_of(const Value& value, const char* reader) {
    require(value, Value::Kind::tensor, reader);
    return inside(value).tensor();
}
} // namespace

F16 F16::of(double value) { return {nereus::F16(value).bits()}; }
F16::operator double() const { return nereus::F16::of_bits(bits); }
BF16 BF16::of(double value) { return {nereus::BF16(value).bits()}; }
BF16::operator double() const { return nereus::BF16::of_bits(bits); }

std::string_view dtype_name(DType dtype) { return nereus::dtype_name(nereus::DType(dtype)); }

Value::Value() noexcept { new (inside_) nereus::Value(); }
Value::Value(const Value& other) noexcept { new (inside_) nereus::Value(inside(other)); }
Value::Value(Value&& other) noexcept { new (inside_) nereus::Value(std::move(ValueInside::of(other))); }
Value& Value::operator=(const Value& other) noexcept { return *this = Value(other); }
Value& Value::operator=(Value&& other) noexcept {
    ValueInside::of(*this) = std::move(ValueInside::of(other));
    return *this;
}
Value::~Value() { std::destroy_at(&ValueInside::of(*this)); }

Result<Value> Value::copied(DType dtype, Shape shape, const void* data, size_t bytes) {
    return api::guarded<Value>([&]() -> nereus::Result<Value> {
        std::span<const std::byte> elements(static_cast<const std::byte*>(data), bytes);
        HostTensor made = TRY(HostTensor::copy_of(nereus::DType(dtype), std::move(shape), elements));
        return ValueInside::wrap(nereus::Value::tensor(std::move(made)));
    });
}

Result<Value> Value::viewed(DType dtype, Shape shape, const void* data, size_t bytes,
                            std::shared_ptr<const void> owner) {
    return api::guarded<Value>([&]() -> nereus::Result<Value> {
        std::shared_ptr<const std::byte> memory(std::move(owner), static_cast<const std::byte*>(data));
        int64_t wanted = TRY(byte_count(nereus::DType(dtype), shape));
        if (int64_t(bytes) != wanted)
            return nereus::Error{nereus::Code::shape, "shape " + shape_text(shape) + " has " +
                                                          std::to_string(wanted) + " bytes of " +
                                                          std::string(dtype_name(dtype)) + ", found " +
                                                          std::to_string(bytes)};
        HostTensor made =
            TRY(HostTensor::view(nereus::DType(dtype), std::move(shape), std::move(memory), wanted));
        return ValueInside::wrap(nereus::Value::tensor(std::move(made)));
    });
}

Value Value::scalar_of(DType dtype, const void* element) {
    size_t bytes = size_t(size_of(nereus::DType(dtype)));
    return *copied(dtype, {}, element, bytes);
}
Result<Value> Value::texts(Shape shape, std::span<const std::string> texts) {
    return api::guarded<Value>([&]() -> nereus::Result<Value> { return ValueInside::wrap(nereus::Value::tensor(TRY(text_tensor(std::move(shape), texts)))); });
}
Value Value::text(std::string_view text) {
    const std::string one(text);
    return *texts({}, std::span(&one, 1));
}
Value Value::tuple(std::vector<Value> items) {
    return ValueInside::wrap(nereus::Value::tuple(unwrap(items)));
}

Value Value::record(std::vector<Field> fields) {
    std::vector<nereus::Field> inner;
    inner.reserve(fields.size());
    for (Field& field : fields)
        inner.push_back({std::move(field.name), std::move(ValueInside::of(field.value))});
    return ValueInside::wrap(nereus::Value::record(std::move(inner)));
}
Value Value::constructor(std::string name, std::vector<Value> arguments) {
    return ValueInside::wrap(nereus::Value::ctor(std::move(name), unwrap(arguments)));
}
Value Value::sequence(std::vector<Value> items) {
    return ValueInside::wrap(nereus::Value::seq(unwrap(items)));
}

Result<Value> Value::from_json(std::string_view text) {
    return api::guarded<Value>(
        [&]() -> nereus::Result<Value> { return ValueInside::wrap(TRY(parse_json_value(text))); });
}

Result<Value> Value::load_npz(const std::string& path, std::string_view part) {
    return api::guarded<Value>(
        [&]() -> nereus::Result<Value> { return ValueInside::wrap(TRY(read_npz(path, part))); });
}

Value::Kind Value::kind() const { return Kind(inside(*this).kind()); }
DType Value::dtype() const { return DType(tensor_of(*this, "dtype()").dtype()); }
std::span<const int64_t> Value::shape() const { return tensor_of(*this, "shape()").shape(); }
int64_t Value::count() const { return tensor_of(*this, "count()").count(); }

const void* Value::elements(DType wanted) const {
    const HostTensor& tensor = tensor_of(*this, "data()");
    if (dtype() != wanted)
        misuse("data() as " + std::string(dtype_name(wanted)) + " of a tensor of " +
               std::string(dtype_name(dtype())));
    return tensor.bytes();
}

std::vector<std::string> Value::texts() const {
    const HostTensor& tensor = tensor_of(*this, "texts()");
    if (dtype() != DType::str) misuse("texts() of a tensor of " + std::string(dtype_name(dtype())));
    std::vector<std::string> out;
    for (std::string_view text : texts_of(tensor)) out.emplace_back(text);
    return out;
}

std::string_view Value::constructor_name() const {
    require(*this, Kind::constructor, "constructor_name()");
    return inside(*this).ctor_name();
}
std::span<const std::string> Value::field_names() const {
    require(*this, Kind::record, "field_names()");
    return inside(*this).field_names();
}

size_t Value::size() const { return inside(*this).children().size(); }
Value Value::operator[](size_t part) const {
    if (part >= size())
        misuse("part " + std::to_string(part) + " of a value that has " + std::to_string(size()));
    return ValueInside::wrap(inside(*this).children()[part]);
}
std::optional<Value> Value::find(std::string_view field) const {
    require(*this, Kind::record, "a field");
    const nereus::Value* found = inside(*this).field(field);
    return found ? std::optional(ValueInside::wrap(*found)) : std::nullopt;
}
Value Value::operator[](std::string_view field) const {
    std::optional<Value> found = find(field);
    if (!found) misuse("the record has no field '" + std::string(field) + "'");
    return *std::move(found);
}

bool Value::operator==(const Value& other) const { return equal_bitwise(inside(*this), inside(other)); }
std::optional<std::string> Value::difference(const Value& expected, const Tolerance& tolerance) const {
    nereus::Tolerance within{tolerance.relative, tolerance.absolute, true};
    std::optional<Difference> found = compare(inside(*this), inside(expected), within);
    if (!found) return std::nullopt;
    return found->path.empty() ? found->what : found->path + ": " + found->what;
}
std::string Value::to_json() const { return nereus::to_json(inside(*this)); }
Status Value::save_npz(const std::string& path) const {
    return api::guarded<void>([&]() -> nereus::Status { return write_npz(path, inside(*this)); });
}
std::string Value::to_text() const { return nereus::to_text(inside(*this)); }
} // namespace nereus::v1
