#include "api/executable.h"
#include "api/bytes.h"
#include "api/guard.h"
#include "exe/artefact.h"
#include "library/library.h"

namespace nereus::api {
namespace {
Result<std::unique_ptr<nereus_executable>> handle_of(Result<Executable> exe) {
    return std::make_unique<nereus_executable>(TRY(LoadedExecutable::load(TRY(std::move(exe)), library())));
}
} // namespace
} // namespace nereus::api

using namespace nereus;
using namespace nereus::api;

extern "C" {
nereus_status* nereus_executable_load_bytes(const void* data, size_t size, nereus_executable** out_executable) {
    return at_the_edge([&]() -> Status {
        TRY(given(data, "data"));
        TRY(given(out_executable, "out_executable"));
        *out_executable = TRY(handle_of(load({static_cast<const std::byte*>(data), size}))).release();
        return {};
    });
}
nereus_status* nereus_executable_load_parts(const void* data, size_t size, const nereus_constant* constants, size_t count,
                                            nereus_executable** out_executable) {
    return at_the_edge([&]() -> Status {
        TRY(given(data, "data"));
        TRY(given(out_executable, "out_executable"));
        if (count > 0) TRY(given(constants, "constants"));
        auto taken = std::make_shared<bool>(false);      // the caller's until nothing can fail any more
        std::vector<HeldBytes> weights;
        for (const nereus_constant& each : std::span(constants, count)) {
            if (each.bytes > 0) TRY(given(each.data, "the data of a constant"));
            auto let_go = [taken, each](const std::byte*) { if (*taken && each.release) each.release(each.user); };
            weights.emplace_back(std::shared_ptr<const std::byte>(static_cast<const std::byte*>(each.data), let_go), each.bytes);
        }
        std::unique_ptr<nereus_executable> made = TRY(handle_of(load_with_weights({static_cast<const std::byte*>(data), size}, std::move(weights))));
        *taken = true;
        *out_executable = made.release();
        return {};
    });
}
nereus_status* nereus_executable_load(const char* path, nereus_executable** out_executable) {
    return at_the_edge([&]() -> Status {
        TRY(given(path, "path"));
        TRY(given(out_executable, "out_executable"));
        Result<std::unique_ptr<nereus_executable>> loaded = handle_of(load_file(path));
        if (!loaded) {
            Error error = std::move(loaded).error();
            if (error.code != Code::io) error.message = std::string(path) + ": " + error.message;
            return error;
        }
        *out_executable = loaded->release();
        return {};
    });
}
nereus_status* nereus_executable_save(const nereus_executable* executable, const char* path) {
    return at_the_edge([&]() -> Status {
        TRY(given(executable, "executable"));
        TRY(given(path, "path"));
        return save_file(executable->exe(), path);
    });
}
nereus_status* nereus_executable_to_bytes(const nereus_executable* executable, nereus_bytes** out_bytes) {
    return at_the_edge([&]() -> Status {
        TRY(given(executable, "executable"));
        TRY(given(out_bytes, "out_bytes"));
        std::vector<std::byte> bytes = TRY(save(executable->exe()));
        *out_bytes = hand_out(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
        return {};
    });
}
nereus_executable* nereus_executable_retain(const nereus_executable* executable) {
    if (executable) executable->owners.fetch_add(1, std::memory_order_relaxed);
    return const_cast<nereus_executable*>(executable);
}
void nereus_executable_release(nereus_executable* executable) {
    if (executable && executable->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) std::unique_ptr<nereus_executable> last(executable);
}

size_t nereus_executable_entry_count(const nereus_executable* executable) { return executable ? executable->signatures.size() : 0; }
nereus_status* nereus_executable_entry(const nereus_executable* executable, size_t index, const nereus_entry** out_entry) {
    return at_the_edge([&]() -> Status {
        TRY(given(executable, "executable"));
        TRY(given(out_entry, "out_entry"));
        const size_t count = executable->signatures.size();
        if (index >= count) return Error{Code::usage, "entry point " + std::to_string(index) + " of an executable that has " + std::to_string(count)};
        *out_entry = executable->signatures.entry(index);
        return {};
    });
}
nereus_status* nereus_executable_read_facts(const nereus_executable* executable, nereus_executable_facts* out_facts) {
    return at_the_edge([&]() -> Status {
        TRY(given(executable, "executable"));
        const Executable& exe = executable->exe();
        nereus_executable_facts facts{};
        facts.target = exe.target.c_str();
        facts.kernels = int64_t(exe.kernels.size()), facts.launches = int64_t(exe.launches.size());
        facts.regions = int64_t(exe.regions.size()), facts.instructions = int64_t(exe.code.size());
        facts.code_bytes = int64_t(exe.blob.size());
        for (const HeldBytes& weight : exe.weights) facts.constant_bytes += int64_t(weight.size());
        return give_struct(facts, out_facts, "out_facts");
    });
}
} // extern "C"
