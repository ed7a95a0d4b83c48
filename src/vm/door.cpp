// The door: arguments are matched against the entry's declared types and become numbers, addresses and objects; the
// extents found on the way are the door sizes from which the entry solves its dims. Results become values again.
// Values may be a million levels deep, so both directions keep their own stack.
#include "value/text.h"
#include "vm/frame.h"
#include "vm/scalar.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <unordered_map>

namespace nereus {
struct Context::Door {
    Context& context;
    const EntryInfo& entry;
    const std::vector<DoorType>& types = context.program_->exe().door_types;
    std::span<int64_t> sizes = {};           // lie at the front of the arguments; -1: not seen yet

    struct Around { DataObject* binder = nullptr; int64_t* shared = nullptr; };      // whose bound dims, whose shared sizes
    struct Task {
        const Value* value;
        uint32_t type;
        Object** out;
        Around around;
        const std::string* constructor;      // that binds dims: its name, and the field of it that this is or is in
        uint32_t field;
    };
    // What is shared is converted once per type: another type looks at other dtypes and sizes.
    struct Place {
        const void *at, *binder = nullptr, *shared = nullptr;
        uint32_t type = 0;
        bool operator==(const Place&) const = default;
    };
    struct PlaceHash {
        size_t operator()(const Place& place) const {
            return (uintptr_t(place.at) ^ (uintptr_t(place.binder) * 31) ^ (uintptr_t(place.shared) * 37) ^ place.type) * 0x9e3779b97f4a7c15 >> 8;
        }
    };

    // The whole is named by its parameter: `argument %t: …`
    Error refuse(std::string_view param, std::string what, Code code = Code::type) const {
        return Error{code, "argument %" + std::string(param) + ": " + std::move(what), entry.where};
    }
    static std::string expected(const DoorType& type) {
        switch (type.kind) {
        case DoorType::Kind::tensor: return "a tensor of " + std::string(dtype_name(type.dtype));
        case DoorType::Kind::tuple: return "a tuple of " + std::to_string(type.fields[0].size());
        case DoorType::Kind::record: return "a record";
        case DoorType::Kind::data: return "a constructor";
        case DoorType::Kind::seq: return "a seq";
        }
        return "";
    }

    static std::string parts(const std::string& who, size_t expected, size_t found) {
        return who + " has " + std::to_string(expected) + (expected == 1 ? " part" : " parts") + ", found " + std::to_string(found);
    }

    Status observe(std::string_view param, const DoorType& type, const HostTensor& tensor, const Task& task) {
        if (tensor.dtype() != type.dtype)
            return refuse(param, "expected dtype " + std::string(dtype_name(type.dtype)) + ", found " + std::string(dtype_name(tensor.dtype())));
        size_t rank = tensor.shape().size();
        if (type.ranked ? rank != type.axes.size() : rank < type.axes.size())
            return refuse(param, "expected rank " + std::to_string(type.axes.size()) + (type.ranked ? "" : " or more") +
                                     ", found shape " + shape_text(tensor.shape()), Code::shape);
        for (size_t axis = 0; axis < type.axes.size(); ++axis) {
            int32_t which = type.axes[axis];
            if (which == -1) continue;
            int64_t found = tensor.shape()[axis];
            const int32_t outer = -2 - which, from = DoorType::shared_from;
            int64_t& known = which >= 0     ? sizes[size_t(which)]
                             : outer < from ? task.around.binder->dims()[outer]
                                            : task.around.shared[outer - from];
            if (known == -1) known = found;
            if (known == found) continue;
            std::string both = std::to_string(known) + " and " + std::to_string(found);
            return refuse(param, which >= 0     ? "elements differ in size: " + entry.size_names[size_t(which)] + " is both " + both
                                 : outer < from ? "field " + std::to_string(task.field) + " of " + *task.constructor + ": axis " +
                                                      std::to_string(axis) + " has size " + std::to_string(found) +
                                                      " where another field says " + std::to_string(known)
                                                : "tensors of one value differ in a size that its type gives all of them: " + both, Code::shape);
        }
        return {};
    }

