#include "cli/given_sizes.h"
#include "base/suggest.h"
#include "value/input_spec.h"
#include <algorithm>
#include <charconv>

namespace nereus {
namespace {
std::optional<int64_t> whole(std::string_view text) {
    int64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
    return number;
}
Error no_shape(std::string_view text, std::string_view why) {
    return Error{Code::usage, "--shapes '" + std::string(text.substr(0, 60)) + "': " + std::string(why), {}, "write x:1x128, or x:1x128,mask:1x128"};
}
} // namespace

Result<NamedShapes> parse_shapes(std::string_view text) {
    NamedShapes shapes;
    for (std::string_view rest = text;;) {
        const size_t end = std::min(rest.find(','), rest.size());
        const std::string_view one = rest.substr(0, end);
        const size_t colon = one.rfind(':');                     // names of models may have colons, too
        if (colon == one.npos || colon == 0) return no_shape(text, "expected a name and ':' before the sizes");
        Extents extents;
        for (std::string_view sizes = one.substr(colon + 1); !sizes.empty();) {
            const size_t x = std::min(sizes.find('x'), sizes.size());
            const std::optional<int64_t> extent = whole(sizes.substr(0, x));
            if (!extent) return no_shape(text, "'" + std::string(sizes.substr(0, x)) + "' is not a size");
            extents.push_back(*extent);
            if (x + 1 == sizes.size()) return no_shape(text, "expected a size after the last 'x'");
            sizes.remove_prefix(std::min(x + 1, sizes.size()));
        }
        if (!shapes.emplace(one.substr(0, colon), std::move(extents)).second)
            return no_shape(text, "'" + std::string(one.substr(0, colon)) + "' is there twice");
        if (end == rest.size()) return shapes;
        rest.remove_prefix(end + 1);
    }
}

namespace {
std::optional<std::pair<std::string, int64_t>> parse_dim(std::string_view text) {
    const size_t equals = text.rfind('=');
    const std::optional<int64_t> number = equals == text.npos ? std::nullopt : whole(text.substr(equals + 1));
    if (equals == 0 || !number) return std::nullopt;
    return std::pair(std::string(text.substr(0, equals)), *number);
}
} // namespace

// Names of models may have commas: a part without a number belongs to the next one.
Result<std::vector<std::pair<std::string, int64_t>>> parse_dims(std::string_view text) {
    std::vector<std::pair<std::string, int64_t>> dims;
    for (size_t begin = 0, end = 0; begin <= text.size() && end < text.size();) {
        end = std::min(text.find(',', std::max(end + 1, begin)), text.size());
        const std::string_view part = text.substr(begin, end - begin);
        if (auto one = part.starts_with(',') ? std::nullopt : parse_dim(part))
            dims.push_back(std::move(*one)), begin = end + 1;
        else if (end == text.size()) dims.clear();
    }
    if (!dims.empty()) return dims;
    return Error{Code::usage,
                 "--dim '" + std::string(text.substr(0, 60)) + "' is not a name and a whole number",
                 {},
                 "write --dim batch=4, or --dim batch=4,seq=128"};
}

void GivenSizes::fill(const EntryInfo& entry) {
    const std::vector<std::string> symbols = api::symbols_of(entry);
    if (!others) return;
    if (std::ranges::find(symbols, "all") != symbols.end()) dims.emplace("all", *others); // a name like others, then
    else for (const std::string& symbol : symbols) dims.emplace(symbol, *others);
}

Result<GivenSizes> given_sizes(const Arguments& arguments, const NameMap& parameters, const NameMap& symbols) {
    auto renamed = [](const NameMap& names, const std::string& name) {
        auto it = names.find(name);
        return it == names.end() ? name : it->second;
    };
    GivenSizes sizes;
    for (const std::string& text : arguments.values("shapes")) {
        NamedShapes& set = sizes.shapes.emplace_back();
        for (auto& [name, extents] : TRY(parse_shapes(text))) set[renamed(parameters, name)] = extents;
    }
    for (const std::string& text : arguments.values("dim"))
        for (const auto& [name, number] : TRY(parse_dims(text))) {
            const bool is_new = name == "all" ? !std::exchange(sizes.others, number)
                                              : sizes.dims.emplace(renamed(symbols, name), number).second;
            if (!is_new) return Error{Code::usage, "--dim " + name + " is given twice"};
        }
    return sizes;
}

Status check_names(const GivenSizes& sizes, const EntryInfo& entry) {
    auto known = [](std::string_view flag, const std::string& name, const std::vector<std::string>& names) -> Status {
        if (std::ranges::find(names, name) != names.end()) return {};
        std::string all;
        for (const std::string& each : names) all += (all.empty() ? "" : ", ") + each;
        std::string hint = did_you_mean("", name, std::vector<std::string_view>(names.begin(), names.end()));
        if (hint.empty()) hint = names.empty() ? "there is none" : "there is " + all;
        return Error{Code::usage, "--" + std::string(flag) + ": the entry point has no " + (flag == "dim" ? "size " : "parameter ") + name, {}, hint};
    };
    std::vector<std::string> params;
    for (const DoorParam& param : entry.params) params.push_back(param.name);
    for (const NamedShapes& set : sizes.shapes)
        for (const auto& [name, extents] : set) TRY(known("shapes", name, params));
    for (const auto& [name, number] : sizes.dims) TRY(known("dim", name, api::symbols_of(entry)));
    return {};
}

namespace {
// Makes the arguments of one call that are missing.
class RandomArguments {
 public:
    RandomArguments(const Executable& exe, api::Bindings dims, uint64_t seed) : exe_(exe), entry_(exe.entries[0]), dims_(std::move(dims)), seed_(seed) {}

