#include "cli/on_request.h"
#include "cli/json_object.h"
#include "cli/latency.h"
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <sstream>

namespace nereus {
namespace {
std::string sets_text(const std::vector<ArgumentSet>& sets) {
    std::vector<std::string> names;
    for (const ArgumentSet& set : sets) append_json_string(names.emplace_back(), set.name);
    return json_list(names);
}
void answer(const JsonObject& json) {
    std::puts(json.text().c_str());
    std::fflush(stdout);
}

struct Request { size_t set = 0; int64_t count = 0; };
Result<Request> parse_request(const std::string& line, size_t sets) {
    Request request;
    std::istringstream words(line);
    if (!(words >> request.set >> request.count) || request.count < 1)
        return Error{Code::usage,
                     "a line is the number of a set and a count of calls, not '" + line.substr(0, 60) + "'"};
    if (request.set >= sets) return Error{Code::usage, "there is no set " + std::to_string(request.set)};
    return request;
}

Result<JsonObject> call(Context& context, const EntryInfo& entry, const std::vector<Value>& values, int64_t count) {
    std::vector<std::string> times;
    int64_t peak = 0;
    for (int64_t i = 0; i < count; ++i) {
        const Stopwatch watch;
        const Result<Value> result = context.run(entry, values);
        const double ms = watch.ms();
        if (!result) return result.error();
        times.push_back(json_number(ms));
        peak = std::max(peak, context.stats().peak_bytes);
    }
    return JsonObject().add_raw("ms", json_list(times)).add("peak_bytes", peak);
}
} // namespace

Status call_on_request(const ReadyProgram& program, const std::vector<ArgumentSet>& sets, int threads) {
    const std::unique_ptr<Context> context = TRY(Context::make(program.loaded, {.threads = threads}));
    answer(JsonObject()
               .add_raw("sets", sets_text(sets))
               .add("threads", int64_t(threads))
               .add("compile_ms", program.compile_ms)
               .add("load_ms", program.load_ms)
               .add("weights_bytes", program.weights_bytes()));
    for (std::string line; std::getline(std::cin, line);) {
        const Result<Request> request = parse_request(line, sets.size());
        const Result<JsonObject> done = request
                                            ? call(*context, program.entry(), sets[request->set].values, request->count)
                                            : request.error();
        answer(done ? *done : JsonObject().add("error", done.error().message));
    }
    return {};
}
} // namespace nereus
