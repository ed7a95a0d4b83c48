// pass/defunctionalise.cpp - closures become data: a lambda is a function of its captured values and its arguments, a
// closure is a constructor that holds the captured values, and a call of one is a match over the lambdas that may arrive
// there (closure_sets.h), each arm a direct call. For modules as the specialise stage leaves them.
//
// Each type of function that is made somewhere gets a declared type with a constructor per lambda. Captured values that
// hold no functions are type parameters of it, so that shapes are known through them as through any structure; those that
// do hold functions name the types made here, their own included.
//
// Sizes of the function around a lambda that the lambda mentions come in as the extents of a tensor without elements:
// one more captured value, from whose type the new function reads them.
//
// `grad` takes a function itself, not data: what it is applied to is made a lambda or a function right there, and stays
// one; and so does its result, which is applied and nothing else.
#include "ops/registry.h"
#include "pass/closure_sets.h"
#include "pass/function_edit.h"
#include "pass/passes.h"
#include <algorithm>

namespace nereus {
namespace {
bool is_grad(const Binding& b) { return b.form == Form::op && b.op->builtin == Builtin::grad; }

// Makes every grad one of a lambda or function that nothing else uses, and its result one that is only applied.
class DirectGradients {
 public:
    DirectGradients(Module& module, Function& function) : edit_(module, function) { count(function.body); }
    void run() { block(edit_.function().body); }

 private:
    Function& f() { return edit_.function(); }
    void count(BlockId id) {
        for (BindingId at : f()[id].bindings) {
            const Binding& b = f()[at];
            for (size_t i = 0; i < b.args.size(); ++i) {
                ++uses_[b.args[i]];
                if (b.form != Form::apply || i > 0) ++other_uses_[b.args[i]];
            }
            for (BlockId nested : blocks_of(b)) count(nested);
        }
        for (ValueId result : f()[id].results) ++uses_[result], ++other_uses_[result];
    }
    void block(BlockId id) {
        BindingList before = std::move(f()[id].bindings), after;
        for (BindingId at : before) {
            for (BlockId nested : blocks_of(Binding(f()[at]))) block(nested);
            if (is_grad(f()[at])) gradient(at, after);
            after.push_back(at);
        }
        f()[id].bindings = std::move(after);
    }
    void gradient(BindingId at, BindingList& out) {
        const Binding g = f()[at];
        if (other_uses_[g.results[0]] == 0) {
            f()[at].args[0] = direct(g.args[0], out, true);
            return;
        }
        // it goes somewhere: a lambda that takes the gradient when it is called
        ValueId function = g.args[0];
        TypeId type = f()[g.results[0]].type;
        f()[at] = lambda(type, g.span, [&](const std::vector<ValueId>& params, BindingList& body) {
            Binding own = g;
            own.args[0] = direct(function, body, false);
            return apply(edit_.add(std::move(own), type, "gradient", body), params, type, g.span, body);
        });
        f()[at].results = g.results;
        edit_.defined(at);
    }
    // `here`: in the block of the gradient; a lambda of its own would capture the function, which then is data.
    ValueId direct(ValueId v, BindingList& out, bool here) {
        const Binding* d = edit_.definition(v);
        TypeId type = f()[v].type;
        const std::string name = f()[v].name;            // the lambda below adds values beside it
        if (d && d->form == Form::function) return edit_.add(Binding(*d), type, name, out);
        if (d && d->form == Form::lambda && uses_[v] == 1 && here) return v;
        Span span = f()[v].span;
        return edit_.add(lambda(type, span, [&](const std::vector<ValueId>& params, BindingList& body) {
                             return apply(v, params, type, span, body);
                         }), type, name, out);
    }
    template <class Write> Binding lambda(TypeId type, Span span, Write write) {
        std::vector<TypeId> parts = edit_.module().types[type].parts;
        Block body;
        body.span = span;
        for (size_t i = 0; i + 1 < parts.size(); ++i) body.params.push_back(edit_.add_value("a", parts[i], span));
        body.results = {write(body.params, body.bindings)};
        BlockId id = f().add_block();
        f()[id] = std::move(body);
        return Binding{.form = Form::lambda, .blocks = {id}, .span = span};
    }
    ValueId apply(ValueId function, const std::vector<ValueId>& args, TypeId type, Span span, BindingList& out) {
        Binding b{.form = Form::apply, .args = {function}, .span = span};
        b.args.insert(b.args.end(), args.begin(), args.end());
        return edit_.add(std::move(b), edit_.module().types[type].parts.back(), "applied", out);
    }

