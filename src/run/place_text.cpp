#include "run/place_text.h"
#include <algorithm>

namespace nereus {
std::string place_text(const Span& where, std::span<const SourceText> sources) {
    constexpr size_t longest_line = 90;
    if (!where.known()) return "";
    if (size_t(where.source) >= sources.size()) return "line " + std::to_string(where.line);
    const SourceText& source = sources[size_t(where.source)];
    std::string out = source.path + ":" + std::to_string(where.line), line;
    std::string_view text = source.text;
    for (int32_t i = 1; i < where.line && !text.empty(); ++i)
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    line = text.substr(0, text.find('\n'));
    if (const size_t node = line.find("  # "); node != line.npos) line.erase(0, node + 4);
    line.erase(0, line.find_first_not_of(' '));
    if (line.size() > longest_line) {
        line.resize(longest_line);
        while (!line.empty() && (uint8_t(line.back()) & 0x80)) line.pop_back();      // not half a letter
        line += " …";
    }
    return out + (line.empty() ? "" : "  " + line);
}
} // namespace nereus
