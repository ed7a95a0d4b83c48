// loop/loop.h - a loop function: what one kernel computes, for every rank and every size.
//
// A *group* is an odometer whose rank is known only at launch: the host gives a list of extents and, per buffer, a
// list of strides (in elements, 0 = broadcast). So one function serves every rank, broadcast, transpose and slice.
// An access adds the offsets of the groups it names (printed in the order of declaration); $0 names an expression
// with several uses. Nothing here depends on a size or on a machine; schedule.h does.
//
//   kernel softmax(x: f32, y: out f32) {            kernel gather(x: f32, ids: i64, y: out f32; s: i64, n: i64) {
//     parallel g                                      parallel g
//     reduce r                                        y[g] = x[g, at(ids[g], s, n)]
//     %0 = max over r of x[g, r]                    }
//     $0 = exp(sub(x[g, r], %0))                    kernel matmul(a: f32, b: f32, y: out f32) {
//     %1 = sum over r of $0                           parallel i; parallel axis m; parallel axis n
//     y[g, r] = div($0, %1)                           reduce axis k
//   }                                                 %0 = contract over k of a[i, m, k], b[i, n, k]
//   kernel scatter(v: f32, ids: i64,                  y[i, m, n] = %0
//                  y: out f32; s: i64, n: i64) {    }
//     parallel g
//     sequential j                                  kernel nonzero(c: bool, y: out i64; row: i64) {
//     y[g, at(ids[j], s, n)] += v[g, j]               sequential g
//   }                                                 compact y(row) = coordinates where c[g]
//                                                   }
#pragma once
#include "loop/expr.h"
#include <string>
#include <variant>
#include <vector>

namespace nereus::loop {
enum class Role : uint8_t { parallel, reduce, sequential };

struct Group {
    std::string name;
    Role role;
    bool axis = false;                    // exactly one axis, never collapsed: m, n and k of a contraction
};
struct Buffer { std::string name; DType dtype; bool out; };   // inputs may overlap; outputs overlap nothing but see below
struct Scalar { std::string name; DType dtype; };

// Adds index * stride elements to an address; an index outside [0, extent) is Fault::index_range.
struct Indirect {
    ExprId index;                         // an integer
    ScalarId stride, extent;              // i64
    bool operator==(const Indirect&) const = default;
};
struct Access {
    BufferId buffer;
    std::vector<GroupId> groups;          // ascending
    std::vector<Indirect> at;
    bool operator==(const Access&) const = default;
};

// Of nothing: 0, 1, -inf or the lowest integer, inf or the highest, false, true.
enum class Fold : uint8_t { sum, prod, max, min, any, all };
enum class Update : uint8_t { set, add, mul, max, min };

// Statements run in order at every point of the parallel groups; a value number is bound by Reduce or Contract.
struct Store { AccessId out; ExprId value; };                         // at every point of the groups of `out`
struct Reduce { Fold fold; GroupId over; ExprId value; int result; };
struct Contract { GroupId over; ExprId left, right; int result; };    // sum of left * right
struct Accumulate { Update update; AccessId out; ExprId value; };     // in row-major order of the sequential group
struct Compact {                          // Launch.out[0] = how often `where` holds, in row-major order
    ExprId where;
    BufferId out;                         // invalid: count only
    ExprId value;                         // out[k] = value; invalid: out[axis * row + k] = coordinate (i64)
    ScalarId row;                         // i64; only with coordinates
};
using Statement = std::variant<Store, Reduce, Contract, Accumulate, Compact>;

struct Function {
    std::string name;
    std::vector<Buffer> buffers;          // the order of Launch.buf
    std::vector<Scalar> scalars;
    std::vector<Group> groups;
    std::vector<Access> accesses;
    std::vector<Expr> exprs;              // operands come before their users; equal expressions are one
    std::vector<Statement> body;
    int values = 0;                       // how many value numbers there are

    const Expr& expr(ExprId e) const { return exprs[e.index]; }
    const Access& access(AccessId a) const { return accesses[a.index]; }
};

// Is each point of `in` read by the one point alone that writes it to `out`, given that their strides are equal? Then the
// two may be one buffer.
bool reads_where_it_writes(const Function& kernel, BufferId in, BufferId out);
} // namespace nereus::loop
