// Shared libraries with operators. They are never unloaded: executables and contexts keep pointers into them.
#include "plugin/plugin.h"
#include <dlfcn.h>
#include <mutex>
#include <set>

namespace nereus {
namespace {
struct Registering { std::string error; };

nereus_plugin_result fail(const nereus_plugin_host* host, const char* message) {
    static_cast<Registering*>(host->self)->error = message ? message : "it gave no reason";
    return 1;
}
nereus_plugin_result add(const nereus_plugin_host* host, const nereus_plugin_op* op) {
    if (!op) return fail(host, "no operator was given");
    Status added = add_plugin_op(*op);
    return added ? 0 : fail(host, added.error().message.c_str());
}
} // namespace

Status load_plugin(const std::string& path) {
    // dlopen looks for a name without a slash elsewhere
    const std::string file = path.find('/') == path.npos ? "./" + path : path;
    auto refused = [&](const std::string& why) { return Error{Code::io, "plug-in " + path + ": " + why}; };
    static std::mutex mutex;
    static std::set<void*> registered;                       // libraries by handle; others may be loaded as parts of the program
    const std::scoped_lock lock(mutex);
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return refused(dlerror());
    void* found = dlsym(library, "nereus_plugin_register");
    if (!found) {
        dlclose(library);
        return refused("it has no function nereus_plugin_register");
    }
    if (!registered.insert(library).second) return {};
    Registering state;
    const nereus_plugin_host host{sizeof host, NEREUS_PLUGIN_VERSION, &state, add, fail};
    if (reinterpret_cast<nereus_plugin_register_function>(found)(&host) != 0 || !state.error.empty())
        return registered.erase(library), refused(state.error.empty() ? "it could not register its operators" : state.error);
    return {};
}
} // namespace nereus
