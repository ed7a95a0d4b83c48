// Context::peak: what is known of a call at its door, then a walk over its code.
#include "vm/argument_door.h"
#include "vm/peak_walk.h"
#include <unordered_map>

namespace nereus {
namespace {
// The objects of a real heap that `root` reaches, in a shadow: rank-0 whole numbers keep their value, other elements do not.
class Shadowed {
 public:
    explicit Shadowed(ShadowHeap& shadow) : shadow_(shadow) {}

    Word copy(const Object* root) {
        Word made = visit(root);
        while (!open_.empty()) {
            auto [object, shadow] = open_.back();
            open_.pop_back();
            std::vector<Word> parts;
            for (uint32_t i = 0; i < object->count; ++i)
                parts.push_back(visit(object->kind == ObjectKind::seq ? static_cast<const SeqObject*>(object)->items->at[i]
                                                                      : static_cast<const DataObject*>(object)->fields[i]));
            shadow_.set_parts(shadow, parts);
        }
        return made;
    }

 private:
    Word visit(const Object* object) {
        auto [it, fresh] = seen_.try_emplace(object);
        if (!fresh) {
            shadow_.retain(it->second);
            return it->second;
        }
        if (object->kind == ObjectKind::tensor) {
            auto* tensor = static_cast<const TensorObject*>(object);
            it->second = shadow_.borrow_tensor(tensor->dtype, tensor->extents());
            if (tensor->count == 0 && is_host_number(tensor->dtype))
                shadow_.find(it->second)->elements.store(0, size_of(tensor->dtype), tensor->data);
            return it->second;
        }
        std::vector<Word> unfilled(object->count), bound;
        if (object->kind == ObjectKind::data) {
            auto* data = static_cast<const DataObject*>(object);
            const int64_t* dims = const_cast<DataObject*>(data)->dims();
            for (uint64_t i = 0; i < data->bound; ++i) bound.push_back(Word::number(dims[i]));
        }
        it->second = object->kind == ObjectKind::seq ? shadow_.new_seq(unfilled) : shadow_.new_data(object->tag, unfilled, bound);
        if (object->count > 0) open_.emplace_back(object, it->second);
        return it->second;
    }

    ShadowHeap& shadow_;
    std::unordered_map<const Object*, Word> seen_;
    std::vector<std::pair<const Object*, Word>> open_;
};

// An argument of this type where the type and door sizes say all about its structure; nothing: they do not.
std::optional<Word> from_type(const std::vector<DoorType>& types, uint32_t index, std::span<const int64_t> sizes,
                              ShadowHeap& heap, std::vector<uint32_t>& inside) {
    const DoorType& type = types[index];
    if (type.kind == DoorType::Kind::tensor) {
        std::vector<int64_t> dims;
        for (int32_t axis : type.axes) {
            if (axis < 0) return std::nullopt;
            dims.push_back(sizes[size_t(axis)]);
        }
        return type.ranked ? std::optional(heap.borrow_tensor(type.dtype, dims)) : std::nullopt;
    }
    bool recursive = std::find(inside.begin(), inside.end(), index) != inside.end();
    if (type.kind == DoorType::Kind::seq || type.fields.size() != 1 || recursive) return std::nullopt;
    if (!type.bound.empty() && type.bound[0] > 0) return std::nullopt;
    std::vector<Word> fields;
    inside.push_back(index);
    for (uint32_t field : type.fields[0]) {
        std::optional<Word> made = from_type(types, field, sizes, heap, inside);
        if (!made) return std::nullopt;
        fields.push_back(*made);
    }
    inside.pop_back();
    return heap.new_data(0, fields, {});
}
} // namespace

Result<int64_t> Context::peak(const EntryInfo& entry, std::span<const int64_t> door_sizes,
                              std::span<const std::optional<int64_t>> numbers) const {
    if (door_sizes.size() != entry.sizes)
        return Error{Code::usage, "expected " + std::to_string(entry.sizes) + " sizes, found " + std::to_string(door_sizes.size())};
    std::vector<Word> words;
    ShadowHeap heap;
    for (int64_t size : door_sizes) {
        if (size < 0) return Error{Code::shape, "size " + std::to_string(size) + " is negative"};
        words.push_back(Word::number(size));
    }
    for (size_t i = 0; i < entry.param_leaves.size(); ++i) {
        const DoorLeaf& leaf = entry.param_leaves[i];
        Word& word = words.emplace_back();
        if (leaf.kind == DoorLeaf::Kind::number && i < numbers.size() && numbers[i]) word = Word::number(*numbers[i]);
        if (leaf.kind == DoorLeaf::Kind::address) word = {Word::Kind::outside};
        if (leaf.kind != DoorLeaf::Kind::object) continue;
        std::vector<uint32_t> inside;
        std::optional<Word> made = from_type(program_->exe().door_types, leaf.type, door_sizes, heap, inside);
        if (!made)
            return Error{Code::limit, "the peak has no bound that can be computed: sizes do not say which structure an argument has",
                         entry.where, "ask with the arguments"};
        word = *made;
    }
    return helpers_bytes_ + TRY(PeakWalk{*program_, options_.pack}.run(entry, std::move(heap), words));
}

Result<int64_t> Context::peak(const EntryInfo& entry, std::span<const Value> args) const {
    Heap real(INT64_MAX);                                // tensors are borrowed: it holds structure only
    std::vector<uint64_t> given;
    TRY(ArgumentDoor(*program_, entry, real, given).take(args));
    ShadowHeap heap;
    std::vector<Word> words;
    for (size_t i = 0; i < entry.sizes; ++i) words.push_back(Word::number(int64_t(given[i])));
    for (size_t i = 0; i < entry.param_leaves.size(); ++i) {
        uint64_t word = given[entry.sizes + i];
        const DoorLeaf& leaf = entry.param_leaves[i];
        const DoorType& type = program_->exe().door_types[leaf.type];
        const bool whole = type.axes.empty() && is_host_number(type.dtype);       // a number whose value is read
        switch (leaf.kind) {
        case DoorLeaf::Kind::object: words.push_back(Shadowed(heap).copy(reinterpret_cast<const Object*>(word))); break;
        case DoorLeaf::Kind::number: words.push_back(whole ? Word::number(int64_t(word)) : Word{}); break;
        case DoorLeaf::Kind::address: words.push_back(whole ? Word{Word::Kind::memory, 0, word} : Word{Word::Kind::outside}); break;
        }
    }
    invariant(heap.live_bytes() == real.live_bytes(), "the shadow of arguments takes their bytes");
    return helpers_bytes_ + TRY(PeakWalk{*program_, options_.pack}.run(entry, std::move(heap), words));
}
} // namespace nereus
