// Text to module: whatever is read prints, and reads back as the same; the formatter keeps what it means.
#include "fuzz/programs.h"
#include "ir/print.h"
#include "text/format_source.h"

using namespace nereus;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    std::optional<Module> module = read_program(text);
    if (!module) return 0;
    const std::string once = print(*module);
    Result<Module> again = parse(ParseInput{"printed", once, no_imports(), prelude_texts()}, all_ops());
    if (!again) wrong("does not read back: " + again.error().message + "\n" + once, text);
    if (print(*again) != once) wrong("prints otherwise when read back:\n" + once, text);
    Result<std::string> laid_out = format_source(text);
    if (!laid_out) wrong("cannot be formatted: " + laid_out.error().message, text);
    if (*format_source(*laid_out) != *laid_out) wrong("formatting again changes:\n" + *laid_out, text);
    std::optional<Module> formatted = read_program(*laid_out);
    if (!formatted || !same_module(*module, *formatted)) wrong("formatting changes what it means:\n" + *laid_out, text);
    return 0;
}
