// ops/random.cpp - counter-based random numbers.
#include "ops/families.h"

namespace nereus {
namespace {
constexpr OpParam random_params[] = {{"key", ParamKind::size},
                                     {"counter", ParamKind::size},
                                     {"shape", ParamKind::sizes},
                                     {"dtype", ParamKind::dtype}};

constexpr OpDef rows[] = {
    {.name = "random", .doc = "uniform in [0, 1) for floats, all bits for integers; a function of its arguments alone",
     .params = random_params, .scheme = "-> $dtype"},
};
} // namespace

std::span<const OpDef> random_ops() { return rows; }
} // namespace nereus
