#include "run/arguments.h"
#include "base/suggest.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

namespace nereus {
std::string Arguments::value(std::string_view name, std::string otherwise) const {
    auto it = flags.find(name);
    return it == flags.end() || it->second.empty() ? otherwise : it->second.back();
}
std::vector<std::string> Arguments::values(std::string_view name) const {
    auto it = flags.find(name);
    return it == flags.end() ? std::vector<std::string>() : it->second;
}

Result<Arguments> parse_arguments(std::span<const char* const> args, std::span<const FlagSpec> flags) {
    Arguments out;
    for (size_t i = 0; i < args.size(); ++i) {
        std::string_view word = args[i];
        if (!word.starts_with("--") || word == "--") {
            if (word == "-h") out.flags["help"];
            else if (word != "--") out.rest.emplace_back(word);
            continue;
        }
        std::string_view name = word.substr(2), value;
        bool attached = name.find('=') != std::string_view::npos;
        if (attached) value = name.substr(name.find('=') + 1), name = name.substr(0, name.find('='));
        auto spec = std::find_if(flags.begin(), flags.end(), [&](const FlagSpec& f) { return f.name == name; });
        if (spec == flags.end()) {
            Error error{Code::usage, "unknown flag --" + std::string(name)};
            std::vector<std::string_view> names;
            for (const FlagSpec& flag : flags) names.push_back(flag.name);
            if (std::string meant = nearest(name, names); !meant.empty()) error.hint = "did you mean --" + meant + "?";
            return error;
        }
        if (!spec->takes_value && !spec->may_take_value && attached)
            return Error{Code::usage, "--" + std::string(name) + " takes no value"};
        if (spec->takes_value && !attached) {
            if (i + 1 == args.size()) return Error{Code::usage, "--" + std::string(name) + " needs a value"};
            value = args[++i];
        }
        std::vector<std::string>& values = out.flags[std::string(name)];
        if (spec->takes_value || attached) values.emplace_back(value);
    }
    return out;
}

std::string flags_help(std::span<const FlagSpec> flags) {
    std::string text;
    for (const FlagSpec& flag : flags) {
        std::string left = "  --" + std::string(flag.name);
        std::string_view help = flag.help;
        if (flag.takes_value) {
            size_t space = help.find(' ');
            left += " " + std::string(help.substr(0, space));
            help = help.substr(space + 1);
        }
        if (flag.may_take_value) {
            size_t space = help.find(' ');
            left += "[=" + std::string(help.substr(0, space)) + "]";
            help = help.substr(space + 1);
        }
        left.resize(std::max<size_t>(left.size() + 2, 26), ' ');
        text += left + std::string(help) + "\n";
    }
    return text;
}

Result<int64_t> Arguments::whole(std::string_view name, int64_t least, int64_t otherwise) const {
    if (!has(name)) return otherwise;
    std::string text = value(name);
    int64_t number = 0;
    auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (wrong == std::errc() && end == text.data() + text.size() && number >= least) return number;
    return Error{Code::usage, "--" + std::string(name) + " takes a whole number from " + std::to_string(least) + " on, not '" + text + "'"};
}

std::string plain_error(const Error& error) {
    std::string text = "error: " + error.message + "\n";
    if (!error.hint.empty()) text += "hint: " + error.hint + "\n";
    return text;
}
int exit_code(const Error& error) { return error.code == Code::usage ? 2 : 1; }
int exit_written(int exit) {
    errno = 0;
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return exit;
    std::string why = errno != 0 ? std::string(": ") + std::strerror(errno) : "";
    std::fputs(plain_error(Error{Code::io, "cannot write to standard output" + why}).c_str(), stderr);
    return std::max(exit, 1);
}
} // namespace nereus
