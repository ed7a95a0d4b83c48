#include "ops/library_call.h"

namespace nereus {
uint32_t LibraryCall::group(std::string name, loop::Role role, std::vector<Dim> extents) {
    spec_.groups.push_back({std::move(extents), {}});
    spec_.kernel.groups.push_back({std::move(name), role, false});
    return uint32_t(spec_.groups.size() - 1);
}

void LibraryCall::buffer(std::string name, ValueId value, bool out, std::vector<Along> along) {
    uint32_t index = uint32_t(spec_.buffers.size());
    loop::Access access{loop::BufferId(index), {}, {}};
    for (Along& a : along) {
        access.groups.push_back(loop::GroupId(a.group));
        spec_.groups[a.group].strides.emplace_back(index, std::move(a.strides));
    }
    spec_.kernel.buffers.push_back({std::move(name), op_.dtype(value), out});
    spec_.kernel.accesses.push_back(std::move(access));
    spec_.buffers.push_back(value);
}

void LibraryCall::scalar(std::string name, Dim dim) {
    spec_.scalars.push_back({dim, {}});
    spec_.kernel.scalars.push_back({std::move(name), DType::i64});
}
} // namespace nereus
