// Strongly connected components by Tarjan's walk, with a stack of its own: chains of calls may be long.
#include "pass/call_graph.h"
#include "pass/function_edit.h"
#include <algorithm>

namespace nereus {
namespace {
// In blocks that are part of the function: passes leave dropped bindings behind.
void collect(const Function& f, BlockId block, std::vector<uint32_t>& out) {
    for (BindingId id : f[block].bindings) {
        const Binding& b = f[id];
        if (b.function.valid()) out.push_back(b.function.index);
        for (const ApplyTarget& target : b.targets) out.push_back(target.function.index);
        for (BlockId nested : blocks_of(b)) collect(f, nested, out);
    }
}
} // namespace

CallGraph::CallGraph(const Module& module) {
    const size_t count = module.functions.size();
    callees.resize(count), references.resize(count), group.resize(count), recursive.resize(count);
    for (size_t i = 0; i < count; ++i) {
        const Function& f = module.functions[i];
        collect(f, f.body, callees[i]);
        for (FunctionId rule : {f.vjp_forward, f.vjp_backward})
            if (rule.valid()) callees[i].push_back(rule.index);
        for (uint32_t callee : callees[i]) ++references[callee];
    }
    constexpr uint32_t unseen = UINT32_MAX;
    struct Visit { uint32_t function; size_t next = 0; };
    std::vector<uint32_t> order(count, unseen), low(count), open;
    std::vector<bool> is_open(count);
    std::vector<Visit> stack;
    uint32_t next = 0, groups = 0;
    for (uint32_t start = 0; start < count; ++start) {
        if (order[start] != unseen) continue;
        stack.push_back({start});
        while (!stack.empty()) {
            Visit& visit = stack.back();
            uint32_t f = visit.function;
            if (visit.next == 0) order[f] = low[f] = next++, open.push_back(f), is_open[f] = true;
            bool descended = false;
            while (visit.next < callees[f].size()) {
                uint32_t callee = callees[f][visit.next++];
                if (callee == f) recursive[f] = true;
                if (order[callee] == unseen) {
                    stack.push_back({callee});
                    descended = true;
                    break;
                }
                if (is_open[callee]) low[f] = std::min(low[f], order[callee]);
            }
            if (descended) continue;
            if (low[f] == order[f]) {
                size_t first = open.size();
                while (open[--first] != f) {}
                for (size_t i = first; i < open.size(); ++i) {
                    is_open[open[i]] = false;
                    group[open[i]] = groups;
                    callees_first.push_back(FunctionId(open[i]));
                    if (open.size() - first > 1) recursive[open[i]] = true;
                }
                open.resize(first);
                ++groups;
            }
            stack.pop_back();
            if (!stack.empty()) low[stack.back().function] = std::min(low[stack.back().function], low[f]);
        }
    }
    is_root.assign(count, true);
    for (size_t f = 0; f < count; ++f)
        for (uint32_t callee : callees[f])
            if (group[callee] != group[f] && callee != 0) is_root[callee] = false;
}

std::vector<bool> CallGraph::reached_from(const std::vector<bool>& roots) const {
    std::vector<bool> reached = roots;
    std::vector<uint32_t> open;
    for (uint32_t f = 0; f < roots.size(); ++f)
        if (roots[f]) open.push_back(f);
    while (!open.empty()) {
        uint32_t f = open.back();
        open.pop_back();
        for (uint32_t callee : callees[f]) {
            if (reached[callee]) continue;
            reached[callee] = true;
            open.push_back(callee);
        }
    }
    return reached;
}
} // namespace nereus
