// A worker has a seat, and a seat one place for a job: it is free (null), taken by a call, or the end of the process. The
// caller takes seats, works itself, and goes when the helpers it got have said that they are done. They say so with the last
// thing that they do to a job: it lies on the caller's stack.
#include "vm/workers.h"
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <signal.h>
#include <system_error>
#include <thread>
#include <vector>

namespace nereus {
namespace {
struct Job {
    const SharedTasks& work;
    std::atomic<int64_t> next = 0;
    std::atomic<int> who = 1, at_work = 0;

    void help(int as) {
        for (int64_t begin; (begin = next.fetch_add(work.range, std::memory_order_relaxed)) < work.tasks;)
            work.run(begin, std::min(begin + work.range, work.tasks), as);
    }
};

void pause() { __builtin_ia32_pause(); }

// A thread that is made meanwhile gets no signals but those of its own mistakes.
class WithoutSignals {
 public:
    WithoutSignals() {
        sigset_t most;
        sigfillset(&most);
        for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&most, own);
        ::pthread_sigmask(SIG_SETMASK, &most, &before_);
    }
    ~WithoutSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    WithoutSignals(const WithoutSignals&) = delete;

 private:
    sigset_t before_;
};

class Workers {
 public:
    // When the process ends, or the library goes. Calls on other threads may still come: they work alone.
    void end() {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        for (std::unique_ptr<Seat>& seat : seats_) {
            for (Job* nobody = nullptr; !seat->job.compare_exchange_weak(nobody, &over_); nobody = nullptr) std::this_thread::yield();
            seat->job.notify_one();
            seat->thread.join();
        }
    }
    // Workers that had nothing to do, now at this job.
    void call(Job& job, int wanted) {
        start(wanted);
        const int seats = seated_.load(std::memory_order_acquire);
        for (int i = 0; i < seats && wanted > 0; ++i) {
            Job* nobody = nullptr;
            Seat& seat = *seats_[size_t(i)];
            if (seat.job.load(std::memory_order_relaxed)) continue;
            job.at_work.fetch_add(1, std::memory_order_relaxed);
            if (seat.job.compare_exchange_strong(nobody, &job, std::memory_order_acq_rel)) {
                seat.job.notify_one();
                --wanted;
            } else {
                job.at_work.fetch_sub(1, std::memory_order_relaxed);
            }
        }
    }

 private:
    struct alignas(64) Seat {
        std::atomic<Job*> job = nullptr;
        std::thread thread;
    };

    void start(int wanted) {
        if (seated_.load(std::memory_order_acquire) >= wanted) return;
        const std::lock_guard lock(mutex_);
        const WithoutSignals without;                    // the program's are for its own threads
        while (!ended_ && std::ssize(seats_) < wanted) {
            auto seat = std::make_unique<Seat>();
            try {
                seat->thread = std::thread([this, at = seat.get()] { serve(*at); });
            } catch (const std::system_error&) {
                return;                                  // the machine gives no more: those there are will do
            }
            seats_.push_back(std::move(seat));           // never moves what it has: most_threads have room
            seated_.store(int(seats_.size()), std::memory_order_release);
        }
    }
    void serve(Seat& seat) {
        constexpr int patience = 4000;                   // looks, some 50 us: launches of one call follow each other closely
        for (;;) {
            Job* job = seat.job.load(std::memory_order_acquire);
            for (int i = 0; !job && i < patience; ++i) pause(), job = seat.job.load(std::memory_order_acquire);
            if (!job) {
                seat.job.wait(static_cast<Job*>(nullptr), std::memory_order_acquire);
                continue;
            }
            if (job == &over_) return;
            job->help(job->who.fetch_add(1, std::memory_order_relaxed));
            seat.job.store(nullptr, std::memory_order_release);
            job->at_work.fetch_sub(1, std::memory_order_release);
        }
    }

    std::mutex mutex_;                                   // of those who start workers, and of the end
    bool ended_ = false;
    std::vector<std::unique_ptr<Seat>> seats_ = [] { std::vector<std::unique_ptr<Seat>> room; room.reserve(most_threads); return room; }();
    std::atomic<int> seated_ = 0;
    const SharedTasks nothing_ = {};
    Job over_{nothing_};
};
// Of the process. A child of fork has none of the threads, and what they were at is lost to it: it begins anew. Seats stay when
// all else goes, for calls that go on while the process ends.
Workers*& workers() {
    struct End { ~End() { workers()->end(); } };
    static Workers* all = [] {
        ::pthread_atfork(nullptr, nullptr, [] { workers() = std::make_unique<Workers>().release(); });
        return std::make_unique<Workers>().release();
    }();
    static const End end;
    return all;
}
} // namespace

void share_tasks(const SharedTasks& work, int threads) {
    Job job{work};
    workers()->call(job, std::min(threads, most_threads) - 1);
    job.help(0);
    for (int looks = 0; job.at_work.load(std::memory_order_acquire) > 0; ++looks) {
        if (looks < 1000) pause();
        else std::this_thread::yield();
    }
}
} // namespace nereus
