// exe/extents.h - how new_shaped gets extents whose number is known only when it runs: parts, collected in order. Each
// part is a number of the instruction's second list and takes registers from its first.
#pragma once
#include <cstdint>

namespace nereus {
enum class ExtentPart : uint32_t {
    number,        // one extent: the register
    unless,        // the first register, left out where the second is not 0
    tail,          // the extents of the tensor object in the register, from the axis that is the next number on
    head,          // its extents but the last ones, as many as the next number
    elements,      // address, count, total: as many i64 elements; one -1 is inferred from the elements in total, unless
                   // that is negative
    last,          // of all extents so far only the last ones: as many as the register says
    ones,          // address, count: of all extents so far, those at these axes become 1; axes below 0 count from the end
    without,       // address, count: they are left out
};
inline constexpr uint32_t extent_registers(ExtentPart part) {
    switch (part) {
    case ExtentPart::elements: return 3;
    case ExtentPart::unless: case ExtentPart::ones: case ExtentPart::without: return 2;
    default: return 1;
    }
}
} // namespace nereus
