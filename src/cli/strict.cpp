#include "cli/strict.h"
#include "cli/dynamism.h"
#include "import/node_title.h"

namespace nereus {
namespace {
std::string inputs_text(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
    return text.empty() ? "what is inside" : text;
}
Error stopped_at(const NodeDynamism& node, size_t others) {
    std::string what = onnx::node_title(*node.node) + " stops the analysis: ";
    what += node.unranked ? "the rank of '" + node.output + "' is not known" : "'" + node.output + "' is " + node.type;
    what += node.follows_from == "shapes" ? ", by " + inputs_text(node.decided_by) + ", which follows from shapes in a way that is not seen through" : ", by the elements of " + inputs_text(node.decided_by);
    if (others > 0) what += others == 1 ? "; so does 1 more node" : "; so do " + std::to_string(others) + " more nodes";
    return Error{Code::unsupported, std::move(what), node.where, "nereus inspect lists all such nodes; without --strict they are served when they run"};
}
} // namespace

namespace {
Status strict_status(const Module& shaped, const SourceProgram& program) {
    const Function& main = shaped.functions[0];
    auto is_unranked = [&](const Function& f, ValueId value) {
        const Type& type = shaped.types[f[value].type];
        return type.kind == TypeKind::tensor && !type.shape.ranked;
    };
    Dynamism dynamism(shaped, program);
    for (size_t i = 0; i < main.params.size(); ++i)
        if (is_unranked(main, main.params[i]))
            return Error{Code::unsupported, "input '" + dynamism.inputs()[i].name + "' stops the analysis: it has no rank", main[main.params[i]].span, "declare its shape, with names for sizes that vary"};
    const NodeDynamism* first = nullptr;
    size_t others = 0;
    for (const NodeDynamism& node : dynamism.nodes()) {
        if (node.compiled != 3 && !(node.unranked && node.compiled > 2)) continue;
        if (first) ++others;
        else first = &node;
    }
    if (first) return stopped_at(*first, others);
    if (program.file) return {};                                 // what is inside of nodes is not theirs
    for (const Function& function : shaped.functions)
        for (const Binding& b : function.bindings)
            if (b.form == Form::op && is_unranked(function, b.results[0]))
                return Error{Code::unsupported, "%" + function[b.results[0]].name + " stops the analysis: its rank is not known", b.span, "without --strict it is served when it runs"};
    return {};
}
} // namespace

Status strict_status(const std::string& path, const CompileOptions& options, onnx::TextOptions how, std::vector<SourceText>& out_sources) {
    how.numbered = true;
    SourceProgram program;
    Status read = read_program(path, how, program);
    out_sources = program.sources;
    TRY(std::move(read));
    const Module shaped = TRY(run_until(std::move(program.module), "shapes", options));
    return strict_status(shaped, program);
}
int check_strict(const std::string& path, const CompileOptions& options, const onnx::TextOptions& how) {
    std::vector<SourceText> sources;
    Status strict = strict_status(path, options, how, sources);
    return strict ? 0 : fail(strict.error(), sources);
}
} // namespace nereus
