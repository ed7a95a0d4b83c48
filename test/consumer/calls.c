// Calls from C: memory of the caller, limits, deadlines, cancelling from threads and signals, and a context that is usable
// after each of them.
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <nereus/compile.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static const char program[] =
    "type Tree[a] = Leaf(a) | Node(Tree[a], Tree[a])\n"
    "def @mirror(%t: Tree[Tensor[(d), f32]]) -> Tree[Tensor[(d), f32]] {\n"
    "  match (%t) { Leaf(%x) => Leaf(%x * 2.0), Node(%l, %r) => Node(@mirror(%r), @mirror(%l)) }\n"
    "}\n"
    "def @pair(%x: Tensor[(n), f32], %k: i64) { (%x + 1.0, %k * 2) }\n"
    "def @spin(%k: i64) { while (%i = 0) (%i < %k) { %i + 1 } }\n"
    "def @churn(%x: Tensor[(n), f32], %k: i64) {\n"
    "  while (%i = 0, %y = %x) (%i < %k) { (%i + 1, tanh(%y)) }\n"
    "}\n"
    "def @down(%k: i64) -> i64 { if (%k == 0) { 0 } else { 1 + @down(%k - 1) } }\n"
    "def @divide(%x: Tensor[(n), i64], %y: Tensor[(n), i64]) { %x // %y }\n"
    "def @say(%x: Tensor[(n), i64]) {\n  print(\"x is\", %x)\n  %x\n}\n";

static nereus_executable* compiled(const char* entry) {
    const nereus_compile_options options = {.struct_size = sizeof options, .entry = entry, .name = "calls.nr"};
    nereus_executable* executable = NULL;
    OK(nereus_executable_compile(program, strlen(program), &options, &executable));
    return executable;
}
static nereus_context* context_of(const char* entry, const nereus_context_options* options) {
    nereus_executable* executable = compiled(entry);
    nereus_context* context = NULL;
    OK(nereus_context_create(executable, options, &context));
    nereus_executable_release(executable);
    return context;
}
static nereus_stats stats_of(const nereus_context* context) {
    nereus_stats stats = {.struct_size = sizeof stats};
    OK(nereus_context_stats(context, &stats));
    CHECK(stats.leaked_objects == 0);
    return stats;
}
static nereus_value* new_leaf(float x) {
    const int64_t extents[] = {1};
    nereus_value *tensor = new_floats(1, extents, &x), *leaf = NULL;
    const nereus_value* arguments[] = {tensor};
    OK(nereus_constructor_create("Leaf", arguments, 1, &leaf));
    nereus_value_release(tensor);
    return leaf;
}
static nereus_value* new_tree(int levels) {
    if (levels == 0) return new_leaf(1);
    nereus_value *left = new_tree(levels - 1), *right = new_leaf((float)levels), *node = NULL;
    const nereus_value* arguments[] = {left, right};
    OK(nereus_constructor_create("Node", arguments, 2, &node));
    nereus_value_release(left);
    nereus_value_release(right);
    return node;
}
static int64_t call_number(nereus_context* context, int64_t number) {
    nereus_value *argument = new_i64(number), *result = NULL;
    const nereus_value* arguments[] = {argument};
    OK(nereus_context_call(context, NULL, arguments, 1, &result));
    const int64_t found = *(const int64_t*)read_tensor(result).data;
    nereus_value_release(argument);
    nereus_value_release(result);
    return found;
}

