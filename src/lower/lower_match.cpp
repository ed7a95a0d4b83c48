// `match` and closure calls become switches: first a number says which arm runs, then that arm reads what it binds.
#include "lower/lower_function.h"
#include "ops/registry.h"

namespace nereus {
bool LowerFunction::always_matches(const Pattern& pattern) const {
    switch (pattern.kind) {
    case Pattern::Kind::variable: case Pattern::Kind::wildcard: return true;
    case Pattern::Kind::literal: return false;
    case Pattern::Kind::constructor:
        if (decl(pattern.decl).constructors.size() != 1) return false;
        break;
    case Pattern::Kind::tuple: case Pattern::Kind::record: break;
    }
    for (const Pattern& part : pattern.parts)
        if (!always_matches(part)) return false;
    return true;
}

namespace {
uint32_t field_index(const Constructor& record, const std::string& name) {
    uint32_t index = 0;
    while (index < record.field_names.size() && record.field_names[index] != name) ++index;
    return index;
}
} // namespace

// A number that is 1 if the subject matches. Parts are read only behind the test that makes them exist.
ValueId LowerFunction::pattern_holds(const Pattern& pattern, const Leaves& subject, TypeId type, Span span) {
    auto number = [&](int64_t value) {
        Binding b{.form = Form::literal};
        b.literal.kind = Literal::Kind::boolean;
        b.literal.integers = {value};
        return emit_number(std::move(b), DType::boolean, span);
    };
    auto compare = [&](ValueId a, ValueId b) {
        return emit_number(Binding{.form = Form::op, .op = all_ops().find("eq"), .args = {a, b}, .groups = {{}, {}}}, DType::boolean, span);
    };
    auto both = [&](ValueId first, const std::function<ValueId()>& second) {
        Binding b{.form = Form::if_, .args = {first}};
        b.blocks = {nested([&] { return Leaves{second()}; }), nested([&] { return Leaves{number(0)}; })};
        return emit_number(std::move(b), DType::boolean, span);
    };
    // tests parts from `i` on, each behind the one before
    std::function<ValueId(size_t, const std::function<Leaves(size_t)>&, const std::vector<TypeId>&)> parts =
        [&](size_t i, const std::function<Leaves(size_t)>& read, const std::vector<TypeId>& types) -> ValueId {
        while (i < pattern.parts.size() && always_matches(pattern.parts[i])) ++i;
        if (i == pattern.parts.size()) return number(1);
        ValueId first = pattern_holds(pattern.parts[i], read(i), types[i], span);
        size_t rest = i + 1;
        while (rest < pattern.parts.size() && always_matches(pattern.parts[rest])) ++rest;
        return rest == pattern.parts.size() ? first : both(first, [&] { return parts(rest, read, types); });
    };
    switch (pattern.kind) {
    case Pattern::Kind::variable: case Pattern::Kind::wildcard: return number(1);
    case Pattern::Kind::literal: {
        Binding b{.form = Form::literal};
        b.literal = pattern.literal;
        const DType dtype = *type_of(type).element.dtype;
        ValueId written = emit_number(std::move(b), dtype, span);
        if (is_host_number(dtype)) return compare(subject[0], written);
        // no number of the host: a kernel compares
        ValueId same = add_leaf("", module().types.scalar(DType::boolean), span);
        Status made = op_of_leaves(Binding{.form = Form::op, .op = all_ops().find("eq"), .args = {subject[0], written}, .groups = {{}, {}},
                                           .results = {same}, .span = span});
        invariant(bool(made), "lower: a comparison with a literal");
        return same;
    }
    case Pattern::Kind::tuple: {
        std::vector<TypeId> types = type_of(type).parts;
        auto read = [&](size_t i) {
            size_t begin = 0;
            for (size_t j = 0; j < i; ++j) begin += leaf_types(types[j]).size();
            return Leaves(subject.begin() + int64_t(begin), subject.begin() + int64_t(begin + leaf_types(types[i]).size()));
        };
        return parts(0, read, types);
    }
    case Pattern::Kind::record: case Pattern::Kind::constructor: {
        uint32_t which = pattern.kind == Pattern::Kind::record ? 0 : pattern.constructor;
        std::vector<TypeId> all = instantiate_fields(module(), type, which), types = all;
        const Constructor constructor = decl(type_of(type).decl).constructors[which];
        auto place = [&](size_t i) {
            return pattern.kind == Pattern::Kind::record ? field_index(constructor, pattern.fields[i]) : uint32_t(i);
        };
        types.clear();
        for (size_t i = 0; i < pattern.parts.size(); ++i) types.push_back(all[place(i)]);
        auto read = [&](size_t i) { return read_part(Form::field, subject[0], place(i), types[i], span, {}); };
        if (decl(type_of(type).decl).constructors.size() == 1) return parts(0, read, types);
        ValueId tag = emit_number(Binding{.form = Form::op, .op = &low_op(LowOp::tag), .args = {subject[0]}, .groups = {{}}}, DType::i64, span);
        ValueId right = compare(tag, integer(which, span));
        for (const Pattern& part : pattern.parts)
            if (!always_matches(part)) return both(right, [&] { return parts(0, read, types); });
        return right;
    }
    }
    return number(0);
}

// Binds the variables of a pattern that holds. `read`: the subject was read for this pattern alone, nobody else knows it.
void LowerFunction::bind_pattern(const Pattern& pattern, const Leaves& subject, TypeId type, Span span, bool read) {
    switch (pattern.kind) {
    case Pattern::Kind::variable: {
        // under its own name and type: the arm knows more about its dims than the field's declaration
        TypeId as = from_[pattern.variable].type;
        std::vector<TypeId> types = leaf_types(as);
        const Dim known = subject.size() == 1 ? from_[pattern.variable].known : Dim();
        bool same = !known.valid() || known == to_[subject[0]].known;
        for (size_t i = 0; i < subject.size(); ++i) same = same && to_[subject[i]].type == types[i];
        if (!read && !same) {
            Binding named{.form = Form::check, .args = subject, .span = span};
            if (std::optional<Sym> symbol = known.valid() ? module().dims.as_symbol(known) : std::nullopt) named.defines = {*symbol};
            named.results = add_leaves(pattern.variable);
            named.attributes.push_back({"who", "%" + from_[pattern.variable].name});
            emit(std::move(named));
            return;
        }
        for (size_t i = 0; i < subject.size() && read; ++i) {
            to_[subject[i]].type = types[i];
            if (subject.size() == 1) to_[subject[i]].known = known;
        }
        leaves_[pattern.variable] = subject;
        return;
    }
    case Pattern::Kind::wildcard: case Pattern::Kind::literal: return;
    case Pattern::Kind::tuple: {
        std::vector<TypeId> types = type_of(type).parts;
        size_t begin = 0;
        for (size_t i = 0; i < pattern.parts.size(); ++i) {
            size_t count = leaf_types(types[i]).size();
            bind_pattern(pattern.parts[i], Leaves(subject.begin() + int64_t(begin), subject.begin() + int64_t(begin + count)), types[i], span, read);
            begin += count;
        }
        return;
    }
    case Pattern::Kind::record: case Pattern::Kind::constructor: {
        uint32_t which = pattern.kind == Pattern::Kind::record ? 0 : pattern.constructor;
        std::vector<TypeId> types = instantiate_fields(module(), type, which);
        const Constructor constructor = decl(type_of(type).decl).constructors[which];
        for (uint32_t d = 0; d < pattern.dims.size(); ++d) {
            Binding b{.form = Form::op, .op = &low_op(LowOp::bound_dim), .args = {subject[0]}, .groups = {{}}, .index = d};
            b.defines = {pattern.dims[d]};
            ValueId number = emit_number(std::move(b), DType::i64, span);
            to_[number].known = module().dims.of(pattern.dims[d]);
        }
        for (size_t i = 0; i < pattern.parts.size(); ++i) {
            if (pattern.parts[i].kind == Pattern::Kind::wildcard) continue;
            uint32_t at = pattern.kind == Pattern::Kind::record ? field_index(constructor, pattern.fields[i]) : uint32_t(i);
            bind_pattern(pattern.parts[i], read_part(Form::field, subject[0], at, types[at], span, {}), types[at], span, true);
        }
        return;
    }
    }
}

// One arm is no choice: its bindings stand in line. Not where the sizes of its result have names of their own behind it.
bool LowerFunction::is_in_line(const Binding& b) const {
    return b.arms.size() == 1 && b.defines.empty() && from_[b.results[0]].type == from_[from_[b.blocks[0]].results[0]].type;
}
Status LowerFunction::in_line(const Binding& b) {
    BlockId arm = to_.add_block();
    TRY(block(b.blocks[0], arm, std::array{from_[b.results[0]].type}));
    const Block written = std::exchange(to_[arm], {});   // a binding stands in one block
    to_[at_].bindings.insert(to_[at_].bindings.end(), written.bindings.begin(), written.bindings.end());
    leaves_[b.results[0]] = written.results;
    return {};
}

Status LowerFunction::match(const Binding& b) {
    const Leaves subject = leaves(b.args[0]);
    TypeId type = from_[b.args[0]].type;
    if (is_in_line(b)) {
        bind_pattern(b.arms[0].pattern, subject, type, b.span, false);
        return in_line(b);
    }
    // which arm: the tests one behind the other, the last arm when nothing else holds
    std::function<Result<ValueId>(size_t)> choose = [&](size_t i) -> Result<ValueId> {
        const Arm& arm = b.arms[i];
        if (i + 1 == b.arms.size() || (!arm.guard.valid() && always_matches(arm.pattern))) return integer(int64_t(i), b.span);
        ValueId holds = pattern_holds(arm.pattern, subject, type, b.span);
        if (arm.guard.valid()) {
            Binding both{.form = Form::if_, .args = {holds}};
            Status status;
            both.blocks = {nested([&] {
                               bind_pattern(arm.pattern, subject, type, b.span, false);
                               BlockId inner = to_.add_block();
                               status = block(arm.guard, inner, std::array{module().types.scalar(DType::boolean)});
                               std::vector<BindingId> bindings = to_[inner].bindings;       // spliced: same scope
                               to_[at_].bindings.insert(to_[at_].bindings.end(), bindings.begin(), bindings.end());
                               return to_[inner].results;
                           }),
                           nested([&] {
                               Binding no{.form = Form::literal};
                               no.literal.kind = Literal::Kind::boolean;
                               no.literal.integers = {0};
                               return Leaves{emit_number(std::move(no), DType::boolean, b.span)};
                           })};
            TRY(std::move(status));
            holds = emit_number(std::move(both), DType::boolean, b.span);
        }
        Binding pick{.form = Form::if_, .args = {holds}};
        Status status;
        pick.blocks = {nested([&] { return Leaves{integer(int64_t(i), b.span)}; }), nested([&] {
                           Result<ValueId> rest = choose(i + 1);
                           if (!rest) { status = std::move(rest).error(); return Leaves{}; }
                           return Leaves{*rest};
                       })};
        TRY(std::move(status));
        return emit_number(std::move(pick), DType::i64, b.span);
    };
    ValueId which = TRY(choose(0));
    Binding made{.form = Form::match, .args = {which}, .defines = b.defines, .span = b.span};
    for (size_t i = 0; i < b.arms.size(); ++i) {
        BlockId to = to_.add_block(), before = std::exchange(at_, to);
        bind_pattern(b.arms[i].pattern, subject, type, b.span, false);
        at_ = before;
        TRY(block(b.blocks[i], to, std::array{from_[b.results[0]].type}));
        made.blocks.push_back(to);
    }
    made.results = add_leaves(b.results[0]);
    emit(std::move(made));
    return {};
}

// Results of different ranks meet behind the arms: a call itself gives what its callee gives.
bool LowerFunction::met_behind_the_call(TypeId joined, TypeId own) {
    return type_of(joined).kind == TypeKind::tensor && !type_of(joined).shape.ranked && type_of(own).shape.ranked;
}

// Of the type of a result of `callee`, what it is where `target` is called and `chosen` are the sizes that it chooses.
TypeId LowerFunction::result_here(const Function& callee, TypeId own, const ApplyTarget& target, std::span<const Sym> chosen) {
    Dims& dims = module().dims;
    std::vector<Sym> symbols = callee.symbols;
    std::vector<Dim> here = target.dims;
    for (size_t i = 0; i < callee.result_dims.size(); ++i)
        if (std::optional<Sym> s = dims.as_symbol(callee.result_dims[i])) {
            symbols.push_back(*s);
            here.push_back(dims.of(chosen[i]));
        }
    for (Dim d : type_of(own).shape.dims)
        for (Sym s : dims.symbols_of(d))
            invariant(std::find(symbols.begin(), symbols.end(), s) != symbols.end(), "lower: a function does not hand a size of its result out");
    return substitute_symbols(module(), own, symbols, here);
}

// What the closure holds, as the instance of its lambda takes it: with the sizes that were opened, not under the names of
// the instance.
void LowerFunction::read_captured(Binding& call, const ApplyTarget& target, ValueId closure, size_t captured) {
    const Function& callee = source_[target.function];
    for (uint32_t i = 0; i < captured; ++i) {
        TypeId type = substitute_symbols(module(), callee[callee.params[i]].type, callee.symbols, target.dims);
        for (ValueId leaf : read_part(Form::field, closure, i, type, call.span, {})) call.args.push_back(leaf);
    }
}

// A closure that can only be of one lambda: a call of its instance. No: its results meet others of unknown rank.
bool LowerFunction::calls_target(const Binding& b, ValueId closure, const Leaves& arguments) {
    const ApplyTarget& target = b.targets[0];
    const Function& callee = source_[target.function];
    const std::vector<TypeId> joined = leaf_types(from_[b.results[0]].type), own = leaf_types(callee.result);
    for (size_t i = 0; i < joined.size(); ++i)
        if (met_behind_the_call(joined[i], own[i])) return false;
    Binding call{.form = Form::call, .function = target.function, .dims = target.dims, .defines = b.defines, .span = b.span};
    read_captured(call, target, closure, callee.params.size() - (b.args.size() - 1));
    call.args.insert(call.args.end(), arguments.begin(), arguments.end());
    call.results = add_leaves(b.results[0]);
    emit(std::move(call));
    return true;
}

Status LowerFunction::apply(const Binding& b) {
    ValueId closure = one(b.args[0]);
    Leaves arguments = gather(std::span(b.args).subspan(1));
    if (b.targets.size() == 1 && calls_target(b, closure, arguments)) return {};
    ValueId tag = emit_number(Binding{.form = Form::op, .op = &low_op(LowOp::tag), .args = {closure}, .groups = {{}}}, DType::i64, b.span);
    // tags are numbers of lambdas, arms are counted from 0
    std::function<ValueId(size_t)> choose = [&](size_t i) -> ValueId {
        if (i + 1 == b.targets.size()) return integer(int64_t(i), b.span);
        ValueId same = emit_number(Binding{.form = Form::op, .op = all_ops().find("eq"), .args = {tag, integer(b.targets[i].lambda, b.span)},
                                           .groups = {{}, {}}}, DType::boolean, b.span);
        Binding pick{.form = Form::if_, .args = {same}};
        pick.blocks = {nested([&] { return Leaves{integer(int64_t(i), b.span)}; }), nested([&] { return Leaves{choose(i + 1)}; })};
        return emit_number(std::move(pick), DType::i64, b.span);
    };
    ValueId which = choose(0);
    Binding made{.form = Form::match, .args = {which}, .defines = b.defines, .span = b.span};
    for (const ApplyTarget& target : b.targets) {
        const Function& callee = source_[target.function];
        size_t captured = callee.params.size() - (b.args.size() - 1);
        // With one target the callee's sizes are the binding's; with several each has its own, which decide them.
        std::vector<Sym> chosen = target.chosen;
        std::vector<Dim> handed = target.results;
        if (b.targets.size() == 1)
            for (size_t i = 0; i < b.defines.size(); ++i) {
                chosen.push_back(module().dims.new_symbol("k", SymKind::join));
                handed.push_back(module().dims.of(chosen.back()));
            }
        BlockId arm = nested([&] {
            Binding call{.form = Form::call, .function = target.function, .dims = target.dims, .defines = chosen, .span = b.span};
            read_captured(call, target, closure, captured);
            call.args.insert(call.args.end(), arguments.begin(), arguments.end());
            TypeId result = substitute_symbols(module(), from_[b.results[0]].type, b.defines, handed);
            const std::vector<TypeId> joined = leaf_types(result), own = leaf_types(callee.result);
            for (size_t i = 0; i < joined.size(); ++i)
                call.results.push_back(add_leaf("", met_behind_the_call(joined[i], own[i]) ? result_here(callee, own[i], target, chosen) : joined[i], b.span));
            return emit(std::move(call)).results;
        });
        to_[arm].symbols = target.opened;
        to_[arm].dims = handed;
        made.blocks.push_back(arm);
    }
    made.results = add_leaves(b.results[0]);
    emit(std::move(made));
    return {};
}
} // namespace nereus
