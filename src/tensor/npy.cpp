// The layout: "\x93NUMPY", major, minor, header length (2 bytes in version 1, then 4), a header written as
// a Python dict {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } padded with spaces, and the
// elements.
#include "tensor/npy.h"
#include "base/file.h"
#include "tensor/npy_texts.h"
#include "tensor/text_tensor.h"
#include <bit>
#include <charconv>
#include <cstring>
#include <numeric>
#include <optional>

namespace nereus {
static_assert(std::endian::native == std::endian::little, "elements are copied as they lie in the file");
namespace {
constexpr std::string_view magic("\x93NUMPY", 6);

Error broken(std::string what) { return Error{Code::parse, "npy: " + std::move(what)}; }

struct Header { DType dtype; bool fortran; Extents shape; int64_t width; };      // width: of texts, in characters

// Reads the dict, in as much of Python's grammar as NumPy writes.
class HeaderReader {
 public:
    explicit HeaderReader(std::string_view text) : text_(text) {}

    Result<Header> read() {
        std::optional<DType> dtype;
        std::optional<bool> fortran;
        std::optional<Extents> shape;
        TRY(expect('{'));
        while (!accept('}')) {
            std::string_view key = TRY(quoted());
            TRY(expect(':'));
            if (key == "descr" && !dtype) dtype = TRY(descr());
            else if (key == "fortran_order" && !fortran) fortran = TRY(boolean());
            else if (key == "shape" && !shape) shape = TRY(extents());
            else return broken("unknown or repeated header key '" + std::string(key) + "'");
            if (!accept(',') && !at('}')) return unexpected("',' or '}'");
        }
        skip_space();
        if (position_ != text_.size()) return unexpected("the end of the header");
        if (!dtype) return broken("the header has no 'descr'");
        if (!fortran) return broken("the header has no 'fortran_order'");
        if (!shape) return broken("the header has no 'shape'");
        return Header{*dtype, *fortran, std::move(*shape), width_};
    }

 private:
    Result<DType> descr() {
        if (at('[')) return codes();
        std::string_view name = TRY(quoted());
        for (const DTypeRow& row : dtype_rows)
            if (name == row.npy && row.kind != DTypeKind::storage && row.kind != DTypeKind::text) return row.dtype;
        if (name.starts_with("<U")) {
            const char* end = name.data() + name.size();
            const std::from_chars_result r = std::from_chars(name.data() + 2, end, width_);
            if (r.ec == std::errc() && r.ptr == end && width_ >= 0 && width_ <= INT32_MAX) return DType::str;
        }
        if (name == "|V2") return DType::bf16;           // NumPy forgets what the two bytes were, and writes them so
        std::string why = !name.empty() && name[0] == '>' ? " is big-endian" : "";
        Error error{Code::unsupported, "npy: dtype '" + std::string(name) + "'" + why +
                                           "; expected |b1, |i1, <i2, <i4, <i8, |u1, <u2, <u4, <u8, <f2, <f4, <f8, <U and a length, or <V2 for bf16"};
        if (name == "<V1" || name == "|V1" || name == "<f1")
            error.hint = "bytes alone do not tell their dtype: save `x.view('u1').view([('f8e4m3fn', 'u1')])`";
        if (name == "|O") error.hint = "texts are saved as an array of their own type: `x.astype(str)`";
        return error;
    }

    // [('f8e4m3fn', '|u1')]
    Result<DType> codes() {
        TRY(expect('['));
        TRY(expect('('));
        const std::optional<DType> dtype = dtype_from_name(TRY(quoted()));
        TRY(expect(','));
        const bool is_byte = at('\'') && TRY(quoted()) == "|u1";
        if (!dtype || !is_storage(*dtype) || !is_byte || !accept(')') || !accept(']'))
            return Error{Code::unsupported, "npy: of structured dtypes only codes can be read, as in [('f8e4m3fn', '|u1')]"};
        return *dtype;
    }

    Result<bool> boolean() {
        skip_space();
        for (bool value : {false, true}) {
            std::string_view word = value ? "True" : "False";
            if (!text_.substr(position_).starts_with(word)) continue;
            position_ += word.size();
            return value;
        }
        return unexpected("True or False");
    }

    Result<Extents> extents() {
        Extents shape;
        TRY(expect('('));
        while (!accept(')')) {
            if (shape.size() == max_rank)
                return Error{Code::limit, "npy: rank is over the limit of " + std::to_string(max_rank)};
            skip_space();
            int64_t extent = 0;
            const char* end = text_.data() + text_.size();
            std::from_chars_result r = std::from_chars(text_.data() + position_, end, extent);
            if (r.ec != std::errc() || extent < 0) return unexpected("an extent");
            position_ = size_t(r.ptr - text_.data());
            shape.push_back(extent);
            if (!accept(',') && !at(')')) return unexpected("',' or ')'");
        }
        return shape;
    }

    Result<std::string_view> quoted() {
        char quote = at('"') ? '"' : '\'';
        TRY(expect(quote));
        size_t end = text_.find(quote, position_);
        if (end == std::string_view::npos) return broken("the header ends inside a string");
        std::string_view word = text_.substr(position_, end - position_);
        if (word.find_first_of("\\\n") != word.npos) return broken("the header has an escape in a string");
        position_ = end + 1;
        return word;
    }

    void skip_space() { while (position_ < text_.size() && is_space(text_[position_])) ++position_; }
    static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
    bool at(char c) { skip_space(); return position_ < text_.size() && text_[position_] == c; }
    bool accept(char c) {
        if (!at(c)) return false;
        ++position_;
        return true;
    }
    Status expect(char c) {
        if (accept(c)) return {};
        return unexpected(std::string("'") + c + "'");
    }
    Error unexpected(const std::string& wanted) const {
        return broken("expected " + wanted + " at byte " + std::to_string(position_) + " of the header");
    }

