#include "generator/outcome.h"
#include "eval/eval.h"
#include "value/compare.h"
#include <algorithm>

namespace nereus::gen {
namespace {
bool holds_f32(const Value& value) {
    if (value.is(Value::Kind::tensor)) return value.tensor().dtype() == DType::f32;
    return std::any_of(value.children().begin(), value.children().end(), holds_f32);
}
std::optional<Difference> difference(const Value& found, const Value& expected, Precision precision) {
    return compare(found, expected, precision == Precision::f32 || holds_f32(expected) ? Tolerance{2e-4, 1e-4, true} : Tolerance{1e-9, 1e-9, true});
}
std::string joined(const std::vector<std::string>& lines) {
    std::string out;
    for (const std::string& line : lines) out += line + ";";
    return out;
}
} // namespace

std::string without_newline(std::string_view line) { return std::string(line.substr(0, line.find('\n'))); }

std::string scrubbed(const std::string& message) {
    std::string out;
    for (size_t i = 0; i < message.size() && out.size() < 60; ++i) {
        char c = message[i];
        if (c == '%' || c == '@') {
            while (i + 1 < message.size() && (std::isalnum(message[i + 1]) || message[i + 1] == '_' || message[i + 1] == '.')) ++i;
        } else if (std::isdigit(c)) {
            if (out.empty() || out.back() != '#') out += '#';
            continue;
        }
        out += c;
    }
    return out;
}

Outcome interpret(const Module& module, std::span<const Value> args, size_t steps) {
    EvalOptions options;
    options.max_steps = steps;
    Outcome made{Value(), {}};
    options.print = [&](std::string_view line) { made.prints.push_back(without_newline(line)); };
    options.guessed_size = &made.guessed_size;
    made.value = eval(module, FunctionId(0), args, options);
    return made;
}
// Not any limit: a rank that is too high is the program's.
bool is_too_long(const Outcome& outcome) {
    return !outcome.value && outcome.value.error().code == Code::limit && outcome.value.error().message.starts_with("stopped after ");
}

std::optional<Disagreement> disagreement(const Outcome& found, const Outcome& expected, Precision precision) {
    if (!found.value && found.value.error().code == Code::internal) return Disagreement{": internal", found.value.error().message};
    if (expected.value && !found.value) return Disagreement{" fails: " + scrubbed(found.value.error().message), found.value.error().message};
    if (!expected.value && found.value) return Disagreement{" succeeds: " + scrubbed(expected.value.error().message), "eval: " + expected.value.error().message};
    if (!expected.value) return std::nullopt;
    if (std::optional<Difference> d = difference(*found.value, *expected.value, precision)) return Disagreement{" differs", d->path + ": " + d->what};
    if (found.prints != expected.prints) return Disagreement{" prints otherwise", joined(found.prints) + " for " + joined(expected.prints)};
    return std::nullopt;
}
bool values_differ(const Value& found, const Value& expected, Precision precision) { return difference(found, expected, precision).has_value(); }
} // namespace nereus::gen
