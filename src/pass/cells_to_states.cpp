// pass/cells_to_states.cpp - a cell that nothing but reads and writes of its own function know is a value that changes:
// its content becomes a state of the loops and a result of the branches that write it.
//
//     %r = ref(1.0)                                          %s = for %i in 3, (%r = 1.0) {
//     for %i in 3, () { write(%r, read(%r) * %x); () }  to     %r * %x
//     read(%r)                                               }
//
// Such a cell is the first argument of `read` and `write` and nothing else, is not mentioned by a lambda inside and not
// written by a guard, and nobody states the sizes of what it holds: a stated size is checked where the cell is read. A while
// whose condition writes one is rotated first (rotate_while.h). Cells that only such cells held are local then: once more.
//
// For modules before shapes, which finds the sizes of the states like those of any others. Memory is planned for them, and
// gradients need no cells for them.
#include "ir/op.h"
#include "pass/function_edit.h"
#include "pass/passes.h"
#include "pass/rotate_while.h"
#include <algorithm>
#include <set>

namespace nereus {
namespace {
using Cells = std::set<ValueId>;
bool is(const Binding& b, Builtin builtin) { return b.form == Form::op && b.op->builtin == builtin; }

bool states_sizes(const Types& types, TypeId id) {
    const Type& type = types[id];
    if (type.kind == TypeKind::tensor && (type.shape.ranked || !type.shape.dims.empty())) return true;
    for (TypeId part : type.parts)
        if (states_sizes(types, part)) return true;
    for (const TypeArg& arg : type.args) {
        if (const Dim* d = std::get_if<Dim>(&arg); d && d->valid()) return true;
        if (const TypeId* part = std::get_if<TypeId>(&arg); part && states_sizes(types, *part)) return true;
    }
    return false;
}

// The cells of a function that can be states.
class LocalCells {
 public:
    LocalCells(const Module& module, const Function& function) : types_(module.types), f_(function) {}
    Cells run() {
        block(f_.body, 0, false);
        for (ValueId cell : escaped_) made_in_.erase(cell);
        Cells found;
        for (auto [cell, lambda] : made_in_) found.insert(cell);
        return found;
    }

 private:
    void escapes(ValueId v) { escaped_.insert(v); }
    void block(BlockId id, int lambda, bool guard) {     // lambda: which one it is in
        for (BindingId at : f_[id].bindings) {
            const Binding& b = f_[at];
            const bool reads = is(b, Builtin::read), writes = is(b, Builtin::write);
            auto known = b.args.empty() ? made_in_.end() : made_in_.find(b.args[0]);
            const bool here = (reads || (writes && !guard)) && known != made_in_.end() && known->second == lambda;
            for (size_t i = here ? 1 : 0; i < b.args.size(); ++i) escapes(b.args[i]);
            if (reads && states_sizes(types_, f_[b.results[0]].type)) escapes(b.args[0]);
            if (is(b, Builtin::ref)) {
                made_in_[b.results[0]] = lambda;
                if (states_sizes(types_, f_[b.results[0]].type)) escapes(b.results[0]);
            }
            for (const Arm& arm : b.arms)
                if (arm.guard.valid()) block(arm.guard, lambda, true);
            for (BlockId inner : b.blocks) block(inner, b.form == Form::lambda ? ++lambdas_ : lambda, guard);
        }
        for (ValueId result : f_[id].results) escapes(result);
    }

    const Types& types_;
    const Function& f_;
    int lambdas_ = 0;
    std::map<ValueId, int> made_in_;
    Cells escaped_;
};

class CellsToStates {
 public:
    CellsToStates(Module& module, Function& function, Cells local)
        : module_(module), f_(function), local_(std::move(local)), edit_(module, function) {}
    void run() { block(f_.body); }

    // Cells from outside of the block.
    static void written_by(const Function& f, BlockId block, Cells& out) {
        Cells made;
        for (BindingId at : f[block].bindings) {
            const Binding& b = f[at];
            if (is(b, Builtin::ref)) made.insert(b.results[0]);
            if (is(b, Builtin::write)) out.insert(b.args[0]);
            for (BlockId inner : blocks_of(b)) written_by(f, inner, out);
        }
        for (ValueId cell : made) out.erase(cell);
    }

 private:
    using Contents = std::map<ValueId, ValueId>;

    std::vector<ValueId> written_by(const Binding& b) const {
        Cells all;
        std::vector<ValueId> found;
        for (BlockId inner : blocks_of(b)) written_by(f_, inner, all);
        for (ValueId cell : all)
            if (local_.contains(cell)) found.push_back(cell);
        return found;
    }
    TypeId content(ValueId cell) const { return module_.types[f_[cell].type].parts[0]; }

    void block(BlockId id) {
        BindingList before = std::move(f_[id].bindings), after;
        for (BindingId at : before) binding(at, after);
        std::vector<ValueId> results = f_[id].results;
        edit_.use_all(results, after);
        f_[id].results = results, f_[id].bindings = after;
    }

    void binding(BindingId at, BindingList& out) {
        Binding b = f_[at];
        const bool known = !b.args.empty() && local_.contains(b.args[0]);
        if (is(b, Builtin::ref) && local_.contains(b.results[0])) return put(b.results[0], b.args[0], out);
        if (is(b, Builtin::read) && known) return edit_.replace(b.results[0], contents_.at(b.args[0]));
        if (is(b, Builtin::write) && known) {
            put(b.args[0], b.args[1], out);
            return edit_.replace(b.results[0], unit());
        }
        edit_.use_all(b.args, out);
        f_[at] = b;
        const std::vector<ValueId> written = b.form == Form::lambda ? std::vector<ValueId>() : written_by(b);
        if (written.empty()) {
            for (BlockId inner : blocks_of(b)) scoped(inner);
            out.push_back(at);
        } else if (b.form == Form::if_ || b.form == Form::match) branch(b, written, out);
        else loop(b, written, out);
    }
    void scoped(BlockId id) {
        Contents outer = contents_;
        block(id);
        contents_ = std::move(outer);
    }

