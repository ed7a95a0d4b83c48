// cli/program_file.h - the file that a command line names as its program: of any name, `-` for standard input, a pipe.
#pragma once
#include "base/result.h"
#include <string>

namespace nereus {
struct ProgramFile {
    std::string path; // where its bytes are, as often as somebody reads them; of a stream not its name
    bool is_model = false;                   // of ONNX, else a program's text
};
// A pipe is read once, and refused by its first bytes where these tell that it is neither.
Result<ProgramFile> program_file(const std::string& name);
bool is_model(const std::string& name);      // false also of what cannot be read
} // namespace nereus
