// Operators of the caller's own, from C: registered, compiled into a program, differentiated, saved and loaded again.
#include "check.h"
#include <nereus/compile.h>
#include <nereus/plugin.h>

static int mark;                                         // what the functions are handed
static nereus_plugin_result infer(nereus_plugin_infer* call, void* user) {
    nereus_plugin_dim n = call->extent(call, 0, 0);
    CHECK(user == &mark);
    return call->rank(call, 0) == 1 ? call->output(call, 0, 1, &n) : call->fail(call, "a vector was expected");
}
static nereus_plugin_result kernel(nereus_plugin_run* call, void* user) {
    const float* x = call->inputs[0].data;
    float* y = call->outputs[0].data;
    CHECK(user == &mark && call->inputs[0].dtype == NEREUS_F32);
    for (int64_t i = 0; i < call->inputs[0].extents[0]; ++i) y[i] = x[i] * (float)call->attributes.integer(&call->attributes, "times");
    return 0;
}
static nereus_plugin_result gradient(nereus_plugin_gradient* call, void* user) {
    nereus_plugin_value factors[2];
    (void)user;
    factors[0] = call->adjoint(call, 0);
    factors[1] = call->number(call, (double)call->attributes.integer(&call->attributes, "times"), NEREUS_F32);
    return call->contribute(call, 0, call->op(call, "mul", factors, 2, NULL));
}
// Sizes that only running tells, as the test says; for as long as nobody wants to stop.
static int64_t told;
static nereus_plugin_result late_infer(nereus_plugin_infer* call, void* user) {
    nereus_plugin_dim k = call->late(call, call->extent(call, 0, 0));
    (void)user;
    return call->output(call, 0, 1, &k);
}
static nereus_plugin_result measure(nereus_plugin_run* call, void* user) {
    (void)user;
    call->late(call, 0, told);
    return 0;
}
static nereus_plugin_result ones(nereus_plugin_run* call, void* user) {
    (void)user;
    for (int64_t i = 0; i < call->outputs[0].extents[0]; ++i) ((float*)call->outputs[0].data)[i] = 1;
    return 0;
}
static nereus_cancel_token* token;
static nereus_plugin_result until_told(nereus_plugin_run* call, void* user) {
    (void)user;
    if (token) nereus_cancel_token_trigger(token);
    for (long looks = 0; looks < 2000000000; ++looks)
        if (call->cancelled(call)) return 0;
    return call->fail(call, "nobody wanted to stop");
}
static nereus_context* context_of(const char* text) {
    nereus_executable* program = NULL;
    nereus_context* context = NULL;
    OK(nereus_executable_compile(text, strlen(text), NULL, &program));
    OK(nereus_context_create(program, NULL, &context));
    nereus_executable_release(program);
    return context;
}

static void late_sizes(void) {
    const nereus_plugin_op op = {.struct_size = sizeof op, .name = "own_late", .inputs = "x", .types = "float a: a -> a", .infer = late_infer,
                                 .measure = measure, .kernel = ones};
    OK(nereus_register_op(&op));
    nereus_context* context = context_of("def @main(%x: Tensor[(n), f32]) { sum(tanh(own_late(%x))) }");
    static const float data[1000];
    const int64_t extents[] = {1000};
    nereus_value *x = new_floats(1, extents, data), *result = NULL;
    const nereus_value* arguments[] = {x};
    const int64_t wrong[] = {1001, -1, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        told = wrong[i];
        FAILS(NEREUS_ERROR_SHAPE, nereus_context_call(context, NULL, arguments, 1, &result));
    }
    int64_t peak = 0;
    nereus_stats stats = {.struct_size = sizeof stats};
    OK(nereus_context_peak(context, NULL, arguments, 1, &peak));
    for (told = 0; told <= 1000; told += 500) {
        OK(nereus_context_call(context, NULL, arguments, 1, &result));
        nereus_value_release(result);
        OK(nereus_context_stats(context, &stats));
        CHECK(stats.peak_bytes <= peak);
    }
    nereus_value_release(x);
    nereus_context_release(context);
}

