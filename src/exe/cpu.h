// exe/cpu.h - what this processor can run, as levels of the x86-64 psABI.
#pragma once

namespace nereus {
// 2: SSE4.2, 3: AVX2 and FMA, 4: AVX-512 F, BW, CD, DQ, VL; below 2 nothing we compile runs.
int cpu_level();
} // namespace nereus
