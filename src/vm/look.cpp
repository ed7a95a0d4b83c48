#include "vm/look.h"
#include "tensor/shape.h"
#include <algorithm>
#include <unordered_set>

namespace nereus {
namespace {
struct Task {
    const Object* object;
    uint32_t type;
    const DataObject* inside;                // whose bound dims the axes mean; null: nobody's
    bool operator==(const Task&) const = default;
};
struct TaskHash {
    size_t operator()(const Task& task) const {
        return (uintptr_t(task.object) ^ (uintptr_t(task.inside) * 31) ^ task.type) * 0x9e3779b97f4a7c15 >> 8;
    }
};

// Calls `tensor` for every tensor until it returns false. Parts are met in order, except that the items of a sequence
// are met from its end where `seq_backwards`.
template <class Visit> void walk(const LoadedExecutable& program, Task root, bool seq_backwards, const Visit& tensor) {
    const std::vector<DoorType>& types = program.exe().door_types;
    std::vector<Task> tasks = {root};
    std::unordered_set<Task, TaskHash> seen;
    while (!tasks.empty()) {
        Task task = tasks.back();
        tasks.pop_back();
        const DoorType& type = types[task.type];
        if (!program.reads_bound(task.type)) task.inside = nullptr;
        if (task.object->refs > 1 && !seen.insert(task).second) continue;
        switch (type.kind) {
        case DoorType::Kind::tensor:
            if (!tensor(static_cast<const TensorObject&>(*task.object), type, task.inside)) return;
            break;
        case DoorType::Kind::seq: {
            auto* seq = static_cast<const SeqObject*>(task.object);
            for (uint32_t i = 0; i < seq->count; ++i)
                tasks.push_back({seq->items->at[seq_backwards ? i : seq->count - 1 - i], type.fields[0][0], task.inside});
            break;
        }
        case DoorType::Kind::tuple: case DoorType::Kind::record: case DoorType::Kind::data: {
            auto* data = static_cast<const DataObject*>(task.object);
            const std::vector<uint32_t>& fields = type.fields[type.kind == DoorType::Kind::data ? data->tag : 0];
            for (size_t i = fields.size(); i-- > 0;) tasks.push_back({data->fields[i], fields[i], data->bound ? data : task.inside});
            break;
        }
        }
    }
}

// The size an axis must have; -1: any.
int64_t expected_size(int32_t axis, const DataObject* inside, std::span<const int64_t> sizes) {
    if (axis >= 0) return size_t(axis) < sizes.size() ? sizes[size_t(axis)] : -1;
    if (axis == -1 || !inside || uint64_t(-2 - axis) >= inside->bound) return -1;
    return const_cast<DataObject*>(inside)->dims()[-2 - axis];
}
} // namespace

void observe(const LoadedExecutable& program, uint32_t type, const Object* object, std::span<int64_t> sizes) {
    std::fill(sizes.begin(), sizes.end(), -1);
    size_t missing = sizes.size();
    walk(program, {object, type, nullptr}, false, [&](const TensorObject& tensor, const DoorType& expected, const DataObject*) {
        size_t rank = expected.axes.size();              // of another rank: it tells nothing
        if (expected.ranked ? tensor.count != rank : tensor.count < rank) return true;
        for (size_t i = 0; i < rank; ++i) {
            int32_t axis = expected.axes[i];
            if (axis < 0 || size_t(axis) >= sizes.size() || sizes[size_t(axis)] >= 0) continue;
            sizes[size_t(axis)] = tensor.dims[i];
            --missing;
        }
        return missing > 0;
    });
}

std::optional<Mismatch> find_mismatch(const LoadedExecutable& program, uint32_t type, const Object* object,
                                  std::span<const int64_t> sizes) {
    std::optional<Mismatch> found;
    walk(program, {object, type, nullptr}, true, [&](const TensorObject& tensor, const DoorType& expected, const DataObject* inside) {
        size_t rank = expected.axes.size();
        const bool same_rank = expected.ranked ? tensor.count == rank : tensor.count >= rank;
        bool fits = same_rank;
        std::string text;
        for (size_t i = 0; i < rank; ++i) {
            int64_t size = expected_size(expected.axes[i], inside, sizes);
            fits = fits && (size < 0 || size == tensor.dims[i]);
        }
        if (fits) return true;
        for (size_t i = 0; i < rank; ++i) {
            int64_t size = expected_size(expected.axes[i], inside, sizes);
            text += (i ? ", " : "") + (size < 0 ? "?" : std::to_string(size));
        }
        text = "(" + text + (expected.ranked ? ")" : rank == 0 ? "..)" : ", ..)");
        found = Mismatch{std::move(text), shape_text({tensor.dims, tensor.count}), same_rank};
        return false;
    });
    return found;
}
} // namespace nereus
