#include "value/npz.h"
#include "base/file.h"
#include "tensor/npy.h"
#include "value/zip.h"
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

namespace nereus {
namespace {
constexpr std::string_view suffix = ".npy";
Error broken(std::string what) { return Error{Code::parse, "npz: " + std::move(what)}; }

bool is_word(std::string_view text) {
    auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
    return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// One step of a path: into a record, a tuple, a Seq or a constructor; or the mark of one that has nothing inside.
struct Step {
    Value::Kind into = Value::Kind::tuple;
    std::string name = {};                               // of a field or constructor
    int64_t index = -1;                                  // of an item or argument; -1: of a field, or nothing is inside
};

class PathReader {
 public:
    explicit PathReader(std::string_view path) : path_(path) {}

    Result<std::vector<Step>> read() {
        std::vector<Step> steps;
        for (bool first = true; at_ < path_.size(); first = false) steps.push_back(TRY(step(first)));
        return steps;
    }

 private:
    Result<Step> step(bool first) {
        if (accept("[]")) return last(Step{Value::Kind::seq});
        if (accept("()")) return last(Step{Value::Kind::tuple});
        if (accept("[")) {
            Step item{Value::Kind::seq, {}, TRY(index())};
            if (!accept("]")) return wrong("a ']'");
            return item;
        }
        if (!accept(".") && !first) return wrong("a '.' or '['");
        if (at_ < path_.size() && is_digit(path_[at_])) return Step{Value::Kind::tuple, {}, TRY(index())};
        std::string name = TRY(word());
        if (!is_upper(name[0])) return Step{Value::Kind::record, std::move(name)};
        if (at_ == path_.size()) return Step{Value::Kind::ctor, std::move(name)};
        if (!accept(".")) return wrong("a '.' and the number of an argument");
        return Step{Value::Kind::ctor, std::move(name), TRY(index())};
    }
    Result<Step> last(Step step) {
        if (at_ != path_.size()) return wrong("the end, as nothing is inside");
        return step;
    }
    Result<std::string> word() {
        const size_t start = at_;
        while (at_ < path_.size() && is_word(path_.substr(at_, 1))) ++at_;
        if (at_ == start) return wrong("a name or number");
        return std::string(path_.substr(start, at_ - start));
    }
    Result<int64_t> index() {
        const std::string digits = TRY(word());
        int64_t value = -1;
        auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc() || end != digits.data() + digits.size() || (digits.size() > 1 && digits[0] == '0')) return wrong("a number");
        return value;
    }
    bool accept(std::string_view text) {
        if (!path_.substr(at_).starts_with(text)) return false;
        at_ += text.size();
        return true;
    }
    Error wrong(std::string_view expected) const {
        return broken("the name '" + std::string(path_.substr(0, 60)) + "' is no path: expected " + std::string(expected) + " at byte " + std::to_string(at_));
    }
    std::string_view path_;
    size_t at_ = 0;
};

// What the names say so far, as a tree of places; the parts of a place come after it.
class Places {
 public:
    Status add(std::string_view path, HostTensor tensor) {
        size_t at = 0;
        for (const Step& step : TRY(PathReader(path).read())) at = TRY(enter(at, step, path));
        if (at == nowhere) return {};                    // a mark
        if (places_[at].tensor || places_[at].kind) return broken("'" + shown(path) + "' is there twice");
        places_[at].tensor = std::move(tensor);
        return {};
    }

