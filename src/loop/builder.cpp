#include "loop/builder.h"
#include "loop/verify.h"
#include "tensor/element.h"
#include <algorithm>

namespace nereus::loop {
Builder::Builder(std::string name) { function_.name = std::move(name); }

BufferId Builder::input(std::string name, DType t) {
    function_.buffers.push_back({std::move(name), t, false});
    return BufferId(function_.buffers.size() - 1);
}
BufferId Builder::output(std::string name, DType t) {
    function_.buffers.push_back({std::move(name), t, true});
    return BufferId(function_.buffers.size() - 1);
}
ScalarId Builder::scalar(std::string name, DType t) {
    function_.scalars.push_back({std::move(name), t});
    return ScalarId(function_.scalars.size() - 1);
}
GroupId Builder::group(std::string name, Role role, bool axis) {
    function_.groups.push_back({std::move(name), role, axis});
    return GroupId(function_.groups.size() - 1);
}

// Linear search: a kernel has tens of expressions, and building one is not the cost of compiling it.
ExprId Builder::intern(const Expr& e) {
    std::vector<Expr>& exprs = function_.exprs;
    size_t at = size_t(std::find(exprs.begin(), exprs.end(), e) - exprs.begin());
    if (at == exprs.size()) exprs.push_back(e);
    return ExprId(at);
}
AccessId Builder::intern(Access a) {
    std::sort(a.groups.begin(), a.groups.end());
    std::vector<Access>& accesses = function_.accesses;
    size_t at = size_t(std::find(accesses.begin(), accesses.end(), a) - accesses.begin());
    if (at == accesses.size()) accesses.push_back(std::move(a));
    return AccessId(at);
}

ExprId Builder::number(DType t, double value) { return bits(t, int64_t(word_of(t, value))); }
ExprId Builder::integer(DType t, int64_t value) { return bits(t, int64_t(word_of(t, value))); }
ExprId Builder::bits(DType t, int64_t bits) { return intern({.op = Op::constant, .dtype = t, .bits = bits}); }
ExprId Builder::read(ScalarId s) {
    return intern({.op = Op::scalar, .dtype = function_.scalars[s.index].dtype, .bits = s.index});
}
ExprId Builder::index(GroupId g) { return intern({.op = Op::index, .dtype = DType::i64, .bits = g.index}); }
ExprId Builder::load(BufferId buffer, std::vector<GroupId> groups, std::vector<Indirect> at) {
    DType t = function_.buffers[buffer.index].dtype;
    AccessId access = intern(Access{buffer, std::move(groups), std::move(at)});
    return intern({.op = Op::load, .dtype = t, .bits = access.index});
}
ExprId Builder::apply(Op op, ExprId a, ExprId b, ExprId c) {
    bool boolean = op_row(op).gives == Gives::boolean;
    DType t = boolean ? DType::boolean : dtype_of(op == Op::select ? b : a);
    return intern({.op = op, .dtype = t, .a = a, .b = b, .c = c});
}
ExprId Builder::cast(ExprId a, DType t) {
    if (dtype_of(a) == t) return a;
    return intern({.op = Op::cast, .dtype = t, .a = a});
}
ExprId Builder::bit_cast(ExprId a, DType t) { return intern({.op = Op::bit_cast, .dtype = t, .a = a}); }
ExprId Builder::philox(ExprId key, ExprId counter, DType t) {
    return intern({.op = Op::philox, .dtype = t, .a = key, .b = counter});
}

void Builder::store(BufferId out, std::vector<GroupId> groups, ExprId value, std::vector<Indirect> at) {
    function_.body.push_back(Store{intern(Access{out, std::move(groups), std::move(at)}), value});
}
ExprId Builder::reduce(Fold fold, GroupId over, ExprId value) {
    int result = function_.values++;
    function_.body.push_back(Reduce{fold, over, value, result});
    return intern({.op = Op::value, .dtype = dtype_of(value), .bits = result});
}
ExprId Builder::contract(GroupId over, ExprId left, ExprId right) {
    int result = function_.values++;
    function_.body.push_back(Contract{over, left, right, result});
    return intern({.op = Op::value, .dtype = dtype_of(left), .bits = result});
}
void Builder::accumulate(Update update, BufferId out, std::vector<GroupId> groups, std::vector<Indirect> at,
                         ExprId value) {
    function_.body.push_back(Accumulate{update, intern(Access{out, std::move(groups), std::move(at)}), value});
}
void Builder::count(ExprId where) { function_.body.push_back(Compact{where, {}, {}, {}}); }
void Builder::compact(ExprId where, BufferId out, ExprId value) {
    function_.body.push_back(Compact{where, out, value, {}});
}
void Builder::compact_coordinates(ExprId where, BufferId out, ScalarId row) {
    function_.body.push_back(Compact{where, out, {}, row});
}

Result<Function> Builder::finish() && {
    TRY(verify(function_));
    return std::move(function_);
}
} // namespace nereus::loop
