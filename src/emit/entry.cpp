// The door of an entry point, written as a function of its own: it solves the dims of the signature from the observed
// sizes, checks every other size against them, makes the outputs and calls the program.
#include "emit/entry.h"
#include "ir/instantiate.h"
#include <algorithm>

namespace nereus {
namespace {
class EmitDoor {
 public:
    EmitDoor(EmitProgram& program, FunctionId entry)
        : program_(program), function_(program.module()[entry]), id_(entry), signature_(program.storage.functions[entry.index].signature) {}

    Status run(const Function& typed) {
        for (ValueId param : typed.params) {
            param_ = typed[param].name;
            DoorParam made{param_, TRY(door_type(typed[param].type, nullptr))};
            entry_.params.push_back(std::move(made));
            leaves(typed[param].type, entry_.params.back().type, entry_.param_leaves, true);
        }
        entry_.name = typed.name;
        entry_.sizes = uint32_t(sizes_.size());
        entry_.result_type = program_.plain_door_type(typed.result);
        leaves(typed.result, entry_.result_type, entry_.result_leaves, false);
        write();
        program_.exe.entries.push_back(std::move(entry_));
        return {};
    }

 private:
    struct Size { Dim dim; std::string param; uint32_t axis; };
    Dims& dims() { return program_.module().dims; }
    const Type& type(TypeId id) { return program_.module().types[id]; }

    int32_t observe(Dim d, uint32_t axis, const Constructor* inside) {
        if (inside)                                      // a dim its own constructor binds is checked in the object
            if (std::optional<Sym> symbol = dims().as_symbol(d)) {
                auto it = std::find(inside->dims.begin(), inside->dims.end(), *symbol);
                if (it != inside->dims.end()) return -2 - int32_t(it - inside->dims.begin());
            }
        for (Sym s : dims().symbols_of(d))               // local to one element: nothing to compare it with
            if (std::find(function_.symbols.begin(), function_.symbols.end(), s) == function_.symbols.end()) return -1;
        entry_.size_names.push_back(dims().to_string(d));
        sizes_.push_back({d, param_, axis});
        return int32_t(sizes_.size() - 1);
    }

