#include "cli/work.h"
#include "cli/json_object.h"
#include "ir/check_text.h"
#include "run/place_text.h"
#include <algorithm>
#include <functional>
#include <limits>
#include <map>

namespace nereus {
namespace {
using Calls = std::map<uint32_t, int64_t>;       // how often a function calls which one

int64_t times_and(int64_t a, int64_t b, int64_t more) {         // a * b + more, or as much as a number holds
    int64_t out = 0;
    const bool fits = !__builtin_mul_overflow(a, b, &out) && !__builtin_add_overflow(out, more, &out);
    return fits ? out : std::numeric_limits<int64_t>::max();
}

// How often each function runs in one call of `first`. A call of a function that is being called counts for nothing.
std::vector<int64_t> times_called(uint32_t first, const std::vector<Calls>& calls) {
    enum class State : uint8_t { unseen, open, done };
    std::vector<State> state(calls.size(), State::unseen);
    std::vector<uint32_t> done;                  // callees before callers
    std::vector<std::pair<uint32_t, uint32_t>> around;
    struct Step { uint32_t function; Calls::const_iterator next; };
    std::vector<Step> path = {{first, calls[first].begin()}};
    state[first] = State::open;
    while (!path.empty()) {
        Step& step = path.back();
        if (step.next == calls[step.function].end()) {
            state[step.function] = State::done;
            done.push_back(step.function);
            path.pop_back();
            continue;
        }
        const uint32_t callee = (step.next++)->first;
        if (state[callee] == State::open) around.emplace_back(step.function, callee);
        if (state[callee] != State::unseen) continue;
        state[callee] = State::open;
        path.push_back({callee, calls[callee].begin()});
    }
    std::vector<int64_t> times(calls.size(), 0);
    times[first] = 1;
    for (size_t i = done.size(); i-- > 0;)
        for (const auto& [callee, count] : calls[done[i]])
            if (std::ranges::find(around, std::pair(done[i], callee)) == around.end())
                times[callee] = times_and(times[done[i]], count, times[callee]);
    return times;
}

struct Counts {
    int64_t launches = 0, calls = 0, branches = 0, one_armed = 0, reads = 0, checks = 0, opens = 0, loops = 0;
};

// One function: its own counts, its calls, and its places.
class FunctionWork {
 public:
    FunctionWork(const Lowered& lowered, const Function& function) : lowered_(lowered), function_(function) {
        for (const Binding& b : function.bindings)
            for (ValueId result : b.results) made_by_[result] = &b;
        block(function.body);
    }
    Counts own;
    Calls calls;
    std::vector<WorkPlace> places;

 private:
    const Module& module() const { return lowered_.module; }
    void block(BlockId id) {
        for (BindingId at : function_[id].bindings) {
            const Binding& b = function_[at];
            binding(b);
            for (BlockId nested : b.blocks) block(nested);
        }
    }
    void binding(const Binding& b) {
        const std::optional<LowOp> op = low_op_of(b);
        if (op == LowOp::launch) ++own.launches;
        else if (op == LowOp::read) ++own.reads, note("read", read_text(b), b);
        else if (op == LowOp::open) ++own.opens, note("open", open_text(b), b);
        else if (op == LowOp::make) ++own.opens, note("open", "a result of unknown rank", b);
        else if (b.form == Form::op && b.op->builtin == Builtin::assert_) ++own.checks, note("check", "assert", b);
        else if (b.form == Form::call) ++own.calls, ++calls[b.function.index], note("call", call_text(b), b);
        else if (b.form == Form::if_) ++own.branches, note("branch", "if " + maker_text(b.args[0]), b);
        else if (b.form == Form::match && b.blocks.size() == 1) ++own.one_armed;
        else if (b.form == Form::match && b.blocks.size() > 1)
            ++own.branches, note("branch", "match of " + std::to_string(b.blocks.size()) + " arms", b);
        else if (b.form == Form::check) ++own.checks, note("check", fact_text(b), b);
        else if (b.form == Form::for_ || b.form == Form::while_) ++own.loops;
    }
    void note(std::string kind, std::string about, const Binding& b) {
        places.push_back({std::move(kind), std::move(about), place_text(b.span, module().sources)});
    }

