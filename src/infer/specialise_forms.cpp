#include "infer/specialise_forms.h"
#include "ops/registry.h"
#include <set>

namespace nereus {
namespace {
class Forms {
 public:
    Forms(Module& module, Function& function) : module_(module), function_(function) {}

    void resolve() {
        for (size_t i = 0; i < function_.blocks.size(); ++i) {
            std::vector<BindingId> before = std::move(function_.blocks[i].bindings), after;
            for (BindingId id : before) {
                resolve(id, after);
                after.push_back(id);
            }
            function_.blocks[i].bindings = std::move(after);
        }
    }

 private:
    TypeId type_of(ValueId value) const { return function_[value].type; }

    void resolve(BindingId id, std::vector<BindingId>& block) {
        if (function_[id].form == Form::index) {
            for (size_t i = 1; i < function_[id].args.size(); ++i) widen(id, i, block);
            if (module_.types[type_of(function_[id].args[0])].kind != TypeKind::seq) return;
            Binding& binding = function_[id];
            binding.form = Form::op;
            binding.op = all_ops().find("seq_get");
            binding.groups = {ArgGroup{}, ArgGroup{}};
            binding.parts.clear();
        } else if (function_[id].form == Form::for_) widen(id, 0, block);
    }

    // Other stages need not think of more than one kind of index.
    void widen(BindingId id, size_t arg, std::vector<BindingId>& block) {
        ValueId narrow = function_[id].args[arg];
        const Type& type = module_.types[type_of(narrow)];
        if (type.element.dtype == DType::i64) return;
        TypeId wide_type = module_.types.tensor(type.shape, DType::i64);
        Span span = function_[id].span;
        ValueId wide = function_.add_value(new_name(function_[narrow].name + "_i64"), wide_type, span);
        Binding cast{.form = Form::op, .op = all_ops().find("cast"), .args = {narrow}, .groups = {ArgGroup{}}};
        cast.attributes = {Attribute{"to", DType::i64}};
        cast.results = {wide};
        cast.span = span;
        block.push_back(function_.add_binding(std::move(cast)));
        function_[id].args[arg] = wide;
    }

    std::string new_name(std::string base) {
        if (names_.empty())
            for (const ValueInfo& value : function_.values) names_.insert(value.name);
        std::string name = base;
        for (size_t i = 1; !names_.insert(name).second; ++i) name = base + std::to_string(i);
        return name;
    }

    Module& module_;
    Function& function_;
    std::set<std::string> names_;
};
} // namespace

void resolve_forms(Module& module, Function& function) { Forms(module, function).resolve(); }
} // namespace nereus