    // From the end to the front: a part is made before what it is part of.
    Result<Value> value() {
        std::vector<Value> made(places_.size());
        for (size_t i = places_.size(); i-- > 0;) {
            Place& place = places_[i];
            if (place.tensor) made[i] = Value::tensor(std::move(*place.tensor));
            if (!place.kind) continue;
            std::vector<Value> parts(place.parts.size());
            std::vector<Field> fields;
            for (const auto& [index, part] : place.parts) {
                if (*place.kind == Value::Kind::record) fields.push_back({place.names[part], std::move(made[part])});
                else if (index >= int64_t(parts.size()))
                    return broken("there is a '" + shown(place.path) + "' with part " + std::to_string(index) + " of only " + std::to_string(parts.size()));
                else parts[size_t(index)] = std::move(made[part]);
            }
            switch (*place.kind) {
            case Value::Kind::record: made[i] = Value::record(std::move(fields)); break;
            case Value::Kind::tuple: made[i] = Value::tuple(std::move(parts)); break;
            case Value::Kind::seq: made[i] = Value::seq(std::move(parts)); break;
            case Value::Kind::ctor: made[i] = Value::ctor(place.name, std::move(parts)); break;
            case Value::Kind::tensor: break;
            }
        }
        return std::move(made[0]);
    }

 private:
    static constexpr size_t nowhere = SIZE_MAX;
    struct Place {
        std::optional<HostTensor> tensor = {};
        std::optional<Value::Kind> kind = {};
        std::string name = {}, path = {};
        std::map<int64_t, size_t> parts = {};            // by index; a field's is its place in the file
        std::map<std::string, int64_t, std::less<>> fields = {};
        std::map<size_t, std::string> names = {};        // by part
    };

    Result<size_t> enter(size_t at, const Step& step, std::string_view path) {
        Place& place = places_[at];
        const bool fresh = !place.kind;
        if (place.tensor || (!fresh && (*place.kind != step.into || (step.into == Value::Kind::ctor && place.name != step.name))))
            return broken("'" + shown(path) + "' does not fit the names before it: one place holds one kind of value");
        if (fresh) place.kind = step.into, place.path = path.substr(0, 60);
        if (step.into == Value::Kind::ctor) place.name = step.name;
        if (step.into != Value::Kind::record && step.index < 0) {
            if (!fresh) return broken("'" + shown(path) + "' says that nothing is inside, but there is");
            return nowhere;
        }
        int64_t index = step.index;
        if (step.into == Value::Kind::record) index = place.fields.try_emplace(step.name, int64_t(place.fields.size())).first->second;
        auto [it, is_new] = place.parts.try_emplace(index, places_.size());
        const size_t part = it->second;
        if (!is_new) return part;
        if (step.into == Value::Kind::record) place.names.emplace(part, step.name);
        places_.emplace_back();
        return part;
    }
    static std::string shown(std::string_view path) { return std::string(path.substr(0, 60)); }

