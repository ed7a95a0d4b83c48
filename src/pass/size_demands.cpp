#include "pass/size_demands.h"
#include "ir/shape_rule.h"
#include "ops/shape_rules.h"
#include "tensor/shape.h"
#include <algorithm>
#include <cmath>

namespace nereus {
namespace {
// Proves, or says no.
class Everywhere : public ShapeScope {
 public:
    explicit Everywhere(Facts& facts) : facts_(facts) {}
    bool granted = true;

    Facts& facts() override { return facts_; }
    Status require(Dim a, Relation relation, Dim b, std::string_view) override {
        granted &= proved(a, relation, b);
        return {};
    }
    Dim late(std::string_view name, Dim) override { return dims().of(dims().new_symbol(std::string(name), SymKind::late)); }
    Dim host(std::string_view name) override { return dims().of(dims().new_symbol(std::string(name), SymKind::host)); }
    Shape unknown_shape() override {
        granted = false;
        return Shape{{}, false, {}};
    }
    Answer ask(const Condition&) override { return Answer::unknown; }
    bool exact(Dim, DType) override { return false; }
    Error error(std::string what) override {
        granted = false;
        return Error{Code::shape, std::move(what)};
    }

 private:
    bool proved(Dim a, Relation relation, Dim b) {
        switch (relation) {
        case Relation::equal: return facts_.equal(a, b) == Answer::yes;
        case Relation::not_equal: return facts_.equal(a, b) == Answer::no;
        case Relation::less: return facts_.less(a, b) == Answer::yes;
        case Relation::less_equal: return facts_.less_equal(a, b) == Answer::yes;
        case Relation::greater: return facts_.less(b, a) == Answer::yes;
        case Relation::greater_equal: return facts_.less_equal(b, a) == Answer::yes;
        case Relation::compatible: return facts_.compatible(a, b) == Answer::yes;
        }
        return false;
    }
    Facts& facts_;
};

bool divides(const Term& part, const Term& whole) {
    return part.coefficient > 0 && whole.coefficient % part.coefficient == 0 && std::ranges::all_of(part.factors, [&](const Factor& f) {
               return std::ranges::any_of(whole.factors, [&](const Factor& other) { return f.atom == other.atom && f.power <= other.power; });
           });
}

bool is_extent(SymKind kind) {
    switch (kind) {
    case SymKind::size: case SymKind::late: case SymKind::counter: case SymKind::unknown: case SymKind::fresh: return true;
    case SymKind::join: case SymKind::host: return false;
    }
    return false;
}
} // namespace

bool SizeDemands::runs_anywhere(const FunctionEdit& edit, const Function& f, const Effects& effects, const Binding& b) {
    if (!b.blocks.empty() || !effects.of(f, b).nothing()) return false;
    for (ValueId arg : b.args)
        if (const Binding* made = edit.definition(arg); made && made->form == Form::dim && !is_number_everywhere(made->dim)) return false;
    for (Dim d : b.dims)
        if (!is_number_everywhere(d)) return false;
    switch (b.form) {
    case Form::project: case Form::field: case Form::tuple: case Form::closure: return true;
    case Form::op: {
        std::vector<const Binding*> definitions;
        for (ValueId arg : b.args) definitions.push_back(edit.definition(arg));
        return hold_everywhere(f, b, definitions);
    }
    default: return false;                               // a callee may rest on what its caller knows at the call
    }
}

bool SizeDemands::is_exact_everywhere(Dim d) {
    const Polynomial terms = module_.dims.polynomial(d);
    auto divides = [&](const Term& count) { return terms.size() == 1 && nereus::divides(terms[0], count); };
    const bool fits = magnitude(d) <= std::ldexp(1.0, precision(DType::i64) - 1) || std::ranges::any_of(counts_, divides);
    return fits && is_number_everywhere(d);
}

void SizeDemands::exists(TypeId tensor) {
    const Type& type = module_.types[tensor];
    if (type.kind != TypeKind::tensor || !type.shape.ranked) return;
    const std::vector<Dim> extents = type.shape.dims;
    const Polynomial count = module_.dims.polynomial(module_.dims.product(extents));
    if (count.size() == 1) counts_.push_back(count[0]);
}

// Of a sum: that of its terms, for they are added one by one.
double SizeDemands::magnitude(Dim d) {
    double sum = 0;
    for (const Term& term : module_.dims.polynomial(d)) {
        double product = std::fabs(double(term.coefficient));
        for (const Factor& factor : term.factors) product *= std::pow(magnitude(factor.atom), factor.power);
        sum += product;
    }
    return sum;
}
double SizeDemands::magnitude(Atom a) {
    if (auto found = magnitudes_.find(a); found != magnitudes_.end()) return found->second;
    const AtomNode atom = module_.dims.atom(a);
    const bool bounded = atom.kind == AtomKind::symbol && is_extent(module_.dims.symbol(atom.symbol).kind);
    double out = atom.kind != AtomKind::symbol ? 0 : bounded ? double(max_extent) : HUGE_VAL;
    for (Dim arg : atom.args) out = std::max(out, magnitude(arg));
    if (atom.kind == AtomKind::rounded) out *= 2;        // may go up to the next power of two
    if (atom.kind == AtomKind::rank || atom.kind == AtomKind::size) out = HUGE_VAL;
    return magnitudes_[a] = out;
}

bool SizeDemands::is_number_everywhere(Dim d) {
    const Dim zero = module_.dims.constant(0);
    for (Atom a : module_.dims.atoms_of(d)) {
        const AtomNode& node = module_.dims.atom(a);
        const bool divides = node.kind == AtomKind::floor_div || node.kind == AtomKind::mod;
        if (divides && facts_.equal(node.args[1], zero) != Answer::no) return false;
        if (node.kind != AtomKind::bcast) continue;
        for (size_t i = 1; i < node.args.size(); ++i)
            for (size_t j = 0; j < i; ++j)
                if (facts_.compatible(node.args[j], node.args[i]) != Answer::yes) return false;
    }
    return true;
}

bool SizeDemands::hold_everywhere(const Function& f, const Binding& b, const std::vector<const Binding*>& definitions) {
    if (b.op->builtin != Builtin::none) return b.op->builtin == Builtin::length || b.op->builtin == Builtin::stop_gradient;
    ShapeRule rule = shape_rule(*b.op);
    if (!rule) return false;
    ShapeArgs args{.op = *b.op, .tensors = {}, .sizes = {}, .sizes_known = {}, .present = {}, .is_seq = {}, .attributes = b.attributes};
    const size_t params = b.op->params.size();
    args.tensors.resize(params), args.sizes.resize(params);
    args.sizes_known.assign(params, true), args.present.assign(params, false), args.is_seq.assign(params, false);
    size_t group = 0, next = 0;
    for (size_t p = 0; p < params; ++p) {
        const OpParam& param = b.op->params[p];
        if (is_attribute(param.kind)) {
            args.present[p] = find_attribute(b, param.name) != nullptr;
            continue;
        }
        const ArgGroup form = b.groups[group++];
        args.present[p] = form.list || form.count > 0;
        for (uint32_t k = 0; k < form.count; ++k, ++next) {
            const ValueInfo& value = f[b.args[next]];
            const Type& type = module_.types[value.type];
            if (type.kind != TypeKind::tensor || !type.element.dtype || !type.shape.ranked) return false;
            Dim number = value.known;
            if (const Binding* made = definitions[next]) {
                if (made->form == Form::dim) number = made->dim;
                if (made->form == Form::literal && made->literal.kind == Literal::Kind::integer && !made->literal.is_tensor)
                    number = module_.dims.constant(made->literal.integers[0]);
            }
            if (param.kind == ParamKind::size || param.kind == ParamKind::sizes) {
                if (!number.valid() || !type.shape.dims.empty()) return false;
                args.sizes[p].push_back(number);
            } else {
                ShapedTensor seen{.dtype = *type.element.dtype, .shape = type.shape};
                if (number.valid() && type.shape.dims.empty() && is_integer(seen.dtype)) seen.known = known_number(number);
                args.tensors[p].push_back(std::move(seen));
            }
        }
    }
    Everywhere scope(facts_);
    bool shaped = bool(rule(args, scope));
    return shaped && scope.granted;
}
} // namespace nereus
