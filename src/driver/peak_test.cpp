#include "driver/compiled_testing.h"
#include <filesystem>
#include <cstdio>
#include <chrono>
namespace nereus {
TEST(PeakExplore, All) {
    for (const auto& file : std::filesystem::directory_iterator(NEREUS_SOURCE_DIR "/test/programs"))
        for (const std::string& entry : entries_of(file.path())) {
            Compiled program(file.path().filename(), entry);
            if (!program.loaded) continue;
            std::mt19937_64 random(5);
            int exact = 0, above = 0, below = 0, limit = 0, failed = 0, other = 0;
            std::string why;
            double slow = 0;
            for (int call = 0; call < 12; ++call) {
                RandomInputs inputs{program.typed, random};
                std::vector<Value> args = random_arguments(inputs);
                std::unique_ptr<Context> context = program.context();
                Result<Value> result = context->run(program.entry(), args);
                auto begin = std::chrono::steady_clock::now();
                Result<int64_t> peak = context->peak(program.entry(), args);
                slow = std::max(slow, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
                if (!result) { ++failed; continue; }
                if (!peak) { (peak.error().code == Code::limit ? limit : other)++; why = peak.error().message + " line " + std::to_string(peak.error().where.line); continue; }
                int64_t real = context->stats().peak_bytes;
                (*peak == real ? exact : *peak > real ? above : below)++;
            }
            std::printf("%-22s %-28s exact %2d above %2d below %2d limit %2d other %2d failed %2d %.3fs %s\n", file.path().filename().c_str(), entry.c_str(), exact, above, below, limit, other, failed, slow, why.c_str());
            std::fflush(stdout);
        }
}
}
