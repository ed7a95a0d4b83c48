#include "value/inside_folder.h"
#include <algorithm>
#include <filesystem>

namespace nereus {
Result<std::string> inside_folder(const std::string& folder, std::string_view path) {
    namespace fs = std::filesystem;
    auto refuse = [path](Code code, std::string_view why, std::string_view hint = {}) {
        return Error{code, "'" + std::string(path) + "' " + std::string(why), {}, std::string(hint)};
    };
    fs::path relative(path);
    if (path.empty() || path.find('\0') != path.npos) return refuse(Code::value, "is not a file name");
    if (relative.is_absolute()) return refuse(Code::value, "is absolute; a file is named relative to the one that names it");
    if (std::find(relative.begin(), relative.end(), "..") != relative.end())
        return refuse(Code::value, "has '..' in it; a file lies beside the one that names it, or below");
    std::error_code failed;
    fs::path home = fs::canonical(folder.empty() ? "." : folder, failed);
    if (failed) return Error{Code::io, "cannot read '" + folder + "': " + failed.message()};
    fs::path file = fs::canonical(home / relative, failed);
    if (failed) return refuse(Code::io, "cannot be read: " + failed.message());
    if (std::mismatch(home.begin(), home.end(), file.begin(), file.end()).first != home.end())
        return refuse(Code::value, "is a link to outside the folder of the file that names it", "copy the file itself there, as cp -L does");
    if (!fs::is_regular_file(file, failed)) return refuse(Code::io, "is not a regular file");
    return file.string();
}
} // namespace nereus