    FunctionEdit edit_;
    std::unordered_map<ValueId, int> uses_, other_uses_;
};

// What one label becomes.
struct Lifted {
    bool stays = false;                      // a function of a gradient
    FunctionId function;                     // to call
    std::vector<ValueId> captured;           // of the function around it
    std::vector<BindingId> constants;        // likewise, constants: written again inside
    std::vector<Sym> sizes;                  // likewise; not empty: one more captured value
    uint32_t constructor = 0;
};

class Defunctionalise {
 public:
    explicit Defunctionalise(Module& module) : out_(module), source_(module), plain_(module), sets_(source_, plain_) {}

    // False: a declared type has functions of its parameters in it, for which there is no one type of data.
    bool run() {
        for (const TypeDecl& decl : out_.decls)
            for (const Constructor& c : decl.constructors)
                for (TypeId field : c.fields)
                    if (function_of_variables(field, false)) return false;
        find_lambdas();
        declare_types();
        for (size_t i = 0; i < source_.functions.size(); ++i) out_.functions[i] = function(FunctionId(i));
        for (uint32_t label = 0; label < lifted_.size(); ++label)
            if (!lifted_[label].stays && sets_.labels()[label].lambda.valid()) {
                Function made = lambda(label);
                out_.functions.push_back(std::move(made));
            }
        for (size_t i = 0; i < out_.functions.size(); ++i) convert_types(out_.functions[i], stays_[i]);
        return true;
    }

 private:
    bool function_of_variables(TypeId id, bool inside) const {
        const Type& t = out_.types[id];
        if (inside && (t.kind == TypeKind::var || (t.kind == TypeKind::tensor && t.element.var.valid()))) return true;
        inside |= t.kind == TypeKind::function;
        for (TypeId part : t.parts)
            if (function_of_variables(part, inside)) return true;
        for (const TypeArg& arg : t.args)
            if (const TypeId* inner = std::get_if<TypeId>(&arg); inner && function_of_variables(*inner, inside)) return true;
        return false;
    }

