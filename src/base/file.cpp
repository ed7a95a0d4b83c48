#include "base/file.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nereus {
namespace {
Error io_error(std::string_view verb, const std::string& path) {
    return Error{Code::io, "cannot " + std::string(verb) + " '" + path + "': " + std::strerror(errno)};
}
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
    }
}

Status write_file(const std::string& path, std::span<const std::byte> bytes) {
    std::string beside = path + ".part" + std::to_string(::getpid());
    Descriptor file{::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    if (file.fd < 0) return io_error("write", path);
    for (size_t done = 0; done < bytes.size();) {
        ssize_t n = ::write(file.fd, bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            Error error = io_error("write", path);
            ::unlink(beside.c_str());
            return error;
        }
        done += size_t(n);
    }
    if (::rename(beside.c_str(), path.c_str()) != 0) {
        Error error = io_error("write", path);
        ::unlink(beside.c_str());
        return error;
    }
    return {};
}

Status write_file(const std::string& path, std::string_view text) {
    return write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}
} // namespace nereus