    const Binding* maker(ValueId v) const {
        auto it = made_by_.find(v);
        return it == made_by_.end() ? nullptr : it->second;
    }
    std::string maker_text(ValueId v) const {
        const Binding* b = maker(v);
        if (!b) return "a parameter";
        const std::optional<LowOp> op = low_op_of(*b);
        if (op == LowOp::launch) {
            const auto launch = size_t(std::get<int64_t>(find_attribute(*b, "launch")->value));
            return lowered_.kernels[lowered_.launch_kernel[launch]].name;
        }
        if (op == LowOp::read) return "a number read back from " + maker_text(b->args[0]);
        if (b->form == Form::op) return std::string(b->op->name);
        if (b->form == Form::call) return "@" + module()[b->function].name;
        return b->form == Form::if_ || b->form == Form::match ? "an arm" : "a number";
    }
    std::string read_text(const Binding& b) const {
        const Dim known = function_[b.results[0]].known;
        const std::string of = maker_text(b.args[0]);
        if (!known.valid()) return of + ", data";
        const bool is_new = std::ranges::any_of(module().dims.symbols_of(known),
                                                [&](Sym s) { return std::ranges::count(b.defines, s) > 0; });
        return of + (is_new ? ", a new number" : ", known: " + module().dims.to_string(known));
    }
    std::string open_text(const Binding& b) const {
        constexpr std::string_view ways[] = {"all", "aligned", "the first", "the last"};         // of Opened
        const auto how = size_t(std::get<int64_t>(find_attribute(b, "how")->value));
        return "extents (" + std::string(ways[how]) + ") of " + maker_text(b.args[0]);
    }
    std::string call_text(const Binding& b) const {
        const Function& callee = module()[b.function];
        std::string text = "@" + callee.name + ", " + std::to_string(callee.bindings.size()) + " bindings";
        const bool takes_late = std::ranges::any_of(b.dims, [&](Dim dim) {
            return std::ranges::any_of(module().dims.symbols_of(dim), [&](Sym s) {
                const SymKind kind = module().dims.symbol(s).kind;
                return kind == SymKind::late || kind == SymKind::host || kind == SymKind::join;
            });
        });
        const bool unranked = std::ranges::any_of(callee.params, [&](ValueId param) {
            const Type& type = module().types[callee[param].type];
            return type.kind == TypeKind::tensor && !type.shape.ranked;
        });
        return text + (unranked ? ", of unknown rank" : "") + (takes_late ? ", takes a number of the run" : "");
    }
    std::string fact_text(const Binding& b) const {
        if (!b.args.empty()) return "the type of " + maker_text(b.args[0]);
        const Attribute* what = find_attribute(b, "what");
        const auto* text = what ? std::get_if<std::string>(&what->value) : nullptr;
        return (text && !is_message(*text) ? *text + ": " : "") + module().dims.to_string(b.fact.left) + " " +
               std::string(sign_of(b.fact.relation)) + " " + module().dims.to_string(b.fact.right);
    }

    const Lowered& lowered_;
    const Function& function_;
    std::unordered_map<ValueId, const Binding*> made_by_;
};
} // namespace

int64_t Work::of(std::string_view name) const {
    const auto it = std::ranges::find(counts, name, &NamedCount::name);
    return it == counts.end() ? 0 : it->number;
}

Work work_of(const Lowered& lowered) {
    std::vector<FunctionWork> functions;
    std::vector<Calls> calls;
    for (const Function& function : lowered.module.functions) {
        functions.emplace_back(lowered, function);
        calls.push_back(functions.back().calls);
    }
    const std::vector<int64_t> times = times_called(0, calls);
    Work work;
    auto sum = [&](int64_t Counts::* of) {
        int64_t all = 0;
        for (size_t i = 0; i < functions.size(); ++i) all = times_and(times[i], functions[i].own.*of, all);
        return all;
    };
    work.counts = {
        {"launches", "runs of kernels", sum(&Counts::launches)},
        {"calls", "of functions that are not inlined", sum(&Counts::calls)},
        {"branches", "if, and match of several arms", sum(&Counts::branches)},
        {"one_armed", "match of one arm", sum(&Counts::one_armed)},
        {"reads", "numbers read back from memory", sum(&Counts::reads)},
        {"checks", "of sizes when it runs, and asserts", sum(&Counts::checks)},
        {"opens", "tensors of unknown rank looked at or made", sum(&Counts::opens)},
        {"loops", "that stay loops", sum(&Counts::loops)},
        {"kernels", "different loop functions", std::ssize(lowered.kernels)},
    };
    for (size_t i = 0; i < functions.size(); ++i)
        for (WorkPlace& place : functions[i].places) {
            place.times = times[i];
            if (place.times > 0) work.places.push_back(std::move(place));
        }
    return work;
}

void add_code(Work& work, const Executable& exe) {
    std::vector<Calls> calls(exe.functions.size());
    std::vector<std::map<Opcode, int64_t>> own(exe.functions.size());
    for (size_t f = 0; f < exe.functions.size(); ++f)
        for (uint32_t i = exe.functions[f].begin; i < exe.functions[f].end; ++i) {
            const Instruction& at = exe.code[i];
            ++own[f][at.op];
            if (at.op == Opcode::call) ++calls[f][at.a];
        }
    const std::vector<int64_t> times = times_called(exe.entries[0].function, calls);
    auto sum = [&](Opcode op) {
        int64_t all = 0;
        for (size_t f = 0; f < own.size(); ++f) all = times_and(times[f], own[f][op], all);
        return all;
    };
    work.counts.push_back({"lists", "of launches that run without a step between them", sum(Opcode::run)});
    work.counts.push_back({"late", "launches that are bound when they run", sum(Opcode::launch)});
    work.counts.push_back({"copies", "of tensors that are changed in part", sum(Opcode::copy)});
    work.counts.push_back({"code_bytes", "of machine code", std::ssize(exe.blob.bytes())});
}

std::string work_text(const Work& work, bool places) {
    std::string out;
    char line[120];
    for (const NamedCount& count : work.counts) {
        std::snprintf(line, sizeof line, "%12lld  %-10s  %s\n", static_cast<long long>(count.number),
                      std::string(count.name).c_str(), std::string(count.means).c_str());
        out += line;
    }
    if (!places) return out;
    for (const WorkPlace& place : work.places)
        out += "\n" + place.kind + (place.times > 1 ? " (" + std::to_string(place.times) + " times)" : "") + ": " +
               place.about + "\n    " + place.where;
    return out + (work.places.empty() ? "" : "\n");
}

std::string work_json(const Work& work, bool places) {
    JsonObject json;
    for (const NamedCount& count : work.counts) json.add(count.name, count.number);
    if (!places) return json.text();
    std::vector<std::string> items;
    for (const WorkPlace& place : work.places)
        items.push_back(JsonObject()
                            .add("kind", place.kind)
                            .add("about", place.about)
                            .add("where", place.where)
                            .add("times", place.times)
                            .text());
    return json.add_raw("places", json_list(items)).text();
}
} // namespace nereus
