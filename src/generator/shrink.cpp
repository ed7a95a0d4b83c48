#include "generator/shrink.h"
#include "generator/generator.h"
#include "generator/runner.h"

namespace nereus::gen {
namespace {
class Shrinker {
 public:
    Shrinker(Program& program, Case c, Finding finding, int tries)
        : program_(program), case_(std::move(c)), finding_(std::move(finding)), tries_(tries) {
        if (!finding_.args.empty()) case_.only = finding_.args;
    }
    Finding run() {
        for (bool better = true; better && tries_ > 0;) {
            better = false;
            for (size_t f = program_.functions.size(); f-- > 0;)
                if (f < program_.functions.size()) better = shrink_block(program_.functions[f].body) || better;
        }
        return finding_;
    }

 private:
    // Whether the program, changed, fails in the same way; then its findings are the new ones.
    bool still_fails() {
        if (tries_-- <= 0) return false;
        Program pruned = program_;
        drop_unused_functions(pruned);
        Case candidate = case_;
        candidate.text = pruned.text();
        Verdict verdict = judge_apart(candidate);
        if (!verdict.finding || verdict.finding->kind != finding_.kind) return false;
        finding_ = *verdict.finding;
        return true;
    }
    template <class T> bool try_instead(T& place, T candidate) {
        std::swap(place, candidate);
        if (still_fails()) return true;
        std::swap(place, candidate);
        return false;
    }

    bool shrink_block(Block& b) {
        bool better = false;
        for (size_t i = b.statements.size(); i-- > 0;) {
            std::vector<Statement> fewer = b.statements;
            fewer.erase(fewer.begin() + int64_t(i));
            better = try_instead(b.statements, fewer) || better;
        }
        better = shrink_expr(b.result) || better;
        for (size_t i = b.statements.size(); i-- > 0;) better = shrink_expr(b.statements[i].value) || better;
        return better;
    }

    static void collect(const Expr& e, const Type& type, std::vector<Expr>& out) {
        for (const Expr& arg : e.args) {
            if (arg.type == type) out.push_back(arg);
            else collect(arg, type, out);
        }
        for (const Block& b : e.blocks)
            if (b.result.type == type) out.push_back(b.result);
    }
    bool shrink_expr(Expr& e) {
        if (e.what == Construct::leaf && e.args.empty()) return false;
        Expr least = Generator(Options{}).literal(e.type);
        if (e.what != Construct::leaf && try_instead(e, least)) return true;
        std::vector<Expr> inside;
        collect(e, e.type, inside);
        for (Expr& part : inside)
            if (try_instead(e, part)) {
                shrink_expr(e);
                return true;
            }
        bool better = false;
        for (Expr& arg : e.args) better = shrink_expr(arg) || better;
        for (Block& b : e.blocks) better = shrink_block(b) || better;
        return better;
    }

    Program& program_;
    Case case_;
    Finding finding_;
    int tries_;
};
} // namespace

Finding shrink(Program& program, Case c, Finding finding, int tries) {
    finding = Shrinker(program, std::move(c), std::move(finding), tries).run();
    drop_unused_functions(program);
    return finding;
}
} // namespace nereus::gen
