#include "value/compare.h"
#include "value/element.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <unordered_set>

namespace nereus {
namespace {
using Nodes = std::pair<const ValueNode*, const ValueNode*>;
struct HashNodes {
    size_t operator()(const Nodes& n) const {
        return std::hash<const void*>()(n.first) * 0x9e3779b97f4a7c15u ^ std::hash<const void*>()(n.second);
    }
};
struct Open { const Value* found; const Value* expected; size_t next; };

bool element_matches(double found, double expected, const Tolerance& tolerance) {
    if (std::isnan(found) || std::isnan(expected))
        return tolerance.equal_nan && std::isnan(found) && std::isnan(expected);
    if (found == expected) return true;            // equal infinities too
    if (std::isinf(found) || std::isinf(expected)) return false;
    return std::abs(found - expected) <= tolerance.atol + tolerance.rtol * std::abs(expected);
}

// Index of the first element that differs; the count: none. Dtype and shape agree.
int64_t first_difference(const HostTensor& a, const HostTensor& b, const Tolerance* tolerance) {
    bool by_value = tolerance && (is_float(a.dtype()) || is_storage(a.dtype()));
    bool same_bytes = a.count() == 0 || std::memcmp(a.bytes(), b.bytes(), size_t(a.byte_size())) == 0;
    if (same_bytes && (!by_value || tolerance->equal_nan)) return a.count();
    int64_t size = size_of(a.dtype());
    for (int64_t i = 0; i < a.count(); ++i) {
        bool same = by_value ? element_matches(a.as_f64(i), b.as_f64(i), *tolerance)
                             : std::memcmp(a.bytes() + i * size, b.bytes() + i * size, size_t(size)) == 0;
        if (!same) return i;
    }
    return a.count();
}

std::string element_path(const HostTensor& tensor, int64_t index) {
    if (tensor.rank() == 0) return "";
    std::string text;
    for (size_t axis = tensor.shape().size(); axis-- > 0;) {
        text = std::to_string(index % tensor.shape()[axis]) + (text.empty() ? "]" : ", ") + text;
        index /= tensor.shape()[axis];
    }
    return "[" + text;
}

std::string element_text(const HostTensor& tensor, int64_t index) {
    std::string text;
    append_element(text, tensor, index);
    return text;
}

Difference differ(const std::string& found, const std::string& expected) {
    return Difference{"", "found " + found + ", expected " + expected};
}

std::optional<Difference> compare_tensors(const HostTensor& a, const HostTensor& b, const Tolerance* tolerance) {
    if (a.dtype() != b.dtype())
        return differ(std::string(dtype_name(a.dtype())), std::string(dtype_name(b.dtype())));
    if (a.shape() != b.shape()) return differ("shape " + shape_text(a.shape()), shape_text(b.shape()));
    int64_t i = first_difference(a, b, tolerance);
    if (i == a.count()) return std::nullopt;
    Difference difference = differ(element_text(a, i), element_text(b, i));
    difference.path = element_path(a, i);
    return difference;
}

std::string head_text(const Value& value) {
    std::string text(kind_name(value.kind()));
    if (value.is(Value::Kind::ctor)) text += " " + std::string(value.ctor_name());
    return text;
}

// What differs in two values apart from their children and elements.
std::optional<Difference> compare_heads(const Value& a, const Value& b) {
    bool same = a.kind() == b.kind() && (!a.is(Value::Kind::ctor) || a.ctor_name() == b.ctor_name());
    if (!same) return differ(head_text(a), head_text(b));
    size_t found = a.children().size(), expected = b.children().size();
    if (found != expected)
        return differ(head_text(a) + " of " + std::to_string(found), std::to_string(expected));
    if (!a.is(Value::Kind::record)) return std::nullopt;
    for (size_t i = 0; i < found; ++i)
        if (a.field_names()[i] != b.field_names()[i])
            return differ("field " + a.field_names()[i], b.field_names()[i]);
    return std::nullopt;
}

std::string step_text(const Open& open) {
    const Value& parent = *open.expected;
    size_t i = open.next - 1;
    switch (parent.kind()) {
    case Value::Kind::tensor: return "";
    case Value::Kind::tuple: return "." + std::to_string(i);
    case Value::Kind::record: return "." + parent.field_names()[i];
    case Value::Kind::ctor: return "/" + std::string(parent.ctor_name()) + "." + std::to_string(i);
    case Value::Kind::seq: return "[" + std::to_string(i) + "]";
    }
    return "";
}

std::string path_text(const std::vector<Open>& stack) {
    constexpr size_t ends = 20;                    // steps shown of a long path, at either end
    std::string path;
    for (size_t i = 0; i < stack.size(); ++i) {
        if (i == ends && stack.size() > 2 * ends) {
            i = stack.size() - ends;
            path += "/…" + std::to_string(i - ends) + " more…";
        }
        path += step_text(stack[i]);
    }
    return path;
}

// Without a tolerance: bit for bit.
std::optional<Difference> walk(const Value& found, const Value& expected, const Tolerance* tolerance) {
    std::vector<Open> stack;
    std::unordered_set<Nodes, HashNodes> done;     // pairs that several paths lead to
    bool same_is_equal = !tolerance || tolerance->equal_nan;
    const Value* a = &found;
    const Value* b = &expected;
    for (;;) {
        bool skip = same_is_equal && a->node() == b->node();
        if (!skip && a->shared() && b->shared()) skip = !done.insert({a->node(), b->node()}).second;
        if (!skip) {
            std::optional<Difference> difference = compare_heads(*a, *b);
            if (!difference && a->is(Value::Kind::tensor))
                difference = compare_tensors(a->tensor(), b->tensor(), tolerance);
            if (difference) {
                difference->path = path_text(stack) + difference->path;
                return difference;
            }
            stack.push_back({a, b, 0});
        }
        while (!stack.empty() && stack.back().next == stack.back().found->children().size()) stack.pop_back();
        if (stack.empty()) return std::nullopt;
        Open& top = stack.back();
        a = &top.found->children()[top.next];
        b = &top.expected->children()[top.next++];
    }
}
} // namespace

bool equal_bitwise(const Value& a, const Value& b) { return !walk(a, b, nullptr); }

std::optional<Difference> compare(const Value& found, const Value& expected, const Tolerance& tolerance) {
    return walk(found, expected, &tolerance);
}

std::string extent_of_difference(const Value& found, const Value& expected, const Tolerance& tolerance) {
    if (!found.is(Value::Kind::tensor) || !expected.is(Value::Kind::tensor)) return {};
    const HostTensor &a = found.tensor(), &b = expected.tensor();
    if (a.dtype() != b.dtype() || a.shape() != b.shape() || a.count() < 2) return {};
    const int64_t size = size_of(a.dtype());
    const bool by_value = is_float(a.dtype()) || is_storage(a.dtype());
    int64_t differ = 0;
    double most = 0;
    for (int64_t i = 0; i < a.count(); ++i) {
        if (!by_value) {
            differ += std::memcmp(a.bytes() + i * size, b.bytes() + i * size, size_t(size)) != 0;
            continue;
        }
        const double x = a.as_f64(i), y = b.as_f64(i), off = std::abs(x - y);
        if (element_matches(x, y, tolerance)) continue;
        ++differ;
        most = std::max(most, std::isnan(off) ? HUGE_VAL : off);
    }
    std::string text = std::to_string(differ) + " of " + std::to_string(a.count()) + (differ == 1 ? " elements differs" : " elements differ");
    if (!by_value || differ == 0) return text;
    char by[40];
    std::snprintf(by, sizeof by, ", by at most %.3g", most);
    return text + by;
}
} // namespace nereus
