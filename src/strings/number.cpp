#include "strings/number.h"
#include "strings/letters.h"
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace nereus {
namespace {
// Digits with the point after the first, and the power of ten: "1.25e+03" of 1250.
template <class T> std::string shortest(T element) {
    char text[64];
    if constexpr (std::is_floating_point_v<T>) {
        return std::string(text, std::to_chars(text, text + sizeof text, element, std::chars_format::scientific).ptr);
    } else {                                             // smaller than f32: a few digits name every one of them
        for (int digits = 0;; ++digits) {
            const char* end = std::to_chars(text, text + sizeof text, double(element), std::chars_format::scientific, digits).ptr;
            double read = 0;
            std::from_chars(text, end, read);
            if (to_word(T(read)) == to_word(element) || digits == 17) return std::string(static_cast<const char*>(text), end);
        }
    }
}

template <class T> std::string float_text(T element) {
    const double value = element;
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    std::string written = shortest(element);
    const size_t e = written.find('e');
    const int power = std::atoi(written.c_str() + e + 1);
    const bool negative = written[0] == '-';
    std::string digits;
    for (char c : written.substr(0, e))
        if (c >= '0' && c <= '9') digits += c;
    while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
    std::string out;
    if (value != 0 && (std::fabs(value) < 1e-4 || std::fabs(value) >= 1e16)) {
        out = digits.substr(0, 1) + (digits.size() > 1 ? "." + digits.substr(1) : "") + (power < 0 ? "e-" : "e+");
        const int size = std::abs(power);
        out += (size < 10 ? "0" : "") + std::to_string(size);
    } else if (power < 0) {
        out = "0." + std::string(size_t(-power - 1), '0') + digits;
    } else {
        const size_t whole = size_t(power) + 1;
        if (digits.size() < whole) digits.append(whole - digits.size(), '0');
        out = digits.substr(0, whole) + "." + (digits.size() > whole ? digits.substr(whole) : "0");
    }
    return (negative ? "-" : "") + out;
}

Error no_number(std::string_view text, DType dtype, std::string_view why = "is no number to cast to") {
    constexpr size_t shown = 60;
    return Error{Code::value, "'" + std::string(text.substr(0, shown)) + (text.size() > shown ? "…'" : "'") + " " + std::string(why) + " " +
                                  std::string(dtype_name(dtype))};
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view space = " \t\n\v\f\r";
    const size_t begin = std::min(text.find_first_not_of(space), text.size());
    return text.substr(begin, text.find_last_not_of(space) + 1 - begin);
}

// from_chars takes a minus only: a plus that it meets is refused.
std::string_view without_plus(std::string_view text) { return text.starts_with('+') && !text.starts_with("+-") ? text.substr(1) : text; }

template <class Float> std::optional<Float> read_float(std::string_view text) {
    const std::string word = lower_case(text.substr(0, 16));
    const bool negative = word.starts_with('-'), sign = negative || word.starts_with('+');
    const std::string_view bare = std::string_view(word).substr(sign ? 1 : 0);
    if (bare == "nan") return std::numeric_limits<Float>::quiet_NaN();
    if (bare == "inf" || bare == "infinity") return negative ? -std::numeric_limits<Float>::infinity() : std::numeric_limits<Float>::infinity();
    text = without_plus(text);
    if (text.find_first_not_of("0123456789.-+eE") != text.npos) return std::nullopt;
    Float value = 0;
    const std::from_chars_result r = std::from_chars(text.data(), text.data() + text.size(), value);
    if (r.ec == std::errc::invalid_argument || r.ptr != text.data() + text.size()) return std::nullopt;
    if (r.ec == std::errc::result_out_of_range) {        // which way, it does not tell
        const size_t e = text.find_first_of("eE");
        const bool tiny = e != text.npos ? text.substr(e + 1).starts_with('-') : text.find('.') != text.npos && text.find_first_of("123456789") > text.find('.');
        const Float size = tiny ? Float(0) : std::numeric_limits<Float>::infinity();
        return text.starts_with('-') ? -size : size;
    }
    return value;
}

template <class T> Result<T> read_as(DType dtype, std::string_view text, StoreRule rule) {
    const std::string_view bare = trimmed(text);
    if constexpr (std::is_same_v<T, Text>) {
        return no_number(text, dtype);
    } else if constexpr (std::is_same_v<T, bool>) {
        const std::string word = lower_case(bare.substr(0, 6));
        if (word == "true" || word == "false") return word == "true";
        const std::optional<double> value = read_float<double>(bare);
        if (!value) return no_number(text, dtype);
        return *value != 0;
    } else if constexpr (std::is_integral_v<T>) {
        T value = 0;
        const std::string_view digits = without_plus(bare);
        const std::from_chars_result r = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        const bool whole = r.ptr == digits.data() + digits.size();
        if (whole && r.ec == std::errc()) return value;
        if (whole && r.ec == std::errc::result_out_of_range) return no_number(text, dtype, "does not fit");
        const std::optional<double> real = read_float<double>(bare);
        if (!real) return no_number(text, dtype);
        return element_cast<T>(*real);
    } else if constexpr (std::is_floating_point_v<T>) {
        const std::optional<T> value = read_float<T>(bare);
        if (!value) return no_number(text, dtype);
        return *value;
    } else {
        const std::optional<double> value = read_float<double>(bare);
        if (!value) return no_number(text, dtype);
        if constexpr (is_storage(dtype_of<T>)) return T(WideOf<T>(*value), rule);
        else return T(*value);
    }
}
} // namespace

std::string number_text(DType dtype, const std::byte* element) {
    return with_type(dtype, [&](auto zero) -> std::string {
        using T = decltype(zero);
        T value;
        std::memcpy(static_cast<void*>(&value), element, sizeof value);
        if constexpr (std::is_same_v<T, bool>) return value ? "True" : "False";
        else if constexpr (std::is_same_v<WideOf<T>, double>) return float_text(value);
        else return std::to_string(WideOf<T>(value));
    });
}

Status read_number(DType dtype, std::string_view text, StoreRule rule, std::byte* target) {
    return with_type(dtype, [&](auto zero) -> Status {
        using T = decltype(zero);
        const T value = TRY(read_as<T>(dtype, text, rule));
        std::memcpy(target, static_cast<const void*>(&value), sizeof value);
        return {};
    });
}
} // namespace nereus