// ---- memory
static struct { long blocks; size_t bytes; long calls; int refuse; } memory;
static void* take(void* user, size_t bytes, size_t alignment) {
    CHECK(user == &memory);
    if (memory.refuse) return NULL;
    ++memory.blocks, ++memory.calls, memory.bytes += bytes;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
static void give_back(void* user, void* at, size_t bytes) {
    CHECK(user == &memory && at);
    --memory.blocks, memory.bytes -= bytes;
    free(at);
}

static void allocator(void) {
    nereus_context_options options = {.struct_size = sizeof options, .allocate = take};
    nereus_executable* executable = compiled("mirror");
    nereus_context* context = NULL;
    FAILS(NEREUS_ERROR_USAGE, nereus_context_create(executable, &options, &context));
    options.deallocate = give_back, options.allocator_user = &memory;
    OK(nereus_context_create(executable, &options, &context));
    nereus_executable_release(executable);
    nereus_value *tree = new_tree(50), *result = NULL, *again = NULL;
    const nereus_value* arguments[] = {tree};
    memory.refuse = 1;
    FAILS(NEREUS_ERROR_MEMORY, nereus_context_call(context, NULL, arguments, 1, &result));
    memory.refuse = 0;
    OK(nereus_context_call(context, NULL, arguments, 1, &result));
    CHECK(memory.blocks > 51 && stats_of(context).object_bytes > 0);     // 51 tensors, and the heap
    const long first = memory.calls;
    OK(nereus_context_call(context, NULL, arguments, 1, &again));
    CHECK(memory.calls - first == 51);                   // the heap's blocks are kept
    int equal = 0;
    OK(nereus_value_equal(result, again, &equal));
    CHECK(equal);
    OK(nereus_context_trim(context));
    CHECK(memory.blocks == 102);                         // only the results are left
    nereus_context_release(context);
    CHECK(memory.blocks == 102);                         // and outlive the context
    nereus_value_release(result);
    nereus_value_release(again);
    nereus_value_release(tree);
    CHECK(memory.blocks == 0 && memory.bytes == 0);
}

static void destinations(void) {
    const nereus_context_options with = {.struct_size = sizeof with, .allocate = take, .deallocate = give_back, .allocator_user = &memory};
    nereus_context* context = context_of("pair", &with);
    const float data[] = {1, 2, 3};
    float out[4] = {0};
    int64_t number = 0;
    const int64_t extents[] = {3};
    nereus_value *x = new_floats(1, extents, data), *k = new_i64(21), *result = NULL;
    const nereus_value *arguments[] = {x, k}, *part = NULL;
    nereus_destination places[] = {{out, sizeof out}, {&number, sizeof number}};
    nereus_call_options options = {.struct_size = sizeof options, .destinations = places, .destination_count = 2};
    OK(nereus_context_call(context, &options, arguments, 2, &result));
    OK(nereus_value_part(result, 0, &part));
    CHECK(read_tensor(part).data == out && read_tensor(part).count == 3 && out[2] == 4 && number == 42 && memory.blocks == 0);
    nereus_value_release(result);
    places[0].bytes = 8;                                 // too small: the allocator's
    OK(nereus_context_call(context, &options, arguments, 2, &result));
    OK(nereus_value_part(result, 0, &part));
    CHECK(read_tensor(part).data != out && ((const float*)read_tensor(part).data)[2] == 4 && memory.blocks == 1);
    nereus_value_release(result);
    CHECK(memory.blocks == 0);
    places[0] = (nereus_destination){(char*)out + 1, 12};
    FAILS(NEREUS_ERROR_USAGE, nereus_context_call(context, &options, arguments, 2, &result));
    float shared[3] = {1, 2, 3};
    nereus_value* lent = NULL;
    OK(nereus_tensor_borrow(NEREUS_F32, 1, extents, shared, sizeof shared, NULL, NULL, &lent));
    const nereus_value* overlapping[] = {lent, k};
    places[0] = (nereus_destination){shared + 2, 400};
    FAILS(NEREUS_ERROR_USAGE, nereus_context_call(context, &options, overlapping, 2, &result));
    nereus_value_release(lent);
    int64_t both[4];                                     // of two results
    places[0] = (nereus_destination){both, sizeof both}, places[1] = (nereus_destination){both + 3, 8};
    FAILS(NEREUS_ERROR_USAGE, nereus_context_call(context, &options, arguments, 2, &result));
    options.destinations = NULL;
    FAILS(NEREUS_ERROR_USAGE, nereus_context_call(context, &options, arguments, 2, &result));
    nereus_value_release(x);
    nereus_value_release(k);
    nereus_context_release(context);
}

static void limits_and_peaks(void) {
    nereus_context_options options = {.struct_size = sizeof options, .memory_limit = 1000000};
    nereus_context* context = context_of("down", &options);
    nereus_value *deep = new_i64(1000000), *result = NULL;
    const nereus_value* arguments[] = {deep};
    FAILS(NEREUS_ERROR_MEMORY, nereus_context_call(context, NULL, arguments, 1, &result));
    CHECK(call_number(context, 100) == 100);
    nereus_value_release(deep);
    nereus_context_release(context);
    options.memory_limit = -1;
    nereus_executable* executable = compiled("mirror");
    FAILS(NEREUS_ERROR_USAGE, nereus_context_create(executable, &options, &context));
    OK(nereus_context_create(executable, NULL, &context));
    nereus_executable_release(executable);
    nereus_value* tree = new_tree(9);
    const nereus_value* trees[] = {tree};
    int64_t peak = 0, one = 1;
    OK(nereus_context_peak(context, NULL, trees, 1, &peak));
    OK(nereus_context_call(context, NULL, trees, 1, &result));
    CHECK(peak == stats_of(context).peak_bytes && stats_of(context).calls == 1);
    const char* names[] = {"d"};
    FAILS(NEREUS_ERROR_LIMIT, nereus_context_peak_of_sizes(context, NULL, names, &one, 1, &peak));
    FAILS(NEREUS_ERROR_NAME, nereus_context_peak_of_sizes(context, NULL, NULL, NULL, 0, &peak));
    nereus_value_release(result);
    nereus_value_release(tree);
    nereus_context_release(context);
}

// ---- time
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void deadlines(void) {
    nereus_context* context = context_of("spin", NULL);
    nereus_value *endless = new_i64(INT64_MAX), *result = NULL;
    const nereus_value* arguments[] = {endless};
    for (int round = 0; round < 3; ++round) {
        const double begin = seconds();
        const nereus_call_options options = {.struct_size = sizeof options, .deadline = nereus_deadline_in(20000000)};
        FAILS(NEREUS_ERROR_DEADLINE, nereus_context_call(context, &options, arguments, 1, &result));
        CHECK(seconds() - begin >= 0.019);
        CHECK(call_number(context, 5) == 5);
    }
    const nereus_call_options over = {.struct_size = sizeof over, .deadline = nereus_deadline_in(-1)};
    nereus_value* five = new_i64(5);
    const nereus_value* short_one[] = {five};
    FAILS(NEREUS_ERROR_DEADLINE, nereus_context_call(context, &over, short_one, 1, &result));
    const nereus_call_options later = {.struct_size = sizeof later, .deadline = nereus_deadline_in(INT64_MAX)};
    OK(nereus_context_call(context, &later, short_one, 1, &result));
    nereus_value_release(result);
    nereus_value_release(endless);
    nereus_value_release(five);
    nereus_context_release(context);

    context = context_of("churn", NULL);                 // kernels, not only jumps
    const int64_t extents[] = {1000};
    static const float data[1000];
    nereus_value *x = new_floats(1, extents, data), *k = new_i64(INT64_MAX);
    const nereus_value* both[] = {x, k};
    const nereus_call_options soon = {.struct_size = sizeof soon, .deadline = nereus_deadline_in(20000000)};
    FAILS(NEREUS_ERROR_DEADLINE, nereus_context_call(context, &soon, both, 2, &result));
    CHECK(stats_of(context).launches > 0);
    nereus_value_release(x);
    nereus_value_release(k);
    nereus_context_release(context);
}

// ---- cancelling
static nereus_cancel_token* token;
static void* endless_call(void* given) {
    nereus_context* context = given;
    nereus_value *endless = new_i64(INT64_MAX), *result = NULL;
    const nereus_value* arguments[] = {endless};
    const nereus_call_options options = {.struct_size = sizeof options, .cancel = token};
    FAILS(NEREUS_ERROR_CANCELLED, nereus_context_call(context, &options, arguments, 1, &result));
    nereus_value_release(endless);
    return NULL;
}
static void wait_a_little(void) {
    const struct timespec time = {0, 20000000};
    nanosleep(&time, NULL);
}
static void on_signal(int number) {
    (void)number;
    nereus_cancel_token_trigger(token);
}

static void cancelling(void) {
    OK(nereus_cancel_token_create(&token));
    nereus_executable* executable = compiled("spin");
    nereus_context* contexts[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) {                        // one token stops two calls
        OK(nereus_context_create(executable, NULL, &contexts[i]));
        CHECK(pthread_create(&threads[i], NULL, endless_call, contexts[i]) == 0);
    }
    nereus_executable_release(executable);
    wait_a_little();
    CHECK(!nereus_cancel_token_triggered(token));
    nereus_cancel_token_trigger(token);
    for (int i = 0; i < 2; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(nereus_cancel_token_triggered(token));
    endless_call(contexts[0]);                           // it stays triggered
    CHECK(call_number(contexts[0], 7) == 7);             // for calls that have it
    nereus_cancel_token_reset(token);

    struct sigaction action;                             // from a signal
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK(pthread_create(&threads[0], NULL, endless_call, contexts[0]) == 0);
    wait_a_little();
    CHECK(kill(getpid(), SIGUSR1) == 0);
    CHECK(pthread_join(threads[0], NULL) == 0);
    nereus_cancel_token_reset(token);

    CHECK(pthread_create(&threads[1], NULL, endless_call, contexts[1]) == 0);    // by the context
    wait_a_little();
    nereus_value *one = new_i64(1), *result = NULL;      // which is in use meanwhile
    const nereus_value* arguments[] = {one};
    FAILS(NEREUS_ERROR_USAGE, nereus_context_call(contexts[1], NULL, arguments, 1, &result));
    FAILS(NEREUS_ERROR_USAGE, nereus_context_trim(contexts[1]));
    nereus_value_release(one);
    nereus_context_cancel(contexts[1]);
    CHECK(pthread_join(threads[1], NULL) == 0);
    for (int i = 0; i < 2; ++i) {
        CHECK(call_number(contexts[i], 9) == 9);
        nereus_context_release(contexts[i]);
    }
    nereus_cancel_token* same = nereus_cancel_token_retain(token);
    nereus_cancel_token_release(token);
    nereus_cancel_token_release(same);
}

// ---- the rest
static void keep_line(void* user, nereus_log_kind kind, const char* text, size_t size) {
    CHECK(kind == NEREUS_LOG_PRINT && strlen(text) == size && size < 100);
    strcpy(user, text);
}
static void logs_and_errors(void) {
    char line[100] = "";
    const nereus_context_options options = {.struct_size = sizeof options, .log = keep_line, .log_user = line};
    nereus_context* context = context_of("say", &options);
    const int64_t extents[] = {2}, numbers[] = {1, 2}, zeros[] = {3, 0};
    nereus_value *x = NULL, *zero = NULL, *result = NULL;
    OK(nereus_tensor_create(NEREUS_I64, 1, extents, numbers, sizeof numbers, &x));
    OK(nereus_tensor_create(NEREUS_I64, 1, extents, zeros, sizeof zeros, &zero));
    const nereus_value *arguments[] = {x, zero}, *good[] = {zero, x};
    OK(nereus_context_call(context, NULL, arguments, 1, &result));
    CHECK(strcmp(line, "x is Tensor[(2), i64] [1, 2]") == 0);
    nereus_value_release(result);
    nereus_context_release(context);

    context = context_of("divide", NULL);
    nereus_status* status = nereus_context_call(context, NULL, arguments, 2, &result);
    CHECK(nereus_status_code(status) == NEREUS_ERROR_VALUE && strcmp(nereus_status_message(status), "division by zero") == 0);
    CHECK(strcmp(nereus_status_file(status), "calls.nr") == 0 && nereus_status_line(status) == 11 && nereus_status_column(status) > 1);
    CHECK(strncmp(nereus_status_text(status), "calls.nr:11:", 12) == 0 && strcmp(nereus_code_name(nereus_status_code(status)), "value") == 0);
    nereus_status_release(status);
    const char *names[] = {"y", "x"}, *missing[] = {"x", "z"};
    nereus_call_options named = {.struct_size = sizeof named, .entry = "@divide", .names = names};
    OK(nereus_context_call(context, &named, arguments, 2, &result));     // x is %y here, which has no zero
    CHECK(((const int64_t*)read_tensor(result).data)[0] == 3 && ((const int64_t*)read_tensor(result).data)[1] == 0);
    nereus_value_release(result);
    named.names = missing;
    FAILS(NEREUS_ERROR_USAGE, nereus_context_call(context, &named, good, 2, &result));
    named.names = NULL, named.entry = "other";
    status = nereus_context_call(context, &named, good, 2, &result);
    CHECK(nereus_status_code(status) == NEREUS_ERROR_NAME && strcmp(nereus_status_hint(status), "it has @divide") == 0);
    nereus_status_release(status);
    FAILS(NEREUS_ERROR_USAGE, nereus_context_call(context, NULL, good, 1, &result));
    nereus_value_release(x);
    nereus_value_release(zero);
    nereus_context_release(context);

    nereus_executable *broken = NULL, *first = compiled("mirror"), *second = NULL;
    status = nereus_executable_compile("def @main( {", 12, NULL, &broken);
    CHECK(nereus_status_code(status) == NEREUS_ERROR_PARSE && strcmp(nereus_status_file(status), "program.nr") == 0 && !broken);
    nereus_status_release(status);
    const nereus_compile_options other = {.struct_size = sizeof other, .target = "z80"};
    status = nereus_executable_compile("def @main() { 1 }", 17, &other, &broken);
    CHECK(status);
    nereus_status_release(status);
    FAILS(NEREUS_ERROR_IO, nereus_executable_compile_file("/no/such/file.nr", NULL, &broken));
    FAILS(NEREUS_ERROR_IO, nereus_executable_compile_file("/no/such/file.onnx", NULL, &broken));

    nereus_bytes *bytes = NULL, *again = NULL;
    OK(nereus_executable_to_bytes(first, &bytes));
    OK(nereus_executable_load_bytes(nereus_bytes_data(bytes), nereus_bytes_size(bytes), &second));
    OK(nereus_executable_to_bytes(second, &again));
    CHECK(nereus_bytes_size(bytes) == nereus_bytes_size(again) && memcmp(nereus_bytes_data(bytes), nereus_bytes_data(again), nereus_bytes_size(bytes)) == 0);
    FAILS(NEREUS_ERROR_CORRUPT, nereus_executable_load_bytes(nereus_bytes_data(bytes), nereus_bytes_size(bytes) - 1, &broken));
    FAILS(NEREUS_ERROR_IO, nereus_executable_load("/no/such/file.nrx", &broken));
    FAILS(NEREUS_ERROR_IO, nereus_executable_save(first, "/no/such/folder/x.nrx"));
    nereus_executable_facts facts = {.struct_size = sizeof facts};
    OK(nereus_executable_read_facts(second, &facts));
    CHECK(strncmp(facts.target, "x86-64-v", 8) == 0 && facts.kernels > 0 && facts.code_bytes > 0 && facts.instructions > 0);
    nereus_bytes_release(bytes);
    nereus_bytes_release(again);
    CHECK(nereus_executable_retain(first) == first);
    nereus_executable_release(first);
    nereus_executable_release(first);
    nereus_executable_release(second);
}

int main(void) {
    allocator();
    destinations();
    limits_and_peaks();
    deadlines();
    cancelling();
    logs_and_errors();
    printf("calls end as they should\n");
    return 0;
}