    // ---- what there is
    void find_lambdas() {
        std::set<std::pair<uint32_t, uint32_t>> in_gradients, elsewhere;         // function, value
        for (uint32_t i = 0; i < source_.functions.size(); ++i) {
            const Function& f = source_.functions[i];
            for (const Binding& b : f.bindings)
                for (ValueId arg : b.args) (is_grad(b) ? in_gradients : elsewhere).insert({i, arg.index});
            for (const Block& block : f.blocks)
                for (ValueId result : block.results) elsewhere.insert({i, result.index});
        }
        size_t next = source_.functions.size();
        for (const ClosureLabel& label : sets_.labels()) {
            Lifted made{.function = label.function};
            if (label.lambda.valid()) {
                const Function& f = source_[label.function];
                std::pair<uint32_t, uint32_t> value{label.function.index, f[label.lambda].results[0].index};
                made.stays = in_gradients.contains(value) && !elsewhere.contains(value);
                if (!made.stays) {
                    made.function = FunctionId(next++);
                    capture(f, f[label.lambda].blocks[0], made);
                }
            }
            lifted_.push_back(std::move(made));
        }
        stays_.resize(next);
        for (uint32_t i = 0; i < source_.functions.size(); ++i)
            for (const Binding& b : source_.functions[i].bindings)
                if (b.form == Form::function && in_gradients.contains({i, b.results[0].index}) &&
                    !elsewhere.contains({i, b.results[0].index}))
                    direct_functions_.insert({i, b.results[0].index});
    }
    void capture(const Function& f, BlockId block, Lifted& out) {
        const Known& known = known_of(f);
        for (ValueId v : free_values_of(f, block)) {
            auto it = known.constants.find(v);
            if (it == known.constants.end()) out.captured.push_back(v);
            else out.constants.push_back(it->second);
        }
        std::map<Sym, int>& all = mentions_[&f];
        if (all.empty()) {
            all = symbols_in(source_, f, f.body);
            for (ValueId param : f.params) {
                std::vector<Sym> symbols;
                collect_type_symbols(source_, f[param].type, symbols);
                for (Sym s : symbols) ++all[s];
            }
        }
        for (auto [s, count] : symbols_in(source_, f, block))
            if (all[s] > count) out.sizes.push_back(s);
    }
    struct Known { std::unordered_map<ValueId, BindingId> constants; std::set<ValueId> gradients; };
    const Known& known_of(const Function& f) {
        auto [it, is_new] = known_.try_emplace(&f);
        for (size_t i = 0; is_new && i < f.bindings.size(); ++i) {
            if (is_immediate(f.bindings[i])) it->second.constants.emplace(f.bindings[i].results[0], BindingId(i));
            if (is_grad(f.bindings[i])) it->second.gradients.insert(f.bindings[i].results[0]);
        }
        return it->second;
    }

    // ---- types
    struct Made { DeclId decl; std::vector<uint32_t> labels; };
    TypeId plain_of(const Function& f, ValueId v) { return plain_.of(f[v].type); }
    TypeId token_type() { return out_.types.tensor(Shape{{}, false, {}}, DType::boolean); }
    std::vector<TypeId> captured_types(uint32_t label) {
        std::vector<TypeId> types;
        const Function& f = source_[sets_.labels()[label].function];
        for (ValueId v : lifted_[label].captured) types.push_back(plain_of(f, v));
        if (!lifted_[label].sizes.empty()) types.push_back(token_type());
        return types;
    }

    void declare_types() {
        std::set<std::string> names;
        for (const TypeDecl& decl : out_.decls) {
            names.insert(decl.name);
            for (const Constructor& c : decl.constructors) names.insert(c.name);
        }
        for (uint32_t i = 0; i < lifted_.size(); ++i)
            if (!lifted_[i].stays) made_[sets_.labels()[i].type].labels.push_back(i);
        std::vector<TypeDecl> decls;
        const size_t declared = out_.decls.size();
        for (auto& [type, made] : made_) {
            TypeDecl decl;
            for (size_t n = decls.size() + 1; decl.name.empty(); ++n)
                if (names.insert("Fn" + std::to_string(n)).second) decl.name = "Fn" + std::to_string(n);
            for (uint32_t label : made.labels) {
                Constructor c;
                lifted_[label].constructor = uint32_t(decl.constructors.size());
                c.name = decl.name;
                do c.name += "_" + std::to_string(decl.constructors.size() + 1);
                while (!names.insert(c.name).second);
                decl.constructors.push_back(std::move(c));
                for (TypeId field : captured_types(label))
                    if (!plain_.holds_function(field))
                        own_params_[type].push_back({out_.add_var("t" + std::to_string(next_param_++), VarKind::type), field});
            }
            made.decl = DeclId(declared + decls.size());
            decls.push_back(std::move(decl));
        }
        for (auto& [type, made] : made_) params_[type] = params(type);
        for (auto& [type, made] : made_) {
            TypeDecl& decl = decls[made.decl.index - declared];
            for (const Param& p : params_[type]) decl.params.push_back({TypeParam::Kind::type, p.var, {}});
            size_t next = 0;
            for (size_t c = 0; c < made.labels.size(); ++c)
                for (TypeId field : captured_types(made.labels[c]))
                    decl.constructors[c].fields.push_back(
                        plain_.holds_function(field) ? converted(field, true) : out_.types.variable(own_params_[type][next++].var));
        }
        for (TypeDecl& decl : out_.decls)
            for (Constructor& c : decl.constructors)
                for (TypeId& field : c.fields) field = converted(field, false);
        out_.decls.insert(out_.decls.end(), decls.begin(), decls.end());
    }
    struct Param { VarId var; TypeId ground; };
    // Its own, and those of all types that what it captures names.
    std::vector<Param> params(TypeId type) {
        std::vector<TypeId> all{type};
        for (size_t i = 0; i < all.size(); ++i)
            for (uint32_t label : made_[all[i]].labels)
                for (TypeId field : captured_types(label)) named_in(field, all);
        std::vector<Param> out;
        for (TypeId t : all) out.insert(out.end(), own_params_[t].begin(), own_params_[t].end());
        return out;
    }
    void named_in(TypeId id, std::vector<TypeId>& out) {
        const Type type = out_.types[id];
        if (type.kind == TypeKind::function && made_.contains(id)) {
            if (std::ranges::count(out, id) == 0) out.push_back(id);
            return;
        }
        for (TypeId part : type.parts) named_in(part, out);
        for (const TypeArg& arg : type.args)
            if (const TypeId* inner = std::get_if<TypeId>(&arg)) named_in(*inner, out);
    }

