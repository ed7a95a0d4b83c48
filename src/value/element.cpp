#include "value/element.h"
#include "tensor/texts.h"
#include "value/json.h"
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

// Of a float of fewer bits than f32; five digits name every f16.
template <class Small> void append_shortest(std::string& out, Small element) {
    const double value = element;
    if (std::isinf(value)) return append_number(out, value);
    for (int digits = 1;; ++digits) {
        char text[32];
        const char* end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr;
        double read = 0;
        std::from_chars(text, end, read);
        if (to_word(Small(read)) != to_word(element)) continue;
        append_number(out, read);                  // the same digits, written as those of f32 and f64 are
        return;
    }
}

template <class Float> void append_float(std::string& out, Float element) {
    const double value = element;
    if (std::isnan(value)) out += "nan";           // to_chars may show the sign of a NaN, which means nothing
    else if (value == 0 && std::signbit(value)) out += "-0.0";   // "-0" is an integer to others, without its sign
    else if constexpr (std::is_floating_point_v<Float>) append_number(out, element);
    else append_shortest(out, element);
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

// Small floats are read as f64 and rounded. NaN and infinity must be there.
template <class Element> Status store_float(DType dtype, std::string_view text, std::byte* target) {
    using Float = std::conditional_t<std::is_floating_point_v<Element>, Element, double>;
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
        if (std::isinf(double(Element(value))) || (out_of_range && !underflows(text)))
            return refuse(text, "does not fit", dtype);
        if (out_of_range) value = text.starts_with('-') ? -Float(0) : Float(0);
    }
    Element element(value);
    if constexpr (is_storage(dtype_of<Element>)) {
        element = Element(value, {.saturate = false, .round = Rounding::nearest});
        const double stored = element;
        const double largest = Element::of_code(Element::row.largest);
        const bool fits = std::isfinite(value) ? std::isfinite(stored) && std::abs(value) <= largest : std::isnan(value) ? std::isnan(stored) : stored == value;
        if (!fits) return refuse(text, "does not fit", dtype);
    }
    std::memcpy(static_cast<void*>(target), &element, sizeof element);
    return {};
}

template <class Element> Status store_integer(DType dtype, std::string_view text, std::byte* target) {
    using Int = std::conditional_t<is_storage(dtype_of<Element>), WideOf<Element>, Element>;
    Int value = 0;
    std::from_chars_result r = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = text.find_first_not_of("0123456789", 1) == text.npos;
    if (std::is_unsigned_v<Int> && text.starts_with('-') && text.size() > 1 && whole)     // from_chars reads no sign there
        return refuse(text, "does not fit", dtype);
    if (r.ec == std::errc::invalid_argument || r.ptr != text.data() + text.size())
        return refuse(text, "is not an", dtype);
    const Element element(value);
    if (r.ec != std::errc() || Int(element) != value) return refuse(text, "does not fit", dtype);
    std::memcpy(static_cast<void*>(target), &element, sizeof element);
    return {};
}
Status store_bool(std::string_view text, std::byte* target) {
    bool value = text == "true" || text == "1";
    if (!value && text != "false" && text != "0") return refuse(text, "is not a", DType::boolean);
    *target = std::byte(value);
    return {};
}
} // namespace

void append_element(std::string& out, const HostTensor& tensor, int64_t index) {
    invariant(0 <= index && index < tensor.count(), "element index out of range");
    with_type(tensor.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const T element = tensor.data<T>()[size_t(index)];
        if constexpr (std::is_same_v<T, bool>) out += element ? "true" : "false";
        else if constexpr (std::is_same_v<T, Text>) append_json_string(out, text_of(element));
        else if constexpr (std::is_same_v<WideOf<T>, double>) append_float(out, element);
        else if constexpr (is_storage(dtype_of<T>)) append_number(out, WideOf<T>(element));
        else append_number(out, element);
    });
}

Status store_element(DType dtype, std::string_view text, std::byte* target) {
    return with_type(dtype, [&](auto zero) -> Status {
        using T = decltype(zero);
        if constexpr (std::is_same_v<T, bool>) return store_bool(text, target);
        else if constexpr (std::is_same_v<T, Text>) return Error{Code::internal, "a text is an element of a tensor that holds it"};
        else if constexpr (std::is_same_v<WideOf<T>, double>) return store_float<T>(dtype, text, target);
        else return store_integer<T>(dtype, text, target);
    });
}
} // namespace nereus
