// Every function with NULL where something is expected: a status, never a crash; and what may be NULL is taken.
#include "check.h"
#include <nereus/compile.h>

#define REFUSED(call) FAILS(NEREUS_ERROR_USAGE, call)

// A struct as a later version of the header might have it.
struct longer { nereus_call_options now; int64_t unheard_of; };

int main(void) {
    const char text[] = "def @main(%x: Tensor[(n), f32]) { %x + 1.0 }";
    nereus_executable* executable = NULL;
    OK(nereus_executable_compile(text, strlen(text), NULL, &executable));
    nereus_context* context = NULL;
    OK(nereus_context_create(executable, NULL, &context));
    const int64_t extents[] = {2};
    const float data[] = {1, 2};
    nereus_value *value = new_floats(1, extents, data), *out = NULL;
    const nereus_value *items[] = {value}, *holes[] = {value, NULL}, *part = NULL;
    const char *names[] = {"x"}, *no_names[] = {NULL}, *name = NULL;
    nereus_bytes* bytes = NULL;
    int64_t number = 0;
    int flag = 0;

    // statuses and bytes
    CHECK(nereus_status_code(NULL) == NEREUS_OK && !*nereus_status_message(NULL) && !*nereus_status_hint(NULL));
    CHECK(!*nereus_status_text(NULL) && !*nereus_status_file(NULL) && nereus_status_line(NULL) == 0 && nereus_status_column(NULL) == 0);
    CHECK(!nereus_code_name(-1) && !nereus_code_name(1000) && strcmp(nereus_code_name(NEREUS_OK), "ok") == 0);
    REFUSED(nereus_status_create(NULL));
    const nereus_status_options unset = {.code = NEREUS_ERROR_IO};
    REFUSED(nereus_status_create(&unset));
    const nereus_status_options told = {.struct_size = sizeof told, .code = NEREUS_ERROR_IO, .message = "gone", .hint = "look", .file = "a.nr", .line = 3, .column = 4};
    nereus_status* status = nereus_status_create(&told);
    CHECK(nereus_status_code(status) == NEREUS_ERROR_IO && strcmp(nereus_status_text(status), "a.nr:3:4: error: gone\nhint: look\n") == 0);
    nereus_status_release(status);
    nereus_status_release(NULL);
    CHECK(!*nereus_bytes_data(NULL) && nereus_bytes_size(NULL) == 0);
    nereus_bytes_release(NULL);

    // values
    REFUSED(nereus_tensor_create(NEREUS_F32, 1, NULL, data, 8, &out));
    REFUSED(nereus_tensor_create(NEREUS_F32, 1, extents, NULL, 8, &out));
    REFUSED(nereus_tensor_create(NEREUS_F32, 1, extents, data, 8, NULL));
    REFUSED(nereus_tensor_create(-1, 1, extents, data, 8, &out));
    REFUSED(nereus_tensor_create(1000, 1, extents, data, 8, &out));
    REFUSED(nereus_tensor_borrow(NEREUS_F32, 1, NULL, data, 8, NULL, NULL, &out));
    REFUSED(nereus_tensor_borrow(NEREUS_F32, 1, extents, NULL, 8, NULL, NULL, &out));
    REFUSED(nereus_tensor_borrow(NEREUS_F32, 1, extents, data, 8, NULL, NULL, NULL));
    REFUSED(nereus_tensor_borrow(1000, 1, extents, data, 8, NULL, NULL, &out));
    REFUSED(nereus_tuple_create(NULL, 1, &out));
    REFUSED(nereus_tuple_create(holes, 2, &out));
    REFUSED(nereus_tuple_create(items, 1, NULL));
    REFUSED(nereus_sequence_create(NULL, 1, &out));
    REFUSED(nereus_sequence_create(holes, 2, &out));
    REFUSED(nereus_sequence_create(items, 1, NULL));
    REFUSED(nereus_record_create(NULL, items, 1, &out));
    REFUSED(nereus_record_create(no_names, items, 1, &out));
    REFUSED(nereus_record_create(names, NULL, 1, &out));
    REFUSED(nereus_record_create(names, items, 1, NULL));
    REFUSED(nereus_constructor_create(NULL, items, 1, &out));
    REFUSED(nereus_constructor_create("A", NULL, 1, &out));
    REFUSED(nereus_constructor_create("A", holes, 2, &out));
    REFUSED(nereus_constructor_create("A", items, 1, NULL));
    REFUSED(nereus_value_from_json(NULL, 0, &out));
    REFUSED(nereus_value_from_json("1", 1, NULL));
    REFUSED(nereus_value_to_json(NULL, &bytes));
    REFUSED(nereus_value_to_json(value, NULL));
    REFUSED(nereus_value_to_text(NULL, &bytes));
    REFUSED(nereus_value_to_text(value, NULL));
    REFUSED(nereus_value_load_npz(NULL, NULL, &out));
    REFUSED(nereus_value_load_npz("x.npz", NULL, NULL));
    REFUSED(nereus_value_save_npz(NULL, "x.npz"));
    REFUSED(nereus_value_save_npz(value, NULL));
    CHECK(!nereus_value_retain(NULL) && nereus_value_kind(NULL) == NEREUS_NOTHING && nereus_value_size(NULL) == 0);
    nereus_value_release(NULL);
    nereus_tensor tensor = {.struct_size = sizeof tensor}, no_size = {.struct_size = 0};
    REFUSED(nereus_value_tensor(NULL, &tensor));
    REFUSED(nereus_value_tensor(value, NULL));
    REFUSED(nereus_value_tensor(value, &no_size));
    REFUSED(nereus_value_part(NULL, 0, &part));
    REFUSED(nereus_value_part(value, 0, &part));
    REFUSED(nereus_value_part(value, 0, NULL));
    REFUSED(nereus_value_field(NULL, "x", &part));
    REFUSED(nereus_value_field(value, "x", &part));
    REFUSED(nereus_value_field_name(NULL, 0, &name));
    REFUSED(nereus_value_field_name(value, 0, &name));
    REFUSED(nereus_value_constructor(NULL, &name));
    REFUSED(nereus_value_constructor(value, &name));
    nereus_value *record = NULL, *made = NULL;
    OK(nereus_record_create(names, items, 1, &record));
    OK(nereus_constructor_create("A", NULL, 0, &made));
    REFUSED(nereus_value_field(record, NULL, &part));
    REFUSED(nereus_value_field(record, "x", NULL));
    REFUSED(nereus_value_field_name(record, 0, NULL));
    REFUSED(nereus_value_constructor(made, NULL));
    REFUSED(nereus_value_equal(NULL, value, &flag));
    REFUSED(nereus_value_equal(value, NULL, &flag));
    REFUSED(nereus_value_equal(value, value, NULL));
    REFUSED(nereus_value_compare(NULL, value, 0, 0, &bytes));
    REFUSED(nereus_value_compare(value, NULL, 0, 0, &bytes));
    REFUSED(nereus_value_compare(value, value, 0, 0, NULL));

    // executables
    nereus_executable* other = NULL;
    const nereus_entry* entry = NULL;
    nereus_executable_facts facts = {.struct_size = sizeof facts};
    REFUSED(nereus_executable_compile(NULL, 0, NULL, &other));
    REFUSED(nereus_executable_compile(text, strlen(text), NULL, NULL));
    FAILS(NEREUS_ERROR_MEMORY, nereus_executable_compile(text, SIZE_MAX, NULL, &other));     // more than there could be
    const nereus_compile_options no_compile_size = {.entry = "main"};
    REFUSED(nereus_executable_compile(text, strlen(text), &no_compile_size, &other));
    REFUSED(nereus_executable_compile_file(NULL, NULL, &other));
    REFUSED(nereus_executable_compile_file("x.nr", NULL, NULL));
    REFUSED(nereus_executable_load(NULL, &other));
    REFUSED(nereus_executable_load("x.nrx", NULL));
    REFUSED(nereus_executable_load_bytes(NULL, 8, &other));
    REFUSED(nereus_executable_load_bytes(data, 8, NULL));
    REFUSED(nereus_executable_load_parts(NULL, 8, NULL, 0, &other));
    REFUSED(nereus_executable_load_parts(data, 8, NULL, 1, &other));
    REFUSED(nereus_executable_load_parts(data, 8, NULL, 0, NULL));
    REFUSED(nereus_executable_save(NULL, "x.nrx"));
    REFUSED(nereus_executable_save(executable, NULL));
    REFUSED(nereus_executable_to_bytes(NULL, &bytes));
    REFUSED(nereus_executable_to_bytes(executable, NULL));
    CHECK(!nereus_executable_retain(NULL) && nereus_executable_entry_count(NULL) == 0 && nereus_executable_entry_count(executable) == 1);
    nereus_executable_release(NULL);
    REFUSED(nereus_executable_entry(NULL, 0, &entry));
    REFUSED(nereus_executable_entry(executable, 0, NULL));
    REFUSED(nereus_executable_entry(executable, 1, &entry));
    REFUSED(nereus_executable_read_facts(NULL, &facts));
    REFUSED(nereus_executable_read_facts(executable, NULL));

    // contexts
    nereus_context* spare = NULL;
    nereus_stats stats = {.struct_size = sizeof stats};
    REFUSED(nereus_context_create(NULL, NULL, &spare));
    REFUSED(nereus_context_create(executable, NULL, NULL));
    const nereus_context_options no_context_size = {.memory_limit = 5};
    REFUSED(nereus_context_create(executable, &no_context_size, &spare));
    nereus_context_release(NULL);
    REFUSED(nereus_context_call(NULL, NULL, items, 1, &out));
    REFUSED(nereus_context_call(context, NULL, NULL, 1, &out));
    REFUSED(nereus_context_call(context, NULL, holes, 2, &out));
    REFUSED(nereus_context_call(context, NULL, items, 1, NULL));
    const nereus_call_options no_call_size = {.entry = "main"}, hole = {.struct_size = sizeof hole, .names = no_names};
    REFUSED(nereus_context_call(context, &no_call_size, items, 1, &out));
    REFUSED(nereus_context_call(context, &hole, items, 1, &out));
    struct longer later = {.now = {.struct_size = sizeof later}};
    OK(nereus_context_call(context, &later.now, items, 1, &out));
    later.unheard_of = 1;
    nereus_value_release(out);
    FAILS(NEREUS_ERROR_UNSUPPORTED, nereus_context_call(context, &later.now, items, 1, &out));
    nereus_context_cancel(NULL);
    REFUSED(nereus_context_peak(NULL, NULL, items, 1, &number));
    REFUSED(nereus_context_peak(context, NULL, NULL, 1, &number));
    REFUSED(nereus_context_peak(context, NULL, items, 1, NULL));
    REFUSED(nereus_context_peak_of_sizes(NULL, NULL, names, extents, 1, &number));
    REFUSED(nereus_context_peak_of_sizes(context, NULL, NULL, extents, 1, &number));
    REFUSED(nereus_context_peak_of_sizes(context, NULL, names, NULL, 1, &number));
    REFUSED(nereus_context_peak_of_sizes(context, NULL, names, extents, 1, NULL));
    REFUSED(nereus_context_stats(NULL, &stats));
    REFUSED(nereus_context_stats(context, NULL));
    REFUSED(nereus_context_trim(NULL));
    REFUSED(nereus_cancel_token_create(NULL));
    nereus_cancel_token_trigger(NULL);
    nereus_cancel_token_reset(NULL);
    CHECK(!nereus_cancel_token_triggered(NULL) && !nereus_cancel_token_retain(NULL));
    nereus_cancel_token_release(NULL);

    OK(nereus_context_call(context, NULL, items, 1, &out));      // and after all of this it works
    CHECK(((const float*)read_tensor(out).data)[1] == 3);
    nereus_value* all[] = {value, record, made, out};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) nereus_value_release(all[i]);
    nereus_context_release(context);
    nereus_executable_release(executable);
    printf("refusals, not crashes\n");
    return 0;
}
