// cli/work.h - how straight the code of a program is: its launches, and everything between them that cuts lists to pieces.
//
// Counts are those of one call: callees at each place where they are called (one that calls itself, once), bodies of loops once, every
// arm. Calls that a compile may still remove, sizes that it may still know: these counts may only fall (test/golden/model_work).
#pragma once
#include "exe/executable.h"
#include "lower/lowered.h"

namespace nereus {
struct WorkPlace {                               // one place of the program that is no launch
    std::string kind, about, where;              // "read", "sum: a new number", "net.nr:12  %y = …"
    int64_t times = 1;                           // callees at each place
};
struct NamedCount { std::string_view name, means; int64_t number; };

struct Work {
    std::vector<NamedCount> counts;              // what may only fall
    std::vector<WorkPlace> places;               // calls, branches, reads, checks and opens, in order
    int64_t of(std::string_view name) const;
};
Work work_of(const Lowered& lowered);
void add_code(Work& work, const Executable& exe);        // lists and copies, of the same program
std::string work_text(const Work& work, bool places);
std::string work_json(const Work& work, bool places);    // an object
} // namespace nereus
