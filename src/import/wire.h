// import/wire.h - protobuf's wire format, one message at a time: its fields in the order of the file. No exception of
// protozero leaves here.
#pragma once
#include "base/result.h"
#include <protozero/pbf_reader.hpp>
#include <string_view>
#include <vector>

namespace nereus::onnx {
using WireKind = protozero::pbf_wire_type;

class Wire {
 public:
    // Bytes are counted from `file` in errors.
    Wire(std::string_view message, const char* file) : reader_(message.data(), message.size()), file_(file) {}

    Result<bool> next();                               // to the next field; false: there is none
    uint32_t number() const { return reader_.tag(); }

    // Then one of these, or the field is read twice.
    Status skip();
    Result<int64_t> integer();
    Result<std::string_view> bytes();                  // of a string or a message
    // One number as it lies there, or all of a packed field: put behind each other they are the same.
    Result<std::string_view> numbers(WireKind kind);
    Result<std::string_view> number(WireKind kind);    // one, not packed

 private:
    Error wrong(std::string what) const;
    Error wrong_kind(std::string_view wanted) const;
    protozero::pbf_reader reader_;
    const char* file_;
};

// The integers of such a piece, appended.
Status decode_integers(std::string_view numbers, std::vector<int64_t>& out);
} // namespace nereus::onnx
