#include "vm/argument_door.h"
#include "value/path.h"
#include "vm/scalar.h"
#include <algorithm>
#include <deque>
#include <unordered_map>

namespace nereus {
// Values may be a million levels deep, so this keeps its own stack.
struct ArgumentDoor::Take {
    const LoadedExecutable& program;
    const EntryInfo& entry;
    Heap& heap;
    std::vector<uint64_t>& words;
    const std::vector<DoorType>& types = program.exe().door_types;
    std::string_view param = {};                         // the argument that is taken, and as a whole
    const Value* whole = nullptr;
    std::span<int64_t> sizes = {reinterpret_cast<int64_t*>(words.data()), entry.sizes};     // -1: not seen yet

    struct Around { DataObject* binder = nullptr; int64_t* shared = nullptr; };      // whose bound dims, whose shared sizes
    struct Task {
        const Value* value;
        uint32_t type;
        Object** out;
        Around around;
        const std::string* constructor;      // that binds dims: its name, and the field of it that this is or is in
        uint32_t field;
    };

    // The whole is named by its parameter, a part by its path too: `argument %t, at .layers[2].w: …`
    Error refuse(const Value* part, std::string what, Code code = Code::type) const {
        const std::string path = whole && part ? path_to(*whole, *part) : "";
        return Error{code, "argument %" + std::string(param) + (path.empty() ? "" : ", at " + path) + ": " + std::move(what), entry.where};
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

    Status observe(const DoorType& type, const HostTensor& tensor, const Task& task) {
        if (tensor.dtype() != type.dtype)
            return refuse(task.value, "expected dtype " + std::string(dtype_name(type.dtype)) + ", found " + std::string(dtype_name(tensor.dtype())));
        size_t rank = tensor.shape().size();
        if (type.ranked ? rank != type.axes.size() : rank < type.axes.size())
            return refuse(task.value, "expected rank " + std::to_string(type.axes.size()) + (type.ranked ? "" : " or more") +
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
            return refuse(task.value, which >= 0     ? "elements differ in size: " + entry.size_names[size_t(which)] + " is both " + both
                                 : outer < from ? "field " + std::to_string(task.field) + " of " + *task.constructor + ": axis " +
                                                      std::to_string(axis) + " has size " + std::to_string(found) +
                                                      " where another field says " + std::to_string(known)
                                                : "tensors of one value differ in a size that its type gives all of them: " + both, Code::shape);
        }
        return {};
    }

    Status make_object(const Value& root, uint32_t root_type, Object** root_out) {
        std::unordered_map<DoorPlace, Object*, DoorPlaceHash> seen;              // shared parts stay shared
        std::vector<Task> tasks = {{&root, root_type, root_out, {}, nullptr, 0}};
        std::vector<DataObject*> binders;                                // constructors with bound dims
        std::deque<std::vector<int64_t>> shared;                         // per object that has such sizes
        while (!tasks.empty()) {
            Task task = tasks.back();
            tasks.pop_back();
            const DoorType& type = types[task.type];
            const Value& value = *task.value;
            bool remember = value.node() && value.shared();
            if (!program.reads_bound(task.type)) task.around.binder = nullptr;
            if (!program.reads_shared(task.type)) task.around.shared = nullptr;
            DoorPlace place{value.node(), task.around.binder, task.around.shared, task.type};
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
                return refuse(task.value, "expected " + expected(type) + ", found a " + std::string(kind_name(value.kind())));
            std::span<const Value> children = value.children();
            if (type.kind == DoorType::Kind::tensor) {
                TRY(observe(type, value.tensor(), task));
                *task.out = heap.borrow_tensor(type.dtype, value.tensor().shape(), value.tensor().bytes());
                if (!*task.out) return memory();
            } else if (type.kind == DoorType::Kind::seq) {
                SeqObject* seq = heap.new_seq(uint32_t(children.size()));
                if (!seq) return memory();
                *task.out = seq;
                for (size_t i = children.size(); i-- > 0;)               // the first is met first: it gives sizes, others are blamed
                    tasks.push_back({&children[i], type.fields[0][0], &seq->items->at[i], task.around, task.constructor, task.field});
            } else {
                size_t which = 0;
                if (type.kind == DoorType::Kind::data) {
                    while (which < type.names.size() && type.names[which] != value.ctor_name()) ++which;
                    if (which == type.names.size()) return refuse(task.value, "no constructor '" + std::string(value.ctor_name()) + "' in this type");
                }
                const std::vector<uint32_t>& fields = type.fields[which];
                if (type.kind == DoorType::Kind::record) {
                    for (const std::string& given : value.field_names())
                        if (std::find(type.names.begin(), type.names.end(), given) == type.names.end())
                            return refuse(task.value, "the record has no field '" + given + "'");
                } else if (children.size() != fields.size()) {
                    std::string who = type.kind == DoorType::Kind::data ? type.names[which] : "the tuple";
                    return refuse(task.value, parts(who, fields.size(), children.size()));
                }
                uint32_t bound = type.bound.empty() ? 0 : type.bound[which];
                DataObject* data = heap.new_data(uint16_t(which), uint32_t(fields.size()), bound);
                if (!data) return memory();
                std::fill_n(data->dims(), bound, -1);
                if (bound > 0) binders.push_back(data);
                *task.out = data;
                Around inside = task.around;
                if (bound > 0) inside.binder = data;
                if (type.shared > 0) inside.shared = shared.emplace_back(type.shared, -1).data();
                for (size_t i = fields.size(); i-- > 0;) {
                    const Value* child = i < children.size() ? &children[i] : nullptr;
                    if (type.kind == DoorType::Kind::record && !(child = value.field(type.names[i])))
                        return refuse(task.value, "field '" + type.names[i] + "' of the record is missing");
                    if (bound > 0) tasks.push_back({child, fields[i], &data->fields[i], inside, &type.names[which], uint32_t(i)});
                    else tasks.push_back({child, fields[i], &data->fields[i], inside, task.constructor, task.field});
                }
            }
            if (remember) seen.emplace(place, *task.out);
        }
        for (DataObject* data : binders) std::replace(data->dims(), data->dims() + data->bound, int64_t(-1), int64_t(0));
        return {};
    }
    Error memory() const { return refuse(nullptr, "out of memory", Code::memory); }

    // Appends the leaves of one argument to `arguments_`, after the door sizes.
    Status take(const Value& value, uint32_t type_index, size_t& leaf) {
        const DoorType& type = types[type_index];
        if (type.kind == DoorType::Kind::tuple) {
            if (!value.is(Value::Kind::tuple))
                return refuse(&value, "expected " + expected(type) + ", found a " + std::string(kind_name(value.kind())));
            if (value.children().size() != type.fields[0].size()) return refuse(&value, parts("the tuple", type.fields[0].size(), value.children().size()));
            for (size_t i = 0; i < type.fields[0].size(); ++i) TRY(take(value.children()[i], type.fields[0][i], leaf));
            return {};
        }
        uint64_t& word = words[entry.sizes + leaf];
        switch (entry.param_leaves[leaf++].kind) {
        case DoorLeaf::Kind::number:
        case DoorLeaf::Kind::address:
            if (!value.is(Value::Kind::tensor)) return refuse(&value, "expected " + expected(type) + ", found a " + std::string(kind_name(value.kind())));
            return take(value.tensor(), &value, type, entry.param_leaves[leaf - 1].kind, word);
        case DoorLeaf::Kind::object: {
            Object* object = nullptr;
            TRY(make_object(value, type_index, &object));
            word = reinterpret_cast<uint64_t>(object);
            return {};
        }
        }
        return {};
    }
    Status take(const HostTensor& tensor, const Value* part, const DoorType& type, DoorLeaf::Kind kind, uint64_t& word) {
        TRY(observe(type, tensor, {.value = part}));
        if (kind == DoorLeaf::Kind::object) {
            TensorObject* object = heap.borrow_tensor(type.dtype, tensor.shape(), tensor.bytes());
            if (!object) return memory();
            word = reinterpret_cast<uint64_t>(object);
            return {};
        }
        word = kind == DoorLeaf::Kind::number ? load_scalar(type.dtype, tensor.bytes()) : reinterpret_cast<uint64_t>(tensor.bytes());
        return {};
    }
};

ArgumentDoor::ArgumentDoor(const LoadedExecutable& program, const EntryInfo& entry, Heap& heap, std::vector<uint64_t>& words)
    : program_(program), entry_(entry), heap_(heap), words_(words) {
    words.assign(entry.sizes + entry.param_leaves.size(), 0);
    std::fill_n(words.begin(), entry.sizes, uint64_t(-1));
}

Status ArgumentDoor::take(std::span<const Value> args) {
    if (args.size() != entry_.params.size())
        return Error{Code::usage, "expected " + std::to_string(entry_.params.size()) + " arguments, found " + std::to_string(args.size())};
    Take door{program_, entry_, heap_, words_};
    size_t leaf = 0;
    for (size_t i = 0; i < args.size(); ++i) {
        door.param = entry_.params[i].name, door.whole = &args[i];
        TRY(door.take(args[i], entry_.params[i].type, leaf));
    }
    return {};
}

Status ArgumentDoor::take(std::span<const HostTensor> args) {
    Take door{program_, entry_, heap_, words_};
    for (size_t i = 0; i < args.size(); ++i) {
        door.param = entry_.params[i].name;
        TRY(door.take(args[i], nullptr, door.types[entry_.params[i].type], entry_.param_leaves[i].kind, words_[entry_.sizes + i]));
    }
    return {};
}
} // namespace nereus
