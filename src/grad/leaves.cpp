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
                const Binding& b = module_.functions[f].bindings[i];
                const Builtin what = b.form == Form::op ? b.op->builtin : Builtin::none;
                if (what == Builtin::leaves) TRY(expand(f, i));
                if (what == Builtin::length) expand_length(f, i);
            }
        return {};
    }

 private:
    enum class Task : uint8_t { map, fold, zeros };
    // What a function does: the types of f and init, where it has them, and of the structures, which are the same. There
    // is one f per dtype, if there are several.
    struct Key {
        Task task;
        std::vector<TypeId> f;
        TypeId init, structure;
        size_t structures = 1;
        bool floats = false;                             // only: other leaves are passed over
        auto operator<=>(const Key&) const = default;
    };
    struct Work { Key key; std::vector<ValueId> f; };    // in the function being written

    Status expand(size_t function, size_t binding) {
        const Function& in = module_.functions[function];
        const Binding b = in.bindings[binding];
        auto type = [&](ValueId v) { return types_.plain(in[v].type); };
        Key key{.task = b.op->name == "map_leaves" ? Task::map : b.op->name == "fold_leaves" ? Task::fold : Task::zeros};
        key.structure = type(b.args.back());
        std::vector<ValueId> args = b.args;
        if (key.task != Task::zeros) {
            const std::vector<ValueId> functions = TRY(functions_of(in, b));
            for (ValueId f : functions) key.f.push_back(type(f));
            args.erase(args.begin());
            args.insert(args.begin(), functions.begin(), functions.end());
        }
        if (key.task == Task::fold) key.init = type(b.args[1]);
        if (key.task == Task::map) key.structures = b.args.size() - 1;
        const Attribute* floats = find_attribute(b, "floats");
        key.floats = floats && std::get<bool>(floats->value);
        Binding call{.form = Form::call};
        call.results = b.results, call.args = std::move(args), call.span = b.span;
        call.function = TRY(function_for(key, b.span));
        module_.functions[function].bindings[binding] = std::move(call);
        return {};
    }

    Result<std::vector<ValueId>> functions_of(const Function& in, const Binding& leaves) const {
        const ValueId f = leaves.args[0];
        if (module_.types[in[f].type].kind != TypeKind::tuple) return std::vector{f};
        for (const Binding& b : in.bindings)
            if (b.form == Form::tuple && b.results[0] == f) return b.args;
        return Error{Code::type, "several functions for " + std::string(leaves.op->name) + " are written in the call", leaves.span};
    }

    // (f…, init, s, t…): the parts that the task has, in the order of the operators.
    Result<FunctionId> function_for(Key key, Span span) {
        auto [it, is_new] = functions_.try_emplace(key);
        if (!is_new) return it->second;
        constexpr std::string_view names[] = {"map_leaves", "fold_leaves", "zeros_like"};
        const FunctionId id = it->second = new_function(names[size_t(key.task)]);
        Function made;                                   // apart from the table, which may move meanwhile
        made.name = module_[id].name, made.span = span;
        Writer w(module_, types_, made);
        w.span = span;
        Work work{key, {}};
        for (TypeId f : key.f) work.f.push_back(w.param("f", f));
        ValueId init = key.init.valid() ? w.param("init", key.init) : ValueId();
        std::vector<ValueId> structures;
        for (size_t i = 0; i < key.structures; ++i) structures.push_back(w.param("s", key.structure));
        made.result = key.init.valid() ? key.init : key.structure;
        w.finish(made.body, {TRY(inside(w, work, init, structures))});
        module_[id] = std::move(made);
        return id;
    }

    FunctionId new_function(std::string_view base) {
        std::string name(base);
        for (int i = 1; module_.find(name); ++i) name = std::string(base) + "." + std::to_string(i);
        module_.functions.emplace_back().name = name;
        return FunctionId(module_.functions.size() - 1);
    }

    // The result of the task on parts of the structures at the same place; `so_far` is what fold has collected.
    Result<ValueId> apply(Writer& w, const Work& work, ValueId so_far, const std::vector<ValueId>& parts) {
        const TypeKind kind = module_.types[w.type(parts[0])].kind;
        if (kind != TypeKind::data && kind != TypeKind::seq) return inside(w, work, so_far, parts);
        Key key = work.key;
        key.structure = types_.plain(w.type(parts[0]));
        std::vector<ValueId> args = work.f;
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
            if (work.key.floats && !is_float(*t.element.dtype)) return so_far.valid() ? so_far : parts[0];
            std::vector<ValueId> args{function_of(w, work, *t.element.dtype)};
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

    // All but the first of fold's parameters have the dtype of the leaf.
    ValueId function_of(const Writer& w, const Work& work, DType dtype) const {
        for (ValueId f : work.f) {
            const std::vector<TypeId>& parts = module_.types[w.type(f)].parts;
            if (module_.types[parts[parts.size() - 2]].element.dtype == dtype) return f;
        }
        invariant(false, "a leaf has no function");
        return {};
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

    // length(xs) { count(xs, 0) }, count(xs, n) { match (xs) { Nil => n, Cons(_, rest) => count(rest, n + 1) } }: a tail
    // call, so a loop.
    FunctionId length_function(TypeId list, Span span) {
        const TypeId integer = module_.types.scalar(DType::i64);
        const FunctionId count = new_function("count"), length = new_function("length");
        write(count, integer, span, [&](Writer& w) {
            ValueId xs = w.param("xs", list), n = w.param("n", integer);
            std::vector<Writer::Case> cases;
            for (uint32_t c = 0; c < 2; ++c) {
                Pattern pattern{.kind = Pattern::Kind::constructor, .variable = {}, .literal = {}, .decl = module_.types[list].decl, .constructor = c};
                std::vector<ValueId> variables;
                for (TypeId field : types_.fields(list, c)) {
                    variables.push_back(w.value("x", field));
                    Pattern part{.kind = Pattern::Kind::variable};
                    part.variable = variables.back();
                    pattern.parts.push_back(std::move(part));
                }
                auto body = [&w, n, count, integer, variables]() -> Result<std::vector<ValueId>> {
                    if (variables.empty()) return std::vector{n};
                    return std::vector{w.call(count, {variables[1], w.op("add", {n, w.number(1, DType::i64)})}, integer)};
                };
                cases.push_back({std::move(pattern), variables, body});
            }
            return w.match(xs, integer, std::move(cases));
        });
        write(length, integer, span, [&](Writer& w) -> Result<ValueId> {
            ValueId xs = w.param("xs", list);
            return w.call(count, {xs, w.number(0, DType::i64)}, integer);
        });
        return length;
    }

    void write(FunctionId id, TypeId result, Span span, const std::function<Result<ValueId>(Writer&)>& body) {
        Function made;
        made.name = module_[id].name, made.span = span, made.result = result;
        Writer w(module_, types_, made);
        w.span = span;
        Result<ValueId> value = body(w);
        invariant(bool(value), "length cannot be written");
        w.finish(made.body, {*value});
        module_[id] = std::move(made);
    }

    void expand_length(size_t function, size_t binding) {
        const Function& in = module_.functions[function];
        const Binding b = in.bindings[binding];
        const TypeId list = types_.plain(in[b.args[0]].type);
        if (module_.types[list].kind != TypeKind::data) return;
        auto [it, is_new] = lengths_.try_emplace(list);
        if (is_new) it->second = length_function(list, b.span);
        Binding call{.form = Form::call};
        call.results = b.results, call.args = b.args, call.span = b.span;
        call.function = it->second;
        module_.functions[function].bindings[binding] = std::move(call);
    }

    static constexpr int64_t most_places = 100'000;
    Module& module_;
    ShadowTypes types_;
    std::map<TypeId, FunctionId> lengths_;
    std::map<Key, FunctionId> functions_;
    int64_t places_ = 0;                                 // written for, in all functions together
};
} // namespace

Result<Module> expand_leaves(Module module) {
    TRY(Leaves(module).run());
    return module;
}
} // namespace nereus
