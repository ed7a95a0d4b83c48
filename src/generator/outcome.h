// generator/outcome.h - what one run of a program gave, and how two runs differ.
#pragma once
#include "ir/module.h"
#include "value/value.h"
#include <optional>

namespace nereus::gen {
struct Outcome {
    Result<Value> value;
    std::vector<std::string> prints;         // lines
    bool guessed_size = false;               // eval took 0 for a size that was not known, of what a loop of no trips yields
};
constexpr size_t most_steps = 200'000;       // of a program that is interpreted: eval is slow
Outcome interpret(const Module& module, std::span<const Value> args, size_t steps = most_steps);
bool is_too_long(const Outcome& outcome);    // stopped after so many steps: says nothing about the program

std::string without_newline(std::string_view line);
// Without names and numbers: what stays the same while a program shrinks.
std::string scrubbed(const std::string& message);

// Numbers of f32 agree in fewer digits. What is made of literals alone is f32 unless something says otherwise, so that
// results are looked at too.
enum class Precision { f64, f32 };
struct Disagreement { std::string kind, what; };         // as of a finding, without a name of who gave it
// Both fail: they agree, whatever they say.
std::optional<Disagreement> disagreement(const Outcome& found, const Outcome& expected, Precision precision);
bool values_differ(const Value& found, const Value& expected, Precision precision);
} // namespace nereus::gen