    // In a declaration (`open`) the parameters of the types made here are its own; elsewhere they are the captured types.
    TypeId converted(TypeId id, bool open) {
        Type type = out_.types[id];
        if (type.kind == TypeKind::function) {
            auto it = made_.find(plain_.of(id));
            if (it != made_.end()) {
                std::vector<TypeArg> args;
                for (const Param& p : params_[it->first]) args.push_back(open ? out_.types.variable(p.var) : p.ground);
                return out_.types.data(it->second.decl, std::move(args));
            }
        }
        return converted_inside(id, open);
    }
    TypeId converted_inside(TypeId id, bool open) {
        Type type = out_.types[id];
        for (TypeId& part : type.parts) part = converted(part, open);
        for (TypeArg& arg : type.args)
            if (TypeId* inner = std::get_if<TypeId>(&arg)) *inner = converted(*inner, open);
        return out_.types.intern(std::move(type));
    }
    void convert_types(Function& f, const std::set<ValueId>& stays) {
        for (size_t v = 0; v < f.values.size(); ++v)
            if (TypeId& type = f.values[v].type; stays.contains(ValueId(v))) type = converted_inside(type, false);
            else type = converted(type, false);
        f.result = converted(f.result, false);
    }

    // ---- code
    Function function(FunctionId id) {
        const Function& from = source_[id];
        Function to;
        to.name = from.name, to.type_params = from.type_params, to.result = from.result, to.where = from.where;
        to.vjp_forward = from.vjp_forward, to.vjp_backward = from.vjp_backward;
        to.from_prelude = from.from_prelude, to.span = from.span;
        FunctionEdit edit(out_, to);
        BlockCopy copy(edit, from);
        for (ValueId param : from.params) to.params.push_back(copy.fresh(param));
        write(id, id.index, edit, copy, from.body);
        return to;
    }

