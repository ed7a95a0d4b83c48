/* A plug-in: built with the header alone, linked with nothing of Nereus. Four operators, one for each thing that they can do:
 * an attribute of models that is an operand, attributes, sizes that are computed and required, sizes that only running tells. */
#include <nereus/plugin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BOOL = 0, I64 = 2, F32 = 3, F64 = 4 };

static int64_t count_of(const nereus_plugin_tensor* t) {
    int64_t count = 1;
    for (int32_t i = 0; i < t->rank; ++i) count *= t->extents[i];
    return count;
}
static double get(const nereus_plugin_tensor* t, int64_t i) { return t->dtype == F64 ? ((const double*)t->data)[i] : (double)((const float*)t->data)[i]; }
static void put(const nereus_plugin_tensor* t, int64_t i, double x) {
    if (t->dtype == F64) ((double*)t->data)[i] = x;
    else ((float*)t->data)[i] = (float)x;
}
static nereus_plugin_result same_as_first(nereus_plugin_infer* call, void* user) {
    nereus_plugin_dim extents[32];
    const int32_t rank = call->rank(call, 0);
    (void)user;
    for (int32_t i = 0; i < rank; ++i) extents[i] = call->extent(call, 0, i);
    return call->output(call, 0, rank, extents);
}

/* acme_leaky(x, slope): x where it is above 0, else slope * x */
static nereus_plugin_result leaky(nereus_plugin_run* call, void* user) {
    const nereus_plugin_tensor *x = &call->inputs[0], *y = &call->outputs[0];
    const double slope = get(&call->inputs[1], 0);
    (void)user;
    for (int64_t i = 0, n = count_of(x); i < n; ++i) put(y, i, get(x, i) > 0 ? get(x, i) : slope * get(x, i));
    return 0;
}
static nereus_plugin_result leaky_gradient(nereus_plugin_gradient* call, void* user) {
    nereus_plugin_value x = call->input(call, 0), slope = call->input(call, 1), dy = call->adjoint(call, 0);
    nereus_plugin_value zero = call->number(call, 0, call->dtype(call, x));
    nereus_plugin_value above[2] = {x, zero}, scaled[2] = {slope, dy}, weighted[2] = {x, dy};
    nereus_plugin_value is_above = call->op(call, "gt", above, 2, NULL);
    (void)user;
    if (call->wanted(call, 0)) {
        nereus_plugin_value either[3] = {is_above, dy, call->op(call, "mul", scaled, 2, NULL)};
        call->contribute(call, 0, call->op(call, "select", either, 3, NULL));
    }
    if (call->wanted(call, 1)) {
        nereus_plugin_value either[3] = {is_above, zero, call->op(call, "mul", weighted, 2, NULL)};
        nereus_plugin_value chosen = call->op(call, "select", either, 3, NULL);
        call->contribute(call, 1, call->op(call, "sum", &chosen, 1, NULL));
    }
    return 0;
}

/* acme_roll(x, by, axis=0, edge="wrap"): elements moved along an axis; what comes in is what went out, or 0 */
static nereus_plugin_result roll(nereus_plugin_run* call, void* user) {
    const nereus_plugin_tensor *x = &call->inputs[0], *y = &call->outputs[0];
    const char* edge = call->attributes.text(&call->attributes, "edge");
    int64_t axis = call->attributes.integer(&call->attributes, "axis"), by = *(const int64_t*)call->inputs[1].data, after = 1, before = 1;
    (void)user;
    if (strcmp(edge, "wrap") != 0 && strcmp(edge, "zero") != 0) return call->fail(call, "edge must be \"wrap\" or \"zero\"");
    if (axis < 0) axis += x->rank;
    for (int32_t i = 0; i < x->rank; ++i)
        if (i < axis) before *= x->extents[i];
        else if (i > axis) after *= x->extents[i];
    const int64_t n = x->extents[axis];
    for (int64_t b = 0; b < before; ++b)
        for (int64_t i = 0; i < n; ++i)
            for (int64_t a = 0; a < after; ++a) {
                const int64_t from = i - by, in = ((from % n) + n) % n;
                const int inside = from >= 0 && from < n;
                put(y, (b * n + i) * after + a, inside || strcmp(edge, "wrap") == 0 ? get(x, (b * n + in) * after + a) : 0);
            }
    return 0;
}
static nereus_plugin_result roll_infer(nereus_plugin_infer* call, void* user) {
    if (call->rank(call, 0) == 0) return call->fail(call, "a scalar has no axis to roll along");
    if (call->rank(call, 1) != 0) return call->fail(call, "by must be a scalar");
    return same_as_first(call, user);
}

