#include "api/type_text.h"
#include <set>

namespace nereus::api {
namespace {
struct TypeText {
    const Executable& exe;
    const EntryInfo& entry;
    std::set<uint32_t> written = {};           // data types that need not be written out again

    std::string tensor(const DoorType& type) const {
        if (type.ranked && type.axes.empty()) return std::string(dtype_name(type.dtype));
        std::string dims;
        for (const std::string& dim : dim_texts(entry, type)) dims += (dims.empty() ? "" : ", ") + dim;
        if (!type.ranked) dims += dims.empty() ? "..." : ", ...";
        return "Tensor[(" + dims + "), " + std::string(dtype_name(type.dtype)) + "]";
    }
    std::string list(std::span<const uint32_t> types, std::span<const std::string> names, int depth) {
        std::string out;
        for (size_t i = 0; i < types.size(); ++i)
            out += (i ? ", " : "") + (names.empty() ? "" : names[i] + ": ") + text(types[i], depth + 1);
        return out;
    }
    std::string data(uint32_t index, const DoorType& type, int depth) {
        bool whole = written.insert(index).second;
        std::string out;
        for (size_t i = 0; i < type.names.size(); ++i) {
            if (i > 0) out += whole ? " | " : "|";
            out += type.names[i];
            if (whole && !type.fields[i].empty()) out += "(" + list(type.fields[i], {}, depth) + ")";
        }
        return out;
    }
    std::string text(uint32_t index, int depth) {
        constexpr int deepest = 50;
        if (depth > deepest) return "…";
        const DoorType& type = exe.door_types[index];
        switch (type.kind) {
        case DoorType::Kind::tensor: return tensor(type);
        case DoorType::Kind::tuple: {
            std::string_view end = type.fields[0].size() == 1 ? ",)" : ")";
            return "(" + list(type.fields[0], {}, depth) + std::string(end);
        }
        case DoorType::Kind::record: return "{" + list(type.fields[0], type.names, depth) + "}";
        case DoorType::Kind::seq: return "Seq[" + list(type.fields[0], {}, depth) + "]";
        case DoorType::Kind::data: return data(index, type, depth);
        }
        return "";
    }
};
} // namespace

std::vector<std::string> dim_texts(const EntryInfo& entry, const DoorType& tensor) {
    std::vector<std::string> dims;
    for (int32_t axis : tensor.axes)
        dims.push_back(axis >= 0                           ? entry.size_names[size_t(axis)]
                       : axis == -1                        ? "_"
                       : -2 - axis < DoorType::shared_from ? "_" + std::to_string(-2 - axis)
                                                           : "?" + std::to_string(-2 - axis - DoorType::shared_from));
    return dims;
}

std::string type_text(const Executable& exe, const EntryInfo& entry, uint32_t type) {
    return TypeText{exe, entry}.text(type, 0);
}
} // namespace nereus::api
