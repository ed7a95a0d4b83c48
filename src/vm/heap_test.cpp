#include "vm/heap.h"
#include "base/resident.h"
#include "vm/assembled.h"
#include "vm/small_stack.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace nereus {
static constexpr int64_t plenty = int64_t(1) << 40;

static TensorObject* integer(Heap& heap, int64_t value) {
    TensorObject* object = heap.new_tensor(DType::i64, {});
    std::memcpy(object->data, &value, 8);
    return object;
}

TEST(Heap, TensorsAreAlignedAndApart) {
    Heap heap(plenty);
    std::mt19937 random(3);
    std::vector<std::pair<TensorObject*, int64_t>> live;
    for (int round = 0; round < 3000; ++round) {
        if (live.size() < 100 || random() % 2) {
            int64_t dims[] = {int64_t(random() % 50), int64_t(random() % 50)};
            TensorObject* t = heap.new_tensor(DType::f64, dims);
            ASSERT_TRUE(t);
            int64_t bytes = dims[0] * dims[1] * 8;
            EXPECT_EQ(uintptr_t(t->data) % (bytes >= 1024 ? 64 : 16), 0u);
            std::memset(t->data, round & 255, size_t(bytes));
            live.emplace_back(t, bytes);
        } else {
            auto [t, bytes] = live[random() % live.size()];
            for (int64_t i = 1; i < bytes; ++i) ASSERT_EQ(t->data[i], t->data[0]);
            heap.release(t);
            std::erase(live, std::pair(t, bytes));
        }
        ASSERT_EQ(heap.live_objects(), int64_t(live.size()));
    }
    for (auto [t, bytes] : live) heap.release(t);
    EXPECT_EQ(heap.live_bytes(), 0);
    EXPECT_EQ(heap.end_call(false), 0);
    heap.trim();
    EXPECT_EQ(heap.resident_bytes(), 0);
}

// Blocks of many sizes, one after the other: what was freed does not stay in memory beside what is alive.
TEST(Heap, MemoryIsThatOfWhatIsAliveAtOnce) {
#ifdef NEREUS_THREAD_SANITIZER
    GTEST_SKIP() << "what the sanitizer keeps of memory is resident, too";
#endif
    Heap heap(plenty);
    for (int call = 0; call < 2; ++call) {
        heap.reset_high_water();
        const int64_t before = resident().now;
        int64_t most = 0;
        for (int64_t megabytes = 1; megabytes <= 16; ++megabytes) {
            int64_t dims[] = {megabytes << 20};
            TensorObject* t = heap.new_tensor(DType::i8, dims);
            std::memset(t->data, 1, size_t(dims[0]));
            most = std::max(most, resident().now - before);
            heap.release(t);
        }
        EXPECT_LE(heap.high_water(), int64_t(18) << 20);
        EXPECT_LT(most, heap.high_water() + (int64_t(4) << 20)) << call;
        EXPECT_EQ(heap.end_call(false), 0);
    }
}

TEST(Heap, LimitAndOverflowGiveNull) {
    Heap heap(1 << 20);
    int64_t fits[] = {1000}, large[] = {1 << 20}, huge[] = {int64_t(1) << 40, int64_t(1) << 40},
            negative[] = {-1};
    EXPECT_FALSE(heap.new_tensor(DType::f64, large));
    EXPECT_FALSE(heap.new_tensor(DType::f64, huge));
    EXPECT_FALSE(heap.new_tensor(DType::f64, negative));
    TensorObject* t = heap.new_tensor(DType::f64, fits);
    ASSERT_TRUE(t);
    heap.release(t);
    EXPECT_EQ(heap.live_bytes(), 0);
}

