// value/text.h - values for people to read, on one line:
//   Tensor[(2, 3), f32] [[1, 2, 3], [4, 5, 6]]    f32 2.5    Node(Leaf(i64 1), Leaf(i64 2))
//   records {a = i64 1, b = f32 2}    a Seq [i64 1, i64 2]    tuples (i64 1, f32 2), (i64 1,) and ()
#pragma once
#include "value/value.h"

namespace nereus {
// What is left out is shown as "…".
struct TextOptions {
    int64_t max_elements = 1000;                   // per tensor
    size_t max_items = 1000;                       // per tuple, record, constructor or seq
    size_t max_depth = 200;                        // levels of nesting
    size_t max_nodes = 100'000;                    // in all: what is shared is printed each time it is met
    static TextOptions everything() { return {INT64_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX}; }
};
std::string to_text(const Value& value, const TextOptions& options = {});
std::string to_text(const HostTensor& tensor, const TextOptions& options = {});
} // namespace nereus
