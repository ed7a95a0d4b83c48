// generator/runner.h - programs by number, judged in a process of their own: one that crashes or hangs is known by its
// number, and the next one runs all the same.
#pragma once
#include "generator/generator.h"
#include "generator/judge.h"

namespace nereus::gen {
// Program number `index` of a seed: what it is about, how large it is, and whether it is smooth follow from both.
Options options_of(uint64_t seed, int index);
Program program_of(Options options);         // with its pair nested, if a few tries bring that about
Case case_of(const Options& options, const Program& program);

struct Failure { int index; Finding finding; };
struct Tally {
    int programs = 0, calls = 0, failed = 0, ill = 0, gradients = 0, too_long = 0, refused = 0;
    double cpu_seconds = 0;
    std::vector<Failure> failures = {};
};
// Judges programs first … first + count - 1; stops after `most` failures.
Tally run_programs(uint64_t seed, int first, int count, int most);
// One case in a child process; crash and time out are findings too.
Verdict judge_apart(const Case& c);
} // namespace nereus::gen
