#include "api/size_binding.h"
#include "api/type_text.h"
#include "exe/artefact.h"
#include "library/library.h"
#include "vm/loaded.h"
#include "api/translate.h"
#include "nereus/executable.h"

namespace nereus::v1 {
using Program = std::shared_ptr<const LoadedExecutable>;

static nereus::Result<Program> program_of(nereus::Result<nereus::Executable> exe) {
    return LoadedExecutable::load(TRY(std::move(exe)), library());
}

Result<Executable> Executable::from_bytes(std::span<const std::byte> bytes) {
    return api::guarded<Executable>(
        [&]() -> nereus::Result<Executable> { return Executable(TRY(program_of(nereus::load(bytes)))); });
}
Result<Executable> Executable::from_parts(std::span<const std::byte> bytes, std::span<const Constant> constants) {
    return api::guarded<Executable>([&]() -> nereus::Result<Executable> {
        std::vector<HeldBytes> weights;
        for (const Constant& constant : constants) weights.emplace_back(std::shared_ptr<const std::byte>(constant.owner, constant.bytes.data()), constant.bytes.size());
        return Executable(TRY(program_of(load_with_weights(bytes, std::move(weights)))));
    });
}
Result<Executable> Executable::load(const std::string& path) {
    return api::guarded<Executable>([&]() -> nereus::Result<Executable> {
        nereus::Result<Program> program = program_of(load_file(path));
        if (program) return Executable(std::move(*program));
        nereus::Error error = std::move(program).error();
        if (error.code != nereus::Code::io) error.message = path + ": " + error.message;
        return error;
    });
}

Result<std::vector<std::byte>> Executable::to_bytes() const {
    return api::guarded<std::vector<std::byte>>([&] { return nereus::save(program_->exe()); });
}
Status Executable::save(const std::string& path) const {
    return api::guarded<void>([&] { return save_file(program_->exe(), path); });
}

std::vector<Signature> Executable::entries() const {
    const nereus::Executable& exe = program_->exe();
    std::vector<Signature> out;
    for (const EntryInfo& entry : exe.entries) {
        Signature signature{
            entry.name, {}, api::type_text(exe, entry, entry.result_type), api::symbols_of(entry)};
        for (const DoorParam& param : entry.params)
            signature.parameters.push_back({param.name, api::type_text(exe, entry, param.type)});
        out.push_back(std::move(signature));
    }
    return out;
}
std::string_view Executable::target() const { return program_->exe().target; }
ExecutableCounts Executable::counts() const {
    const nereus::Executable& exe = program_->exe();
    int64_t weights = 0;
    for (const HeldBytes& weight : exe.weights) weights += int64_t(weight.size());
    return {int64_t(exe.kernels.size()), int64_t(exe.launches.size()), int64_t(exe.regions.size()),
            int64_t(exe.code.size()), int64_t(exe.blob.size()), weights};
}
} // namespace nereus::v1
