// api/bytes.h - bytes and texts that are handed out.
#pragma once
#include "nereus/nereus.h"
#include <memory>
#include <string>

struct nereus_bytes {
    std::string content;
};

namespace nereus::api {
inline nereus_bytes* hand_out(std::string content) { return std::make_unique<nereus_bytes>(std::move(content)).release(); }
} // namespace nereus::api
