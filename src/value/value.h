// value/value.h - a value outside the language: what an entry takes and gives. Immutable; copies share.
// Depth is the user's: a list of a million elements is a million levels. Nothing in this room recurses on it.
#pragma once
#include "tensor/host_tensor.h"
#include <string>
#include <string_view>
#include <vector>

namespace nereus {
struct Field;
struct ValueNode;

class Value {
 public:
    enum class Kind : uint8_t { tensor, tuple, record, ctor, seq };

    Value() = default;                                     // (), the empty tuple
    static Value tensor(HostTensor tensor);
    static Value tuple(std::vector<Value> items);
    static Value record(std::vector<Field> fields);        // in declaration order; names must differ
    static Value ctor(std::string name, std::vector<Value> args = {});
    static Value seq(std::vector<Value> items);

    Kind kind() const;
    bool is(Kind kind) const { return this->kind() == kind; }
    const HostTensor& tensor() const;                      // of a tensor only
    std::string_view ctor_name() const;                    // of a constructor only
    std::span<const std::string> field_names() const;      // of a record only; parallel to children()
    std::span<const Value> children() const;               // items, args or field values; none in a tensor
    const Value* field(std::string_view name) const;       // of a record only; null: no such field

    // Identity, for walks that must not visit what is shared twice. Null for () written as Value().
    const ValueNode* node() const { return node_; }
    bool shared() const;                                   // other Values hold this node too
    // One owner's share as a bare pointer, for handles outside of C++; attach() takes it back.
    ValueNode* detach() && { return std::exchange(node_, nullptr); }
    static Value attach(ValueNode* node) { return Value(node); }

    Value(const Value& other) noexcept;
    Value(Value&& other) noexcept : node_(other.node_) { other.node_ = nullptr; }
    Value& operator=(Value other) noexcept { std::swap(node_, other.node_); return *this; }
    ~Value() { if (node_) release(node_); }

 private:
    explicit Value(ValueNode* node) : node_(node) {}
    static void release(ValueNode* node) noexcept;

    // Counted by hand rather than by shared_ptr: the last owner unlinks a whole structure in a loop, without
    // recursion and without allocating, and two threads may let go of parts of it at the same time.
    ValueNode* node_ = nullptr;
};

struct Field { std::string name; Value value; };

constexpr std::string_view kind_name(Value::Kind kind) {
    constexpr std::string_view names[] = {"tensor", "tuple", "record", "constructor", "seq"};
    return names[int(kind)];
}
} // namespace nereus
