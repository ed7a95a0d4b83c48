// import/places.h - where values of a model are: in its main graph, in bodies that nodes run, in functions that they call. A
// name alone may stand in several places, a path tells them apart: loop/body/h is `h` in the body of the node 'loop'.
#pragma once
#include "import/onnx_model.h"
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

namespace nereus::onnx {
struct Place {
    // What its values are, seen from the place around: a call runs once, an arm at most once, a body as often as its loop says.
    enum class Kind : uint8_t { main, call, arm, trips };
    Kind kind = Kind::main;
    int around = -1;
    const Node* node = nullptr;                        // that runs it
    const Graph* graph = nullptr;                      // null: a function
    const Function* function = nullptr;
    std::string path = {};                             // of a value in it, before its name
};

class Places {
 public:
    explicit Places(const ModelFile& model);           // which outlives this; as many as its text may have, the rest is left out
    const Place& operator[](int place) const { return all_[size_t(place)]; }
    int size() const { return int(all_.size()); }
    int inside(int place, const Node& node, const Graph* graph) const;         // graph null: what it calls; -1: no such place
    std::span<const Node> nodes(int place) const;
    bool is_in(int place, int other) const;            // the same, or somewhere inside
    std::vector<Place::Kind> layers(int place) const;  // arms and trips around its values, outermost first

    struct Value { int place; std::string_view name; };
    Result<Value> find(const std::string& wanted) const; // a path, or the end of one alone, such as a name
    std::string path(const Value& value) const { return (*this)[value.place].path + std::string(value.name); }

 private:
    void add(const ModelFile& model, Place place, int64_t& nodes_left, int depth);
    void name_values();
    std::vector<Place> all_;                           // those around come first
    std::map<std::tuple<int, const Node*, const Graph*>, int> inside_;
    std::vector<Value> values_;                        // in order
    std::unordered_map<std::string, size_t> by_path_;
};

const Function* function_of(const ModelFile& model, const Node& node);         // null: an operator
} // namespace nereus::onnx
