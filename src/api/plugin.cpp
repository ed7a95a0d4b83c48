#include "api/guard.h"
#include "plugin/plugin.h"

using namespace nereus;
using namespace nereus::api;

extern "C" {
nereus_status* nereus_register_op(const nereus_plugin_op* op) {
    return at_the_edge([&]() -> Status {
        TRY(given(op, "op"));
        return add_plugin_op(*op);
    });
}
nereus_status* nereus_plugin_load(const char* path) {
    return at_the_edge([&]() -> Status {
        TRY(given(path, "path"));
        return load_plugin(path);
    });
}
const nereus_plugin_op* nereus_registered_op(size_t index) {
    try {
        const std::vector<const PluginOp*> all = plugin_ops();
        return index < all.size() ? &all[index]->described : nullptr;
    } catch (const std::bad_alloc&) { return nullptr; }
}
} // extern "C"
