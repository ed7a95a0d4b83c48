#include "tensor/utf8.h"

namespace nereus {
Letter letter_at(std::string_view text, size_t at) {
    const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned first = byte(at);
    if (first < 0x80) return {first, 1};
    const size_t bytes = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2   ? 2 : 0;
    if (bytes == 0 || first >= 0xf5) return {not_a_letter, 1};
    char32_t code = first & (0xffu >> (bytes + 1));
    for (size_t i = 1; i < bytes; ++i) {
        if ((byte(at + i) & 0xc0) != 0x80) return {not_a_letter, 1};
        code = code << 6 | (byte(at + i) & 0x3f);
    }
    constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool valid = code >= smallest[bytes] && code < not_a_letter && (code < 0xd800 || code > 0xdfff);
    return valid ? Letter{code, bytes} : Letter{not_a_letter, 1};
}

void append_letter(std::string& out, char32_t code) {
    if (code < 0x80) {
        out += char(code);
        return;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr unsigned marks[] = {0, 0xc0, 0xe0, 0xf0};
    out += char(marks[more] | code >> (6 * more));
    for (int i = more; i-- > 0;) out += char(0x80 | (code >> (6 * i) & 0x3f));
}
} // namespace nereus
