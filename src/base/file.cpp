#include "base/file.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace nereus {
namespace {
Error io_error(std::string_view verb, const std::string& path) {
    return Error{Code::io, "cannot " + std::string(verb) + " '" + path + "': " + std::strerror(errno)};
}
constexpr size_t most_of_a_stream = size_t(1) << 30;     // devices and pipes need not end
struct Descriptor {
    int fd;
    ~Descriptor() { if (fd >= 0) ::close(fd); }
};
} // namespace

Result<std::string> read_file(const std::string& path) {
    Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.fd < 0) return io_error("read", path);
    struct stat info;
    if (::fstat(file.fd, &info) != 0) return io_error("read", path);
    if (S_ISDIR(info.st_mode)) { errno = EISDIR; return io_error("read", path); }
    std::string text;
    text.reserve(size_t(info.st_size));
    char buffer[1 << 16];
    for (;;) {
        ssize_t n = ::read(file.fd, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return io_error("read", path);
        if (n == 0) return text;
        text.append(buffer, size_t(n));
        if (!S_ISREG(info.st_mode) && text.size() > most_of_a_stream) { errno = EFBIG; return io_error("read", path); }
    }
}

namespace {
bool write_all(int fd, std::span<const std::byte> bytes) {
    for (size_t done = 0; done < bytes.size();) {
        ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) done += size_t(n);
    }
    return true;
}
} // namespace

Status write_file(const std::string& path, std::span<const std::span<const std::byte>> pieces) {
    auto write_pieces = [&](int fd) { return std::ranges::all_of(pieces, [fd](auto piece) { return write_all(fd, piece); }); };
    struct stat info;
    const bool exists = ::stat(path.c_str(), &info) == 0;
    if (exists && !S_ISREG(info.st_mode)) {
        Descriptor file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
        if (file.fd < 0 || !write_pieces(file.fd)) return io_error("write", path);
        return {};
    }
    static std::atomic<uint64_t> written;                // threads may write a file at the same time: each has one of its own beside it
    std::error_code failed;
    const std::filesystem::path real = exists ? std::filesystem::canonical(path, failed) : std::filesystem::path(path);
    const std::string target = failed ? path : real.string();
    const std::string beside = target + ".part" + std::to_string(::getpid()) + "." + std::to_string(written++);
    Descriptor file{::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    if (file.fd < 0) return io_error("write", path);
    if (!write_pieces(file.fd) || ::rename(beside.c_str(), target.c_str()) != 0) {
        Error error = io_error("write", path);
        ::unlink(beside.c_str());
        return error;
    }
    return {};
}

Status write_file(const std::string& path, std::span<const std::byte> bytes) {
    return write_file(path, std::span<const std::span<const std::byte>>(&bytes, 1));
}
Status write_file(const std::string& path, std::string_view text) {
    return write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}
bool same_file(const std::string& a, const std::string& b) {
    std::error_code failed;
    return std::filesystem::equivalent(a, b, failed) && !failed;
}
} // namespace nereus
