// Models whose structure was changed at random, as far as machine code: none may crash, take for ever or take all memory.
//   NEREUS_SEED=3 NEREUS_MODELS=5000 NEREUS_MODEL_SEEDS=FOLDER cli_test --gtest_filter=MutatedModels.*
// begins with that seed, makes so many, and begins also with the models of that folder. What is found lies in the folder of the
// test as found-SEED.onnx; `./dev fuzz` does the same guided by what is covered.
#include "base/file.h"
#include "driver/hostile_model_testing.h"
#include "import/mutate_testing.h"
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nereus {
namespace {
namespace fs = std::filesystem;
#if defined(NEREUS_ADDRESS_SANITIZER) || defined(NEREUS_THREAD_SANITIZER)
constexpr int longest = 200;                             // seconds of CPU for one model
#else
constexpr int longest = 20;
#endif
constexpr rlim_t most_bytes = rlim_t(3) << 30;

int64_t number_of(const char* name, int64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::atoll(text) : otherwise;
}
std::vector<std::string> seeds() {
    std::vector<fs::path> paths;
    std::vector<std::string> folders = {NEREUS_SOURCE_DIR "/test/corpus/models", NEREUS_SOURCE_DIR "/test/corpus/onnx"};
    if (const char* more = std::getenv("NEREUS_MODEL_SEEDS")) folders.emplace_back(more);
    for (const std::string& folder : folders)
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            if (entry.path().extension() == ".onnx" && entry.file_size() < 1 << 16) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());               // the order of a directory is nobody's
    std::vector<std::string> all;
    for (const fs::path& path : paths) all.push_back(*read_file(path.string()));
    return all;
}

// What parent and child both see.
struct Shared { int64_t done, reached[5]; uint64_t seed; char mistake[400]; size_t size; std::byte model[1 << 18]; };

// Models from number `first` on, until all are done or one ends the process.
void run_child(Shared& shared, std::vector<std::string> pool, int64_t seed, int64_t count) {
    [[maybe_unused]] const rlimit memory{most_bytes, most_bytes};
    const rlimit no_core{0, 0};
#if !defined(NEREUS_ADDRESS_SANITIZER) && !defined(NEREUS_THREAD_SANITIZER)
    ::setrlimit(RLIMIT_DATA, &memory);
#endif
    ::setrlimit(RLIMIT_CORE, &no_core);
    for (; shared.done < count; ++shared.done) {
        std::mt19937 random(unsigned(seed * 1'000'003 + shared.done));
        const std::string& from = pool[random() % pool.size()];
        Result<onnx::ModelFile> model = onnx::read_model(std::as_bytes(std::span(from)));
        std::string made = from;
        if (model && random() % 6 == 0) {
            const std::string& other = pool[random() % pool.size()];
            Result<onnx::ModelFile> more = onnx::read_model(std::as_bytes(std::span(other)));
            if (more) made = onnx::ModelMutator(*model, unsigned(random())).crossed(*more);
        } else if (model) made = onnx::ModelMutator(*model, unsigned(random())).run();
        if (random() % 8 == 0)
            for (size_t i = 0; i < 3 && !made.empty(); ++i) made[random() % made.size()] = char(random());
        if (made.size() > sizeof shared.model) continue;
        shared.seed = uint64_t(shared.done), shared.size = made.size();
        std::memcpy(shared.model, made.data(), made.size());
        const itimerval clock = {{0, 0}, {longest, 0}};
        ::setitimer(ITIMER_PROF, &clock, nullptr);       // ends the process by SIGPROF
        const HostileOutcome outcome = take_hostile_model(std::as_bytes(std::span(made)), random() % 2, random() % 4 == 0);
        ++shared.reached[int(outcome.reached)];
        if (!outcome.mistake.empty()) {
            std::snprintf(shared.mistake, sizeof shared.mistake, "%s", outcome.mistake.c_str());
            ::_exit(1);
        }
        if (outcome.reached >= Reached::shapes && pool.size() < 2000) pool.push_back(std::move(made));       // and from there further
    }
    ::_exit(0);
}

TEST(MutatedModels, AreRefusedOrCompiled) {
    const int64_t seed = number_of("NEREUS_SEED", 1), count = number_of("NEREUS_MODELS", 400);
    Shared& shared = *static_cast<Shared*>(::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    while (shared.done < count) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) run_child(shared, seeds(), seed, count);
        int status = 0;
        ::waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
        const std::string file = "found-" + std::to_string(seed) + "-" + std::to_string(shared.done) + ".onnx";
        (void)write_file(file, std::span<const std::byte>(shared.model, shared.size));
        ADD_FAILURE() << file << ": "
                      << (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF ? "takes longer than " + std::to_string(longest) + " s"
                          : WIFSIGNALED(status)                              ? std::string(::strsignal(WTERMSIG(status)))
                                                                             : std::string(shared.mistake));
        ++shared.done;
    }
    rusage usage = {};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    std::printf("%lld models in %.1f CPU-minutes: %lld not read, %lld without a text, %lld without shapes, %lld with, %lld compiled\n", static_cast<long long>(shared.done),
                double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) / 60, static_cast<long long>(shared.reached[0]), static_cast<long long>(shared.reached[1]),
                static_cast<long long>(shared.reached[2]), static_cast<long long>(shared.reached[3]), static_cast<long long>(shared.reached[4]));
    EXPECT_GT(shared.reached[int(Reached::shapes)] + shared.reached[int(Reached::code)], count / 20);        // not all are refused at once
    ::munmap(&shared, sizeof(Shared));
}
} // namespace
} // namespace nereus
