// The layout: members, each with a local header; the directory, which repeats the headers and says where each member
// starts; a last record, which says where the directory is. A reader starts at the end. The local header is needed for its
// own length only: writers that stream leave its sizes out.
#include "value/zip.h"
#include <zlib.h>

namespace nereus {
namespace {
constexpr uint32_t local_mark = 0x04034b50, directory_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr size_t local_size = 30, directory_size = 46, end_size = 22, longest_comment = 0xffff;
constexpr uint64_t most_bytes = 0xffffffff;               // a field of this value means zip64
constexpr uint64_t deflate_ratio = 1032;                  // 258 bytes for two bits, at best

Error broken(std::string what) { return Error{Code::parse, "npz: " + std::move(what)}; }
Error unsupported(std::string what) { return Error{Code::unsupported, "npz: " + std::move(what)}; }

// Reads numbers of a file; whoever asks has checked that they are there.
uint64_t number(std::string_view file, size_t at, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= uint64_t(uint8_t(file[at + size_t(i)])) << (8 * i);
    return value;
}
void append(std::string& out, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += char(value >> (8 * i) & 0xff);
}
uint32_t checksum(std::string_view bytes) {
    return uint32_t(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

Result<std::string> inflated(std::string_view packed, size_t size, const std::string& name) {
    if (size / deflate_ratio > packed.size()) return broken("'" + name + "' cannot be as large as it says");
    std::string out(size + 1, '\0');                       // one more: it must not be needed
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return Error{Code::memory, "npz: no memory to inflate '" + name + "'"};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = uInt(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = uInt(out.size());
    const int end = inflate(&stream, Z_FINISH);
    const size_t made = stream.total_out;
    const bool rest = stream.avail_in > 0;
    inflateEnd(&stream);
    if (end != Z_STREAM_END || made != size || rest) return broken("the deflated data of '" + name + "' is damaged");
    out.resize(size);
    return out;
}

// Where the last record starts. It may be followed by a comment, whose length it gives.
Result<size_t> find_end(std::string_view file) {
    for (size_t back = end_size; back <= file.size() && back <= end_size + longest_comment; ++back) {
        const size_t at = file.size() - back;
        if (number(file, at, 4) == end_mark && number(file, at + 20, 2) == back - end_size) return at;
    }
    return broken("not a zip file: its last record is missing");
}

// One member from its entry in the directory, which is whole.
Result<ZipMember> member(std::string_view file, size_t entry, std::string name) {
    const uint64_t flags = number(file, entry + 8, 2), method = number(file, entry + 10, 2), sum = number(file, entry + 16, 4);
    const uint64_t packed = number(file, entry + 20, 4), size = number(file, entry + 24, 4), start = number(file, entry + 42, 4);
    if (flags & 1) return unsupported("'" + name + "' is encrypted");
    if (packed == most_bytes || size == most_bytes || start == most_bytes) return unsupported("zip64, as for 4 GiB and more, cannot be read");
    if (method != 0 && method != 8)
        return unsupported("'" + name + "' is packed by method " + std::to_string(method) + "; numpy.savez and numpy.savez_compressed write what can be read");
    if (start + local_size > file.size() || number(file, start, 4) != local_mark) return broken("'" + name + "' is not where the directory says");
    const uint64_t data = start + local_size + number(file, start + 26, 2) + number(file, start + 28, 2);
    if (data > file.size() || packed > file.size() - data) return broken("the file ends inside '" + name + "'");
    std::string_view bytes = file.substr(data, packed);
    if (method == 0 && packed != size) return broken("'" + name + "' is stored with two sizes");
    std::string content = method == 0 ? std::string(bytes) : TRY(inflated(bytes, size, name));
    if (checksum(content) != sum) return broken("the checksum of '" + name + "' is wrong");
    return ZipMember{std::move(name), std::move(content)};
}
} // namespace

Result<std::vector<ZipMember>> parse_zip(std::string_view file) {
    const size_t end = TRY(find_end(file));
    const uint64_t count = number(file, end + 10, 2), size = number(file, end + 12, 4), start = number(file, end + 16, 4);
    if (number(file, end + 4, 4) != 0 || number(file, end + 8, 2) != count) return unsupported("an archive in several parts");
    if (count == 0xffff || start == most_bytes) return unsupported("zip64, as for 4 GiB and more, cannot be read");
    if (start > end || size > end - start) return broken("the directory is not where the last record says");
    std::vector<ZipMember> members;
    uint64_t packed = 0;
    for (size_t at = start; members.size() < count;) {
        if (end - at < directory_size || number(file, at, 4) != directory_mark) return broken("the directory is damaged");
        const size_t name = number(file, at + 28, 2), extra = number(file, at + 30, 2), comment = number(file, at + 32, 2);
        if (end - at - directory_size < name + extra + comment) return broken("the directory is damaged");
        // members that lie over each other could name the same bytes again and again
        packed += number(file, at + 20, 4);
        if (packed > file.size()) return broken("the members are larger than the file");
        members.push_back(TRY(member(file, at, std::string(file.substr(at + directory_size, name)))));
        at += directory_size + name + extra + comment;
    }
    return members;
}

Result<std::string> to_zip(const std::vector<ZipMember>& members) {
    std::string file, directory;
    if (members.size() >= 0xffff) return Error{Code::limit, "npz: more than 65534 arrays"};
    for (const ZipMember& m : members) {
        if (m.name.size() > 0xffff) return Error{Code::limit, "npz: a path of more than 65535 bytes", {}, "a Seq has shorter paths than a List"};
        if (file.size() + directory.size() + m.bytes.size() + 2 * m.name.size() + local_size + directory_size + end_size >= most_bytes)
            return Error{Code::limit, "npz: the file would have 4 GiB or more"};
        std::string shared;                                // what both headers have
        append(shared, 20, 2), append(shared, 0x800, 2);   // version 2.0; names are UTF-8
        append(shared, 0, 2), append(shared, 0, 2), append(shared, 0x21, 2);             // stored; 1980-01-01 00:00
        append(shared, checksum(m.bytes), 4);
        append(shared, m.bytes.size(), 4), append(shared, m.bytes.size(), 4);
        append(shared, m.name.size(), 2), append(shared, 0, 2);
        append(directory, directory_mark, 4), append(directory, 20, 2);
        directory += shared;
        append(directory, 0, 2), append(directory, 0, 2), append(directory, 0, 2), append(directory, 0, 4);
        append(directory, file.size(), 4);
        directory += m.name;
        append(file, local_mark, 4);
        file += shared, file += m.name, file += m.bytes;
    }
    const uint64_t start = file.size();
    file += directory;
    append(file, end_mark, 4), append(file, 0, 4);
    append(file, members.size(), 2), append(file, members.size(), 2);
    append(file, directory.size(), 4), append(file, start, 4), append(file, 0, 2);
    return file;
}
} // namespace nereus
