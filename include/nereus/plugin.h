/* nereus/plugin.h - operators from outside. Plain C. A plug-in is a shared library that needs this header alone, links
 * nothing of Nereus and exports one function:
 *
 *     int32_t nereus_plugin_register(const nereus_plugin_host* host) { return host->add(host, &my_op); }
 *
 * `nereus run --plugin FILE`, `nereus-run --plugin FILE` and nereus_plugin_load call it. An operator is known to all
 * programs and models from then on, for the life of the process. Its functions may be called from several threads at once.
 */
#ifndef NEREUS_PLUGIN_H
#define NEREUS_PLUGIN_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define NEREUS_PLUGIN_VERSION 1

/* What the functions below return: 0 when all is well, else what `fail` gave. */
typedef int32_t nereus_plugin_result;

/* A dense row-major tensor. The dtype is one of nereus_dtype (nereus.h): bool 0, i32 1, i64 2, f32 3, f64 4, i8 5, i16 6,
 * u8 7, u16 8, u32 9, u64 10, f16 11, bf16 12. */
typedef struct nereus_plugin_tensor {
    int32_t dtype, rank;
    const int64_t* extents;
    void* data; /* of an input: not to be written */
} nereus_plugin_tensor;

/* A size. When a program is compiled it is an expression, when a program is interpreted a number; a plug-in sees neither. It
 * is valid during one call of `infer`. */
typedef int64_t nereus_plugin_dim;
typedef enum nereus_plugin_relation {
    NEREUS_PLUGIN_EQUAL = 0,
    NEREUS_PLUGIN_LESS = 1,
    NEREUS_PLUGIN_LESS_EQUAL = 2
} nereus_plugin_relation;

/* Attributes of one use of the operator, in every call. A name that the operator does not declare gives 0, NULL. */
typedef struct nereus_plugin_attributes {
    const void* self;
    int64_t (*integer)(const struct nereus_plugin_attributes*, const char* name); /* booleans: 0 or 1 */
    const int64_t* (*integers)(const struct nereus_plugin_attributes*, const char* name, int64_t* out_count);
    const char* (*text)(const struct nereus_plugin_attributes*, const char* name);
} nereus_plugin_attributes;

/* A call of `infer`: what is known of the inputs, and what must be said of the outputs. Ranks are always known. */
typedef struct nereus_plugin_infer {
    size_t struct_size;
    void* self;
    nereus_plugin_attributes attributes;
    int32_t input_count, output_count;
    int32_t (*dtype)(struct nereus_plugin_infer*, int32_t input);
    int32_t (*rank)(struct nereus_plugin_infer*, int32_t input);
    nereus_plugin_dim (*extent)(struct nereus_plugin_infer*, int32_t input, int32_t axis);
    nereus_plugin_dim (*constant)(struct nereus_plugin_infer*, int64_t number);
    /* op: one of + - * / (floor) % m (smaller) M (larger) */
    nereus_plugin_dim (*compute)(struct nereus_plugin_infer*, nereus_plugin_dim a, char op, nereus_plugin_dim b);
    /* A relation that must hold. Proved, it costs nothing; else it is checked when a program runs. `what` says in the message
     * what is compared. */
    nereus_plugin_result (*require)(struct nereus_plugin_infer*, nereus_plugin_dim a, nereus_plugin_relation relation,
                                    nereus_plugin_dim b, const char* what);
    /* A size that only `measure` tells, at most this. At most four in an operator. */
    nereus_plugin_dim (*late)(struct nereus_plugin_infer*, nereus_plugin_dim at_most);
    nereus_plugin_result (*output)(struct nereus_plugin_infer*, int32_t output, int32_t rank, const nereus_plugin_dim* extents);
    nereus_plugin_result (*fail)(struct nereus_plugin_infer*, const char* message);
} nereus_plugin_infer;

