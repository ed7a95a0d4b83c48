// nereus/nereus.h - runs compiled programs, from C and whatever calls C: values in, values out. Nothing is compiled here,
// whatever shape, length or depth the arguments have. nereus/compile.h has the compiler, nereus/nereus.hpp both for C++.
//
// Errors: a function that can fail returns a status, NULL for success; the caller releases it, and nothing was put into the
// out_ arguments. NULL where a handle or result is expected is such an error too (NEREUS_ERROR_USAGE). Nothing throws.
// Ownership: what an out_ argument without `const` receives belongs to the caller, who releases it; what comes as `const`
// is borrowed from the handle that was asked and lives as long. Arguments stay the caller's and are not kept, unless said
// otherwise. Releasing NULL does nothing.
// Threads: handles may be shared and released by any thread, except contexts: one call at a time.
// Structs that begin with `struct_size` may grow: write `nereus_call_options o = {.struct_size = sizeof o}`; what is not
// set is 0 and means the default. Instead of options NULL may be passed. Texts are UTF-8 and end with a zero.
#ifndef NEREUS_NEREUS_H
#define NEREUS_NEREUS_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of this interface: later ones of the same number only add. Compare it with what is linked.
#define NEREUS_API_VERSION 1
int32_t nereus_api_version(void);
// Of the library: "0.1.0".
const char* nereus_library_version(void);

typedef struct nereus_status nereus_status;             // why something failed
typedef struct nereus_bytes nereus_bytes;               // bytes or text handed out
typedef struct nereus_value nereus_value;               // immutable and counted: an argument, a result or a part of one
typedef struct nereus_executable nereus_executable;     // a compiled program: immutable and counted
typedef struct nereus_context nereus_context;           // what one call at a time changes
typedef struct nereus_cancel_token nereus_cancel_token; // asks calls to stop: counted

// ---- Status
typedef int32_t nereus_code;
enum {
    NEREUS_OK = 0,
    NEREUS_ERROR_USAGE,          // the call itself was wrong
    NEREUS_ERROR_PARSE,          // text or JSON that cannot be read
    NEREUS_ERROR_NAME,           // an unknown or doubly declared name
    NEREUS_ERROR_TYPE,           // types or dtypes that do not fit
    NEREUS_ERROR_SHAPE,          // sizes that do not fit, at compile time or at run time
    NEREUS_ERROR_VALUE,          // an argument out of its domain: index range, zero divisor, failed assert
    NEREUS_ERROR_UNSUPPORTED,    // understood, and not offered
    NEREUS_ERROR_IO,             // a file that cannot be read or written
    NEREUS_ERROR_CORRUPT,        // an artefact that is damaged
    NEREUS_ERROR_MISMATCH,       // an artefact for another version or CPU
    NEREUS_ERROR_MEMORY,         // memory or a set limit ran out
    NEREUS_ERROR_LIMIT,          // nesting, size or count over what is accepted
    NEREUS_ERROR_CANCELLED,      // the caller asked to stop
    NEREUS_ERROR_DEADLINE,       // the time that the caller gave is over
    NEREUS_ERROR_INTERNAL        // a mistake in Nereus itself
};
const char* nereus_code_name(nereus_code code);                          // "shape"; NULL: no such code
nereus_code nereus_status_code(const nereus_status* status);             // of NULL: NEREUS_OK
// All of NULL: "".
const char* nereus_status_message(const nereus_status* status);          // what was found and what was expected
const char* nereus_status_hint(const nereus_status* status);             // what to do about it; may be ""
const char* nereus_status_text(const nereus_status* status);             // for people: place, message, the line with a mark, hint
const char* nereus_status_file(const nereus_status* status);             // the program or model of the place; "": there is none
int32_t nereus_status_line(const nereus_status* status);                 // from 1; 0: of no line, as in models
int32_t nereus_status_column(const nereus_status* status);               // from 1, in bytes
void nereus_status_release(nereus_status* status);

