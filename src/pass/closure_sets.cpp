#include "pass/closure_sets.h"
#include "ir/instantiate.h"
#include "ir/op.h"
#include "pass/function_edit.h"
#include <unordered_set>

namespace nereus {
TypeId PlainTypes::of(TypeId id) {
    if (auto it = plain_.find(id); it != plain_.end()) return it->second;
    Type type = module_.types[id];                       // a copy: interning moves the table
    if (type.kind == TypeKind::tensor) type.shape = Shape{{}, false, {}};
    for (TypeId& part : type.parts) part = of(part);
    for (TypeArg& arg : type.args) {
        if (TypeId* inner = std::get_if<TypeId>(&arg)) arg = of(*inner);
        if (std::holds_alternative<Dim>(arg)) arg = Dim();
        if (std::holds_alternative<Shape>(arg)) arg = Shape{{}, false, {}};
    }
    return plain_[id] = module_.types.intern(std::move(type));
}

// Through all types that lie in it, each once: declared types may be recursive.
const PlainTypes::Holds& PlainTypes::holds(TypeId id) {
    id = of(id);
    if (auto it = holds_.find(id); it != holds_.end()) return it->second;
    Holds found;
    std::vector<TypeId> all{id};
    std::set<TypeId> seen{id};
    constexpr size_t most = 10'000;                      // a type that holds ever larger ones of its kind
    for (size_t i = 0; i < all.size() && all.size() < most; ++i) {
        Type type = module_.types[all[i]];
        found.function |= type.kind == TypeKind::function;
        found.cell |= type.kind == TypeKind::ref;
        std::vector<TypeId> parts = type.parts;
        if (type.kind == TypeKind::data) {
            for (TypeArg& arg : type.args)
                if (std::holds_alternative<Dim>(arg)) arg = module_.dims.constant(0);        // dropped again
            TypeId told = module_.types.intern(std::move(type));
            DeclId decl = module_.types[told].decl;
            for (uint32_t c = 0; c < module_.decls[decl.index].constructors.size(); ++c)
                for (TypeId field : instantiate_fields(module_, told, c)) parts.push_back(of(field));
        }
        for (TypeId part : parts)
            if (seen.insert(part).second) all.push_back(part);
    }
    return holds_[id] = found;
}
bool PlainTypes::holds_function(TypeId type) { return holds(type).function; }
bool PlainTypes::holds_cell(TypeId type) { return holds(type).cell; }

ClosureSets::ClosureSets(Module& module, PlainTypes& plain) : module_(module), plain_(plain) {
    for (size_t i = 0; i < module.functions.size(); ++i) visit(FunctionId(i), module.functions[i].body);
    settle();
}

const std::set<uint32_t>& ClosureSets::of(FunctionId function, ValueId value) const {
    static const std::set<uint32_t> none;
    auto it = sets_.find({function.index, value.index});
    return it == sets_.end() ? none : it->second;
}
std::set<uint32_t> ClosureSets::at(FunctionId function, const Binding& apply) const {
    TypeId type = plain_.of(module_[function][apply.args[0]].type);
    std::set<uint32_t> fitting;
    for (uint32_t label : of(function, apply.args[0]))
        if (labels_[label].type == type) fitting.insert(label);
    return fitting;
}

void ClosureSets::add(Node node, uint32_t label) {
    if (sets_[node].insert(label).second) open_.emplace_back(node, label);
}
void ClosureSets::edge(Node from, Node to) {
    if (from == to || !edges_[from].insert(to).second) return;
    for (uint32_t label : std::set<uint32_t>(sets_[from])) add(to, label);
}
void ClosureSets::flow(FunctionId from_function, ValueId from, FunctionId to_function, ValueId to) {
    TypeId target = module_[to_function][to].type, source = module_[from_function][from].type;
    if (!plain_.holds_function(target) || !plain_.holds_function(source)) return;
    Node a{from_function.index, from.index}, b{to_function.index, to.index};
    edge(a, b);
    if (plain_.holds_cell(target) && plain_.holds_cell(source)) edge(b, a);         // the same cell under two names
}

void ClosureSets::settle() {
    while (!open_.empty()) {
        auto [node, label] = open_.back();
        open_.pop_back();
        for (const Node& to : std::set<Node>(edges_[node])) add(to, label);
        auto it = applied_.find(node);
        if (it == applied_.end()) continue;
        for (const Apply& site : std::vector<Apply>(it->second)) connect(site.function, module_[site.function][site.at], label);
    }
}

void ClosureSets::connect(FunctionId id, const Binding& apply, uint32_t index) {
    const ClosureLabel label = labels_[index];
    if (label.type != plain_.of(module_[id][apply.args[0]].type)) return;
    const Function& callee = module_[label.function];
    BlockId body = label.lambda.valid() ? callee[label.lambda].blocks[0] : callee.body;
    const std::vector<ValueId> params = label.lambda.valid() ? callee[body].params : callee.params;
    for (size_t i = 0; i + 1 < apply.args.size() && i < params.size(); ++i) flow(id, apply.args[i + 1], label.function, params[i]);
    for (ValueId result : callee[body].results) flow(label.function, result, id, apply.results[0]);
}

void ClosureSets::visit(FunctionId id, BlockId block) {
    const std::vector<BindingId> bindings = module_[id][block].bindings;
    for (BindingId at : bindings) {
        const Binding b = module_[id][at];
        visit(id, b, at);
        for (BlockId nested : blocks_of(b)) visit(id, nested);
    }
}

void ClosureSets::bind(FunctionId id, const Pattern& pattern, ValueId subject) {
    if (pattern.kind == Pattern::Kind::variable) flow(id, subject, id, pattern.variable);
    for (const Pattern& part : pattern.parts) bind(id, part, subject);
}

void ClosureSets::visit(FunctionId id, const Binding& b, BindingId at) {
    const Function& f = module_[id];
    Node result{id.index, b.results.empty() ? 0 : b.results[0].index};
    auto into_result = [&](ValueId v) { flow(id, v, id, b.results[0]); };
    switch (b.form) {
    case Form::lambda:
        labels_.push_back({id, at, plain_.of(f[b.results[0]].type)});
        add(result, uint32_t(labels_.size() - 1));
        return;
    case Form::function: {
        auto [it, is_new] = function_labels_.try_emplace(b.function.index, uint32_t(labels_.size()));
        if (is_new) labels_.push_back({b.function, {}, plain_.of(f[b.results[0]].type)});
        add(result, it->second);
        return;
    }
    case Form::apply: {
        Node head{id.index, b.args[0].index};
        applied_[head].push_back({id, at});
        for (uint32_t label : std::set<uint32_t>(sets_[head])) connect(id, b, label);
        return;
    }
    case Form::call: {
        const Function& callee = module_[b.function];
        for (size_t i = 0; i < b.args.size(); ++i) flow(id, b.args[i], b.function, callee.params[i]);
        for (ValueId v : callee[callee.body].results) flow(b.function, v, id, b.results[0]);
        return;
    }
    case Form::if_:
        for (BlockId arm : b.blocks)
            for (ValueId v : f[arm].results) into_result(v);
        return;
    case Form::match:
        for (size_t i = 0; i < b.arms.size(); ++i) {
            bind(id, b.arms[i].pattern, b.args[0]);
            for (ValueId v : f[b.blocks[i]].results) into_result(v);
        }
        return;
    case Form::for_: case Form::while_: {
        const Block& body = f[b.blocks.back()];
        size_t first = b.form == Form::for_ ? 1 : 0, states = body.params.size() - first;
        for (size_t i = 0; i < states; ++i) {
            flow(id, b.args[first + i], id, body.params[first + i]);
            if (i < body.results.size()) flow(id, body.results[i], id, body.params[first + i]);
            into_result(body.params[first + i]);
        }
        return;
    }
    case Form::op:
        if (b.op->builtin == Builtin::grad) return;      // a function of its own
        if (b.op->builtin == Builtin::write) flow(id, b.args[1], id, b.args[0]);
        for (ValueId arg : b.args)
            if (!b.results.empty()) into_result(arg);
        return;
    case Form::literal: case Form::dim: case Form::construct: case Form::tuple: case Form::project: case Form::field:
    case Form::record: case Form::update: case Form::index: case Form::seq: case Form::closure: case Form::check:
        for (ValueId arg : b.args) into_result(arg);
        return;
    }
}

namespace {
void collect_free(const Function& f, BlockId block, std::unordered_set<ValueId>& bound, std::vector<ValueId>& free) {
    auto use = [&](ValueId v) {
        if (bound.insert(v).second) free.push_back(v);
    };
    for (ValueId param : f[block].params) bound.insert(param);
    for (BindingId id : f[block].bindings) {
        for (ValueId arg : f[id].args) use(arg);
        for (BlockId nested : f[id].blocks)              // conditions and guards see them
            for (ValueId param : f[nested].params) bound.insert(param);
        for (BlockId nested : blocks_of(f[id])) collect_free(f, nested, bound, free);
        for (ValueId result : f[id].results) bound.insert(result);
    }
    for (ValueId result : f[block].results) use(result);
}
void pattern_symbols(const Pattern& p, std::map<Sym, int>& out) {
    for (Sym s : p.dims) ++out[s];
    for (const Pattern& part : p.parts) pattern_symbols(part, out);
}
void collect_symbols_in(const Module& m, const Function& f, BlockId block, std::map<Sym, int>& out) {
    auto dim = [&](Dim d) {
        if (d.valid())
            for (Sym s : m.dims.symbols_of(d)) ++out[s];
    };
    auto value = [&](ValueId v) {
        std::vector<Sym> all;
        collect_type_symbols(m, f[v].type, all);
        for (Sym s : all) ++out[s];
        dim(f[v].known);
    };
    for (ValueId param : f[block].params) value(param);
    for (BindingId id : f[block].bindings) {
        const Binding& b = f[id];
        dim(b.dim), dim(b.fact.left), dim(b.fact.right);
        for (ValueId result : b.results) value(result);
        for (const Arm& arm : b.arms) pattern_symbols(arm.pattern, out);
        for (BlockId nested : blocks_of(b)) collect_symbols_in(m, f, nested, out);
    }
}
} // namespace

std::vector<ValueId> free_values_of(const Function& f, BlockId block) {
    std::unordered_set<ValueId> bound;
    std::vector<ValueId> free;
    collect_free(f, block, bound, free);
    return free;
}
std::map<Sym, int> symbols_in(const Module& m, const Function& f, BlockId block) {
    std::map<Sym, int> all;
    collect_symbols_in(m, f, block, all);
    return all;
}
} // namespace nereus
