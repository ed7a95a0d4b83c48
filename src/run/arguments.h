// run/arguments.h - a command line taken apart: flags by name, the rest in order.
#pragma once
#include "base/result.h"
#include <map>
#include <span>
#include <string>
#include <vector>

namespace nereus {
struct FlagSpec {
    std::string_view name;                   // without --
    bool takes_value = false;
    std::string_view help;                   // one line, starting with the value's name if it takes one
    bool may_take_value = false;             // --name alone too; then only --name=value gives one
};

struct Arguments {
    std::vector<std::string> rest;
    std::map<std::string, std::vector<std::string>, std::less<>> flags;
    bool has(std::string_view name) const { return flags.contains(name); }
    std::string value(std::string_view name, std::string otherwise = {}) const;
    std::vector<std::string> values(std::string_view name) const;
    Result<int64_t> whole(std::string_view name, int64_t least, int64_t otherwise) const;    // a number, else a usage error
};

// --name=value or --name value. An unknown flag is a usage error with did-you-mean.
Result<Arguments> parse_arguments(std::span<const char* const> args, std::span<const FlagSpec> flags);
std::string flags_help(std::span<const FlagSpec> flags);

// What a command line prints for an error that has no place in a source text.
std::string plain_error(const Error& error);
int exit_code(const Error& error);           // 2: the call itself was wrong; 1: everything else
int exit_written(int exit);                  // of a program that is done, or 1 if not all it printed could be written
} // namespace nereus