typedef struct nereus_status_options {
    size_t struct_size;
    nereus_code code;
    const char *message, *hint, *file, *text;    // copied; text NULL: made of the others
    int32_t line, column;
} nereus_status_options;
// For those who report an error to Nereus or in its manner. Never NULL.
nereus_status* nereus_status_create(const nereus_status_options* options);

// ---- Bytes. A zero follows the last one, so that a text is a C string.
const char* nereus_bytes_data(const nereus_bytes* bytes);
size_t nereus_bytes_size(const nereus_bytes* bytes);
void nereus_bytes_release(nereus_bytes* bytes);

// ---- Values: tensors, tuples, records, constructors of data types, sequences. Parts are shared, not copied; a list of a
// million constructors is built, read, compared and freed without deep recursion.
typedef int32_t nereus_dtype;
enum {
    NEREUS_BOOL = 0,             // a byte, 0 or 1
    NEREUS_I32, NEREUS_I64, NEREUS_F32, NEREUS_F64, NEREUS_I8, NEREUS_I16, NEREUS_U8, NEREUS_U16, NEREUS_U32, NEREUS_U64,
    NEREUS_F16, NEREUS_BF16,
    // only stored, moved and cast; the code of an element is in the low bits of a byte
    NEREUS_F8E4M3FN, NEREUS_F8E4M3FNUZ, NEREUS_F8E5M2, NEREUS_F8E5M2FNUZ, NEREUS_F8E8M0, NEREUS_F4E2M1, NEREUS_I4, NEREUS_U4,
    NEREUS_I2, NEREUS_U2,
    NEREUS_STR                   // texts: nereus_texts_create, nereus_value_text
};
const char* nereus_dtype_name(nereus_dtype dtype);       // as programs write it: "f32"; NULL: no such dtype
size_t nereus_dtype_size(nereus_dtype dtype);            // bytes of an element; 0: no such dtype
// Elements of NEREUS_F16 and NEREUS_BF16 by their bits; rounded to nearest, ties to even.
uint16_t nereus_f16_from_double(double value);
double nereus_f16_to_double(uint16_t bits);
uint16_t nereus_bf16_from_double(double value);
double nereus_bf16_to_double(uint16_t bits);

// A tensor of these extents, outermost first, with a copy of its elements, row by row; rank 0 is a scalar. Refused: another
// number of bytes than the extents ask for.
nereus_status* nereus_tensor_create(nereus_dtype dtype, size_t rank, const int64_t* extents, const void* data, size_t bytes,
                                    nereus_value** out_value);
// The same without a copy: nobody changes the elements until `release(user)` is called, by the thread that lets go last.
// `release` may be NULL. Refused too, and not released: data that is not aligned for an element.
typedef void (*nereus_release_fn)(void* user);
nereus_status* nereus_tensor_borrow(nereus_dtype dtype, size_t rank, const int64_t* extents, const void* data, size_t bytes,
                                    nereus_release_fn release, void* user, nereus_value** out_value);
// A tensor of texts, of which it has copies. `sizes`, in bytes; NULL: each ends with a 0. Refused: another count than the extents ask for.
nereus_status* nereus_texts_create(size_t rank, const int64_t* extents, const char* const* texts, const size_t* sizes, size_t count,
                                   nereus_value** out_value);
// Of no items: (), which never fails.
nereus_status* nereus_tuple_create(const nereus_value* const* items, size_t count, nereus_value** out_value);
nereus_status* nereus_sequence_create(const nereus_value* const* items, size_t count, nereus_value** out_value);
// Names differ; their order does not matter to an entry point.
nereus_status* nereus_record_create(const char* const* names, const nereus_value* const* values, size_t count,
                                    nereus_value** out_value);
// A constructor of a data type, as in Node(left, right). An optional input of a model is a None without arguments, or a Some of one.
nereus_status* nereus_constructor_create(const char* name, const nereus_value* const* arguments, size_t count,
                                         nereus_value** out_value);
