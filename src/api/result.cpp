#include "api/translate.h"
#include <cstdio>
#include <cstdlib>

namespace nereus::v1 {
std::string_view code_name(Code code) { return nereus::code_name(nereus::Code(code)); }

void misuse(std::string_view what) {
    std::fprintf(stderr, "nereus: %.*s\n", int(what.size()), what.data());
    std::abort();
}
} // namespace nereus::v1
