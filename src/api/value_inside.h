// api/value_inside.h - the way from a public value to the rooms' value inside it, and back.
#pragma once
#include "value/value.h"
#include "api/translate.h"
#include "nereus/value.h"
#include <new>

namespace nereus::api {
struct ValueInside {
    static const nereus::Value& of(const v1::Value& value) {
        return *std::launder(reinterpret_cast<const nereus::Value*>(value.inside_));
    }
    static nereus::Value& of(v1::Value& value) {
        return *std::launder(reinterpret_cast<nereus::Value*>(value.inside_));
    }
    static v1::Value wrap(nereus::Value value) {
        v1::Value out;
        of(out) = std::move(value);
        return out;
    }
};
} // namespace nereus::api