static void stopping(void) {
    const nereus_plugin_op op = {.struct_size = sizeof op, .name = "own_wait", .inputs = "x", .types = "float a: a -> a", .infer = infer, .user = &mark, .kernel = until_told};
    OK(nereus_register_op(&op));
    nereus_context* context = context_of("def @main(%x: Tensor[(n), f32]) { own_wait(%x) }");
    const float data[] = {3, 5};
    const int64_t extents[] = {2};
    nereus_value *x = new_floats(1, extents, data), *result = NULL;
    const nereus_value* arguments[] = {x};
    nereus_call_options options = {.struct_size = sizeof options, .deadline = nereus_deadline_in(20000000)};
    FAILS(NEREUS_ERROR_DEADLINE, nereus_context_call(context, &options, arguments, 1, &result));
    OK(nereus_cancel_token_create(&token));
    options.deadline = 0, options.cancel = token;
    FAILS(NEREUS_ERROR_CANCELLED, nereus_context_call(context, &options, arguments, 1, &result));
    nereus_cancel_token_release(token);
    nereus_value_release(x);
    nereus_context_release(context);
}

static float first_of(nereus_executable* program) {
    nereus_context* context = NULL;
    OK(nereus_context_create(program, NULL, &context));
    const float data[] = {3, 5};
    const int64_t extents[] = {2};
    nereus_value *x = new_floats(1, extents, data), *result = NULL;
    const nereus_value* arguments[] = {x};
    OK(nereus_context_call(context, NULL, arguments, 1, &result));
    const float first = ((const float*)read_tensor(result).data)[0];
    nereus_value_release(x);
    nereus_value_release(result);
    nereus_context_release(context);
    return first;
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    nereus_plugin_op op = {.struct_size = sizeof op, .name = "own_scale", .inputs = "x", .attributes = "times=2", .types = "float a: a -> a",
                           .user = &mark, .infer = infer, .kernel = kernel, .gradient = gradient};
    const char forwards[] = "def @main(%x: Tensor[(n), f32]) -> Tensor[(n), f32] { own_scale(%x, times=7) }";
    const char backwards[] = "def @main(%x: Tensor[(n), f32]) -> Tensor[(n), f32] { grad(fn (%x: Tensor[(n), f32]) { sum(own_scale(%x) * own_scale(%x)) })(%x) }";
    nereus_executable* program = NULL;
    FAILS(NEREUS_ERROR_NAME, nereus_executable_compile(forwards, strlen(forwards), NULL, &program));
    FAILS(NEREUS_ERROR_USAGE, nereus_register_op(NULL));
    FAILS(NEREUS_ERROR_USAGE, nereus_plugin_load(NULL));
    FAILS(NEREUS_ERROR_IO, nereus_plugin_load("/no/such/plug-in.so"));
    CHECK(nereus_registered_op(0) == NULL);
    OK(nereus_register_op(&op));
    FAILS(NEREUS_ERROR_USAGE, nereus_register_op(&op));                  // the name is taken
    CHECK(strcmp(nereus_registered_op(0)->name, "own_scale") == 0 && nereus_registered_op(1) == NULL);

    OK(nereus_executable_compile(forwards, strlen(forwards), NULL, &program));
    CHECK(first_of(program) == 21);
    OK(nereus_executable_save(program, argv[1]));
    nereus_executable_release(program);
    OK(nereus_executable_load(argv[1], &program));
    CHECK(first_of(program) == 21);
    nereus_executable_release(program);
    OK(nereus_executable_compile(backwards, strlen(backwards), NULL, &program));
    CHECK(first_of(program) == 24);                                      // 2 · 2 · 2 · 3
    nereus_executable_release(program);
    late_sizes();
    stopping();
    size_t* smallest = malloc(sizeof *smallest);         // nothing behind what it says is looked at
    CHECK(smallest);
    *smallest = sizeof *smallest;
    FAILS(NEREUS_ERROR_USAGE, nereus_register_op((const nereus_plugin_op*)smallest));
    free(smallest);
    printf("an operator of one's own\n");
    return 0;
}
