#include "infer/types_context.h"
#include "infer/types_text.h"
#include "ir/op.h"
#include <algorithm>

namespace nereus {
TypeContext::TypeContext(const Module& m) : module(m), schemes(m.functions.size()) {
    for (size_t i = 0; i < m.decls.size(); ++i)
        if (m.decls[i].is_record)
            for (const std::string& field : m.decls[i].constructors[0].field_names) records[field].push_back(DeclId(i));
}

bool is_list(const Module& module, DeclId decl) {
    return decl.valid() && module[decl].from_prelude && module[decl].name == "List";
}

std::string TypeContext::text(TermId id) const { return text_of(module, terms, id); }

namespace {
bool is_dtype_sort(TermKind kind) { return kind == TermKind::dtype || kind == TermKind::dtype_unknown; }
bool is_class(const TypeTerm& t, DTypeClass of) {
    if (t.kind == TermKind::dtype) return of == DTypeClass::integer ? is_integer(t.dtype) : is_float(t.dtype);
    return t.kind == TermKind::dtype_unknown && t.of == of;
}

// A number of any dtype, or nothing known at all: no text that could be pasted.
bool is_open(const Terms& terms, TermId id) {
    return terms.is_unknown(id) || (terms[id].kind == TermKind::tensor && terms.is_unknown(terms.part(id, 0)));
}

// How to convert, where a conversion could be meant.
std::string cast_hint(const Module& module, const Terms& terms, const Clash& clash, const Blame& blame) {
    const TypeTerm& expected = terms[clash.expected];
    const TypeTerm& found = terms[clash.found];
    if (is_list(module, expected.decl) && found.kind == TermKind::seq) return "a List of the elements of a Seq is `to_list(s)`";
    if (expected.kind == TermKind::seq && is_list(module, found.decl)) return "a Seq of the elements of a List is `to_seq(xs)`";
    if (!is_dtype_sort(expected.kind) || !is_dtype_sort(found.kind)) return {};
    if (expected.kind == TermKind::dtype && expected.dtype == DType::boolean) return "compare it: `%x != 0` is a bool";
    if (found.kind == TermKind::dtype && is_text(found.dtype) && expected.kind == TermKind::dtype_unknown)
        return "texts are joined by `str_concat`, compared by == and !=, and read as numbers by `cast`";
    bool float_into_integer = is_class(expected, DTypeClass::integer) && is_class(found, DTypeClass::real);
    if (blame.literal && float_into_integer && blame.what.empty()) return "write an integer";
    if (blame.literal && float_into_integer)
        return "a number with a point never becomes an integer: cast the other operand, cast(…, f32)";
    std::string_view target = expected.kind == TermKind::dtype            ? dtype_name(expected.dtype)
                              : is_class(expected, DTypeClass::real)      ? "f32"
                              : is_class(found, DTypeClass::real)         ? "i64"
                                                                          : "f32";
    if (is_class(expected, DTypeClass::integer) && expected.kind != TermKind::dtype) target = "i64";
    bool named = !blame.value.empty() && !blame.literal && !is_temporary(blame.value);
    std::string name = named ? "%" + std::string(blame.value) : "…";
    return "nothing is converted silently: write cast(" + name + ", " + std::string(target) + ")";
}
} // namespace

Error TypeContext::error(const Blame& blame, std::string what, std::string hint) const {
    std::string message(blame.what);
    if (blame.position) message += " " + std::to_string(blame.position);
    if (blame.sigil == "%" && is_temporary(blame.owner)) {           // a name that the user did not give
        message += message.empty() ? "the function" : " of the function";
    } else if (!blame.owner.empty()) {
        message += message.empty() ? "`" : " of `";
        message += std::string(blame.sigil) + std::string(blame.owner) + "`";
    }
    message += (message.empty() ? "" : ": ") + what;
    return Error{.code = Code::type, .message = std::move(message), .where = blame.span, .hint = std::move(hint)};
}

Status TypeContext::expect(TermId expected, TermId found, const Blame& blame) {
    std::optional<Clash> clash = unify(terms, expected, found);
    if (!clash) return {};
    Error error = clash_error(*clash, expected, blame);
    name_sakes(*clash, error);
    if (!says_it_all(terms, *clash, expected)) error.notes.push_back({{}, both_types(module, terms, *clash, expected, found)});
    return error;
}

// Two types of one name read alike: the places where they are declared tell them apart.
void TypeContext::name_sakes(const Clash& clash, Error& error) const {
    const TypeTerm &expected = terms[clash.expected], &found = terms[clash.found];
    if (expected.kind != TermKind::data || found.kind != TermKind::data || expected.decl == found.decl) return;
    if (module[expected.decl].name != module[found.decl].name) return;
    auto note = [&](DeclId decl, const std::string& which) {
        error.notes.push_back({module[decl].span, "the `" + module[decl].name + "` that is " + which + (module[decl].from_prelude ? ", of the prelude" : "")});
    };
    note(expected.decl, "expected");
    note(found.decl, "found");
}

Error TypeContext::clash_error(const Clash& clash, TermId expected, const Blame& blame) const {
    switch (clash.kind) {
    case Clash::Kind::differ: break;
    case Clash::Kind::count: {
        size_t wanted = terms[clash.expected].count, given = terms[clash.found].count;
        if (terms[clash.expected].kind == TermKind::function)
            return error(blame, "expected a function of " + std::to_string(wanted - 1) +
                                    (wanted == 2 ? " parameter" : " parameters") + ", found one of " + std::to_string(given - 1));
        if (wanted == 0 || given == 0) break;            // () is no tuple to whoever writes it
        return error(blame, "expected a tuple of " + std::to_string(wanted) + ", found one of " + std::to_string(given) +
                                ": " + text(clash.expected) + " against " + text(clash.found));
    }
    case Clash::Kind::rigid: {
        const TypeTerm& left = terms[clash.expected];
        bool left_rigid = !left.declared.empty();
        const std::string& name = (left_rigid ? left : terms[clash.found]).declared[0].name;
        const TermId other = left_rigid ? clash.found : clash.expected;
        return error(blame, clash_text(module, terms, clash),
                     "the signature promises to work for every `" + name + "`; " +
                         (is_open(terms, other) ? "leave the type out, and it is inferred"
                                                : "write " + part_text(module, terms, other) + " instead of `" + name + "` there if that is meant"));
    }
    }
    return error(blame, clash_text(module, terms, clash), says_it_all(terms, clash, expected) ? cast_hint(module, terms, clash, blame) : "");
}

std::vector<DeclId> TypeContext::records_with(std::span<const std::string> fields, bool exactly, bool from_prelude) const {
    std::vector<DeclId> found;
    if (fields.empty()) return found;
    auto it = records.find(fields[0]);
    if (it == records.end()) return found;
    for (DeclId decl : it->second) {
        const std::vector<std::string>& has = module[decl].constructors[0].field_names;
        bool all = std::all_of(fields.begin(), fields.end(), [&](const std::string& field) {
            return std::find(has.begin(), has.end(), field) != has.end();
        });
        if (all && (!exactly || has.size() == fields.size())) found.push_back(decl);
    }
    auto foreign = [&](DeclId decl) { return module[decl].from_prelude != from_prelude; };
    if (from_prelude || !std::all_of(found.begin(), found.end(), foreign)) std::erase_if(found, foreign);
    return found;
}

std::optional<TermId> TypeContext::field_type(TermId record, std::string_view field) {
    const TypeDecl& decl = module[terms[record].decl];
    const Constructor& made = decl.constructors[0];
    auto it = std::find(made.field_names.begin(), made.field_names.end(), field);
    if (it == made.field_names.end()) return std::nullopt;
    WrittenTypes written(module, terms);
    TermId as_declared = written.data(terms[record].decl);
    std::optional<Clash> clash = unify(terms, record, as_declared);
    invariant(!clash, "a record differs from its own declaration");
    return written.term(made.fields[size_t(it - made.field_names.begin())]);
}

TermId TypeContext::instantiate(FunctionId function, Span call, std::vector<Deferred>& out_open) {
    const FunctionScheme& scheme = schemes[function.index];
    if (!scheme.general) return scheme.type;
    std::unordered_map<TermId, TermId> copies;           // of everything that holds an unknown; itself where nothing does
    auto copy = [&](auto& self, TermId id) -> TermId {
        id = terms.find(id);
        if (auto it = copies.find(id); it != copies.end()) return it->second;
        TermKind kind = terms[id].kind;
        TermId made = id;
        if (kind == TermKind::unknown) made = terms.unknown();
        else if (kind == TermKind::dtype_unknown) made = terms.dtype_unknown(terms[id].of);
        else if (terms[id].count) {
            std::vector<TermId> parts(terms.parts(id).begin(), terms.parts(id).end());
            bool changed = false;
            for (TermId& part : parts) {
                TermId copied = self(self, part);
                changed |= copied != terms.find(part);
                part = copied;
            }
            if (changed) made = terms.composite(kind, parts, terms[id].decl);
        }
        copies.emplace(id, made);
        return made;
    };
    TermId type = copy(copy, scheme.type);
    for (const Deferred& open : scheme.open) {
        Deferred copied = open;
        copied.subject = copy(copy, open.subject);
        if (open.result.valid()) copied.result = copy(copy, open.result);
        for (TermId& part : copied.parts) part = copy(copy, part);
        copied.call = call;
        out_open.push_back(std::move(copied));
    }
    return type;
}

Result<const Scheme*> TypeContext::scheme_of(const OpDef& op) {
    auto it = op_schemes_.find(&op);
    if (it == op_schemes_.end()) it = op_schemes_.emplace(&op, TRY(parse_scheme(op.scheme))).first;
    return &it->second;
}

size_t TypeContext::states_with(FunctionId id, ValueId next, Span body) {
    auto [found, is_new] = next_states_.try_emplace(id);
    const Function& function = module[id];
    for (size_t i = 0; is_new && i < function.bindings.size(); ++i) {
        const Binding& loop = function.bindings[i];
        if (loop.form != Form::for_ && loop.form != Form::while_) continue;
        const Block& block = function[loop.blocks.back()];           // what follows the states was yielded
        const size_t states = std::min(loop.args.size() - (loop.form == Form::for_ ? 1 : 0), block.results.size());
        for (size_t at = 0; states > 1 && at < states; ++at) found->second.insert({block.results[at], {states, block.span}});
    }
    auto [begin, end] = found->second.equal_range(next);
    for (auto it = begin; it != end; ++it)
        if (it->second.body == body) return it->second.states;
    return 0;
}
} // namespace nereus
