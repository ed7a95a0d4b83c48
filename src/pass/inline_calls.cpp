// pass/inline_calls.cpp - puts the bodies of functions where they are called: of small ones, and of those called once. Callees
// go first, so a body is finished when it is copied: folded, too, for what its own callees cost is seen only then. A closure
// that is applied where it was made is called directly. Each call that stays has its reason among the decisions.
//
// The callee's symbols become the caller's dims; sizes it chose are known by their own form afterwards. Arguments and
// results must have exactly the types that the callee gives them: then nothing that a check would have told is lost.
//
// Not inlined: recursion; a callee that makes tensors of sizes that the caller learns late, because a region is planned per
// function and its symbols (decision 003): in the caller each such tensor would be an object; values of unknown rank.
#include "base/diagnostics.h"
#include "pass/call_graph.h"
#include "pass/function_edit.h"
#include "pass/known_results.h"
#include "pass/one_function.h"
#include "pass/passes.h"

#include <algorithm>
#include <unordered_set>

namespace nereus {
namespace {
constexpr int64_t small = 400;               // bindings, folded
constexpr int64_t largest = 1000;            // of one that is called once
constexpr int deepest = 100;                 // blocks in blocks, after inlining

constexpr int64_t most = 20'000;             // added to one function
constexpr std::string_view unknown_rank = "it has values of unknown rank";
constexpr std::string_view recursive = "it calls itself";
struct Candidate {
    std::string_view refusal = recursive;                // empty: it is a candidate
    bool calls = false;                      // functions or closures, of which its caller may know more
    int64_t bindings = 0;
    int depth = 0;
    std::unordered_set<Sym> planned;                     // its symbols in sizes of tensors that it makes
};

class Inline {
 public:
    Inline(Module& module, const CallGraph& calls, Decisions& out_decisions)
        : module_(module), calls_(calls), effects_(module), decisions_(out_decisions), candidates_(module.functions.size()) {}

    void run(FunctionId id) {
        Function& function = module_[id];
        common_values(module_, function, effects_);      // a call is one value; its body may have loops, which are none
        FunctionEdit edit(module_, function);
        edit_ = &edit;
        image_.emplace(module_);
        entry_ = {function.symbols.begin(), function.symbols.end()};
        growth_ = 0;
        block(function.body, 1);
        image_->in_place(function);
        if (calls_.recursive[id.index] || calls_.references[id.index] == 0) return;
        tell_caller(module_, function);                  // of sizes that its folded callees know
        fold_constants(module_, function, effects_);
        dead_code(module_, function);
        candidates_[id.index] = candidate(id);
    }

 private:
    Candidate candidate(FunctionId id) const {
        const Function& f = module_[id];
        BlockSize size = size_of_block(f, f.body);
        Candidate made{{}, false, size.bindings, size.depth, {}};
        if (!f.where.empty()) made.refusal = "its sizes have conditions";
        if (f.vjp_forward.valid()) made.refusal = "it has a gradient of its own";
        if (!always_ends(f, f.body)) made.refusal = "it may end where it stands";
        if (size.bindings > (calls_.references[id.index] == 1 ? largest : small)) made.refusal = "it is large";
        for (ValueId param : f.params)
            if (mentions_shape_variable(module_, f[param].type)) made.refusal = unknown_rank;
        look_into(f, f.body, made);
        if (size.bindings == 1) made.planned.clear();    // makes nothing but its result, an object of its caller anyway
        return made;
    }
    void look_into(const Function& f, BlockId block, Candidate& made) const {
        for (ValueId param : f[block].params) look_at_made(f, param, made);
        for (BindingId id : f[block].bindings) {
            const Binding& b = f[id];
            if (b.form == Form::lambda) made.refusal = "it makes a function whose sizes are not known";
            made.calls |= b.form == Form::apply || b.form == Form::call;
            for (ValueId result : b.results) look_at_made(f, result, made);
            for (BlockId nested : blocks_of(b)) look_into(f, nested, made);
        }
    }
    void look_at_made(const Function& f, ValueId value, Candidate& made) const {
        const TypeId id = f[value].type;
        if (mentions_shape_variable(module_, id)) made.refusal = unknown_rank;
        const Type& type = module_.types[id];
        if (type.kind != TypeKind::tensor) return;
        for (Dim d : type.shape.dims)
            for (Sym s : module_.dims.symbols_of(d)) made.planned.insert(s);
    }

