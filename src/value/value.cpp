#include "value/value.h"
#include <atomic>
#include <variant>

namespace nereus {
struct Compound {
    std::string ctor_name;
    std::vector<std::string> field_names;
    std::vector<Value> children;
};

struct ValueNode {
    std::atomic<int64_t> owners = 1;
    Value::Kind kind;
    ValueNode* next_dead = nullptr;                // links nodes nobody owns, while release() empties them
    std::variant<HostTensor, Compound> content;

    ValueNode(Value::Kind kind, std::variant<HostTensor, Compound> content)
        : kind(kind), content(std::move(content)) {}
};

static const Compound& compound(const ValueNode* node) { return *std::get_if<Compound>(&node->content); }

Value Value::tensor(HostTensor tensor) { return Value(new ValueNode(Kind::tensor, std::move(tensor))); }

Value Value::tuple(std::vector<Value> items) {
    if (items.empty()) return Value();
    return Value(new ValueNode(Kind::tuple, Compound{{}, {}, std::move(items)}));
}

Value Value::record(std::vector<Field> fields) {
    Compound content;
    content.field_names.reserve(fields.size());
    content.children.reserve(fields.size());
    for (Field& field : fields) {
        content.field_names.push_back(std::move(field.name));
        content.children.push_back(std::move(field.value));
    }
    return Value(new ValueNode(Kind::record, std::move(content)));
}

Value Value::ctor(std::string name, std::vector<Value> args) {
    return Value(new ValueNode(Kind::ctor, Compound{std::move(name), {}, std::move(args)}));
}

Value Value::seq(std::vector<Value> items) {
    return Value(new ValueNode(Kind::seq, Compound{{}, {}, std::move(items)}));
}

Value::Kind Value::kind() const { return node_ ? node_->kind : Kind::tuple; }

const HostTensor& Value::tensor() const {
    invariant(is(Kind::tensor), "tensor() of another kind of value");
    return *std::get_if<HostTensor>(&node_->content);
}

std::string_view Value::ctor_name() const {
    invariant(is(Kind::ctor), "ctor_name() of another kind of value");
    return compound(node_).ctor_name;
}

std::span<const std::string> Value::field_names() const {
    invariant(is(Kind::record), "field_names() of another kind of value");
    return compound(node_).field_names;
}

std::span<const Value> Value::children() const {
    if (!node_ || node_->kind == Kind::tensor) return {};
    return compound(node_).children;
}

const Value* Value::field(std::string_view name) const {
    std::span<const std::string> names = field_names();
    for (size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return &children()[i];
    return nullptr;
}

bool Value::shared() const { return node_ && node_->owners.load(std::memory_order_relaxed) > 1; }

Value::Value(const Value& other) noexcept : node_(other.node_) {
    if (node_) node_->owners.fetch_add(1, std::memory_order_relaxed);
}

void Value::release(ValueNode* node) noexcept {
    ValueNode* dead = nullptr;
    auto let_go = [&dead](ValueNode* owned) {
        if (owned->owners.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
        owned->next_dead = dead;
        dead = owned;
    };
    let_go(node);
    while (dead) {
        ValueNode* last = dead;
        dead = last->next_dead;
        if (Compound* content = std::get_if<Compound>(&last->content))
            for (Value& child : content->children)
                if (ValueNode* owned = std::exchange(child.node_, nullptr)) let_go(owned);
        delete last;                               // its children are null by now: goes no deeper
    }
}
} // namespace nereus
