#include "loop/cost.h"
#include "exe/filled_params.h"
#include "loop/verify.h"
#include <algorithm>

namespace nereus::loop {
namespace {
bool computes(Op op) {
    switch (op) {
    case Op::constant:
    case Op::scalar:
    case Op::index:
    case Op::load:
    case Op::value:
    case Op::cast:
    case Op::bit_cast: return false;
    default: return true;
    }
}

class Count {
 public:
    Count(const Function& f, const ParamLayout& layout, const int64_t* p)
        : f_(f), layout_(layout), p_(p), masks_(group_masks(f)) {}
    Cost run() {
        Cost cost{.points = 1};
        for (size_t g = 0; g < f_.groups.size(); ++g) cost.points *= group_points(g);
        if (cost.points == 0) return cost;
        for (size_t e = 0; e < f_.exprs.size(); ++e)
            if (computes(f_.exprs[e].op)) cost.flops += points(masks_[e]);
        for (const Statement& s : f_.body) {
            if (const Reduce* r = std::get_if<Reduce>(&s)) cost.flops += points(outer() | bit(r->over));
            else if (const Contract* c = std::get_if<Contract>(&s)) cost.flops += 2 * points(outer() | bit(c->over));
            else if (const Accumulate* a = std::get_if<Accumulate>(&s))
                cost.flops += a->update == Update::set ? 0 : double(cost.points);
        }
        for (size_t b = 0; b < f_.buffers.size(); ++b) (f_.buffers[b].out ? cost.written : cost.read) += bytes(b);
        return cost;
    }

 private:
    static uint64_t bit(GroupId g) { return uint64_t(1) << g.index; }
    int64_t group_points(size_t g) const { return p_[layout_.group_slot(g) + 2]; }
    uint64_t outer() const {
        uint64_t mask = 0;
        for (size_t g = 0; g < f_.groups.size(); ++g)
            if (f_.groups[g].role != Role::reduce) mask |= uint64_t(1) << g;
        return mask;
    }
    double points(uint64_t mask) const {
        double count = 1;
        for (size_t g = 0; g < f_.groups.size(); ++g)
            if (mask >> g & 1) count *= double(group_points(g));
        return count;
    }
    // Of the widest access; none has more than the buffer is thought to have.
    double bytes(size_t buffer) const {
        double most = 0;
        for (const Access& a : f_.accesses) {
            if (a.buffer.index != buffer) continue;
            double count = 1;
            uint64_t met = 0;
            for (const Indirect& at : a.at) met |= masks_[at.index.index];
            for (GroupId g : a.groups) count *= double(elements_along(layout_, p_, g.index, buffer)), met &= ~bit(g);
            most = std::max(most, count * points(met));
        }
        for (const Statement& s : f_.body)                       // a compact writes what it keeps: at most all
            if (const Compact* c = std::get_if<Compact>(&s); c && c->out.valid() && c->out.index == buffer)
                most = points(outer());
        return most * double(size_of(f_.buffers[buffer].dtype));
    }

    const Function& f_;
    const ParamLayout& layout_;
    const int64_t* p_;
    const std::vector<uint64_t> masks_;
};
} // namespace

Cost cost_of(const Function& f, const ParamLayout& layout, const int64_t* p) { return Count(f, layout, p).run(); }
} // namespace nereus::loop
