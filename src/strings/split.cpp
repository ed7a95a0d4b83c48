#include "strings/split.h"
#include "tensor/utf8.h"

namespace nereus {
namespace {
// Unicode's White_Space and the four separators of ASCII, as Python has it.
bool is_space(char32_t c) {
    return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
           c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

// From `at` on, as long as characters are space, or are not.
size_t run(std::string_view text, size_t at, bool of_space) {
    while (at < text.size()) {
        const Letter letter = letter_at(text, at);
        if (is_space(letter.code) != of_space) break;
        at += letter.bytes;
    }
    return at;
}

std::vector<std::string_view> parts_between_space(std::string_view text, int64_t limit) {
    std::vector<std::string_view> parts;
    for (size_t at = run(text, 0, true); at < text.size();) {
        const bool last = limit >= 0 && int64_t(parts.size()) == limit;
        const size_t end = last ? text.size() : run(text, at, false);
        parts.push_back(text.substr(at, end - at));
        at = run(text, end, true);
    }
    return parts;
}
} // namespace

std::vector<std::string_view> parts_of(std::string_view text, std::string_view delimiter, int64_t limit) {
    if (delimiter.empty()) return parts_between_space(text, limit);
    std::vector<std::string_view> parts;
    for (;;) {
        const bool last = limit >= 0 && int64_t(parts.size()) == limit;
        const size_t cut = last ? text.npos : text.find(delimiter);
        parts.push_back(text.substr(0, cut));
        if (cut == text.npos) return parts;
        text.remove_prefix(cut + delimiter.size());
    }
}
} // namespace nereus
