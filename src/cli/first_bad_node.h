// cli/first_bad_node.h - whose fault a NaN or an infinity is, from counts of what every value holds (TextOptions::counted).
//
// Nodes are gone through in the order in which they ran, into arms, trips and functions. A node is to blame for a NaN if
// nothing that it reads has one, and for an infinity if nothing that it reads has either; constants may hold both.
#pragma once
#include "import/model_text.h"
#include "value/value.h"
#include <map>
#include <optional>

namespace nereus {
struct BadElements {
    int64_t nans = 0, infinite = 0;
    bool any() const { return nans + infinite > 0; }
    BadElements& operator+=(const BadElements& other) { return nans += other.nans, infinite += other.infinite, *this; }
};
std::string text_of(const BadElements& bad);
bool is_computed_float(DType dtype);
BadElements count_in(const Value& value);

class FirstBadNode {
 public:
    // `counts`: what a call gave for the bodies.
    FirstBadNode(const onnx::ModelFile& file, std::span<const onnx::CountedBody> bodies, std::span<const Value> counts);
    void know(std::string_view input, BadElements bad) { inputs_[input] = bad; }
    std::optional<std::string> find();                   // in words; nothing: no node is

 private:
    // What names mean where a node stands; a function sees no names around it.
    struct Scope {
        const Scope* around = nullptr;
        const onnx::Graph* graph = nullptr;
        std::map<std::string_view, BadElements> known = {};
    };
    std::optional<std::string> find_in(int place, Scope& scope);
    std::optional<std::string> find_inside(int place, const onnx::Node& node, Scope& scope);
    std::optional<std::string> find_in_trips(int body, Scope& scope);
    std::optional<std::string> blame(int place, const onnx::Node& node, const Scope& scope) const;
    BadElements of(const Scope& scope, std::string_view name) const;
    const Value* counts_of(int body, size_t trips) const;            // as many trips deep as said; null: it did not run
    int body_of(int place) const;
    std::string where(int place) const;

    const onnx::ModelFile& file_;
    const onnx::Places places_;
    std::map<int, const Value*> counts_;                 // by body
    std::map<std::pair<int, std::string_view>, size_t> index_;       // of a value in the counts of its body
    std::map<std::string_view, BadElements> inputs_;
    std::vector<size_t> trips_;                          // of the loops around, the outermost first
};
} // namespace nereus
