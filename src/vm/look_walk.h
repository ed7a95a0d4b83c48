// vm/look_walk.h - the looks of vm/look.h at any graph of objects: those of a run, and those that a peak imagines.
//
// A graph has a Node and says of it: known(node); shared(node), there may be other ways to it; count(node), fields or items;
// child(node, i); tag(node); binds(node), it has bound dims; bound_dim(node, k), -1: not known; dims(node), of a tensor.
#pragma once
#include "tensor/shape.h"
#include "vm/loaded.h"
#include "vm/look.h"
#include <algorithm>
#include <optional>
#include <unordered_set>

namespace nereus {
template <class Graph> struct Look {
    using Node = typename Graph::Node;
    const LoadedExecutable& program;
    Graph graph;

    struct Task {
        Node object;
        uint32_t type;
        Node inside;                         // whose bound dims the axes mean; Node(): nobody's
        bool operator==(const Task&) const = default;
    };
    struct TaskHash {
        size_t operator()(const Task& task) const {
            return (std::hash<Node>()(task.object) ^ (std::hash<Node>()(task.inside) * 31) ^ task.type) * 0x9e3779b97f4a7c15 >> 8;
        }
    };

    // Calls `tensor` for every tensor, in order, until it returns false, and `unknown` instead for a part that is not known.
    template <class Visit, class Unknown>
    void walk(Node root, uint32_t root_type, const Visit& tensor, const Unknown& unknown) const {
        const std::vector<DoorType>& types = program.exe().door_types;
        std::vector<Task> tasks = {{root, root_type, Node()}};
        std::unordered_set<Task, TaskHash> seen;
        while (!tasks.empty()) {
            Task task = tasks.back();
            tasks.pop_back();
            const DoorType& type = types[task.type];
            if (!graph.known(task.object)) {
                if (!unknown()) return;
                continue;
            }
            if (!program.reads_bound(task.type)) task.inside = Node();
            if (graph.shared(task.object) && !seen.insert(task).second) continue;
            switch (type.kind) {
            case DoorType::Kind::tensor:
                if (!tensor(graph.dims(task.object), type, task.inside)) return;
                break;
            case DoorType::Kind::seq:
                for (uint32_t i = graph.count(task.object); i-- > 0;) tasks.push_back({graph.child(task.object, i), type.fields[0][0], task.inside});
                break;
            case DoorType::Kind::tuple: case DoorType::Kind::record: case DoorType::Kind::data: {
                const std::vector<uint32_t>& fields = type.fields[type.kind == DoorType::Kind::data ? graph.tag(task.object) : 0];
                Node inside = graph.binds(task.object) ? task.object : task.inside;
                for (size_t i = fields.size(); i-- > 0;) tasks.push_back({graph.child(task.object, uint32_t(i)), fields[i], inside});
                break;
            }
            }
        }
    }

    // The size an axis must have; -1: any.
    int64_t expected_size(int32_t axis, Node inside, std::span<const int64_t> sizes) const {
        if (axis >= 0) return size_t(axis) < sizes.size() ? sizes[size_t(axis)] : -1;
        return axis == -1 || inside == Node() ? -1 : graph.bound_dim(inside, uint32_t(-2 - axis));
    }

    // False: a part that is not known comes before some size is found; such sizes are -1.
    bool observe(uint32_t type, Node object, std::span<int64_t> sizes) const {
        std::fill(sizes.begin(), sizes.end(), -1);
        size_t missing = sizes.size();
        bool complete = true;
        auto tensor = [&](std::span<const int64_t> dims, const DoorType& expected, Node) {
            size_t rank = expected.axes.size();          // of another rank: it tells nothing
            if (expected.ranked ? dims.size() != rank : dims.size() < rank) return true;
            for (size_t i = 0; i < rank; ++i) {
                int32_t axis = expected.axes[i];
                if (axis < 0 || size_t(axis) >= sizes.size() || sizes[size_t(axis)] >= 0) continue;
                sizes[size_t(axis)] = dims[i];
                --missing;
            }
            return missing > 0;
        };
        walk(object, type, tensor, [&] { return complete = false; });
        return complete;
    }

    std::optional<Mismatch> find_mismatch(uint32_t type, Node object, std::span<const int64_t> sizes) const {
        std::optional<Mismatch> found;
        auto tensor = [&](std::span<const int64_t> dims, const DoorType& expected, Node inside) {
            size_t rank = expected.axes.size();
            const bool same_rank = expected.ranked ? dims.size() == rank : dims.size() >= rank;
            bool fits = same_rank;
            std::string text;
            for (size_t i = 0; fits && i < rank; ++i) {
                int64_t size = expected_size(expected.axes[i], inside, sizes);
                fits = size < 0 || size == dims[i];
            }
            if (fits) return true;
            for (size_t i = 0; i < rank; ++i) {
                int64_t size = expected_size(expected.axes[i], inside, sizes);
                text += (i ? ", " : "") + (size < 0 ? "?" : std::to_string(size));
            }
            text = "(" + text + (expected.ranked ? ")" : rank == 0 ? "..)" : ", ..)");
            found = Mismatch{std::move(text), shape_text(dims), same_rank};
            return false;
        };
        walk(object, type, tensor, [] { return true; });
        return found;
    }
};
} // namespace nereus
