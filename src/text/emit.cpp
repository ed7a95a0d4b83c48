#include "text/emit.h"

namespace nereus {
BlockId Emitter::open_block() {
    open_.push_back(function.add_block());
    return open_.back();
}

BlockId Emitter::close_block() {
    BlockId id = open_.back();
    open_.pop_back();
    return id;
}

Operand Emitter::constant(Literal literal, Span span) {
    TypeId type = module.types.hole();
    if (literal.kind == Literal::Kind::unit) type = module.types.unit();
    if (literal.kind == Literal::Kind::boolean && !literal.is_tensor) type = module.types.scalar(DType::boolean);
    constants_.push_back(Constant{.literal = std::move(literal), .type = type});
    return Operand{.constant = uint32_t(constants_.size() - 1), .span = span};
}

Operand Emitter::constant(Dim dim, Span span) {
    // a dim that is a number behaves like one, and prints like one
    if (std::optional<int64_t> number = module.dims.constant_value(dim))
        return constant(Literal{.kind = Literal::Kind::integer, .integers = {*number}}, span);
    constants_.push_back(Constant{.is_dim = true, .dim = dim, .type = module.types.hole()});
    return Operand{.constant = uint32_t(constants_.size() - 1), .span = span};
}

std::optional<int64_t> Emitter::integer_of(const Operand& operand) {
    if (!operand.is_constant()) return {};
    const Constant& c = constant_of(operand);
    if (c.is_dim || c.literal.is_tensor || c.literal.kind != Literal::Kind::integer) return {};
    return c.literal.integers[0];
}

bool Emitter::is_size(const Operand& operand) {
    if (!operand.is_constant()) return false;
    const Constant& c = constant_of(operand);
    return c.type == module.types.hole() && (c.is_dim || integer_of(operand));
}

Dim Emitter::as_dim(const Operand& operand) {
    const Constant& c = constant_of(operand);
    return c.is_dim ? c.dim : module.dims.constant(c.literal.integers[0]);
}

ValueId Emitter::use(const Operand& operand, TypeId type) {
    if (!operand.is_constant()) return operand.value;
    const Constant& c = constant_of(operand);
    ValueId value = new_value(c.type != module.types.hole() ? c.type : type, operand.span);
    Binding binding{.form = c.is_dim ? Form::dim : Form::literal, .results = {value}, .span = operand.span};
    if (c.is_dim) binding.dim = c.dim;
    else binding.literal = c.literal;
    BindingId id = function.add_binding(std::move(binding));
    block().bindings.push_back(id);
    return value;
}

std::vector<ValueId> Emitter::use_all(const std::vector<Operand>& operands) {
    std::vector<ValueId> values;
    for (const Operand& operand : operands) values.push_back(use(operand));
    return values;
}

Operand Emitter::emit(Binding binding, Span span) {
    ValueId value = new_value(module.types.hole(), span);
    binding.results = {value};
    binding.span = span;
    BindingId id = function.add_binding(std::move(binding));
    block().bindings.push_back(id);
    return Operand{.value = value, .fresh = true, .span = span};
}

std::optional<std::vector<Operand>> Emitter::take_tuple(const Operand& operand, size_t count) {
    if (!operand.fresh || operand.is_constant() || block().bindings.empty()) return {};
    BindingId last = block().bindings.back();
    const Binding& binding = function[last];
    bool is_last = last.index + 1 == function.bindings.size() && operand.value.index + 1 == function.values.size();
    if (binding.form != Form::tuple || binding.results[0] != operand.value || binding.args.size() != count) return {};
    if (!is_last || function[operand.value].type != module.types.hole()) return {};
    std::vector<ValueId> elements = binding.args;
    std::vector<Operand> operands(count);
    drop_last();
    // immediates were made for this tuple alone and stand right before it; they become constants again
    for (size_t i = count; i-- > 0;) {
        ValueId element = elements[i];
        const Binding* before = block().bindings.empty() ? nullptr : &function[block().bindings.back()];
        if (before && is_immediate(*before) && before->results[0] == element) {
            TypeId type = function[element].type;
            constants_.push_back(Constant{before->form == Form::dim, before->dim, before->literal, type});
            operands[i] = Operand{.constant = uint32_t(constants_.size() - 1), .span = before->span};
            drop_last();
        } else {
            operands[i] =
                Operand{.value = element, .fresh = function[element].name.empty(), .span = function[element].span};
        }
    }
    return operands;
}

void Emitter::drop_last() {
    block().bindings.pop_back();
    function.bindings.pop_back();
    function.values.pop_back();
}

Operand Emitter::ascribe(Operand operand, TypeId type) {
    TypeId hole = module.types.hole();
    if (type == hole) return operand;
    if (operand.is_constant()) {
        Constant copy = constant_of(operand);
        if (copy.type == hole || copy.type == type) {
            copy.type = type;
            constants_.push_back(std::move(copy));       // the variable it may come from keeps its own type
            operand.constant = uint32_t(constants_.size() - 1);
            return operand;
        }
    } else {
        TypeId& own = function[operand.value].type;
        if (own == type) return operand;
        if (own == hole && operand.fresh) {
            own = type;
            return operand;
        }
    }
    // fn(%y: T) { %y }(e): the equation holds from here on only
    ValueId argument = use(operand);
    BlockId body = open_block();
    ValueId param = new_value(type, operand.span);
    block().params = {param};
    block().results = {param};
    close_block();
    Operand lambda = emit(Binding{.form = Form::lambda, .blocks = {body}}, operand.span);
    return emit(Binding{.form = Form::apply, .args = {lambda.value, argument}}, operand.span);
}

void Emitter::bind(std::string_view name, const Operand& operand) {
    Operand named = operand;
    named.fresh = false;
    if (operand.fresh && !operand.is_constant()) name_value(operand.value, name);
    scope.add(name, named);
}

void Emitter::name_value(ValueId value, std::string_view wanted) {
    std::string name(wanted);
    if (!used_.insert(name).second) {
        uint32_t& suffix = suffixes_[name];
        std::string base = name + "_";
        do name = base + std::to_string(++suffix);
        while (reserved_.contains(name) || !used_.insert(name).second);
    }
    function[value].name = std::move(name);
}

std::string Emitter::unused_number() {
    for (;;) {
        std::string name = std::to_string(next_number_++);
        if (!reserved_.contains(name) && used_.insert(name).second) return name;
    }
}

void Emitter::name_rest() {
    std::vector<bool> immediate(function.values.size());
    for (const Binding& binding : function.bindings)
        if (is_immediate(binding)) immediate[binding.results[0].index] = true;
    for (bool immediates : {false, true})
        for (size_t i = 0; i < function.values.size(); ++i)
            if (function.values[i].name.empty() && immediate[i] == immediates)
                function.values[i].name = unused_number();
}
} // namespace nereus
