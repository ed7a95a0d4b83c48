// nereus/compile.h - from the text of a program or an ONNX model to an executable, once, for every shape there will ever be.
// Needs the library of the compiler, Nereus::nereus in CMake; the conventions are those of nereus.h.
#ifndef NEREUS_COMPILE_H
#define NEREUS_COMPILE_H
#include "nereus/nereus.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nereus_compile_options {
    size_t struct_size;
    const char* entry;           // the function to compile; NULL: main
    const char* target;          // x86-64-v2, x86-64-v3, x86-64-v4, or host, this processor; NULL: host
    const char* name;            // of a program given as text, in its errors; NULL: program.nr
    int32_t checked;             // not 0: kernels assert that they stay inside their buffers
    nereus_log_fn log;           // gets warnings; NULL: nobody does
    void* log_user;
    int32_t names_apart;         // of a model, not 0: sizes of one name may differ, and what is declared of rank 0 may have any
} nereus_compile_options;

// Memory that runs out inside LLVM ends the process; wherever else it does, it is NEREUS_ERROR_MEMORY.
//
// Compiles the text of a program. It cannot import files. Threads may compile at the same time, and the same text and
// options give the same bytes.
nereus_status* nereus_executable_compile(const char* text, size_t size, const nereus_compile_options* options,
                                         nereus_executable** out_executable);
// Compiles a file: a program, which imports others by their place relative to its own, or an ONNX model, which is one
// whose name ends with .onnx. The ports of its entry point, main, have the names of the model's inputs and outputs.
nereus_status* nereus_executable_compile_file(const char* path, const nereus_compile_options* options,
                                              nereus_executable** out_executable);

#ifdef __cplusplus
}
#endif
#endif