/* acme_outer(x, y): (n), (m) -> (n + m), (n * m), sizes computed; x and y must not both be longer than 8 */
static nereus_plugin_result outer_infer(nereus_plugin_infer* call, void* user) {
    (void)user;
    if (call->rank(call, 0) != 1 || call->rank(call, 1) != 1) return call->fail(call, "two vectors were expected");
    nereus_plugin_dim n = call->extent(call, 0, 0), m = call->extent(call, 1, 0), both = call->compute(call, n, '+', m), all = call->compute(call, n, '*', m);
    if (call->require(call, call->compute(call, n, 'm', m), NEREUS_PLUGIN_LESS_EQUAL, call->constant(call, 8), "the shorter vector")) return 1;
    return call->output(call, 0, 1, &both) || call->output(call, 1, 1, &all);
}
static nereus_plugin_result outer(nereus_plugin_run* call, void* user) {
    const nereus_plugin_tensor *x = &call->inputs[0], *y = &call->inputs[1];
    const int64_t n = x->extents[0], m = y->extents[0];
    (void)user;
    for (int64_t i = 0; i < n + m; ++i) put(&call->outputs[0], i, i < n ? get(x, i) : get(y, i - n));
    for (int64_t i = 0; i < n * m; ++i) put(&call->outputs[1], i, get(x, i / m) * get(y, i % m));
    return 0;
}

/* acme_keep(x): the elements above 0 of a vector, and where they were */
static nereus_plugin_result keep_infer(nereus_plugin_infer* call, void* user) {
    (void)user;
    if (call->rank(call, 0) != 1) return call->fail(call, "a vector was expected");
    nereus_plugin_dim kept = call->late(call, call->extent(call, 0, 0));
    return call->output(call, 0, 1, &kept) || call->output(call, 1, 1, &kept);
}
static nereus_plugin_result keep_measure(nereus_plugin_run* call, void* user) {
    int64_t kept = 0;
    (void)user;
    for (int64_t i = 0; i < call->inputs[0].extents[0]; ++i) kept += get(&call->inputs[0], i) > 0;
    call->late(call, 0, kept);
    return 0;
}
static nereus_plugin_result keep(nereus_plugin_run* call, void* user) {
    int64_t to = 0;
    (void)user;
    for (int64_t i = 0; i < call->inputs[0].extents[0]; ++i)
        if (get(&call->inputs[0], i) > 0) {
            put(&call->outputs[0], to, get(&call->inputs[0], i));
            ((int64_t*)call->outputs[1].data)[to++] = i;
        }
    return 0;
}

int32_t nereus_plugin_register(const nereus_plugin_host* host) {
    const nereus_plugin_op ops[] = {
        {.struct_size = sizeof(nereus_plugin_op), .name = "acme_leaky", .doc = "x where it is above 0, else slope * x", .inputs = "x, slope=0.1",
         .types = "float a: a, a -> a", .onnx_domain = "com.acme", .onnx_name = "Leaky", .onnx_since = 1,
         .infer = same_as_first, .kernel = leaky, .gradient = leaky_gradient},
        {.struct_size = sizeof(nereus_plugin_op), .name = "acme_roll", .doc = "elements moved along an axis", .inputs = "x, by", .attributes = "axis=0, edge=\"wrap\"",
         .types = "float a: a, i64 -> a", .onnx_domain = "com.acme", .onnx_name = "Roll", .onnx_since = 1, .infer = roll_infer, .kernel = roll},
        {.struct_size = sizeof(nereus_plugin_op), .name = "acme_outer", .inputs = "x, y", .types = "float a: a, a -> (a, a)", .infer = outer_infer, .kernel = outer},
        {.struct_size = sizeof(nereus_plugin_op), .name = "acme_keep", .inputs = "x", .types = "float a: a -> (a, i64)", .onnx_domain = "com.acme", .onnx_name = "Keep", .onnx_since = 1,
         .infer = keep_infer, .measure = keep_measure, .kernel = keep},
    };
    if (host->version < NEREUS_PLUGIN_VERSION) return host->fail(host, "it needs a newer Nereus");
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; ++i)
        if (host->add(host, &ops[i]) != 0) return 1;
    return 0;
}
