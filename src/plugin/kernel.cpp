// A launch of a kernel from outside: one task, with the extents of all buffers, one after the other, as its scalars.
#include "plugin/plugin.h"
#include <utility>

namespace nereus {
namespace {
constexpr std::string_view measure_prefix = "measure ";
constexpr size_t first_extent = 5;           // in Launch.p, of a kernel with one group: exe/launch_params.h

struct Running {
    int64_t* late;
    const Stop* stop;
    std::string error;
    bool failed;
};
Running& running(nereus_plugin_run* call) { return *static_cast<Running*>(call->self); }
void late(nereus_plugin_run* call, int32_t index, int64_t extent) {
    if (index >= 0 && index < 4 && running(call).late) running(call).late[index] = extent;
}
int32_t cancelled(nereus_plugin_run* call) { return running(call).stop && running(call).stop->asked() ? 1 : 0; }
nereus_plugin_result fail(nereus_plugin_run* call, const char* message) {
    running(call).error = message ? message : "";
    running(call).failed = true;
    return 1;
}

std::string& message() {
    thread_local std::string last;
    return last;
}
} // namespace

std::string plugin_kernel_name(const PluginOp& op, const PluginAttributes& attributes, std::span<const int32_t> ranks, bool measures) {
    std::string out = std::string(measures ? measure_prefix : "") + op.name + "(" + attributes_text(attributes) + ")[";
    for (size_t i = 0; i < ranks.size(); ++i) out += (i ? ", " : "") + std::to_string(ranks[i]);
    return out + "]";
}

Result<PluginKernel> plugin_kernel(std::string_view name, std::span<const DType> buffers, int64_t scalars) {
    const bool measures = name.starts_with(measure_prefix);
    if (measures) name.remove_prefix(measure_prefix.size());
    const Error corrupt{Code::corrupt, "a kernel from outside is called '" + std::string(name) + "'"};
    const size_t open = name.find('('), close = name.rfind(")[");
    if (open == name.npos || close == name.npos || close < open) return corrupt;
    Result<PluginAttributes> ranks = parse_attributes("ranks=" + std::string(name.substr(close + 1)));
    const std::vector<int64_t>* rank = ranks && ranks->size() == 1 ? std::get_if<std::vector<int64_t>>(&(*ranks)[0].value) : nullptr;
    if (!rank || rank->size() != buffers.size()) return corrupt;
    const PluginOp* op = find_plugin_op(name.substr(0, open));
    if (!op)
        return Error{Code::mismatch, "the program needs the operator '" + std::string(name.substr(0, open)) + "' from outside, which is not registered", {},
                     "load its plug-in first: --plugin FILE"};
    PluginAttributes attributes = TRY(parse_attributes(name.substr(open + 1, close - open - 1)));
    if (buffers.size() < op->inputs.size() || buffers.size() > most_plugin_inputs + most_plugin_outputs || (measures && !op->described.measure))
        return Error{Code::mismatch, "the program's operator '" + op->name + "' has other inputs than the one that is registered"};
    PluginKernel made{op, std::move(attributes), {}, measures};
    for (size_t i = 0; i < buffers.size(); ++i) {
        if ((*rank)[i] < 0 || (*rank)[i] > 64) return corrupt;
        made.buffers.push_back({buffers[i], int32_t((*rank)[i])});
        scalars -= (*rank)[i];
    }
    if (scalars != 0) return corrupt;
    return made;
}

std::string take_plugin_message() { return std::exchange(message(), {}); }

Status run_plugin(const PluginKernel& kernel, std::span<const nereus_plugin_tensor> inputs, std::span<const nereus_plugin_tensor> outputs,
                  int64_t* out_late, const Stop* stop) {
    Running state{out_late, stop, {}, false};
    nereus_plugin_run call{sizeof call, &state, attributes_view(kernel.attributes), int32_t(inputs.size()), int32_t(outputs.size()),
                           inputs.data(), outputs.data(), late, cancelled, fail};
    const nereus_plugin_op& functions = kernel.op->described;
    const nereus_plugin_result result = (kernel.measures ? functions.measure : functions.kernel)(&call, functions.user);
    if (cancelled(&call)) return Error{Code::cancelled, "the call was cancelled"};
    if (result == 0 && !state.failed) return {};
    return Error{Code::value, state.error.empty() ? "the operator failed and gave no reason" : state.error};
}

int32_t run_plugin_kernel(const Launch* launch, int64_t task_begin, int64_t task_end, Worker* worker) {
    if (task_begin >= task_end) return 0;
    const PluginKernel& kernel = *static_cast<const PluginKernel*>(launch->about);
    nereus_plugin_tensor tensors[most_plugin_inputs + most_plugin_outputs];
    const size_t count = kernel.buffers.size(), inputs = kernel.op->inputs.size();
    const int64_t* extents = launch->p + first_extent;
    for (size_t i = 0; i < count; ++i) {
        tensors[i] = {int32_t(kernel.buffers[i].dtype), kernel.buffers[i].rank, extents, launch->buf[i]};
        extents += kernel.buffers[i].rank;
    }
    const std::span all(tensors, count);
    Status done = run_plugin(kernel, all.first(inputs), all.subspan(inputs), launch->out, worker->stop);
    if (done) return int32_t(Fault::none);
    if (done.error().code == Code::cancelled) return int32_t(Fault::cancelled);
    message() = done.error().message;
    return int32_t(Fault::outside);
}
} // namespace nereus
