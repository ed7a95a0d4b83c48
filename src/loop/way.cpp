#include "loop/way.h"
#include "exe/filled_params.h"
#include "loop/verify.h"
#include <algorithm>
#include <array>

namespace nereus::loop {
namespace {
bool names(const Access& a, GroupId g) { return std::ranges::find(a.groups, g) != a.groups.end(); }

class Choice {
 public:
    Choice(const Scheduled& s, const int64_t* p, bool masks)
        : f_(s.function), layout_(s.params), p_(p), masks_(masks) {}

    Way take(const MapPlan& plan) const {
        std::vector<ExprId> values;
        std::vector<AccessId> outs;
        for (const Statement& s : f_.body)
            values.push_back(std::get<Store>(s).value), outs.push_back(std::get<Store>(s).out);
        return wide(plan.over, plan.width, values, outs) ? Way::vectors : Way::lanes;
    }
    Way take(const ScatterPlan& plan) const {
        std::vector<ExprId> values;
        std::vector<AccessId> outs;
        for (const Statement& s : f_.body)
            values.push_back(std::get<Accumulate>(s).value), outs.push_back(std::get<Accumulate>(s).out);
        return wide(plan.over, plan.width, values, outs) ? Way::vectors : Way::lanes;
    }
    Way take(const CompactPlan&) const { return Way::pass; }
    Way take(const RowPlan& plan) const {
        constexpr int64_t short_row = 8;                 // as in codegen/row.cpp
        if (plan.width == 1) return Way::lanes;
        std::vector<ExprId> reads;
        std::vector<AccessId> written;
        bool rows_unit = true;
        for (const Statement& s : f_.body) {
            const Reduce* r = std::get_if<Reduce>(&s);
            const Store* store = std::get_if<Store>(&s);
            reads.push_back(r ? r->value : store->value);
            if (store) written.push_back(store->out);
            if (store && !names(f_.access(store->out), plan.inner)) continue;
            rows_unit = rows_unit &&
                        unit(plan.inner, {reads.back()}, store ? std::vector{store->out} : std::vector<AccessId>());
        }
        const bool rows_fit = rows_unit && extent(plan.inner) >= short_row;
        const int64_t least = masks_ ? plan.width / 4 : plan.width;
        if (!rows_fit && unit(plan.outer, reads, written) && extent(plan.outer) >= least) return Way::columns;
        return rows_unit && (masks_ || extent(plan.inner) >= plan.width) ? Way::rows : Way::lanes;
    }
    Way take(const ContractPlan& plan) const {
        const Contract& c = std::get<Contract>(f_.body[0]);
        const ExprId from_left = source(c.left), from_right = source(c.right);
        const Access *left = plain(from_left), *right = plain(from_right);
        const int64_t left_size = size_of(f_.expr(from_left).dtype), right_size = size_of(f_.expr(from_right).dtype);
        const bool adjacent = right && (plan.panels || stride(*right, plan.n) == right_size);
        const bool along = left && right && stride(*left, plan.k) == left_size && stride(*right, plan.k) == right_size;
        const bool dots = std::min(points(plan.m), points(plan.n)) <= loop::few && extent(plan.k) == points(plan.k);
        if (!adjacent && along && dots && plan.width > 1) return Way::dots;
        return adjacent && left ? Way::tiles : Way::blocks;
    }

 private:
    int64_t extent(GroupId g) const {                    // of the last axis
        const int64_t rank = std::max<int64_t>(p_[layout_.group_slot(g.index)], 1);
        return p_[p_[layout_.group_slot(g.index) + 1] + rank - 1];
    }
    int64_t points(GroupId g) const { return p_[layout_.group_slot(g.index) + 2]; }
    std::optional<int64_t> last_stride(BufferId b, GroupId g) const {
        return stride_along(layout_, p_, g.index, b.index);
    }
    int64_t stride(const Access& a, GroupId g) const { return names(a, g) ? last_stride(a.buffer, g).value_or(0) : 0; }

    bool wide(GroupId along, int width, const std::vector<ExprId>& reads, const std::vector<AccessId>& written) const {
        return width > 1 && (masks_ || extent(along) >= width) && unit(along, reads, written);
    }
    // codegen/inner.cpp: what is loaded moves by one element or not at all, what is written by one, and what an index reads not.
    bool unit(GroupId along, const std::vector<ExprId>& reads, const std::vector<AccessId>& written) const {
        std::vector<std::array<bool, 2>> seen(f_.exprs.size());
        bool fits = true;
        auto demand = [&](BufferId b, bool moves, bool stands) {
            const std::optional<int64_t> by = last_stride(b, along);
            if (by) fits = fits && ((moves && *by == size_of(f_.buffers[b.index].dtype)) || (stands && *by == 0));
        };
        auto walk = [&](auto& self, ExprId id, bool inside_index) -> void {
            if (std::exchange(seen[id.index][inside_index], true)) return;
            const Expr& x = f_.expr(id);
            for (ExprId operand : {x.a, x.b, x.c})
                if (operand.valid()) self(self, operand, inside_index);
            if (x.op != Op::load) return;
            const Access& a = f_.access(AccessId{size_t(x.bits)});
            for (const Indirect& at : a.at) self(self, at.index, true);
            if (names(a, along)) demand(a.buffer, !inside_index, true);
        };
        for (ExprId e : reads) walk(walk, e, false);
        for (AccessId id : written) {
            for (const Indirect& at : f_.access(id).at) walk(walk, at.index, true);
            demand(f_.access(id).buffer, true, false);
        }
        return fits;
    }
    const Access* plain(ExprId e) const {
        const Expr& x = f_.expr(e);
        if (x.op != Op::load) return nullptr;
        const Access& a = f_.accesses[size_t(x.bits)];
        return a.at.empty() ? &a : nullptr;
    }
    // codegen/contract.cpp: a cast to a wider integer is read where it lies, and widened in registers.
    ExprId source(ExprId e) const {
        const Expr& x = f_.expr(e);
        if (x.op != Op::cast || !is_integer(x.dtype) || !plain(x.a)) return e;
        const DType from = f_.expr(x.a).dtype;
        return is_integer(from) && size_of(from) < size_of(x.dtype) ? x.a : e;
    }

    const Function& f_;
    const ParamLayout& layout_;
    const int64_t* p_;
    const bool masks_;
};
} // namespace

std::string_view way_name(Way way) {
    constexpr std::string_view names[] = {"vectors", "rows",  "columns", "tiles",  "dots",
                                          "blocks",  "lanes", "pass",    "library"};
    return names[size_t(way)];
}

Way way_of(const Scheduled& s, const int64_t* p, bool masks) {
    const Choice choice(s, p, masks);
    return std::visit([&](const auto& plan) { return choice.take(plan); }, s.plan);
}
} // namespace nereus::loop
