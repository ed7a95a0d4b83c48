// base/mapped_file.h - the bytes of a file, read-only and without reading it first: a page comes when it is touched, and
// every process that maps the file shares it. Whoever shortens the file meanwhile ends this process (SIGBUS), whoever writes
// into it changes what is seen; to replace a file by another of its name, as write_file() does, harms nobody.
#pragma once
#include "base/held_bytes.h"
#include "base/result.h"
#include <string>
#include <string_view>

namespace nereus {
class MappedFile {
 public:
    // A file that this process has mapped already, and that has not changed since, is the same one: its memory counts once.
    // No regular file, as a pipe: is read.
    static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
    MappedFile() = default;
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();
    std::string_view bytes() const { return pages_ ? std::string_view(pages_, size_) : std::string_view(read_); }
    // What was read of these bytes need not stay in memory: they come again when somebody touches them.
    void let_go(std::span<const std::byte> part) const;

 private:
    const char* pages_ = nullptr;
    size_t size_ = 0;
    std::string read_;
};
} // namespace nereus