TEST(Heap, PushIsInPlaceAndLinear) {
    Heap heap(plenty);
    SeqObject* seq = heap.new_seq(0);
    TensorObject* item = integer(heap, 7);
    int moves = 0;
    for (int i = 0; i < 100'000; ++i) {
        SeqItems* before = seq->items;
        Heap::retain(item);
        SeqObject* same = heap.push(seq, item);
        ASSERT_EQ(same, seq);
        moves += seq->items != before;
    }
    EXPECT_LE(moves, 20) << "doubles: as many copies as its length has bits";
    EXPECT_EQ(seq->count, 100'000u);
    EXPECT_EQ(item->refs, 100'001u);
    heap.release(seq);
    EXPECT_EQ(item->refs, 1u);
    heap.release(item);
    EXPECT_EQ(heap.end_call(false), 0);
}

TEST(Heap, SharedSequencesAreCopied) {
    Heap heap(plenty);
    SeqObject* seq = heap.push(heap.new_seq(0), integer(heap, 1));
    Heap::retain(seq);
    SeqObject* longer = heap.push(seq, integer(heap, 2));
    EXPECT_NE(longer, seq);
    EXPECT_EQ(seq->count, 1u);
    EXPECT_EQ(longer->count, 2u);
    EXPECT_EQ(seq->items->at[0], longer->items->at[0]);
    Heap::retain(longer);
    SeqObject* changed = heap.set(longer, 0, integer(heap, 3));
    EXPECT_NE(changed, longer);
    EXPECT_EQ(seq->items->at[0], longer->items->at[0]);
    EXPECT_NE(changed->items->at[0], longer->items->at[0]);
    for (SeqObject* each : {seq, longer, changed}) heap.release(each);
    EXPECT_EQ(heap.live_objects(), 0);
    EXPECT_EQ(heap.live_bytes(), 0);
}

TEST(Heap, MillionDeepListIsReleasedWithoutRecursion) {
    on_small_stack([] {
        Heap heap(plenty);
        Object* list = heap.new_data(0, 0, 0);
        for (int i = 0; i < 1'000'000; ++i) {
            DataObject* cons = heap.new_data(1, 2, 0);
            cons->fields[0] = integer(heap, i);
            cons->fields[1] = list;
            list = cons;
        }
        heap.release(list);
        EXPECT_EQ(heap.live_objects(), 0);
    });
}

TEST(Heap, CyclesThroughCellsEndWithTheCall) {
    Heap heap(plenty);
    for (int i = 0; i < 100; ++i) {
        RefObject* cell = heap.new_ref(integer(heap, 1));
        DataObject* data = heap.new_data(0, 1, 0);
        data->fields[0] = cell;
        Heap::retain(cell);
        heap.write(cell, data);              // cell -> data -> cell
        RefObject* self = heap.new_ref(nullptr);
        heap.write(self, self);              // owns itself
        heap.release(cell);
    }
    EXPECT_GT(heap.live_objects(), 0);
    EXPECT_EQ(heap.end_call(false), 0);
    EXPECT_EQ(heap.live_objects(), 0);
    EXPECT_EQ(heap.live_bytes(), 0);
    EXPECT_TRUE(heap.new_ref(nullptr)) << "usable afterwards";
}

TEST(Heap, LeaksAreCountedAndGone) {
    Heap heap(plenty);
    int64_t dims[] = {100'000};
    heap.new_tensor(DType::f32, dims);
    integer(heap, 1);
    EXPECT_EQ(heap.end_call(false), 2);
    EXPECT_EQ(heap.live_bytes(), 0);
    integer(heap, 1);
    EXPECT_EQ(heap.end_call(true), 0) << "an error leaves things behind, and that is no mistake";
    EXPECT_EQ(heap.live_objects(), 0);
}

TEST(Heap, MemoryDoesNotGrowWithTheNumberOfShapes) {
    Heap heap(plenty);
    for (int64_t n = 1; n < 300; ++n) {
        heap.reset_high_water();
        int64_t dims[] = {n * 1000};
        heap.release(heap.new_tensor(DType::f32, dims));
        heap.end_call(false);
    }
    EXPECT_LE(heap.resident_bytes(), 4 * 300'000 * 2 + (1 << 16));
}

// The same through instructions.
TEST(Objects, DataTagFieldAndBoundDims) {
    Assembled f(integer_entry(2, 1) + R"(function f(2) -> 1 {
        r2 = new_scalar.i64 r0
        r3 = new_scalar.i64 r1
        r4 = new_data.7 (r2, r3), (r1, r0)
        r5 = tag r4
        r6 = field r4, 1
        r6 = scalar_value.i64 r6
        r7 = bound_dim r4, 1
        r5 = mul r5, r6
        r5 = add r5, r7
        release r4
        leave (r5) })");
    EXPECT_EQ(*f.number({10, 3}), 7 * 3 + 10);
    EXPECT_EQ(f.stats().leaked_objects, 0);
}

TEST(Objects, SequencesPushSetGet) {
    Assembled f(integer_entry(2, 1) + R"(source {path: "here"}
site {where: {source: 0, line: 2, column: 3}}
      function f(2) -> 1 {                  ; n items i, item k = -1, then the sum
        r2 = new_seq ()
        r3 = load_constant 0
        r4 = load_constant 1
        push: r5 = new_scalar.i64 r3
        r2 = seq_push r2, r5
        r3 = add r3, r4
        r5 = lt r3, r0
        jump_if push, r5
        retain r2
        r6 = neg r4
        r6 = new_scalar.i64 r6
        mark 0
        r7 = seq_set (r2, r1, r6)           ; shared: a copy
        r3 = load_constant 0
        r8 = load_constant 0
        sum: r5 = seq_get r7, r3
        r5 = scalar_value.i64 r5
        r8 = add r8, r5
        r3 = add r3, r4
        r5 = seq_length r7
        r5 = lt r3, r5
        jump_if sum, r5
        r5 = seq_get r2, r1
        r5 = scalar_value.i64 r5
        r8 = add r8, r5                     ; the old sequence still has its item
        release r2
        release r7
        leave (r8) })");
    EXPECT_EQ(*f.number({100, 42}), 4950 - 1);
    Result<int64_t> wrong = f.number({100, 100});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().message, "index 100 is out of range for a Seq of length 100");
    EXPECT_EQ(wrong.error().where, (Span{0, 2, 3, 0}));
    EXPECT_EQ(f.number({100, -1}).error().code, Code::value);
    EXPECT_EQ(*f.number({100'000, 5}), 4999950000 - 1);
    EXPECT_EQ(f.stats().leaked_objects, 0);
}

TEST(Objects, CellsAndCyclesLeaveNothing) {
    Assembled f(integer_entry(1, 1) + R"(function f(1) -> 1 {
        r1 = new_scalar.i64 r0
        r2 = new_ref r1
        r3 = ref_read r2
        r4 = scalar_value.i64 r3
        retain r2
        r5 = new_data.0 (r2), ()
        ref_write r2, r5                    ; a cycle …
        release r2                          ; … that nobody owns
        leave (r4) })");
    for (int i = 0; i < 100; ++i) EXPECT_EQ(*f.number({i}), i);
    EXPECT_EQ(f.stats().leaked_objects, 0);
}

TEST(Objects, MillionDeepListInAProgram) {
    on_small_stack([] {
        Assembled f(integer_entry(1, 1) + R"(function f(1) -> 1 {
            r1 = new_data.0 (), ()
            r2 = load_constant 1
            more: r3 = new_scalar.i64 r0
            r1 = new_data.1 (r3, r1), ()
            r0 = sub r0, r2
            jump_if more, r0
            r4 = tag r1
            release r1
            leave (r4) })");
        EXPECT_EQ(*f.number({1'000'000}), 1);
        EXPECT_EQ(f.stats().leaked_objects, 0);
    });
}

TEST(Objects, FramesAndObjectsShareTheLimit) {
    // 400 KiB of objects fit, and 400 KiB of frames; both together do not
    std::string text = integer_entry(2, 1) + R"(
      function f(2) -> 1 {
        r2 = new_tensor.bool (r0)
        (r3) = call deep, (r1)
        release r2
        leave (r3) }
      function deep(1) -> 1 {
        r1 = load_constant 1
        r2 = lt r0, r1
        jump_if end, r2
        r2 = sub r0, r1
        (r2) = call deep, (r2)
        end: leave (r2) })";
    Assembled f(text, {.memory_limit = 600 << 10});
    EXPECT_TRUE(f.number({400 << 10, 10}));
    EXPECT_TRUE(f.number({10, 6000}));
    EXPECT_EQ(f.number({400 << 10, 6000}).error().code, Code::memory);
    EXPECT_TRUE(f.number({400 << 10, 10}));
    EXPECT_EQ(f.number({-1, 10}).error().code, Code::shape);
    EXPECT_EQ(f.number({INT64_MAX, 10}).error().code, Code::memory);
}
} // namespace nereus
