#include "import/read_data.h"
#include "import/onnx_testing.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace nereus::onnx {
static Message byte_tensor(std::string_view name) { return tensor_message(name, ElemType::uint8, {1}).text(9, "x"); }
static std::string message_of(const Message& message, DataKind kind) {
    Result<DataFile> read = read_data(message.bytes(), kind);
    return read ? "" : read.error().message;
}

TEST(ReadData, MapsOfSequences) {
    const Message sequence = Message().number(2, 1).message(3, byte_tensor("a")).message(3, byte_tensor("b"));
    const Message map = Message().text(1, "m").number(2, 8).texts(4, {"k", "l"}).message(5, sequence);
    Result<DataFile> file = read_data(map.bytes(), DataKind::map);
    ASSERT_TRUE(file) << file.error().message;
    const MapData& read = std::get<MapData>(file->values[0].value);
    EXPECT_EQ(file->values[0].name, "m");
    EXPECT_EQ(read.key_type, ElemType::string);
    EXPECT_EQ(read.string_keys, (std::vector<std::string_view>{"k", "l"}));
    const SequenceData& items = std::get<SequenceData>((*file)[read.values].value);
    ASSERT_EQ(items.items.size(), 2u);
    EXPECT_EQ(std::get<TensorData>((*file)[items.items[1]].value).name, "b");
    EXPECT_TRUE(StaysInside(*file->storage, map.bytes()).holds(*file));
}

TEST(ReadData, OptionalsHoldOneOrNothing) {
    const Message nothing = Message().number(2, 0), one = Message().number(2, 1).message(3, byte_tensor("a"));
    EXPECT_FALSE(std::get<OptionalData>(read_data(nothing.bytes(), DataKind::optional)->values[0].value).item.valid());
    Result<DataFile> file = read_data(one.bytes(), DataKind::optional);
    ASSERT_TRUE(file);
    EXPECT_EQ((*file)[std::get<OptionalData>(file->values[0].value).item].name, "a");
    const Message two = Message().number(2, 1).message(3, byte_tensor("a")).message(3, byte_tensor("b"));
    EXPECT_EQ(message_of(two, DataKind::optional), "an optional holds one value at most, found 2");
}

TEST(ReadData, WhatDoesNotFitIsRefused) {
    const Message other = Message().number(2, 1).message(6, Message());
    EXPECT_EQ(message_of(other, DataKind::sequence), "elem_type says tensor, but an item is a map");
    EXPECT_EQ(message_of(Message().number(2, 9), DataKind::sequence), "elem_type 9 is not one that ONNX has");
    const Message one_key = Message().number(2, 7).numbers(3, {1}).message(5, Message().number(2, 1));
    EXPECT_EQ(message_of(one_key, DataKind::map), "a map of 1 keys and 0 values");
    EXPECT_EQ(message_of(Message().number(3, 1).text(4, "k"), DataKind::map),
              "a map has either strings or integers as keys, found both");
    const Message inner =
        Message().number(2, 3).message(5, Message().number(2, 1).message(3, tensor_message("t", ElemType::int8, {2})));
    EXPECT_EQ(message_of(inner, DataKind::sequence),
              "item[0].item[0]: tensor 't': its shape and type int8 take 2 bytes, but it has 0");
    EXPECT_EQ(read_data(inner.bytes(), DataKind::undefined).error().code, Code::usage);
}

TEST(ReadData, ValuesNestWithoutEnd) {
    constexpr int levels = 100'000;
    const std::string kind = Message().number(2, 5).data;              // elem_type: optional
    std::string reversed;
    for (int level = 0; level < levels; ++level) {
        std::string head = kind + char(7 << 3 | 2);
        protozero::write_varint(std::back_inserter(head), reversed.size());
        reversed.append(head.rbegin(), head.rend());
    }
    std::reverse(reversed.begin(), reversed.end());
    Result<DataFile> file = read_data(std::as_bytes(std::span(reversed)), DataKind::optional);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->values.size(), size_t(levels) + 1);
}
} // namespace nereus::onnx
