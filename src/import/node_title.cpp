#include "import/node_title.h"
#include <algorithm>
#include <cctype>

namespace nereus::onnx {
std::string node_title(const Node& node) {
    constexpr size_t longest = 120;
    std::string title(node.op_type.substr(0, longest));
    const auto output = std::ranges::find_if(node.outputs, [](std::string_view name) { return !name.empty(); });
    if (!node.name.empty()) title += " '" + std::string(node.name.substr(0, longest)) + "'";
    else if (output != node.outputs.end()) title += " that gives '" + std::string(output->substr(0, longest)) + "'";
    std::ranges::replace_if(title, [](char c) { return std::iscntrl(static_cast<unsigned char>(c)); }, '?');
    return title;
}
} // namespace nereus::onnx
