#include "loop/loop.h"
#include <algorithm>

namespace nereus::loop {
bool reads_where_it_writes(const Function& kernel, BufferId in, BufferId out) {
    const Store* only = kernel.body.size() == 1 ? std::get_if<Store>(&kernel.body[0]) : nullptr;
    if (!only || kernel.access(only->out).buffer != out || !kernel.access(only->out).at.empty()) return false;
    if (size_of(kernel.buffers[in.index].dtype) != size_of(kernel.buffers[out.index].dtype)) return false;
    const std::vector<GroupId>& written = kernel.access(only->out).groups;
    if (written.size() != kernel.groups.size()) return false;            // else a point is written several times
    return std::all_of(kernel.accesses.begin(), kernel.accesses.end(), [&](const Access& access) {
        return access.buffer != in || (access.at.empty() && access.groups == written);
    });
}
} // namespace nereus::loop
