#include "value/element.h"
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace nereus {
namespace {
template <class T> void append_number(std::string& out, T value) {
    char buffer[32];
    std::to_chars_result r = std::to_chars(buffer, buffer + sizeof buffer, value);
    out.append(buffer, r.ptr);
}

template <class Float> void append_float(std::string& out, Float value) {
    if (std::isnan(value)) out += "nan";           // to_chars may show the sign of a NaN, which means nothing
    else if (value == 0 && std::signbit(value)) out += "-0.0";   // "-0" is an integer to others, without its sign
    else append_number(out, value);
}

Error refuse(std::string_view text, std::string_view why, DType dtype) {
    constexpr size_t shown = 40;                   // a number may be as long as the file it stands in
    std::string quoted = "'" + std::string(text.substr(0, shown)) + (text.size() > shown ? "…'" : "'");
    return Error{Code::value, quoted + " " + std::string(why) + " " + std::string(dtype_name(dtype))};
}

// Whether a number out of range is too small rather than too large: from_chars does not tell.
bool underflows(std::string_view text) {
    int64_t exponent = 0;                          // of the first digit that is not zero
    bool seen_digit = false, seen_point = false;
    size_t i = text.starts_with('-') ? 1 : 0;
    for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
        if (text[i] == '.') { seen_point = true; continue; }
        if (text[i] != '0') seen_digit = true;
        if (seen_digit && !seen_point) ++exponent;
        if (!seen_digit && seen_point) --exponent;
    }
    if (!seen_digit) return true;
    if (i + 1 >= text.size()) return exponent < 0;
    std::string_view digits = text.substr(i + 1);
    bool negative = digits.starts_with('-');
    if (digits[0] == '-' || digits[0] == '+') digits.remove_prefix(1);
    int64_t written = 0;
    // an exponent beyond int64 outweighs any count of digits that fits in memory
    if (std::from_chars(digits.data(), digits.data() + digits.size(), written).ec != std::errc()) return negative;
    return negative ? exponent < written : exponent < -written;
}

template <class Float> Status store_float(DType dtype, std::string_view text, std::byte* target) {
    constexpr Float inf = std::numeric_limits<Float>::infinity();
    Float value = 0;
    if (text == "nan") value = std::numeric_limits<Float>::quiet_NaN();
    else if (text == "inf") value = inf;
    else if (text == "-inf") value = -inf;
    else {
        // from_chars also reads words such as infinity, which are not ours
        if (text.find_first_not_of("0123456789.-+eE") != text.npos) return refuse(text, "is not an", dtype);
        std::from_chars_result r = std::from_chars(text.data(), text.data() + text.size(), value);
        if (r.ec == std::errc::invalid_argument || r.ptr != text.data() + text.size())
            return refuse(text, "is not an", dtype);
        bool out_of_range = r.ec != std::errc();
        if (std::isinf(value) || (out_of_range && !underflows(text)))
            return refuse(text, "does not fit", dtype);
        if (out_of_range) value = text.starts_with('-') ? -Float(0) : Float(0);
    }
    std::memcpy(target, &value, sizeof value);
    return {};
}

template <class Int> Status store_integer(DType dtype, std::string_view text, std::byte* target) {
    Int value = 0;
    std::from_chars_result r = std::from_chars(text.data(), text.data() + text.size(), value);
    if (r.ec == std::errc::invalid_argument || r.ptr != text.data() + text.size())
        return refuse(text, "is not an", dtype);
    if (r.ec != std::errc()) return refuse(text, "does not fit", dtype);
    std::memcpy(target, &value, sizeof value);
    return {};
}
} // namespace

void append_element(std::string& out, const HostTensor& tensor, int64_t index) {
    invariant(0 <= index && index < tensor.count(), "element index out of range");
    switch (tensor.dtype()) {
    case DType::boolean: out += tensor.data<uint8_t>()[size_t(index)] ? "true" : "false"; return;
    case DType::i32: append_number(out, tensor.data<int32_t>()[size_t(index)]); return;
    case DType::i64: append_number(out, tensor.data<int64_t>()[size_t(index)]); return;
    case DType::f32: append_float(out, tensor.data<float>()[size_t(index)]); return;
    case DType::f64: append_float(out, tensor.data<double>()[size_t(index)]); return;
    }
}

Status store_element(DType dtype, std::string_view text, std::byte* target) {
    switch (dtype) {
    case DType::boolean: {
        bool value = text == "true" || text == "1";
        if (!value && text != "false" && text != "0") return refuse(text, "is not a", dtype);
        *target = std::byte(value);
        return {};
    }
    case DType::i32: return store_integer<int32_t>(dtype, text, target);
    case DType::i64: return store_integer<int64_t>(dtype, text, target);
    case DType::f32: return store_float<float>(dtype, text, target);
    case DType::f64: return store_float<double>(dtype, text, target);
    }
    return {};
}
} // namespace nereus
