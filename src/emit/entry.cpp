// The door of an entry point, written as a function of its own: it solves the dims of the signature from the observed
// sizes, checks every other size against them, makes the outputs and calls the program.
#include "emit/entry.h"
#include "emit/door_types.h"
#include "emit/function.h"
#include "emit/size_solver.h"
#include "ir/check_text.h"
#include "ir/instantiate.h"
#include <algorithm>
#include <set>

namespace nereus {
namespace {
class EmitDoor {
 public:
    EmitDoor(EmitProgram& program, FunctionId entry)
        : program_(program), function_(program.module()[entry]), id_(entry), signature_(program.storage.functions[entry.index].signature) {}

    Status run(const Function& typed) {
        for (ValueId param : typed.params) {
            param_ = typed[param].name;
            Result<uint32_t> added = types_.add(typed[param].type, "%" + param_);
            if (!added) {
                Error refused = std::move(added).error();
                refused.where = typed[param].span;
                return refused;
            }
            entry_.params.push_back({param_, *added});
            leaves(typed[param].type, entry_.params.back().type, entry_.param_leaves, true);
        }
        entry_.name = typed.name;
        entry_.where = program_.place(typed.span);
        entry_.sizes = uint32_t(sizes_.size());
        if (holds_function(typed.result))
            return Error{Code::type, "the result of the entry point has a function or cell in its type: these cannot leave the program",
                         typed.span};
        Result<uint32_t> result = program_.plain_door_type(typed.result, "the result");
        if (!result) {
            Error refused = std::move(result).error();
            refused.where = typed.span;
            return refused;
        }
        entry_.result_type = *result;
        leaves(typed.result, entry_.result_type, entry_.result_leaves, false);
        write();
        program_.exe.entries.push_back(std::move(entry_));
        return {};
    }

 private:
    struct Size { ObservedSize size; std::string who; };             // who: argument %p, at .w: axis 0
    Dims& dims() { return program_.module().dims; }
    const Type& type(TypeId id) { return program_.module().types[id]; }

    int32_t observe(Dim d, uint32_t axis, bool direct, const std::string& path) {
        for (Sym s : dims().symbols_of(d))               // local to one element: nothing to compare it with
            if (std::find(function_.symbols.begin(), function_.symbols.end(), s) == function_.symbols.end()) return -1;
        entry_.size_names.push_back(dims().to_string(d));
        std::string who = "argument %" + param_ + (path.empty() ? "" : ", at " + path) + ": axis " + std::to_string(axis);
        sizes_.push_back({{d, Reg(sizes_.size()), direct, who + ": "}, who});
        return int32_t(sizes_.size() - 1);
    }

