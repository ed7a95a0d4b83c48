#include "pass/partial_evaluator.h"

namespace nereus {
namespace {
constexpr int64_t fuel_of_one_function = 20'000;         // bindings that are gone through
} // namespace

bool mentions_sizes(const Module& m, TypeId id) {
    const Type& type = m.types[id];
    if (type.kind == TypeKind::function) return false;
    if (type.kind == TypeKind::tensor && (type.shape.ranked || !type.shape.dims.empty() || type.shape.tail.valid())) return true;
    for (TypeId part : type.parts)
        if (mentions_sizes(m, part)) return true;
    for (const TypeArg& arg : type.args) {
        if (const Dim* d = std::get_if<Dim>(&arg); d && d->valid()) return true;
        if (const Shape* s = std::get_if<Shape>(&arg); s && (s->ranked || !s->dims.empty() || s->tail.valid())) return true;
        if (const TypeId* part = std::get_if<TypeId>(&arg); part && mentions_sizes(m, *part)) return true;
    }
    return false;
}

PartialEvaluator::PartialEvaluator(Module& module, const Module& source, const Effects& effects)
    : module_(module), source_(source), effects_(effects) {}

Function PartialEvaluator::run(FunctionId id) {
    const Function& source = source_[id];
    out_ = source;
    out_.values.clear(), out_.bindings.clear(), out_.blocks.clear(), out_.params.clear();
    out_.body = out_.add_block();
    edit_.emplace(module_, out_);
    fuel_ = fuel_of_one_function;
    Frame f{source, id, {}, {SymbolImage(module_), {}}};
    for (ValueId param : source.params) {
        const ValueInfo& info = source[param];
        std::vector<Sym> named;
        collect_type_symbols(module_, info.type, named);
        f.sizes.defined.insert(named.begin(), named.end());
        out_.params.push_back(edit_->add_value(info.name, info.type, info.span, info.known));
        f.values[param] = unknown(out_.params.back());
    }
    at_ = enter(id, {});
    BindingList body;
    std::vector<ValueId> given = uses(results(f, source.body, body), body);
    out_[out_.body].bindings = std::move(body);
    out_[out_.body].results = std::move(given);
    out_[out_.body].span = source[source.body].span;
    write_live_lambdas();
    drop_unused_parts(module_, out_, sure_);
    return std::move(out_);
}

void PartialEvaluator::bindings(Frame& f, BlockId block, BindingList& out) {
    for (BindingId at : f.source[block].bindings) {
        const Binding& b = f.source[at];
        --fuel_;
        span_ = b.span;
        KnownId made = binding(f, b, at, out);
        f.values[b.results[0]] = made;
    }
}
std::vector<KnownId> PartialEvaluator::results(Frame& f, BlockId block, BindingList& out) {
    bindings(f, block, out);
    std::vector<KnownId> given;
    for (ValueId result : f.source[block].results) given.push_back(f.values.at(result));
    return given;
}

KnownId PartialEvaluator::binding(Frame& f, const Binding& b, BindingId at, BindingList& out) {
    std::vector<KnownId> args;
    for (ValueId arg : b.args) args.push_back(f.values.at(arg));
    const TypeId type = f.source[b.results[0]].type;
    switch (b.form) {
    case Form::literal: return constant(b, type);
    case Form::dim: {
        Binding image = b;
        f.sizes.image.in_place(image);
        return constant(std::move(image), type);
    }
    case Form::op: return operate(f, b, args, out);
    case Form::call: return call(f, b, args, out);
    case Form::apply: return apply(f, b, args, out);
    case Form::function: {
        Known about{.kind = Known::Kind::function};
        about.function = b.function;
        return stays(f, b, args, out, std::move(about));
    }
    case Form::construct: {
        Known about{.kind = Known::Kind::construct};
        about.parts = args, about.decl = b.decl, about.constructor = b.index;
        return stays(f, b, args, out, std::move(about));
    }
    case Form::record: {
        Known about{.kind = Known::Kind::record};
        about.parts = args, about.names = b.names, about.decl = b.decl;
        return stays(f, b, args, out, std::move(about));
    }
    case Form::tuple: case Form::seq: {
        Known about{.kind = b.form == Form::tuple ? Known::Kind::tuple : Known::Kind::seq};
        about.parts = args;
        return stays(f, b, args, out, std::move(about));
    }
    case Form::project: case Form::field: return part(f, b, args[0], args, out);
    case Form::update: return update(f, b, args, out);
    case Form::lambda: return lambda(f, b, at, out);
    case Form::if_: return branch(f, b, args[0], out);
    case Form::match: return match(f, b, args[0], out);
    case Form::for_: return counted_loop(f, b, args, out);
    case Form::while_: return while_loop(f, b, args, out);
    case Form::index: case Form::closure: case Form::check: break;
    }
    return stays(f, b, args, out);
}

// ---- what stays
ValueId PartialEvaluator::write(Frame& f, Binding b, const std::vector<KnownId>& args, BindingList& out) {
    const ValueInfo& info = f.source[b.results[0]];
    for (Sym& s : b.defines) {
        f.sizes.defined.insert(s);
        s = f.sizes.image.renamed(s);
    }
    f.sizes.image.in_place(b);
    b.args = uses(args, out);
    ValueId value = edit_->add_value(info.name, f.sizes.image.of(info.type), info.span, f.sizes.image.of(info.known));
    b.results = {value};
    BindingId id = out_.add_binding(std::move(b));
    edit_->defined(id);
    out.push_back(id);
    return value;
}
KnownId PartialEvaluator::stays(Frame& f, Binding b, const std::vector<KnownId>& args, BindingList& out, Known about) {
    about.value = write(f, std::move(b), args, out);
    about.type = out_[about.value].type;
    if (about.kind == Known::Kind::unknown)
        for (KnownId arg : args) expose(arg);
    return known_.add(std::move(about));
}

ValueId PartialEvaluator::use(KnownId id, BindingList& out) {
    const Known& k = known_[id];
    if (k.kind != Known::Kind::constant) return k.value;
    return edit_->add(Binding(k.constant), k.type, "c", out);
}
std::vector<ValueId> PartialEvaluator::uses(const std::vector<KnownId>& all, BindingList& out) {
    std::vector<ValueId> made;
    for (KnownId id : all) made.push_back(use(id, out));
    return made;
}
KnownId PartialEvaluator::unknown(ValueId value) {
    Known made;
    made.type = out_[value].type, made.value = value;
    return known_.add(std::move(made));
}
KnownId PartialEvaluator::constant(Binding immediate, TypeId type) {
    Known made{.kind = Known::Kind::constant};
    made.type = type, made.constant = std::move(immediate);
    return known_.add(std::move(made));
}
KnownId PartialEvaluator::integer(int64_t value, TypeId type) {
    Binding b{.form = Form::literal};
    bool truth = module_.types[type].element.dtype == DType::boolean;
    b.literal.kind = truth ? Literal::Kind::boolean : Literal::Kind::integer;
    b.literal.integers = {value};
    return constant(std::move(b), type);
}
KnownId PartialEvaluator::unit() { return constant(Binding{.form = Form::literal}, module_.types.unit()); }

std::vector<ValueId> PartialEvaluator::new_parameters(Frame& f, const std::vector<ValueId>& params) {
    std::vector<ValueId> made;
    for (ValueId param : params) {
        std::vector<Sym> named;
        collect_type_symbols(module_, f.source[param].type, named);
        for (Sym s : named)
            if (f.sizes.defined.insert(s).second && module_.dims.symbol(s).kind != SymKind::unknown) f.sizes.image.renamed(s);
    }
    for (ValueId param : params) {
        const ValueInfo& info = f.source[param];
        made.push_back(edit_->add_value(info.name, f.sizes.image.of(info.type), info.span, f.sizes.image.of(info.known)));
        f.values[param] = unknown(made.back());
    }
    return made;
}

BlockId PartialEvaluator::block_that_stays(Frame& f, BlockId from, std::vector<ValueId> params) {
    ++branches_;
    Block made;
    made.params = std::move(params);
    made.span = f.source[from].span;
    std::vector<KnownId> given = results(f, from, made.bindings);
    made.results = uses(given, made.bindings);
    for (KnownId result : given) expose(result);
    --branches_;
    BlockId id = out_.add_block();
    out_[id] = std::move(made);
    return id;
}

// Cells that whoever gets this value could find.
void PartialEvaluator::expose(KnownId id) {
    const Known& k = known_[id];
    if (k.cell.valid()) {
        if (!cells_.expose(k.cell)) return;              // also where all are exposed: outside of a loop they are not
        if (KnownId content = cells_.content(k.cell); content.valid()) expose(content);
        return;
    }
    for (KnownId part : k.parts) expose(part);
}

// ---- sizes that are stated
bool PartialEvaluator::shows(KnownId id, TypeId type) const {
    if (!mentions_sizes(module_, type) || known_[id].type == type) return true;
    const Literal* l = known_.literal(id);
    const Type& t = module_.types[type];
    return l && !l->is_tensor && t.kind == TypeKind::tensor && t.shape.ranked && t.shape.dims.empty();
}

std::vector<KnownId> PartialEvaluator::stated(Frame& f, std::vector<KnownId> all, const std::vector<TypeId>& types, BindingList& out) {
    std::vector<Sym> own;                                // sizes that are named here first
    for (TypeId type : types) {
        std::vector<Sym> named;
        collect_type_symbols(module_, type, named);
        for (Sym s : named)
            if (module_.dims.symbol(s).kind != SymKind::unknown && f.sizes.defined.insert(s).second) own.push_back(s);
    }
    std::unordered_map<Sym, Dim> found;
    for (size_t i = 0; i < all.size(); ++i) match_symbols(module_, types[i], known_[all[i]].type, own, found);
    std::vector<Sym> open;
    for (Sym s : own) {
        auto it = found.find(s);
        bool told = it != found.end();
        if (told)
            for (Sym inner : module_.dims.symbols_of(it->second)) told &= module_.dims.symbol(inner).kind != SymKind::unknown;
        if (told) f.sizes.image.put(s, it->second);
        else open.push_back(f.sizes.image.renamed(s));
    }
    std::vector<size_t> unsure;
    for (size_t i = 0; i < all.size(); ++i)
        if (!shows(all[i], f.sizes.image.of(types[i]))) unsure.push_back(i);
    if (unsure.empty()) return all;

    // One tuple, because a size may be found in one of them and be needed by another.
    Binding tuple{.form = Form::tuple, .defines = open, .span = span_};
    std::vector<TypeId> parts;
    for (size_t i : unsure) {
        tuple.args.push_back(use(all[i], out));
        parts.push_back(f.sizes.image.of(types[i]));
    }
    if (unsure.size() == 1) {                            // a tuple has no or several parts
        tuple.args.push_back(use(unit(), out));
        parts.push_back(module_.types.unit());
    }
    ValueId whole = edit_->add(std::move(tuple), module_.types.tuple(parts), "stated", out);
    for (size_t i = 0; i < unsure.size(); ++i) {
        Known same = known_[all[unsure[i]]];
        if (same.kind == Known::Kind::constant) continue;
        same.value = edit_->add(Binding{.form = Form::project, .args = {whole}, .index = uint32_t(i), .span = span_}, parts[i],
                                out_[same.value].name, out);
        same.type = parts[i];
        all[unsure[i]] = known_.add(std::move(same));
    }
    return all;
}
KnownId PartialEvaluator::stated(Frame& f, KnownId known, TypeId type, BindingList& out) {
    return mentions_sizes(module_, type) ? stated(f, std::vector{known}, {type}, out)[0] : known;
}
void PartialEvaluator::name_parameters(Frame& f, const std::vector<ValueId>& params, std::vector<KnownId> args, BindingList& out) {
    std::vector<TypeId> types;
    for (ValueId param : params) types.push_back(f.source[param].type);
    args = stated(f, std::move(args), types, out);
    for (size_t i = 0; i < params.size(); ++i) f.values[params[i]] = args[i];
}
} // namespace nereus
