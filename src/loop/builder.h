// loop/builder.h - writes a loop function; equal expressions and accesses become one. Mistakes are found by finish().
#pragma once
#include "base/result.h"
#include "loop/loop.h"
#include <initializer_list>

namespace nereus::loop {
class Builder {
 public:
    explicit Builder(std::string name);

    BufferId input(std::string name, DType t);
    BufferId output(std::string name, DType t);
    ScalarId scalar(std::string name, DType t);
    GroupId group(std::string name, Role role, bool axis = false);

    ExprId number(DType t, double value);            // any dtype; exact for integers up to 2^53
    ExprId integer(DType t, int64_t value);
    ExprId bits(DType t, int64_t bits);
    ExprId read(ScalarId scalar);
    ExprId index(GroupId group);
    ExprId load(BufferId buffer, std::vector<GroupId> groups, std::vector<Indirect> at = {});
    ExprId apply(Op op, ExprId a, ExprId b = {}, ExprId c = {});
    ExprId cast(ExprId a, DType t);                  // a itself when it already has the dtype
    ExprId bit_cast(ExprId a, DType t);
    ExprId philox(ExprId key, ExprId counter, DType t);

    void store(BufferId out, std::vector<GroupId> groups, ExprId value, std::vector<Indirect> at = {});
    ExprId reduce(Fold fold, GroupId over, ExprId value);
    ExprId contract(GroupId over, ExprId left, ExprId right);
    void accumulate(Update update, BufferId out, std::vector<GroupId> groups, std::vector<Indirect> at, ExprId value);
    void count(ExprId where);
    void compact(ExprId where, BufferId out, ExprId value);
    void compact_coordinates(ExprId where, BufferId out, ScalarId row);

    DType dtype_of(ExprId e) const { return function_.expr(e).dtype; }
    Result<Function> finish() &&;                    // verified

 private:
    ExprId intern(const Expr& e);
    AccessId intern(Access a);
    Function function_;
};
} // namespace nereus::loop
