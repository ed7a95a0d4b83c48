#include "infer/types_context.h"
#include "infer/types_text.h"
#include "ir/op.h"
#include "ops/registry.h"
#include <algorithm>

namespace nereus {
Span Deferred::span() const { return pattern ? pattern->span : binding->span; }
std::span<const std::string> Deferred::names() const { return pattern ? pattern->fields : binding->names; }

namespace {
std::string list_of(std::span<const std::string> names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "`" : ", `") + name + "`";
    return text;
}

// The operator that someone meant by writing %x.name; any other that takes a tensor, as an example, if none is near.
std::string operator_like(const std::string& name) {
    for (const OpDef* op : all_ops().all())
        if (op->name == name || op->name.starts_with(name + "_")) return std::string(op->name);
    return "sum";
}

class Solver {
 public:
    Solver(TypeContext& context, const Deferred& open) : context_(context), terms_(context.terms), open_(open) {}

    // false: the subject is not known yet.
    Result<bool> solve() {
        if (terms_.is_unknown(open_.subject) && !(open_.kind == Deferred::Kind::grad && guess_differentiated()))
            return false;
        switch (open_.kind) {
        case Deferred::Kind::project: TRY(project()); break;
        case Deferred::Kind::field: case Deferred::Kind::update: case Deferred::Kind::record:
        case Deferred::Kind::record_pattern: TRY(fields()); break;
        case Deferred::Kind::index: TRY(index()); break;
        case Deferred::Kind::length: TRY(length()); break;
        case Deferred::Kind::grad: TRY(grad()); break;
        case Deferred::Kind::leaves: return leaves();
        }
        return true;
    }

 private:
    TermKind kind() const { return terms_[open_.subject].kind; }
    Error wrong(std::string what, std::string hint = {}) const {
        Error error = context_.error(Blame{open_.span(), ""}, std::move(what), std::move(hint));
        if (open_.call.known()) error.notes.push_back({open_.call, "because of this call"});
        return error;
    }
    Status unify_with(TermId expected, TermId found, std::string_view what, Span span = {}) {
        Status done = context_.expect(expected, found, Blame{.span = span.known() ? span : open_.span(), .what = what});
        if (done || !open_.call.known()) return done;
        Error error = std::move(done).error();
        error.notes.push_back({open_.call, "because of this call"});
        return error;
    }

    std::string gradient_name() const { return std::string(open_.binding->op->name); }

    // The gradient has f's own parameters, so a use of it says what f is.
    bool guess_differentiated() {
        if (gradient_name() == "checkpoint") return false;
        if (gradient_name() == "vjp" || gradient_name() == "jvp" || terms_[open_.result].kind != TermKind::function) return false;
        std::vector<TermId> parts(terms_.parts(open_.result).begin(), terms_.parts(open_.result).end());
        parts.back() = terms_.tensor(DTypeClass::real);
        return !unify(terms_, open_.subject, terms_.composite(TermKind::function, parts));
    }

    Status project() {
        uint32_t at = open_.binding->index;
        // the parser takes the value of a loop's body apart, one element for each state
        const size_t states = context_.states_with(open_.function, open_.binding->results[0], open_.binding->span);
        if (states && (kind() != TermKind::tuple || terms_[open_.subject].count != states))
            return wrong("the loop has " + std::to_string(states) + " states, so its body ends with a tuple of " +
                         std::to_string(states) + ", found " + context_.text(open_.subject));
        if (kind() != TermKind::tuple)
            return wrong("`." + std::to_string(at) + "` needs a tuple, found " + context_.text(open_.subject));
        if (at >= terms_[open_.subject].count)
            return wrong("`." + std::to_string(at) + "` of a tuple of " + std::to_string(terms_[open_.subject].count) +
                             ": " + context_.text(open_.subject), "elements are counted from 0");
        return unify_with(terms_.part(open_.subject, at), open_.result, "projection");
    }

