#include "generator/shrink.h"
#include "generator/generator.h"
#include "generator/runner.h"
#include "generator/smaller_forms.h"
#include "generator/smaller_values.h"
#include <bit>
#include <chrono>

namespace nereus::gen {
namespace {
constexpr std::chrono::minutes longest{4};               // what is found until then is small enough to be read

class Shrinker {
 public:
    Shrinker(Program& program, Case c, Finding finding, int tries)
        : program_(program), case_(std::move(c)), finding_(std::move(finding)), tries_(tries) {
        if (finding_.calls.empty()) return;
        const std::vector<std::vector<Value>> all = finding_.calls;
        case_.only = {all.back()};
        if (all.size() > 1 && !still_fails()) case_.only = all;      // what an earlier call left behind matters
    }
    Finding run() {
        drop_calls();
        for (bool better = true; better && !is_over();) {
            better = false;
            for (size_t f = program_.functions.size(); f-- > 0;) better = shrink_block(program_.functions[f].body) || better;
            better = shrink_parameters() || better;
            better = shrink_inputs() || better;
        }
        return finding_;
    }

 private:
    bool is_over() const { return tries_ <= 0 || std::chrono::steady_clock::now() > end_; }
    // Whether the program, changed, fails in the same way; then its finding is the new one.
    bool still_fails() {
        if (is_over()) return false;
        --tries_;
        Program pruned = program_;
        drop_unused_functions(pruned);
        Case candidate = case_;
        candidate.text = pruned.text();
        Verdict verdict = judge_apart(candidate);
        if (!verdict.finding || !is_alike(verdict.finding->kind, finding_.kind)) return false;
        finding_ = *verdict.finding;
        return true;
    }
    // Code that touches memory it does not own shows it in one way today and in another one tomorrow.
    static bool is_alike(const std::string& a, const std::string& b) {
        auto runs_wrong = [](const std::string& kind) {
            return kind.starts_with("compiled ") || kind.starts_with("artefact ") || kind.starts_with("crash");
        };
        return a == b || (runs_wrong(a) && runs_wrong(b));
    }
    template <class T> bool try_instead(T& place, T candidate) {
        std::swap(place, candidate);
        if (still_fails()) return true;
        std::swap(place, candidate);
        return false;
    }

    bool shrink_block(Block& b) {
        bool better = drop_statements(b);
        better = lift(b) || better;
        better = part_for_nobody(b) || better;
        better = run_once(b) || better;
        better = shrink_expr(b.result) || better;
        for (size_t i = b.statements.size(); i-- > 0;) better = shrink_expr(b.statements[i].value) || better;
        return put_in_place(b) || better;
    }

    // Many at once, then fewer.
    bool drop_statements(Block& b) {
        bool better = false;
        for (size_t many = std::bit_ceil(b.statements.size()); many > 0; many /= 2)
            for (size_t end = b.statements.size(); end > 0; end -= std::min(many, end)) {
                std::vector<Statement> fewer = b.statements;
                fewer.erase(fewer.begin() + int64_t(end - std::min(many, end)), fewer.begin() + int64_t(end));
                better = try_instead(b.statements, fewer) || better;
            }
        return better;
    }
    // What a name stands for, where it stands, if that is short.
    bool put_in_place(Block& b) {
        bool better = false;
        for (size_t i = b.statements.size(); i-- > 0;) {
            const Statement& s = b.statements[i];
            std::optional<std::string> name = bound_name(s.form);
            if (!name || !s.value.args.empty() || !s.value.blocks.empty()) continue;
            Block without = b;
            without.statements.erase(without.statements.begin() + int64_t(i));
            put_for(without, *name, s.value.form.find(' ') == std::string::npos ? s.value.form : "(" + s.value.form + ")");
            better = try_instead(b, std::move(without)) || better;
        }
        return better;
    }

    // An arm instead of the choice, with its statements.
    bool lift(Block& b) {
        for (size_t i = 0; i <= b.statements.size(); ++i) {
            const Expr whole = i < b.statements.size() ? b.statements[i].value : b.result;
            for (const Block& arm : whole.blocks) {
                if (arm.result.type != whole.type) continue;
                Block lifted = b;
                lifted.statements.insert(lifted.statements.begin() + int64_t(i), arm.statements.begin(), arm.statements.end());
                (i < b.statements.size() ? lifted.statements[i + arm.statements.size()].value : lifted.result) = arm.result;
                if (try_instead(b, std::move(lifted))) return true;
            }
        }
        return false;
    }

