// api/value_handle.h - a nereus_value* is the node of a Value, with one owner's share; () has no node, and a handle of its own.
#pragma once
#include "api/guard.h"
#include "value/value.h"

namespace nereus::api {
inline constexpr char unit = 0;
inline nereus_value* unit_handle() { return reinterpret_cast<nereus_value*>(const_cast<char*>(&unit)); }

// The share of the value goes to the handle.
inline nereus_value* hand_out(Value value) {
    ValueNode* node = std::move(value).detach();
    return node ? reinterpret_cast<nereus_value*>(node) : unit_handle();
}
inline ValueNode* node_of(const nereus_value* handle) {
    if (handle == unit_handle()) return nullptr;
    return reinterpret_cast<ValueNode*>(const_cast<nereus_value*>(handle));
}
inline const nereus_value* handle_of(const Value& value) {
    return value.node() ? reinterpret_cast<const nereus_value*>(value.node()) : unit_handle();
}

// The value of a handle that stays its owner: nothing is counted.
class Borrowed {
 public:
    explicit Borrowed(const nereus_value* handle) : value_(Value::attach(node_of(handle))) {}
    ~Borrowed() {}
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    const Value& operator*() const { return value_; }
    const Value* operator->() const { return &value_; }

 private:
    union { Value value_; };                 // never destroyed
};

inline Result<std::vector<Value>> values_of(const nereus_value* const* handles, size_t count, const char* name) {
    std::vector<Value> values;
    std::span<const nereus_value* const> all = TRY(given_list(handles, count, name));
    values.reserve(all.size());
    for (const nereus_value* handle : all) values.push_back(*Borrowed(handle));
    return values;
}
} // namespace nereus::api
