#include "generator/rounding.h"
#include "generator/nudge.h"

namespace nereus::gen {
namespace {
bool inputs_decide(const Module& module, std::span<const Value> args, Precision precision, std::mt19937_64& random) {
    const Outcome here = interpret(module, args);
    for (int i = 0; i < 4; ++i) {
        std::vector<Value> near;
        for (const Value& arg : args) near.push_back(nudged(arg, 1e-12, random));
        const Outcome there = interpret(module, near);
        if (bool(here.value) != bool(there.value) || here.prints != there.prints) return true;
        if (here.value && values_differ(*there.value, *here.value, precision)) return true;
    }
    return false;
}
bool literals_decide(const Module& module, std::span<const Value> args, const Outcome& found, Precision precision, std::mt19937_64& random) {
    for (int i = 0; i < 16; ++i) {
        const Outcome there = interpret(with_nudged_literals(module, 64, random), args);
        if (disagreement(found, there, precision)) continue;
        if (there.value || there.value.error().code == found.value.error().code) return true;
    }
    return false;
}
} // namespace

bool rounding_decides(const Module& module, std::span<const Value> args, const Outcome& found, Precision precision, std::mt19937_64& random) {
    return inputs_decide(module, args, precision, random) || literals_decide(module, args, found, precision, random);
}
} // namespace nereus::gen
