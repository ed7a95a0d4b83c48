#include "base/resident.h"
#include "base/file.h"
#include <charconv>

namespace nereus {
Resident resident() {
    const Result<std::string> status = read_file("/proc/self/status");
    auto kilobytes = [&](std::string_view name) -> int64_t {
        const size_t at = status ? status->find(name) : std::string::npos;
        const size_t digits = at == std::string::npos ? at : status->find_first_of("0123456789", at);
        int64_t count = 0;
        if (digits != std::string::npos) std::from_chars(status->data() + digits, status->data() + status->size(), count);
        return count << 10;
    };
    return {kilobytes("VmRSS:"), kilobytes("VmHWM:")};
}
} // namespace nereus