    Result<uint32_t> door_type(TypeId id, const Constructor* inside) {
        auto key = std::make_pair(id, inside);
        if (auto it = types_.find(key); it != types_.end() && type(id).kind != TypeKind::tensor) return it->second;
        uint32_t index = uint32_t(program_.exe.door_types.size());
        if (index > 100'000) return Error{Code::limit, "the type of %" + param_ + " unfolds without end"};
        types_[key] = index;
        program_.exe.door_types.emplace_back();
        const Type t = type(id);
        DoorType made;
        switch (t.kind) {
        case TypeKind::tensor:
            made.dtype = *t.element.dtype;
            made.ranked = t.shape.ranked;
            for (uint32_t axis = 0; axis < t.shape.dims.size(); ++axis) made.axes.push_back(observe(t.shape.dims[axis], axis, inside));
            break;
        case TypeKind::tuple: case TypeKind::seq:
            made.kind = t.kind == TypeKind::seq ? DoorType::Kind::seq : DoorType::Kind::tuple;
            made.fields.emplace_back();
            for (TypeId part : t.parts) made.fields[0].push_back(TRY(door_type(part, inside)));
            break;
        case TypeKind::data: {
            const TypeDecl& decl = program_.module().decls[t.decl.index];
            made.kind = decl.is_record ? DoorType::Kind::record : DoorType::Kind::data;
            for (uint32_t c = 0; c < decl.constructors.size(); ++c) {
                const Constructor& constructor = decl.constructors[c];
                if (decl.is_record) made.names = constructor.field_names;
                else made.names.push_back(constructor.name);
                if (!decl.is_record) made.bound.push_back(uint32_t(constructor.dims.size()));
                made.fields.emplace_back();
                for (TypeId field : instantiate_fields(program_.module(), id, c))
                    made.fields[c].push_back(TRY(door_type(field, constructor.dims.empty() ? inside : &constructor)));
            }
            break;
        }
        case TypeKind::function: case TypeKind::ref:
            return Error{Code::type, "%" + param_ + " of the entry point has a function or cell in its type: these cannot come from outside"};
        case TypeKind::hole: case TypeKind::var: return Error{Code::internal, "emit: the type of %" + param_ + " is not complete"};
        }
        program_.exe.door_types[index] = std::move(made);
        return index;
    }

    // The leaves of a value at the door, tuples taken apart as in the lowered function.
    void leaves(TypeId id, uint32_t door, std::vector<DoorLeaf>& out, bool is_param) {
        const Type t = type(id);
        if (t.kind == TypeKind::tuple) {
            const std::vector<uint32_t> fields = program_.exe.door_types[door].fields[0];
            for (size_t i = 0; i < t.parts.size(); ++i) leaves(t.parts[i], fields[i], out, is_param);
            return;
        }
        Kept kept = is_param ? signature_.params[out.size()] : signature_.results[out.size()];
        DoorLeaf leaf{DoorLeaf::Kind::object, door};
        if (kept == Kept::number) leaf.kind = DoorLeaf::Kind::number;
        if (kept == Kept::address) leaf.kind = DoorLeaf::Kind::address;
        out.push_back(leaf);
    }

    uint32_t put(Opcode op, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0, uint16_t x = 0) {
        program_.exe.code.push_back({op, x, a, b, c});
        return a;
    }
    Reg dim(Dim d) {
        DimWriter writer{dims(), program_.exe.code, next_, [&](Sym s) { return symbols_.at(s); }, [&](int64_t n) { return program_.constant(n); }};
        return writer.write(d);
    }

    void write() {
        FunctionInfo info;
        info.name = "door of " + entry_.name;
        info.begin = uint32_t(program_.exe.code.size());
        next_ = Reg(sizes_.size() + entry_.param_leaves.size());
        info.params = next_;
        // numbers first: a parameter may be a size itself
        for (size_t i = 0; i < function_.params.size(); ++i) {
            Dim known = function_[function_.params[i]].known;
            if (!known.valid()) continue;
            if (std::optional<Sym> symbol = dims().as_symbol(known)) symbols_.emplace(*symbol, Reg(sizes_.size() + i));
        }
        std::vector<bool> used(sizes_.size());
        for (size_t i = 0; i < sizes_.size(); ++i)
            if (std::optional<Sym> symbol = dims().as_symbol(sizes_[i].dim); symbol && symbols_.emplace(*symbol, Reg(i)).second) used[i] = true;
        for (bool progress = true; progress;) {
            progress = false;
            for (size_t i = 0; i < sizes_.size(); ++i) progress |= !used[i] && solve(i);
        }
        for (Sym s : function_.symbols)
            if (!symbols_.contains(s)) {                 // no argument shows it: empty containers
                put(Opcode::load_constant, next_, program_.constant(0));
                symbols_.emplace(s, next_++);
            }
        for (size_t i = 0; i < sizes_.size(); ++i)
            if (!used[i]) check(i);
        for (const DimFact& fact : function_.where) {
            std::string text = "where " + dims().to_string(fact.left) + " " + std::string(sign(fact.relation)) + " " + dims().to_string(fact.right);
            Reg left = dim(fact.left), right = dim(fact.right);
            put(Opcode::check, program_.site(Code::shape, text + " does not hold: found {0} and {1}", fact.span), left, right, uint16_t(fact.relation));
        }
        check_shape_variables();
        std::vector<uint32_t> arguments, results, given;
        for (Sym s : function_.symbols) arguments.push_back(symbols_.at(s));
        for (size_t i = 0; i < entry_.param_leaves.size(); ++i) arguments.push_back(Reg(sizes_.size() + i));
        const std::vector<ValueId>& outs = function_[function_.body].results;
        for (size_t i = 0; i < function_.result_dims.size(); ++i) results.push_back(next_++);
        for (size_t i = 0; i < entry_.result_leaves.size(); ++i) {
            if (entry_.result_leaves[i].kind != DoorLeaf::Kind::address) {
                given.push_back(next_);
                results.push_back(next_++);
                continue;
            }
            std::vector<uint32_t> extents;
            const Type t = type(function_[outs[i]].type);
            for (Dim d : t.shape.dims) extents.push_back(dim(d));
            put(Opcode::new_output, next_, program_.list(extents), uint32_t(i), uint16_t(*t.element.dtype));
            given.push_back(next_);
            arguments.push_back(next_++);
        }
        put(Opcode::call, id_.index, program_.list(arguments), program_.list(results));
        put(Opcode::leave, 0, program_.list(given));
        info.end = uint32_t(program_.exe.code.size());
        info.registers = next_;
        info.results = uint32_t(given.size());
        entry_.function = uint32_t(program_.exe.functions.size());
        program_.exe.functions.push_back(std::move(info));
    }

    static std::string_view sign(Relation relation) {
        constexpr std::string_view signs[] = {"==", "!=", "<", "<=", ">", ">=", "~"};
        return signs[size_t(relation)];
    }

    // a * s + b with one symbol left: s = (size - b) // a, which must come out even.
    bool solve(size_t i) {
        std::optional<Sym> unknown;
        for (Sym s : dims().symbols_of(sizes_[i].dim))
            if (!symbols_.contains(s)) {
                if (unknown) return false;
                unknown = s;
            }
        if (!unknown) return false;
        std::optional<Dims::Linear> linear = dims().linear_in(sizes_[i].dim, *unknown);
        if (!linear) return false;
        Reg a = dim(linear->a), b = dim(linear->b), rest = next_++, value = next_++;
        put(Opcode::size_sub, rest, Reg(i), b);
        put(Opcode::floor_div, value, rest, a);
        symbols_.emplace(*unknown, value);
        Reg zero = dim(dims().constant(0));
        std::string text = "argument %" + sizes_[i].param + ": axis " + std::to_string(sizes_[i].axis) + ", declared " +
                           dims().to_string(sizes_[i].dim) + ", would make " + dims().to_string(dims().of(*unknown)) + " = {0}";
        put(Opcode::check, program_.site(Code::shape, std::move(text), function_.span), value, zero, uint16_t(Relation::greater_equal));
        return true;                                     // not `used`: the check proves that it came out even
    }

    // Two arguments of shape ..s have the same shape.
    void check_shape_variables() {
        struct Seen { Reg object; size_t before; std::string name; };
        std::map<uint32_t, Seen> seen;
        for (size_t i = 0; i < function_.params.size(); ++i) {
            const ValueInfo& param = function_[function_.params[i]];
            const Type t = type(param.type);
            if (t.kind != TypeKind::tensor || t.shape.ranked || !t.shape.tail.valid()) continue;
            Seen now{Reg(sizes_.size() + i), t.shape.dims.size(), param.name};
            auto [it, first] = seen.emplace(t.shape.tail.index, now);
            if (first) continue;
            std::string variable = ".." + program_.module().vars[t.shape.tail.index].name;
            uint32_t site = program_.site(Code::shape, "argument %" + now.name + " has another shape than %" + it->second.name +
                                                           ": both are " + variable, function_.span);
            Reg same = next_++, one = next_++;
            put(Opcode::tensor_same, same, it->second.object, now.object, uint16_t(it->second.before + 256 * now.before));
            put(Opcode::load_constant, one, program_.constant(1));
            put(Opcode::check, site, same, one, uint16_t(Relation::equal));
        }
    }

    void check(size_t i) {
        const Size& size = sizes_[i];
        std::string text = "argument %" + size.param + ": axis " + std::to_string(size.axis) + " is {0}, expected " + dims().to_string(size.dim);
        if (!dims().constant_value(size.dim)) text += " = {1}";
        uint32_t site = program_.site(Code::shape, std::move(text), function_.span);
        Reg expected = dim(size.dim);
        put(Opcode::check, site, Reg(i), expected, uint16_t(Relation::equal));
    }

    EmitProgram& program_;
    const Function& function_;
    FunctionId id_;
    const Signature& signature_;
    EntryInfo entry_;
    std::string param_;
    std::vector<Size> sizes_;
    std::map<std::pair<TypeId, const Constructor*>, uint32_t> types_;
    std::unordered_map<Sym, Reg> symbols_;
    Reg next_ = 0;
};
} // namespace

Status emit_entry(EmitProgram& program, FunctionId entry, const Function& typed) { return EmitDoor(program, entry).run(typed); }
} // namespace nereus
