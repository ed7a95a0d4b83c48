#include "base/diagnostics.h"
#include <algorithm>
#include <optional>

namespace nereus {
namespace {
std::vector<std::string_view> lines_of(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);               // as the lexer does
    std::vector<std::string_view> lines;
    for (size_t end = 0; end != text.npos; text.remove_prefix(end == text.npos ? text.size() : end + 1)) {
        end = text.find('\n');
        lines.push_back(text.substr(0, end));
        if (lines.back().ends_with('\r')) lines.back().remove_suffix(1);
    }
    return lines;
}
std::string_view line_of(std::string_view text, int32_t line) {
    const std::vector<std::string_view> lines = lines_of(text);
    return line >= 1 && size_t(line) <= lines.size() ? lines[size_t(line) - 1] : std::string_view();
}

void append_line(std::string& out, Span where, std::string_view line) {
    constexpr size_t widest = 400;                       // a line of a generated file may be very long
    size_t column = size_t(where.column) - 1;
    if (line.empty() || column > line.size() || column > widest) return;
    out += "    " + std::string(line.substr(0, widest)) + "\n    ";
    // tabs stay tabs and continuation bytes take no place, so that the mark stands under what it marks
    auto spread = [&](size_t from, size_t to, char mark) {
        for (size_t i = from; i < to && i < line.size(); ++i)
            if ((uint8_t(line[i]) & 0xc0) != 0x80) out += mark == ' ' && line[i] == '\t' ? '\t' : mark;
    };
    spread(0, column, ' ');
    out += '^';
    if (where.length > 1) spread(column + 1, std::min(column + size_t(where.length), widest), '~');
    out += '\n';
}

void append_place(std::string& out, Span where, std::span<const SourceText> sources, std::string_view word,
                  std::string_view text) {
    bool known = where.known() && size_t(where.source) < sources.size();
    if (known) {
        out += sources[size_t(where.source)].path + ":" + std::to_string(where.line) + ":" +
               std::to_string(where.column) + ": ";
    }
    out += std::string(word) + ": " + std::string(text) + "\n";
    if (known && where.line > 0 && where.column > 0)
        append_line(out, where, line_of(sources[size_t(where.source)].text, where.line));
}

// "Conv 'stem'" of a line that ends in `  # Conv 'stem'`; empty: of none.
std::string_view label_of(std::string_view line) {
    const size_t mark = line.rfind("  # ");
    return mark == line.npos ? std::string_view() : line.substr(mark + 4);
}
// A statement with blocks has its node behind the last line, which is that of its first line and of the ends of its blocks too.
std::string_view label_at(std::span<const std::string_view> lines, int32_t line) {
    if (line < 1 || size_t(line) > lines.size()) return {};
    const std::string_view first = lines[size_t(line) - 1];
    if (!label_of(first).empty()) return label_of(first);
    int depth = first.ends_with('{') ? 0 : 1;
    for (const std::string_view text : lines.subspan(size_t(line) - 1)) {
        const size_t begin = text.find_first_not_of(' ');
        if (begin == text.npos) return {};
        depth += int(text.ends_with('{')) - int(text[begin] == '}');
        if (depth == 0) return label_of(text);
    }
    return {};
}
// "Conv 'stem': ", or nothing in front of what is about the model as a whole, such as its inputs; nullopt: no such place.
std::optional<std::string> node_at(Span where, std::span<const SourceText> sources) {
    if (!where.known() || size_t(where.source) >= sources.size() || where.line < 1 || !is_of_model(sources[size_t(where.source)])) return std::nullopt;
    if (where.line == 1) return "";
    const std::string_view label = label_at(lines_of(sources[size_t(where.source)].text), where.line);
    return label.empty() ? std::nullopt : std::optional(std::string(label) + ": ");
}
} // namespace

bool is_of_model(const SourceText& source) { return source.path.ends_with(".onnx"); }

std::map<int32_t, std::string> nodes_at(const SourceText& source, const std::set<int32_t>& lines) {
    const std::vector<std::string_view> text = lines_of(source.text);
    std::map<int32_t, std::string> nodes;
    for (int32_t line : lines)
        if (const std::string_view label = label_at(text, line); !label.empty()) nodes.emplace(line, label);
    return nodes;
}

SourceText text_of_nodes(const std::string& path, const std::map<int32_t, std::string>& nodes) {
    SourceText made{path, ""};
    int32_t at = 1;
    for (const auto& [line, label] : nodes) {
        made.text.append(size_t(line - at), '\n');
        made.text += "  # " + label;
        at = line;
    }
    return made;
}

std::string with_names(std::string_view message, const std::map<std::string, std::string>& names) {
    auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
    std::string out;
    for (size_t i = 0; i < message.size();) {
        size_t end = i + 1;
        while (message[i] == '%' && end < message.size() && is_letter(message[end])) ++end;
        auto known = end > i + 1 ? names.find(std::string(message.substr(i + 1, end - i - 1))) : names.end();
        if (known == names.end()) {
            out += message.substr(i, end - i);
            i = end;
            continue;
        }
        constexpr std::string_view argument = "argument ";
        if (out.ends_with(argument)) out.replace(out.size() - argument.size(), argument.size(), "input ");
        const bool marked = out.ends_with('`') && end < message.size() && message[end] == '`';
        if (marked) out.pop_back();
        out += "'" + known->second + "'";
        i = end + (marked ? 1 : 0);
    }
    return out;
}

const SourceText* model_of(const Error& error, std::span<const SourceText> sources) {
    if (node_at(error.where, sources)) return &sources[size_t(error.where.source)];
    for (const Note& note : error.notes)
        if (node_at(note.where, sources)) return &sources[size_t(note.where.source)];
    return nullptr;
}

std::string message_with_node(const Error& error, std::span<const SourceText> sources) {
    std::vector<Span> places = {error.where};
    for (const Note& note : error.notes) places.push_back(note.where);
    for (const Span& where : places) {
        const std::optional<std::string> node = node_at(where, sources);
        if (!node) continue;
        const bool says_it = !node->empty() && error.message.starts_with(node->substr(0, node->size() - 2));
        return (says_it ? "" : *node) + error.message;
    }
    return error.message;
}

std::string render(const Error& error, std::span<const SourceText> sources, std::string_view severity) {
    std::string out;
    if (const SourceText* model = model_of(error, sources)) {
        out = model->path + ": " + std::string(severity) + ": " + message_with_node(error, sources) + "\n";
        if (!error.hint.empty() && error.hint.find('%') == error.hint.npos) out += "hint: " + error.hint + "\n";        // else about a text
        return out;
    }
    append_place(out, error.where, sources, severity, error.message);
    if (!error.hint.empty()) out += "hint: " + error.hint + "\n";
    for (const Note& note : error.notes) append_place(out, note.where, sources, "note", note.text);
    return out;
}
} // namespace nereus
