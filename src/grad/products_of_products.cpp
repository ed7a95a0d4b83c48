// grad/products_of_products.cpp - jvp, by changes that are carried along (tangents.h) or by gradients of gradients; checkpoint.
#include "grad/gradients.h"
#include "grad/products.h"

namespace nereus {
namespace {
Function signature_of(const Function& source, std::string name) {    // but for parameters and result
    Function out;
    out.name = std::move(name), out.span = source.span, out.type_params = source.type_params, out.where = source.where;
    return out;
}
std::string tangent_of(const Function& f, size_t param) { return "the tangent of %" + f[f.params[param]].name; }
} // namespace

Result<FunctionId> Products::tangent(FunctionId function, const GradientForm& form, Span asked) {
    if (!tangents.takes(function)) return transposed(function, form, asked);
    if (auto it = gradients_.find({function, form}); it != gradients_.end()) return it->second;
    Module& module = all_.module;
    const Function source = module[function];
    FunctionId made = gradients_[{function, form}] = all_.structures.new_function(source.name + ".jvp", source.span);
    std::vector<bool> active(source.params.size());
    for (int64_t i : form.wrt) active[size_t(i)] = all_.shadows.has_adjoint(source[source.params[size_t(i)]].type);
    const FunctionId carried = TRY(tangents.of(function, active, asked));
    Function out = signature_of(source, module[made].name);
    Writer w(module, all_.shadows, out);
    w.span = asked;
    for (ValueId param : source.params) w.param(source[param].name, source[param].type);
    const std::vector<ValueId> params = out.params;
    std::vector<ValueId> given(params.size()), args = params;
    for (int64_t i : form.wrt) given[size_t(i)] = w.param("d_" + out[params[size_t(i)]].name, all_.shadows.plain(w.type(params[size_t(i)])));
    for (size_t i = 0; i < params.size(); ++i)           // of the form and shapes of the argument
        if (active[i]) args.push_back(TRY(structures.forced(w, params[i], TRY(structures.fitted(w, params[i], given[i], tangent_of(out, i))))));
    out.result = module[carried].result;
    w.finish(out.body, {w.call(carried, args, all_.shadows.plain(out.result))});
    module[made] = std::move(out);
    return made;
}

Result<FunctionId> Products::transposed(FunctionId function, const GradientForm& asked_form, Span asked) {
    GradientForm form = asked_form;
    form.op = "transposed jvp";
    if (auto it = gradients_.find({function, form}); it != gradients_.end()) return it->second;
    Module& module = all_.module;
    int64_t count = int64_t(module[function].params.size());
    FunctionId pull = TRY(gradient(function, {.op = "vjp", .wrt = form.wrt}, asked));
    const std::string whose = form.wrt.size() == 1 ? tangent_of(module[function], size_t(form.wrt[0])) : "the tangents";
    FunctionId push = TRY(gradient(pull, {.op = "vjp", .wrt = {count}, .whose = whose}, asked));
    const Function source = module[function];
    FunctionId made = gradients_[{function, form}] = all_.structures.new_function(source.name + ".jvp", source.span);
    Function out = signature_of(source, module[made].name);
    Writer w(module, all_.shadows, out);
    w.span = asked;
    for (ValueId param : source.params) w.param(source[param].name, source[param].type);
    const std::vector<ValueId> params = out.params;
    std::vector<ValueId> changes, args = params;
    for (int64_t i : form.wrt) changes.push_back(w.param("d_" + out[params[size_t(i)]].name, all_.shadows.plain(w.type(params[size_t(i)]))));
    TypeId result = all_.shadows.plain(source.result);
    ValueId y = w.call(function, params, result, "y");
    args.push_back(TRY(all_.structures.adjoint(w, y, {})));
    args.push_back(w.tuple(changes));
    ValueId change = w.call(push, args, result, "dy");
    w.finish(out.body, {w.tuple({y, change})});
    out.result = module.types.tuple({result, result});
    module[made] = std::move(out);
    return made;
}

Result<FunctionId> Products::checkpointed(FunctionId function, Span asked) {
    const GradientForm form{.op = "checkpoint", .wrt = {}};
    if (auto it = gradients_.find({function, form}); it != gradients_.end()) return it->second;
    Module& module = all_.module;
    ShadowTypes& shadows = all_.shadows;
    GradientForm whole{.op = "vjp", .wrt = {}};
    for (size_t i = 0; i < module[function].params.size(); ++i) whole.wrt.push_back(int64_t(i));
    const Function source = module[function];
    const TypeId result = shadows.plain(source.result);
    std::vector<TypeId> types;
    for (ValueId param : source.params) types.push_back(shadows.plain(source[param].type));
    const bool one = types.size() == 1;
    const TypeId all_types = one ? types[0] : module.types.tuple(types);
    const bool with_cells = cells.is_concerned(function);
    FunctionId pull;
    if (auto it = gradients_.find({function, whole}); it != gradients_.end()) pull = it->second;
    else if (with_cells) {
        TRY(check_run_again(function, asked));
        pull = TRY(gradient(function, whole, asked));
    } else {
        pull = reserve(function, whole);
        module[pull].result = all_types;
        late_[pull] = asked;
    }
    Structures& structures_of = all_.structures;
    FunctionId plain = structures_of.new_function(source.name + ".checkpoint", source.span);
    FunctionId keep = structures_of.new_function(source.name + ".keep", source.span);
    FunctionId again = structures_of.new_function(source.name + ".again", source.span);
    gradients_[{function, form}] = plain;
    if (!with_cells) checkpoint_of_[plain] = function;   // else the rule below serves: its vjp has cells of its own
    auto begin = [&](FunctionId id) {
        Function out;
        out.name = module[id].name, out.span = source.span;
        return out;
    };
    Function runs = begin(plain), keeps = begin(keep), repeats = begin(again);
    for (Function* out : {&runs, &keeps}) {
        out->type_params = source.type_params, out->where = source.where;
        Writer w(module, shadows, *out);
        w.span = asked;
        for (ValueId param : source.params) w.param(source[param].name, source[param].type);
        ValueId y = w.call(function, out->params, result, "y");
        if (out == &keeps) y = w.tuple({y, w.tuple(out->params)});
        out->result = shadows.plain(w.type(y));
        w.finish(out->body, {y});
    }
    runs.vjp_forward = keep, runs.vjp_backward = again;
    Writer w(module, shadows, repeats);
    w.span = asked;
    ValueId given = w.param("arguments", all_types), adjoint = w.param("dy", result);
    std::vector<ValueId> args;
    for (size_t i = 0; i < types.size(); ++i) args.push_back(one ? given : w.project(given, i));
    args.push_back(adjoint);
    repeats.result = all_types;
    w.finish(repeats.body, {w.call(pull, args, repeats.result)});
    module[plain] = std::move(runs), module[keep] = std::move(keeps), module[again] = std::move(repeats);
    return plain;
}
} // namespace nereus