    // Values that stand for others are put in as the list is written; nested blocks come after what they see.
    void block(BlockId id, int depth) {
        BindingList before = std::move(edit_->function()[id].bindings), after;
        rewrite(before, depth, after);
        std::vector<ValueId> results = edit_->function()[id].results;
        edit_->use_all(results, after);
        edit_->function()[id].results = std::move(results);
        edit_->function()[id].bindings = std::move(after);
    }

    void rewrite(const BindingList& before, int depth, BindingList& after) {
        for (BindingId at : before) {
            Binding b = edit_->function()[at];
            edit_->use_all(b.args, after);
            if (b.form == Form::apply) known_closure(b, after);
            if (b.form == Form::call) {
                std::string_view refusal = inlined(b, depth, after);
                if (refusal.empty()) continue;
                refused(b, refusal);
            }
            edit_->function()[at] = b;
            for (BlockId nested : blocks_of(b)) block(nested, depth + 1);
            after.push_back(at);
        }
    }

    // An apply of a closure that was made here is a call of its target; captured values come first.
    void known_closure(Binding& b, BindingList& out) {
        const Binding* made = edit_->definition(b.args[0]);
        if (!made || made->form != Form::closure) return;
        auto target = std::ranges::find_if(b.targets, [&](const ApplyTarget& t) { return t.lambda == made->lambda; });
        if (target == b.targets.end()) return;
        const Function& callee = module_[target->function];
        std::vector<ValueId> args = made->args;
        if (args.size() + b.args.size() - 1 != callee.params.size()) return;
        std::unordered_map<Sym, Dim> found;              // sizes that are found in captured values are known here
        for (size_t i = 0; i < args.size(); ++i)
            match_symbols(module_, callee[callee.params[i]].type, type_of(args[i]), callee.symbols, found);
        std::vector<Dim> dims = target->dims;
        SymbolImage opened(module_);
        for (size_t i = 0; i < dims.size(); ++i) {
            std::optional<Sym> s = module_.dims.as_symbol(dims[i]);
            if (!s || std::ranges::count(target->opened, *s) == 0) continue;
            auto known = found.find(callee.symbols[i]);
            if (known == found.end()) return;
            opened.put(*s, known->second);
        }
        for (Dim& d : dims) {
            d = opened.of(d);
            for (Sym s : module_.dims.symbols_of(d))
                if (std::ranges::count(target->opened, s) > 0) return;
        }
        for (Sym s : target->opened)
            if (opened.contains(s)) image_->put(s, image_->of(opened.of(module_.dims.of(s))));
        if (b.targets.size() > 1) {                      // each target had its own way to what the binding defines
            std::vector<Sym> chosen = target->chosen;
            for (size_t i = 0; i < b.defines.size(); ++i) image_->put(b.defines[i], image_->of(opened.of(target->results[i])));
            b.defines = std::move(chosen);
        }
        for (ValueId& arg : args) {                      // a constant has its one use in the closure
            const Binding* constant = edit_->definition(arg);
            if (constant && is_immediate(*constant)) arg = edit_->add(Binding(*constant), edit_->function()[arg].type, "captured", out);
        }
        args.insert(args.end(), b.args.begin() + 1, b.args.end());
        b.form = Form::call;
        b.function = target->function;
        b.args = std::move(args);
        b.dims = std::move(dims);
        b.targets.clear();
    }