// The encoding of --inputs and --json, for example {"dtype": "f32", "shape": [2], "data": [1, 2]}.
nereus_status* nereus_value_from_json(const char* text, size_t size, nereus_value** out_value);
nereus_status* nereus_value_to_json(const nereus_value* value, nereus_bytes** out_text);         // gives the same bits back
// NumPy's .npz, whose names say what is where, as in layers.0.w. `part`: what to take of it; NULL: all.
nereus_status* nereus_value_load_npz(const char* path, const char* part, nereus_value** out_value);
nereus_status* nereus_value_save_npz(const nereus_value* value, const char* path);
// One more owner; returns its argument.
nereus_value* nereus_value_retain(const nereus_value* value);
void nereus_value_release(nereus_value* value);

typedef int32_t nereus_kind;
enum { NEREUS_NOTHING = 0, NEREUS_TENSOR, NEREUS_TUPLE, NEREUS_RECORD, NEREUS_CONSTRUCTOR, NEREUS_SEQUENCE };
nereus_kind nereus_value_kind(const nereus_value* value);                // of NULL: NEREUS_NOTHING
typedef struct nereus_tensor {
    size_t struct_size;
    nereus_dtype dtype;
    size_t rank;
    const int64_t* extents;
    const void* data;            // row by row; not NULL
    size_t count, bytes;         // of its elements
} nereus_tensor;
nereus_status* nereus_value_tensor(const nereus_value* value, nereus_tensor* out_tensor);        // of texts, `data` is not to be read
// An element of a tensor of texts, row by row; it lives as long as the value, and need not end with a 0.
nereus_status* nereus_value_text(const nereus_value* value, size_t index, const char** out_text, size_t* out_size);
// The parts: items of a tuple or sequence, values of a record, arguments of a constructor; 0 of a tensor and of NULL.
size_t nereus_value_size(const nereus_value* value);
nereus_status* nereus_value_part(const nereus_value* value, size_t index, const nereus_value** out_part);
nereus_status* nereus_value_field(const nereus_value* record, const char* name, const nereus_value** out_part);
nereus_status* nereus_value_field_name(const nereus_value* record, size_t index, const char** out_name);
nereus_status* nereus_value_constructor(const nereus_value* value, const char** out_name);
// On one line for people; what is long is shortened.
nereus_status* nereus_value_to_text(const nereus_value* value, nereus_bytes** out_text);
// 1: the same structure, dtypes, shapes and bits; a NaN equals itself, 0 and -0 differ.
nereus_status* nereus_value_equal(const nereus_value* a, const nereus_value* b, int* out_equal);
// Where a value first differs from what was expected, and how; *out_text is NULL if it does not. The tolerance is of
// floats, all else must be equal; NaN equals NaN.
nereus_status* nereus_value_compare(const nereus_value* found, const nereus_value* expected, double relative, double absolute,
                                    nereus_bytes** out_text);

// ---- Executables
// Reads an artefact. It contains machine code: loading one is trusting whoever made it. Damage is NEREUS_ERROR_CORRUPT,
// another version or a processor that lacks something NEREUS_ERROR_MISMATCH. The constants of a file stay in it: its pages
// are shared with whoever loads it too, here or in another process. So nobody may write into the file while it is in use; to
// replace it by another of its name, as saving does, is fine. Bytes in memory are copied.
nereus_status* nereus_executable_load(const char* path, nereus_executable** out_executable);
nereus_status* nereus_executable_load_bytes(const void* data, size_t size, nereus_executable** out_executable);
// An artefact whose constants are not in it and stay where they are: what a compile hands over.
typedef struct nereus_constant {
    const void* data;
    size_t bytes;
    nereus_release_fn release;   // called when nobody needs it any more; not after an error
    void* user;
} nereus_constant;
nereus_status* nereus_executable_load_parts(const void* data, size_t size, const nereus_constant* constants, size_t count,
                                            nereus_executable** out_executable);
