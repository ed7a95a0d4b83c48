// codegen/idle_code.h - LLVM's own code between compiles.
#pragma once

namespace nereus {
// Its pages, some 50 MB of them once it has run, need not stay in this process; what runs again is mapped again.
void let_compiler_pages_go();
} // namespace nereus
