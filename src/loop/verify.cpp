// One walk over names, expressions and statements. The rule of scopes: a store sees every group of its access; a fold
// adds its own group; every value in a statement may change along those groups only.
#include "loop/verify.h"
#include "loop/text.h"
#include <bit>
#include <set>

namespace nereus::loop {
namespace {
uint64_t mask_of(const std::vector<GroupId>& groups) {
    uint64_t mask = 0;
    for (GroupId g : groups) mask |= uint64_t(1) << g.index;
    return mask;
}

class Verifier {
 public:
    explicit Verifier(const Function& f) : f_(f) {}

    Status run() {
        if (f_.groups.size() > 64) return wrong("more than 64 groups");
        std::set<std::string> names;
        for (const Buffer& b : f_.buffers) TRY(name(names, b.name, b.dtype));
        for (const Scalar& s : f_.scalars) TRY(name(names, s.name, s.dtype));
        for (const Group& g : f_.groups) TRY(name(names, g.name));
        for (size_t i = 0; i < f_.exprs.size(); ++i) TRY(expr(i));
        for (const Access& a : f_.accesses) TRY(access(a, f_.exprs.size()));
        masks_ = group_masks(f_);
        for (const Group& g : f_.groups)
            if (g.role == Role::parallel) outer_ |= uint64_t(1) << (&g - f_.groups.data());
        for (const Statement& s : f_.body)
            TRY(std::visit([&](const auto& statement) { return check(statement); }, s));
        if (bound_ != f_.values) return wrong("some value is never computed");
        if (f_.body.empty()) return wrong("the body is empty");
        return {};
    }

 private:
    Error wrong(const std::string& what) const {
        return Error{Code::internal, "loop function '" + f_.name + "': " + what};
    }
    Status name(std::set<std::string>& names, const std::string& n, DType t = DType::i64) {
        if (is_text(t)) return wrong("'" + n + "' is of texts: their numbers are u32");
        if (is_storage(t)) return wrong("'" + n + "' is of a type that is only stored: its codes are u8");
        if (!is_name(n)) return wrong("'" + n + "' is not a name");
        if (!names.insert(n).second) return wrong("the name '" + n + "' is used twice");
        return {};
    }
    bool has(ExprId e, size_t limit) const { return e.index < limit; }

    Status expr(size_t i) {
        const Expr& e = f_.exprs[i];
        const OpRow& row = op_row(e.op);
        ExprId operands[] = {e.a, e.b, e.c};
        for (int k = 0; k < 3; ++k)
            if (k < row.operands ? !has(operands[k], i) : operands[k].valid())
                return wrong(std::string(row.name) + " has a missing, extra or later operand");
        if (row.operands == 0) return leaf(e, i);
        bool picks = e.op == Op::select;
        if (picks && f_.expr(e.a).dtype != DType::boolean) return wrong("select needs a bool first");
        DType t = f_.expr(picks ? e.b : e.a).dtype;
        if (!takes_dtype(row.takes, t))
            return wrong(std::string(row.name) + " does not take " + std::string(dtype_name(t)));
        for (int k = picks ? 2 : 1; k < row.operands; ++k)
            if (f_.expr(operands[k]).dtype != t)
                return wrong(std::string(row.name) + " takes operands of one dtype");
        if (row.gives == Gives::same && e.dtype != t)
            return wrong(std::string(row.name) + " gives its operand's dtype");
        if (row.gives == Gives::boolean && e.dtype != DType::boolean) return wrong("a comparison gives bool");
        if (e.op == Op::bit_cast && (size_of(t) < 4 || size_of(t) != size_of(e.dtype)))
            return wrong("bit_cast is between numbers of 32 bits or of 64");
        if (e.op == Op::philox && (t != DType::i64 || (e.dtype != DType::i32 && e.dtype != DType::i64)))
            return wrong("philox takes i64 and gives i32 or i64");
        return {};
    }

