#include "infer/types_group.h"
#include <algorithm>
#include <unordered_set>

namespace nereus {
namespace {
void references_in(const Function& function, BlockId top, std::vector<FunctionId>& out) {
    std::vector<BlockId> blocks{top};
    while (!blocks.empty()) {
        const Block& block = function[blocks.back()];
        blocks.pop_back();
        for (BindingId id : block.bindings) {
            const Binding& binding = function[id];
            if (binding.function.valid()) out.push_back(binding.function);
            blocks.insert(blocks.end(), binding.blocks.begin(), binding.blocks.end());
            for (const Arm& arm : binding.arms)
                if (arm.guard.valid()) blocks.push_back(arm.guard);
        }
    }
    if (function.vjp_forward.valid()) out.push_back(function.vjp_forward);
    if (function.vjp_backward.valid()) out.push_back(function.vjp_backward);
}

// What could not be solved and depends on the function's own type; the rest is the affair of the body it stands in.
std::vector<Deferred> open_in(const Terms& terms, TermId type, const std::vector<Deferred>& open) {
    std::unordered_set<TermId> reached;
    auto reach = [&](TermId top) {
        std::vector<TermId> stack{top};
        while (!stack.empty()) {
            TermId id = terms.find(stack.back());
            stack.pop_back();
            if (!reached.insert(id).second) continue;
            for (TermId part : terms.parts(id)) stack.push_back(part);
        }
    };
    reach(type);
    std::vector<bool> kept(open.size());
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < open.size(); ++i) {
            if (kept[i] || !reached.count(terms.find(open[i].subject))) continue;
            kept[i] = more = true;
            if (open[i].result.valid()) reach(open[i].result);
            for (TermId part : open[i].parts) reach(part);
        }
    }
    std::vector<Deferred> found;
    for (size_t i = 0; i < open.size(); ++i)
        if (kept[i]) found.push_back(open[i]);
    return found;
}
} // namespace

std::vector<std::vector<FunctionId>> reference_groups(const Module& module) {
    // Tarjan's strongly connected components, with the stack of calls kept by hand: chains of calls can be long.
    size_t count = module.functions.size();
    constexpr uint32_t unseen = UINT32_MAX;
    std::vector<uint32_t> order(count, unseen), low(count);
    std::vector<bool> waiting(count);
    std::vector<std::vector<FunctionId>> references(count), groups;
    std::vector<FunctionId> stack;
    struct Visit { FunctionId id; size_t next = 0; };
    std::vector<Visit> path;
    uint32_t next_order = 0;
    auto enter = [&](FunctionId id) {
        references_in(module[id], module[id].body, references[id.index]);
        order[id.index] = low[id.index] = next_order++;
        waiting[id.index] = true;
        stack.push_back(id);
        path.push_back({id});
    };
    for (size_t i = 0; i < count; ++i) {
        if (order[i] != unseen) continue;
        enter(FunctionId(i));
        while (!path.empty()) {
            Visit& visit = path.back();
            uint32_t at = visit.id.index;
            if (visit.next < references[at].size()) {
                FunctionId to = references[at][visit.next++];
                if (order[to.index] == unseen) enter(to);
                else if (waiting[to.index]) low[at] = std::min(low[at], order[to.index]);
                continue;
            }
            path.pop_back();
            if (!path.empty()) low[path.back().id.index] = std::min(low[path.back().id.index], low[at]);
            if (low[at] != order[at]) continue;
            std::vector<FunctionId>& group = groups.emplace_back();
            do {
                group.push_back(stack.back());
                waiting[stack.back().index] = false;
                stack.pop_back();
            } while (group.back().index != at);
            std::sort(group.begin(), group.end());       // text order: errors come in the order of reading
        }
    }
    return groups;
}

Result<std::vector<BodyTypes>> type_functions(TypeContext& context) {
    std::vector<BodyTypes> bodies(context.module.functions.size(), BodyTypes(context.module, context.terms));
    for (const std::vector<FunctionId>& group : reference_groups(context.module)) {
        std::vector<Deferred> open;
        for (FunctionId id : group) {
            bodies[id.index] = read_signature(context, id, true);
            context.schemes[id.index].type = bodies[id.index].type;
        }
        for (FunctionId id : group) TRY(infer_body(context, id, bodies[id.index], open));
        TRY(solve_by_fields(context, open));
        for (FunctionId id : group) TRY(check_body(context, id, bodies[id.index]));
        for (FunctionId id : group) {
            FunctionScheme& scheme = context.schemes[id.index];
            scheme.open = open_in(context.terms, scheme.type, open);
            scheme.general = true;
        }
    }
    return bodies;
}
} // namespace nereus
