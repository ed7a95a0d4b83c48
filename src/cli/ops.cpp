#include "cli/commands.h"
#include "ops/families.h"
#include "ops/gradients.h"
#include "base/suggest.h"
#include <cstdio>

namespace nereus {
namespace {
struct Family { std::string_view title; std::span<const OpDef> ops; };
std::vector<Family> families() {
    return {{"Elementwise, of one tensor", unary_ops()},
            {"Elementwise, of two", binary_ops()},
            {"Bits of integers", bits_ops()},
            {"Comparison and choice", compare_ops()},
            {"Reduction", reduce_ops()},
            {"Products", matmul_ops()},
            {"Shapes", shape_ops()},
            {"Parts", index_ops()},
            {"Windows", windows_ops()},
            {"Convolution", conv_ops()},
            {"Order", sort_ops()},
            {"Random numbers", random_ops()},
            {"Structures, cells, effects and gradients", structure_ops()}};
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
std::string gradient_text(const OpDef& op) {
    std::optional<NamedGradient> rule = gradient_rule(op);
    if (!rule) return "";
    return rule->rule ? "has a gradient" : "no gradient: " + std::string(rule->none);
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
        for (const OpDef& op : family.ops) {
            std::string said(op.doc);
            for (const std::string& more : {effect_text(op), gradient_text(op)})
                if (!more.empty()) said += "; " + more;
            text += "| `" + escaped(call_text(op)) + "` | `" + escaped(std::string(op.scheme)) + "` | " + escaped(said) + " |\n";
        }
    }
    return text;
}
} // namespace

int ops_command(Words words) {
    const FlagSpec flags[] = {{"markdown", false, "all of them, as docs/ops.md has them"}, {"help", false, "this text"}};
    Result<Arguments> arguments = parse_arguments(words, flags);
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help")) {
        std::fputs(("nereus ops [NAME]\nLists the operators, or says what one of them takes and gives.\n\n" + flags_help(flags)).c_str(), stdout);
        return 0;
    }
    if (arguments->has("markdown")) {
        std::fputs(markdown().c_str(), stdout);
        return 0;
    }
    if (arguments->rest.size() > 1) return fail(Error{Code::usage, "expected one name", {}, "nereus ops --help"});
    std::vector<std::string_view> known;
    for (const Family& family : families())
        for (const OpDef& op : family.ops) {
            known.push_back(op.name);
            if (arguments->rest.empty()) std::printf("%-14s %s\n", std::string(op.name).c_str(), std::string(op.doc).c_str());
            if (arguments->rest.empty() || arguments->rest[0] != op.name) continue;
            std::printf("%s\n  types     %s\n  gives     %s\n", call_text(op).c_str(), std::string(op.scheme).c_str(), std::string(op.doc).c_str());
            for (const std::string& more : {effect_text(op), gradient_text(op)})
                if (!more.empty()) std::printf("  besides   %s\n", more.c_str());
            return 0;
        }
    if (arguments->rest.empty()) return 0;
    return fail(Error{Code::usage, "there is no operator '" + arguments->rest[0] + "'", {}, did_you_mean("", arguments->rest[0], known)});
}
} // namespace nereus
