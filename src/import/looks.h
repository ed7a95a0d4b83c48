// import/looks.h - which values of a model are looked at beside its outputs, and what comes out of each body for that: behind
// an arm of an If an Option of it, behind a loop a Seq of it with an element for every trip, whatever its sizes are.
#pragma once
#include "import/model_text.h"
#include "import/places.h"
#include <set>

namespace nereus::onnx {
class Looks {
 public:
    static Result<Looks> make(const ModelFile& model, const TextOptions& options);
    bool any() const { return places_.has_value(); }
    const Places& places() const { return *places_; }
    int inside(int place, const Node& node, const Graph* graph) const { return any() ? places_->inside(place, node, graph) : -1; }
    bool is_counted(int place, std::string_view name) const { return counted_.contains({place, name}); }

    // Numbers of what comes out of a place: of taps as they were asked for, then of the counts in each body.
    const std::vector<int>& out_of(int place) const;
    struct Tap { int number; std::string_view name; };
    std::vector<Tap> taps_in(int place) const;         // of values that stand there
    int counts_of(int place) const { return int(taps_.size()) + place; }
    const std::vector<Places::Value>& taps() const { return taps_; }

 private:
    std::optional<Places> places_;                     // nothing: none is asked for
    std::vector<Places::Value> taps_;
    std::set<std::pair<int, std::string_view>> counted_;
    std::vector<std::vector<int>> out_of_;             // by place
};
} // namespace nereus::onnx