    Function lambda(uint32_t index) {
        const ClosureLabel& label = sets_.labels()[index];
        const Lifted& lifted = lifted_[index];
        const Function& from = source_[label.function];
        const Binding& made = from[label.lambda];
        Function to;
        to.name = name_for(from.name), to.span = made.span, to.from_prelude = from.from_prelude;
        FunctionEdit edit(out_, to);
        BlockCopy copy(edit, from);
        for (auto [s, count] : symbols_in(source_, from, made.blocks[0])) copy.symbols.renamed(s);
        BindingList constants;
        for (BindingId id : lifted.constants) {
            ValueId v = from[id].results[0];
            Binding again = from[id];
            copy.symbols.in_place(again);
            copy.put(v, edit.add(std::move(again), copy.symbols.of(from[v].type), from[v].name, constants));
        }
        for (ValueId v : lifted.captured) {
            ValueId param = edit.add_value(from[v].name, plain_of(from, v), from[v].span);
            copy.put(v, param);
            to.params.push_back(param);
        }
        if (!lifted.sizes.empty()) {
            Shape shape;
            for (Sym s : lifted.sizes) shape.dims.push_back(copy.symbols.of(out_.dims.of(s)));
            shape.dims.push_back(out_.dims.constant(0));
            to.params.push_back(edit.add_value("sizes", out_.types.tensor(shape, DType::boolean), made.span));
        }
        for (ValueId param : from[made.blocks[0]].params) to.params.push_back(copy.fresh(param));
        to.result = plain_of(from, from[made.blocks[0]].results[0]);
        write(label.function, lifted.function.index, edit, copy, made.blocks[0], std::move(constants));
        return to;
    }

    void write(FunctionId from, size_t index, FunctionEdit& edit, BlockCopy& copy, BlockId body, BindingList list = {}) {
        copy.instead = [&](const Binding& b, BindingList& out) { return instead(from, b, edit, copy, out); };
        Function& to = edit.function();
        copy.bindings(body, list);
        std::vector<ValueId> results;
        for (ValueId result : source_[from][body].results) results.push_back(copy.value(result, list));
        to.body = to.add_block();
        to[to.body].results = std::move(results);
        to[to.body].bindings = std::move(list);
        for (const Binding& b : to.bindings)             // what is still a function
            if (b.form == Form::lambda || b.form == Form::function || is_grad(b)) stays_[index].insert(b.results[0]);
    }

