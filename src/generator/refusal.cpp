#include "generator/refusal.h"
#include "generator/outcome.h"
#include "ops/registry.h"
#include <algorithm>
#include <map>
#include <set>

namespace nereus::gen {
namespace {
constexpr char mark = '\1';                  // begins what our own prints write

// Prints before and behind every binding at a place of the path tell which of them are under way; one more, before all that
// the last is computed from, whether it was to come.
class Traced {
 public:
    Traced(Module module, const Error& refusal) : module_(std::move(module)), refusal_(refusal) {
        for (size_t i = refusal.notes.size(); i-- > 0;) path_.push_back(refusal.notes[i].where);
        path_.push_back(refusal.where);
        for (Function& f : module_.functions)
            for (Block& block : f.blocks) trace(f, block);
    }
    void run(std::span<const Value> args) {
        const Outcome outcome = interpret(module_, args);
        std::vector<size_t> open;
        std::set<size_t> awaited;                        // what they are computed from is under way
        for (const std::string& line : outcome.prints) {
            if (line[0] != mark) continue;
            const size_t binding = std::stoul(line.substr(2));
            if (line[1] == '?') {
                if (reached_by(open) + 1 == path_.size()) awaited.insert(binding);
                continue;
            }
            if (line[1] == '<') {
                awaited.erase(binding);
                open.push_back(binding);
                continue;
            }
            ended(open, &Seen::passed);
            open.pop_back();
        }
        if (outcome.value) return;
        const Error& error = outcome.value.error();
        for (size_t binding : awaited)
            if (const std::vector<Span>& needs = seen_[binding].needs; std::find(needs.begin(), needs.end(), error.where) != needs.end())
                seen_[binding].failed = true;
        bool Seen::* how = error.code == Code::shape && error.where == refusal_.where ? &Seen::failed : &Seen::passed;
        for (; !open.empty(); open.pop_back()) {
            ended(open, how);
            how = &Seen::passed;                         // it got further: to what failed inside of it
        }
    }
    bool one_always_failed() const {
        return std::any_of(seen_.begin(), seen_.end(), [](const Seen& s) { return s.failed && !s.passed; });
    }

 private:
    struct Seen { size_t level; std::vector<Span> needs = {}; bool passed = false, failed = false; };

    void trace(Function& f, Block& block) {
        const std::vector<BindingId> bindings = std::move(block.bindings);
        std::map<size_t, size_t> numbers;                // by place in the block
        std::map<size_t, std::vector<size_t>> awaited;   // from this place on they are being computed
        for (size_t i = 0; i < bindings.size(); ++i) {
            auto at = std::find(path_.begin(), path_.end(), f[bindings[i]].span);
            if (at == path_.end()) continue;
            const size_t number = numbers[i] = seen_.size();
            seen_.push_back({size_t(at - path_.begin())});
            if (at + 1 == path_.end()) awaited[first_needed(f, bindings, i, seen_.back().needs)].push_back(number);
        }
        block.bindings.clear();
        for (size_t i = 0; i < bindings.size(); ++i) {
            for (size_t number : awaited[i]) block.bindings.push_back(print(f, "?" + std::to_string(number)));
            auto it = numbers.find(i);
            if (it != numbers.end()) block.bindings.push_back(print(f, "<" + std::to_string(it->second)));
            block.bindings.push_back(bindings[i]);
            if (it != numbers.end()) block.bindings.push_back(print(f, ">" + std::to_string(it->second)));
        }
    }
    // The places of all that a binding is computed from in its block, and where the first of it stands.
    static size_t first_needed(const Function& f, const std::vector<BindingId>& bindings, size_t of, std::vector<Span>& out_needs) {
        size_t first = of;
        std::set<ValueId> needed(f[bindings[of]].args.begin(), f[bindings[of]].args.end());
        for (size_t i = of; i-- > 0;) {
            const Binding& b = f[bindings[i]];
            if (std::none_of(b.results.begin(), b.results.end(), [&](ValueId v) { return needed.contains(v); })) continue;
            needed.insert(b.args.begin(), b.args.end());
            add_places(f, b, out_needs);
            first = i;
        }
        return first;
    }
    static void add_places(const Function& f, const Binding& b, std::vector<Span>& out) {
        if (b.span.known()) out.push_back(b.span);
        for (BlockId inner : b.blocks)
            for (BindingId id : f[inner].bindings) add_places(f, f[id], out);
    }
    BindingId print(Function& f, const std::string& text) {
        Binding b{.form = Form::op};
        b.op = all_ops().find("print");
        b.groups = {{0, false}};
        b.attributes = {{"text", mark + text}};
        b.results = {f.add_value("", module_.types.unit(), {})};
        return f.add_binding(std::move(b));
    }
    // The last one that is open, if it is what was refused and was reached by the whole path.
    void ended(const std::vector<size_t>& open, bool Seen::* how) {
        if (Seen& last = seen_[open.back()]; last.level == path_.size() - 1 && reached_by(open) == path_.size()) last.*how = true;
    }
    size_t reached_by(const std::vector<size_t>& open) const {
        size_t reached = 0;
        for (size_t binding : open) reached += reached < path_.size() && seen_[binding].level == reached;
        return reached;
    }

    Module module_;
    const Error& refusal_;
    std::vector<Span> path_;                 // calls, the outermost first; then the place itself
    std::vector<Seen> seen_;                 // one per traced binding
};
} // namespace

bool fails_wherever_reached(Module module, const Error& refusal, std::span<const std::vector<Value>> inputs) {
    if (!refusal.where.known()) return false;
    Traced traced(std::move(module), refusal);
    for (const std::vector<Value>& args : inputs) traced.run(args);
    return traced.one_always_failed();
}
} // namespace nereus::gen
