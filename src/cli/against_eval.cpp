#include "cli/against_eval.h"
#include "cli/random_cases.h"
#include "import/read_model.h"
#include <time.h>

namespace nereus {
namespace {
double cpu_seconds() {
    timespec spent = {};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return double(spent.tv_sec) + double(spent.tv_nsec) * 1e-9;
}

struct Recorded { Nearness near; std::vector<std::vector<Value>> inputs; };
Result<Recorded> recorded_cases(const ModelPlace& place, const onnx::ModelFile& file, const BothWays& both) {
    Recorded recorded;
    if (place.folder.empty()) return recorded;
    Result<ModelCases> cases = ModelCases::open(place.folder);
    if (!cases) return recorded;                       // none are needed
    recorded.near = cases->near();
    for (const std::filesystem::path& one : cases->folders()) recorded.inputs.push_back(TRY(cases->read(one, file, both.inputs(), {})).inputs);
    return recorded;
}
} // namespace

Result<AgainstTally> check_against_eval(const ModelPlace& place, const AgainstEval& against) {
    const onnx::ModelFile file = TRY(onnx::read_model(place.file.string()));
    BothWays both = TRY(BothWays::make(file, against.how, place.file.string()));
    Recorded recorded = TRY(recorded_cases(place, file, both));
    against.adjust(recorded.near);
    RandomCases cases = TRY(RandomCases::make(file.main(), both.inputs(), std::move(recorded.inputs), against.seed));
    std::mt19937_64 random(against.seed);
    AgainstTally tally;
    const double end = cpu_seconds() + against.seconds;
    const int64_t most_tries = 40 + 10 * against.runs;
    int refused = 0;                                   // in a row
    for (int64_t tries = 0; tries < most_tries && tally.compared < against.runs && (cpu_seconds() < end || tally.compared == 0); ++tries) {
        if (against.progress) against.progress(tally.compared);
        Result<std::vector<Value>> args = cases.next(refused);
        if (!args) continue;
        Result<std::vector<Value>> expected = both.interpreted(*args);
        Result<std::vector<Value>> found = both.compiled(*args);
        if (!expected) {                               // what fails and is not used need not fail compiled
            ++tally.refused, ++refused;
            continue;
        }
        refused = 0;
        ++tally.compared;
        const Verdict verdict = found ? judge(*found, *expected, both.outputs(), recorded.near) : Verdict{.difference = Difference{"refused", found.error().message}};
        tally.by_l2 += verdict.by_l2;
        if (!verdict.difference) continue;
        Result<std::optional<FoundDifference>> first = find_difference(file, against.how, *args, recorded.near, against.differences / place.name(), random);
        if (first && !*first) {
            ++tally.by_rounding;
            continue;
        }
        tally.difference = verdict.difference->path + ": " + verdict.difference->what + " (" + shapes_text(both.inputs(), *args) + ")";
        if (first) tally.difference += "; first in " + (*first)->nodes + ", " + (*first)->what + "; shown by nereus check " + (*first)->folder.string();
        else tally.difference += "; no part of it could be taken: " + first.error().message;
        return tally;
    }
    if (tally.compared == 0) return Error{Code::value, "no input was found that it takes, in " + std::to_string(most_tries) + " tries"};
    return tally;
}
} // namespace nereus
