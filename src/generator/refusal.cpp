#include "generator/refusal.h"
#include "generator/outcome.h"
#include "ops/registry.h"
#include <algorithm>

namespace nereus::gen {
namespace {
constexpr char mark = '\1';                  // begins what our own prints write

// Prints before and behind every binding at a place of the path tell which of them are under way.
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
        for (const std::string& line : outcome.prints) {
            if (line[0] != mark) continue;
            if (line[1] == '<') {
                open.push_back(std::stoul(line.substr(2)));
                continue;
            }
            ended(open, &Seen::passed);
            open.pop_back();
        }
        if (outcome.value) return;
        const Error& error = outcome.value.error();
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
    struct Seen { size_t level; bool passed = false, failed = false; };

    void trace(Function& f, Block& block) {
        std::vector<BindingId> traced;
        for (BindingId id : block.bindings) {
            auto at = std::find(path_.begin(), path_.end(), f[id].span);
            const std::string number = std::to_string(seen_.size());
            if (at != path_.end()) traced.push_back(print(f, "<" + number));
            traced.push_back(id);
            if (at == path_.end()) continue;
            traced.push_back(print(f, ">" + number));
            seen_.push_back({size_t(at - path_.begin())});
        }
        block.bindings = std::move(traced);
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
        size_t reached = 0;
        for (size_t binding : open) reached += reached < path_.size() && seen_[binding].level == reached;
        if (Seen& last = seen_[open.back()]; last.level == path_.size() - 1 && reached == path_.size()) last.*how = true;
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
