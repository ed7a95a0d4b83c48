#include "value/path.h"
#include <unordered_set>

namespace nereus {
namespace {
struct Step { const Value* into; size_t child; };

bool is_list(const Value& value) { return value.is(Value::Kind::ctor) && value.ctor_name() == "Cons" && value.children().size() == 2; }

// Depth first, with a stack of its own; what is shared is entered once.
std::vector<Step> steps_to(const Value& whole, const Value& part) {
    std::vector<Step> steps;
    std::unordered_set<const ValueNode*> entered;
    const Value* at = &whole;
    while (at != &part) {
        if (entered.insert(at->node()).second && !at->children().empty()) {
            steps.push_back({at, 0});
        } else {
            while (!steps.empty() && steps.back().child + 1 == steps.back().into->children().size()) steps.pop_back();
            if (steps.empty()) return steps;
            ++steps.back().child;
        }
        at = &steps.back().into->children()[steps.back().child];
    }
    return steps;
}

std::string shortened(std::string path) {
    constexpr size_t most = 100, begin = 40, end = 50;
    if (path.size() <= most) return path;
    const size_t from = path.find_first_of(".[", begin), to = path.find_first_of(".[", path.size() - end);
    return path.substr(0, from == path.npos ? begin : from) + " … " + path.substr(to == path.npos ? path.size() - end : to);
}
} // namespace

std::string path_to(const Value& whole, const Value& part) {
    std::string path;
    size_t passed = 0;                                   // elements of a list that were left behind
    for (const Step& step : steps_to(whole, part)) {
        const std::string index = std::to_string(step.child);
        if (is_list(*step.into) && step.child == 1) {
            ++passed;
            continue;
        }
        if (is_list(*step.into)) {
            path += "[" + std::to_string(passed) + "]";
        } else {
            if (passed > 0) path += "[" + std::to_string(passed) + ":]";
            switch (step.into->kind()) {
            case Value::Kind::tensor: break;
            case Value::Kind::tuple: path += "." + index; break;
            case Value::Kind::record: path += "." + step.into->field_names()[step.child]; break;
            case Value::Kind::ctor: path += "." + std::string(step.into->ctor_name()) + "." + index; break;
            case Value::Kind::seq: path += "[" + index + "]"; break;
            }
        }
        passed = 0;
    }
    if (passed > 0) path += "[" + std::to_string(passed) + ":]";
    return shortened(std::move(path));
}
} // namespace nereus
