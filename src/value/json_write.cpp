#include "value/element.h"
#include "value/json.h"
#include <cmath>

namespace nereus {
namespace {
void append_tensor(std::string& out, const HostTensor& tensor) {
    out += "{\"dtype\": \"";
    out += dtype_name(tensor.dtype());
    out += "\", \"shape\": [";
    for (int64_t axis = 0; axis < tensor.rank(); ++axis) {
        if (axis > 0) out += ", ";
        out += std::to_string(tensor.shape()[size_t(axis)]);
    }
    out += "], \"data\": [";
    for (int64_t i = 0; i < tensor.count(); ++i) {
        if (i > 0) out += ", ";
        bool quoted = !is_integer(tensor.dtype()) && !is_text(tensor.dtype()) && !std::isfinite(tensor.as_f64(i));
        if (quoted) out += '"';
        append_element(out, tensor, i);
        if (quoted) out += '"';
    }
    out += "]}";
}

void append_opening(std::string& out, const Value& value) {
    switch (value.kind()) {
    case Value::Kind::tensor: append_tensor(out, value.tensor()); return;
    case Value::Kind::tuple: out += "{\"tuple\": ["; return;
    case Value::Kind::seq: out += "{\"seq\": ["; return;
    case Value::Kind::record: out += "{\"record\": {"; return;
    case Value::Kind::ctor:
        out += "{\"ctor\": ";
        append_json_string(out, value.ctor_name());
        out += ", \"args\": [";
        return;
    }
}
} // namespace

void append_json_string(std::string& out, std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    out += '"';
    for (char c : text) {
        if (c == '"' || c == '\\') { out += '\\'; out += c; }
        else if (uint8_t(c) >= 0x20) out += c;
        else if (c == '\n') out += "\\n";
        else { out += "\\u00"; out += hex[size_t(c) >> 4]; out += hex[size_t(c) & 15]; }
    }
    out += '"';
}

void append_json(std::string& out, const Value& value) {
    struct Open { const Value* value; size_t next; };
    std::vector<Open> stack;
    auto open = [&](const Value& v) {
        append_opening(out, v);
        if (!v.is(Value::Kind::tensor)) stack.push_back({&v, 0});
    };
    open(value);
    while (!stack.empty()) {
        Open& top = stack.back();
        const Value& v = *top.value;
        if (top.next == v.children().size()) {
            out += v.is(Value::Kind::record) ? "}}" : "]}";
            stack.pop_back();
            continue;
        }
        size_t i = top.next++;
        if (i > 0) out += ", ";
        if (v.is(Value::Kind::record)) {
            append_json_string(out, v.field_names()[i]);
            out += ": ";
        }
        open(v.children()[i]);
    }
}

std::string to_json(const Value& value) {
    std::string out;
    append_json(out, value);
    return out;
}
} // namespace nereus
