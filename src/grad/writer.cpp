#include "grad/writer.h"
#include "ir/scheme.h"
#include "ops/registry.h"
#include <algorithm>

namespace nereus {
Writer::Writer(Module& module, ShadowTypes& shadows, Function& function)
    : module_(module), shadows_(shadows), function_(function) {
    for (const ValueInfo& value : function.values) names_.insert(value.name);
    for (size_t i = 0; i < function.bindings.size(); ++i) {
        const Binding& b = function.bindings[i];
        if (is_immediate(b) && b.results.size() == 1) immediates_[b.results[0]] = {BindingId(i), true};
    }
    if (!function_.body.valid()) function_.body = function_.add_block();
    at_ = function_.body;
}

ValueId Writer::value(std::string_view name, TypeId type) {
    std::string made(name);
    if (name.empty() || names_.contains(made)) {
        const std::string base = name.empty() ? "t" : made + "_";
        size_t& next = next_numbers_.try_emplace(base, 1).first->second;         // those below are taken
        if (name.empty()) next = std::max(next, function_.values.size());
        do made = base + std::to_string(next++);
        while (names_.contains(made));
    }
    names_.insert(made);
    return function_.add_value(std::move(made), type, span);
}
ValueId Writer::param(std::string_view name, TypeId type) {
    function_.params.push_back(value(name, type));
    return function_.params.back();
}

ValueId Writer::use(ValueId value) {
    auto it = immediates_.find(value);
    if (it == immediates_.end()) return value;
    if (!std::exchange(it->second.second, true)) return value;
    Binding copy = function_[it->second.first];
    copy.results.clear();
    ValueId own = bind(std::move(copy), type(value));
    immediates_[own].second = true;
    return own;
}

ValueId Writer::bind(Binding binding, TypeId type, std::string_view name) {
    for (ValueId& arg : binding.args) arg = use(arg);
    ValueId result = value(name, type);
    binding.results = {result};
    if (!binding.span.known()) binding.span = span;
    bool immediate = is_immediate(binding);
    BindingId id = function_.add_binding(std::move(binding));
    function_[at_].bindings.push_back(id);
    if (immediate) immediates_[result] = {id, false};
    return result;
}

TypeId Writer::result_type(const Binding& b, const TypeOf& type_of) {
    Result<Scheme> scheme = parse_scheme(b.op->scheme);
    invariant(bool(scheme), "a scheme of the registry that can be read");
    std::vector<DType> vars(scheme->dtype_vars.size(), DType::f32);
    size_t next = 0, group = 0, arg = 0, sizes = 0;
    for (const OpParam& param : b.op->params) {
        if (is_attribute(param.kind)) continue;
        ArgGroup given = b.groups[group++];
        if (param.kind == ParamKind::sizes) sizes = given.count;
        if (param.kind == ParamKind::value || param.kind == ParamKind::values) {
            const SchemeType& type = scheme->args[next++].type;
            if (type.kind == SchemeType::Kind::dtype_var && given.count > 0) {
                TypeId is = type_of(b.args[arg]);
                if (module_.types[is].kind == TypeKind::seq) is = module_.types[is].parts[0];
                vars[type.var] = *module_.types[is].element.dtype;
            }
        }
        arg += given.count;
    }
    std::function<TypeId(const SchemeType&)> of = [&](const SchemeType& type) -> TypeId {
        std::vector<TypeId> parts;
        switch (type.kind) {
        case SchemeType::Kind::dtype: return shadows_.tensor(type.dtype);
        case SchemeType::Kind::dtype_var: return shadows_.tensor(vars[type.var]);
        case SchemeType::Kind::dtype_param: return shadows_.tensor(std::get<DType>(find_attribute(b, type.param)->value));
        case SchemeType::Kind::tuple:
            for (const SchemeType& part : type.parts) parts.push_back(of(part));
            return module_.types.tuple(std::move(parts));
        case SchemeType::Kind::tuple_of_sizes:
            return module_.types.tuple(std::vector<TypeId>(sizes, of(type.parts[0])));
        case SchemeType::Kind::type_var: case SchemeType::Kind::ref: case SchemeType::Kind::seq:
        case SchemeType::Kind::function: break;
        }
        invariant(false, "an operator of tensors");
        return {};
    };
    return of(scheme->result);
}

Binding Writer::op_binding(std::string_view name, const std::vector<Gradient::Operand>& operands, AttributeList attributes) {
    Binding b{.form = Form::op, .op = all_ops().find(name), .attributes = std::move(attributes)};
    invariant(b.op != nullptr, "an operator of the registry");
    for (const Gradient::Operand& operand : operands) {
        b.groups.push_back({uint32_t(operand.values.size()), operand.list});
        b.args.insert(b.args.end(), operand.values.begin(), operand.values.end());
    }
    size_t wanted = 0;                                   // what is left out at the end
    for (const OpParam& param : b.op->params) wanted += is_attribute(param.kind) ? 0 : 1;
    while (b.groups.size() < wanted) b.groups.push_back({0, false});
    return b;
}
TypeId Writer::type_of_op(std::string_view name, const std::vector<Gradient::Operand>& operands,
                          const AttributeList& attributes, const TypeOf& type) {
    return result_type(op_binding(name, operands, attributes), type);
}
ValueId Writer::op(std::string_view name, const std::vector<Gradient::Operand>& operands, AttributeList attributes,
                   std::string_view value_name) {
    Binding b = op_binding(name, operands, std::move(attributes));
    TypeId type = result_type(b, [this](ValueId v) { return function_[v].type; });
    return bind(std::move(b), type, value_name);
}

void Writer::assert_(ValueId condition, std::string message) {
    Binding b{.form = Form::op, .op = all_ops().find("assert"), .args = {condition}, .groups = {{}}};
    b.attributes = {{"message", std::move(message)}};
    bind(std::move(b), module_.types.unit());
}

ValueId Writer::builtin(std::string_view name, std::vector<ValueId> args, TypeId type, std::string_view value_name) {
    Binding b{.form = Form::op, .op = all_ops().find(name), .args = std::move(args)};
    b.groups.resize(b.args.size());
    return bind(std::move(b), type, value_name);
}

ValueId Writer::number(double value, DType dtype) {
    Binding b{.form = Form::literal};
    b.literal.kind = is_float(dtype) ? Literal::Kind::real : dtype == DType::boolean ? Literal::Kind::boolean : Literal::Kind::integer;
    if (is_float(dtype)) b.literal.reals = {value};
    else b.literal.integers = {int64_t(value)};
    return bind(std::move(b), module_.types.scalar(dtype));
}
ValueId Writer::truth(bool value) { return number(value, DType::boolean); }
ValueId Writer::unit() { return bind(Binding{.form = Form::literal}, module_.types.unit()); }

ValueId Writer::tuple(std::vector<ValueId> parts) {
    if (parts.size() == 1) return parts[0];
    if (parts.empty()) return unit();
    std::vector<TypeId> types;                           // a written type would be checked here once more
    for (ValueId part : parts) types.push_back(shadows_.plain(type(part)));
    return bind(Binding{.form = Form::tuple, .args = std::move(parts)}, module_.types.tuple(std::move(types)));
}
ValueId Writer::project(ValueId tuple, size_t i, std::string_view name) {
    return bind(Binding{.form = Form::project, .args = {tuple}, .index = uint32_t(i)}, module_.types[type(tuple)].parts[i], name);
}
ValueId Writer::part(ValueId structure, size_t i, std::string_view name) {
    const Type t = module_.types[type(structure)];
    if (t.kind == TypeKind::tuple) return project(structure, i, name);
    TypeId field = shadows_.fields(shadows_.plain(type(structure)), 0)[i];
    Binding b{.form = Form::field, .args = {structure}, .decl = t.decl, .index = uint32_t(i), .names = {module_[t.decl].constructors[0].field_names[i]}};
    return bind(std::move(b), field, name);
}
ValueId Writer::construct(DeclId decl, uint32_t constructor, std::vector<ValueId> fields, TypeId type) {
    Binding b{.form = Form::construct, .args = std::move(fields), .decl = decl, .index = constructor};
    if (module_[decl].is_record) b.form = Form::record, b.names = module_[decl].constructors[0].field_names;
    return bind(std::move(b), type);
}
ValueId Writer::call(FunctionId function, std::vector<ValueId> args, TypeId result, std::string_view name) {
    return bind(Binding{.form = Form::call, .args = std::move(args), .function = function}, result, name);
}
ValueId Writer::lambda(std::vector<ValueId> params, BlockId body, TypeId result, std::string_view name) {
    std::vector<TypeId> types;
    for (ValueId param : params) types.push_back(type(param));
    return bind(Binding{.form = Form::lambda, .blocks = {body}}, module_.types.function(std::move(types), result), name);
}

void Writer::accumulate(ValueId cell, ValueId contribution) {
    ValueId before = adjoint_in(cell);
    ValueId fitting = op("sum_to", {contribution, shape_of(before)});
    Binding choice{.form = Form::if_, .args = {is_touched(cell)}};
    choice.blocks.push_back(*block({}, [&]() -> Result<std::vector<ValueId>> { return std::vector<ValueId>{op("add", {before, fitting})}; }));
    choice.blocks.push_back(*block({}, [&]() -> Result<std::vector<ValueId>> { return std::vector<ValueId>{fitting}; }));
    set_adjoint(cell, bind(std::move(choice), shadows_.plain(type(before))));
}

BlockId Writer::start(std::vector<ValueId> params) {
    BlockId made = function_.add_block();
    function_[made].params = std::move(params);
    function_[made].span = span;
    at_ = made;
    return made;
}
void Writer::finish(BlockId block, std::vector<ValueId> results) {
    at_ = block;
    for (ValueId& result : results) result = use(result);
    function_[block].results = std::move(results);
}
Result<BlockId> Writer::block(std::vector<ValueId> params, const Body& body) {
    BlockId outer = at_, made = start(std::move(params));
    finish(made, TRY(body()));
    at_ = outer;
    return made;
}
Result<ValueId> Writer::match(ValueId subject, TypeId type, std::vector<Case> cases) {
    Binding made{.form = Form::match, .args = {subject}};
    for (Case& c : cases) {
        made.blocks.push_back(TRY(block(std::move(c.variables), c.body)));
        made.arms.push_back(Arm{.pattern = std::move(c.pattern), .guard = {}});
    }
    return bind(std::move(made), type);
}
} // namespace nereus
