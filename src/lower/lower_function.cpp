#include "lower/lower_function.h"

namespace nereus {
std::vector<TypeId> LowerFunction::leaf_types(TypeId type) {
    const Type& t = type_of(type);
    if (t.kind != TypeKind::tuple) return {type};
    std::vector<TypeId> all;
    for (TypeId part : t.parts)
        for (TypeId leaf : leaf_types(part)) all.push_back(leaf);
    return all;
}

const std::vector<size_t>& LowerFunction::leaf_offsets(TypeId tuple) {
    std::vector<size_t>& offsets = leaf_offsets_[tuple];
    if (!offsets.empty()) return offsets;
    offsets.push_back(0);
    for (TypeId part : type_of(tuple).parts) offsets.push_back(offsets.back() + leaf_types(part).size());
    return offsets;
}

ValueId LowerFunction::add_leaf(std::string name, TypeId type, Span span, Dim known) {
    ValueId id = to_.add_value(name.empty() ? "t" + std::to_string(next_name_++) : std::move(name), type, span);
    to_[id].known = known;
    return id;
}

Leaves LowerFunction::add_leaves(ValueId from) {
    const ValueInfo& value = from_[from];
    std::vector<TypeId> types = leaf_types(value.type);
    Leaves made;
    for (size_t i = 0; i < types.size(); ++i)
        made.push_back(add_leaf(types.size() == 1 ? value.name : value.name + "_" + std::to_string(i), types[i], value.span,
                                types.size() == 1 ? value.known : Dim{}));
    leaves_[from] = made;
    return made;
}

const Leaves& LowerFunction::leaves(ValueId from) {
    auto it = leaves_.find(from);
    invariant(it != leaves_.end(), "lower: a value is used before it is bound");
    return it->second;
}
Leaves LowerFunction::gather(std::span<const ValueId> from) {
    Leaves all;
    for (ValueId v : from)
        for (ValueId leaf : leaves(v)) all.push_back(leaf);
    return all;
}
ValueId LowerFunction::one(ValueId from) {
    const Leaves& parts = leaves(from);
    invariant(parts.size() == 1, "lower: a tuple where one value is expected");
    return parts[0];
}

Binding& LowerFunction::emit(Binding binding) {
    BindingId id = to_.add_binding(std::move(binding));
    to_[at_].bindings.push_back(id);
    for (ValueId result : to_[id].results) made_by_[result] = id;
    return to_[id];
}
ValueId LowerFunction::emit_number(Binding binding, DType dtype, Span span) {
    ValueId result = add_leaf("", module().types.scalar(dtype), span);
    binding.results = {result};
    binding.span = span;
    emit(std::move(binding));
    return result;
}
ValueId LowerFunction::integer(int64_t value, Span span) {
    Binding b{.form = Form::literal};
    b.literal.kind = Literal::Kind::integer;
    b.literal.integers = {value};
    return emit_number(std::move(b), DType::i64, span);
}

BlockId LowerFunction::nested(const std::function<Leaves()>& write) {
    BlockId made = to_.add_block(), before = std::exchange(at_, {});
    at_ = made;
    Leaves results = write();
    to_[made].results = std::move(results);
    at_ = before;
    return made;
}

// Inside containers every part is one object: tuples become tuple objects.
ValueId LowerFunction::pack(TypeId type, std::span<const ValueId> leaves, Span span) {
    if (type_of(type).kind != TypeKind::tuple) return leaves[0];
    std::vector<TypeId> parts = type_of(type).parts;
    Binding b{.form = Form::tuple, .span = span};
    for (TypeId part : parts) {
        size_t count = leaf_types(part).size();
        b.args.push_back(pack(part, leaves.first(count), span));
        leaves = leaves.subspan(count);
    }
    b.results = {add_leaf("", type, span)};
    return emit(std::move(b)).results[0];
}
Leaves LowerFunction::unpack(TypeId type, ValueId field, Span span) {
    if (type_of(type).kind != TypeKind::tuple) return {field};
    std::vector<TypeId> parts = type_of(type).parts;
    Leaves all;
    for (uint32_t i = 0; i < parts.size(); ++i)
        for (ValueId leaf : read_part(Form::project, field, i, parts[i], span, {})) all.push_back(leaf);
    return all;
}
Leaves LowerFunction::read_part(Form form, ValueId object, uint32_t index, TypeId type, Span span, std::span<const Sym> defines) {
    Binding b{.form = form, .args = {object}, .index = index, .defines = {defines.begin(), defines.end()}, .span = span};
    b.results = {add_leaf("", type, span)};
    return unpack(type, emit(std::move(b)).results[0], span);
}

Result<Function> LowerFunction::run() {
    for (const Binding& b : from_.bindings)
        for (ValueId result : b.results) definition_[result] = &b;
    to_.name = from_.name;
    to_.symbols = from_.symbols;
    to_.result_dims = from_.result_dims;
    to_.result = from_.result;
    to_.where = from_.where;
    to_.span = from_.span;
    for (ValueId param : from_.params)
        for (ValueId leaf : add_leaves(param)) to_.params.push_back(leaf);
    to_.body = to_.add_block();
    TRY(block(from_.body, to_.body, std::array{from_.result}));
    drop_unused(to_);
    return std::move(to_);
}

bool LowerFunction::is_unreachable(const Binding& b) {
    return (b.form == Form::match && b.arms.empty()) || (b.form == Form::apply && b.targets.empty());
}

Status LowerFunction::block(BlockId from, BlockId to, std::span<const TypeId> expected) {
    const Block& source = from_[from];
    to_[to].symbols = source.symbols;
    to_[to].dims = source.dims;
    to_[to].span = source.span;
    BlockId before = std::exchange(at_, to);
    for (BindingId id : source.bindings) {
        if (is_unreachable(from_[id])) {                 // a match without arms stands for all that is left
            Binding made{.form = Form::match, .span = from_[id].span};
            for (TypeId type : expected)
                for (TypeId leaf : leaf_types(type)) made.results.push_back(add_leaf("", leaf, made.span));
            to_[to].results = made.results;
            for (Dim& d : to_[to].dims) d = module().dims.constant(0);
            emit(std::move(made));
            at_ = before;
            return {};
        }
        TRY(binding(from_[id]));
    }
    Leaves results = gather(source.results);
    to_[to].results = std::move(results);
    at_ = before;
    return {};
}

// check(%x, %y; axes): first that %x is what its new type says, then that its last axes are those of %y.
void LowerFunction::check_like(const Binding& b) {
    Binding narrowed{.form = Form::check, .args = {one(b.args[0])}, .defines = b.defines, .span = b.span};
    narrowed.results = add_leaves(b.results[0]);
    const Attribute* who = find_attribute(b, "who");
    narrowed.attributes.push_back({"who", who ? std::get<std::string>(who->value) : "%" + from_[b.results[0]].name});
    emit(std::move(narrowed));
    Binding tails{.form = Form::op, .op = &low_op(LowOp::same_tails), .args = {one(b.results[0]), one(b.args[1])}, .groups = {{2, true}}};
    tails.attributes.push_back({"axes", find_attribute(b, "axes")->value});
    ValueId same = emit_number(std::move(tails), DType::i64, b.span);
    Dims& dims = module().dims;
    to_[same].known = dims.of(dims.new_symbol("same", SymKind::host));
    Binding holds{.form = Form::check, .fact = {to_[same].known, Relation::equal, dims.constant(1), b.span}, .span = b.span};
    holds.attributes = {{"what", find_attribute(b, "what")->value}, {"whole", true}};
    emit(std::move(holds));
}

Status LowerFunction::binding(const Binding& b) {
    auto same = [&](Form form) -> Binding& {             // the form stays, its values are taken apart
        Binding copy = b;
        copy.form = form;
        copy.args = gather(b.args);
        copy.blocks.clear();
        copy.results.clear();
        for (ValueId result : b.results)
            for (ValueId leaf : add_leaves(result)) copy.results.push_back(leaf);
        return emit(std::move(copy));
    };
    switch (b.form) {
    case Form::op: return op(b);
    case Form::literal:
        if (b.literal.kind == Literal::Kind::unit || b.literal.kind == Literal::Kind::text) {
            leaves_[b.results[0]] = {};
            return {};
        }
        same(Form::literal);
        return {};
    case Form::check:
        if (b.args.size() == 2) return check_like(b), Status();
        if (Binding& made = same(b.form); !b.args.empty() && !find_attribute(b, "who")) {         // blamed by the name of the whole
            bool whole = type_of(from_[b.results[0]].type).kind == TypeKind::tensor;
            made.attributes.push_back({"who", (whole ? "%" : "an element of %") + from_[b.results[0]].name});
        }
        return {};
    case Form::dim: case Form::call: same(b.form); return {};
    case Form::tuple: leaves_[b.results[0]] = gather(b.args); return {};
    case Form::project: {
        const Leaves& all = leaves(b.args[0]);
        const std::vector<size_t>& offsets = leaf_offsets(from_[b.args[0]].type);
        Leaves part(all.begin() + int64_t(offsets[b.index]), all.begin() + int64_t(offsets[b.index + 1]));
        leaves_[b.results[0]] = part;                    // made first: `all` lies in the same table
        if (const Dim known = from_[b.results[0]].known; part.size() == 1 && known.valid() && !to_[part[0]].known.valid() && b.defines.empty())
            to_[part[0]].known = known;                  // of a tuple nobody says it
        if (b.defines.empty() || part.size() != 1) return {};
        // a number that is a size from here on: under its own name, which defines the size
        Binding named{.form = Form::check, .args = part, .defines = b.defines, .span = b.span};
        named.results = add_leaves(b.results[0]);
        named.attributes.push_back({"who", "%" + from_[b.results[0]].name});
        emit(std::move(named));
        return {};
    }
    case Form::construct: case Form::record: case Form::seq: case Form::closure: {
        Binding made = b;
        made.form = b.form == Form::record ? Form::construct : b.form;
        made.args.clear();
        for (ValueId arg : b.args) made.args.push_back(pack(from_[arg].type, leaves(arg), b.span));
        made.results = add_leaves(b.results[0]);
        emit(std::move(made));
        return {};
    }
    case Form::field: {
        const std::vector<std::string>& names = decl(type_of(from_[b.args[0]].type).decl).constructors[0].field_names;
        uint32_t index = 0;
        while (index < names.size() && names[index] != b.names[0]) ++index;
        Leaves read = read_part(Form::field, one(b.args[0]), index, from_[b.results[0]].type, b.span, b.defines);
        if (read.size() == 1) to_[read[0]].known = from_[b.results[0]].known;        // a number may be a size
        leaves_[b.results[0]] = std::move(read);
        return {};
    }
    case Form::update: {
        ValueId base = one(b.args[0]);
        TypeId type = from_[b.args[0]].type;
        std::vector<std::string> names = decl(type_of(type).decl).constructors[0].field_names;
        std::vector<TypeId> types = instantiate_fields(module(), from_[b.results[0]].type, 0);
        Binding made{.form = Form::construct, .decl = type_of(type).decl, .span = b.span};
        for (uint32_t i = 0; i < names.size(); ++i) {
            size_t given = 0;
            while (given < b.names.size() && b.names[given] != names[i]) ++given;
            if (given < b.names.size()) {
                made.args.push_back(pack(types[i], leaves(b.args[given + 1]), b.span));
            } else {                                     // as it lies there: no need to take it apart
                Binding read{.form = Form::field, .args = {base}, .index = i, .span = b.span};
                read.results = {add_leaf("", types[i], b.span)};
                made.args.push_back(emit(std::move(read)).results[0]);
            }
        }
        made.results = add_leaves(b.results[0]);
        emit(std::move(made));
        return {};
    }
    case Form::if_: return branch(b);
    case Form::match: return match(b);
    case Form::for_: case Form::while_: return loop_form(b);
    case Form::apply: return apply(b);
    case Form::function: case Form::index: case Form::lambda: break;
    }
    return Error{Code::internal, "lower: the shapes stage leaves no such form", b.span};
}

Status LowerFunction::branch(const Binding& b) {
    Binding made = b;
    made.args = gather(b.args);
    made.blocks.clear();
    for (BlockId arm : b.blocks) {
        BlockId to = to_.add_block();
        TRY(block(arm, to, std::array{from_[b.results[0]].type}));
        made.blocks.push_back(to);
    }
    made.results = add_leaves(b.results[0]);
    emit(std::move(made));
    return {};
}

Status LowerFunction::loop_form(const Binding& b) {
    Binding made = b;
    made.args = gather(b.args);
    made.blocks.clear();
    BlockId body_from = b.blocks.back(), body = {};
    for (size_t i = 0; i < b.blocks.size(); ++i) made.blocks.push_back(to_.add_block());
    body = made.blocks.back();
    for (ValueId param : from_[body_from].params)        // before the condition of a while, which sees them too
        for (ValueId leaf : add_leaves(param)) to_[body].params.push_back(leaf);
    std::vector<TypeId> states, condition{module().types.scalar(DType::boolean)};
    const std::vector<ValueId>& params = from_[body_from].params;
    for (size_t i = b.form == Form::for_ ? 1 : 0; i < params.size(); ++i) states.push_back(from_[params[i]].type);
    for (size_t i = states.size(); i < from_[body_from].results.size(); ++i) states.push_back(from_[from_[body_from].results[i]].type);
    for (size_t i = 0; i < b.blocks.size(); ++i)
        TRY(block(b.blocks[i], made.blocks[i], i + 1 < b.blocks.size() ? condition : states));
    made.results = add_leaves(b.results[0]);
    emit(std::move(made));
    return {};
}
} // namespace nereus
