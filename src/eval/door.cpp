#include "eval/door.h"
#include "value/path.h"
#include <algorithm>
#include <map>

namespace nereus {
namespace {
// Both directions walk depth first with an explicit stack: a task is met twice, first to put its children above it on
// the stack, then, when they are done, to build its own result from theirs. What is shared is built once.
struct InTask {
    const Value* value;                                  // a part of the argument
    SizedId type;
    bool children_done = false;
    uint32_t constructor = 0;
    DeclId decl;
};

class Entering {
 public:
    Entering(Machine& machine, const Module& module) : machine_(machine), module_(module) {}

    Result<Datum> enter(const Value& value, SizedId type) {
        tasks_.push_back({&value, type});
        while (!tasks_.empty()) {
            const InTask task = tasks_.back();
            tasks_.pop_back();
            const Value* part = task.value;
            Machine::BadField bad;
            Status status = task.children_done ? build(task, bad) : open(task);
            if (status) continue;
            if (bad.field) part = in_declared_order(task)[*bad.field];
            return at(path_to(value, *part) + bad.inside, std::move(status).error());
        }
        return std::move(done_.back());
    }

 private:
    // As the door of a compiled program says it: the caller puts `argument %x` in front.
    static Error at(const std::string& path, Error error) {
        error.message = (path.empty() ? ": " : ", at " + path + ": ") + error.message;
        return error;
    }

    Status open(InTask task) {
        if (task.value->is(Value::Kind::tensor)) {
            TRY(fits(*task.value, machine_.sized()[task.type]));
            done_.push_back(Datum::of(task.value->tensor()));
            return {};
        }
        auto found = made_.find({task.value->node(), task.type});
        if (task.value->node() && found != made_.end()) {
            done_.push_back(found->second);
            return {};
        }
        std::vector<SizedId> types = TRY(child_types(task));
        const std::vector<const Value*> children = in_declared_order(task);
        task.children_done = true;
        tasks_.push_back(std::move(task));
        for (size_t i = children.size(); i-- > 0;) tasks_.push_back({children[i], types[i]});
        return {};
    }

    // Sizes are compared when the entry point is called: then those that its arguments give are known.
    Status fits(const Value& value, const Sized& expected) const {
        if (expected.kind == Sized::Kind::any) return {};
        if (expected.kind != Sized::Kind::tensor) return wrong(value, expected);
        const HostTensor& tensor = value.tensor();
        if (expected.dtype && tensor.dtype() != *expected.dtype)
            return Error{Code::type, "expected dtype " + std::string(dtype_name(*expected.dtype)) + ", found " +
                                         std::string(dtype_name(tensor.dtype()))};
        const size_t rank = expected.sizes.size(), found = tensor.shape().size();
        if (expected.ranked ? found == rank : found >= rank) return {};
        return Error{Code::shape, "expected rank " + std::to_string(rank) + (expected.ranked ? "" : " or more") +
                                      ", found shape " + shape_text(tensor.shape())};
    }
    Error wrong(const Value& value, const Sized& expected) const {
        std::string what;
        switch (expected.kind) {
        case Sized::Kind::any: break;
        case Sized::Kind::tensor: what = "a tensor" + (expected.dtype ? " of " + std::string(dtype_name(*expected.dtype)) : ""); break;
        case Sized::Kind::tuple: what = "a tuple of " + std::to_string(expected.parts.size()); break;
        case Sized::Kind::seq: what = "a seq"; break;
        case Sized::Kind::data: what = module_[expected.decl].is_record ? "a record" : "a constructor"; break;
        }
        return Error{Code::type, "expected " + what + ", found a " + std::string(kind_name(value.kind()))};
    }
    static Error parts(const std::string& who, size_t expected, size_t found) {
        return Error{Code::type, who + " has " + std::to_string(expected) + (expected == 1 ? " part" : " parts") + ", found " + std::to_string(found)};
    }

    // Also finds the constructor. Where the type says nothing, the value's own structure is taken.
    Result<std::vector<SizedId>> child_types(InTask& task) {
        const Sized expected = machine_.sized()[task.type];
        size_t count = task.value->children().size();
        switch (expected.kind) {
        case Sized::Kind::tensor: return wrong(*task.value, expected);
        case Sized::Kind::tuple:
            if (!task.value->is(Value::Kind::tuple)) return wrong(*task.value, expected);
            if (count != expected.parts.size()) return parts("the tuple", expected.parts.size(), count);
            return expected.parts;
        case Sized::Kind::seq:
            if (!task.value->is(Value::Kind::seq)) return wrong(*task.value, expected);
            return std::vector<SizedId>(count, expected.parts[0]);
        case Sized::Kind::data:
            task.decl = expected.decl;
            if (!task.value->is(module_[task.decl].is_record ? Value::Kind::record : Value::Kind::ctor)) return wrong(*task.value, expected);
            break;
        case Sized::Kind::any: break;
        }
        bool is_data = task.value->is(Value::Kind::ctor) || task.value->is(Value::Kind::record);
        if (!is_data) return std::vector<SizedId>(count, machine_.sized().any());
        TRY(find_constructor(task));
        const Constructor& made = module_[task.decl].constructors[task.constructor];
        if (made.fields.size() != count) return parts(made.name.empty() ? module_[task.decl].name : made.name, made.fields.size(), count);
        // the sizes a constructor binds are not known before its fields are
        return machine_.sized().fields(task.type, task.decl, task.constructor, {});
    }