    Status make_object(std::string_view param, const Value& root, uint32_t root_type, Object** root_out) {
        std::unordered_map<Place, Object*, PlaceHash> seen;              // shared parts stay shared
        std::vector<Task> tasks = {{&root, root_type, root_out, {}, nullptr, 0}};
        std::vector<DataObject*> binders;                                // constructors with bound dims
        std::deque<std::vector<int64_t>> shared;                         // per object that has such sizes
        Heap& heap = context.heap_;
        while (!tasks.empty()) {
            Task task = tasks.back();
            tasks.pop_back();
            const DoorType& type = types[task.type];
            const Value& value = *task.value;
            bool remember = value.node() && value.shared();
            if (!context.program_->reads_bound(task.type)) task.around.binder = nullptr;
            if (!context.program_->reads_shared(task.type)) task.around.shared = nullptr;
            Place place{value.node(), task.around.binder, task.around.shared, task.type};
            if (remember)
                if (auto it = seen.find(place); it != seen.end()) {
                    Heap::retain(*task.out = it->second);
                    continue;
                }
            Value::Kind wanted = Value::Kind::tensor;
            switch (type.kind) {
            case DoorType::Kind::tensor: wanted = Value::Kind::tensor; break;
            case DoorType::Kind::tuple: wanted = Value::Kind::tuple; break;
            case DoorType::Kind::record: wanted = Value::Kind::record; break;
            case DoorType::Kind::data: wanted = Value::Kind::ctor; break;
            case DoorType::Kind::seq: wanted = Value::Kind::seq; break;
            }
            if (value.kind() != wanted)
                return refuse(param, "expected " + expected(type) + ", found a " + std::string(kind_name(value.kind())));
            std::span<const Value> children = value.children();
            if (type.kind == DoorType::Kind::tensor) {
                TRY(observe(param, type, value.tensor(), task));
                *task.out = heap.borrow_tensor(type.dtype, value.tensor().shape(), value.tensor().bytes());
                if (!*task.out) return memory(param);
            } else if (type.kind == DoorType::Kind::seq) {
                SeqObject* seq = heap.new_seq(uint32_t(children.size()));
                if (!seq) return memory(param);
                *task.out = seq;
                for (size_t i = 0; i < children.size(); ++i)
                    tasks.push_back({&children[i], type.fields[0][0], &seq->items->at[i], task.around, task.constructor, task.field});
            } else {
                size_t which = 0;
                if (type.kind == DoorType::Kind::data) {
                    while (which < type.names.size() && type.names[which] != value.ctor_name()) ++which;
                    if (which == type.names.size()) return refuse(param, "no constructor '" + std::string(value.ctor_name()) + "' in this type");
                }
                const std::vector<uint32_t>& fields = type.fields[which];
                if (type.kind == DoorType::Kind::record) {
                    for (const std::string& given : value.field_names())
                        if (std::find(type.names.begin(), type.names.end(), given) == type.names.end())
                            return refuse(param, "the record has no field '" + given + "'");
                } else if (children.size() != fields.size()) {
                    std::string who = type.kind == DoorType::Kind::data ? type.names[which] : "the tuple";
                    return refuse(param, parts(who, fields.size(), children.size()));
                }
                uint32_t bound = type.bound.empty() ? 0 : type.bound[which];
                DataObject* data = heap.new_data(uint16_t(which), uint32_t(fields.size()), bound);
                if (!data) return memory(param);
                std::fill_n(data->dims(), bound, -1);
                if (bound > 0) binders.push_back(data);
                *task.out = data;
                Around inside = task.around;
                if (bound > 0) inside.binder = data;
                if (type.shared > 0) inside.shared = shared.emplace_back(type.shared, -1).data();
                for (size_t i = 0; i < fields.size(); ++i) {
                    const Value* child = i < children.size() ? &children[i] : nullptr;
                    if (type.kind == DoorType::Kind::record && !(child = value.field(type.names[i])))
                        return refuse(param, "field '" + type.names[i] + "' of the record is missing");
                    if (bound > 0) tasks.push_back({child, fields[i], &data->fields[i], inside, &type.names[which], uint32_t(i)});
                    else tasks.push_back({child, fields[i], &data->fields[i], inside, task.constructor, task.field});
                }
            }
            if (remember) seen.emplace(place, *task.out);
        }
        for (DataObject* data : binders) std::replace(data->dims(), data->dims() + data->bound, int64_t(-1), int64_t(0));
        return {};
    }
    Error memory(std::string_view param) const { return refuse(param, "out of memory", Code::memory); }

