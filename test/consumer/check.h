// What the C programs of this folder demand: the first thing that does not hold ends them, with its place.
#ifndef CHECK_H
#define CHECK_H
#include <nereus/nereus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(holds) \
    do { \
        if (!(holds)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #holds); \
            exit(1); \
        } \
    } while (0)
#define OK(call) succeeds((call), __FILE__, __LINE__)
#define FAILS(expected, call) fails((call), (expected), __FILE__, __LINE__)

static inline void succeeds(nereus_status* status, const char* file, int line) {
    if (!status) return;
    fprintf(stderr, "%s:%d: %s", file, line, nereus_status_text(status));
    exit(1);
}
static inline void fails(nereus_status* status, nereus_code expected, const char* file, int line) {
    const nereus_code code = nereus_status_code(status);
    if (code != expected || !*nereus_status_message(status) || !strstr(nereus_status_text(status), nereus_status_message(status))) {
        fprintf(stderr, "%s:%d: expected %s, found %s: %s", file, line, nereus_code_name(expected), nereus_code_name(code), nereus_status_text(status));
        exit(1);
    }
    nereus_status_release(status);
}

static inline nereus_tensor read_tensor(const nereus_value* value) {
    nereus_tensor tensor = {.struct_size = sizeof tensor};
    OK(nereus_value_tensor(value, &tensor));
    return tensor;
}
static inline nereus_value* new_floats(size_t rank, const int64_t* extents, const float* data) {
    size_t count = 1;
    for (size_t i = 0; i < rank; ++i) count *= (size_t)extents[i];
    nereus_value* value = NULL;
    OK(nereus_tensor_create(NEREUS_F32, rank, extents, data, count * sizeof(float), &value));
    return value;
}
static inline nereus_value* new_i64(int64_t number) {
    nereus_value* value = NULL;
    OK(nereus_tensor_create(NEREUS_I64, 0, NULL, &number, sizeof number, &value));
    return value;
}
#endif
