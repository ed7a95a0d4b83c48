#include "generator/pairs.h"

namespace nereus::gen {
namespace {
struct Walk {
    Pairs& pairs;
    std::vector<int> around = std::vector<int>(construct_count);         // how many of each are open

    void enter(Construct what) {
        for (int outer = 0; outer < construct_count; ++outer)
            if (around[size_t(outer)] > 0) ++pairs.seen[outer][int(what)];
        ++around[size_t(what)];
    }
    void leave(Construct what) { --around[size_t(what)]; }

    void expr(const Expr& e) {
        enter(e.what);
        for (const Expr& arg : e.args) expr(arg);
        for (const Block& b : e.blocks) block(b);
        leave(e.what);
    }
    void block(const Block& b) {
        for (const Statement& s : b.statements) {
            enter(s.what);
            expr(s.value);
            leave(s.what);
        }
        expr(b.result);
    }
};
} // namespace

void Pairs::add(const Program& program) {
    Walk walk{*this};
    for (const Function& f : program.functions) {
        walk.enter(f.what);
        walk.block(f.body);
        walk.leave(f.what);
    }
}

bool is_possible(Construct outer, Construct inner) { return outer != Construct::leaf && inner != Construct::leaf; }
} // namespace nereus::gen
