#include "base/mapped_file.h"
#include "base/file.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace nereus {
namespace {
// Which file, in which state.
using FileState = std::tuple<dev_t, ino_t, off_t, time_t, long, time_t, long>;
FileState state_of(const struct stat& s) {
    return {s.st_dev, s.st_ino, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec, s.st_ctim.tv_sec, s.st_ctim.tv_nsec};
}

// The mapped files of this process, as long as somebody uses them.
class OpenFiles {
 public:
    template <class Map> Result<std::shared_ptr<const MappedFile>> find_or(const FileState& state, const Map& map) {
        const std::lock_guard lock(mutex_);
        std::erase_if(files_, [](const auto& entry) { return entry.second.expired(); });
        if (auto it = files_.find(state); it != files_.end())
            if (std::shared_ptr<const MappedFile> open = it->second.lock()) return open;
        std::shared_ptr<const MappedFile> file = TRY(map());
        files_[state] = file;
        return file;
    }

 private:
    std::mutex mutex_;
    std::map<FileState, std::weak_ptr<const MappedFile>> files_;
};
OpenFiles& open_files() {
    static OpenFiles files;
    return files;
}

struct Descriptor {
    int fd;
    ~Descriptor() { if (fd >= 0) ::close(fd); }
};
} // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
    auto failed = [&path] { return Error{Code::io, "cannot read '" + path + "': " + std::strerror(errno)}; };
    std::shared_ptr<MappedFile> file = std::make_shared<MappedFile>();
    struct stat info;
    if (::stat(path.c_str(), &info) != 0) return failed();
    if (!S_ISREG(info.st_mode)) {
        file->read_ = TRY(read_file(path));
        return std::shared_ptr<const MappedFile>(std::move(file));
    }
    const Descriptor opened{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (opened.fd < 0 || ::fstat(opened.fd, &info) != 0) return failed();
    if (info.st_size == 0) return std::shared_ptr<const MappedFile>(std::move(file));      // of nothing, no page can be mapped
    return open_files().find_or(state_of(info), [&]() -> Result<std::shared_ptr<const MappedFile>> {
        void* pages = ::mmap(nullptr, size_t(info.st_size), PROT_READ, MAP_SHARED, opened.fd, 0);
        if (pages == MAP_FAILED) return failed();
        file->pages_ = static_cast<const char*>(pages);
        file->size_ = size_t(info.st_size);
        return std::shared_ptr<const MappedFile>(std::move(file));
    });
}

MappedFile::~MappedFile() {
    if (pages_) ::munmap(const_cast<char*>(pages_), size_);
}

void MappedFile::let_go(std::span<const std::byte> part) const {
    const uintptr_t page = uintptr_t(::sysconf(_SC_PAGESIZE)), begin = uintptr_t(pages_), first = uintptr_t(part.data());
    if (!pages_ || first < begin || first + part.size() > begin + size_) return;
    const uintptr_t from = (first + page - 1) / page * page, to = (first + part.size()) / page * page;       // whole pages
    if (from < to) ::madvise(const_cast<char*>(pages_) + (from - begin), to - from, MADV_DONTNEED);
}
} // namespace nereus
