#include "emit/dim_writer.h"

namespace nereus {
Reg DimWriter::number(int64_t value) {
    code.push_back({Opcode::load_constant, 0, next, constant(value), 0});
    return next++;
}
Reg DimWriter::op(Opcode op, Reg a, Reg b) {
    code.push_back({op, 0, next, a, b});
    return next++;
}
Reg DimWriter::unless_one(Reg value, Reg extent) { return op(Opcode::mul, value, op(Opcode::ne, extent, number(1))); }

Reg DimWriter::either(Reg condition, Reg yes, Reg no) {
    code.push_back({Opcode::move, 0, next, no, 0});
    code.push_back({Opcode::move_if, 0, next, yes, condition});
    return next++;
}

Reg DimWriter::atom(const AtomNode& node) {
    auto step = [&](Opcode opcode, Reg a, Reg b) {
        bool divides = opcode == Opcode::floor_div || opcode == Opcode::mod;
        if (total && divides) b = either(op(Opcode::eq, b, number(0)), number(1), b);
        return op(opcode, a, b);
    };
    auto fold = [&](Opcode opcode) {
        Reg all = write(node.args[0]);
        for (size_t i = 1; i < node.args.size(); ++i) all = step(opcode, all, write(node.args[i]));
        return all;
    };
    switch (node.kind) {
    case AtomKind::symbol: return symbol(node.symbol);
    case AtomKind::floor_div: return fold(Opcode::floor_div);
    case AtomKind::mod: return fold(Opcode::mod);
    case AtomKind::min: return fold(Opcode::min);
    case AtomKind::max: return fold(Opcode::max);
    case AtomKind::bcast: return fold(Opcode::size_bcast);
    case AtomKind::rounded: return fold(Opcode::size_round);
    case AtomKind::rank: case AtomKind::size: break;
    }
    invariant(bool(variable), "emit: a dim of a shape variable has no register");
    return variable(node);
}

Reg DimWriter::write(Dim d) {
    if (auto it = done.find(d); it != done.end()) return it->second;
    const Polynomial terms = dims.polynomial(d);
    std::optional<Reg> sum;
    for (const Term& term : terms) {
        std::optional<Reg> product;
        if (term.coefficient != 1 || term.factors.empty()) product = number(term.coefficient);
        for (const Factor& factor : term.factors)
            for (int32_t i = 0; i < factor.power; ++i) {
                Reg value = atom(AtomNode(dims.atom(factor.atom)));
                product = product ? op(Opcode::size_mul, *product, value) : value;
            }
        sum = sum ? op(Opcode::size_add, *sum, *product) : *product;
    }
    return done[d] = sum ? *sum : number(0);
}
} // namespace nereus