    Status fields() {
        bool is_record = kind() == TermKind::data && context_.module[terms_[open_.subject].decl].is_record;
        if (!is_record)
            return wrong("expected a record with " + list_of(open_.names()) + ", found " + context_.text(open_.subject),
                         kind() == TermKind::tensor ? "a tensor has no fields; operators are called with it, as in `" + operator_like(open_.names()[0]) + "(%x)`"
                         : kind() == TermKind::seq  ? "a Seq has no fields: it has `length(%s)`, `%s[i]`, `push(%s, v)` and `set(%s, i, v)`"
                                                    : "");
        const TypeDecl& decl = context_.module[terms_[open_.subject].decl];
        const std::vector<std::string>& has = decl.constructors[0].field_names;
        for (size_t i = 0; i < open_.names().size(); ++i) {
            const std::string& name = open_.names()[i];
            std::optional<TermId> type = context_.field_type(open_.subject, name);
            if (!type) {
                Error error = wrong("`" + decl.name + "` has no field `" + name + "`" + did_you_mean(name, has),
                                    "its fields are " + list_of(has));
                error.code = Code::name;
                return error;
            }
            TermId given = open_.kind == Deferred::Kind::field ? open_.result : open_.parts[i];
            TRY(unify_with(*type, given, "field `" + name + "`", place_of(i)));
        }
        if (open_.kind != Deferred::Kind::record || has.size() == open_.names().size()) return {};
        std::vector<std::string> missing;
        for (const std::string& name : has)
            if (std::find(open_.names().begin(), open_.names().end(), name) == open_.names().end()) missing.push_back(name);
        return wrong("`" + decl.name + "` needs " + list_of(missing) + " too");
    }

    // Where the value of a field is written, in a record or its update.
    Span place_of(size_t field) const {
        if (open_.pattern || open_.kind == Deferred::Kind::field) return {};
        const Function& function = context_.module[open_.function];
        const ValueInfo& value = function[open_.binding->args[field + (open_.kind == Deferred::Kind::update ? 1 : 0)]];
        return is_temporary(value.name) ? value.span : Span{};
    }

    Status index() {
        const Binding& binding = *open_.binding;
        if (kind() == TermKind::tensor)                  // the same elements, whatever is left of the axes
            return unify_with(terms_.tensor(terms_.part(open_.subject, 0)), open_.result, "indexing");
        if (kind() != TermKind::seq)
            return wrong("only tensors and Seq can be indexed, found " + context_.text(open_.subject),
                         kind() == TermKind::tuple ? "write .0, .1 for the elements of a tuple" : "");
        if (binding.parts.size() != 1 || binding.parts[0].kind != IndexPart::Kind::at)
            return wrong("a Seq takes one index, and no range");
        return unify_with(terms_.part(open_.subject, 0), open_.result, "indexing");
    }

    // grad(f): f's parameters to the adjoints of the chosen ones, which have the parameters' types. value_and_grad(f)
    // gives f's result too; vjp(f) takes an adjoint of it, whatever its type. jvp(f): the parameters and changes of the
    // chosen ones to the result and its change.
    Status grad() {
        std::string name = gradient_name();
        bool scalar = name != "vjp" && name != "jvp";
        if (kind() != TermKind::function)
            return wrong(name + " needs a function, found " + context_.text(open_.subject));
        if (name == "checkpoint") return unify_with(open_.subject, open_.result, name);
        std::vector<TermId> params(terms_.parts(open_.subject).begin(), terms_.parts(open_.subject).end());
        TermId result = params.back();
        params.pop_back();
        TermKind result_kind = terms_[result].kind;
        if (scalar && result_kind != TermKind::tensor && !terms_.is_unknown(result))
            return wrong(name + " needs a function with a scalar result, found " + context_.text(result));
        if (scalar) TRY(unify_with(terms_.tensor(DTypeClass::real), result, "the scalar result of grad's function"));
        std::vector<TermId> adjoints;
        const Attribute* wrt = find_attribute(*open_.binding, "wrt");
        const std::vector<int64_t>* chosen = wrt ? std::get_if<std::vector<int64_t>>(&wrt->value) : nullptr;
        if (!chosen) adjoints = params;
        else {
            std::vector<bool> seen(params.size());
            for (int64_t at : *chosen) {
                if (at < 0 || at >= int64_t(params.size()))
                    return wrong("wrt names parameter " + std::to_string(at) + " of a function of " +
                                     std::to_string(params.size()), "parameters are counted from 0");
                if (seen[size_t(at)]) return wrong("wrt names parameter " + std::to_string(at) + " twice");
                seen[size_t(at)] = true;
                adjoints.push_back(params[size_t(at)]);
            }
        }
        if (adjoints.empty()) return wrong(name + " needs at least one parameter to differentiate by");
        TermId adjoint = adjoints.size() == 1 ? adjoints[0] : terms_.tuple(adjoints);
        if (name == "value_and_grad") adjoint = terms_.tuple(std::vector{result, adjoint});
        if (name == "vjp") params.push_back(result);
        if (name == "jvp") {
            params.insert(params.end(), adjoints.begin(), adjoints.end());
            adjoint = terms_.tuple(std::vector{result, result});
        }
        return unify_with(terms_.function(params, adjoint), open_.result, name);
    }

