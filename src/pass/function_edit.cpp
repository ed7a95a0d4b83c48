#include "pass/function_edit.h"
#include <algorithm>

namespace nereus {
FunctionEdit::FunctionEdit(Module& module, Function& function) : module_(module), function_(function) {
    for (const ValueInfo& value : function.values) names_.emplace(value.name, 1);
    definition_.resize(function.values.size());
    for (size_t i = 0; i < function.bindings.size(); ++i) defined(BindingId(i));
}

ValueId FunctionEdit::add_value(std::string_view name, TypeId type, Span span, Dim known) {
    std::string base(name), made = base;
    auto [it, free] = names_.emplace(base, 1);
    while (!free) {
        made = base + "_" + std::to_string(it->second++);
        free = names_.emplace(made, 1).second;
        it = names_.find(base);
    }
    ValueId id = function_.add_value(std::move(made), type, span);
    function_[id].known = known;
    definition_.resize(function_.values.size());
    return id;
}

ValueId FunctionEdit::add(Binding binding, TypeId type, std::string_view name, BindingList& out) {
    ValueId result = add_value(name, type, binding.span);
    binding.results = {result};
    BindingId id = function_.add_binding(std::move(binding));
    defined(id);
    out.push_back(id);
    return result;
}

ValueId FunctionEdit::now(ValueId value) const {
    for (auto it = by_.find(value); it != by_.end(); it = by_.find(value)) value = it->second;
    return value;
}

ValueId FunctionEdit::use(ValueId value, BindingList& out) {
    ValueId found = now(value);
    const Binding* made_by = found == value ? nullptr : definition(found);
    if (!made_by || !is_immediate(*made_by)) return found;
    Binding again = *made_by;
    const ValueInfo info = function_[found];
    ValueId made = add(std::move(again), info.type, info.name, out);
    function_[made].known = info.known;
    return made;
}
void FunctionEdit::use_all(std::vector<ValueId>& values, BindingList& out) {
    for (ValueId& value : values) value = use(value, out);
}

BindingId FunctionEdit::definition_id(ValueId value) const {
    return value.index < definition_.size() ? definition_[value.index] : BindingId();
}
const Binding* FunctionEdit::definition(ValueId value) const {
    BindingId id = definition_id(value);
    return id.valid() ? &function_[id] : nullptr;
}
void FunctionEdit::defined(BindingId binding) {
    for (ValueId result : function_[binding].results) definition_[result.index] = binding;
}

ValueId BlockCopy::fresh(ValueId from) {
    const ValueInfo info = from_[from];
    ValueId made = to_.add_value(info.name, symbols.of(info.type), info.span, symbols.of(info.known));
    values_[from] = made;
    return made;
}

ValueId BlockCopy::value(ValueId from, BindingList& out) {
    auto it = values_.find(from);
    if (it == values_.end()) return from;
    ValueId found = to_.now(it->second);
    const Binding* made_by = to_.definition(found);
    if (!made_by || !is_immediate(*made_by) || (found == it->second && made(found))) return found;
    Binding again = *made_by;                            // a constant from outside: it is used there already
    const ValueInfo info = to_.function()[found];
    ValueId copy = to_.add(std::move(again), info.type, info.name, out);
    to_.function()[copy].known = info.known;
    return copy;
}

void BlockCopy::bindings(BlockId from, BindingList& out) {
    const std::vector<BindingId> all = from_[from].bindings;
    for (BindingId id : all) {
        const Binding source = from_[id];
        if (instead && instead(source, out)) continue;
        BindingId made = binding(source, out);
        out.push_back(made);
    }
}

// In two steps: the condition of a while and the guard of an arm see what the block after them has as parameters.
Block BlockCopy::opened(BlockId from) {
    const Block source = from_[from];
    Block made;
    made.span = source.span;
    for (Sym s : source.symbols) made.symbols.push_back(symbols.renamed(s));
    for (ValueId param : source.params) made.params.push_back(fresh(param));
    return made;
}
BlockId BlockCopy::closed(BlockId from, Block made) {
    const Block source = from_[from];
    bindings(from, made.bindings);
    for (ValueId result : source.results) made.results.push_back(value(result, made.bindings));
    for (Dim d : source.dims) made.dims.push_back(symbols.of(d));
    BlockId id = to_.function().add_block();
    to_.function()[id] = std::move(made);
    return id;
}
BlockId BlockCopy::block(BlockId from) { return closed(from, opened(from)); }

void BlockCopy::pattern(Pattern& p) {
    if (p.kind == Pattern::Kind::variable) p.variable = values_.at(p.variable);
    for (Sym& s : p.dims)
        if (std::optional<Sym> renamed = to_.module().dims.as_symbol(symbols.of(to_.module().dims.of(s)))) s = *renamed;
    for (Pattern& part : p.parts) pattern(part);
}

BindingId BlockCopy::binding(const Binding& from, BindingList& out) {
    Binding made = from;
    for (ValueId& arg : made.args) arg = value(arg, out);
    for (Sym& s : made.defines) s = symbols.renamed(s);
    for (ApplyTarget& target : made.targets) {
        for (Sym& s : target.opened) s = symbols.renamed(s);
        for (Sym& s : target.chosen) s = symbols.renamed(s);
    }
    symbols.in_place(made);
    made.blocks.clear();
    if (from.form == Form::for_) {
        Dim counter = from_[from_[from.blocks[0]].params[0]].known;
        if (std::optional<Sym> s = counter.valid() ? to_.module().dims.as_symbol(counter) : std::nullopt) symbols.renamed(*s);
    }
    if (from.form == Form::while_) {
        Block body = opened(from.blocks[1]);
        made.blocks.push_back(block(from.blocks[0]));
        made.blocks.push_back(closed(from.blocks[1], std::move(body)));
    } else {
        for (size_t i = 0; i < from.blocks.size(); ++i) {
            Block arm = opened(from.blocks[i]);
            if (i < from.arms.size()) {
                pattern(made.arms[i].pattern);
                if (from.arms[i].guard.valid()) made.arms[i].guard = block(from.arms[i].guard);
            }
            made.blocks.push_back(closed(from.blocks[i], std::move(arm)));
        }
    }
    for (ValueId& result : made.results) result = fresh(result);
    BindingId id = to_.function().add_binding(std::move(made));
    to_.defined(id);
    return id;
}

std::vector<BlockId> blocks_of(const Binding& b) {
    std::vector<BlockId> all;
    for (size_t i = 0; i < b.blocks.size(); ++i) {
        if (i < b.arms.size() && b.arms[i].guard.valid()) all.push_back(b.arms[i].guard);
        all.push_back(b.blocks[i]);
    }
    return all;
}

BlockSize size_of_block(const Function& f, BlockId block) {
    BlockSize size{0, 1};
    for (BindingId id : f[block].bindings) {
        size.bindings += !is_immediate(f[id]);
        for (BlockId nested : blocks_of(f[id])) {
            BlockSize inner = size_of_block(f, nested);
            size.bindings += inner.bindings;
            size.depth = std::max(size.depth, inner.depth + 1);
        }
    }
    return size;
}

bool always_ends(const Function& f, BlockId block) {
    for (BindingId id : f[block].bindings) {
        const Binding& b = f[id];
        if ((b.form == Form::match && b.arms.empty()) || (b.form == Form::apply && b.targets.empty())) return false;
        for (BlockId nested : blocks_of(b))
            if (!always_ends(f, nested)) return false;
    }
    return true;
}

void drop_functions(Module& module, const std::vector<bool>& keep) {
    std::vector<FunctionId> new_id(module.functions.size());
    std::vector<Function> kept;
    for (size_t i = 0; i < module.functions.size(); ++i) {
        if (!keep[i]) continue;
        new_id[i] = FunctionId(kept.size());
        kept.push_back(std::move(module.functions[i]));
    }
    module.functions = std::move(kept);
    auto renumber = [&](FunctionId& id) {
        if (id.valid()) id = new_id[id.index];
    };
    for (Function& f : module.functions) {
        renumber(f.vjp_forward), renumber(f.vjp_backward);
        for (Binding& b : f.bindings) {
            renumber(b.function);
            for (ApplyTarget& target : b.targets) renumber(target.function);
        }
    }
}
} // namespace nereus
