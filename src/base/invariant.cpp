#include "base/invariant.h"
#include <cstdio>
#include <cstdlib>

namespace nereus {
void invariant_failed(const char* what, std::source_location where) {
    std::fprintf(stderr, "nereus: invariant failed: %s (%s:%u)\n", what, where.file_name(), where.line());
    std::abort();
}
} // namespace nereus
