#include "vm/site_text.h"
#include <charconv>

namespace nereus {
namespace {
void replace(std::string& what, std::string_view mark, const std::string& text) {
    for (size_t at; (at = what.find(mark)) != std::string::npos;) what.replace(at, mark.size(), text);
}
} // namespace

std::string check_text(const Site& site, int64_t left, int64_t right) {
    std::string what = site.what;
    replace(what, "{0}", std::to_string(left));
    replace(what, "{1}", std::to_string(right));
    return what;
}

std::string with_registers(std::string what, const std::function<std::string(uint32_t reg, bool is_shape)>& read) {
    for (auto [mark, is_shape] : {std::pair(std::string_view("{shape r"), true), std::pair(std::string_view("{r"), false)})
        for (size_t at = what.find(mark); at != std::string::npos; at = what.find(mark, at + 1)) {
            uint32_t reg = 0;
            const char* digits = what.data() + at + mark.size();
            const auto [end, failed] = std::from_chars(digits, what.data() + what.size(), reg);
            if (failed != std::errc() || end == what.data() + what.size() || *end != '}') continue;
            what.replace(at, size_t(end + 1 - what.data()) - at, read(reg, is_shape));
        }
    return what;
}

std::string mismatch_text(const Site& site, const Mismatch& misfit) {
    std::string what = site.what;
    replace(what, "{= expected}", misfit.same_rank ? " = " + misfit.expected : "");
    replace(what, "{expected}", misfit.expected);
    replace(what, "{found}", misfit.found);
    return what;
}
} // namespace nereus