    // A constant has one use: it is written out where the content is used.
    void put(ValueId cell, ValueId value, BindingList& out) {
        value = edit_.now(value);
        const BindingId made = edit_.definition_id(value);
        if (made.valid() && is_immediate(f_[made])) std::erase(out, made);
        contents_[cell] = value;
    }
    ValueId content_of(ValueId cell, BindingList& out) {
        ValueId name = edit_.add_value("content", content(cell), f_[cell].span);     // stands for it for a moment
        edit_.replace(name, contents_.at(cell));
        return edit_.use(name, out);
    }
    ValueId unit() {                                     // in no block: written out where it is used
        BindingList nowhere;
        return edit_.add(Binding{.form = Form::literal}, module_.types.unit(), "unit", nowhere);
    }

    // `types` are those of what the binding gave, then those of the cells at `at`. Names what it gives now.
    void give(Binding b, std::vector<TypeId> types, size_t at, const std::vector<ValueId>& cells, bool is_tuple, BindingList& out) {
        const ValueId result = b.results[0];
        const Span span = b.span;
        std::vector<TypeId> wider = types;
        for (size_t i = 0; i < cells.size(); ++i) wider.insert(wider.begin() + ptrdiff_t(at + i), content(cells[i]));
        const bool one = wider.size() == 1;
        ValueId all = edit_.add(std::move(b), one ? wider[0] : module_.types.tuple(wider), "after", out);
        auto part = [&](size_t i, std::string_view name) {
            return one ? all : edit_.add(Binding{.form = Form::project, .args = {all}, .index = uint32_t(i), .span = span}, wider[i], name, out);
        };
        std::vector<ValueId> own;
        for (size_t i = 0; i < wider.size(); ++i) {
            if (i >= at && i < at + cells.size()) contents_[cells[i - at]] = part(i, f_[cells[i - at]].name);
            else own.push_back(part(i, f_[result].name));
        }
        if (is_tuple && own.empty()) return edit_.replace(result, unit());
        if (is_tuple) own = {edit_.add(Binding{.form = Form::tuple, .args = own, .span = span}, f_[result].type, f_[result].name, out)};
        edit_.replace(result, own[0]);
    }

    // A result that says nothing is left out.
    void branch(const Binding& b, const std::vector<ValueId>& written, BindingList& out) {
        const bool nothing = f_[b.results[0]].type == module_.types.unit();
        std::vector<TypeId> types;
        if (!nothing) types.push_back(f_[b.results[0]].type);
        for (const Arm& arm : b.arms)
            if (arm.guard.valid()) scoped(arm.guard);
        const Contents outer = contents_;
        for (BlockId inner : b.blocks) {
            block(inner);
            BindingList bindings = std::move(f_[inner].bindings);
            std::vector<ValueId> results;
            if (!nothing) results.push_back(f_[inner].results[0]);
            for (ValueId cell : written) results.push_back(content_of(cell, bindings));
            if (results.size() > 1) {
                std::vector<TypeId> all = types;
                for (ValueId cell : written) all.push_back(content(cell));
                results = {edit_.add(Binding{.form = Form::tuple, .args = results, .span = b.span}, module_.types.tuple(all), "both", bindings)};
            }
            f_[inner].results = results, f_[inner].bindings = bindings;
            contents_ = outer;
        }
        give(b, types, types.size(), written, nothing, out);
    }

    void loop(Binding b, const std::vector<ValueId>& written, BindingList& out) {
        const BlockId body = b.blocks.back();
        const size_t states = b.args.size() - (b.form == Form::for_ ? 1 : 0), given = f_[body].results.size();
        const TypeId whole = f_[b.results[0]].type;
        const std::vector<TypeId> types = given == 1 ? std::vector{whole} : module_.types[whole].parts;
        for (ValueId cell : written) b.args.push_back(content_of(cell, out));
        const Contents outer = contents_;
        for (ValueId cell : written) {
            contents_[cell] = edit_.add_value(f_[cell].name, content(cell), f_[cell].span);
            f_[body].params.push_back(contents_[cell]);
        }
        if (b.form == Form::while_) scoped(b.blocks[0]);
        block(body);
        BindingList bindings = std::move(f_[body].bindings);
        std::vector<ValueId> results = f_[body].results;
        for (size_t i = 0; i < written.size(); ++i)
            results.insert(results.begin() + ptrdiff_t(states + i), content_of(written[i], bindings));
        f_[body].results = results, f_[body].bindings = bindings;
        contents_ = outer;
        give(std::move(b), types, states, written, given != 1, out);
    }

    Module& module_;
    Function& f_;
    const Cells local_;
    FunctionEdit edit_;
    Contents contents_;                                  // of cells, at the place that is written
};

void change(Module& module, Function& function) {
    for (Cells local = LocalCells(module, function).run(); !local.empty(); local = LocalCells(module, function).run()) {
        bool rotated = false;
        rotate_loops(module, function, [&](const Binding& loop) {
            Cells written;
            CellsToStates::written_by(function, loop.blocks[0], written);
            bool writes = std::any_of(written.begin(), written.end(), [&](ValueId cell) { return local.contains(cell); });
            rotated |= writes;
            return writes;
        });
        if (rotated) local = LocalCells(module, function).run();         // a condition is there twice, with cells of its own
        CellsToStates(module, function, std::move(local)).run();
    }
}
} // namespace

Result<Module> cells_to_states(Module module) {
    for (Function& function : module.functions) change(module, function);
    return module;
}
} // namespace nereus
