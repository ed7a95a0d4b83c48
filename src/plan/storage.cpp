// A fixpoint that only ever turns addresses into objects: within a function over the values that need an object, and
// between functions over parameters that escape.
#include "plan/in_place.h"
#include <algorithm>
#include <unordered_set>

namespace nereus {
namespace {
bool only_symbols(const Module& module, const std::vector<Sym>& allowed, TypeId type) {
    const Type& t = module.types[type];
    if (t.kind != TypeKind::tensor) return true;
    if (!t.shape.ranked) return false;
    for (Dim d : t.shape.dims) {
        if (module.dims.of_shape(d)) return false;
        for (Sym s : module.dims.symbols_of(d))
            if (std::find(allowed.begin(), allowed.end(), s) == allowed.end()) return false;
    }
    return true;
}

class FunctionAnalysis {
 public:
    FunctionAnalysis(const Lowered& lowered, size_t index, Storage& storage)
        : module_(lowered.module), function_(lowered.module.functions[index]), storage_(storage), out_(storage.functions[index]) {}

    // What the types alone say; late sizes are objects from the start.
    void begin() {
        out_.values.assign(function_.values.size(), Kept::nothing);
        std::vector<const Binding*>& definition = definitions_;
        definition.assign(function_.values.size(), nullptr);
        for (const Binding& b : function_.bindings)
            for (ValueId result : b.results) definition[result.index] = &b;
        for (size_t v = 0; v < function_.values.size(); ++v) {
            const ValueInfo& value = function_.values[v];
            switch (held(module_.types, definition[v], value)) {
            case Held::nothing: break;
            case Held::number: out_.values[v] = Kept::number; break;
            case Held::object: out_.values[v] = Kept::object; break;
            case Held::tensor: out_.values[v] = known_at_entry(module_, function_, value.type) ? Kept::address : Kept::object; break;
            }
            if (definition[v] && is_immediate(*definition[v]) && out_.values[v] == Kept::object) out_.values[v] = Kept::address;
            if (definition[v] && low_op_of(*definition[v]) == LowOp::view) out_.values[v] = Kept::address;
            if (definition[v] && reads_container(*definition[v]) && out_.values[v] == Kept::address) out_.values[v] = Kept::object;
        }
        for (ValueId param : function_.params) {
            if (kept(param) == Kept::object && module_.types[function_[param].type].kind == TypeKind::tensor && ranked(param))
                out_.values[param.index] = Kept::address;            // parameters of known rank come as addresses
            out_.signature.params.push_back(kept(param));
        }
        for (ValueId result : function_[function_.body].results) {
            Kept k = kept(result);
            if (k == Kept::address && !known_at_entry(module_, function_, function_[result].type)) k = Kept::object;
            if (k == Kept::object && module_.types[function_[result].type].kind == TypeKind::tensor &&
                known_at_entry(module_, function_, function_[result].type))
                k = Kept::address;
            out_.signature.results.push_back(k);
        }
        out_.signature.begins_as.assign(out_.signature.results.size(), -1);
    }

    bool step() {                                        // true: something changed
        changed_ = false;
        block(function_.body);
        const std::vector<ValueId>& results = function_[function_.body].results;
        for (size_t i = 0; i < results.size(); ++i)
            if (out_.signature.results[i] == Kept::object) need_object(results[i]);
        for (size_t i = 0; i < function_.params.size(); ++i)
            if (kept(function_.params[i]) != out_.signature.params[i]) {
                out_.signature.params[i] = kept(function_.params[i]);
                changed_ = true;
            }
        return changed_;
    }

 private:
    Kept kept(ValueId v) const { return out_.values[v.index]; }
    bool ranked(ValueId v) const { return module_.types[function_[v].type].shape.ranked; }
    static bool reads_container(const Binding& b) {
        return b.form == Form::project || b.form == Form::field ||
               (b.form == Form::op && (b.op->builtin == Builtin::read || b.op->builtin == Builtin::seq_get));
    }

