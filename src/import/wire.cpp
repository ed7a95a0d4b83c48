#include "import/wire.h"
#include <string>

namespace nereus::onnx {
namespace {
std::string_view kind_name(WireKind kind) {
    switch (kind) {
    case WireKind::varint: return "an integer";
    case WireKind::fixed64: return "8 bytes";
    case WireKind::length_delimited: return "a string or message";
    case WireKind::fixed32: return "4 bytes";
    case WireKind::unknown: break;
    }
    return "nothing known";
}
} // namespace

Error Wire::wrong(std::string what) const {
    return Error{Code::parse, std::move(what) + " at byte " + std::to_string(reader_.data().data() - file_)};
}
Error Wire::wrong_kind(std::string_view wanted) const {
    return wrong("expected " + std::string(wanted) + ", found " + std::string(kind_name(reader_.wire_type())));
}

Result<bool> Wire::next() {
    try {
        return reader_.next();
    } catch (const protozero::exception&) { return wrong("no field of a message begins"); }
}

Status Wire::skip() {
    if (reader_.wire_type() == WireKind::length_delimited) return TRY(bytes()), Status();
    try {
        reader_.skip();
        return {};
    } catch (const protozero::exception&) { return wrong("a number is cut off or too long"); }
}

Result<std::string_view> Wire::bytes() {
    if (reader_.wire_type() != WireKind::length_delimited) return wrong_kind(kind_name(WireKind::length_delimited));
    try {
        const char* at = reader_.data().data();
        const char* end = at + reader_.length();
        const uint64_t claimed = protozero::decode_varint(&at, end);       // protozero cuts it to 32 bits
        if (claimed > uint64_t(end - at))
            return wrong("a field of " + std::to_string(claimed) + " bytes, where " + std::to_string(end - at) +
                         " are left,");
        const protozero::data_view view = reader_.get_view();
        return std::string_view(view.data(), view.size());
    } catch (const protozero::exception&) { return wrong("a field is cut off"); }
}

Result<int64_t> Wire::integer() {
    if (reader_.wire_type() != WireKind::varint) return wrong_kind(kind_name(WireKind::varint));
    try {
        return reader_.get_int64();
    } catch (const protozero::exception&) { return wrong("an integer is cut off or too long"); }
}

Result<std::string_view> Wire::number(WireKind kind) {
    if (reader_.wire_type() != kind) return wrong_kind(kind_name(kind));
    const char* start = reader_.data().data();
    TRY(skip());
    return std::string_view(start, size_t(reader_.data().data() - start));
}

Result<std::string_view> Wire::numbers(WireKind kind) {
    if (reader_.wire_type() != WireKind::length_delimited) return number(kind);
    const std::string_view packed = TRY(bytes());
    const size_t size = kind == WireKind::fixed32 ? 4 : kind == WireKind::fixed64 ? 8 : 1;
    if (packed.size() % size) return wrong("a list of numbers of " + std::to_string(size) + " bytes each has " +
                                           std::to_string(packed.size()) + " and ends");
    return packed;
}

Status decode_integers(std::string_view numbers, std::vector<int64_t>& out) {
    const char* at = numbers.data();
    const char* end = at + numbers.size();
    try {
        while (at != end) out.push_back(int64_t(protozero::decode_varint(&at, end)));
        return {};
    } catch (const protozero::exception&) { return Error{Code::parse, "a list of integers is cut off inside one"}; }
}
} // namespace nereus::onnx
