#include "strings/letters.h"
#include "base/invariant.h"
#include "tensor/utf8.h"
#include <locale.h>
#include <wctype.h>

namespace nereus {
namespace {
// The C library has Unicode's tables; this locale is part of it.
locale_t unicode() {
    static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    invariant(locale != nullptr, "the C library has the locale C.UTF-8");
    return locale;
}

template <class Map> std::string mapped(std::string_view text, Map map) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const Letter letter = letter_at(text, at);
        if (letter.code == not_a_letter) out += text[at];
        else append_letter(out, char32_t(map(wint_t(letter.code))));
        at += letter.bytes;
    }
    return out;
}
} // namespace

std::string lower_case(std::string_view text) {
    return mapped(text, [](wint_t c) { return towlower_l(c, unicode()); });
}
std::string upper_case(std::string_view text) {
    return mapped(text, [](wint_t c) { return towupper_l(c, unicode()); });
}
} // namespace nereus
