#include "ops/outside.h"
#include "ir/shape_rule.h"
#include "ops/elements.h"
#include "ops/registry.h"
#include <array>
#include <deque>
#include <mutex>

namespace nereus {
PluginAttributes OutsideOp::attributes(const AttributeList& given) const {
    PluginAttributes out = plugin->attributes;
    for (PluginAttribute& one : out)
        for (const Attribute& a : given) {
            if (a.name != one.name) continue;
            if (const int64_t* number = std::get_if<int64_t>(&a.value)) one.value = *number;
            if (const bool* truth = std::get_if<bool>(&a.value)) one.value = *truth;
            if (const std::string* text = std::get_if<std::string>(&a.value)) one.value = *text;
            if (const std::vector<int64_t>* list = std::get_if<std::vector<int64_t>>(&a.value)) one.value = *list;
        }
    return out;
}

std::vector<DType> OutsideOp::output_dtypes(std::span<const DType> inputs) const {
    std::vector<DType> vars(read_types.dtype_vars.size(), DType::f32), out;
    for (size_t i = 0; i < inputs.size(); ++i)
        if (const SchemeType& type = read_types.args[i].type; type.kind == SchemeType::Kind::dtype_var) vars[type.var] = inputs[i];
    for (const SchemeType& type : outputs) out.push_back(type.kind == SchemeType::Kind::dtype ? type.dtype : vars[type.var]);
    return out;
}

namespace {
// A call of `infer`, on expressions or on numbers: Sizes says which.
template <class Sizes> class Inference {
 public:
    using Size = typename Sizes::Size;
    struct Input { DType dtype; std::vector<Size> extents; };

    Inference(const OutsideOp& op, const PluginAttributes& attributes, std::vector<Input> inputs, Sizes sizes)
        : op_(op), attributes_(attributes), inputs_(std::move(inputs)), sizes_(std::move(sizes)) {}

    Result<std::vector<std::vector<Size>>> run() {
        outputs_.resize(op_.outputs.size());
        nereus_plugin_infer call{sizeof call, this, attributes_view(attributes_), int32_t(inputs_.size()), int32_t(outputs_.size()), dtype, rank,
                                 extent, constant, compute, require, late, output, fail};
        const nereus_plugin_result result = op_.plugin->described.infer(&call, op_.plugin->described.user);
        if (error_) return std::move(*error_);
        if (result != 0) return wrong("the plug-in refused its inputs and gave no reason");
        std::vector<std::vector<Size>> out;
        for (size_t i = 0; i < outputs_.size(); ++i) {
            if (!outputs_[i]) return wrong("the plug-in did not say how large output " + std::to_string(i) + " is");
            out.push_back(std::move(*outputs_[i]));
        }
        return out;
    }

 private:
    static Inference& self(nereus_plugin_infer* call) { return *static_cast<Inference*>(call->self); }
    Error wrong(std::string what) { return sizes_.error(std::move(what)); }
    nereus_plugin_result note(Error error) {
        if (!error_) error_ = std::move(error);
        return 1;
    }
    nereus_plugin_dim handle(Size size) {
        known_.push_back(size);
        return nereus_plugin_dim(known_.size() - 1);
    }
    bool valid(nereus_plugin_dim dim) {
        if (dim >= 0 && size_t(dim) < known_.size()) return true;
        note(wrong("the plug-in used a size that it was not given"));
        return false;
    }
    const Input* at(int32_t i) {
        if (i >= 0 && size_t(i) < inputs_.size()) return &inputs_[size_t(i)];
        note(wrong("the plug-in asked for input " + std::to_string(i) + " of " + std::to_string(inputs_.size())));
        return nullptr;
    }

    static int32_t dtype(nereus_plugin_infer* call, int32_t input) {
        const Input* found = self(call).at(input);
        return found ? int32_t(found->dtype) : -1;
    }
    static int32_t rank(nereus_plugin_infer* call, int32_t input) {
        const Input* found = self(call).at(input);
        return found ? int32_t(found->extents.size()) : -1;
    }
    static nereus_plugin_dim extent(nereus_plugin_infer* call, int32_t input, int32_t axis) {
        const Input* found = self(call).at(input);
        if (!found) return -1;
        const int64_t rank = int64_t(found->extents.size()), at = axis < 0 ? axis + rank : axis;
        if (at >= 0 && at < rank) return self(call).handle(found->extents[size_t(at)]);
        self(call).note(self(call).wrong("axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank)));
        return -1;
    }
    static nereus_plugin_dim constant(nereus_plugin_infer* call, int64_t number) { return self(call).handle(self(call).sizes_.constant(number)); }
    static nereus_plugin_dim compute(nereus_plugin_infer* call, nereus_plugin_dim a, char op, nereus_plugin_dim b) {
        Inference& in = self(call);
        if (!in.valid(a) || !in.valid(b)) return -1;
        Result<Size> made = in.sizes_.compute(in.known_[size_t(a)], op, in.known_[size_t(b)]);
        if (made) return in.handle(*made);
        in.note(made.error());
        return -1;
    }
    static nereus_plugin_result require(nereus_plugin_infer* call, nereus_plugin_dim a, nereus_plugin_relation relation, nereus_plugin_dim b, const char* what) {
        Inference& in = self(call);
        if (!in.valid(a) || !in.valid(b)) return 1;
        const Relation meant = relation == NEREUS_PLUGIN_LESS ? Relation::less : relation == NEREUS_PLUGIN_LESS_EQUAL ? Relation::less_equal : Relation::equal;
        Status held = in.sizes_.require(in.known_[size_t(a)], meant, in.known_[size_t(b)], what ? what : "sizes");
        return held ? 0 : in.note(held.error());
    }
    static nereus_plugin_dim late(nereus_plugin_infer* call, nereus_plugin_dim at_most) {
        Inference& in = self(call);
        if (!in.valid(at_most)) return -1;
        if (!in.op_.plugin->described.measure || in.late_ == 4) {
            in.note(in.wrong(in.late_ == 4 ? "the plug-in has more than four late sizes" : "the plug-in has a late size and no function measure"));
            return -1;
        }
        Result<Size> made = in.sizes_.late(in.late_++, in.known_[size_t(at_most)]);
        if (made) return in.handle(*made);
        in.note(made.error());
        return -1;
    }
    static nereus_plugin_result output(nereus_plugin_infer* call, int32_t output, int32_t rank, const nereus_plugin_dim* extents) {
        Inference& in = self(call);
        if (output < 0 || size_t(output) >= in.outputs_.size() || rank < 0 || rank > 32)
            return in.note(in.wrong("the plug-in speaks of output " + std::to_string(output) + " of rank " + std::to_string(rank)));
        std::vector<Size> sizes;
        for (int32_t i = 0; i < rank; ++i) {
            if (!in.valid(extents[i])) return 1;
            sizes.push_back(in.known_[size_t(extents[i])]);
        }
        in.outputs_[size_t(output)] = std::move(sizes);
        return 0;
    }
    static nereus_plugin_result fail(nereus_plugin_infer* call, const char* message) {
        return self(call).note(self(call).wrong(message ? message : "the plug-in refused its inputs"));
    }

    const OutsideOp& op_;
    const PluginAttributes& attributes_;
    std::vector<Input> inputs_;
    Sizes sizes_;
    std::vector<Size> known_;                // by handle
    std::vector<std::optional<std::vector<Size>>> outputs_;
    std::optional<Error> error_;
    size_t late_ = 0;
};

Result<Dim> compute_dim(Dims& dims, Dim a, char op, Dim b) {
    const std::array<Dim, 2> both{a, b};
    switch (op) {
    case '+': return dims.add(a, b);
    case '-': return dims.sub(a, b);
    case '*': return dims.product(both);
    case '/': return dims.floor_div(a, b);
    case '%': return dims.mod(a, b);
    case 'm': return dims.min(both);
    case 'M': return dims.max(both);
    }
    return Error{Code::shape, std::string("the plug-in computes sizes with '") + op + "'"};
}

// When a program is compiled.
struct Expressions {
    using Size = Dim;
    ShapeScope& scope;
    Error error(std::string what) { return scope.error(std::move(what)); }
    Dim constant(int64_t number) { return scope.dims().constant(number); }
    Result<Dim> compute(Dim a, char op, Dim b) {
        Result<Dim> made = compute_dim(scope.dims(), a, op, b);
        return made ? std::move(made) : error(made.error().message);
    }
    Status require(Dim a, Relation relation, Dim b, const char* what) { return scope.require(a, relation, b, what); }
    Result<Dim> late(size_t, Dim at_most) { return scope.late("k", at_most); }
};

// When it is lowered: what was required is checked already.
struct Lowered {
    using Size = Dim;
    Dims& dims;
    std::span<const Sym> symbols;
    std::vector<Dim>& most;
    Error error(std::string what) { return Error{Code::shape, std::move(what)}; }
    Dim constant(int64_t number) { return dims.constant(number); }
    Result<Dim> compute(Dim a, char op, Dim b) { return compute_dim(dims, a, op, b); }
    Status require(Dim, Relation, Dim, const char*) { return {}; }
    Result<Dim> late(size_t index, Dim at_most) {
        most.push_back(at_most);
        return index < symbols.size() ? dims.of(symbols[index]) : at_most;
    }
};

// When it is interpreted.
struct Numbers {
    using Size = int64_t;
    std::array<int64_t, 4> measured;
    Error error(std::string what) { return Error{Code::shape, std::move(what)}; }
    int64_t constant(int64_t number) { return number; }
    Result<int64_t> compute(int64_t a, char op, int64_t b) {
        if ((op == '/' || op == '%') && b == 0) return error("division by zero");
        const int64_t rest = op == '/' || op == '%' ? a % b : 0;
        const bool odd = rest != 0 && (rest < 0) != (b < 0);
        switch (op) {
        case '+': return wrap_add(a, b);
        case '-': return wrap_sub(a, b);
        case '*': return wrap_mul(a, b);
        case '/': return a / b - odd;
        case '%': return rest + (odd ? b : 0);
        case 'm': return std::min(a, b);
        case 'M': return std::max(a, b);
        }
        return error(std::string("the plug-in computes sizes with '") + op + "'");
    }
    Status require(int64_t a, Relation relation, int64_t b, const char* what) {
        if (holds(relation, a, b)) return {};
        return Error{Code::shape, std::string(what) + ": " + std::to_string(a) + " and " + std::to_string(b)};
    }
    Result<int64_t> late(size_t index, int64_t at_most) {
        if (measured[index] >= 0 && measured[index] <= at_most) return measured[index];
        return error("the plug-in measured a size of " + std::to_string(measured[index]) + ", expected at most " + std::to_string(at_most));
    }
};

Result<std::vector<ShapedTensor>> outside_shapes(const ShapeArgs& args, ShapeScope& scope) {
    const OutsideOp& op = outside(args.op);
    std::vector<Inference<Expressions>::Input> inputs;
    std::vector<DType> dtypes;
    for (size_t i = 0; i < op.plugin->inputs.size(); ++i) {
        const ShapedTensor& x = args.tensor(i);
        if (!x.ranked()) return scope.error("input '" + op.plugin->inputs[i].name + "' has a rank that is known only when it runs; operators from outside need it before");
        if (is_text(x.dtype)) return scope.error("input '" + op.plugin->inputs[i].name + "' is of texts, which operators from outside do not take");
        inputs.push_back({x.dtype, x.shape.dims});
        dtypes.push_back(x.dtype);
    }
    const PluginAttributes attributes = op.attributes(args.attributes);
    std::vector<std::vector<Dim>> sizes = TRY(Inference<Expressions>(op, attributes, std::move(inputs), {scope}).run());
    const std::vector<DType> results = op.output_dtypes(dtypes);
    std::vector<ShapedTensor> out;
    for (size_t i = 0; i < sizes.size(); ++i) {
        for (Dim size : sizes[i]) TRY(scope.require(scope.dims().constant(0), Relation::less_equal, size, "a size of an output is {1}"));
        if (is_text(results[i])) return scope.error("operators from outside give no texts");
        out.push_back({.dtype = results[i], .shape = Shape{std::move(sizes[i])}});
    }
    return out;
}

nereus_plugin_tensor view_of(const HostTensor& t, const std::byte* data) {
    return {int32_t(t.dtype()), int32_t(t.rank()), t.shape().data(), const_cast<std::byte*>(data)};
}

Result<Tensors> outside_eval(const EvalArgs& args) {
    const OutsideOp& op = outside(args.op);
    std::vector<Inference<Numbers>::Input> inputs;
    std::vector<nereus_plugin_tensor> views;
    std::vector<DType> dtypes;
    for (size_t i = 0; i < op.plugin->inputs.size(); ++i) {
        const HostTensor& x = args.tensor(i);
        inputs.push_back({x.dtype(), x.shape()});
        views.push_back(view_of(x, x.bytes()));
        dtypes.push_back(x.dtype());
    }
    PluginKernel kernel{op.plugin, op.attributes(args.attributes), {}, true};
    Numbers numbers{};
    if (op.plugin->described.measure) TRY(run_plugin(kernel, views, {}, numbers.measured.data(), nullptr));
    std::vector<std::vector<int64_t>> sizes = TRY(Inference<Numbers>(op, kernel.attributes, std::move(inputs), numbers).run());
    Tensors out;
    const std::vector<DType> results = op.output_dtypes(dtypes);
    std::vector<nereus_plugin_tensor> written;
    for (size_t i = 0; i < sizes.size(); ++i) out.push_back(TRY(HostTensor::make(results[i], Extents(sizes[i].begin(), sizes[i].end()))));
    for (HostTensor& y : out) written.push_back(view_of(y, TRY(y.mutable_bytes())));
    kernel.measures = false;
    TRY(run_plugin(kernel, views, written, nullptr, nullptr));
    return out;
}

Result<std::unique_ptr<OutsideOp>> made_of(const PluginOp& plugin) {
    auto refused = [&](const std::string& why) { return Error{Code::usage, "operator '" + plugin.name + "' from outside: " + why}; };
    if (all_ops().find(plugin.name)) return refused("the language has an operator of this name");
    auto op = std::make_unique<OutsideOp>();
    op->plugin = &plugin;
    Result<Scheme> types = parse_scheme(plugin.types);
    if (!types) return refused("types: " + types.error().message);
    op->read_types = std::move(*types);
    auto is_tensor = [](const SchemeType& type) { return type.kind == SchemeType::Kind::dtype || type.kind == SchemeType::Kind::dtype_var; };
    if (op->read_types.args.size() != plugin.inputs.size())
        return refused("types: " + std::to_string(op->read_types.args.size()) + " inputs, expected " + std::to_string(plugin.inputs.size()));
    for (const SchemeArg& arg : op->read_types.args)
        if (arg.repeated || !is_tensor(arg.type)) return refused("types: an input is no tensor");
    const SchemeType& result = op->read_types.result;
    op->outputs = result.kind == SchemeType::Kind::tuple ? result.parts : std::vector<SchemeType>{result};
    for (const SchemeType& output : op->outputs)
        if (!is_tensor(output)) return refused("types: an output is no tensor");
    if (op->outputs.empty() || op->outputs.size() > most_plugin_outputs) return refused("types: from 1 to " + std::to_string(most_plugin_outputs) + " outputs");
    for (const PluginInput& input : plugin.inputs) op->owned_params.push_back({input.name});
    for (const PluginAttribute& a : plugin.attributes) {
        constexpr ParamKind kinds[] = {ParamKind::integer, ParamKind::boolean, ParamKind::integers, ParamKind::text};
        const int64_t* number = std::get_if<int64_t>(&a.value);
        const bool* truth = std::get_if<bool>(&a.value);
        op->owned_params.push_back({a.name, kinds[a.value.index()], true, number ? *number : truth ? *truth : 0});
    }
    op->name = plugin.name, op->doc = plugin.doc, op->params = op->owned_params, op->scheme = plugin.types;
    op->effect = Effect::may_fail;
    op->eval = outside_eval, op->shapes = outside_shapes, op->lower = lower_outside;
    op->grad = outside_gradient;             // which refuses if the plug-in has none: it is not known to be 0
    return op;
}
} // namespace

Result<std::vector<Dim>> outside_bounds(const OutsideOp& op, const PluginAttributes& attributes, std::vector<OutsideInput> given, std::span<const Sym> late, Dims& dims) {
    std::vector<Inference<Lowered>::Input> inputs;
    for (OutsideInput& each : given) inputs.push_back({each.dtype, std::move(each.extents)});
    std::vector<Dim> most;
    TRY(Inference<Lowered>(op, attributes, std::move(inputs), {dims, late, most}).run());
    if (most.size() != late.size()) return Error{Code::usage, "the plug-in's infer gives another number of late sizes each time"};
    return most;
}

Status take_in_plugins() {
    static std::mutex mutex;
    static std::deque<std::unique_ptr<OutsideOp>> taken;
    std::scoped_lock lock(mutex);
    const std::vector<const PluginOp*> registered = plugin_ops();
    std::vector<const OpDef*> fresh;
    Status refused;
    for (size_t i = taken.size(); i < registered.size(); ++i) {
        Result<std::unique_ptr<OutsideOp>> made = made_of(*registered[i]);
        if (!made && refused) refused = made.error();
        taken.push_back(made ? std::move(*made) : nullptr);
        if (made) fresh.push_back(taken.back().get());
    }
    if (!fresh.empty()) add_ops(fresh);
    return refused;
}
} // namespace nereus
