#include "exe/source_texts.h"
#include "base/diagnostics.h"

namespace nereus {
std::vector<SourceText> source_texts(const Executable& exe) {
    std::vector<SourceText> texts;
    for (const SourceInfo& source : exe.sources) {
        std::map<int32_t, std::string> nodes;
        for (const NodeLine& each : source.nodes) nodes.emplace(each.line, each.node);
        texts.push_back(text_of_nodes(source.path, nodes));
    }
    return texts;
}
} // namespace nereus