    std::string_view text_;
    size_t position_ = 0;
    int64_t width_ = 0;
};

// Scatters elements stored first axis fastest to where row-major order wants them.
void from_fortran(const char* source, std::byte* target, const Extents& shape, int64_t count, size_t size) {
    std::vector<int64_t> stride(shape.size(), 1), index(shape.size(), 0);
    for (size_t axis = shape.size(); axis-- > 1;) stride[axis - 1] = stride[axis] * shape[axis];
    int64_t at = 0;
    for (int64_t i = 0; i < count; ++i) {
        std::memcpy(target + size_t(at) * size, source + size_t(i) * size, size);
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            at += stride[axis];
            if (++index[axis] < shape[axis]) break;
            at -= stride[axis] * shape[axis];
            index[axis] = 0;
        }
    }
}

Result<HostTensor> texts_in(std::string_view data, const Header& header) {
    const int64_t count = TRY(element_count(header.shape));
    int64_t wanted = 0;
    if (__builtin_mul_overflow(count, 4 * header.width, &wanted) || data.size() != uint64_t(wanted))
        return broken("shape " + shape_text(header.shape) + " of texts of " + std::to_string(header.width) + " characters does not take the " +
                      std::to_string(data.size()) + " bytes that the file has");
    if (header.width == 0 && count > int64_t(data.size()) + (1 << 20)) return broken("more texts than the file could hold");
    std::vector<std::string> texts = TRY(texts_of_npy(data, header.width, count)), rows(texts.size());
    if (!header.fortran || header.shape.size() < 2) return text_tensor(header.shape, texts);
    std::vector<int64_t> places(texts.size()), of_rows(texts.size());
    std::iota(places.begin(), places.end(), 0);
    from_fortran(reinterpret_cast<const char*>(places.data()), reinterpret_cast<std::byte*>(of_rows.data()), header.shape, count, sizeof(int64_t));
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = std::move(texts[size_t(of_rows[i])]);
    return text_tensor(header.shape, rows);
}
} // namespace

Result<HostTensor> parse_npy(std::string_view file) {
    if (!file.starts_with(magic)) return broken("not an npy file");
    if (file.size() < 8) return broken("the file ends inside its header");
    int version = uint8_t(file[6]);
    if (version < 1 || version > 3 || file[7] != 0)
        return Error{Code::unsupported, "npy: format version " + std::to_string(version) + "." +
                                            std::to_string(uint8_t(file[7])) + " cannot be read"};
    size_t length_bytes = version == 1 ? 2 : 4, length = 0, header_start = 8 + length_bytes;
    if (file.size() < header_start) return broken("the file ends inside its header");
    for (size_t i = 0; i < length_bytes; ++i) length |= size_t(uint8_t(file[8 + i])) << (8 * i);
    if (file.size() - header_start < length) return broken("the file ends inside its header");
    Header header = TRY(HeaderReader(file.substr(header_start, length)).read());

    std::string_view data = file.substr(header_start + length);
    if (is_text(header.dtype)) return texts_in(data, header);
    int64_t wanted = TRY(byte_count(header.dtype, header.shape));
    if (data.size() != uint64_t(wanted))
        return broken("shape " + shape_text(header.shape) + " of " + std::string(dtype_name(header.dtype)) +
                      " takes " + std::to_string(wanted) + " bytes, the file has " + std::to_string(data.size()));
    HostTensor tensor = TRY(HostTensor::copy_of(header.dtype, header.shape, std::as_bytes(std::span(data))));
    if (header.fortran && header.shape.size() > 1)
        from_fortran(data.data(), TRY(tensor.mutable_bytes()), header.shape, tensor.count(),
                     size_t(size_of(header.dtype)));
    return tensor;
}

std::string to_npy(const HostTensor& tensor) {
    const DTypeRow& row = row_of(tensor.dtype());
    const NpyTexts texts = is_text(row.dtype) ? npy_of_texts(tensor) : NpyTexts{};
    std::string descr = "'" + std::string(row.npy) + (is_text(row.dtype) ? std::to_string(texts.width) : "") + "'";
    if (is_storage(row.dtype)) descr = "[('" + std::string(row.name) + "', " + descr + ")]";
    std::string header = "{'descr': " + descr + ", 'fortran_order': False, ";
    header += "'shape': (";
    for (int64_t extent : tensor.shape()) header += std::to_string(extent) + ",";
    header += "), }";
    constexpr size_t before = 10;                  // magic, version, length
    header.append(63 - (before + header.size()) % 64, ' ');
    header += '\n';
    std::string file(magic);
    file += {char(1), char(0), char(header.size() & 0xff), char(header.size() >> 8)};
    file += header;
    if (is_text(row.dtype)) file += texts.data;
    else if (tensor.byte_size() > 0)
        file.append(reinterpret_cast<const char*>(tensor.bytes()), size_t(tensor.byte_size()));
    return file;
}

Result<HostTensor> read_npy(const std::string& path) {
    std::string file = TRY(read_file(path));
    Result<HostTensor> tensor = parse_npy(file);
    if (tensor) return tensor;
    Error error = std::move(tensor).error();
    error.message = "'" + path + "': " + error.message;
    return error;
}

Status write_npy(const std::string& path, const HostTensor& tensor) { return write_file(path, to_npy(tensor)); }
} // namespace nereus
