// ops/shape_rules.h - the shape rule of each operator, by name; the families' rules are in <family>_shapes.cpp.
#pragma once
#include "ir/shape_rule.h"

namespace nereus {
// Of the smaller size, or of both broadcast, and the larger: what broadcast_to and sum_to say of one that does not fit.
inline constexpr const char *misfit_to_broadcast = "size {0} does not broadcast to {1}", *misfit_to_sum = "size {1} does not sum to {0}";
// How to round is one of the words of tensor/storage_type.h:Rounding.
inline std::string unknown_rounding(std::string_view word) { return "round is \"" + std::string(word) + "\", expected \"up\", \"down\" or \"nearest\""; }
// fft: of the rank, and of the size of the last axis.
inline std::string few_complex_axes(std::string_view rank) { return "rank " + std::string(rank) + ", expected 2 or more"; }
inline std::string no_complex_parts(std::string_view size) { return "the last axis has size " + std::string(size) + ", expected 2: a real and an imaginary part"; }
inline constexpr const char* no_element = "an axis of size 0 has no element to choose";     // argmax, argmin

ShapeRule shape_rule(const OpDef& op);       // as its row says, else its family; nullptr: a builtin

struct NamedRule {
    std::string_view op;
    ShapeRule rule;
    std::string_view scalar = {};            // a parameter of kind value that must be a scalar
};
std::string_view scalar_param(const OpDef& op);      // its name; empty: there is none
std::span<const NamedRule> elementwise_shapes();
bool is_elementwise(const OpDef& op);        // a point of the result is made from a point of each operand
std::span<const NamedRule> reduce_shapes();
std::span<const NamedRule> layout_shapes();
std::span<const NamedRule> index_shapes();

using Shaped = std::vector<ShapedTensor>;
// Elementwise operators that only compute: the operand's shape, or what all of them broadcast to; dtype of the first.
Result<Shaped> broadcast_shape(const ShapeArgs& args, ShapeScope& scope);
Result<Shaped> truth_shape(const ShapeArgs& args, ShapeScope& scope);        // the same, of bools

// What several rules need.
Result<int64_t> shape_axis(ShapeScope& scope, int64_t axis, size_t rank);
// In the words of checked_axes. Of an unknown rank: axes written alike.
Status each_axis_once(ShapeScope& scope, std::span<const int64_t> axes, std::optional<size_t> rank);
Result<Shape> broadcast(ShapeScope& scope, const Shape& a, const Shape& b);
Dim element_count(Dims& dims, const Shape& shape);
// Numbers of a small integer tensor of rank 0 or 1, as what the map knows about it; too many: nothing.
Known known_elements(std::vector<Dim> numbers, size_t rank);
// What a rule did not say of elements of small tensors of integers and bools: an operator that moves them runs on their
// numbers in place of them, an elementwise one point by point. Where an element is not known, the result has a hole.
void follow_elements(const ShapeArgs& args, ShapeScope& scope, std::vector<ShapedTensor>& results);
// The same of bools or integers: a bool of rank 0 is a condition.
Known known_parts(Dims& dims, DType dtype, std::vector<Dim> numbers, size_t rank);
// Where the number of sizes must be known: the rank of the result, or which axes are meant, depends on it.
Error unknown_length(ShapeScope& scope, std::string_view what);
Status require_natural(ShapeScope& scope, std::span<const Dim> sizes);
} // namespace nereus