// Writes an artefact, whole or not at all. The same executable gives the same bytes.
nereus_status* nereus_executable_save(const nereus_executable* executable, const char* path);
nereus_status* nereus_executable_to_bytes(const nereus_executable* executable, nereus_bytes** out_bytes);
nereus_executable* nereus_executable_retain(const nereus_executable* executable);
void nereus_executable_release(nereus_executable* executable);

typedef struct nereus_port {     // a parameter, or a part of the result
    const char* name;            // a model's own for it, or that of the parameter, without %; "": none
    const char* type;            // Tensor[(n, 4), f32], {w: …, b: …}, Leaf(…) | Node(…)
    nereus_kind kind;            // what values it takes; a data type: NEREUS_CONSTRUCTOR
    nereus_dtype dtype;          // of a tensor, and the next two
    int32_t rank;                // -1: any, from the dims on that are given
    size_t dim_count;
    const char* const* dims;     // as text: "n", "4", "2*d"; "_": not decided before the run
} nereus_port;
typedef struct nereus_entry {    // what an entry point takes and gives
    const char* name;            // without @
    const char* result_type;
    size_t parameter_count, result_count, size_count;
    const nereus_port* const* parameters;
    const nereus_port* const* results;           // the parts of a tuple, or the one result
    const char* const* sizes;    // the dims that arguments decide: n
} nereus_entry;
// The first entry point is the one that a call means when it names none.
size_t nereus_executable_entry_count(const nereus_executable* executable);
nereus_status* nereus_executable_entry(const nereus_executable* executable, size_t index, const nereus_entry** out_entry);
typedef struct nereus_executable_facts {
    size_t struct_size;
    const char* target;          // what the processor must have: x86-64-v2, x86-64-v3 or x86-64-v4
    int64_t kernels, launches, regions, instructions, code_bytes, constant_bytes;
} nereus_executable_facts;
nereus_status* nereus_executable_read_facts(const nereus_executable* executable, nereus_executable_facts* out_facts);

// ---- Contexts: make one per thread and use it again and again. After an error, a passed deadline or a cancelled call it is
// ready for the next call. Memory stays at the largest call's; it does not grow with the number of shapes seen.
typedef int32_t nereus_log_kind;
enum { NEREUS_LOG_PRINT = 0 /* of the program: print() */, NEREUS_LOG_WARNING /* of the compiler */ };
// A message, without a line end; called by the thread that calls or compiles, and returns to it: it throws nothing.
typedef void (*nereus_log_fn)(void* user, nereus_log_kind kind, const char* text, size_t size);

// The allocator serves the elements of results, which may outlive the context and be released by any thread, and the blocks
// of the context's object heap: lists, trees, cells and the tensors in them. It does not serve frames and planned buffers,
// which live in one reserved range of addresses per context, nor handles, plans, scratch and the copies that
// nereus_tensor_create makes.
typedef struct nereus_context_options {
    size_t struct_size;
    int64_t memory_limit;        // bytes that one call may use; 0: what the machine has
    void* (*allocate)(void* user, size_t bytes, size_t alignment);       // NULL: no memory. Given with the next, or neither
    void (*deallocate)(void* user, void* memory, size_t bytes);
    void* allocator_user;
    nereus_log_fn log;           // NULL: print() writes to stderr
    void* log_user;
    int32_t threads;             // that a call may use, its own with them; results are the same bit for bit. 0: one; at most 64
} nereus_context_options;
nereus_status* nereus_context_create(const nereus_executable* executable, const nereus_context_options* options,
                                     nereus_context** out_context);
void nereus_context_release(nereus_context* context);