    Status leaf(const Expr& e, size_t i) {
        size_t at = size_t(e.bits);
        switch (e.op) {
        case Op::constant:
            if (e.dtype == DType::boolean && (e.bits & ~int64_t(1))) return wrong("a bool is 0 or 1");
            return {};
        case Op::scalar:
            if (at >= f_.scalars.size() || f_.scalars[at].dtype != e.dtype)
                return wrong("a scalar that is not there");
            return {};
        case Op::index:
            if (at >= f_.groups.size() || e.dtype != DType::i64) return wrong("the index of a group is i64");
            return {};
        case Op::load:
            if (at >= f_.accesses.size()) return wrong("an access that is not there");
            TRY(access(f_.accesses[at], i));
            if (f_.buffers[f_.accesses[at].buffer.index].dtype != e.dtype)
                return wrong("a load has its buffer's dtype");
            return {};
        case Op::value:
            if (e.bits < 0 || e.bits >= f_.values) return wrong("a value that is not there");
            return {};
        default: return wrong("not a leaf");
        }
    }

    Status access(const Access& a, size_t limit) {
        if (a.buffer.index >= f_.buffers.size()) return wrong("a buffer that is not there");
        for (size_t k = 0; k < a.groups.size(); ++k) {
            if (a.groups[k].index >= f_.groups.size()) return wrong("a group that is not there");
            if (k > 0 && a.groups[k - 1] >= a.groups[k]) return wrong("groups of an access ascend");
        }
        for (const Indirect& at : a.at) {
            if (!has(at.index, limit) || !is_integer(f_.expr(at.index).dtype))
                return wrong("an index is an integer");
            for (ScalarId s : {at.stride, at.extent})
                if (s.index >= f_.scalars.size() || f_.scalars[s.index].dtype != DType::i64)
                    return wrong("stride and extent of an index are i64 scalars");
        }
        return {};
    }

    // e may change along `scope` only, reads values already computed, and has the dtype asked for.
    Status uses(ExprId e, uint64_t scope, const char* where) {
        if (!has(e, f_.exprs.size())) return wrong(std::string(where) + " lacks its expression");
        if (masks_[e.index] & ~scope)
            return wrong(std::string(where) + " uses group '" +
                         f_.groups[size_t(std::countr_zero(masks_[e.index] & ~scope))].name + "' out of scope");
        return values_known(e);
    }
    Status values_known(ExprId root) {
        std::vector<ExprId> todo = {root};
        std::set<ExprId> seen;
        while (!todo.empty()) {
            ExprId e = todo.back();
            todo.pop_back();
            if (!e.valid() || !seen.insert(e).second) continue;
            const Expr& x = f_.expr(e);
            if (x.op == Op::value && x.bits >= bound_) return wrong("a value is used before it is computed");
            if (x.op == Op::value && x.dtype != value_dtypes_[size_t(x.bits)])
                return wrong("a value changes its dtype");
            if (x.op == Op::load)
                for (const Indirect& at : f_.accesses[size_t(x.bits)].at) todo.push_back(at.index);
            for (ExprId operand : {x.a, x.b, x.c}) todo.push_back(operand);
        }
        return {};
    }
    Status out(AccessId a, ExprId value, uint64_t& scope) {
        if (a.index >= f_.accesses.size()) return wrong("a store lacks its access");
        const Access& to = f_.access(a);
        if (!f_.buffers[to.buffer.index].out)
            return wrong("'" + f_.buffers[to.buffer.index].name + "' is not an output");
        scope = outer_ | mask_of(to.groups);
        for (const Indirect& at : to.at) TRY(uses(at.index, scope, "the index of a store"));
        TRY(uses(value, scope, "a store"));
        if (f_.expr(value).dtype != f_.buffers[to.buffer.index].dtype)
            return wrong("a store has its buffer's dtype");
        return {};
    }
    Status bind(int result, DType t) {
        if (result != bound_) return wrong("values are numbered in order");
        ++bound_;
        value_dtypes_.push_back(t);
        return {};
    }
    Status folds(GroupId over) {
        if (over.index >= f_.groups.size() || f_.groups[over.index].role != Role::reduce)
            return wrong("a fold runs over a reduce group");
        return {};
    }

