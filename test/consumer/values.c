// Values from C: built, read, written, compared; whoever lends memory is told when it is free.
#include "check.h"

static int released = 0;
static void let_go(void* user) { released += *(int*)user; }

static void tensors(void) {
    const int64_t extents[] = {2, 3}, negative[] = {-1}, huge[] = {INT64_MAX, 4};
    const float data[] = {1, 2, 3, 4, 5, 6};
    nereus_value* value = new_floats(2, extents, data);
    const nereus_tensor tensor = read_tensor(value);
    CHECK(nereus_value_kind(value) == NEREUS_TENSOR && tensor.dtype == NEREUS_F32 && tensor.rank == 2 && tensor.count == 6);
    CHECK(tensor.bytes == sizeof data && tensor.data != data && memcmp(tensor.data, data, sizeof data) == 0);
    CHECK(tensor.extents[0] == 2 && tensor.extents[1] == 3);
    FAILS(NEREUS_ERROR_SHAPE, nereus_tensor_create(NEREUS_F32, 2, extents, data, 20, &value));
    FAILS(NEREUS_ERROR_SHAPE, nereus_tensor_create(NEREUS_F32, 1, negative, data, 0, &value));
    FAILS(NEREUS_ERROR_LIMIT, nereus_tensor_create(NEREUS_F32, 100000, extents, data, 0, &value));
    nereus_status* status = nereus_tensor_create(NEREUS_F32, 2, huge, data, 0, &value);
    CHECK(status);
    nereus_status_release(status);
    const unsigned char two = 2;
    FAILS(NEREUS_ERROR_VALUE, nereus_tensor_create(NEREUS_BOOL, 0, NULL, &two, 1, &value));
    nereus_value_release(value);

    int amount = 1;
    OK(nereus_tensor_borrow(NEREUS_F32, 2, extents, data, sizeof data, let_go, &amount, &value));
    nereus_value* again = nereus_value_retain(value);
    CHECK(again == value && read_tensor(value).data == data);
    nereus_value_release(value);
    CHECK(released == 0);
    nereus_value_release(again);
    CHECK(released == 1);
    FAILS(NEREUS_ERROR_VALUE, nereus_tensor_borrow(NEREUS_F32, 0, NULL, (const char*)data + 1, 4, let_go, &amount, &value));
    FAILS(NEREUS_ERROR_SHAPE, nereus_tensor_borrow(NEREUS_F32, 2, extents, data, 4, let_go, &amount, &value));
    CHECK(released == 1);
    const int64_t none[] = {0};
    OK(nereus_tensor_borrow(NEREUS_F32, 1, none, NULL, 0, let_go, &amount, &value));
    CHECK(read_tensor(value).count == 0);
    nereus_value_release(value);
    CHECK(released == 2);
    OK(nereus_tensor_borrow(NEREUS_F32, 2, extents, data, sizeof data, NULL, NULL, &value));
    nereus_value_release(value);

    for (nereus_dtype dtype = NEREUS_BOOL; dtype <= NEREUS_U2; ++dtype) {
        const int64_t one[] = {1}, zero = 0;
        OK(nereus_tensor_create(dtype, 1, one, &zero, nereus_dtype_size(dtype), &value));
        CHECK(read_tensor(value).dtype == dtype && *nereus_dtype_name(dtype));
        nereus_value_release(value);
    }
    CHECK(strcmp(nereus_dtype_name(NEREUS_BF16), "bf16") == 0 && !nereus_dtype_name(-1) && !nereus_dtype_name(1000) && nereus_dtype_size(1000) == 0);
    CHECK(nereus_f16_from_double(1.0) == 0x3c00 && nereus_f16_to_double(0x3c00) == 1.0);
    CHECK(nereus_bf16_to_double(0x4049) == 3.140625 && nereus_bf16_from_double(3.140625) == 0x4049);
}

