#include "cli/commands.h"
#include "import/op_dtypes.h"
#include "import/op_notes.h"
#include "import/op_rows.h"
#include "ops/families.h"
#include "ops/gradients.h"
#include "ops/outside.h"
#include "ops/registry.h"
#include "base/invariant.h"
#include "base/suggest.h"
#include "plugin/plugin.h"
#include "run/plugins.h"
#include <algorithm>
#include <cstdio>
#include <map>

namespace nereus {
namespace {
struct Family { std::string_view title; std::vector<const OpDef*> ops; };
std::vector<const OpDef*> each(std::span<const OpDef> ops) {
    std::vector<const OpDef*> all;
    for (const OpDef& op : ops) all.push_back(&op);
    return all;
}
Family from_plugins() {
    Family made{"From plug-ins", {}};
    for (const PluginOp* op : plugin_ops()) made.ops.push_back(all_ops().find(op->name));
    return made;
}
std::vector<Family> families() {
    std::vector<Family> all = {{"Elementwise, of one tensor", each(unary_ops())},
                               {"Elementwise, of two", each(binary_ops())},
                               {"Bits of integers", each(bits_ops())},
                               {"Comparison and choice", each(compare_ops())},
                               {"Reduction", each(reduce_ops())},
                               {"Products", each(matmul_ops())},
                               {"Shapes", each(shape_ops())},
                               {"Parts", each(index_ops())},
                               {"Windows", each(windows_ops())},
                               {"Convolution", each(conv_ops())},
                               {"Order", each(sort_ops())},
                               {"Fourier transforms", each(fourier_ops())},
                               {"Texts", each(strings_ops())},
                               {"Random numbers", each(random_ops())},
                               {"Structures, cells, effects and gradients", each(structure_ops())}};
    if (!plugin_ops().empty()) all.push_back(from_plugins());
    return all;
}

std::string param_text(const OpParam& param) {
    std::string name(param.name);
    switch (param.kind) {
    case ParamKind::value: case ParamKind::size: return name;
    case ParamKind::values: case ParamKind::sizes: return "[" + name + "]";
    case ParamKind::integers: return name + "=[…]";
    case ParamKind::integer: return name + "=" + (param.optional ? std::to_string(param.otherwise) : "…");
    case ParamKind::boolean: return name + "=" + (param.otherwise ? "true" : "false");
    case ParamKind::dtype: return param.optional ? name + "=f32" : name;
    case ParamKind::text: return param.optional ? name + "=\"…\"" : "\"" + name + "\"";
    }
    return name;
}
std::string call_text(const OpDef& op) {
    std::string text;
    for (const OpParam& param : op.params) {
        bool bracketed = param.optional && !is_attribute(param.kind);
        text += (text.empty() ? "" : ", ") + (bracketed ? param_text(param) + "?" : param_text(param));
    }
    return std::string(op.name) + "(" + text + ")";
}
std::string effect_text(const OpDef& op) {
    switch (op.effect) {
    case Effect::total: return "";
    case Effect::may_fail: return op.total_on_floats ? "may fail on integers" : "may fail";
    case Effect::reads: return "reads cells";
    case Effect::writes: return "writes cells";
    case Effect::io: return "prints";
    }
    return "";
}
// Of an operator of a plug-in; null: it is ours.
const PluginOp* plugin_of(const OpDef& op) { return op.grad == outside_gradient ? outside(op).plugin : nullptr; }
std::string gradient_text(const OpDef& op) {
    if (const PluginOp* plugin = plugin_of(op); plugin && !plugin->described.gradient) return "no gradient: its plug-in has none";
    std::optional<NamedGradient> rule = gradient_rule(op);
    if (!rule) return "";
    return rule->rule ? "has a gradient" : "no gradient: " + std::string(rule->none);
}
std::string model_text(const OpDef& op) {
    const PluginOp* plugin = plugin_of(op);
    if (!plugin || plugin->onnx_name.empty()) return "";
    return "in models " + (plugin->onnx_domain.empty() ? "" : plugin->onnx_domain + ".") + plugin->onnx_name + ", since version " + std::to_string(plugin->onnx_since);
}
std::string escaped(std::string text) {
    for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
    return text;
}

std::string markdown() {
    std::string text = "# Operators\n\nWritten by `nereus ops --markdown` from the operators' own definitions; the test of the documents compares.\n"
                       "`x?` may be left out, as may what has an `=`. Types are those of the tensors and values: `num a: a, a -> a` takes two of one\n"
                       "number type and gives a third of it.\n";
    for (const Family& family : families()) {
        text += "\n## " + std::string(family.title) + "\n| call | types | what it gives |\n|---|---|---|\n";
        for (const OpDef* op : family.ops) {
            std::string said(op->doc);
            for (const std::string& more : {effect_text(*op), gradient_text(*op), model_text(*op)})
                if (!more.empty()) said += "; " + more;
            text += "| `" + escaped(call_text(*op)) + "` | `" + escaped(std::string(op->scheme)) + "` | " + escaped(said) + " |\n";
        }
    }
    return text;
}

// How the rows of an operator, the oldest first, write it.
std::string written_text(const std::vector<const onnx::OpRow*>& rows) {
    std::string text;
    for (size_t i = 0; i < rows.size(); ++i) {
        const std::string form = rows[i]->write ? "text of its own" : "`" + std::string(rows[i]->form) + "`";
        if (i > 0 && rows[i]->form == rows[i - 1]->form && rows[i]->inputs == rows[i - 1]->inputs) continue;
        text += (i > 0 ? "; since " + std::to_string(rows[i]->since) + " " : "") + form;
    }
    return text;
}
std::string onnx_markdown() {
    std::string text = "# Operators of ONNX\n\nWritten by `nereus ops --onnx` from the rows of `src/import`; the test of the documents compares.\n"
                       "An operator becomes text of the language: a form, in which `$x` is an input or an attribute, or text that depends on more. What\n"
                       "begins with `onnx_` is a function of `prelude/onnx`. A row holds from its version on, until the next one.\n\n"
                       "The class says what decides about the output of the newest version: 1 the sizes of inputs decide its value; 2 the sizes of inputs\n"
                       "decide its sizes; 3 so do values of inputs, and where these are known while compiling it is as 2; 4 the sizes are known when it\n"
                       "has run. Where a version has an attribute in the place of such an input, it is of class 2. A body that control flow runs adds its own.\n\n"
                       "The dtypes are those of the newest version, as specified, for which models of one node give the right numbers, found by trial\n"
                       "(`test/onnx_dtypes_test.py`): \"all\" that it allows, or all but some; where its type parameters differ, each has its own. \"fixed\": there is no\n"
                       "choice. Ints are those of 8 to 64 bits, small ints i4, u4, i2, u2, floats f16, bf16, f32 and f64, f8 all of 8 bits but f8e8m0, f6 all of 6.\n"
                       "What is left out is refused before anything runs, or there was nothing to compare it with.\n\n"
                       "A gradient is that of floats, of how it is written; \"no\" has the reason, and nothing flows back there.\n";
    std::map<std::string_view, std::map<std::string_view, std::vector<const onnx::OpRow*>>> domains;
    for (onnx::OpFamily family : onnx::op_families())
        for (const onnx::OpRow& row : family()) domains[row.domain][row.name].push_back(&row);
    for (auto& [domain, operators] : domains) {
        text += "\n## " + std::string(domain.empty() ? "ai.onnx" : domain) + "\n| operator | since | class | dtypes | how it is written | gradient |\n|---|---|---|---|---|---|\n";
        for (auto& [name, rows] : operators) {
            std::ranges::sort(rows, {}, &onnx::OpRow::since);
            std::string since;
            for (const onnx::OpRow* row : rows) since += (since.empty() ? "" : ", ") + std::to_string(row->since);
            const onnx::OpNote* note = onnx::find_note(name);
            invariant(note, "an operator of ONNX has a note");
            text += "| " + std::string(name) + " | " + since + " | " + std::to_string(note->dynamism) + " | " + std::string(onnx::op_dtypes(domain, name)) + " | " + escaped(written_text(rows)) + " | " + std::string(note->gradient) + " |\n";
        }
    }
    return text;
}

int list_ops() {
    for (const Family& family : plugin_ops().empty() ? families() : std::vector{from_plugins()})
        for (const OpDef* op : family.ops) std::printf("%-14s %s\n", std::string(op->name).c_str(), (op->doc.empty() ? call_text(*op) : std::string(op->doc)).c_str());
    return 0;
}
int describe_op(const OpDef& op) {
    std::printf("%s\n  types     %s\n  gives     %s\n", call_text(op).c_str(), std::string(op.scheme).c_str(), std::string(op.doc).c_str());
    for (const std::string& more : {effect_text(op), gradient_text(op), model_text(op)})
        if (!more.empty()) std::printf("  besides   %s\n", more.c_str());
    return 0;
}
} // namespace

int ops_command(Words words) {
    const FlagSpec flags[] = {{"markdown", false, "all of them, as docs/ops.md has them"},
                              {"onnx", false, "those of ONNX that are offered, as docs/onnx_support.md has them"},
                              {"help", false, "this text"}};
    Result<Arguments> arguments = parse_arguments(words, flags);
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help")) {
        std::fputs(("nereus ops [NAME] [--plugin FILE]\nLists the operators, those of a plug-in if one is given, or says what one of them takes and gives.\n\n"
                    "  nereus ops                    # a line for each\n"
                    "  nereus ops reshape            # one of them: parameters, types, gradient\n"
                    "  nereus ops --plugin acme.so   # what a plug-in adds\n\n" + flags_help(flags) + plugin_help).c_str(), stdout);
        return 0;
    }
    if (Status taken = take_in_plugins(); !taken) return fail(taken.error());
    if (arguments->has("markdown") || arguments->has("onnx")) {
        std::fputs((arguments->has("onnx") ? onnx_markdown() : markdown()).c_str(), stdout);
        return 0;
    }
    if (arguments->rest.size() > 1) return fail(Error{Code::usage, "expected one name", {}, "nereus ops --help"});
    if (arguments->rest.empty()) return list_ops();
    std::vector<std::string_view> known;
    for (const Family& family : families())
        for (const OpDef* op : family.ops) {
            if (arguments->rest[0] == op->name) return describe_op(*op);
            known.push_back(op->name);
        }
    return fail(Error{Code::usage, "there is no operator '" + arguments->rest[0] + "'", {}, did_you_mean("", arguments->rest[0], known)});
}
} // namespace nereus
