// Values back to C: elements, parts, names, texts.
#include "api/bytes.h"
#include "api/value_handle.h"
#include "tensor/text_tensor.h"
#include "value/compare.h"
#include "value/json.h"
#include "value/npz.h"
#include "value/text.h"

namespace nereus::api {
namespace {
static_assert(NEREUS_TENSOR == int(Value::Kind::tensor) + 1 && NEREUS_TUPLE == int(Value::Kind::tuple) + 1 &&
              NEREUS_RECORD == int(Value::Kind::record) + 1 && NEREUS_CONSTRUCTOR == int(Value::Kind::ctor) + 1 &&
              NEREUS_SEQUENCE == int(Value::Kind::seq) + 1);

Status require(const nereus_value* value, Value::Kind kind) {
    TRY(given(value, kind == Value::Kind::record ? "record" : "value"));
    const Value::Kind found = Borrowed(value)->kind();
    if (found == kind) return {};
    return Error{Code::usage, "the value is a " + std::string(kind_name(found)) + ", not a " + std::string(kind_name(kind))};
}
Status has_part(const Value& value, size_t index) {
    if (index < value.children().size()) return {};
    return Error{Code::usage, "part " + std::to_string(index) + " of a value that has " + std::to_string(value.children().size())};
}
template <class Write> nereus_status* written(const nereus_value* value, nereus_bytes** out_text, Write&& write) {
    return at_the_edge([&]() -> Status {
        TRY(given(value, "value"));
        TRY(given(out_text, "out_text"));
        *out_text = hand_out(write(*Borrowed(value)));
        return {};
    });
}
} // namespace
} // namespace nereus::api

using namespace nereus;
using namespace nereus::api;

extern "C" {
nereus_kind nereus_value_kind(const nereus_value* value) {
    return value ? int32_t(Borrowed(value)->kind()) + 1 : NEREUS_NOTHING;
}
nereus_status* nereus_value_tensor(const nereus_value* value, nereus_tensor* out_tensor) {
    return at_the_edge([&]() -> Status {
        TRY(require(value, Value::Kind::tensor));
        const Borrowed borrowed(value);
        const HostTensor& tensor = borrowed->tensor();
        nereus_tensor found{};
        found.dtype = nereus_dtype(tensor.dtype());
        found.rank = size_t(tensor.rank()), found.extents = tensor.shape().data();
        found.data = tensor.bytes();
        found.count = size_t(tensor.count()), found.bytes = size_t(tensor.byte_size());
        return give_struct(found, out_tensor, "out_tensor");
    });
}
nereus_status* nereus_value_text(const nereus_value* value, size_t index, const char** out_text, size_t* out_size) {
    return at_the_edge([&]() -> Status {
        TRY(require(value, Value::Kind::tensor));
        TRY(given(out_text, "out_text"));
        TRY(given(out_size, "out_size"));
        const Borrowed borrowed(value);
        const HostTensor& tensor = borrowed->tensor();
        if (!is_text(tensor.dtype())) return Error{Code::usage, "the tensor is of " + std::string(dtype_name(tensor.dtype())) + ", not of texts"};
        if (index >= size_t(tensor.count())) return Error{Code::usage, "element " + std::to_string(index) + " of a tensor that has " + std::to_string(tensor.count())};
        const std::string_view text = text_at(tensor, int64_t(index));
        *out_text = text.empty() ? "" : text.data(), *out_size = text.size();
        return {};
    });
}
size_t nereus_value_size(const nereus_value* value) { return value ? Borrowed(value)->children().size() : 0; }

nereus_status* nereus_value_part(const nereus_value* value, size_t index, const nereus_value** out_part) {
    return at_the_edge([&]() -> Status {
        TRY(given(value, "value"));
        TRY(given(out_part, "out_part"));
        const Borrowed borrowed(value);
        TRY(has_part(*borrowed, index));
        *out_part = handle_of(borrowed->children()[index]);
        return {};
    });
}
nereus_status* nereus_value_field(const nereus_value* record, const char* name, const nereus_value** out_part) {
    return at_the_edge([&]() -> Status {
        TRY(require(record, Value::Kind::record));
        TRY(given(name, "name"));
        TRY(given(out_part, "out_part"));
        const Value* found = Borrowed(record)->field(name);
        if (!found) return Error{Code::name, "the record has no field '" + std::string(name) + "'"};
        *out_part = handle_of(*found);
        return {};
    });
}
nereus_status* nereus_value_field_name(const nereus_value* record, size_t index, const char** out_name) {
    return at_the_edge([&]() -> Status {
        TRY(require(record, Value::Kind::record));
        TRY(given(out_name, "out_name"));
        const Borrowed borrowed(record);
        TRY(has_part(*borrowed, index));
        *out_name = borrowed->field_names()[index].c_str();
        return {};
    });
}
nereus_status* nereus_value_constructor(const nereus_value* value, const char** out_name) {
    return at_the_edge([&]() -> Status {
        TRY(require(value, Value::Kind::ctor));
        TRY(given(out_name, "out_name"));
        *out_name = Borrowed(value)->ctor_name().data();          // of a std::string: a zero follows
        return {};
    });
}

nereus_status* nereus_value_to_text(const nereus_value* value, nereus_bytes** out_text) {
    return written(value, out_text, [](const Value& v) { return to_text(v); });
}
nereus_status* nereus_value_to_json(const nereus_value* value, nereus_bytes** out_text) {
    return written(value, out_text, [](const Value& v) { return to_json(v); });
}
nereus_status* nereus_value_save_npz(const nereus_value* value, const char* path) {
    return at_the_edge([&]() -> Status {
        TRY(given(value, "value"));
        TRY(given(path, "path"));
        return write_npz(path, *Borrowed(value));
    });
}
nereus_status* nereus_value_equal(const nereus_value* a, const nereus_value* b, int* out_equal) {
    return at_the_edge([&]() -> Status {
        TRY(given(a, "a"));
        TRY(given(b, "b"));
        TRY(given(out_equal, "out_equal"));
        *out_equal = equal_bitwise(*Borrowed(a), *Borrowed(b)) ? 1 : 0;
        return {};
    });
}
nereus_status* nereus_value_compare(const nereus_value* found, const nereus_value* expected, double relative, double absolute,
                                    nereus_bytes** out_text) {
    return at_the_edge([&]() -> Status {
        TRY(given(found, "found"));
        TRY(given(expected, "expected"));
        TRY(given(out_text, "out_text"));
        std::optional<Difference> difference = compare(*Borrowed(found), *Borrowed(expected), Tolerance{relative, absolute, true});
        *out_text = !difference               ? nullptr
                    : difference->path.empty() ? hand_out(difference->what)
                                               : hand_out(difference->path + ": " + difference->what);
        return {};
    });
}

const char* nereus_bytes_data(const nereus_bytes* bytes) { return bytes ? bytes->content.c_str() : ""; }
size_t nereus_bytes_size(const nereus_bytes* bytes) { return bytes ? bytes->content.size() : 0; }
void nereus_bytes_release(nereus_bytes* bytes) { std::unique_ptr<nereus_bytes> last(bytes); }
} // extern "C"