    // A part of a value that no one uses, of whatever type.
    bool part_for_nobody(Block& b) {
        for (size_t i = 0; i < b.statements.size(); ++i) {
            const Statement s = b.statements[i];
            std::optional<std::string> name = bound_name(s.form);
            if (!name || mentions(b, *name) > 1) continue;
            for (const Expr& arg : s.value.args)
                if (try_instead(b.statements[i], {s.what, *name + " = $0", arg})) return true;
            for (const Block& inner : s.value.blocks) {
                Block lifted = b;
                lifted.statements[i] = {s.what, *name + " = $0", inner.result};
                lifted.statements.insert(lifted.statements.begin() + int64_t(i), inner.statements.begin(), inner.statements.end());
                if (try_instead(b, std::move(lifted))) return true;
            }
        }
        return false;
    }

    // A loop's body once, for the first values of its states.
    bool run_once(Block& b) {
        for (size_t i = 0; i <= b.statements.size(); ++i) {
            std::optional<Block> once = first_trip(i < b.statements.size() ? b.statements[i].value : b.result);
            if (!once) continue;
            Block changed = b;
            changed.statements.insert(changed.statements.begin() + int64_t(i), once->statements.begin(), once->statements.end());
            (i < b.statements.size() ? changed.statements[i + once->statements.size()].value : changed.result) = once->result;
            if (try_instead(b, std::move(changed))) return true;
        }
        return false;
    }

    static void collect(const Expr& e, const Type& type, std::vector<Expr>& out) {
        for (const Expr& arg : e.args) {
            if (arg.type == type) out.push_back(arg);
            else collect(arg, type, out);
        }
        for (const Block& b : e.blocks)
            if (b.result.type == type) out.push_back(b.result);
    }
    bool drop_arm(Expr& e) {
        for (const std::string& shorter : forms_without_an_arm(e.form))
            if (try_instead(e, with_form(e, shorter))) return true;
        return false;
    }
    bool shrink_expr(Expr& e) {
        if (e.what == Construct::leaf && e.args.empty()) return false;
        if (e.what != Construct::leaf && try_instead(e, Generator(Options{}).literal(e.type))) return true;
        std::vector<Expr> inside;
        collect(e, e.type, inside);
        for (Expr& part : inside)
            if (try_instead(e, part)) {
                shrink_expr(e);
                return true;
            }
        bool better = false;
        while (drop_arm(e)) better = true;
        for (Expr& arg : e.args) better = shrink_expr(arg) || better;
        for (Block& b : e.blocks) better = shrink_block(b) || better;
        return better;
    }

    // Parameters of the entry that nothing uses, with their arguments; @loss has the same ones.
    bool shrink_parameters() {
        bool better = false;
        for (size_t i = 64; i-- > 0;) {
            Program before = program_;
            Case given = case_;
            if (!drop_parameter(i)) continue;
            for (std::vector<Value>& call : case_.only) call.erase(call.begin() + int64_t(i));
            if (still_fails()) better = true;
            else {
                program_ = std::move(before);
                case_ = std::move(given);
            }
        }
        return better;
    }
    bool drop_parameter(size_t i) {
        for (Function& f : program_.functions) {
            if (f.name != "main" && f.name != "loss") continue;
            if (!drop_from(f.header, "(", i)) return false;
            if (f.body.result.form.starts_with("value_and_grad(@loss)(")) drop_from(f.body.result.form, ")(", i);
        }
        return true;
    }
    // Item i of a list that begins after `open`; every item begins with %.
    static bool drop_from(std::string& text, const std::string& open, size_t i) {
        size_t at = text.find(open) + open.size();
        for (; i > 0 && at != std::string::npos; --i) at = text.find(", %", at) == std::string::npos ? std::string::npos : text.find(", %", at) + 2;
        if (at == std::string::npos) return false;
        size_t next = text.find(", %", at);
        if (next != std::string::npos) text.erase(at, next + 2 - at);
        else {
            size_t begin = text.compare(at - 2, 2, ", ") == 0 ? at - 2 : at;
            size_t end = text.rfind(") -> f64") != std::string::npos ? text.rfind(") -> f64") : text.rfind(')');
            text.erase(begin, end - begin);
        }
        return true;
    }

    bool shrink_inputs() {
        bool better = false;
        for (std::vector<Value>& call : case_.only)
            for (Value& value : call)
                for (bool again = true; again && !is_over();) {
                    again = false;
                    for (const Value& smaller : smaller_values(value))
                        if (try_instead(value, smaller)) {
                            better = again = true;
                            break;
                        }
                }
        return better;
    }
    void drop_calls() {
        for (size_t i = case_.only.size(); i-- > 1;) {   // the last one goes wrong
            std::vector<std::vector<Value>> fewer = case_.only;
            fewer.erase(fewer.begin() + int64_t(i - 1));
            try_instead(case_.only, std::move(fewer));
        }
    }

    Program& program_;
    Case case_;
    Finding finding_;
    int tries_;
    const std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + longest;
};
} // namespace

Finding shrink(Program& program, Case c, Finding finding, int tries) {
    finding = Shrinker(program, std::move(c), std::move(finding), tries).run();
    drop_unused_functions(program);
    return finding;
}
} // namespace nereus::gen
