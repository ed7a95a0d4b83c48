// base/mapped_file.h - the bytes of a file, read-only and without reading it first: a page comes when it is touched, and
// every process that maps the file shares it. Whoever shortens the file meanwhile ends this process (SIGBUS).
#pragma once
#include "base/result.h"
#include <memory>
#include <string>
#include <string_view>

namespace nereus {
class MappedFile {
 public:
    static Result<std::unique_ptr<const MappedFile>> open(const std::string& path);    // no regular file, as a pipe: is read
    MappedFile() = default;
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();
    std::string_view bytes() const { return pages_ ? std::string_view(pages_, size_) : std::string_view(read_); }

 private:
    const char* pages_ = nullptr;
    size_t size_ = 0;
    std::string read_;
};
} // namespace nereus