    Status length() {
        if (kind() == TermKind::seq || is_list(context_.module, terms_[open_.subject].decl)) return {};
        return wrong("length needs a Seq or a List, found " + context_.text(open_.subject),
                     kind() == TermKind::tensor ? "the sizes of a tensor have names in its type; shape_of(x) gives them" : "");
    }

    // f takes the tensors of the structure, or one function per dtype does, in a tuple; map_leaves keeps the type,
    // fold_leaves hands the result on.
    Result<bool> leaves() {
        std::vector<TermId> found, seen;                 // seen: data types
        if (!TRY(collect_leaves(open_.subject, found, seen))) return false;
        const Attribute* floats = find_attribute(*open_.binding, "floats");
        if (floats && std::get<bool>(floats->value))
            std::erase_if(found, [&](TermId leaf) { return has_dtype(leaf) && !is_float(terms_[element(leaf)].dtype); });
        std::vector<TermId> kinds;                       // the first leaf of each dtype
        for (TermId leaf : found)
            if (std::none_of(kinds.begin(), kinds.end(), [&](TermId kind) { return element(kind) == element(leaf); })) kinds.push_back(leaf);
        if (kinds.size() > 1 && !std::all_of(kinds.begin(), kinds.end(), [&](TermId leaf) { return has_dtype(leaf); })) return false;
        auto floating = [&](TermId leaf) { return has_dtype(leaf) && is_float(terms_[element(leaf)].dtype); };
        auto fits = [&](TermId f, TermId leaf) -> Status {           // most functions of tensors are of floats
            Status taken = takes(f, leaf);
            if (taken || !has_dtype(leaf) || floating(leaf) || std::none_of(kinds.begin(), kinds.end(), floating)) return taken;
            Error error = std::move(taken).error();
            error.hint = "the structure holds " + std::string(dtype_name(terms_[element(leaf)].dtype)) +
                         " too: floats=true leaves that as it is; a number such as 3 is an i64, 3.0 a float";
            return error;
        };
        if (terms_[open_.parts[0]].kind == TermKind::tuple) {
            if (terms_[open_.parts[0]].count != kinds.size())
                return wrong(std::to_string(terms_[open_.parts[0]].count) + " functions for a structure of " + std::to_string(kinds.size()) + " dtypes");
            for (size_t i = 0; i < kinds.size(); ++i) TRY(fits(terms_.part(open_.parts[0], i), kinds[i]));
            return true;
        }
        // A function that is written here is copied for the other dtypes when types are ground.
        const bool copied = kinds.size() > 1 && is_written_here();
        if (copied && !open_.call.known()) context_.leaf_dtypes.push_back({open_.binding, kinds.size()});
        for (size_t i = 0; i < (copied ? 1 : kinds.size()); ++i) {
            Status taken = fits(open_.parts[0], kinds[i]);
            if (taken) continue;
            Error error = std::move(taken).error();
            if (i > 0) error.hint = "a structure of several dtypes needs a function that is written in the call, or a named one";
            return error;
        }
        return true;
    }
    TermId element(TermId leaf) const { return terms_.find(terms_.part(leaf, 0)); }
    bool has_dtype(TermId leaf) const { return terms_[element(leaf)].kind == TermKind::dtype; }
    Status takes(TermId f, TermId leaf) {
        const bool folds = open_.binding->op->name == "fold_leaves";
        std::vector<TermId> params(folds ? 1 : open_.binding->args.size() - 1, leaf);
        if (folds) params.insert(params.begin(), open_.result);
        return unify_with(terms_.function(params, folds ? open_.result : leaf), f, "the function of " + std::string(open_.binding->op->name));
    }
    bool is_written_here() const {
        const std::vector<Binding>& bindings = context_.module[open_.function].bindings;
        return std::any_of(bindings.begin(), bindings.end(), [&](const Binding& b) {
            return (b.form == Form::lambda || b.form == Form::function) && b.results[0] == open_.binding->args[0];
        });
    }
    // false: some part of the structure is not known yet.
    Result<bool> collect_leaves(TermId id, std::vector<TermId>& found, std::vector<TermId>& seen) {
        id = terms_.find(id);
        if (terms_[id].kind == TermKind::unknown) return false;      // a declared one is known where the function is used
        const TypeTerm term = terms_[id];
        auto same = [&](TermId other) {
            if (terms_[other].decl != term.decl) return false;
            for (uint32_t i = 0; i < term.count; ++i)
                if (terms_.find(terms_.part(id, i)) != terms_.find(terms_.part(other, i))) return false;
            return true;
        };
        if (term.kind == TermKind::data) {
            if (std::any_of(seen.begin(), seen.end(), same)) return true;
            // (a, a) inside doubles them: no need to count to the end
            if (seen.size() > max_type_nesting || found.size() > 10'000) return wrong("a type that grows with every level has no end of leaves");
            seen.push_back(id);
        }
        switch (term.kind) {
        case TermKind::tensor: found.push_back(id); return true;
        case TermKind::tuple: case TermKind::seq: {
            for (uint32_t i = 0; i < term.count; ++i)
                if (!TRY(collect_leaves(terms_.part(id, i), found, seen))) return false;
            return true;
        }
        case TermKind::data: {
            WrittenTypes written(context_.module, terms_);
            TermId declared = written.data(term.decl);
            std::optional<Clash> clash = unify(terms_, id, declared);
            invariant(!clash, "a type differs from its own declaration");
            for (const Constructor& constructor : context_.module[term.decl].constructors)
                for (TypeId field : constructor.fields)
                    if (!TRY(collect_leaves(written.term(field), found, seen))) return false;
            return true;
        }
        case TermKind::unknown: case TermKind::dtype_unknown: case TermKind::dtype: case TermKind::function: case TermKind::ref: break;
        }
        return wrong(std::string(open_.binding->op->name) + " of a structure with " +
                     (term.kind == TermKind::ref ? "a cell" : "a function") + " in it: " + context_.text(open_.subject));
    }

    TypeContext& context_;
    Terms& terms_;
    const Deferred& open_;
};
} // namespace

Status solve(TypeContext& context, std::vector<Deferred>& open) {
    for (bool progress = true; progress && !open.empty();) {
        size_t kept = 0;
        for (size_t i = 0; i < open.size(); ++i) {
            if (TRY(Solver(context, open[i]).solve())) continue;
            if (kept != i) open[kept] = std::move(open[i]);
            ++kept;
        }
        progress = kept < open.size();
        open.resize(kept);
    }
    return {};
}

Status solve_by_fields(TypeContext& context, std::vector<Deferred>& open) {
    TRY(solve(context, open));
    for (const Deferred& one : open) {
        if (one.names().empty() || !context.terms.is_unknown(one.subject)) continue;
        std::vector<DeclId> candidates = context.records_with(one.names(), one.kind == Deferred::Kind::record, context.module[one.function].from_prelude);
        if (candidates.size() != 1) continue;
        WrittenTypes written(context.module, context.terms);
        TRY(context.expect(written.data(candidates[0]), one.subject, Blame{one.span(), "field", one.names()[0]}));
    }
    return solve(context, open);
}

Error still_open(const TypeContext& context, const Deferred& open) {
    Blame blame{open.span(), ""};
    const Function& function = context.module[open.function];
    std::string what, hint;
    switch (open.kind) {
    case Deferred::Kind::project: what = "`." + std::to_string(open.binding->index) + "`"; break;
    case Deferred::Kind::field: what = "`." + open.binding->names[0] + "`"; break;
    case Deferred::Kind::index: what = "`[…]`"; break;
    case Deferred::Kind::length: case Deferred::Kind::grad: case Deferred::Kind::leaves: what = "`" + std::string(open.binding->op->name) + "`"; break;
    case Deferred::Kind::update: what = "`with`"; break;
    case Deferred::Kind::record: case Deferred::Kind::record_pattern: {
        std::vector<std::string> names;
        for (DeclId decl : context.records_with(open.names(), open.kind == Deferred::Kind::record, function.from_prelude))
            names.push_back(context.module[decl].name);
        return context.error(blame, "several records have the fields " + list_of(open.names()) + ": " + list_of(names),
                             "annotate the value with the one that is meant");
    }
    }
    const std::string& subject = function[open.binding->args[open.kind == Deferred::Kind::leaves ? open.binding->args.size() - 1 : 0]].name;
    Error error = context.error(blame, what + " of a value whose type is not known", "annotate `%" + subject + "`");
    if (open.call.known()) error.notes.push_back({open.call, "because of this call"});
    return error;
}
} // namespace nereus
