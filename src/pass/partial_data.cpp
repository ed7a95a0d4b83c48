// pass/partial_data.cpp - partial evaluation of structures, sequences, cells and numbers.
#include "pass/literals.h"
#include "pass/partial_evaluator.h"
#include <algorithm>

namespace nereus {
namespace {
size_t place_of(const std::vector<std::string>& names, const std::string& name) {
    return size_t(std::ranges::find(names, name) - names.begin());
}
} // namespace

KnownId PartialEvaluator::part(Frame& f, const Binding& b, KnownId whole, const std::vector<KnownId>& args, BindingList& out) {
    const Known& k = known_[whole];
    KnownId found;
    if (b.form == Form::project && k.kind == Known::Kind::tuple) found = k.parts[b.index];
    if (b.form == Form::field && k.kind == Known::Kind::record) {
        size_t at = place_of(k.names, b.names[0]);
        if (at < k.names.size()) found = k.parts[at];
    }
    return found.valid() ? stated(f, found, f.source[b.results[0]].type, out) : stays(f, b, args, out);
}

KnownId PartialEvaluator::update(Frame& f, const Binding& b, const std::vector<KnownId>& args, BindingList& out) {
    Known about;
    if (const Known& base = known_[args[0]]; base.kind == Known::Kind::record) {
        about.kind = base.kind, about.parts = base.parts, about.names = base.names, about.decl = base.decl;
        for (size_t i = 0; i < b.names.size(); ++i) {
            size_t at = place_of(about.names, b.names[i]);
            if (at == about.names.size()) return stays(f, b, args, out);
            about.parts[at] = args[i + 1];
        }
    }
    return stays(f, b, args, out, std::move(about));
}

KnownId PartialEvaluator::operate(Frame& f, const Binding& b, const std::vector<KnownId>& args, BindingList& out) {
    switch (b.op->builtin) {
    case Builtin::ref: case Builtin::read: case Builtin::write: return cell(f, b, args, out);
    case Builtin::push: case Builtin::set: case Builtin::seq_get: case Builtin::length: return sequence(f, b, args, out);
    case Builtin::none:
        if (std::optional<KnownId> value = computed(f, b, args)) return *value;
        if (b.op->name == "shape_of" && known_[args[0]].shape.valid()) return stated(f, known_[args[0]].shape, f.source[b.results[0]].type, out);
        return stays(f, b, args, out, Known{.shape = shape_of(b, args)});
    case Builtin::print: case Builtin::assert_: case Builtin::equal: case Builtin::stop_gradient: case Builtin::grad:
    case Builtin::leaves: break;
    }
    return stays(f, b, args, out);
}

// The vector that says which shape an operator gives, if one does.
KnownId PartialEvaluator::shape_of(const Binding& b, const std::vector<KnownId>& args) const {
    auto whole = [&](size_t group) { return b.groups.size() > group && b.groups[group] == ArgGroup{1, false}; };
    if (b.op->name == "full" && whole(0)) return args[0];
    if ((b.op->name == "sum_to" || b.op->name == "broadcast_to") && whole(0) && whole(1)) return args[1];
    if (b.op->name == "add" && known_[args[0]].shape == known_[args[1]].shape) return known_[args[0]].shape;
    return {};
}

// Writes stay where they are; those of cells that nobody reads are dropped at the end.
KnownId PartialEvaluator::cell(Frame& f, const Binding& b, const std::vector<KnownId>& args, BindingList& out) {
    if (b.op->builtin == Builtin::ref) {
        Known about{.kind = Known::Kind::cell};
        about.cell = CellId(next_cell_++);
        const CellId made = about.cell;
        KnownId cell = stays(f, b, args, out, std::move(about));
        cells_.put(made, args[0]);
        return cell;
    }
    const CellId cell = known_[args[0]].cell;
    if (b.op->builtin == Builtin::write) {
        write(f, b, args, out);
        if (cell.valid()) cells_.put(cell, args[1]);
        if (!cell.valid() || cells_.is_exposed(cell)) expose(args[1]);
        if (!cell.valid()) cells_.forget_exposed();      // it may be any of them
        return unit();
    }
    if (!cell.valid()) return stays(f, b, args, out);
    KnownId content = cells_.content(cell);
    if (content.valid()) return stated(f, content, f.source[b.results[0]].type, out);
    content = unknown(write(f, b, args, out));
    cells_.put(cell, content);
    return content;
}

KnownId PartialEvaluator::sequence(Frame& f, const Binding& b, const std::vector<KnownId>& args, BindingList& out) {
    const Known::Kind kind = known_[args[0]].kind;
    const std::vector<KnownId> parts = known_[args[0]].parts;
    if (kind != Known::Kind::seq) return stays(f, b, args, out);
    const TypeId type = f.source[b.results[0]].type;
    Known about{.kind = Known::Kind::seq};
    about.parts = parts;
    if (b.op->builtin == Builtin::length) return integer(int64_t(parts.size()), type);
    if (b.op->builtin == Builtin::push) {
        about.parts.push_back(args[1]);
        return stays(f, b, args, out, std::move(about));
    }
    std::optional<int64_t> at = known_.integer(args[1]);
    bool inside = at && *at >= 0 && size_t(*at) < parts.size();
    if (!inside) return stays(f, b, args, out);          // perhaps to fail
    if (b.op->builtin == Builtin::seq_get) return stated(f, parts[size_t(*at)], type, out);
    about.parts[size_t(*at)] = args[2];
    KnownId made = stays(f, b, args, out, std::move(about));
    sure_.insert(out.back());
    return made;
}

// Numbers and truths that decide what runs; tensors are left to fold_constants, which knows how large they are.
std::optional<KnownId> PartialEvaluator::computed(Frame& f, const Binding& b, const std::vector<KnownId>& args) {
    const TypeId id = f.source[b.results[0]].type;
    const Type& type = module_.types[id];
    if (args.empty() || type.kind != TypeKind::tensor || !type.element.dtype || !is_host_number(*type.element.dtype)) return std::nullopt;
    std::vector<HostTensor> values;
    for (KnownId arg : args) {
        const Literal* l = known_.literal(arg);
        const Type& t = module_.types[known_[arg].type];
        if (!l || l->is_tensor || t.kind != TypeKind::tensor || !t.element.dtype) return std::nullopt;
        std::optional<HostTensor> value = tensor_of(*l, *t.element.dtype);
        if (!value) return std::nullopt;
        values.push_back(std::move(*value));
    }
    std::optional<HostTensor> value = run_operator(b, values);
    if (!value || value->rank() > 0 || value->dtype() != *type.element.dtype) return std::nullopt;
    return integer(value->as_i64(0), id);
}
} // namespace nereus
