#include "api/signature.h"
#include "api/size_binding.h"
#include "api/type_text.h"

namespace nereus::api {
namespace {
nereus_kind kind_of(DoorType::Kind kind) {
    switch (kind) {
    case DoorType::Kind::tensor: return NEREUS_TENSOR;
    case DoorType::Kind::tuple: return NEREUS_TUPLE;
    case DoorType::Kind::record: return NEREUS_RECORD;
    case DoorType::Kind::data: return NEREUS_CONSTRUCTOR;
    case DoorType::Kind::seq: return NEREUS_SEQUENCE;
    }
    return NEREUS_NOTHING;
}
} // namespace

Signatures::Signatures(const Executable& exe) {
    for (const EntryInfo& entry : exe.entries) {
        nereus_entry& made = entries_.emplace_back();
        made.name = keep(entry.name);
        made.result_type = keep(type_text(exe, entry, entry.result_type));
        std::vector<const nereus_port*> parameters, results;
        for (const DoorParam& param : entry.params)
            parameters.push_back(port(exe, entry, param.type, param.model_name.empty() ? param.name : param.model_name));
        auto name = [&](size_t i) { return i < entry.result_names.size() ? entry.result_names[i] : std::string(); };
        const DoorType& result = exe.door_types[entry.result_type];
        if (result.kind == DoorType::Kind::tuple)
            for (size_t i = 0; i < result.fields[0].size(); ++i) results.push_back(port(exe, entry, result.fields[0][i], name(i)));
        else results.push_back(port(exe, entry, entry.result_type, name(0)));
        std::vector<std::string> sizes = symbols_of(entry);
        made.parameter_count = parameters.size(), made.result_count = results.size(), made.size_count = sizes.size();
        made.parameters = keep_ports(std::move(parameters));
        made.results = keep_ports(std::move(results));
        made.sizes = keep_all(std::move(sizes));
    }
}

const nereus_port* Signatures::port(const Executable& exe, const EntryInfo& entry, uint32_t index, std::string name) {
    const DoorType& type = exe.door_types[index];
    nereus_port& made = ports_.emplace_back();
    made.name = keep(std::move(name));
    made.type = keep(type_text(exe, entry, index));
    made.kind = kind_of(type.kind);
    if (type.kind != DoorType::Kind::tensor) return &made;
    made.dtype = nereus_dtype(type.dtype);
    made.rank = type.ranked ? int32_t(type.axes.size()) : -1;
    made.dim_count = type.axes.size();
    made.dims = keep_all(dim_texts(entry, type));
    return &made;
}

const char* Signatures::keep(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }
const char* const* Signatures::keep_all(std::vector<std::string> texts) {
    std::vector<const char*>& list = text_lists_.emplace_back();
    for (std::string& text : texts) list.push_back(keep(std::move(text)));
    return list.data();
}
const nereus_port* const* Signatures::keep_ports(std::vector<const nereus_port*> ports) {
    return port_lists_.emplace_back(std::move(ports)).data();
}
} // namespace nereus::api
