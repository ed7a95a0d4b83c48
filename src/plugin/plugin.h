// plugin/plugin.h - the operators that were registered from outside. They stay until the process ends, so pointers to them
// may be kept; any thread may add and look up.
#pragma once
#include "plugin/attributes.h"
#include "tensor/dtype.h"
#include "tensor/kernel.h"
#include <optional>
#include <span>

namespace nereus {
inline constexpr size_t most_plugin_inputs = 12, most_plugin_outputs = 4;
struct PluginInput {
    std::string name;
    std::optional<std::string> otherwise;    // in models it is an attribute; the number when that is left out
};
struct PluginOp {
    std::string name, doc, types;
    std::vector<PluginInput> inputs;
    PluginAttributes attributes;             // with the values that hold when they are left out
    std::string onnx_domain, onnx_name;      // name empty: in no model
    int32_t onnx_since = 1;
    size_t outputs = 1;                      // as its types say
    nereus_plugin_op described;              // as it came; its texts are those of `texts`
    std::vector<std::string> texts;
};
// Refused: what is missing, does not read, or has a name that is taken.
Status add_plugin_op(const nereus_plugin_op& op);
std::vector<const PluginOp*> plugin_ops();               // in the order in which they came
const PluginOp* find_plugin_op(std::string_view name);   // null: there is none
// Loads a shared library and has it register its operators; once, however often it is asked for.
Status load_plugin(const std::string& path);

// What `Launch.about` points at in a launch of such an operator's kernel.
struct PluginKernel {
    const PluginOp* op;
    PluginAttributes attributes;
    struct Buffer { DType dtype; int32_t rank; };
    std::vector<Buffer> buffers;             // inputs, then outputs; none of these in one that measures
    bool measures;
};
// A kernel of an executable by its name there: acme_shift(axis=1)[2, 2], with the ranks of its buffers, or with measure before
// it. An operator that is not registered is a mismatch.
std::string plugin_kernel_name(const PluginOp& op, const PluginAttributes& attributes, std::span<const int32_t> ranks, bool measures);
Result<PluginKernel> plugin_kernel(std::string_view name, std::span<const DType> buffers, int64_t scalars);
int32_t run_plugin_kernel(const Launch* launch, int64_t task_begin, int64_t task_end, Worker* worker);       // a Kernel
// What the last kernel that failed on this thread said.
std::string take_plugin_message();

// Calls `kernel`, or `measure` when there are no outputs; out_late has room for four.
Status run_plugin(const PluginKernel& kernel, std::span<const nereus_plugin_tensor> inputs, std::span<const nereus_plugin_tensor> outputs,
                  int64_t* out_late, const Stop* stop);
} // namespace nereus
