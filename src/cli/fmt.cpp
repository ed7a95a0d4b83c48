#include "base/file.h"
#include "cli/commands.h"
#include "base/diagnostics.h"
#include "text/format_source.h"
#include <cstdio>
#include <iostream>
#include <iterator>

namespace nereus {
namespace {
constexpr std::string_view help_text =
    "nereus fmt PROGRAM.nr...\n"
    "Corrects spaces and indentation, in place. Lines stay as they are broken, but those of more than 100 columns are\n"
    "broken at brackets; comments stay where they stand.\n"
    "\n"
    "  nereus fmt - < net.nr        to stdout\n"
    "  nereus fmt --check *.nr      only says which files would change; exit 1 if any\n"
    "\n";

Result<std::string> formatted(const std::string& path, const std::string& text) {
    Result<std::string> out = format_source(text);
    if (out) return out;
    const SourceText source{path, text};
    fail(out.error(), {&source, 1});
    return std::move(out).error();
}

int from_stdin(bool check) {
    std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    Result<std::string> out = formatted("stdin", text);
    if (!out) return 1;
    if (check) return *out == text ? 0 : 1;
    std::fwrite(out->data(), 1, out->size(), stdout);
    return 0;
}
} // namespace

int fmt_command(Words words) {
    const FlagSpec flags[] = {{"check", false, "change nothing"}, {"help", false, "this text"}};
    std::vector<const char*> named;
    bool reads_stdin = false;
    for (const char* word : words) {
        if (std::string_view(word) == "-") reads_stdin = true;
        else named.push_back(word);
    }
    Result<Arguments> arguments = parse_arguments(named, flags);
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help")) {
        std::fputs((std::string(help_text) + flags_help(flags)).c_str(), stdout);
        return 0;
    }
    const bool check = arguments->has("check");
    if (reads_stdin == !arguments->rest.empty())
        return fail(Error{Code::usage, "expected programs to format, or - for stdin", {}, "nereus fmt --help"});
    if (reads_stdin) return from_stdin(check);
    int exit = 0;
    for (const std::string& path : arguments->rest) {        // all of them, even after one that is wrong
        Result<std::string> text = read_file(path);
        if (!text) {
            exit = fail(text.error());
            continue;
        }
        Result<std::string> out = formatted(path, *text);
        if (!out) exit = 1;
        if (!out || *out == *text) continue;
        if (check) {
            std::printf("%s\n", path.c_str());
            exit = 1;
        } else if (Status written = write_file(path, *out); !written) exit = fail(written.error());
    }
    return exit;
}
} // namespace nereus
