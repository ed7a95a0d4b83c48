// import/message.h - a protobuf message as bytes, field by field.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <protozero/pbf_writer.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nereus::onnx {
class Message {
 public:
    Message& number(uint32_t field, int64_t value) { return writer().add_int64(field, value), *this; }
    Message& real(uint32_t field, float value) { return writer().add_float(field, value), *this; }
    Message& real64(uint32_t field, double value) { return writer().add_double(field, value), *this; }
    Message& text(uint32_t field, std::string_view value) {
        writer().add_bytes(field, value.data(), value.size());
        return *this;
    }
    Message& message(uint32_t field, const Message& value) { return text(field, value.data); }
    Message& texts(uint32_t field, std::initializer_list<std::string_view> values) {
        for (std::string_view value : values) text(field, value);
        return *this;
    }
    Message& numbers(uint32_t field, const std::vector<int64_t>& values, bool packed = true) {
        if (packed) writer().add_packed_int64(field, values.begin(), values.end());
        else for (int64_t value : values) number(field, value);
        return *this;
    }
    Message& reals(uint32_t field, const std::vector<float>& values, bool packed = true) {
        if (packed) writer().add_packed_float(field, values.begin(), values.end());
        else for (float value : values) real(field, value);
        return *this;
    }
    Message& reals64(uint32_t field, const std::vector<double>& values, bool packed = true) {
        if (packed) writer().add_packed_double(field, values.begin(), values.end());
        else for (double value : values) real64(field, value);
        return *this;
    }
    std::span<const std::byte> bytes() const { return std::as_bytes(std::span(data)); }
    std::string data;

 private:
    protozero::pbf_writer writer() { return protozero::pbf_writer(data); }
};
} // namespace nereus::onnx
