#include "value/input_spec.h"
#include "tensor/npy.h"
#include "tensor/text_tensor.h"
#include "value/element.h"
#include "value/npz.h"
#include <algorithm>
#include <optional>

namespace nereus {
namespace {
// Steele, Lea, Flood: SplitMix64. The same numbers on every machine, which std distributions do not promise.
struct Random {
    uint64_t state;
    uint64_t next() {
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
};

struct TypeSpec { DType dtype; Extents shape; };

Error malformed(std::string_view what) {
    return Error{Code::usage, std::string(what), {}, "write x=2x3xf32=random, x=@file.npy, x=3xi64=1,2,3 or x=f32=2.5"};
}

// "2x3xf32": no dtype has an 'x' in its name.
Result<TypeSpec> parse_type(std::string_view text) {
    TypeSpec type{DType::f32, {}};
    for (size_t x; (x = text.find('x')) != text.npos; text.remove_prefix(x + 1)) {
        int64_t extent = 0;
        Status read = store_element(DType::i64, text.substr(0, x), reinterpret_cast<std::byte*>(&extent));
        if (!read || extent < 0) return malformed("'" + std::string(text.substr(0, x)) + "' is not a size");
        type.shape.push_back(extent);
    }
    std::optional<DType> dtype = dtype_from_name(text);
    if (!dtype) return malformed("'" + std::string(text) + "' is not a dtype; expected " + std::string(dtype_choices));
    type.dtype = *dtype;
    return type;
}

template <HostElement T, class Draw> Status fill(HostTensor& tensor, Draw draw) {
    for (T& element : TRY(tensor.mutable_data<T>())) element = draw();
    return {};
}

Result<HostTensor> listed_tensor(const TypeSpec& type, std::string_view list) {
    int64_t count = TRY(element_count(type.shape));
    if (is_text(type.dtype) && count == 1) return text_tensor(type.shape, std::span<const std::string_view>(&list, 1));     // commas and all
    int64_t given = list.empty() ? 0 : 1 + std::count(list.begin(), list.end(), ',');
    if (count != given)
        return Error{Code::shape, "shape " + shape_text(type.shape) + " takes " + std::to_string(count) +
                                      " elements, found " + std::to_string(given)};
    if (is_text(type.dtype)) {
        std::vector<std::string_view> texts;
        for (size_t begin = 0, comma; texts.size() < size_t(count); begin = comma + 1)
            texts.push_back(list.substr(begin, (comma = std::min(list.find(',', begin), list.size())) - begin));
        return text_tensor(type.shape, texts);
    }
    HostTensor tensor = TRY(HostTensor::make(type.dtype, type.shape));
    std::byte* target = TRY(tensor.mutable_bytes());
    for (int64_t i = 0; i < count; ++i, target += size_of(type.dtype)) {
        size_t comma = std::min(list.find(','), list.size());
        TRY(store_element(type.dtype, list.substr(0, comma), target));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return tensor;
}

Result<HostTensor> file_tensor(const TypeSpec& type, const std::string& path) {
    HostTensor tensor = TRY(read_npy(path));
    if (tensor.dtype() != type.dtype)
        return Error{Code::type, "'" + path + "' holds " + std::string(dtype_name(tensor.dtype())) + ", expected " +
                                     std::string(dtype_name(type.dtype))};
    if (tensor.shape() != type.shape)
        return Error{Code::shape, "'" + path + "' has shape " + shape_text(tensor.shape()) + ", expected " +
                                      shape_text(type.shape)};
    return tensor;
}

// "file.npz" or "file.npz:path"; nullopt: another kind of file.
std::optional<Result<Value>> structure(std::string_view file) {
    const size_t colon = file.find(".npz:");
    if (colon == file.npos && !file.ends_with(".npz")) return std::nullopt;
    const size_t end = colon == file.npos ? file.size() : colon + 4;
    return read_npz(std::string(file.substr(0, end)), file.substr(std::min(end + 1, file.size())));
}

} // namespace

Result<HostTensor> random_tensor(DType dtype, Extents shape, std::string_view name, uint64_t seed, uint64_t integers_below) {
    uint64_t hash = 0xcbf29ce484222325u;           // FNV-1a: two inputs of one shape should not be alike
    for (char c : name) hash = (hash ^ uint8_t(c)) * 0x100000001b3u;
    Random random{Random{seed}.next() ^ hash};
    if (is_text(dtype)) {
        std::vector<std::string> texts(size_t(TRY(element_count(shape))));
        for (std::string& text : texts) text = std::to_string(random.next() % 10);
        return text_tensor(std::move(shape), texts);
    }
    HostTensor tensor = TRY(HostTensor::make(dtype, std::move(shape)));
    TRY(with_type(dtype, [&](auto zero) {
        using T = decltype(zero);
        return fill<T>(tensor, [&]() -> T {
            if constexpr (std::is_same_v<T, bool>) return random.next() >> 63;
            else if constexpr (std::is_same_v<T, double>) return double(random.next() >> 11) * 0x1p-52 - 1;
            else if constexpr (std::is_same_v<T, Stored<DType::f8e8m0>>) return T::of_code(uint8_t(120 + random.next() % 16));        // near 1, not negative
            else if constexpr (std::is_same_v<WideOf<T>, double>) return T(float(random.next() >> 40) * 0x1p-23f - 1);
            else return T(random.next() % integers_below);
        });
    }));
    return tensor;
}

namespace {
Result<Value> parse_content(std::string_view name, std::string_view content, uint64_t seed) {
    if (content.starts_with('@')) {
        if (std::optional<Result<Value>> read = structure(content.substr(1))) return std::move(*read);
        return Value::tensor(TRY(read_npy(std::string(content.substr(1)))));
    }
    size_t equals = content.find('=');
    if (equals == content.npos) return malformed("no content after sizes and dtype");
    TypeSpec type = TRY(parse_type(content.substr(0, equals)));
    content.remove_prefix(equals + 1);
    if (content.starts_with('@')) return Value::tensor(TRY(file_tensor(type, std::string(content.substr(1)))));
    Result<HostTensor> written = content == "random" ? random_tensor(type.dtype, type.shape, name, seed) : listed_tensor(type, content);
    if (written) return Value::tensor(std::move(*written));
    Error error = std::move(written).error();
    if (error.code != Code::memory) error.code = Code::usage;        // no file is at fault, but the call that wrote it
    return error;
}
} // namespace

Result<Field> parse_input_spec(std::string_view spec, uint64_t seed) {
    size_t equals = std::min(spec.find('='), spec.size());
    std::string_view name = spec.substr(0, equals);
    Result<Value> value = name.empty() || equals == spec.size()
                              ? malformed(name.empty() ? "no name" : "no '=' after the name")
                              : parse_content(name, spec.substr(equals + 1), seed);
    if (value) return Field{std::string(name), std::move(value).take()};
    Error error = std::move(value).error();
    constexpr size_t shown = 60;
    error.message = "input '" + std::string(spec.substr(0, shown)) + (spec.size() > shown ? "…" : "") + "': " +
                    error.message;
    return error;
}
} // namespace nereus
