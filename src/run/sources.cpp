#include "run/sources.h"
#include "base/file.h"
#include "exe/checksum.h"
#include "exe/source_texts.h"

namespace nereus {
static bool is_same(const SourceInfo& source, const std::string& text) {
    return int64_t(checksum(std::as_bytes(std::span(text)))) == source.sum;
}

std::vector<SourceText> source_texts(const Executable& exe, std::span<const SourceText> known) {
    std::vector<SourceText> texts = source_texts(exe);
    for (size_t i = 0; i < texts.size(); ++i) {
        const SourceInfo& source = exe.sources[i];
        SourceText& made = texts[i];
        for (const SourceText& each : known)
            if (each.path == source.path && is_same(source, each.text)) made.text = each.text;
        if (!made.text.empty() || !known.empty()) continue;
        Result<std::string> file = read_file(source.path);
        if (file && is_same(source, *file)) made.text = std::move(*file);
    }
    return texts;
}
} // namespace nereus
