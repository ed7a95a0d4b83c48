#include "infer/shapes_facts.h"
#include <cmath>

namespace nereus {
namespace {
constexpr double largest_extent = double(max_extent);
constexpr size_t extents_tried = 16;                     // bounds are looked for among the nearest extents only
} // namespace

void Knowledge::push() {
    facts.push();
    frames_.emplace_back();
    before_.push_back({extents_.size(), products_.size()});
}
Knowledge::Log Knowledge::pop() {
    facts.pop();
    Log log = std::move(frames_.back());
    frames_.pop_back();
    extents_.resize(before_.back().extents);
    for (; products_.size() > before_.back().products; products_.pop_back()) is_product_.erase(products_.back());
    before_.pop_back();
    return log;
}

namespace {
bool learn(Facts& facts, Dim a, Relation relation, Dim b) {
    switch (relation) {
    case Relation::equal: return facts.assume_equal(a, b);
    case Relation::not_equal: return facts.assume_not_equal(a, b);
    case Relation::less: return facts.assume_less(a, b);
    case Relation::less_equal: return facts.assume_less_equal(a, b);
    case Relation::greater: return facts.assume_less(b, a);
    case Relation::greater_equal: return facts.assume_less_equal(b, a);
    case Relation::compatible: return facts.assume_compatible(a, b);
    }
    return true;
}
} // namespace

bool Knowledge::assume(Dim a, Relation relation, Dim b) {
    frames_.back().push_back({{a, relation, b, {}}, supposing_});
    return learn(facts, a, relation, b);
}
void Knowledge::assume(const Log& log) {
    for (const auto& [fact, supposed] : log) {
        frames_.back().push_back({fact, supposed});
        learn(facts, fact.left, fact.relation, fact.right);
    }
}
void Knowledge::suppose(const Condition& condition) {
    supposing_ = true;
    assume(condition);
    supposing_ = false;
}
void Knowledge::assume(const Condition& c) {
    if (c.kind == Condition::Kind::relation) assume(c.left, c.relation, c.right);
    if (c.kind == Condition::Kind::never) assume(facts.dims().constant(0), Relation::equal, facts.dims().constant(1));
    if (c.kind == Condition::Kind::all)
        for (const Condition& part : c.parts) assume(part);
    if (c.kind == Condition::Kind::any)                  // teaches only when all other parts are refuted
        for (const Condition& part : c.parts) {
            bool others_no = true;
            for (const Condition& other : c.parts) others_no = others_no && (&other == &part || ask(other) == Answer::no);
            if (others_no) assume(part);
        }
}

namespace {
Answer invert(Answer a) { return a == Answer::yes ? Answer::no : a == Answer::no ? Answer::yes : a; }

Answer answer(Facts& facts, Dim a, Relation relation, Dim b) {
    switch (relation) {
    case Relation::equal: return facts.equal(a, b);
    case Relation::not_equal: return invert(facts.equal(a, b));
    case Relation::less: return facts.less(a, b);
    case Relation::less_equal: return facts.less_equal(a, b);
    case Relation::greater: return facts.less(b, a);
    case Relation::greater_equal: return facts.less_equal(b, a);
    case Relation::compatible: return facts.compatible(a, b);
    }
    return Answer::unknown;
}
} // namespace

Answer Knowledge::ask(Dim a, Relation relation, Dim b) { return answer(facts, a, relation, b); }

bool Knowledge::refutes_unsupposed(Dim a, Relation relation, Dim b) {
    Facts sure(facts.dims());
    bool supposes = false;
    for (const Log& frame : frames_)
        for (const auto& [fact, supposed] : frame) {
            supposes |= supposed;
            if (!supposed) learn(sure, fact.left, fact.relation, fact.right);
        }
    return answer(supposes ? sure : facts, a, relation, b) == Answer::no;
}
Answer Knowledge::ask(const Condition& c) {
    switch (c.kind) {
    case Condition::Kind::unknown: return Answer::unknown;
    case Condition::Kind::always: return Answer::yes;
    case Condition::Kind::never: return Answer::no;
    case Condition::Kind::relation: return ask(c.left, c.relation, c.right);
    case Condition::Kind::any: return invert(ask(negate(c)));
    case Condition::Kind::all: {
        Answer all = Answer::yes;
        for (const Condition& part : c.parts) {
            Answer one = ask(part);
            if (one == Answer::no) return Answer::no;
            if (one == Answer::unknown) all = Answer::unknown;
        }
        return all;
    }
    }
    return Answer::unknown;
}

bool Knowledge::bounded(Sym s) {
    switch (facts.dims().symbol(s).kind) {
    case SymKind::size: case SymKind::late: case SymKind::counter: case SymKind::unknown: case SymKind::fresh: return true;
    case SymKind::join: case SymKind::host: break;
    }
    if (bounded_.contains(s)) return true;
    Dim d = facts.dims().of(s);
    Bounds bounds = facts.bounds(d);
    if (!bounds.low || double(*bounds.low) < -largest_extent) return false;
    if (bounds.high && double(*bounds.high) <= largest_extent) return true;
    size_t first = extents_.size() > extents_tried ? extents_.size() - extents_tried : 0;
    for (size_t i = first; i < extents_.size(); ++i)
        if (extents_[i] != s && facts.less_equal(d, facts.dims().of(extents_[i])) == Answer::yes) return true;
    return false;
}

void Knowledge::add_extent(Dim extent) {
    if (facts.dims().as_symbol(extent) || is_product_.contains(extent) || magnitude(extent) <= largest_extent) return;
    is_product_.insert(extent);
    products_.push_back(extent);
}

double Knowledge::magnitude(Dim d, std::unordered_map<Atom, double>& known) {
    if (is_product_.contains(d)) return largest_extent;
    double sum = 0;
    for (const Term& term : facts.dims().polynomial(d)) {
        double product = std::fabs(double(term.coefficient));
        for (const Factor& factor : term.factors) product *= std::pow(magnitude(factor.atom, known), factor.power);
        sum += product;
    }
    return sum;
}
double Knowledge::magnitude(Atom a, std::unordered_map<Atom, double>& known) {
    if (auto found = known.find(a); found != known.end()) return found->second;
    const AtomNode& atom = facts.dims().atom(a);
    double out = 0;
    if (atom.kind == AtomKind::symbol)
        out = bounded(atom.symbol) ? largest_extent : small_.contains(atom.symbol) ? largest_small : HUGE_VAL;
    for (Dim arg : atom.args) out = std::max(out, magnitude(arg, known));
    if (atom.kind == AtomKind::rounded) out *= 2;        // may go up to the next power of two
    if (atom.kind == AtomKind::rank || atom.kind == AtomKind::size) out = HUGE_VAL;
    return known[a] = out;
}
double Knowledge::magnitude(Dim d) {
    std::unordered_map<Atom, double> known;
    return magnitude(d, known);
}

bool Knowledge::exact(Dim number, DType dtype) {
    if (std::optional<int64_t> value = facts.dims().constant_value(number)) return fits(dtype, *value);
    if (dtype == DType::i64 && facts.dims().as_symbol(number)) return true;
    if (is_unsigned(dtype) && facts.less_equal(facts.dims().constant(0), number) != Answer::yes) return false;
    if (magnitude(number) <= std::ldexp(1.0, precision(dtype) - 1)) return true;
    const Bounds bounds = facts.bounds(number);
    return bounds.low && bounds.high && fits(dtype, *bounds.low) && fits(dtype, *bounds.high);
}
} // namespace nereus
