// cli/json_object.h - a report as a JSON object on one line.
#pragma once
#include "value/json.h"
#include <charconv>

namespace nereus {
inline std::string json_number(double value) {
    char buffer[40];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

class JsonObject {
 public:
    JsonObject& add_raw(std::string_view key, std::string_view value) {          // value: JSON already
        text_ += text_.empty() ? "" : ", ";
        append_json_string(text_, key);
        text_ += ": ";
        text_ += value;
        return *this;
    }
    JsonObject& add(std::string_view key, std::string_view value) {
        std::string quoted;
        append_json_string(quoted, value);
        return add_raw(key, quoted);
    }
    JsonObject& add(std::string_view key, const char* value) { return add(key, std::string_view(value)); }
    JsonObject& add(std::string_view key, int64_t value) { return add_raw(key, std::to_string(value)); }
    JsonObject& add(std::string_view key, double value) { return add_raw(key, json_number(value)); }
    std::string text() const { return "{" + text_ + "}"; }

 private:
    std::string text_;
};
inline std::string json_list(const std::vector<std::string>& items) {          // items: JSON already
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
    return "[" + text + "]";
}
} // namespace nereus