    void need_object(ValueId v) {
        if (kept(v) != Kept::address || fixed_.contains(v)) return;
        out_.values[v.index] = Kept::object;
        changed_ = true;
    }
    // For what begins as a copy of it and is an object: where a branch gives an object in one arm, it is taken over from there
    // if nobody else owns it, and in the others it costs the same.
    void prefer_object(ValueId v) {
        const Binding* b = definitions_[v.index];
        if (kept(v) != Kept::address || !b || (b->form != Form::if_ && b->form != Form::match)) return;
        const size_t at = size_t(std::find(b->results.begin(), b->results.end(), v) - b->results.begin());
        bool found = false;
        for (BlockId arm : b->blocks) {
            prefer_object(function_[arm].results[at]);
            found = found || kept(function_[arm].results[at]) == Kept::object;
        }
        if (found) need_object(v);
    }
    // Two names of one value: an object if either is.
    void same(ValueId a, ValueId b) {
        if (kept(a) == Kept::object) need_object(b);
        if (kept(b) == Kept::object) need_object(a);
    }

    void block(BlockId id) {
        for (BindingId binding : function_[id].bindings) visit(function_[binding]);
    }
    void visit(const Binding& b) {
        if (is_immediate(b) || low_op_of(b) == LowOp::view)
            for (ValueId result : b.results) fixed_.insert(result);              // stays where it is; copied when stored
        if (low_op_of(b) == LowOp::copy && !b.results.empty() && kept(b.results[0]) == Kept::object) prefer_object(b.args[0]);
        for (BlockId nested : b.blocks) block(nested);
        switch (b.form) {
        case Form::construct: case Form::tuple: case Form::seq: case Form::closure:
            for (ValueId arg : b.args) need_object(arg);
            break;
        case Form::op:
            switch (b.op->builtin) {
            case Builtin::ref: case Builtin::write: case Builtin::push: case Builtin::set: case Builtin::print: case Builtin::equal:
                for (ValueId arg : b.args) need_object(arg);
                break;
            case Builtin::none: case Builtin::read: case Builtin::length: case Builtin::seq_get: case Builtin::assert_:
            case Builtin::stop_gradient: case Builtin::grad: case Builtin::leaves: break;
            }
            break;
        case Form::call: {
            const Signature& callee = storage_.functions[b.function.index].signature;
            for (size_t i = 0; i < b.args.size(); ++i)
                if (callee.params[i] == Kept::object) need_object(b.args[i]);
            for (size_t i = 0; i < b.results.size(); ++i) {
                if (callee.results[i] == Kept::object) need_object(b.results[i]);
                if (kept(b.results[i]) != Kept::object || module_.types[function_[b.results[i]].type].kind != TypeKind::tensor) continue;
                for (size_t j = 0; j < b.args.size(); ++j)           // the result may begin as this one (in_place.h)
                    if (callee.params[j] == Kept::address && function_[b.args[j]].type == function_[b.results[i]].type) prefer_object(b.args[j]);
            }
            break;
        }
        case Form::if_: case Form::match:
            for (size_t i = 0; i < b.results.size(); ++i)
                for (BlockId arm : b.blocks)
                    if (kept(b.results[i]) == Kept::object) need_object(function_[arm].results[i]);
            break;
        case Form::for_: case Form::while_: {
            const Block& body = function_[b.blocks.back()];
            size_t counter = b.form == Form::for_ ? 1 : 0, states = body.params.size() - counter;
            for (size_t i = 0; i < states; ++i) {
                same(body.params[counter + i], b.results[i]);
                if (kept(b.results[i]) == Kept::object) need_object(body.results[i]), prefer_object(b.args[counter + i]);
            }
            break;
        }
        case Form::literal: case Form::dim: case Form::apply: case Form::function: case Form::project: case Form::field:
        case Form::record: case Form::update: case Form::index: case Form::lambda: break;
        case Form::check:                                // narrowed: two names of one value
            for (size_t i = 0; i < b.args.size(); ++i) same(b.args[i], b.results[i]);
            break;
        }
    }

    const Module& module_;
    const Function& function_;
    Storage& storage_;
    FunctionStorage& out_;
    std::vector<const Binding*> definitions_;            // per value
    std::unordered_set<ValueId> fixed_;
    bool changed_ = false;
};
} // namespace

bool known_at_entry(const Module& module, const Function& function, TypeId type) {
    return only_symbols(module, function.symbols, type);
}

Storage plan_storage(const Lowered& lowered, FunctionId entry) {
    Storage storage;
    storage.functions.resize(lowered.module.functions.size());
    std::vector<FunctionAnalysis> functions;
    for (size_t i = 0; i < storage.functions.size(); ++i) functions.emplace_back(lowered, i, storage).begin();
    for (bool changed = true; changed;) {
        changed = false;
        for (FunctionAnalysis& function : functions) changed |= function.step();
    }
    plan_in_place(lowered, entry, storage);
    return storage;
}
} // namespace nereus
