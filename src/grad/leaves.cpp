#include "grad/leaves.h"
#include "grad/writer.h"

namespace nereus {
namespace {
class Leaves {
 public:
    explicit Leaves(Module& module) : module_(module), types_(module) {}

    Status run() {
        for (size_t f = 0; f < module_.functions.size(); ++f)
            for (size_t i = 0; i < module_.functions[f].bindings.size(); ++i) {
                Binding& b = module_.functions[f].bindings[i];
                if (b.form == Form::op && b.op->builtin == Builtin::leaves) TRY(expand(f, i));
            }
        return {};
    }

 private:
    enum class Task : uint8_t { map, fold, zeros };
    // What a function does: the types of f and init, where it has them, and of the structures, which are the same.
    struct Key {
        Task task;
        TypeId f, init, structure;
        size_t structures = 1;
        auto operator<=>(const Key&) const = default;
    };
    struct Work { Key key; ValueId f; };                 // in the function being written

    Status expand(size_t function, size_t binding) {
        const Function& in = module_.functions[function];
        const Binding b = in.bindings[binding];
        auto type = [&](ValueId v) { return types_.plain(in[v].type); };
        Key key{.task = b.op->name == "map_leaves" ? Task::map : b.op->name == "fold_leaves" ? Task::fold : Task::zeros};
        key.structure = type(b.args.back());
        if (key.task != Task::zeros) key.f = type(b.args[0]);
        if (key.task == Task::fold) key.init = type(b.args[1]);
        if (key.task == Task::map) key.structures = b.args.size() - 1;
        Binding call{.form = Form::call};
        call.results = b.results, call.args = b.args, call.span = b.span;
        call.function = TRY(function_for(key, b.span));
        module_.functions[function].bindings[binding] = std::move(call);
        return {};
    }

    // (f, init, s, t…): the parts that the task has, in the order of the operators.
    Result<FunctionId> function_for(Key key, Span span) {
        auto [it, is_new] = functions_.try_emplace(key);
        if (!is_new) return it->second;
        constexpr std::string_view names[] = {"map_leaves", "fold_leaves", "zeros_like"};
        std::string base(names[size_t(key.task)]), name = base;
        for (int i = 1; module_.find(name); ++i) name = base + "." + std::to_string(i);
        FunctionId id(module_.functions.size());
        module_.functions.emplace_back().name = name;
        functions_[key] = id;
        Function made;                                   // apart from the table, which may move meanwhile
        made.name = name, made.span = span;
        Writer w(module_, types_, made);
        w.span = span;
        Work work{key, key.f.valid() ? w.param("f", key.f) : ValueId()};
        ValueId init = key.init.valid() ? w.param("init", key.init) : ValueId();
        std::vector<ValueId> structures;
        for (size_t i = 0; i < key.structures; ++i) structures.push_back(w.param("s", key.structure));
        made.result = key.init.valid() ? key.init : key.structure;
        w.finish(made.body, {TRY(inside(w, work, init, structures))});
        module_[id] = std::move(made);
        return id;
    }

    // The result of the task on parts of the structures at the same place; `so_far` is what fold has collected.
    Result<ValueId> apply(Writer& w, const Work& work, ValueId so_far, const std::vector<ValueId>& parts) {
        const TypeKind kind = module_.types[w.type(parts[0])].kind;
        if (kind != TypeKind::data && kind != TypeKind::seq) return inside(w, work, so_far, parts);
        Key key = work.key;
        key.structure = types_.plain(w.type(parts[0]));
        std::vector<ValueId> args;
        if (work.f.valid()) args.push_back(work.f);
        if (so_far.valid()) args.push_back(so_far);
        args.insert(args.end(), parts.begin(), parts.end());
        return w.call(TRY(function_for(key, w.span)), args, so_far.valid() ? key.init : key.structure);
    }

    Result<ValueId> inside(Writer& w, const Work& work, ValueId so_far, const std::vector<ValueId>& parts) {
        if (++places_ > most_places)
            return Error{Code::limit, "a type that grows with every level has no end of leaves", w.span};
        const TypeId type = types_.plain(w.type(parts[0]));
        const Type t = module_.types[type];
        switch (t.kind) {
        case TypeKind::tensor: {
            if (work.key.task == Task::zeros) return w.zeros_like(parts[0]);
            std::vector<ValueId> args{work.f};
            if (so_far.valid()) args.push_back(so_far);
            args.insert(args.end(), parts.begin(), parts.end());
            return w.bind(Binding{.form = Form::apply, .args = args}, so_far.valid() ? work.key.init : type);
        }
        case TypeKind::tuple: {
            std::vector<ValueId> made;
            for (size_t i = 0; i < t.parts.size(); ++i) {
                std::vector<ValueId> items;
                for (ValueId part : parts) items.push_back(w.project(part, i));
                made.push_back(TRY(apply(w, work, so_far, items)));
                if (so_far.valid()) so_far = made.back();
            }
            if (so_far.valid()) return so_far;
            return made.empty() ? w.unit() : w.bind(Binding{.form = Form::tuple, .args = made}, type);
        }
        case TypeKind::seq: return seq(w, work, so_far, parts);
        case TypeKind::data: return data(w, work, so_far, parts);
        case TypeKind::hole: case TypeKind::var: case TypeKind::function: case TypeKind::ref: break;
        }
        return Error{Code::type, "map_leaves and its kin take structures of tensors, without cells or functions", w.span};
    }