    Status find_constructor(InTask& task) {
        bool is_record = task.value->is(Value::Kind::record);
        size_t first = task.decl.valid() ? task.decl.index : 0;
        size_t last = task.decl.valid() ? first + 1 : module_.decls.size();
        for (size_t i = first; i < last; ++i) {
            const TypeDecl& decl = module_.decls[i];
            if (decl.is_record != is_record) continue;
            for (uint32_t k = 0; k < decl.constructors.size(); ++k) {
                const Constructor& made = decl.constructors[k];
                bool same = is_record
                                ? std::ranges::is_permutation(made.field_names, task.value->field_names())
                                : made.name == task.value->ctor_name();
                if (!same) continue;
                task.decl = DeclId(i), task.constructor = k;
                return {};
            }
        }
        std::string who = is_record ? "a record with these fields"
                                    : "the constructor " + std::string(task.value->ctor_name());
        if (!task.decl.valid()) return Error{Code::name, "no type has " + who};
        if (!is_record) return Error{Code::type, "no constructor '" + std::string(task.value->ctor_name()) + "' in this type"};
        const std::vector<std::string>& names = module_[task.decl].constructors[0].field_names;
        for (const std::string& given : task.value->field_names())
            if (std::ranges::find(names, given) == names.end()) return Error{Code::type, "the record has no field '" + given + "'"};
        for (const std::string& name : names)
            if (!task.value->field(name)) return Error{Code::type, "field '" + name + "' of the record is missing"};
        return Error{Code::type, "a field of the record is given twice"};
    }

    std::vector<const Value*> in_declared_order(const InTask& task) const {
        std::vector<const Value*> ordered;
        if (task.value->is(Value::Kind::record)) {
            for (const std::string& name : module_[task.decl].constructors[0].field_names) ordered.push_back(task.value->field(name));
        } else {
            for (const Value& child : task.value->children()) ordered.push_back(&child);
        }
        return ordered;
    }

    Status build(const InTask& task, Machine::BadField& out_bad) {
        size_t count = task.value->children().size();
        std::vector<Datum> items(std::make_move_iterator(done_.end() - int64_t(count)),
                                 std::make_move_iterator(done_.end()));
        done_.erase(done_.end() - int64_t(count), done_.end());
        Datum made;
        switch (task.value->kind()) {
        case Value::Kind::tensor: break;
        case Value::Kind::tuple: made = Datum::tuple(std::move(items)); break;
        case Value::Kind::seq: made = Datum::seq(std::move(items)); break;
        case Value::Kind::record:
        case Value::Kind::ctor: made = TRY(machine_.construct(task.decl, task.constructor, std::move(items), &out_bad));
        }
        if (task.value->node()) made_.emplace(std::pair(task.value->node(), task.type), made);
        done_.push_back(std::move(made));
        return {};
    }

    Machine& machine_;
    const Module& module_;
    std::vector<InTask> tasks_;
    std::vector<Datum> done_;
    std::map<std::pair<const ValueNode*, SizedId>, Datum> made_;
};

// `odd` says what stands for a cell or function, or that it is an error.
Result<Value> leave(const Module& module, const Datum& datum, bool odd_allowed) {
    struct Task {
        Datum value;
        bool children_done = false;
    };
    std::vector<Task> tasks{{datum}};
    std::vector<Value> done;
    std::map<const DatumNode*, Value> made;
    while (!tasks.empty()) {
        Task task = std::move(tasks.back());
        tasks.pop_back();
        const Datum& value = task.value;
        bool odd = value.is(DatumKind::cell) || value.is(DatumKind::closure);
        std::string word = value.is(DatumKind::cell) ? "ref" : "fn";
        if (odd && !odd_allowed)
            return Error{Code::unsupported, "the result contains a " +
                                                std::string(value.is(DatumKind::cell) ? "cell" : "function") +
                                                ", which cannot leave the program"};
        if (odd || value.is(DatumKind::tensor)) {
            done.push_back(odd ? Value::ctor(word) : Value::tensor(value.tensor()));
            continue;
        }
        if (auto found = made.find(value.node()); value.node() && found != made.end()) {
            done.push_back(found->second);
            continue;
        }
        std::span<const Datum> items = value.items();
        if (!task.children_done) {
            tasks.push_back({value, true});
            for (size_t i = items.size(); i-- > 0;) tasks.push_back({items[i]});
            continue;
        }
        std::vector<Value> parts(std::make_move_iterator(done.end() - int64_t(items.size())),
                                 std::make_move_iterator(done.end()));
        done.erase(done.end() - int64_t(items.size()), done.end());
        Value built;
        if (value.is(DatumKind::tuple)) built = Value::tuple(std::move(parts));
        else if (value.is(DatumKind::seq)) built = Value::seq(std::move(parts));
        else {
            const TypeDecl& decl = module[value.decl()];
            const Constructor& constructor = decl.constructors[value.constructor()];
            std::vector<Field> fields;
            for (size_t i = 0; decl.is_record && i < parts.size(); ++i)
                fields.push_back({constructor.field_names[i], std::move(parts[i])});
            built = decl.is_record ? Value::record(std::move(fields))
                                   : Value::ctor(constructor.name, std::move(parts));
        }
        if (value.node()) made.emplace(value.node(), built);
        done.push_back(std::move(built));
    }
    return std::move(done.back());
}
} // namespace

Result<Datum> come_in(Machine& machine, const Module& module, const Value& value, TypeId type) {
    return Entering(machine, module).enter(value, machine.sized().of(type, Scope()));
}
Result<Value> go_out(const Module& module, const Datum& value) { return leave(module, value, false); }
Value shown(const Module& module, const Datum& value) { return leave(module, value, true).take(); }
std::string place_in(const Module& module, const Datum& value, std::span<const uint32_t> way) {
    const Value whole = shown(module, value);
    const Value* part = &whole;
    for (uint32_t item : way) part = &part->children()[item];
    return path_to(whole, *part);
}
} // namespace nereus