    // Appends the leaves of one argument to `arguments_`, after the door sizes.
    Status take(std::string_view param, const Value& value, uint32_t type_index, size_t& leaf) {
        const DoorType& type = types[type_index];
        if (type.kind == DoorType::Kind::tuple) {
            if (!value.is(Value::Kind::tuple))
                return refuse(param, "expected " + expected(type) + ", found a " + std::string(kind_name(value.kind())));
            if (value.children().size() != type.fields[0].size()) return refuse(param, parts("the tuple", type.fields[0].size(), value.children().size()));
            for (size_t i = 0; i < type.fields[0].size(); ++i) TRY(take(param, value.children()[i], type.fields[0][i], leaf));
            return {};
        }
        uint64_t& word = context.arguments_[entry.sizes + leaf];
        switch (entry.param_leaves[leaf++].kind) {
        case DoorLeaf::Kind::number:
        case DoorLeaf::Kind::address:
            if (!value.is(Value::Kind::tensor)) return refuse(param, "expected " + expected(type) + ", found a " + std::string(kind_name(value.kind())));
            return take(param, value.tensor(), type, entry.param_leaves[leaf - 1].kind, word);
        case DoorLeaf::Kind::object: {
            Object* object = nullptr;
            TRY(make_object(param, value, type_index, &object));
            word = reinterpret_cast<uint64_t>(object);
            return {};
        }
        }
        return {};
    }
    Status take(std::string_view param, const HostTensor& tensor, const DoorType& type, DoorLeaf::Kind kind, uint64_t& word) {
        TRY(observe(param, type, tensor, {}));
        if (kind == DoorLeaf::Kind::object) {
            TensorObject* object = context.heap_.borrow_tensor(type.dtype, tensor.shape(), tensor.bytes());
            if (!object) return memory(param);
            word = reinterpret_cast<uint64_t>(object);
            return {};
        }
        word = kind == DoorLeaf::Kind::number ? load_scalar(type.dtype, tensor.bytes()) : reinterpret_cast<uint64_t>(tensor.bytes());
        return {};
    }
    void open(size_t leaves) {
        context.arguments_.assign(entry.sizes + leaves, 0);
        sizes = {reinterpret_cast<int64_t*>(context.arguments_.data()), entry.sizes};
        std::fill(sizes.begin(), sizes.end(), -1);
    }

