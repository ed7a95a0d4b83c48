#include "api/size_binding.h"
#include "api/type_text.h"
#include "base/file.h"
#include "exe/artefact.h"
#include "library/library.h"
#include "vm/loaded.h"
#include "api/translate.h"
#include "nereus/executable.h"

namespace nereus::v1 {
using Program = std::shared_ptr<const LoadedExecutable>;

static nereus::Result<Program> program_from(std::span<const std::byte> bytes) {
    return LoadedExecutable::load(TRY(nereus::load(bytes)), library());
}

Result<Executable> Executable::from_bytes(std::span<const std::byte> bytes) {
    return api::guarded<Executable>(
        [&]() -> nereus::Result<Executable> { return Executable(TRY(program_from(bytes))); });
}
Result<Executable> Executable::load(const std::string& path) {
    return api::guarded<Executable>([&]() -> nereus::Result<Executable> {
        std::string bytes = TRY(read_file(path));
        nereus::Result<Program> program = program_from(std::as_bytes(std::span(bytes)));
        if (program) return Executable(std::move(*program));
        nereus::Error error = std::move(program).error();
        error.message = path + ": " + error.message;
        return error;
    });
}

Result<std::vector<std::byte>> Executable::to_bytes() const {
    return api::guarded<std::vector<std::byte>>([&] { return nereus::save(program_->exe()); });
}
Status Executable::save(const std::string& path) const {
    return api::guarded<void>([&]() -> nereus::Status {
        std::vector<std::byte> bytes = TRY(nereus::save(program_->exe()));
        return write_file(path, std::span<const std::byte>(bytes));
    });
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
    return {int64_t(exe.kernels.size()), int64_t(exe.launches.size()), int64_t(exe.regions.size()),
            int64_t(exe.code.size()), int64_t(exe.blob.size()), int64_t(exe.weights.size())};
}
} // namespace nereus::v1
