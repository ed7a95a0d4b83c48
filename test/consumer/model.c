// An ONNX model from C, by the names of its inputs and outputs; what only the run decides comes back with its real shape.
#include "check.h"
#include <nereus/compile.h>

int main(int argc, char** argv) {
    CHECK(argc == 3);
    nereus_executable* model = NULL;
    OK(nereus_executable_compile_file(argv[1], NULL, &model));
    OK(nereus_executable_save(model, argv[2]));          // the artefact keeps the names
    nereus_executable_release(model);
    OK(nereus_executable_load(argv[2], &model));

    const nereus_entry* entry = NULL;
    OK(nereus_executable_entry(model, 0, &entry));
    CHECK(strcmp(entry->name, "main") == 0 && entry->parameter_count == 1 && entry->result_count == 2);
    const nereus_port *x = entry->parameters[0], *found = entry->results[1];
    CHECK(strcmp(x->name, "input.1") == 0 && x->kind == NEREUS_TENSOR && x->dtype == NEREUS_F32 && x->rank == 2);
    CHECK(x->dim_count == 2 && strcmp(x->dims[0], "batch") == 0 && strcmp(x->dims[1], "2") == 0);
    CHECK(strcmp(entry->results[0]->name, "out/y:0") == 0 && strcmp(found->name, "found") == 0);
    CHECK(found->dtype == NEREUS_I64 && found->rank == 2);

    nereus_context* context = NULL;
    OK(nereus_context_create(model, NULL, &context));
    nereus_executable_release(model);                    // contexts keep what they need
    for (int64_t n = 0; n < 5; ++n) {
        float data[8];
        for (int i = 0; i < 8; ++i) data[i] = i % 2 ? -2.0f : (float)i;      // y is (i - 1, 0) where that is positive
        const int64_t extents[] = {n, 2};
        nereus_value *input = new_floats(2, extents, data), *result = NULL;
        const char* names[] = {"input.1"};
        const nereus_value* arguments[] = {input};
        const nereus_call_options options = {.struct_size = sizeof options, .names = names};
        OK(nereus_context_call(context, &options, arguments, 1, &result));
        const nereus_value* part = NULL;
        OK(nereus_value_part(result, 1, &part));
        const nereus_tensor places = read_tensor(part);
        const int64_t positive = n > 1 ? n - 1 : 0;
        CHECK(places.rank == 2 && places.extents[0] == 2 && places.extents[1] == positive);
        CHECK(places.bytes == (size_t)(2 * positive) * sizeof(int64_t));
        for (int64_t i = 0; i < positive; ++i) CHECK(((const int64_t*)places.data)[i] == i + 1);
        nereus_value_release(input);
        nereus_value_release(result);
    }
    const char* wrong[] = {"input_2"};
    nereus_value *number = new_i64(1), *result = NULL;
    const nereus_value* arguments[] = {number};
    const nereus_call_options options = {.struct_size = sizeof options, .names = wrong};
    FAILS(NEREUS_ERROR_USAGE, nereus_context_call(context, &options, arguments, 1, &result));
    nereus_value_release(number);
    nereus_context_release(context);
    printf("a model by its names\n");
    return 0;
}