    Result<ValueId> seq(Writer& w, const Work& work, ValueId so_far, const std::vector<ValueId>& parts) {
        const TypeId integer = module_.types.scalar(DType::i64), type = w.type(parts[0]);
        const TypeId result = so_far.valid() ? work.key.init : type;
        ValueId count = w.builtin("length", {parts[0]}, integer);
        for (size_t i = 1; i < parts.size(); ++i)
            w.assert_(w.op("eq", {count, w.builtin("length", {parts[i]}, integer)}), "the structures have sequences of different lengths");
        ValueId initial = so_far.valid() ? so_far : w.bind(Binding{.form = Form::seq}, type);
        ValueId i = w.value("i", integer), state = w.value("done", result);
        BlockId body = TRY(w.block({i, state}, [&]() -> Result<std::vector<ValueId>> {
            std::vector<ValueId> items;
            for (ValueId part : parts) items.push_back(w.builtin("seq_get", {part, i}, module_.types[type].parts[0]));
            ValueId made = TRY(apply(w, work, so_far.valid() ? state : ValueId(), items));
            return std::vector<ValueId>{so_far.valid() ? made : w.builtin("push", {state, made}, type)};
        }));
        return w.bind(Binding{.form = Form::for_, .args = {count, initial}, .blocks = {body}}, result);
    }

    // All structures are matched as one tuple; other pairs of constructors do not agree.
    Result<ValueId> data(Writer& w, const Work& work, ValueId so_far, const std::vector<ValueId>& parts) {
        const TypeId type = w.type(parts[0]), result = so_far.valid() ? work.key.init : type;
        const DeclId decl = module_.types[type].decl;
        const size_t constructors = module_[decl].constructors.size();
        Binding match{.form = Form::match, .args = {w.tuple(parts)}};
        const BlockId outer = w.at();
        for (uint32_t c = 0; c < constructors; ++c) {
            std::vector<std::vector<ValueId>> fields(types_.fields(type, c).size());
            std::vector<ValueId> variables;
            Pattern whole{.kind = Pattern::Kind::tuple};
            for (size_t s = 0; s < parts.size(); ++s) {
                Pattern one{.kind = module_[decl].is_record ? Pattern::Kind::record : Pattern::Kind::constructor};
                one.decl = decl, one.constructor = c, one.fields = module_[decl].constructors[c].field_names;
                for (size_t i = 0; i < fields.size(); ++i) {
                    variables.push_back(w.value("x", types_.fields(type, c)[i]));
                    fields[i].push_back(variables.back());
                    Pattern part{.kind = Pattern::Kind::variable};
                    part.variable = variables.back();
                    one.parts.push_back(part);
                }
                whole.parts.push_back(std::move(one));
            }
            if (whole.parts.size() == 1) whole = Pattern(whole.parts[0]);
            BlockId body = w.start(variables);
            std::vector<ValueId> made;
            ValueId collected = so_far;
            for (const std::vector<ValueId>& field : fields) {
                made.push_back(TRY(apply(w, work, collected, field)));
                if (collected.valid()) collected = made.back();
            }
            w.finish(body, {so_far.valid() ? collected : w.construct(decl, c, made, type)});
            w.go_to(outer);
            match.arms.push_back({.pattern = std::move(whole), .guard = {}});
            match.blocks.push_back(body);
        }
        if (parts.size() > 1 && constructors > 1) {
            BlockId body = w.start();
            w.assert_(w.truth(false), "the structures do not agree");
            w.finish(body, {parts[0]});
            w.go_to(outer);
            match.arms.push_back({.pattern = {}, .guard = {}});
            match.blocks.push_back(body);
        }
        return w.bind(std::move(match), result);
    }

    static constexpr int64_t most_places = 100'000;
    Module& module_;
    ShadowTypes types_;
    std::map<Key, FunctionId> functions_;
    int64_t places_ = 0;                                 // written for, in all functions together
};
} // namespace

Result<Module> expand_leaves(Module module) {
    TRY(Leaves(module).run());
    return module;
}
} // namespace nereus
