#include "tensor/npy_texts.h"
#include "tensor/text_tensor.h"
#include "tensor/utf8.h"
#include <algorithm>
#include <cstring>

namespace nereus {
namespace {
constexpr char32_t escape = 0xdc00;

std::u32string codes_of(std::string_view text) {
    std::u32string codes;
    for (size_t at = 0; at < text.size();) {
        const Letter letter = letter_at(text, at);
        codes += letter.code == not_a_letter ? escape + static_cast<unsigned char>(text[at]) : letter.code;
        at += letter.bytes;
    }
    return codes;
}
} // namespace

Result<std::vector<std::string>> texts_of_npy(std::string_view data, int64_t width, int64_t count) {
    std::vector<std::string> texts;
    std::u32string codes(size_t(width), U'\0');
    for (int64_t i = 0; i < count; ++i) {
        if (width > 0) std::memcpy(codes.data(), data.data() + i * width * 4, size_t(width) * 4);
        const size_t end = codes.find_last_not_of(U'\0') + 1;
        std::string& text = texts.emplace_back();
        for (char32_t code : codes.substr(0, end)) {
            if (code > escape + 0x7f && code <= escape + 0xff) text += char(code - escape);
            else if (code >= not_a_letter) return Error{Code::parse, "npy: " + std::to_string(uint32_t(code)) + " is no character"};
            else append_letter(text, code);
        }
    }
    return texts;
}

NpyTexts npy_of_texts(const HostTensor& tensor) {
    std::vector<std::u32string> all;
    size_t width = 1;                        // NumPy has no texts of no width
    for (std::string_view text : texts_of(tensor)) width = std::max(width, all.emplace_back(codes_of(text)).size());
    NpyTexts out{int64_t(width), std::string(all.size() * width * 4, '\0')};
    for (size_t i = 0; i < all.size(); ++i) std::memcpy(out.data.data() + i * width * 4, all[i].data(), all[i].size() * 4);
    return out;
}
} // namespace nereus