    // Says why not; nothing: it is.
    std::string_view inlined(const Binding& b, int depth, BindingList& out) {
        const Candidate& candidate = candidates_[b.function.index];
        if (!candidate.refusal.empty()) return candidate.refusal;
        if (depth + candidate.depth > deepest) return "blocks would nest too deep";
        if (growth_ + candidate.bindings > most) return "its caller has grown enough";
        const Function& callee = module_[b.function];
        std::vector<Dim> dims = b.dims;
        for (Dim& d : dims) d = image_->of(d);
        if (dims.size() != callee.symbols.size() || b.defines.size() != callee.result_dims.size()) return "its sizes are not those of the call";
        for (size_t i = 0; i < dims.size(); ++i)
            if (candidate.planned.contains(callee.symbols[i]) && !known_at_entry(dims[i])) return "it makes tensors of a size that is known late";

        BlockCopy copy(*edit_, callee);
        for (size_t i = 0; i < dims.size(); ++i) copy.symbols.put(callee.symbols[i], dims[i]);
        for (size_t i = 0; i < callee.params.size(); ++i) {
            const ValueInfo& param = callee[callee.params[i]];
            if (copy.symbols.of(param.type) != type_of(b.args[i])) return "it is given another type than it takes";
            const Dim given = image_->of(edit_->function()[b.args[i]].known);
            const Binding* made = edit_->definition(b.args[i]);
            bool constant = made && is_immediate(*made);
            if (param.known.valid() && !constant && copy.symbols.of(param.known) != given) return "it reads a number by its size";
        }
        const Block& body = callee[callee.body];
        if (!same_result(b, dims, callee)) return "its result has another type here";

        for (size_t i = 0; i < callee.params.size(); ++i) copy.put(callee.params[i], b.args[i]);
        BindingList copied;
        copy.bindings(callee.body, copied);
        if (is_of_model(b.span)) stand_at(b.span, copied);
        growth_ += candidate.bindings;
        if (candidate.calls) rewrite(copied, depth, out);          // of a closure, or with sizes, that are known here
        else out.insert(out.end(), copied.begin(), copied.end());
        for (size_t i = 0; i < b.defines.size(); ++i)    // after what an inner call has chosen
            image_->put(b.defines[i], image_->of(copy.symbols.of(callee.result_dims[i])));
        ValueId result = edit_->now(copy.put_for(body.results[0]));
        if (copy.made(result)) {
            Function& f = edit_->function();
            edit_->swap_names(result, b.results[0]);     // under the name that the caller gave it
            if (!f[result].known.valid()) f[result].known = f[b.results[0]].known;
        }
        edit_->replace(b.results[0], result);
        return {};
    }

    void refused(const Binding& b, std::string_view why) {
        const Function& caller = edit_->function();
        const std::string value = "%" + caller[b.results[0]].name + " = @" + module_[b.function].name + " in @" + caller.name;
        decisions_.push_back({"inline_calls", value, std::string(why)});
    }

    // The type that the caller gives the result is the callee's own: both seen before the callee's symbols are renamed.
    bool same_result(const Binding& b, const std::vector<Dim>& dims, const Function& callee) {
        TypeId found = callee[callee[callee.body].results[0]].type;
        if (callee.result != found) return false;
        SymbolImage called(module_);
        for (size_t i = 0; i < dims.size(); ++i) called.put(callee.symbols[i], dims[i]);
        if (b.defines.empty()) return type_of(b.results[0]) == called.of(found);
        SymbolImage chosen = *image_;
        for (size_t i = 0; i < b.defines.size(); ++i) chosen.put(b.defines[i], called.of(callee.result_dims[i]));
        return chosen.of(edit_->function()[b.results[0]].type) == called.of(found);
    }

    // The owner of a model knows its nodes, and no text of ours: what is called for a node fails there.
    bool is_of_model(Span span) const {
        return span.known() && size_t(span.source) < module_.sources.size() && nereus::is_of_model(module_.sources[size_t(span.source)]);
    }
    void stand_at(Span span, const BindingList& copied) {
        for (BindingId id : copied) {
            Binding& b = edit_->function()[id];
            b.span = span;
            for (BlockId nested : blocks_of(b)) stand_at(span, edit_->function()[nested].bindings);
        }
    }
    TypeId type_of(ValueId v) { return image_->of(edit_->function()[v].type); }
    bool known_at_entry(Dim d) const {
        return std::ranges::all_of(module_.dims.symbols_of(d), [&](Sym s) { return entry_.contains(s); });
    }

    Module& module_;
    const CallGraph& calls_;
    const Effects effects_;                              // as they were: who is folded does no more than before
    Decisions& decisions_;
    std::vector<Candidate> candidates_;                  // by function, once it is done
    FunctionEdit* edit_ = nullptr;
    std::optional<SymbolImage> image_;                   // sizes that callees chose
    std::unordered_set<Sym> entry_;
    int64_t growth_ = 0;
};
} // namespace

Result<Module> inline_calls(Module module) {
    Decisions unasked;
    return inline_calls(std::move(module), unasked);
}

Result<Module> inline_calls(Module module, Decisions& out_decisions) {
    CallGraph calls(module);
    Inline pass(module, calls, out_decisions);
    for (FunctionId id : calls.callees_first) pass.run(id);
    drop_functions(module, CallGraph(module).reached_from(calls.is_root));       // those whose last call is gone
    tell_callers(module);
    return module;
}
} // namespace nereus
