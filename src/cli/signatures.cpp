#include "cli/signatures.h"
#include "ir/print.h"
#include "ir/print_type.h"
#include "pass/call_graph.h"
#include "pass/effects.h"
#include <algorithm>
#include <set>

namespace nereus {
namespace {
// The levels of contract K9. A level may do all that comes before it; whether it also fails is asked for apart.
std::string_view effect_text(Effect effect) {
    switch (effect) {
    case Effect::total: return "total";
    case Effect::may_fail: return "may fail";
    case Effect::reads: return "reads cells";
    case Effect::writes: return "writes cells";
    case Effect::io: return "prints";
    }
    return "";
}

// What every call must pass before it returns: the checks of the outermost block that are about the function's own sizes,
// and those of the functions that it calls there.
class Needs {
 public:
    explicit Needs(Module& module) : module_(module), facts_(module.functions.size()) {
        for (FunctionId id : CallGraph(module).callees_first) collect(id);
    }
    const std::vector<DimFact>& of(FunctionId id) const { return facts_[id.index]; }

 private:
    void collect(FunctionId id) {
        std::set<Sym> own(module_[id].symbols.begin(), module_[id].symbols.end());
        for (BindingId b : module_[id][module_[id].body].bindings) {
            const Binding binding = module_[id][b];
            if (binding.form == Form::check && binding.args.empty()) add(id, own, binding.fact, binding.span);
            if (binding.form != Form::call) continue;
            const std::vector<Sym> params = module_[binding.function].symbols;
            for (DimFact fact : std::vector(facts_[binding.function.index])) {
                auto image = [&](Sym sym) -> std::optional<Dim> {
                    auto it = std::find(params.begin(), params.end(), sym);
                    return it == params.end() ? std::nullopt : std::optional(binding.dims[size_t(it - params.begin())]);
                };
                fact.left = module_.dims.substitute(fact.left, image);
                fact.right = module_.dims.substitute(fact.right, image);
                add(id, own, fact, binding.span);
            }
        }
    }
    void add(FunctionId id, const std::set<Sym>& own, DimFact fact, Span where) {
        fact.span = where;
        auto only_own = [&](Dim dim) {
            for (Sym sym : module_.dims.symbols_of(dim))
                if (!own.contains(sym)) return false;
            return true;
        };
        std::vector<DimFact>& facts = facts_[id.index];
        bool known = std::any_of(facts.begin(), facts.end(), [&](const DimFact& other) {
            return other.left == fact.left && other.relation == fact.relation && other.right == fact.right;
        });
        if (!known && only_own(fact.left) && only_own(fact.right)) facts.push_back(fact);
    }
    Module& module_;
    std::vector<std::vector<DimFact>> facts_;
};
} // namespace

std::vector<DimFact> needed_facts(Module module, FunctionId function) { return Needs(module).of(function); }

std::string signatures_text(Module module) {
    Effects effects(module);
    Needs needs(module);
    ModuleNames names(module);
    std::string text;
    for (size_t i = 0; i < module.functions.size(); ++i) {
        std::string header = print(module, FunctionId(i));
        header = header.substr(0, header.find(" {\n"));
        TypePrinter printer(module, names);
        for (Sym sym : module.functions[i].symbols) printer.plain(sym);
        std::string where;
        for (const DimFact& fact : needs.of(FunctionId(i))) where += (where.empty() ? "" : ", ") + printer.fact(fact);
        if (!where.empty()) where = (module.functions[i].where.empty() ? "\n  where " : ", ") + where;
        Does does = effects.of(FunctionId(i));
        text += header + where + "\n  # " + std::string(effect_text(does.effect)) +
                (does.fails && does.effect != Effect::may_fail ? ", may fail" : "") + (does.ends ? "" : ", may not end") + "\n";
    }
    return text;
}
} // namespace nereus
