#include "generator/runner.h"
#include "base/invariant.h"
#include "generator/pairs.h"
#include "value/json.h"
#include <csignal>
#include <dlfcn.h>
#include <execinfo.h>
#include <cstdio>
#include <cstring>
#include <exception>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nereus::gen {
namespace {
#if defined(NEREUS_ADDRESS_SANITIZER) || defined(NEREUS_THREAD_SANITIZER)
constexpr int longest = 400;                 // seconds of CPU for one program
#else
constexpr int longest = 60;
#endif

void start_clock() {
    itimerval clock = {{0, 0}, {longest, 0}};
    ::setitimer(ITIMER_PROF, &clock, nullptr);           // ends the process by SIGPROF
}

// Lengths and bytes through a pipe.
bool write_all(int to, const void* from, size_t count) {
    for (const char* at = static_cast<const char*>(from); count > 0;) {
        ssize_t done = ::write(to, at, count);
        if (done <= 0) return false;
        at += done;
        count -= size_t(done);
    }
    return true;
}
bool read_all(int from, void* to, size_t count) {
    for (char* at = static_cast<char*>(to); count > 0;) {
        ssize_t done = ::read(from, at, count);
        if (done <= 0) return false;
        at += done;
        count -= size_t(done);
    }
    return true;
}
void write_text(int to, const std::string& text) {
    size_t size = text.size();
    write_all(to, &size, sizeof size);
    write_all(to, text.data(), size);
}
bool read_text(int from, std::string& out) {
    size_t size = 0;
    if (!read_all(from, &size, sizeof size)) return false;
    out.resize(size);
    return read_all(from, out.data(), size);
}
struct Counts { int calls, failed, ill, gradients, too_long; bool refused, finding; };
void write_verdict(int to, const Verdict& v) {
    Counts counts{v.calls, v.failed, v.ill, v.gradients, v.too_long, v.refused, bool(v.finding)};
    write_all(to, &counts, sizeof counts);
    if (!v.finding) return;
    write_text(to, v.finding->kind);
    write_text(to, v.finding->what);
    write_text(to, v.finding->inputs);
}
bool read_verdict(int from, Verdict& out) {
    Counts counts;
    if (!read_all(from, &counts, sizeof counts)) return false;
    out = {.calls = counts.calls, .failed = counts.failed, .ill = counts.ill, .gradients = counts.gradients, .too_long = counts.too_long, .refused = counts.refused};
    if (!counts.finding) return true;
    Finding finding;
    if (!read_text(from, finding.kind) || !read_text(from, finding.what) || !read_text(from, finding.inputs)) return false;
    if (Result<Inputs> inputs = read_inputs_json(finding.inputs); !finding.inputs.empty() && inputs)
        for (NamedValues& call : inputs->calls) {
            finding.calls.emplace_back();
            for (Field& field : call) finding.calls.back().push_back(std::move(field.value));
        }
    out.finding = std::move(finding);
    return true;
}

// Where a crash was, in words that stay the same for all children.
void tell_place(int signal) {
    void* frames[4];
    int count = ::backtrace(frames, 4);
    for (int i = 2; i < count; ++i) {                    // after this function and the signal's own frame
        Dl_info info;
        if (!::dladdr(frames[i], &info)) continue;
        char line[64];
        int length = std::snprintf(line, sizeof line, "signal %d at +%tx\n", signal, static_cast<char*>(frames[i]) - static_cast<char*>(info.dli_fbase));
        if (::write(2, line, size_t(length)) < 0) break;
        break;
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}
void watch_crashes() {
    static std::byte stack[1 << 16];                     // of its own: the other one may be used up
    stack_t alternate{stack, 0, sizeof stack};
    ::sigaltstack(&alternate, nullptr);
    struct sigaction action = {};
    action.sa_handler = tell_place;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::sigaction(signal, &action, nullptr);
}

struct Child { pid_t pid; int from; FILE* said; };        // said: its stderr
template <class Body> Child start(Body body) {
    int ends[2];
    invariant(::pipe(ends) == 0, "a pipe");
    FILE* said = std::tmpfile();
    invariant(said, "a file");
    pid_t pid = ::fork();
    invariant(pid >= 0, "a process");
    if (pid == 0) {
        ::close(ends[0]);
        ::dup2(::fileno(said), 2);
        watch_crashes();
        try {
            body(ends[1]);
        } catch (const std::exception& e) {              // of the standard library: none is ours
            std::fprintf(stderr, "exception: %s\n", e.what());
            std::abort();
        }
        ::_exit(0);
    }
    ::close(ends[1]);
    return {pid, ends[0], said};
}
// What a child that ended without saying more died of.
Finding end_of(const Child& child) {
    int status = 0;
    ::close(child.from);
    ::waitpid(child.pid, &status, 0);
    std::string words(400, ' ');             // the first that it said: what an invariant or a sanitizer found
    std::rewind(child.said);
    words.resize(std::fread(words.data(), 1, words.size(), child.said));
    std::fclose(child.said);
    if (size_t line = words.find("nereus: invariant"); line != std::string::npos) words = words.substr(line);
    words = words.substr(0, words.find('\n'));
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) return {"takes too long", "longer than " + std::to_string(longest) + " seconds"};
    std::string last = WIFSIGNALED(status) ? ::strsignal(WTERMSIG(status)) : "exit status " + std::to_string(WEXITSTATUS(status));
    return {"crash: " + (words.empty() ? last : words), last};
}
double children_seconds() {
    rusage usage;
    ::getrusage(RUSAGE_CHILDREN, &usage);
    return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + 1e-6 * double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}
} // namespace