/* A call of `kernel` or `measure`. */
typedef struct nereus_plugin_run {
    size_t struct_size;
    void* self;
    nereus_plugin_attributes attributes;
    int32_t input_count, output_count; /* measure: no outputs yet */
    const nereus_plugin_tensor *inputs, *outputs;
    void (*late)(struct nereus_plugin_run*, int32_t index, int64_t extent); /* measure: the sizes that `infer` called late, in its order */
    int32_t (*cancelled)(struct nereus_plugin_run*); /* for long work: 1 when the caller wants to stop; return at once then */
    nereus_plugin_result (*fail)(struct nereus_plugin_run*, const char* message);
} nereus_plugin_run;

/* A call of `gradient`: writes, in operators of the language, what the adjoints of the outputs add to that of each input. */
typedef int32_t nereus_plugin_value;
typedef struct nereus_plugin_gradient {
    size_t struct_size;
    void* self;
    nereus_plugin_attributes attributes;
    int32_t input_count, output_count;
    int32_t (*dtype)(struct nereus_plugin_gradient*, nereus_plugin_value value);
    int32_t (*wanted)(struct nereus_plugin_gradient*, int32_t input); /* 0: nothing needs to be written for it */
    nereus_plugin_value (*input)(struct nereus_plugin_gradient*, int32_t input);
    nereus_plugin_value (*output)(struct nereus_plugin_gradient*, int32_t output);
    nereus_plugin_value (*adjoint)(struct nereus_plugin_gradient*, int32_t output);
    nereus_plugin_value (*number)(struct nereus_plugin_gradient*, double number, int32_t dtype);
    /* An operator by name, of the language or from outside, with its operands in order; attributes as in a program:
     * "axes=[0, 1], keepdims=true", or NULL. -1: there is no such operator, and the gradient fails. */
    nereus_plugin_value (*op)(struct nereus_plugin_gradient*, const char* name, const nereus_plugin_value* operands, int32_t count,
                              const char* attributes);
    nereus_plugin_value (*part)(struct nereus_plugin_gradient*, nereus_plugin_value tuple, int32_t index); /* of operators with several results */
    nereus_plugin_result (*contribute)(struct nereus_plugin_gradient*, int32_t input, nereus_plugin_value adjoint);
    nereus_plugin_result (*fail)(struct nereus_plugin_gradient*, const char* message);
} nereus_plugin_gradient;

/* An operator. It is a function of its inputs and attributes: no state, no effect. Texts are copied. */
typedef struct nereus_plugin_op {
    size_t struct_size; /* sizeof(nereus_plugin_op) */
    const char* name;   /* as programs write it: acme_shift(%x, 2, axis=0) */
    const char* doc;    /* one line; may be NULL */
    /* "x, by": a name for each input. "x, slope=0.1": in models the second is the attribute of that name, or 0.1. */
    const char* inputs;
    /* "axis=-1, axes=[], mode=\"edge\", exact=false": what holds when they are left out also says what they are; may be NULL */
    const char* attributes;
    /* Dtypes: "float a: a, a -> a", "num a: a, i64 -> (a, i64)"; classes any, basic (num or bool), num, int, float. */
    const char* types;
    /* In models; NULL: in none. The newest version that is not above that of the model counts. */
    const char *onnx_domain, *onnx_name;
    int32_t onnx_since;
    void* user; /* handed to the functions */
    nereus_plugin_result (*infer)(nereus_plugin_infer* call, void* user);
    nereus_plugin_result (*measure)(nereus_plugin_run* call, void* user); /* NULL: no size is late */
    nereus_plugin_result (*kernel)(nereus_plugin_run* call, void* user);
    nereus_plugin_result (*gradient)(nereus_plugin_gradient* call, void* user); /* NULL: it has none */
} nereus_plugin_op;

typedef struct nereus_plugin_host {
    size_t struct_size;
    int32_t version; /* NEREUS_PLUGIN_VERSION of the host */
    void* self;
    /* Refused, with a reason that whoever loads the plug-in is told: what is missing, names that are taken. */
    nereus_plugin_result (*add)(const struct nereus_plugin_host*, const nereus_plugin_op* op);
    nereus_plugin_result (*fail)(const struct nereus_plugin_host*, const char* message);
} nereus_plugin_host;

typedef nereus_plugin_result (*nereus_plugin_register_function)(const nereus_plugin_host* host);

#ifdef __cplusplus
}
#endif
#endif