static void structures(const char* npz) {
    nereus_value *one = new_i64(1), *two = new_i64(2), *unit = NULL, *tuple = NULL, *sequence = NULL, *record = NULL, *node = NULL;
    const nereus_value* both[] = {one, two};
    const char *names[] = {"a", "b"}, *twice[] = {"a", "a"}, *text = NULL;
    OK(nereus_tuple_create(NULL, 0, &unit));
    OK(nereus_tuple_create(both, 2, &tuple));
    OK(nereus_sequence_create(both, 2, &sequence));
    OK(nereus_record_create(names, both, 2, &record));
    FAILS(NEREUS_ERROR_NAME, nereus_record_create(twice, both, 2, &record));
    const nereus_value *parts[] = {tuple, record, unit}, *part = NULL;
    OK(nereus_constructor_create("Node", parts, 3, &node));
    nereus_value_release(tuple);                         // the whole keeps its parts
    nereus_value_release(record);
    CHECK(nereus_value_kind(unit) == NEREUS_TUPLE && nereus_value_size(unit) == 0);
    CHECK(nereus_value_kind(sequence) == NEREUS_SEQUENCE && nereus_value_size(sequence) == 2);
    CHECK(nereus_value_kind(node) == NEREUS_CONSTRUCTOR && nereus_value_size(node) == 3);
    OK(nereus_value_constructor(node, &text));
    CHECK(strcmp(text, "Node") == 0);
    OK(nereus_value_part(node, 1, &part));
    CHECK(nereus_value_kind(part) == NEREUS_RECORD);
    OK(nereus_value_field_name(part, 1, &text));
    CHECK(strcmp(text, "b") == 0);
    const nereus_value* field = NULL;
    OK(nereus_value_field(part, "b", &field));
    CHECK(*(const int64_t*)read_tensor(field).data == 2);
    FAILS(NEREUS_ERROR_NAME, nereus_value_field(part, "c", &field));
    FAILS(NEREUS_ERROR_USAGE, nereus_value_field_name(part, 2, &text));
    FAILS(NEREUS_ERROR_USAGE, nereus_value_part(node, 3, &field));
    FAILS(NEREUS_ERROR_USAGE, nereus_value_field(node, "b", &field));
    FAILS(NEREUS_ERROR_USAGE, nereus_value_constructor(part, &text));
    nereus_tensor tensor = {.struct_size = sizeof tensor};
    FAILS(NEREUS_ERROR_USAGE, nereus_value_tensor(node, &tensor));

    nereus_bytes* json = NULL;
    nereus_value* back = NULL;
    int equal = 0;
    OK(nereus_value_to_json(node, &json));
    CHECK(strlen(nereus_bytes_data(json)) == nereus_bytes_size(json));
    OK(nereus_value_from_json(nereus_bytes_data(json), nereus_bytes_size(json), &back));
    OK(nereus_value_equal(node, back, &equal));
    CHECK(equal);
    nereus_bytes_release(json);
    nereus_value_release(back);
    FAILS(NEREUS_ERROR_PARSE, nereus_value_from_json("{", 1, &back));
    nereus_bytes* shown = NULL;
    OK(nereus_value_to_text(sequence, &shown));
    CHECK(strstr(nereus_bytes_data(shown), "i64 2"));
    nereus_bytes_release(shown);
    OK(nereus_value_save_npz(sequence, npz));
    OK(nereus_value_load_npz(npz, NULL, &back));
    OK(nereus_value_equal(sequence, back, &equal));
    CHECK(equal);
    nereus_value_release(back);
    FAILS(NEREUS_ERROR_IO, nereus_value_load_npz("/no/such/file.npz", NULL, &back));
    FAILS(NEREUS_ERROR_IO, nereus_value_save_npz(sequence, "/no/such/folder/x.npz"));

    const float x[] = {1, 2}, y[] = {1, 2.001f};
    const int64_t extents[] = {2};
    nereus_value *found = new_floats(1, extents, x), *expected = new_floats(1, extents, y);
    nereus_bytes* difference = NULL;
    OK(nereus_value_compare(found, expected, 1e-2, 0, &difference));
    CHECK(!difference);
    OK(nereus_value_compare(found, expected, 0, 0, &difference));
    CHECK(strstr(nereus_bytes_data(difference), "found 2, expected 2.001"));
    nereus_bytes_release(difference);
    nereus_value* all[] = {one, two, unit, sequence, node, found, expected};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) nereus_value_release(all[i]);
}

static void deep(void) {
    nereus_value* list = NULL;
    OK(nereus_constructor_create("Nil", NULL, 0, &list));
    for (int i = 0; i < 1000000; ++i) {
        const nereus_value* tail[] = {list};
        nereus_value* longer = NULL;
        OK(nereus_constructor_create("Cons", tail, 1, &longer));
        nereus_value_release(list);
        list = longer;
    }
    int levels = 0;
    for (const nereus_value* at = list; nereus_value_size(at) == 1; ++levels) OK(nereus_value_part(at, 0, &at));
    CHECK(levels == 1000000);
    nereus_value_release(list);
}

int main(int argc, char** argv) {
    CHECK(argc == 2 && nereus_api_version() == NEREUS_API_VERSION && *nereus_library_version());
    tensors();
    structures(argv[1]);
    deep();
    printf("values agree\n");
    return 0;
}