Options options_of(uint64_t seed, int index) {
    std::mt19937_64 random(seed * 1'000'003 + uint64_t(index));
    Options options;
    options.seed = random();
    options.narrow = index % 2 == 1;
    options.smooth = random() % 5 < (options.narrow ? 2 : 1);
    options.budget = int(15 + random() % 40);
    int pair = index % ((construct_count - 1) * (construct_count - 1));      // every pair in turn, spread over the constructs
    options.outer = Construct(1 + pair % (construct_count - 1));
    options.inner = Construct(1 + (pair / (construct_count - 1) + pair) % (construct_count - 1));
    for (Construct c : {options.outer, options.inner})
        if (c == Construct::late || c == Construct::topk || c == Construct::stop) options.smooth = false;
    if (options.outer == Construct::checkpoint && options.inner == Construct::effect) options.smooth = false;
    return options;
}

Program program_of(Options options) {
    Program program;
    for (int tries = 0; tries < 30; ++tries, ++options.seed) {
        program = Generator(options).program();
        Pairs pairs;
        pairs.add(program);
        if (pairs.seen[int(options.outer)][int(options.inner)] > 0) break;
    }
    return program;
}

Case case_of(const Options& options, const Program& program) { return {.text = program.text(), .seed = options.seed}; }

Verdict judge_apart(const Case& c) {
    Child child = start([&](int to) {
        start_clock();
        write_verdict(to, judge(c));
    });
    Verdict verdict;
    bool whole = read_verdict(child.from, verdict);
    Finding end = end_of(child);
    if (!whole) verdict = {.finding = end};
    return verdict;
}

Tally run_programs(uint64_t seed, int first, int count, int most) {
    Tally tally;
    double before = children_seconds();
    for (int next = first, end = first + count; next < end;) {
        Child child = start([&](int to) {
            for (int i = next; i < end; ++i) {
                start_clock();
                Options options = options_of(seed, i);
                write_verdict(to, judge(case_of(options, program_of(options))));
            }
        });
        Verdict verdict;
        while (next < end && int(tally.failures.size()) < most && read_verdict(child.from, verdict)) {
            tally.calls += verdict.calls;
            tally.failed += verdict.failed;
            tally.ill += verdict.ill;
            tally.gradients += verdict.gradients;
            tally.too_long += verdict.too_long;
            tally.refused += verdict.refused;
            ++tally.programs;
            if (verdict.finding) tally.failures.push_back({next, *verdict.finding});
            ++next;
        }
        bool enough = int(tally.failures.size()) >= most;
        if (enough) ::kill(child.pid, SIGKILL);
        Finding ended = end_of(child);
        if (enough) break;
        if (next < end) {
            tally.failures.push_back({next++, ended});
            ++tally.programs;
        }
    }
    tally.cpu_seconds = children_seconds() - before;
    return tally;
}
} // namespace nereus::gen
