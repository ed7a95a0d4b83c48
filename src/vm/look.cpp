#include "vm/look.h"
#include "vm/look_walk.h"

namespace nereus {
namespace {
struct Objects {
    using Node = const Object*;
    static const DataObject* data(Node node) { return static_cast<const DataObject*>(node); }
    bool known(Node) const { return true; }
    bool shared(Node node) const { return node->refs > 1; }
    uint32_t count(Node node) const { return node->count; }
    uint16_t tag(Node node) const { return node->tag; }
    bool binds(Node node) const { return data(node)->bound > 0; }
    int64_t bound_dim(Node node, uint32_t k) const { return k < data(node)->bound ? const_cast<DataObject*>(data(node))->dims()[k] : -1; }
    Node child(Node node, uint32_t i) const {
        return node->kind == ObjectKind::seq ? static_cast<const SeqObject*>(node)->items->at[i] : data(node)->fields[i];
    }
    std::span<const int64_t> dims(Node node) const { return static_cast<const TensorObject*>(node)->extents(); }
};
} // namespace

void observe(const LoadedExecutable& program, uint32_t type, const Object* object, std::span<int64_t> sizes) {
    Look<Objects>{program, {}}.observe(type, object, sizes);
}
std::optional<Mismatch> find_mismatch(const LoadedExecutable& program, uint32_t type, const Object* object,
                                      std::span<const int64_t> sizes) {
    return Look<Objects>{program, {}}.find_mismatch(type, object, sizes);
}
} // namespace nereus
