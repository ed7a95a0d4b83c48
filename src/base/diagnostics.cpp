#include "base/diagnostics.h"
#include <algorithm>

namespace nereus {
namespace {
std::string_view line_of(std::string_view text, int32_t line) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);               // as the lexer does
    for (; line > 1; --line) {
        size_t end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    text = text.substr(0, text.find('\n'));
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    return text;
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
} // namespace

std::string render(const Error& error, std::span<const SourceText> sources, std::string_view severity) {
    std::string out;
    append_place(out, error.where, sources, severity, error.message);
    if (!error.hint.empty()) out += "hint: " + error.hint + "\n";
    for (const Note& note : error.notes) append_place(out, note.where, sources, "note", note.text);
    return out;
}
} // namespace nereus
