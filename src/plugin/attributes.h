// plugin/attributes.h - attributes of an operator from outside as text: axis=-1, axes=[0, 1], mode="edge", exact=true. So a
// plug-in declares them, and so the name of a kernel in an executable carries them.
#pragma once
#include "base/result.h"
#include "nereus/plugin.h"
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nereus {
struct PluginAttribute {
    std::string name;
    std::variant<int64_t, bool, std::vector<int64_t>, std::string> value;
    bool operator==(const PluginAttribute&) const = default;
};
using PluginAttributes = std::vector<PluginAttribute>;

Result<PluginAttributes> parse_attributes(std::string_view text);
std::string attributes_text(const PluginAttributes& attributes);             // that reads back as the same
// What a plug-in asks; as long as the list is there.
nereus_plugin_attributes attributes_view(const PluginAttributes& attributes);
bool is_plain_name(std::string_view name);               // letters, digits and _, as programs write names
} // namespace nereus
