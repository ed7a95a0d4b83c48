#include "driver/model.h"
#include "driver/prelude.h"
#include "import/host_data.h"
#include "ops/outside.h"
#include "ops/registry.h"
#include "pass/function_edit.h"
#include "pass/literals.h"
#include "text/parse.h"

namespace nereus {
namespace {
constexpr int64_t most_written = 64;         // elements; the shapes stage looks at such numbers

// Integers of a few elements are written out: they tell sizes, axes and the like.
Literal constant_of(HostTensor tensor, const std::string& name) {
    const bool is_short = tensor.rank() <= 1 && tensor.count() <= most_written && !is_float(tensor.dtype());
    if (is_short || tensor.rank() == 0)
        if (std::optional<Literal> written = literal_of(tensor)) return *written;
    return given_literal(std::move(tensor), name);
}

Status make_constants(Module& module, const onnx::ModelText& text, const onnx::ModelFile& model) {
    Function& f = module[module.find_id("main")];
    FunctionEdit edit(module, f);
    BindingList nowhere;                                 // each use is written out where it is
    for (const onnx::Weight& weight : text.weights) {
        const ValueId param = f.params[text.inputs.size() + size_t(&weight - text.weights.data())];
        Result<HostTensor> tensor = onnx::host_tensor(*weight.data, weight.made ? text.tables.storage : model.storage);
        if (!tensor) return Error{tensor.error().code, "initializer '" + std::string(weight.data->name) + "': " + tensor.error().message};
        Binding literal{.form = Form::literal, .span = f[param].span};
        literal.literal = constant_of(std::move(*tensor), std::string(weight.data->name));
        edit.replace(param, edit.add(std::move(literal), f[param].type, f[param].name, nowhere));
    }
    f.params.resize(text.inputs.size());
    for (size_t i = 0; i < f.blocks.size(); ++i) {
        const BindingList before = std::move(f.blocks[i].bindings);
        BindingList after;
        for (BindingId at : before) {
            std::vector<ValueId> args = f[at].args;
            const size_t begin = after.size();
            edit.use_all(args, after);
            for (size_t i = begin; i < after.size(); ++i) f[after[i]].span = f[f[after[i]].results[0]].span = f[at].span;       // whose node errors name
            f[at].args = std::move(args);
            after.push_back(at);
        }
        std::vector<ValueId> results = f.blocks[i].results;
        edit.use_all(results, after);
        f.blocks[i].results = std::move(results);
        f.blocks[i].bindings = std::move(after);
    }
    return {};
}
} // namespace

Result<ModelModule> parse_model(const onnx::ModelFile& model, const onnx::TextOptions& options, const std::string& path, std::vector<SourceText>* out_sources) {
    TRY(take_in_plugins());
    onnx::ModelText text = TRY(onnx::write_text(model, options));
    std::vector<SourceText> library = prelude(), for_models = onnx_prelude();
    library.insert(library.end(), for_models.begin(), for_models.end());
    ModelModule made{.module = TRY(parse({path, text.text, no_imports(), std::move(library)}, all_ops(), out_sources)), .text = text.text, .inputs = {}, .outputs = {}, .nodes = std::move(text.nodes), .counted = std::move(text.counted), .dims = {}};
    TRY(make_constants(made.module, text, model));
    for (const std::shared_ptr<const MappedFile>& file : model.storage->files) file->let_go(std::as_bytes(std::span(file->bytes())));
    for (const onnx::Port& port : text.inputs) made.inputs.emplace_back(port.name);
    for (const onnx::Port& port : text.outputs) made.outputs.emplace_back(port.name);
    for (const auto& [name, symbol] : text.dims) made.dims.emplace_back(name, symbol);
    made.notes = std::move(text.notes);
    return made;
}

void hint_at_names(Executable& exe) {
    const Span door = exe.entries[0].where;
    for (Site& site : exe.sites) {
        constexpr std::string_view found = " is {0}, expected ";
        const size_t at = site.what.find(found);
        if (site.code != Code::shape || site.where != door || at == std::string::npos || !site.hint.empty()) continue;
        const bool is_number = site.what.find_first_not_of("0123456789", at + found.size()) == std::string::npos;
        if (!is_number) site.hint = "sizes of one name in the model are one size; --names=apart compiles it so that they may differ (in C: names_apart)";
    }
}

void name_ports(Executable& exe, std::span<const std::string> inputs, std::span<const std::string> outputs) {
    EntryInfo& entry = exe.entries[0];
    for (size_t i = 0; i < std::min(entry.params.size(), inputs.size()); ++i) entry.params[i].model_name = inputs[i];
    entry.result_names.assign(outputs.begin(), outputs.end());
    hint_at_names(exe);
}
} // namespace nereus