    std::vector<Place> places_ = std::vector<Place>(1);
};
} // namespace

namespace {
Result<std::string_view> array_name(const ZipMember& member) {
    const std::string_view name = member.name;
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
    return broken("'" + std::string(name.substr(0, 60)) + "' is no array: its name does not end in .npy");
}
Result<HostTensor> array_of(const ZipMember& member) {
    Result<HostTensor> tensor = parse_npy(member.bytes);
    if (tensor) return tensor;
    Error error = std::move(tensor).error();
    error.message = "npz: '" + std::string(member.name.substr(0, 60)) + "': " + error.message;
    return error;
}
template <class T> Result<T> of_file(Result<T> read, const std::string& file) {
    if (read) return read;
    Error error = std::move(read).error();
    error.message = "'" + file + "': " + error.message;
    return error;
}
} // namespace

Result<Value> parse_npz(std::string_view file, std::string_view path) {
    Places places;
    bool found = false;
    for (const ZipMember& member : TRY(parse_zip(file))) {
        std::string_view name = TRY(array_name(member));
        if (!path.empty()) {
            if (!name.starts_with(path)) continue;
            std::string_view rest = name.substr(path.size());
            if (!rest.empty() && rest[0] != '.' && rest[0] != '[' && rest[0] != '(') continue;
            name = rest.starts_with('.') ? rest.substr(1) : rest;
        }
        found = true;
        TRY(places.add(name, TRY(array_of(member))));
    }
    if (!found) return Error{Code::value, path.empty() ? "npz: no arrays" : "npz: nothing is at '" + std::string(path) + "'"};
    return places.value();
}

namespace {
Status add_arrays(Value value, std::string name, std::vector<ZipMember>& out) {
    struct Waiting { Value value; std::string path; };
    std::vector<Waiting> stack;
    stack.push_back({std::move(value), std::move(name)});
    const std::string nothing = to_npy(HostTensor::of<bool>({0}, {}));
    while (!stack.empty()) {
        const Waiting now = std::move(stack.back());
        stack.pop_back();
        if (now.path.size() > 0xffff) return Error{Code::limit, "npz: a path of more than 65535 bytes", {}, "a Seq has shorter paths than a List"};
        const std::string dot = now.path.empty() ? "" : now.path + ".";
        auto mark = [&](const std::string& path) { out.push_back({path + std::string(suffix), nothing}); };
        std::vector<Waiting> parts;
        switch (now.value.kind()) {
        case Value::Kind::tensor: out.push_back({now.path + std::string(suffix), to_npy(now.value.tensor())}); break;
        case Value::Kind::record:
            for (size_t i = 0; i < now.value.children().size(); ++i) {
                const std::string& name = now.value.field_names()[i];
                if (!is_word(name) || is_upper(name[0]) || is_digit(name[0])) return Error{Code::value, "npz: a field with the name '" + name + "' has no path"};
                parts.push_back({now.value.children()[i], dot + name});
            }
            if (parts.empty()) return Error{Code::value, "npz: a record without fields has no path"};
            break;
        case Value::Kind::tuple: case Value::Kind::seq: {
            const bool seq = now.value.is(Value::Kind::seq);
            for (size_t i = 0; i < now.value.children().size(); ++i)
                parts.push_back({now.value.children()[i], seq ? now.path + "[" + std::to_string(i) + "]" : dot + std::to_string(i)});
            if (parts.empty()) mark(now.path + (seq ? "[]" : "()"));
            break;
        }
        case Value::Kind::ctor: {
            const std::string name(now.value.ctor_name());
            if (!is_word(name) || !is_upper(name[0])) return Error{Code::value, "npz: a constructor with the name '" + name + "' has no path"};
            for (size_t i = 0; i < now.value.children().size(); ++i) parts.push_back({now.value.children()[i], dot + name + "." + std::to_string(i)});
            if (parts.empty()) mark(dot + name);
            break;
        }
        }
        stack.insert(stack.end(), std::make_move_iterator(parts.rbegin()), std::make_move_iterator(parts.rend()));
    }
    return {};
}
} // namespace

Result<std::string> to_npz(const Value& value) {
    std::vector<ZipMember> members;
    TRY(add_arrays(value, "", members));
    return to_zip(members);
}
Result<std::string> to_npz(std::span<const Field> named) {
    std::vector<ZipMember> members;
    std::set<std::string_view> names;
    for (const Field& field : named)
        if (names.insert(field.name).second) TRY(add_arrays(field.value, field.name, members));
    return to_zip(members);
}

Result<Value> read_npz(const std::string& file, std::string_view path) { return of_file(parse_npz(TRY(read_file(file)), path), file); }

Result<std::vector<Field>> read_npz_arrays(const std::string& file) {
    auto read = [](std::string_view bytes) -> Result<std::vector<Field>> {
        std::vector<Field> arrays;
        for (const ZipMember& member : TRY(parse_zip(bytes))) arrays.push_back({std::string(TRY(array_name(member))), Value::tensor(TRY(array_of(member)))});
        return arrays;
    };
    return of_file(read(TRY(read_file(file))), file);
}

Status write_npz(const std::string& file, const Value& value) { return write_file(file, TRY(to_npz(value))); }
Status write_npz(const std::string& file, std::span<const Field> named) { return write_file(file, TRY(to_npz(named))); }
} // namespace nereus