    bool holds_function(TypeId id) {
        std::vector<TypeId> open = {id};
        std::set<TypeId> seen;
        while (!open.empty()) {
            TypeId next = open.back();
            open.pop_back();
            if (!seen.insert(next).second || seen.size() > 100'000) continue;
            const Type t = type(next);
            if (t.kind == TypeKind::function || t.kind == TypeKind::ref) return true;
            open.insert(open.end(), t.parts.begin(), t.parts.end());
            if (t.kind != TypeKind::data) continue;
            for (uint32_t c = 0; c < program_.module().decls[t.decl.index].constructors.size(); ++c)
                for (TypeId field : instantiate_fields(program_.module(), next, c)) open.push_back(field);
        }
        return false;
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
        const std::vector<ValueId>& made = function_[function_.body].results;
        program_.mark(program_.site(Code::value, "", made.empty() ? function_.span : function_[made[0]].span));      // the room of results is made here
        next_ = Reg(sizes_.size() + entry_.param_leaves.size());
        info.params = next_;
        // numbers first: a parameter may be a size itself
        for (size_t i = 0; i < function_.params.size(); ++i) {
            Dim known = function_[function_.params[i]].known;
            if (!known.valid()) continue;
            if (std::optional<Sym> symbol = dims().as_symbol(known)) symbols_.emplace(*symbol, Reg(sizes_.size() + i));
        }
        std::vector<Sym> open;
        for (Sym symbol : function_.symbols)
            if (!symbols_.contains(symbol)) open.push_back(symbol);
        std::vector<ObservedSize> observed;
        for (const Size& size : sizes_) observed.push_back(size.size);
        SizeSolver solver{program_,
                          [&](Opcode op, uint32_t a, uint32_t b, uint32_t c, uint16_t x) { put(op, a, b, c, x); },
                          [&] { return next_++; },
                          [&](Dim d) { return dim(d); },
                          [&](Sym symbol) { return symbols_.contains(symbol); },
                          [&](Sym symbol, Reg reg) { symbols_.emplace(symbol, reg); },
                          function_.span};
        solver.solve(std::move(open), observed);
        for (const Size& size : sizes_) check(solver, size);
        for (const DimFact& fact : function_.where) {
            std::string text = check_text(program_.module(), fact, compared("@" + function_.name + ": where", fact.relation));
            if (std::optional<Sym> only = only_symbol(dims(), fact)) text += size_of_fact(program_.module(), function_, *only, "{r" + std::to_string(symbols_.at(*only)) + "}");
            Reg left = dim(fact.left), right = dim(fact.right);
            put(Opcode::check, program_.site(Code::shape, std::move(text), fact.span), left, right, uint16_t(fact.relation));
        }
        check_shape_variables();
        for (const Binding* b : first_checks(program_.module(), function_)) {       // before results get their memory
            Reg left = dim(b->fact.left), right = dim(b->fact.right);
            put(Opcode::check, check_site(program_, *b), left, right, uint16_t(b->fact.relation));
        }
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
        for (size_t i = 0; i < entry_.param_leaves.size(); ++i)          // the program gets one owner; the context keeps its own
            if (entry_.param_leaves[i].kind == DoorLeaf::Kind::object) put(Opcode::retain, Reg(sizes_.size() + i));
        put(Opcode::call, id_.index, program_.list(arguments), program_.list(results));
        put(Opcode::leave, 0, program_.list(given));
        info.end = uint32_t(program_.exe.code.size());
        info.registers = next_;
        info.results = uint32_t(given.size());
        entry_.function = uint32_t(program_.exe.functions.size());
        program_.exe.functions.push_back(std::move(info));
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
                                                           ": found {shape r" + std::to_string(now.object) + "} and {shape r" +
                                                           std::to_string(it->second.object) + "}, both are " + variable, function_.span);
            Reg same = next_++, one = next_++;
            put(Opcode::tensor_same, same, it->second.object, now.object, uint16_t(it->second.before + 256 * now.before));
            put(Opcode::load_constant, one, program_.constant(1));
            put(Opcode::check, site, same, one, uint16_t(Relation::equal));
        }
    }

    void check(SizeSolver& solver, const Size& size) {
        const Dim written = size.size.written;
        if (std::optional<Sym> symbol = dims().as_symbol(written); symbol && symbols_.at(*symbol) == size.size.found) return;
        std::string text = size.who + " is {0}, expected " + dims().to_string(written);
        if (!dims().constant_value(written)) text += " = {1}";
        solver.check(size.size, program_.site(Code::shape, std::move(text), function_.span));
    }

    EmitProgram& program_;
    const Function& function_;
    FunctionId id_;
    const Signature& signature_;
    EntryInfo entry_;
    std::string param_;
    std::vector<Size> sizes_;
    DoorTypes types_{program_, [this](Dim d, uint32_t axis, bool direct, const std::string& path) { return observe(d, axis, direct, path); }, false};
    std::unordered_map<Sym, Reg> symbols_;
    Reg next_ = 0;
};
} // namespace

Status emit_entry(EmitProgram& program, FunctionId entry, const Function& typed) { return EmitDoor(program, entry).run(typed); }
} // namespace nereus