    Result<Value> read_object(const Object* root, uint32_t root_type) {
        struct Open { const Object* object; uint32_t type; size_t next; std::vector<Value> parts; };
        std::vector<Open> stack;
        stack.push_back({root, root_type, 0, {}});
        std::unordered_map<Place, Value, PlaceHash> seen;                // shared parts stay shared
        for (;;) {
            Open& open = stack.back();
            const DoorType& type = types[open.type];
            size_t which = type.kind == DoorType::Kind::data ? open.object->tag : 0;
            if (type.kind != DoorType::Kind::tensor && open.next < open.object->count) {
                size_t i = open.next++;
                bool seq = type.kind == DoorType::Kind::seq;
                const Object* child = seq ? static_cast<const SeqObject*>(open.object)->items->at[i]
                                          : static_cast<const DataObject*>(open.object)->fields[i];
                uint32_t child_type = type.fields[which][seq ? 0 : i];
                if (child->refs > 1)
                    if (auto it = seen.find({.at = child, .type = child_type}); it != seen.end()) {
                        open.parts.push_back(it->second);
                        continue;
                    }
                stack.push_back({child, child_type, 0, {}});
                continue;
            }
            Value made;
            switch (type.kind) {
            case DoorType::Kind::tensor: {
                auto* tensor = static_cast<const TensorObject*>(open.object);
                Extents extents(tensor->dims, tensor->dims + tensor->count);
                int64_t bytes = TRY(byte_count(type.dtype, extents));
                made = Value::tensor(TRY(HostTensor::copy_of(type.dtype, std::move(extents), {tensor->data, size_t(bytes)})));
                break;
            }
            case DoorType::Kind::tuple: made = Value::tuple(std::move(open.parts)); break;
            case DoorType::Kind::seq: made = Value::seq(std::move(open.parts)); break;
            case DoorType::Kind::data: made = Value::ctor(type.names[which], std::move(open.parts)); break;
            case DoorType::Kind::record: {
                std::vector<Field> fields;
                for (size_t i = 0; i < open.parts.size(); ++i) fields.push_back({type.names[i], std::move(open.parts[i])});
                made = Value::record(std::move(fields));
                break;
            }
            }
            if (open.object->refs > 1) seen.emplace(Place{.at = open.object, .type = open.type}, made);
            stack.pop_back();
            if (stack.empty()) return made;
            stack.back().parts.push_back(std::move(made));
        }
    }

    Result<Value> give(uint32_t type_index, std::span<const uint64_t> words, size_t& leaf) {
        const DoorType& type = types[type_index];
        if (type.kind == DoorType::Kind::tuple) {
            std::vector<Value> parts;
            for (uint32_t part : type.fields[0]) parts.push_back(TRY(give(part, words, leaf)));
            return Value::tuple(std::move(parts));
        }
        size_t index = leaf++;
        switch (entry.result_leaves[index].kind) {
        case DoorLeaf::Kind::address: return Value::tensor(std::move(context.outputs_[index]));
        case DoorLeaf::Kind::number:
            return Value::tensor(TRY(HostTensor::copy_of(
                type.dtype, {}, std::as_bytes(std::span(&words[index], 1)).first(size_t(size_of(type.dtype))))));
        case DoorLeaf::Kind::object: {
            auto* object = reinterpret_cast<Object*>(words[index]);
            Value made = TRY(read_object(object, type_index));
            context.heap_.release(object);
            return made;
        }
        }
        return Value();
    }

