// Copies are made by inferring the body once more, from the ground type of its use: what a scheme left open is then
// known, and one procedure types everything. A use inside the group asks for a copy like any other; monomorphic
// recursion makes that the copy at hand, so there are finitely many.
#include "infer/specialise.h"
#include "infer/call_depth.h"
#include "infer/leaf_functions.h"
#include "infer/specialise_forms.h"
#include "infer/types_finish.h"
#include "infer/types_group.h"
#include "infer/types_text.h"
#include <deque>
#include <map>
#include <unordered_set>

namespace nereus {
namespace {
constexpr size_t most_copies = 100'000;

VarId not_ground(TermId, VarKind) {
    invariant(false, "a type is not ground");
    return {};
}

class Specialiser {
 public:
    explicit Specialiser(Module source)
        : source_(std::move(source)), context_(source_), out_(source_), finished_(out_, context_.terms, not_ground) {
        out_.functions.clear();
    }

    Result<Module> run(FunctionId entry) {
        TRY(type_functions(context_));
        TRY(check_entry(entry));
        out_.functions.push_back(source_[entry]);
        copies_[entry] = 1;
        waiting_.push_back({entry, read_signature(context_, entry, false).type, FunctionId(0)});
        for (; !waiting_.empty(); waiting_.pop_front()) TRY(specialise(waiting_.front()));
        TRY(check_call_depth(out_, FunctionId(0)));
        return std::move(out_);
    }

 private:
    struct Wanted { FunctionId source; TermId type; FunctionId copy; };

    // Parameters must be known without a default; the result may be decided by one.
    Status check_entry(FunctionId id) {
        const Function& function = source_[id];
        BodyTypes types = read_signature(context_, id, false);
        std::vector<Deferred> open;
        TRY(infer_body(context_, id, types, open));
        TRY(solve_by_fields(context_, open));
        for (ValueId param : function.params) {
            const ValueInfo& info = function[param];
            if (!has_holes(source_, info.type) && unknowns_in({&types.values[param.index], 1}).empty()) continue;
            const bool variable = info.type.valid() && source_.types[info.type].kind == TypeKind::var;
            return Error{Code::type, "the type of `%" + info.name + "` of entry `@" + function.name + "` is not complete",
                         info.span.known() ? info.span : function.span, variable ? "`" + text_of(source_, info.type) + "` stands for any type, and an entry has one: write it, as in `%x: f32`, `%x: Tensor[(n), f32]`"
                                  : "annotate it: " + signature_text(id, types)};
        }
        return {};
    }

    Result<FunctionId> copy_for(FunctionId source, TermId type) {
        auto [it, fresh] = known_.try_emplace({source, finished_.type(type)});
        if (fresh) {
            if (out_.functions.size() >= most_copies)
                return Error{Code::limit, "the program needs more than 100000 typed copies of its functions",
                             source_[source].span};
            it->second = FunctionId(out_.functions.size());
            Function& copy = out_.functions.emplace_back(source_[source]);
            if (size_t count = copies_[source]++) copy.name += "." + std::to_string(count);
            waiting_.push_back({source, type, it->second});
        }
        return it->second;
    }

    Status specialise(const Wanted& wanted) {
        context_.leaf_dtypes.clear();
        BodyTypes types = read_signature(context_, wanted.source, false);
        std::optional<Clash> clash = unify(context_.terms, wanted.type, types.type);
        invariant(!clash, "a use does not fit its function");
        std::vector<Deferred> open;
        TRY(infer_body(context_, wanted.source, types, open));
        TRY(solve_by_fields(context_, open));
        TRY(settle(types, open));
        if (!context_.leaf_dtypes.empty()) return specialise(with_leaf_functions(wanted, context_.leaf_dtypes[0]));
        TRY(check_body(context_, wanted.source, types));
        if (wanted.copy.index == 0) known_.emplace(std::pair(wanted.source, finished_.type(types.type)), wanted.copy);

        Function copy = std::move(out_[wanted.copy]);    // moved out and in again: new copies may move the table
        finish_body(context_, wanted.source, types, finished_, copy);
        std::erase_if(copy.type_params, [](const TypeParam& param) {
            return param.kind == TypeParam::Kind::type || param.kind == TypeParam::Kind::dtype;
        });
        for (size_t i = 0; i < copy.bindings.size(); ++i)
            if (types.callees[i].valid())
                copy.bindings[i].function = TRY(copy_for(copy.bindings[i].function, types.callees[i]));
        if (copy.vjp_forward.valid()) {
            copy.vjp_forward = TRY(copy_for(copy.vjp_forward, types.vjp_forward));
            copy.vjp_backward = TRY(copy_for(copy.vjp_backward, types.vjp_backward));
        }
        resolve_forms(out_, copy);
        out_[wanted.copy] = std::move(copy);
        return {};
    }

