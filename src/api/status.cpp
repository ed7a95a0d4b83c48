// Statuses: one block of memory each, the texts behind the struct. The one for no memory is there from the beginning.
#include "api/guard.h"
#include <cstdlib>

struct nereus_status {
    nereus_code code;
    int32_t line, column;
    const char *message, *hint, *file, *text;
};

namespace nereus::api {
namespace {
constinit nereus_status no_memory = {NEREUS_ERROR_MEMORY, 0, 0, "out of memory", "", "", "error: out of memory\n"};

std::string text_of(const nereus_status_options& options) {
    std::string text;
    if (options.file && *options.file)
        text = std::string(options.file) + ":" + std::to_string(options.line) + ":" + std::to_string(options.column) + ": ";
    text += std::string("error: ") + options.message + "\n";
    if (options.hint && *options.hint) text += std::string("hint: ") + options.hint + "\n";
    return text;
}

nereus_status* create(nereus_status_options options) {
    if (options.code <= NEREUS_OK || options.code > NEREUS_ERROR_INTERNAL) options.code = NEREUS_ERROR_INTERNAL;
    if (!options.message) options.message = "";
    const std::string text = options.text ? options.text : text_of(options);
    const char* texts[] = {options.message, options.hint ? options.hint : "", options.file ? options.file : "", text.c_str()};
    size_t bytes = sizeof(nereus_status);
    for (const char* each : texts) bytes += std::strlen(each) + 1;
    void* block = std::malloc(bytes);
    if (!block) return &no_memory;
    char* at = static_cast<char*>(block) + sizeof(nereus_status);
    for (const char*& each : texts) {
        const size_t length = std::strlen(each) + 1;
        std::memcpy(at, each, length);
        each = at;
        at += length;
    }
    return ::new (block) nereus_status{options.code, options.line, options.column, texts[0], texts[1], texts[2], texts[3]};
}
} // namespace
} // namespace nereus::api

using namespace nereus;

extern "C" {
int32_t nereus_api_version() { return NEREUS_API_VERSION; }
const char* nereus_library_version() { return NEREUS_VERSION; }

const char* nereus_code_name(nereus_code code) {
    if (code < NEREUS_OK || code > NEREUS_ERROR_INTERNAL) return nullptr;
    return code == NEREUS_OK ? "ok" : code_name(Code(code - 1)).data();
}

nereus_status* nereus_status_create(const nereus_status_options* given) {
    try {
        Result<nereus_status_options> options = api::options_of(given);
        if (options && given) return api::create(*options);
        nereus_status_options wrong{};
        wrong.code = NEREUS_ERROR_USAGE;
        wrong.message = given ? options.error().message.c_str() : "options is NULL";
        return api::create(wrong);
    } catch (const std::bad_alloc&) { return &api::no_memory; }
}
nereus_code nereus_status_code(const nereus_status* status) { return status ? status->code : NEREUS_OK; }
const char* nereus_status_message(const nereus_status* status) { return status ? status->message : ""; }
const char* nereus_status_hint(const nereus_status* status) { return status ? status->hint : ""; }
const char* nereus_status_text(const nereus_status* status) { return status ? status->text : ""; }
const char* nereus_status_file(const nereus_status* status) { return status ? status->file : ""; }
int32_t nereus_status_line(const nereus_status* status) { return status ? status->line : 0; }
int32_t nereus_status_column(const nereus_status* status) { return status ? status->column : 0; }
void nereus_status_release(nereus_status* status) {
    if (status != &api::no_memory) std::free(status);
}
} // extern "C"
