#include "run/plugins.h"
#include "plugin/plugin.h"
#include <string_view>

namespace nereus {
Status load_plugins(std::vector<const char*>& words) {
    constexpr std::string_view flag = "--plugin";
    for (size_t i = 0; i < words.size();) {
        const std::string_view word = words[i];
        if (word != flag && !(word.starts_with(flag) && word.substr(flag.size()).starts_with('='))) {
            ++i;
            continue;
        }
        const bool apart = word == flag;
        if (apart && i + 1 == words.size()) return Error{Code::usage, "--plugin needs a file"};
        TRY(load_plugin(apart ? words[i + 1] : std::string(word.substr(flag.size() + 1))));
        words.erase(words.begin() + int64_t(i), words.begin() + int64_t(i) + (apart ? 2 : 1));
    }
    return {};
}
} // namespace nereus
