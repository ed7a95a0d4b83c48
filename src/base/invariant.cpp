#include "base/invariant.h"
#include <cstdio>
#include <cstdlib>

namespace nereus {
namespace {
thread_local int guards = 0;
}
InvariantGuard::InvariantGuard() { ++guards; }
InvariantGuard::~InvariantGuard() { --guards; }

void invariant_failed(const char* what, std::source_location where) {
    if (guards > 0) {
        std::string place = std::string(where.file_name()) + ":" + std::to_string(where.line());
        throw BrokenInvariant{Error{Code::internal, std::string(what) + " (" + place + ")", {},
                                    "a mistake of the compiler, not of the program: please report both"}};
    }
    std::fprintf(stderr, "nereus: invariant failed: %s (%s:%u)\n", what, where.file_name(), where.line());
    std::abort();
}
} // namespace nereus