typedef struct nereus_destination {
    void* data;                  // aligned for an element; no argument and no other destination lies there. NULL: none
    size_t bytes;
} nereus_destination;
typedef struct nereus_call_options {
    size_t struct_size;
    const char* entry;           // NULL: the first
    const char* const* names;    // of the arguments, in any order: those of parameters; NULL: arguments are in order
    int64_t deadline;            // as nereus_deadline_in gives it: then the call fails; 0: none
    const nereus_cancel_token* cancel;
    // Memory for the parts of the result, in order, those of tuples one after the other. A tensor that fits is written there,
    // the others come from the allocator: the data of the result says where it is. One for what is no tensor, as a tree or a
    // record, or for texts is left alone. The memory lives as long as the result.
    const nereus_destination* destinations;
    size_t destination_count;
} nereus_call_options;
// The time after that many nanoseconds, for calls that must have ended by then.
int64_t nereus_deadline_in(int64_t nanoseconds);
// Calls an entry point. Results have their real shapes, also where only the run decides them. Deadline and cancel are looked
// at before every kernel and at every round of a loop and call of a function; a kernel that runs is not interrupted, but one of
// a plug-in may ask.
nereus_status* nereus_context_call(nereus_context* context, const nereus_call_options* options,
                                   const nereus_value* const* arguments, size_t count, nereus_value** out_result);
// Makes the running call fail soon, with NEREUS_ERROR_CANCELLED; other threads may, too.
void nereus_context_cancel(nereus_context* context);

// The peak_bytes of a call with these arguments, without calling. Read are constructors, lengths, shapes and whole numbers
// of rank 0, but no elements: exact to the byte, or an upper bound where elements decide between ways.
// NEREUS_ERROR_LIMIT: no bound follows without elements. `entry` NULL: the first.
nereus_status* nereus_context_peak(nereus_context* context, const char* entry, const nereus_value* const* arguments,
                                   size_t count, int64_t* out_bytes);
// The same for any arguments with these sizes: "n" is 32. NEREUS_ERROR_LIMIT too where they do not say how one is built.
nereus_status* nereus_context_peak_of_sizes(nereus_context* context, const char* entry, const char* const* names,
                                            const int64_t* extents, size_t count, int64_t* out_bytes);
typedef struct nereus_stats {
    size_t struct_size;
    int64_t calls, plan_hits, plan_misses, region_runs, launches;        // since it was made
    int64_t peak_bytes;          // of the last call: the sum of the next three
    int64_t arena_bytes, object_bytes, scratch_bytes;
    int64_t leaked_objects;      // always 0, or Nereus has a bug
    int64_t kept_bytes;          // held now for the next call, whether the last one failed or not; 0 after a trim
} nereus_stats;
nereus_status* nereus_context_stats(const nereus_context* context, nereus_stats* out_stats);
// Gives memory kept for the next call back to the system and to the allocator.
nereus_status* nereus_context_trim(nereus_context* context);

// ---- Cancel tokens: shared by any number of calls, and triggered from any thread or signal handler. A triggered token
// stops those calls and every later one that has it, until it is reset. NULL is ignored.
nereus_status* nereus_cancel_token_create(nereus_cancel_token** out_token);
void nereus_cancel_token_trigger(nereus_cancel_token* token);
void nereus_cancel_token_reset(nereus_cancel_token* token);
int nereus_cancel_token_triggered(const nereus_cancel_token* token);     // of NULL: 0
nereus_cancel_token* nereus_cancel_token_retain(const nereus_cancel_token* token);
void nereus_cancel_token_release(nereus_cancel_token* token);

// ---- Operators from outside, described in nereus/plugin.h. They are there for the life of the process, for every program and
// model that is compiled and every artefact that is loaded from then on.
struct nereus_plugin_op;
// What only the compiler sees, types that do not read and names that the language has, the next compile refuses, once.
nereus_status* nereus_register_op(const struct nereus_plugin_op* op);
// A shared library that registers operators; loading it is running its code. Once, however often it is asked for.
nereus_status* nereus_plugin_load(const char* path);
// Those that there are, in the order in which they came; NULL: no more.
const struct nereus_plugin_op* nereus_registered_op(size_t index);

#ifdef __cplusplus
}
#endif
#endif