    // As wanted, but of a source in which one function over leaves is there once per dtype.
    Wanted with_leaf_functions(const Wanted& wanted, LeafDtypes several) {
        source_.functions.push_back(nereus::with_leaf_functions(source_[wanted.source], source_.types, several.binding, several.count));
        context_.schemes.emplace_back();                 // nobody calls it
        std::string name = std::move(out_[wanted.copy].name);
        out_[wanted.copy] = source_.functions.back();
        out_[wanted.copy].name = std::move(name);
        return {FunctionId(source_.functions.size() - 1), wanted.type, wanted.copy};
    }

    // Defaults, until nothing is left unknown. Dtypes first, and of these the leaves of structures: they may decide what
    // waits, and a function over leaves takes theirs.
    Status settle(BodyTypes& types, std::vector<Deferred>& open) {
        std::vector<TermId> all = types.callees;
        all.insert(all.end(), types.values.begin(), types.values.end());
        all.push_back(types.type), all.push_back(types.vjp_forward), all.push_back(types.vjp_backward);
        for (;;) {
            std::vector<TermId> structures, unknowns = unknowns_in(all);
            for (const Deferred& one : open)
                if (one.kind == Deferred::Kind::leaves) structures.push_back(one.subject);
            bool progress = default_dtypes(unknowns_in(structures)) || default_dtypes(unknowns);
            size_t before = open.size();
            TRY(solve_by_fields(context_, open));
            if (progress || open.size() < before) continue;
            if (!open.empty()) return still_open(context_, open[0]);
            if (unknowns.empty()) return {};
            for (TermId unknown : unknowns) context_.terms.merge(unknown, context_.terms.tuple({}));   // no value has it
        }
    }

    bool default_dtypes(std::span<const TermId> unknowns) {          // false: there was none
        bool some = false;
        for (TermId unknown : unknowns) {
            if (context_.terms[unknown].kind != TermKind::dtype_unknown) continue;
            context_.terms.merge(unknown, context_.terms.dtype(default_dtype(context_.terms[unknown].of)));
            some = true;
        }
        return some;
    }

    std::vector<TermId> unknowns_in(std::span<const TermId> tops) const {
        const Terms& terms = context_.terms;
        std::vector<TermId> stack(tops.begin(), tops.end()), found;
        std::unordered_set<TermId> seen;
        while (!stack.empty()) {
            TermId id = stack.back();
            stack.pop_back();
            if (!id.valid() || !seen.insert(id = terms.find(id)).second) continue;
            if (terms.is_unknown(id)) found.push_back(id);
            for (TermId part : terms.parts(id)) stack.push_back(part);
        }
        return found;
    }

    std::string signature_text(FunctionId id, const BodyTypes& types) const {
        const Function& function = source_[id];
        std::string text = "def @" + function.name + "(";
        for (size_t i = 0; i < function.params.size(); ++i) {
            ValueId param = function.params[i];
            const ValueInfo& info = function[param];
            TermId term = types.values[param.index];
            bool complete = !has_holes(source_, info.type) && unknowns_in({&term, 1}).empty();
            text += (i ? ", %" : "%") + info.name + ": ";
            text += complete ? text_of(source_, info.type) : paste_text(source_, context_.terms, term);
        }
        return text + ")";
    }

    Module source_;
    TypeContext context_;
    Module out_;
    FinishedTypes finished_;
    std::map<std::pair<FunctionId, TypeId>, FunctionId> known_;
    std::map<FunctionId, size_t> copies_;
    std::deque<Wanted> waiting_;
};
} // namespace

Result<Module> specialise(Module module, FunctionId entry) { return Specialiser(std::move(module)).run(entry); }
} // namespace nereus
