// Artefacts name a kernel by its place: places stay what they are.
#include "library/library.h"
#include <gtest/gtest.h>

namespace nereus {
TEST(Library, PlacesStay) {
    struct Row { std::string_view name; uint32_t place; };
    for (const Row& row : {Row{"topk_i32", 0}, Row{"topk_bf16", 11}, Row{"str_concat", 12}, Row{"str_lower", 13}, Row{"str_upper", 14}, Row{"str_match", 15},
                           Row{"str_count", 16}, Row{"str_part", 17}, Row{"str_from_f32", 18}, Row{"str_to_f32", 19}, Row{"fft_table", 20}, Row{"fft_f32", 21},
                           Row{"fft_f64", 22}, Row{"fft_f16", 23}, Row{"fft_bf16", 24}, Row{"str_order", 25}})
        EXPECT_EQ(library_index(row.name), row.place) << row.name;
    EXPECT_EQ(library().size(), 26u);
    EXPECT_EQ(library_index("fft_i32"), std::nullopt);
}
} // namespace nereus
