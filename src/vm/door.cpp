// The way through the door and back: arguments come in by vm/argument_door.h, results become values here. Values may be a
// million levels deep, so both directions keep their own stack.
#include "tensor/text_tensor.h"
#include "value/text.h"
#include "vm/argument_door.h"
#include "vm/frame.h"
#include "vm/scalar.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <unordered_map>

namespace nereus {
struct Context::Door {
    Context& context;
    const EntryInfo& entry;
    const std::vector<DoorType>& types = context.program_->exe().door_types;

    Result<Value> read_object(const Object* root, uint32_t root_type) {
        struct Open { const Object* object; uint32_t type; size_t next; std::vector<Value> parts; };
        std::vector<Open> stack;
        stack.push_back({root, root_type, 0, {}});
        std::unordered_map<DoorPlace, Value, DoorPlaceHash> seen;            // shared parts stay shared
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
                HostTensor copy = TRY(HostTensor::make(type.dtype, Extents(tensor->dims, tensor->dims + tensor->count), context.options_.allocator));
                if (copy.count() > 0) std::memcpy(TRY(copy.mutable_bytes()), tensor->data, size_t(copy.byte_size()));
                made = Value::tensor(TRY(holding(std::move(copy))));
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
            if (open.object->refs > 1) seen.emplace(DoorPlace{.at = open.object, .type = open.type}, made);
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
        auto copied = [&](std::span<const int64_t> dims, const void* from) -> Result<Value> {
            std::byte* to = TRY(context.output_memory(type.dtype, dims, uint32_t(index)));
            HostTensor& made = context.outputs_[index];
            if (made.count() > 0) std::memcpy(to, from, size_t(made.byte_size()));
            return Value::tensor(TRY(holding(std::move(made))));
        };
        switch (entry.result_leaves[index].kind) {
        case DoorLeaf::Kind::address: return Value::tensor(TRY(holding(std::move(context.outputs_[index]))));
        case DoorLeaf::Kind::number: return copied({}, &words[index]);
        case DoorLeaf::Kind::object: {
            auto* object = reinterpret_cast<Object*>(words[index]);
            auto* tensor = type.kind == DoorType::Kind::tensor ? static_cast<const TensorObject*>(object) : nullptr;
            Value made = TRY(tensor ? copied(tensor->extents(), tensor->data) : read_object(object, type_index));
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
        context.outputs_[leaf] = TRY(holding(std::move(context.outputs_[leaf])));
        return {};
    }
};

Result<Value> Context::run(const EntryInfo& entry, std::span<const Value> args, const CallOptions& options) {
    Door door{*this, entry};
    begin_call(entry, options);
    ArgumentDoor arguments(*program_, entry, heap_, arguments_);
    words_.assign(entry.result_leaves.size(), 0);
    output_storage_.assign(entry.result_leaves.size(), HostTensor());
    outputs_ = output_storage_;
    auto all = [&]() -> Result<Value> {
        TRY(arguments.take(args));
        TRY(call(entry, arguments_, words_));
        size_t leaf = 0;
        Value result = TRY(door.give(entry.result_type, words_, leaf));
        for (size_t i = 0; i < entry.param_leaves.size(); ++i)
            if (entry.param_leaves[i].kind == DoorLeaf::Kind::object)
                heap_.release(reinterpret_cast<Object*>(arguments_[entry.sizes + i]));
        return result;
    };
    Result<Value> result = all();
    end_call(!result);
    return result;
}

Status Context::run(const EntryInfo& entry, std::span<const HostTensor> args, std::span<HostTensor> results) {
    Door door{*this, entry};
    TRY(door.tensors_only(args, results));
    begin_call(entry);
    ArgumentDoor arguments(*program_, entry, heap_, arguments_);
    words_.assign(results.size(), 0);
    outputs_ = results;
    auto all = [&]() -> Status {
        TRY(arguments.take(args));
        TRY(call(entry, arguments_, words_));
        for (size_t i = 0; i < results.size(); ++i) TRY(door.give_tensor(i));
        for (size_t i = 0; i < args.size(); ++i)
            if (entry.param_leaves[i].kind == DoorLeaf::Kind::object)
                heap_.release(reinterpret_cast<Object*>(arguments_[entry.sizes + i]));
        return {};
    };
    Status status = all();
    end_call(!status);
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
