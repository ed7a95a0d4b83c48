// value/json.h - values as JSON:
//   tensor        {"dtype": "f32", "shape": [2, 3], "data": [row-major]}; not finite: "nan", "inf", "-inf"
//                 {"npy": "x.npy"}, a file in the folder of the JSON file or below it
//   tuple, seq    {"tuple": [V, …]}, {"seq": [V, …]}
//   record        {"record": {"field": V, …}}
//   constructor   {"ctor": "Node", "args": [V, …]}
#pragma once
#include "value/value.h"
#include <functional>
#include <optional>

namespace nereus {
// One value. `folder` is where npy references are looked up; empty: they are refused. Keys come in any
// order, none twice. Memory is proportional to the text and the files it names, depth is unlimited, and
// errors give line and column.
Result<Value> parse_json_value(std::string_view text, const std::string& folder = {});

// One entry call: arguments by parameter name, without '%', in the order of the text.
using NamedValues = std::vector<Field>;
struct Inputs {
    std::vector<NamedValues> calls;
    bool is_list = false;                          // the text was a list of calls: answer with a list
};
// The dtype of a parameter that is a scalar, or may be one; nothing: it is neither.
using ScalarTypes = std::function<std::optional<DType>(std::string_view parameter)>;
// A file for --inputs: an object by parameter name, or a list of such objects. Where `scalars` knows what a parameter is, a
// number, a truth or a text alone is an argument: {"x": 2.5, "deep": true}.
Result<Inputs> read_inputs_json(std::string_view text, const std::string& folder = {}, const ScalarTypes& scalars = {});

// On one line; parse_json_value gives back the same bits, NaN payloads aside. What is shared is written
// each time.
std::string to_json(const Value& value);
void append_json(std::string& out, const Value& value);
// Quoted and escaped.
void append_json_string(std::string& out, std::string_view text);
} // namespace nereus
