// Control flow becomes the language's own.
#include "import/node_text.h"

namespace nereus::onnx {
namespace {
std::string tuple_of(const std::vector<std::string>& values) {
    std::string out;
    for (const std::string& value : values) out += (out.empty() ? "" : ", ") + value;
    return values.size() == 1 ? out : "(" + out + ")";
}

void choice(NodeText& n) {
    const std::string condition = n.named("c", "reshape(" + n.in(0) + ", [])");
    const std::optional<GraphId> yes = n.graph("then_branch"), no = n.graph("else_branch");
    if (!yes || !no) return;
    const std::string first = n.block(*yes, {}, tuple_of);
    n.give("if (" + condition + ") " + first + " else " + n.block(*no, {}, tuple_of));
}
} // namespace

std::span<const OpRow> control_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"If",                1,    "",         "",                      "", choice},
    };
    return rows;
}
} // namespace nereus::onnx
