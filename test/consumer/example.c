#include <nereus/compile.h>
#include <stdio.h>
#include <stdlib.h>

static void check(nereus_status* status) {              // NULL is success
    if (!status) return;
    fputs(nereus_status_text(status), stderr);
    exit(1);
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    nereus_executable* model = NULL;
    nereus_context* context = NULL;
    check(nereus_executable_compile_file(argv[1], NULL, &model));       // a model or a program, once for every shape
    check(nereus_context_create(model, NULL, &context));                // one per thread

    const float data[] = {0.5f, -3, 2, 1};
    const int64_t extents[] = {2, 2};
    nereus_value *x = NULL, *result = NULL;
    check(nereus_tensor_create(NEREUS_F32, 2, extents, data, sizeof data, &x));
    const char* names[] = {"input.1"};                                  // as the model names it
    const nereus_value* arguments[] = {x};
    nereus_call_options options = {.struct_size = sizeof options, .names = names};
    options.deadline = nereus_deadline_in(1000000000);                  // a second from now
    check(nereus_context_call(context, &options, arguments, 1, &result));

    const nereus_entry* entry = NULL;
    check(nereus_executable_entry(model, 0, &entry));
    for (size_t i = 0; i < entry->result_count; ++i) {
        const nereus_value* part = result;                              // of one output; several are parts of a tuple
        nereus_bytes* text = NULL;
        if (entry->result_count > 1) check(nereus_value_part(result, i, &part));
        check(nereus_value_to_text(part, &text));
        printf("%s: %s\n", entry->results[i]->name, nereus_bytes_data(text));
        nereus_bytes_release(text);
    }
    nereus_value_release(x);
    nereus_value_release(result);
    nereus_context_release(context);
    nereus_executable_release(model);
    return 0;
}