    // What sizes these extents show. Whether all agree is for the door to say.
    void observe(const DoorType& type, const Extents& extents) {
        for (size_t i = 0; i < std::min(type.axes.size(), extents.size()); ++i)
            if (type.axes[i] >= 0) dims_.emplace(entry_.size_names[size_t(type.axes[i])], extents[i]);
    }
    void observe(uint32_t type_index, const Value& value) {
        const DoorType& type = exe_.door_types[type_index];
        if (type.kind == DoorType::Kind::tensor && value.is(Value::Kind::tensor)) return observe(type, value.tensor().shape());
        const bool has_parts = (type.kind == DoorType::Kind::tuple && value.is(Value::Kind::tuple)) || (type.kind == DoorType::Kind::record && value.is(Value::Kind::record));
        if (!has_parts) return;
        for (size_t i = 0; i < type.fields[0].size(); ++i) {
            const Value* part = type.kind == DoorType::Kind::record ? value.field(type.names[i]) : i < value.children().size() ? &value.children()[i] : nullptr;
            if (part) observe(type.fields[0][i], *part);
        }
    }
    // `shape`: said of the parameter itself; null: nothing was.
    Result<Value> make(uint32_t type_index, const std::string& name, const Extents* shape) {
        const DoorType& type = exe_.door_types[type_index];
        switch (type.kind) {
        case DoorType::Kind::tensor: return Value::tensor(TRY(random_tensor(type.dtype, shape ? *shape : TRY(extents(type, name)), name, seed_, 2)));
        case DoorType::Kind::tuple:
        case DoorType::Kind::record: {
            if (shape) return Error{Code::usage, "--shapes: '" + name + "' is no tensor", {}, "--dim says sizes of what it is made of"};
            std::vector<Value> parts;
            std::vector<Field> fields;
            for (size_t i = 0; i < type.fields[0].size(); ++i) {
                const std::string part = type.names.empty() ? std::to_string(i) : type.names[i];
                parts.push_back(TRY(make(type.fields[0][i], name + "." + part, nullptr)));
                fields.push_back({part, parts.back()});
            }
            return type.kind == DoorType::Kind::tuple ? Value::tuple(std::move(parts)) : Value::record(std::move(fields));
        }
        case DoorType::Kind::data:
        case DoorType::Kind::seq: break;
        }
        return Error{Code::usage, "argument %" + name + " is not a tensor, and none is made up", {}, "give it with --inputs"};
    }

 private:
    Result<Extents> extents(const DoorType& type, const std::string& name) const {
        Extents extents;
        for (int32_t axis : type.axes) {
            const std::string hint = "give --shapes " + name + ":" + example(type);
            if (axis < 0) return Error{Code::usage, "argument %" + name + " has a size of its own, and nothing says what it is", {}, hint};
            const std::string& size = entry_.size_names[size_t(axis)];
            Result<int64_t> extent = api::bind_size(size, dims_);
            if (!extent) {
                Error error = std::move(extent).error();
                return Error{Code::usage, "argument %" + name + ": " + error.message, {}, error.code == Code::name ? "give --dim " + size + "=4, or " + hint.substr(5) : error.hint};
            }
            extents.push_back(*extent);
        }
        if (!type.ranked) return Error{Code::usage, "argument %" + name + " may have any rank, and nothing says which", {}, "give --shapes " + name + ":2x3"};
        return extents;
    }
    std::string example(const DoorType& type) const {
        std::string text;
        for (int32_t axis : type.axes) {
            const Result<int64_t> known = axis < 0 ? Error{} : api::bind_size(entry_.size_names[size_t(axis)], dims_);
            text += (text.empty() ? "" : "x") + (known ? std::to_string(*known) : "4");
        }
        return text;
    }

    const Executable& exe_;
    const EntryInfo& entry_;
    api::Bindings dims_;
    uint64_t seed_;
};
} // namespace

Result<NamedValues> with_random(NamedValues given, const NamedShapes& shapes, const api::Bindings& dims, const Executable& exe, uint64_t seed) {
    RandomArguments random(exe, dims, seed);
    auto value_of = [&](const std::string& name) -> const Value* {
        auto it = std::ranges::find(given, name, &Field::name);
        return it == given.end() ? nullptr : &it->value;
    };
    for (const DoorParam& param : exe.entries[0].params) {
        auto shape = shapes.find(param.name);
        if (const Value* value = value_of(param.name)) random.observe(param.type, *value);
        else if (shape != shapes.end()) random.observe(exe.door_types[param.type], shape->second);
    }
    for (const DoorParam& param : exe.entries[0].params) {
        auto shape = shapes.find(param.name);
        const Value* value = value_of(param.name);
        if (value && shape != shapes.end()) return Error{Code::usage, "--shapes: argument %" + param.name + " is given, and has its own sizes"};
        if (!value) given.push_back({param.name, TRY(random.make(param.type, param.name, shape == shapes.end() ? nullptr : &shape->second))});
    }
    return given;
}

Result<Inputs> with_random(const Inputs& given, GivenSizes sizes, const Executable& exe, uint64_t seed) {
    sizes.fill(exe.entries[0]);
    TRY(check_names(sizes, exe.entries[0]));
    const std::vector<NamedShapes> sets = sizes.shapes.empty() ? std::vector<NamedShapes>(1) : sizes.shapes;
    Inputs all{.calls = {}, .is_list = given.is_list || sets.size() > 1};
    for (const NamedValues& call : given.calls)
        for (const NamedShapes& set : sets) all.calls.push_back(TRY(with_random(call, set, sizes.dims, exe, seed)));
    return all;
}
} // namespace nereus
