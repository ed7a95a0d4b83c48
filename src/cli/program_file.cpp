#include "cli/program_file.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace nereus {
namespace {
// No program begins with a control character, which is what a message of ONNX begins with.
bool begins_a_model(int first) { return first >= 0 && first < 0x20 && !(first >= '\t' && first <= '\r'); }

Error cannot_read(const std::string& name) {
    return Error{Code::io, "cannot read '" + name + "': " + std::strerror(errno)};
}

// All that it gives, in memory that is a file: a model is mapped, and may be read again.
Result<ProgramFile> of_stream(const std::string& name) {
    constexpr int64_t most = int64_t(1) << 30;           // streams need not end
    const int from = name == "-" ? STDIN_FILENO : ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (from < 0) return cannot_read(name);
    const int to = ::memfd_create("program", 0);         // stays open: its path is handed on
    if (to < 0) return cannot_read(name);
    ProgramFile file{"/proc/self/fd/" + std::to_string(to)};
    char buffer[1 << 16];
    int64_t size = 0;
    for (ssize_t read = 0; (read = ::read(from, buffer, sizeof buffer)) != 0; size += std::max<ssize_t>(read, 0)) {
        if (read < 0 && errno == EINTR) continue;
        if (read > 0 && size == 0) file.is_model = begins_a_model(static_cast<unsigned char>(buffer[0]));
        if (read > 0 && size == 0 && buffer[0] == 0)
            return Error{Code::parse, "'" + name + "' is neither a program nor a model: it begins with a zero byte"};
        if (size + read > most) errno = EFBIG, read = -1;
        for (ssize_t done = 0; done < read;) {
            const ssize_t written = ::write(to, buffer + done, size_t(read - done));
            if (written <= 0) return cannot_read(name);
            done += written;
        }
        if (read < 0) return cannot_read(name);
    }
    if (name != "-") ::close(from);
    return file;
}

Result<ProgramFile> of_file(const std::string& name) {
    return ProgramFile{name, name.ends_with(".onnx") || begins_a_model(std::ifstream(name).peek())};
}
} // namespace

Result<ProgramFile> program_file(const std::string& name) {
    static std::map<std::string, ProgramFile>
        streams;   // a stream can be read but once, and commands look at a program again
    if (auto known = streams.find(name); known != streams.end()) return known->second;
    std::error_code failed;
    if (name != "-" && (!std::filesystem::exists(name, failed) || std::filesystem::is_regular_file(name, failed) ||
                        std::filesystem::is_directory(name, failed)))
        return of_file(name);
    return streams[name] = TRY(of_stream(name));
}

bool is_model(const std::string& name) {
    const Result<ProgramFile> file = program_file(name);
    return file && file->is_model;
}
} // namespace nereus
