// Values from what C has: elements, parts, names.
#include "api/value_handle.h"
#include "tensor/small_float.h"
#include "tensor/text_tensor.h"
#include "value/json.h"
#include "value/npz.h"
#include <algorithm>

namespace nereus::api {
namespace {
static_assert(NEREUS_BOOL == int(DType::boolean) && NEREUS_F64 == int(DType::f64) && NEREUS_BF16 == int(DType::bf16) &&
              NEREUS_F8E8M0 == int(DType::f8e8m0) && NEREUS_U2 == int(DType::u2) && NEREUS_STR == int(DType::str));

// Of elements that are bytes of the caller.
Result<DType> dtype_of_number(nereus_dtype dtype) {
    if (dtype == NEREUS_STR) return Error{Code::usage, "texts are no bytes", {}, "nereus_texts_create makes tensors of them"};
    if (dtype < 0 || dtype > NEREUS_STR) return Error{Code::usage, "there is no dtype " + std::to_string(dtype)};
    return DType(dtype);
}
Result<Extents> extents_of(size_t rank, const int64_t* extents) {
    if (rank > 0) TRY(given(extents, "extents"));
    if (rank > max_rank) return Error{Code::limit, "a tensor has at most rank " + std::to_string(max_rank) + ", found " + std::to_string(rank)};
    return Extents(extents, extents + rank);
}
Status right_bytes(DType dtype, const Extents& shape, const void* data, size_t bytes) {
    const int64_t wanted = TRY(byte_count(dtype, shape));
    if (bytes == size_t(wanted)) return wanted > 0 ? given(data, "data") : Status();
    return Error{Code::shape, "shape " + shape_text(shape) + " has " + std::to_string(wanted) + " bytes of " +
                                  std::string(dtype_name(dtype)) + ", found " + std::to_string(bytes)};
}
// `make` gets the parts.
template <class Make> nereus_status* compound(const nereus_value* const* parts, size_t count, const char* name, nereus_value** out_value, Make&& make) {
    return at_the_edge([&]() -> Status {
        TRY(given(out_value, "out_value"));
        *out_value = hand_out(make(TRY(values_of(parts, count, name))));
        return {};
    });
}
Result<Value> record(std::span<const char* const> names, std::vector<Value> values) {
    std::vector<std::string_view> sorted(names.begin(), names.end());
    std::sort(sorted.begin(), sorted.end());
    if (auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
        return Error{Code::name, "field '" + std::string(*twice) + "' is given twice"};
    std::vector<Field> fields;
    fields.reserve(values.size());
    for (size_t i = 0; i < values.size(); ++i) fields.push_back({names[i], std::move(values[i])});
    return Value::record(std::move(fields));
}
} // namespace
} // namespace nereus::api

using namespace nereus;
using namespace nereus::api;

extern "C" {
const char* nereus_dtype_name(nereus_dtype dtype) {
    return dtype < 0 || dtype >= dtype_count ? nullptr : dtype_name(DType(dtype)).data();
}
size_t nereus_dtype_size(nereus_dtype dtype) { return dtype < 0 || dtype >= dtype_count ? 0 : size_t(size_of(DType(dtype))); }
uint16_t nereus_f16_from_double(double value) { return F16(value).bits(); }
double nereus_f16_to_double(uint16_t bits) { return F16::of_bits(bits); }
uint16_t nereus_bf16_from_double(double value) { return BF16(value).bits(); }
double nereus_bf16_to_double(uint16_t bits) { return BF16::of_bits(bits); }

nereus_status* nereus_tensor_create(nereus_dtype dtype, size_t rank, const int64_t* extents, const void* data, size_t bytes,
                                    nereus_value** out_value) {
    return at_the_edge([&]() -> Status {
        TRY(given(out_value, "out_value"));
        const DType type = TRY(dtype_of_number(dtype));
        Extents shape = TRY(extents_of(rank, extents));
        TRY(right_bytes(type, shape, data, bytes));
        std::span<const std::byte> elements(static_cast<const std::byte*>(data), bytes);
        *out_value = hand_out(Value::tensor(TRY(HostTensor::copy_of(type, std::move(shape), elements))));
        return {};
    });
}
nereus_status* nereus_tensor_borrow(nereus_dtype dtype, size_t rank, const int64_t* extents, const void* data, size_t bytes,
                                    nereus_release_fn release, void* user, nereus_value** out_value) {
    return at_the_edge([&]() -> Status {
        TRY(given(out_value, "out_value"));
        const DType type = TRY(dtype_of_number(dtype));
        Extents shape = TRY(extents_of(rank, extents));
        TRY(right_bytes(type, shape, data, bytes));
        // The memory is the caller's until nothing can fail any more: then the flag is set.
        auto taken = std::make_shared<bool>(false);
        auto let_go = [taken, release, user](const std::byte*) { if (*taken && release) release(user); };
        static const std::byte nothing{};                // an empty tensor may be without data, and is let go of all the same
        std::shared_ptr<const std::byte> memory(data ? static_cast<const std::byte*>(data) : &nothing, let_go);
        Value made = Value::tensor(TRY(HostTensor::view(type, std::move(shape), memory, int64_t(bytes))));
        *taken = true;
        *out_value = hand_out(std::move(made));
        return {};
    });
}
nereus_status* nereus_texts_create(size_t rank, const int64_t* extents, const char* const* texts, const size_t* sizes, size_t count,
                                   nereus_value** out_value) {
    return at_the_edge([&]() -> Status {
        TRY(given(out_value, "out_value"));
        Extents shape = TRY(extents_of(rank, extents));
        if (count > 0) TRY(given(texts, "texts"));
        std::vector<std::string_view> all;
        for (size_t i = 0; i < count; ++i) {
            TRY(given(texts[i], "texts"));
            all.push_back(sizes ? std::string_view(texts[i], sizes[i]) : std::string_view(texts[i]));
        }
        *out_value = hand_out(Value::tensor(TRY(text_tensor(std::move(shape), all))));
        return {};
    });
}
nereus_status* nereus_tuple_create(const nereus_value* const* items, size_t count, nereus_value** out_value) {
    return compound(items, count, "items", out_value, [](std::vector<Value> parts) { return Value::tuple(std::move(parts)); });
}
nereus_status* nereus_sequence_create(const nereus_value* const* items, size_t count, nereus_value** out_value) {
    return compound(items, count, "items", out_value, [](std::vector<Value> parts) { return Value::seq(std::move(parts)); });
}
nereus_status* nereus_record_create(const char* const* names, const nereus_value* const* values, size_t count, nereus_value** out_value) {
    return at_the_edge([&]() -> Status {
        TRY(given(out_value, "out_value"));
        std::span<const char* const> named = TRY(given_list(names, count, "names"));
        *out_value = hand_out(TRY(record(named, TRY(values_of(values, count, "values")))));
        return {};
    });
}
nereus_status* nereus_constructor_create(const char* name, const nereus_value* const* arguments, size_t count, nereus_value** out_value) {
    return at_the_edge([&]() -> Status {
        TRY(given(name, "name"));
        TRY(given(out_value, "out_value"));
        *out_value = hand_out(Value::ctor(name, TRY(values_of(arguments, count, "arguments"))));
        return {};
    });
}
nereus_status* nereus_value_from_json(const char* text, size_t size, nereus_value** out_value) {
    return at_the_edge([&]() -> Status {
        TRY(given(text, "text"));
        TRY(given(out_value, "out_value"));
        *out_value = hand_out(TRY(parse_json_value({text, size})));
        return {};
    });
}
nereus_status* nereus_value_load_npz(const char* path, const char* part, nereus_value** out_value) {
    return at_the_edge([&]() -> Status {
        TRY(given(path, "path"));
        TRY(given(out_value, "out_value"));
        *out_value = hand_out(TRY(read_npz(path, part ? part : "")));
        return {};
    });
}
nereus_value* nereus_value_retain(const nereus_value* value) {
    if (!value) return nullptr;
    return hand_out(Value(*Borrowed(value)));
}
void nereus_value_release(nereus_value* value) {
    if (value) Value::attach(node_of(value));
}
} // extern "C"