    Status check(const Store& s) {
        uint64_t scope = 0;
        TRY(out(s.out, s.value, scope));
        for (GroupId g : f_.access(s.out).groups)
            if (f_.groups[g.index].role == Role::sequential)
                return wrong("a store cannot follow a sequential group");
        return {};
    }
    Status check(const Reduce& r) {
        TRY(folds(r.over));
        TRY(uses(r.value, outer_ | uint64_t(1) << r.over.index, "a fold"));
        DType t = f_.expr(r.value).dtype;
        bool logical = r.fold == Fold::any || r.fold == Fold::all;
        if (logical != (t == DType::boolean)) return wrong("any and all fold bool, the others numbers");
        return bind(r.result, t);
    }
    Status check(const Contract& c) {
        TRY(folds(c.over));
        uint64_t scope = outer_ | uint64_t(1) << c.over.index;
        TRY(uses(c.left, scope, "a contraction"));
        TRY(uses(c.right, scope, "a contraction"));
        DType t = f_.expr(c.left).dtype;
        if (t == DType::boolean || f_.expr(c.right).dtype != t)
            return wrong("a contraction multiplies two numbers of one dtype");
        return bind(c.result, t);
    }
    Status check(const Accumulate& a) {
        uint64_t scope = 0;
        if (a.out.index >= f_.accesses.size()) return wrong("an update lacks its access");
        for (size_t g = 0; g < f_.groups.size(); ++g)
            if (f_.groups[g].role == Role::sequential) outer_ |= uint64_t(1) << g;
        TRY(out(a.out, a.value, scope));
        if (a.update != Update::set && f_.expr(a.value).dtype == DType::boolean)
            return wrong("an update combines numbers");
        return {};
    }
    Status check(const Compact& c) {
        uint64_t scope = 0;
        for (size_t g = 0; g < f_.groups.size(); ++g)
            if (f_.groups[g].role == Role::sequential) scope |= uint64_t(1) << g;
        TRY(uses(c.where, scope, "compact"));
        if (f_.expr(c.where).dtype != DType::boolean) return wrong("compact needs a bool condition");
        if (!c.out.valid()) return {};
        if (c.out.index >= f_.buffers.size() || !f_.buffers[c.out.index].out)
            return wrong("compact writes an output");
        DType t = f_.buffers[c.out.index].dtype;
        if (c.value.valid()) {
            TRY(uses(c.value, scope, "compact"));
            if (f_.expr(c.value).dtype != t) return wrong("compact writes its buffer's dtype");
            return {};
        }
        bool row = c.row.index < f_.scalars.size() && f_.scalars[c.row.index].dtype == DType::i64;
        if (t != DType::i64 || !row) return wrong("coordinates are i64 and rows are an i64 scalar apart");
        return {};
    }

    const Function& f_;
    std::vector<uint64_t> masks_;
    std::vector<DType> value_dtypes_;
    uint64_t outer_ = 0;                  // groups in scope of every statement
    int bound_ = 0;
};
} // namespace

std::vector<uint64_t> group_masks(const Function& f) {
    uint64_t outer = 0;
    for (size_t g = 0; g < f.groups.size(); ++g)
        if (f.groups[g].role == Role::parallel) outer |= uint64_t(1) << g;
    std::vector<uint64_t> masks(f.exprs.size(), 0);
    for (size_t i = 0; i < f.exprs.size(); ++i) {
        const Expr& e = f.exprs[i];
        for (ExprId operand : {e.a, e.b, e.c})
            if (operand.valid()) masks[i] |= masks[operand.index];
        if (e.op == Op::index) masks[i] |= uint64_t(1) << e.bits;
        if (e.op == Op::value) masks[i] |= outer;             // computed once per point of the parallel groups
        if (e.op != Op::load) continue;
        const Access& a = f.accesses[size_t(e.bits)];
        masks[i] |= mask_of(a.groups);
        for (const Indirect& at : a.at) masks[i] |= masks[at.index.index];
    }
    return masks;
}

Status verify(const Function& f) { return Verifier(f).run(); }
} // namespace nereus::loop
