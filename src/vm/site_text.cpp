#include "vm/site_text.h"

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

std::string mismatch_text(const Site& site, const Mismatch& misfit) {
    std::string what = site.what;
    replace(what, "{= expected}", misfit.same_rank ? " = " + misfit.expected : "");
    replace(what, "{expected}", misfit.expected);
    replace(what, "{found}", misfit.found);
    return what;
}
} // namespace nereus
