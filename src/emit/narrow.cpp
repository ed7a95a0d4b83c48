// A value narrowed to a declared type: new dims get the sizes its elements show, then every element must have them.
#include "emit/door_types.h"
#include "emit/function.h"
#include "emit/size_solver.h"
#include <algorithm>

namespace nereus {
void EmitFunction::narrow(const Binding& b) {
    struct Leaf { uint32_t type = 0; size_t first = 0, count = 0; };
    std::vector<Leaf> leaves(b.args.size());
    std::vector<ObservedSize> sizes;
    std::vector<Sym> open;
    auto is_number = [&](Sym s) {                        // the value itself, not one of its sizes
        return std::any_of(b.results.begin(), b.results.end(), [&](ValueId v) {
            return function_[v].known.valid() && dims().as_symbol(function_[v].known) == s;
        });
    };
    for (Sym s : b.defines)
        if (!defined(s) && !is_number(s)) open.push_back(s);
    const std::string who = std::get<std::string>(find_attribute(b, "who")->value);
    const Attribute* rule = find_attribute(b, "what");
    auto local = [&](Dim d) {                            // to one element: nothing to compare it with
        for (Sym s : dims().symbols_of(d))               // `?` stands for the size of each, even where one has been read
            if (dims().symbol(s).kind == SymKind::unknown || (!defined(s) && std::find(open.begin(), open.end(), s) == open.end())) return true;
        return false;
    };
    for (size_t i = 0; i < b.args.size(); ++i) {
        Leaf& leaf = leaves[i];
        leaf.first = sizes.size();
        if (kept(b.args[i]) == Kept::object) {
            auto observe = [&](Dim d, uint32_t, bool, const std::string&) {
                if (local(d)) return int32_t(-1);
                sizes.push_back({d, fresh(), false});
                return int32_t(sizes.size() - 1 - leaf.first);
            };
            Result<uint32_t> type = DoorTypes(program_, observe, true).add(function_[b.results[i]].type, who);
            if (!type) {
                error_ = std::move(type).error();
                return;
            }
            leaf.type = *type;
            leaf.count = sizes.size() - leaf.first;
            std::vector<uint32_t> registers;
            for (size_t k = 0; k < leaf.count; ++k) registers.push_back(sizes[leaf.first + k].found);
            put(Opcode::observe, leaf.type, object(b.args[i]), program_.list(registers));
            continue;
        }
        const std::vector<Dim> from = type(b.args[i]).shape.dims, to = type(b.results[i]).shape.dims;
        for (size_t axis = 0; axis < to.size(); ++axis)
            if (from[axis] != to[axis]) sizes.push_back({to[axis], dim(from[axis]), true});
        leaf.count = sizes.size() - leaf.first;
    }
    SizeSolver solver{program_,
                      [&](Opcode op, uint32_t x, uint32_t y, uint32_t z, uint16_t more) { put(op, x, y, z, more); },
                      [&] { return fresh(); },
                      [&](Dim d) { return dim(d); },
                      [&](Sym s) { return defined(s); },
                      [&](Sym s, Reg reg) { define(s, reg); },
                      b.span};
    solver.solve(open, sizes);
    for (size_t i = 0; i < b.args.size(); ++i) {
        const Leaf& leaf = leaves[i];
        ValueId from = b.args[i], to = b.results[i];
        if (kept(from) == Kept::object) {
            std::vector<uint32_t> operands = {object(from)};
            for (size_t k = 0; k < leaf.count; ++k) operands.push_back(dim(sizes[leaf.first + k].written));
            std::string text = rule ? std::get<std::string>(rule->value) + ", found shape {found}" : misfit_text(who, to);
            put(Opcode::check_fit, program_.site(Code::shape, std::move(text), b.span), leaf.type, program_.list(operands));
        }
        for (size_t k = 0; k < leaf.count && kept(from) != Kept::object; ++k)
            solver.check(sizes[leaf.first + k], program_.site(Code::shape, who + ": expected size {1}, found {0}", b.span));
        switch (kept(to)) {
        case Kept::number: {
            Reg reg = fresh();
            if (kept(from) == Kept::number) put(Opcode::move, reg, number(from));
            else put(Opcode::scalar_value, reg, object(from), 0, uint16_t(dtype(to)));
            bind_number(to, reg);
            break;
        }
        case Kept::object: bind_object(to, take_object(from)); break;
        case Kept::address: places_[to] = place(from); touch(places_[to]); break;
        case Kept::nothing: break;
        }
    }
}

// A tensor is blamed with the sizes it declares, a structure with those of the element that is wrong.
std::string EmitFunction::misfit_text(const std::string& who, ValueId v) {
    const Type t = type(v);
    if (t.kind != TypeKind::tensor || who.find("an element of ") != who.npos) return who + ": expected sizes {expected}, found {found}";
    std::string text;
    bool constant = true;
    for (Dim d : t.shape.dims) {
        text += (text.empty() ? "" : ", ") + dims().to_string(d);
        constant = constant && dims().constant_value(d);
    }
    if (!t.shape.ranked) text += text.empty() ? ".." : ", ..";
    return who + " is declared (" + text + ")" + (constant ? "" : "{= expected}") + ", found {found}";
}
} // namespace nereus
