#include "base/mapped_file.h"
#include "base/file.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nereus {
Result<std::unique_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
    auto failed = [&path] { return Error{Code::io, "cannot read '" + path + "': " + std::strerror(errno)}; };
    std::unique_ptr<MappedFile> file = std::make_unique<MappedFile>();
    struct stat info;
    if (::stat(path.c_str(), &info) != 0) return failed();
    if (!S_ISREG(info.st_mode)) {
        file->read_ = TRY(read_file(path));
        return std::unique_ptr<const MappedFile>(std::move(file));
    }
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return failed();
    void* pages = MAP_FAILED;
    const bool known = ::fstat(fd, &info) == 0;
    if (known && info.st_size > 0) pages = ::mmap(nullptr, size_t(info.st_size), PROT_READ, MAP_SHARED, fd, 0);
    const bool mapped = known && (info.st_size == 0 || pages != MAP_FAILED);       // of nothing, no page can be mapped
    const Error error = mapped ? Error{} : failed();                               // before close() changes errno
    ::close(fd);
    if (!mapped) return error;
    if (pages != MAP_FAILED) {
        file->pages_ = static_cast<const char*>(pages);
        file->size_ = size_t(info.st_size);
    }
    return std::unique_ptr<const MappedFile>(std::move(file));
}

MappedFile::~MappedFile() {
    if (pages_) ::munmap(const_cast<char*>(pages_), size_);
}
} // namespace nereus
