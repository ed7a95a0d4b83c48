// pass/dead_code.cpp - drops bindings whose results are not used and whose effect is none or only to fail. Works from the
// end of a block to its front, so that a chain goes in one walk. Symbols count as uses: a binding that defines one that
// is still named stays.
#include "ir/op.h"
#include "pass/one_function.h"
#include "pass/passes.h"
#include <unordered_set>

namespace nereus {
namespace {
class DeadCode {
 public:
    DeadCode(Module& module, Function& function) : module_(module), function_(function) {}

    void run() {
        for (Dim d : function_.result_dims) use(d);
        for (ValueId result : function_[function_.body].results) use(result);
        block(function_.body);
    }

 private:
    void use(ValueId v) {
        if (!values_.insert(v).second) return;
        use_type(function_[v].type);
        use(function_[v].known);
    }
    void use(Dim d) {
        if (!d.valid()) return;
        for (Sym s : module_.dims.symbols_of(d)) symbols_.insert(s);
    }
    void use_type(TypeId id) {
        if (!types_.insert(id).second) return;
        const Type& type = module_.types[id];
        for (Dim d : type.shape.dims) use(d);
        for (TypeId part : type.parts) use_type(part);
        for (const TypeArg& arg : type.args) {
            if (const TypeId* t = std::get_if<TypeId>(&arg)) use_type(*t);
            if (const Dim* d = std::get_if<Dim>(&arg)) use(*d);
            if (const Shape* s = std::get_if<Shape>(&arg))
                for (Dim d : s->dims) use(d);
        }
    }

    // Errors of unused bindings may vanish; cells that nobody reads again, prints and checks stay.
    bool needed(const Binding& b) {
        for (ValueId result : b.results)
            if (values_.contains(result)) return true;
        for (Sym s : b.defines)
            if (symbols_.contains(s)) return true;
        return acts(b);
    }
    bool acts(const Binding& b) {
        switch (b.form) {
        case Form::check: case Form::call: case Form::apply: return true;            // a callee may write or print
        case Form::op:
            if (b.op->builtin == Builtin::assert_) return true;
            if (b.op->effect == Effect::writes) return b.op->builtin != Builtin::ref;
            if (b.op->effect == Effect::io) return true;
            break;
        default: break;
        }
        for (BlockId nested : b.blocks)
            for (BindingId inner : function_[nested].bindings)
                if (acts(function_[inner])) return true;
        return b.form == Form::while_;                                               // it may not end
    }

    void block(BlockId id) {
        for (Dim d : function_[id].dims) use(d);
        std::vector<BindingId> kept;
        for (size_t i = function_[id].bindings.size(); i-- > 0;) {
            BindingId at = function_[id].bindings[i];
            Binding& b = function_[at];
            if (!needed(b)) continue;
            kept.push_back(at);
            for (ValueId result : b.results) use(result);
            for (ValueId arg : b.args) use(arg);
            for (Dim d : b.dims) use(d);
            use(b.dim), use(b.fact.left), use(b.fact.right);
            for (const ApplyTarget& target : b.targets)
                for (Dim d : target.dims) use(d);
            for (const Arm& arm : b.arms)
                if (arm.guard.valid()) nested(arm.guard);
            for (size_t n = b.blocks.size(); n-- > 0;) nested(function_[at].blocks[n]);
        }
        function_[id].bindings.assign(kept.rbegin(), kept.rend());
    }
    void nested(BlockId id) {
        for (ValueId result : function_[id].results) use(result);
        for (ValueId param : function_[id].params) use(param);
        block(id);
    }

    Module& module_;
    Function& function_;
    std::unordered_set<ValueId> values_;
    std::unordered_set<Sym> symbols_;
    std::unordered_set<TypeId> types_;
};
} // namespace

void dead_code(Module& module, Function& function) { DeadCode(module, function).run(); }

Result<Module> dead_code(Module module) {
    for (Function& function : module.functions) dead_code(module, function);
    return module;
}
} // namespace nereus
