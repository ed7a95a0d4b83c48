#include "loop/schedule.h"
#include "loop/verify.h"
#include <algorithm>
#include <optional>

namespace nereus::loop {
namespace {
constexpr int64_t points_per_task = 8192;          // one or two microseconds of simple work
constexpr int64_t products_per_task = 1 << 17;
constexpr int k_block = 256;

uint64_t bit(GroupId g) { return uint64_t(1) << g.index; }

bool reaches_index(const Function& f, ExprId root, GroupId g) {
    const Expr& e = f.expr(root);
    if (e.op == Op::index) return e.bits == int64_t(g.index);
    if (e.op == Op::load)
        for (const Indirect& at : f.accesses[size_t(e.bits)].at)
            if (reaches_index(f, at.index, g)) return true;
    for (ExprId operand : {e.a, e.b, e.c})
        if (operand.valid() && reaches_index(f, operand, g)) return true;
    return false;
}

// Of a lane in a register: small floats are computed as f32.
int64_t register_size(DType t) { return is_small_float(t) ? size_of(DType::f32) : size_of(t); }

// Lanes of a vector body along `along`; 1 if no vector body is worth or able to be written:
// there is no vector division of 64-bit integers, and an index may not change from lane to lane.
int vector_width(const Function& f, const Machine& machine, GroupId along) {
    int64_t narrowest = 8, widest = 1;
    bool numbers = false;
    std::vector<uint64_t> masks = group_masks(f);
    for (size_t i = 0; i < f.exprs.size(); ++i) {
        const Expr& e = f.exprs[i];
        if (!(masks[i] & bit(along)) && e.op != Op::constant) continue;
        bool divides = e.op == Op::div || e.op == Op::floor_div || e.op == Op::mod || e.op == Op::rem;
        if (divides && is_integer(e.dtype) && size_of(e.dtype) == 8) return 1;
        if (e.dtype == DType::boolean) continue;
        numbers = true;
        narrowest = std::min(narrowest, register_size(e.dtype));
        widest = std::max(widest, register_size(e.dtype));
    }
    narrowest = std::max(narrowest, widest / 4);       // one vector of the narrowest is at most four of the widest
    for (const Access& a : f.accesses)
        for (const Indirect& at : a.at)
            if (reaches_index(f, at.index, along)) return 1;
    return machine.vector_bytes / int(numbers ? narrowest : 1);
}

struct Form {                                      // the groups and statements of a function, by kind
    std::vector<GroupId> outer, outer_axes, reduce, reduce_axes, sequential;
    int stores = 0, reduces = 0, contracts = 0, accumulates = 0, compacts = 0;
};

Form form_of(const Function& f) {
    Form form;
    for (size_t i = 0; i < f.groups.size(); ++i) {
        const Group& g = f.groups[i];
        switch (g.role) {
        case Role::parallel: (g.axis ? form.outer_axes : form.outer).push_back(GroupId(i)); break;
        case Role::reduce: (g.axis ? form.reduce_axes : form.reduce).push_back(GroupId(i)); break;
        case Role::sequential: form.sequential.push_back(GroupId(i)); break;
        }
    }
    for (const Statement& s : f.body) {
        form.stores += std::holds_alternative<Store>(s);
        form.reduces += std::holds_alternative<Reduce>(s);
        form.contracts += std::holds_alternative<Contract>(s);
        form.accumulates += std::holds_alternative<Accumulate>(s);
        form.compacts += std::holds_alternative<Compact>(s);
    }
    return form;
}

// Strides are passed for the pairs of buffer and group that some access names.
ParamLayout layout_of(const Function& f) {
    ParamLayout layout;
    for (const Buffer& b : f.buffers) layout.buffers.push_back(b.dtype);
    layout.scalars = int32_t(f.scalars.size());
    for (size_t g = 0; g < f.groups.size(); ++g) {
        GroupLayout group;
        group.keep_axes = f.groups[g].axis;
        for (size_t b = 0; b < f.buffers.size(); ++b)
            if (std::any_of(f.accesses.begin(), f.accesses.end(), [&](const Access& a) {
                    return a.buffer.index == b &&
                           std::find(a.groups.begin(), a.groups.end(), GroupId(g)) != a.groups.end();
                }))
                group.buffers.push_back(uint16_t(b));
        layout.groups.push_back(std::move(group));
    }
    return layout;
}

// n is the axis that the left factor ignores, m what the right one ignores; what is left is the batch.
std::optional<ContractPlan> contract_plan(const Function& f, const Form& form, const Machine& machine) {
    std::vector<GroupId> parallel = form.outer, over = form.reduce;
    parallel.insert(parallel.end(), form.outer_axes.begin(), form.outer_axes.end());
    over.insert(over.end(), form.reduce_axes.begin(), form.reduce_axes.end());
    const Contract* c = std::get_if<Contract>(&f.body[0]);
    if (parallel.size() != 3 || over.size() != 1 || !form.sequential.empty()) return std::nullopt;
    if (!c || form.contracts != 1 || size_t(form.stores) + 1 != f.body.size()) return std::nullopt;
    std::vector<uint64_t> masks = group_masks(f);
    uint64_t left = masks[c->left.index], right = masks[c->right.index];
    ContractPlan plan{{}, {}, {}, over[0], 1, 4, 2, 1, 1, k_block};
    // An axis before an odometer, the last before others: the batch of a product may be ignored by one factor, too.
    auto take = [&](bool axis, uint64_t ignored_by) {
        for (size_t i = parallel.size(); i-- > 0;)
            if (f.groups[parallel[i].index].axis == axis && !(ignored_by & bit(parallel[i]))) {
                const GroupId found = parallel[i];
                parallel.erase(parallel.begin() + ptrdiff_t(i));
                return found;
            }
        return GroupId();
    };
    plan.n = take(true, left);
    if (!plan.n.valid()) return std::nullopt;
    plan.m = take(true, right);
    if (!plan.m.valid()) plan.m = take(false, right);
    if (!plan.m.valid()) return std::nullopt;
    plan.batch = parallel[0];
    for (size_t s = 1; s < f.body.size(); ++s)
        for (GroupId g : f.access(std::get<Store>(f.body[s]).out).groups)
            if (g == plan.k) return std::nullopt;
    plan.width = machine.vector_bytes / int(register_size(f.expr(c->left).dtype));
    plan.epilogue_width = std::min(plan.width, vector_width(f, machine, plan.n));
    plan.left_width = std::min(plan.width, vector_width(f, machine, plan.k));
    if (machine.fma) plan.rows = 6;                        // 12 sums, 2 columns, 1 row: 15 registers
    if (machine.vector_registers >= 32) plan.vectors = 4;  // 24 sums, 4 columns, 1 row: 29
    return plan;
}

} // namespace

Result<Scheduled> schedule(Function f, const Machine& machine) {
    Form form = form_of(f);
    ParamLayout layout = layout_of(f);
    Error refused{Code::unsupported, "loop function '" + f.name + "': no schedule for this combination of groups"};
    auto id = [](GroupId g) { return uint16_t(g.index); };

    if (form.contracts > 0) {
        std::optional<ContractPlan> plan = contract_plan(f, form, machine);
        if (!plan) return refused;
        DType t = f.expr(std::get<Contract>(f.body[0]).left).dtype;
        int columns = plan->vectors * plan->width, bytes = int(size_of(t));
        layout.grid.dims = {{id(plan->batch), 1}, {id(plan->n), columns}, {id(plan->m), plan->rows, true}};
        layout.grid.work = {id(plan->k)};
        layout.grid.target = products_per_task / (plan->rows * columns);
        int64_t scratch = int64_t(k_block) * (columns + plan->rows) * bytes;
        return Scheduled{std::move(f), *plan, std::move(layout), scratch};
    }
    if (form.compacts > 0) {
        bool alone = f.body.size() == 1 && form.sequential.size() == 1 && f.groups.size() == 1;
        if (!alone) return refused;
        const Compact& c = std::get<Compact>(f.body[0]);
        layout.groups[0].keep_axes = c.out.valid() && !c.value.valid();
        return Scheduled{std::move(f), CompactPlan{form.sequential[0]}, std::move(layout), 0};
    }
    if (form.outer.size() != 1 || !form.outer_axes.empty()) return refused;
    GroupId over = form.outer[0];
    int width = vector_width(f, machine, over);
    layout.grid.dims = {{id(over), 1}};
    layout.grid.target = points_per_task;
    if (form.accumulates > 0) {
        if (size_t(form.accumulates) != f.body.size() || form.sequential.size() != 1 || f.groups.size() != 2)
            return refused;
        layout.grid.align = 64;
        layout.grid.work = {id(form.sequential[0])};
        return Scheduled{std::move(f), ScatterPlan{over, form.sequential[0], width}, std::move(layout), 0};
    }
    if (f.groups.size() == 1) {
        layout.grid.align = 64;                    // tasks write whole cache lines
        return Scheduled{std::move(f), MapPlan{over, width}, std::move(layout), 0};
    }
    std::vector<GroupId> inner = form.reduce;
    inner.insert(inner.end(), form.reduce_axes.begin(), form.reduce_axes.end());
    if (f.groups.size() != 2 || inner.size() != 1) return refused;
    layout.grid.work = {id(inner[0])};
    width = std::min(width, vector_width(f, machine, inner[0]));
    return Scheduled{std::move(f), RowPlan{over, inner[0], width}, std::move(layout), 0};
}
} // namespace nereus::loop