    // Calls that pass tensors past the values: what they need to be true of the entry and of the spans.
    Status tensors_only(std::span<const HostTensor> args, std::span<HostTensor> results) const {
        bool fits = args.size() == entry.params.size() && args.size() == entry.param_leaves.size() && results.size() == entry.result_leaves.size();
        for (size_t i = 0; fits && i < args.size(); ++i) fits = types[entry.params[i].type].kind == DoorType::Kind::tensor;
        for (size_t i = 0; fits && i < results.size(); ++i) fits = types[entry.result_leaves[i].type].kind == DoorType::Kind::tensor;
        if (!fits)
            return Error{Code::usage, "this entry does not take " + std::to_string(args.size()) + " tensors and give " + std::to_string(results.size())};
        if (std::less<>()(args.data(), results.data() + results.size()) && std::less<>()(results.data(), args.data() + args.size()))
            return Error{Code::usage, "a tensor is an argument and a result of one call", {}, "pass a copy: it shares the bytes until they are written"};
        return {};
    }
    Status give_tensor(size_t leaf) {
        const DoorType& type = types[entry.result_leaves[leaf].type];
        uint64_t word = context.words_[leaf];
        switch (entry.result_leaves[leaf].kind) {
        case DoorLeaf::Kind::address: break;                             // new_output has been there
        case DoorLeaf::Kind::number: store_scalar(type.dtype, TRY(context.new_output(type.dtype, {}, uint32_t(leaf))), word); break;
        case DoorLeaf::Kind::object: {
            auto* tensor = reinterpret_cast<TensorObject*>(word);
            std::byte* out = TRY(context.new_output(type.dtype, {tensor->dims, tensor->count}, uint32_t(leaf)));
            if (int64_t bytes = context.outputs_[leaf].byte_size(); bytes > 0) std::memcpy(out, tensor->data, size_t(bytes));
            context.heap_.release(tensor);
            break;
        }
        }
        return {};
    }
};

Result<Value> Context::run(const EntryInfo& entry, std::span<const Value> args) {
    Door door{*this, entry};
    begin_call(entry);
    door.open(entry.param_leaves.size());
    words_.assign(entry.result_leaves.size(), 0);
    output_storage_.assign(entry.result_leaves.size(), HostTensor());
    outputs_ = output_storage_;
    auto all = [&]() -> Result<Value> {
        if (args.size() != entry.params.size())
            return Error{Code::usage, "expected " + std::to_string(entry.params.size()) + " arguments, found " + std::to_string(args.size())};
        size_t leaf = 0;
        for (size_t i = 0; i < args.size(); ++i) TRY(door.take(entry.params[i].name, args[i], entry.params[i].type, leaf));
        TRY(call(entry, arguments_, words_));
        leaf = 0;
        Value result = TRY(door.give(entry.result_type, words_, leaf));
        for (size_t i = 0; i < entry.param_leaves.size(); ++i)
            if (entry.param_leaves[i].kind == DoorLeaf::Kind::object)
                heap_.release(reinterpret_cast<Object*>(arguments_[entry.sizes + i]));
        return result;
    };
    Result<Value> result = all();
    stats_.object_bytes = heap_.high_water();
    stats_.peak_bytes = stats_.arena_bytes + stats_.object_bytes + stats_.scratch_bytes;
    stats_.leaked_objects += heap_.end_call(!result);
    return result;
}

Status Context::run(const EntryInfo& entry, std::span<const HostTensor> args, std::span<HostTensor> results) {
    Door door{*this, entry};
    TRY(door.tensors_only(args, results));
    begin_call(entry);
    door.open(args.size());
    words_.assign(results.size(), 0);
    outputs_ = results;
    auto all = [&]() -> Status {
        for (size_t i = 0; i < args.size(); ++i)
            TRY(door.take(entry.params[i].name, args[i], door.types[entry.params[i].type], entry.param_leaves[i].kind,
                          arguments_[entry.sizes + i]));
        TRY(call(entry, arguments_, words_));
        for (size_t i = 0; i < results.size(); ++i) TRY(door.give_tensor(i));
        for (size_t i = 0; i < args.size(); ++i)
            if (entry.param_leaves[i].kind == DoorLeaf::Kind::object)
                heap_.release(reinterpret_cast<Object*>(arguments_[entry.sizes + i]));
        return {};
    };
    Status status = all();
    stats_.object_bytes = heap_.high_water();
    stats_.peak_bytes = stats_.arena_bytes + stats_.object_bytes + stats_.scratch_bytes;
    stats_.leaked_objects += heap_.end_call(!status);
    return status;
}

void Context::print(const Site& site, std::span<const uint32_t> values, std::span<const uint32_t> types, const uint64_t* regs) {
    static const EntryInfo none;
    Door door{*this, none};
    std::string line = site.what;
    for (size_t i = 0; i < values.size(); ++i) {
        Result<Value> value = door.read_object(reinterpret_cast<Object*>(regs[values[i]]), types[i]);
        line += (line.empty() ? "" : " ") + (value ? to_text(*value) : std::string("<out of memory>"));
    }
    if (options_.print) options_.print(line);
    else std::fprintf(stderr, "%s\n", line.c_str());
}
} // namespace nereus
