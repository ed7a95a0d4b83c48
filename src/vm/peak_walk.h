// vm/peak_walk.h - follows the code of a call without running it: door sizes and the structure of arguments are known,
// elements are not. Frames and arenas are placed, objects made and freed exactly as a run does. Where an unknown number
// decides, both ways are followed; a state met before is not followed again, and a place passed often forgets what differed
// from time to time, as a loop's counter: loops with unknown ends come to rest as long as their sizes stay the same.
// Recursion of unknown depth does not. What would need an unknown object is refused: a peak is never too low.
#pragma once
#include "vm/frame.h"
#include "vm/shadow_heap.h"
#include <map>
#include <set>

namespace nereus {
struct Context::PeakWalk {
    const LoadedExecutable& program;
    PackMode mode;
    const Executable& exe = program.exe();

    struct Placed : Placement { std::vector<int64_t> values; };      // and what the plan program computed
    struct Activation {
        uint32_t function = 0, at = 0;                    // instruction
        int64_t begin = 0, arena = 0;                     // offsets on the range
        const Placed* placed = nullptr;                   // of the region entered last
        uint32_t region = 0;                              // which that is
        size_t regs = 0;                                  // where its registers begin
    };
    struct State {
        std::vector<Activation> frames;
        std::vector<Word> regs;                           // of all frames
        ShadowHeap heap;
        KnownBytes range;                                 // what is known of arenas
        bool blind = false;                               // something wrote where we cannot tell: no byte is known any more
    };
    enum class Step { on, end, refused };                 // end: of this way; refused: `refusal` says why

    static constexpr int64_t max_steps = 200'000'000;     // a second or so
    static constexpr size_t max_registers = 16'000'000;   // of all frames: bounds what an endless recursion takes
    static constexpr size_t max_objects = 4'000'000;      // alive at once: and an endless loop
    static constexpr int exact_visits = 16, joined_visits = 1000;

    int64_t steps = 0, highest = 0;                       // bytes of frames and arenas
    int64_t objects = 0;                                  // bytes
    int64_t scratch = 0;                                  // of launches that have no slot for it
    bool finished = false;                                // some way leads to the end
    std::optional<Error> failure, refusal;                // failure: where the first way that fails does
    std::vector<State> open;
    std::set<std::vector<uint64_t>> met;
    struct Crossing { int visits = 0; State joined; };   // joined: what was known in all visits after the first few
    std::map<std::vector<uint64_t>, Crossing> crossings; // where unknown numbers decide: code and places of all frames
    std::map<std::pair<uint32_t, std::vector<int64_t>>, Placed> placements;

    // From the first instruction of the entry, with these registers.
    Result<int64_t> run(const EntryInfo& entry, ShadowHeap heap, std::span<const Word> arguments);

 private:
    Step step(State& state);
    Step compute(State& state, const Instruction& in);
    Step branch(State& state, const Instruction& in);
    // Forgets in `a` what is not so in `b`, which stands at the same place; false: there was nothing to forget.
    static bool join(State& a, const State& b);
    Step call(State& state, const Instruction& in);
    Step leave(State& state, const Instruction& in);
    Step enter(State& state, const Instruction& in);
    Step object(State& state, const Instruction& in);     // vm/peak_objects.cpp: whatever concerns objects
    Step look(State& state, const Instruction& in);       // there: observe and check_fit
    // vm/peak_memory.cpp: bytes that are known, and kernels that compute from nothing else
    bool load(const State& state, Word address, int64_t bytes, std::byte* out) const;
    void store(State& state, Word address, int64_t bytes, const std::byte* from);
    void forget(State& state, Word address, int64_t bytes);
    static Word moved(Word address, Word by);             // so many bytes further
    Word load_number(const State& state, Word address, DType dtype) const;
    void store_number(State& state, Word address, DType dtype, Word number);
    void copy(State& state, Word to, Word from, Word bytes);
    void launch(State& state, const LaunchInfo& launch);
    bool compute(State& state, const LaunchInfo& launch);
    Word buffer_address(const State& state, const LaunchBuffer& buffer) const;
    std::optional<int64_t> read(const State& state, const IntSource& source) const;
    Result<std::vector<int64_t>> plan_values(uint32_t at, const RegionInfo& region, const std::vector<int64_t>& key);

    Activation activation(State& state, uint32_t function, int64_t begin);
    Word* registers(State& state) const { return state.regs.data() + state.frames.back().regs; }
    std::span<const uint32_t> list(uint32_t index) const {
        auto [offset, length] = exe.lists[index];
        return std::span(exe.operands).subspan(offset, length);
    }
    void use_scratch(const LaunchInfo& launch) {
        if (launch.scratch < 0) scratch = std::max(scratch, exe.kernels[launch.kernel].scratch);
    }
    Error error(uint32_t at, Code code, std::string what) const;
    Error unbounded(uint32_t at, std::string_view why) const;
    Step refuse(const State& state, std::string_view why);
    Step fails(const State& state, Code code, std::string what);     // this way fails in a run too; others may not
};
} // namespace nereus
