/* A plug-in whose operators each make one mistake; test/plugin_test.py says what its user is told. */
#include <nereus/plugin.h>

static const char* const mistakes[] = {"no_reason", "no_output", "unknown_size", "unknown_input", "late_without_measure", "wrong_output", "wrong_arithmetic", "unknown_op",
                                       "unknown_attribute", "wrong_attribute", "no_operands", "unknown_value", "measured_too_much", "kernel_no_reason"};
enum { count = sizeof mistakes / sizeof mistakes[0] };
static char names[count][64];
static int numbers[count];

static nereus_plugin_result infer(nereus_plugin_infer* call, void* user) {
    nereus_plugin_dim n = call->extent(call, 0, 0);
    switch (*(int*)user) {
    case 0: return 7;
    case 1: return 0;
    case 2: n = 99; break;
    case 3: n = call->extent(call, 1, 0); break;
    case 4: n = call->late(call, n); break;
    case 5: return call->output(call, 3, 1, &n);
    case 6: n = call->compute(call, n, '^', n); break;
    case 12: n = call->late(call, n); break;
    default: break;
    }
    return call->output(call, 0, 1, &n);
}
static nereus_plugin_result measure(nereus_plugin_run* call, void* user) {
    (void)user;
    call->late(call, 0, call->inputs[0].extents[0] + 1);
    return 0;
}
static nereus_plugin_result kernel(nereus_plugin_run* call, void* user) {
    const int64_t n = call->outputs[0].extents[0];
    for (int64_t i = 0; i < n; ++i) ((float*)call->outputs[0].data)[i] = 1;
    return *(int*)user == 13;
}
static nereus_plugin_result gradient(nereus_plugin_gradient* call, void* user) {
    nereus_plugin_value dy = call->adjoint(call, 0), made = dy;
    switch (*(int*)user) {
    case 7: made = call->op(call, "no_such", &dy, 1, 0); break;
    case 8: made = call->op(call, "sum", &dy, 1, "axess=[0]"); break;
    case 9: made = call->op(call, "sum", &dy, 1, "keepdims=3"); break;
    case 10: made = call->op(call, "mul", &dy, 1, 0); break;
    case 11: made = 1000; break;
    default: break;
    }
    return call->contribute(call, 0, made);
}

int32_t nereus_plugin_register(const nereus_plugin_host* host) {
    for (int i = 0; i < count; ++i) {
        const char* prefix = "wrong_";
        int at = 0;
        for (const char* c = prefix; *c; ++c) names[i][at++] = *c;
        for (const char* c = mistakes[i]; *c; ++c) names[i][at++] = *c;
        numbers[i] = i;
        const nereus_plugin_op op = {.struct_size = sizeof op, .name = names[i], .inputs = "x", .types = "float a: a -> a", .user = &numbers[i],
                                     .infer = infer, .measure = i == 12 ? measure : 0, .kernel = kernel, .gradient = gradient};
        if (host->add(host, &op) != 0) return 1;
    }
    return 0;
}
