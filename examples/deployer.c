// Runs the classifier that examples/make_model.py wrote and `nereus compile` compiled, where no compiler is:
//   deployer FILE.nrx
// It asks what memory a call will need before it runs, gives the call that much and no more, and shows what happens with less.
#include <inttypes.h>
#include <nereus/nereus.h>
#include <stdio.h>
#include <stdlib.h>

static void check(nereus_status* status) {               // NULL is success
    if (!status) return;
    fputs(nereus_status_text(status), stderr);
    exit(1);
}

static nereus_value* ids_of(int64_t batch, int64_t time) {
    const int64_t extents[] = {batch, time};
    const size_t bytes = (size_t)(batch * time) * sizeof(int64_t);
    int64_t* ids = malloc(bytes ? bytes : 1);
    nereus_value* value = NULL;
    if (!ids) exit(1);
    for (int64_t i = 0; i < batch * time; ++i) ids[i] = (i * 7 + 3) % 50;
    check(nereus_tensor_create(NEREUS_I64, 2, extents, ids, bytes, &value));
    free(ids);
    return value;
}

static nereus_context* context_of(const nereus_executable* model, int64_t limit) {
    const nereus_context_options options = {.struct_size = sizeof options, .memory_limit = limit};
    nereus_context* context = NULL;
    check(nereus_context_create(model, &options, &context));
    return context;
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    nereus_executable* model = NULL;
    check(nereus_executable_load(argv[1], &model));
    const nereus_entry* entry = NULL;
    check(nereus_executable_entry(model, 0, &entry));
    printf("%s: %s\n", entry->parameters[0]->name, entry->parameters[0]->type);

    // what the largest call that is allowed will need, from its sizes alone
    nereus_context* asked = context_of(model, 0);
    const char* names[] = {"batch", "time"};
    const int64_t largest[] = {32, 200};
    int64_t peak = 0;
    check(nereus_context_peak_of_sizes(asked, NULL, names, largest, 2, &peak));
    printf("peak of 32 texts of 200 words: %" PRId64 " bytes\n", peak);
    nereus_context_release(asked);

    // one context, many shapes, no more memory than that
    nereus_context* context = context_of(model, peak);
    const int64_t shapes[][2] = {{1, 5}, {32, 200}, {3, 17}, {0, 4}, {32, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
        nereus_value *ids = ids_of(shapes[i][0], shapes[i][1]), *result = NULL;
        const nereus_value* arguments[] = {ids};
        nereus_call_options options = {.struct_size = sizeof options, .deadline = nereus_deadline_in(10000000000)};
        check(nereus_context_call(context, &options, arguments, 1, &result));
        const nereus_value* sure = NULL;
        nereus_tensor places = {.struct_size = sizeof places};
        check(nereus_value_part(result, 1, &sure));
        check(nereus_value_tensor(sure, &places));
        printf("%2" PRId64 " texts of %3" PRId64 " words: sure of %" PRId64 "\n", shapes[i][0], shapes[i][1], places.extents[1]);
        nereus_value_release(ids);
        nereus_value_release(result);
    }
    nereus_stats stats = {.struct_size = sizeof stats};
    check(nereus_context_stats(context, &stats));
    printf("%" PRId64 " calls, %" PRId64 " plans\n", stats.calls, stats.plan_misses);
    nereus_context_release(context);

    // with less, the call is refused and the context lives
    context = context_of(model, peak / 2);
    nereus_value *ids = ids_of(32, 200), *few = ids_of(1, 5), *result = NULL;
    const nereus_value *too_much[] = {ids}, *enough[] = {few};
    nereus_status* refused = nereus_context_call(context, NULL, too_much, 1, &result);
    printf("with half of it: %s\n", refused ? nereus_status_message(refused) : "it was enough");
    const int as_expected = nereus_status_code(refused) == NEREUS_ERROR_MEMORY;
    nereus_status_release(refused);
    check(nereus_context_call(context, NULL, enough, 1, &result));
    printf("and a smaller call still runs\n");
    nereus_value_release(ids);
    nereus_value_release(few);
    nereus_value_release(result);
    nereus_context_release(context);
    nereus_executable_release(model);
    return as_expected ? 0 : 1;
}