    bool instead(FunctionId from, const Binding& b, FunctionEdit& edit, BlockCopy& copy, BindingList& out) {
        const Function& f = source_[from];
        switch (b.form) {
        case Form::lambda: case Form::function: {
            uint32_t label = label_of(from, b);
            if (lifted_[label].stays || direct_functions_.contains({from.index, b.results[0].index})) return false;
            Binding made{.form = Form::construct, .decl = made_[sets_.labels()[label].type].decl,
                         .index = lifted_[label].constructor, .span = b.span};
            for (ValueId v : lifted_[label].captured) made.args.push_back(copy.value(v, out));
            if (!lifted_[label].sizes.empty()) made.args.push_back(token(lifted_[label].sizes, edit, copy, b.span, out));
            bind(std::move(made), b, edit, copy, out);
            return true;
        }
        case Form::apply: {
            if (known_of(f).gradients.contains(b.args[0])) return false;
            std::vector<ValueId> args;
            for (ValueId arg : b.args) args.push_back(copy.value(arg, out));
            Binding made{.form = Form::match, .args = {args[0]}, .span = b.span};
            TypeId type = copy.symbols.of(f[b.results[0]].type);
            for (uint32_t label : sets_.at(from, b)) arm(label, args, b, type, edit, made);
            bind(std::move(made), b, edit, copy, out);
            return true;
        }
        default: return false;
        }
    }
    void bind(Binding made, const Binding& from, FunctionEdit& edit, BlockCopy& copy, BindingList& out) {
        made.results = {copy.fresh(from.results[0])};
        BindingId id = edit.function().add_binding(std::move(made));
        edit.defined(id);
        out.push_back(id);
    }
    void arm(uint32_t label, const std::vector<ValueId>& args, const Binding& apply, TypeId type, FunctionEdit& edit, Binding& out) {
        const Function& f = source_[sets_.labels()[label].function];
        Arm made;
        made.pattern = Pattern{.kind = Pattern::Kind::constructor, .decl = made_[sets_.labels()[label].type].decl,
                               .constructor = lifted_[label].constructor, .span = apply.span};
        Block block;
        block.span = apply.span;
        Binding call{.form = Form::call, .function = lifted_[label].function, .span = apply.span};
        auto variable = [&](std::string_view name, TypeId type) {
            ValueId v = edit.add_value(name, type, apply.span);
            made.pattern.parts.push_back(Pattern{.kind = Pattern::Kind::variable, .variable = v, .span = apply.span});
            block.params.push_back(v);
            call.args.push_back(v);
        };
        for (ValueId v : lifted_[label].captured) variable(f[v].name, plain_of(f, v));
        if (!lifted_[label].sizes.empty()) variable("sizes", token_type());
        for (size_t i = 1; i < args.size(); ++i) {       // a constant has one use: one per arm
            const Binding* b = edit.definition(args[i]);
            ValueId arg = args[i];
            if (b && is_immediate(*b)) arg = edit.add(Binding(*b), edit.function()[arg].type, "arg", block.bindings);
            call.args.push_back(arg);
        }
        block.results = {edit.add(std::move(call), type, "called", block.bindings)};
        BlockId id = edit.function().add_block();
        edit.function()[id] = std::move(block);
        out.arms.push_back(std::move(made));
        out.blocks.push_back(id);
    }
    ValueId token(const std::vector<Sym>& sizes, FunctionEdit& edit, BlockCopy& copy, Span span, BindingList& out) {
        Binding full{.form = Form::op, .op = all_ops().find("full"), .span = span};
        TypeId i64 = out_.types.scalar(DType::i64);
        for (Sym s : sizes) {
            Binding size{.form = Form::dim, .dim = copy.symbols.of(out_.dims.of(s)), .span = span};
            full.args.push_back(edit.add(std::move(size), i64, "size", out));
        }
        Binding zero{.form = Form::literal, .literal = Literal{.kind = Literal::Kind::integer, .integers = {0}}, .span = span};
        Binding no{.form = Form::literal, .literal = Literal{.kind = Literal::Kind::boolean, .integers = {0}}, .span = span};
        full.args.push_back(edit.add(std::move(zero), i64, "size", out));
        full.args.push_back(edit.add(std::move(no), out_.types.scalar(DType::boolean), "no", out));
        full.groups = {{uint32_t(sizes.size() + 1), true}, {1, false}};
        return edit.add(std::move(full), token_type(), "sizes", out);
    }

    uint32_t label_of(FunctionId from, const Binding& b) {
        for (uint32_t label : sets_.of(from, b.results[0])) {
            const ClosureLabel& l = sets_.labels()[label];
            if (b.form == Form::function ? !l.lambda.valid() && l.function == b.function
                                         : l.lambda.valid() && l.function == from && source_[from][l.lambda].results == b.results)
                return label;
        }
        invariant(false, "defunctionalise: a function value without a label");
        return 0;
    }
    std::string name_for(const std::string& base) {
        if (function_names_.empty())
            for (const Function& f : source_.functions) function_names_.insert(f.name);
        std::string name = base + "_fn";
        for (int i = 1; !function_names_.insert(name).second; ++i) name = base + "_fn." + std::to_string(i);
        return name;
    }

    Module& out_;
    Module source_;                                      // as it was
    PlainTypes plain_;
    ClosureSets sets_;
    std::vector<Lifted> lifted_;                         // by label
    std::set<std::pair<uint32_t, uint32_t>> direct_functions_;       // @f that only a gradient takes
    std::map<const Function*, std::map<Sym, int>> mentions_;
    std::map<TypeId, Made> made_;                        // by plain type of function
    std::map<TypeId, std::vector<Param>> own_params_, params_;
    std::vector<std::set<ValueId>> stays_;               // by function: values that are functions still
    std::map<const Function*, Known> known_;
    std::set<std::string> function_names_;
    uint32_t next_param_ = 0;
};
} // namespace

Result<Module> defunctionalise(Module module) {
    for (Function& function : module.functions) DirectGradients(module, function).run();
    Module before = module;
    if (!Defunctionalise(module).run()) return before;
    return module;
}
} // namespace nereus
