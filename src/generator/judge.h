// generator/judge.h - runs a program every way there is and tells what does not agree.
//
// Interpreted before shapes and after each later stage, compiled in process, and from the bytes of an artefact; at
// several inputs on one context. What is asked for:
// - the compiler takes the program, unless it can only fail or has a part that can (refusal.h), and print and parse are
//   inverse after parsing and after shapes;
// - where eval succeeds all succeed with the same value and the same prints; where it fails the others fail, unless the
//   failing value is not used (contract K9);
// - compiled and artefact agree bit for bit, errors included; no object is left over;
// - a gradient is what differences say.
// A difference that rounding decides is none (rounding.h). What takes too many steps to be interpreted is not compared.
#pragma once
#include "value/value.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nereus::gen {
struct Case {
    std::string text;                        // entry @main; with @loss, @main is value_and_grad(@loss) of the same parameters
    uint64_t seed = 0;                       // of the inputs
    int calls = 4;
    std::vector<std::vector<Value>> only = {};           // these calls instead
};
struct Finding {
    std::string kind;                        // what went wrong, without names and numbers: the same while a case shrinks
    std::string what;
    std::vector<std::vector<Value>> calls = {};          // on one context, the last one goes wrong; none: it did not come to that
    std::string inputs = {};                 // those as JSON
};
struct Verdict {
    std::optional<Finding> finding = {};
    int calls = 0, failed = 0, ill = 0;      // calls made; those that eval fails too; those that rounding decides
    int gradients = 0;                       // compared with differences
    int too_long = 0;                        // comparisons left out
    bool refused = false;                    // for one of the reasons that are listed: not a finding
};
Verdict judge(const Case& c);
} // namespace nereus::gen
