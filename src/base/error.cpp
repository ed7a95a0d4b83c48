#include "base/error.h"

namespace nereus {
std::string_view code_name(Code code) {
    switch (code) {
    case Code::usage: return "usage";
    case Code::parse: return "parse";
    case Code::name: return "name";
    case Code::type: return "type";
    case Code::shape: return "shape";
    case Code::value: return "value";
    case Code::unsupported: return "unsupported";
    case Code::io: return "io";
    case Code::corrupt: return "corrupt";
    case Code::mismatch: return "mismatch";
    case Code::memory: return "memory";
    case Code::limit: return "limit";
    case Code::cancelled: return "cancelled";
    case Code::deadline: return "deadline";
    case Code::internal: return "internal";
    }
    return "internal";
}
} // namespace nereus
