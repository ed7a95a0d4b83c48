// Reads values from JSON tokens with a stack of its own: one frame per value that is open. Data lists are
// walked twice: once to count them, wherever they stand among the keys, and once to store them when dtype
// and shape are known, so that nothing is allocated on the word of a shape alone.
#include "value/element.h"
#include "value/inside_folder.h"
#include "value/json.h"
#include "value/json_lexer.h"
#include "tensor/npy.h"
#include "tensor/text_tensor.h"
#include <algorithm>
#include <map>
#include <optional>

namespace nereus {
namespace {
using Kind = JsonLexer::Kind;
using Token = JsonLexer::Token;

enum class Form : uint8_t { unknown, tensor, npy, tuple, record, ctor, seq };
enum class Key : uint8_t { dtype, shape, data, npy, tuple, record, ctor, args, seq };
struct KeyRow { std::string_view name; Key key; Form form; };
constexpr KeyRow keys[] = {
    {"dtype", Key::dtype, Form::tensor},
    {"shape", Key::shape, Form::tensor},
    {"data", Key::data, Form::tensor},
    {"npy", Key::npy, Form::npy},
    {"tuple", Key::tuple, Form::tuple},
    {"record", Key::record, Form::record},
    {"ctor", Key::ctor, Form::ctor},
    {"args", Key::args, Form::ctor},
    {"seq", Key::seq, Form::seq},
};

// A value whose closing brace has not been read.
struct Frame {
    enum class Inside : uint8_t { keys, list, fields };
    size_t start;                                  // offset of its opening brace
    Form form = Form::unknown;
    Inside inside = Inside::keys;
    bool first = true;                             // nothing read yet of what we are inside
    uint16_t seen = 0;                             // one bit per Key
    std::string name = {};                         // of a constructor, or the file of an npy
    std::vector<std::string> field_names = {};
    std::vector<Value> children = {};
    bool has(Key key) const { return seen >> int(key) & 1; }
};

class Reader {
 public:
    Reader(std::string_view text, const std::string& folder, const ScalarTypes& scalars = {})
        : text_(text), lexer_(text), folder_(folder), scalars_(scalars) {}

    Result<Value> whole_value() {
        TRY(advance());
        Value value = TRY(read_value());
        TRY(expect(Kind::end));
        return value;
    }

    Result<Inputs> whole_inputs() {
        TRY(advance());
        Inputs inputs;
        inputs.is_list = token_.kind == Kind::list_begin;
        if (!inputs.is_list) {
            inputs.calls.push_back(TRY(read_call()));
        } else {
            TRY(advance());
            for (bool first = true; TRY(more(first, Kind::list_end));)
                inputs.calls.push_back(TRY(read_call()));
        }
        TRY(expect(Kind::end));
        return inputs;
    }

 private:
    Result<NamedValues> read_call();
    Result<Value> read_argument(const std::string& name);
    Result<Value> read_value();
    Status open_value(std::vector<Frame>& stack);
    Status read_member(Frame& frame);
    Status read_shape();
    Status count_data();
    Result<Value> close_value(Frame& frame);
    Result<HostTensor> build_tensor(const Frame& frame);
    Result<HostTensor> build_texts(const Frame& frame);
    Result<HostTensor> load_npy(const Frame& frame);
    Status check_distinct(std::vector<std::string_view> names);

    Error error_here(Code code, const std::string& what) const {
        return lexer_.error_at(token_.start, code, what);
    }
    Error expected(std::string_view what) const {
        return error_here(Code::parse, "expected " + std::string(what) + ", found " +
                                           std::string(token_text(token_.kind)));
    }
    Error at(size_t offset, const Error& error) const {
        return lexer_.error_at(offset, error.code, error.message);
    }
    Status advance() {
        token_ = TRY(lexer_.next());
        return {};
    }
    Status expect(Kind kind) {
        if (token_.kind != kind) return expected(token_text(kind));
        if (kind == Kind::end) return {};
        return advance();
    }
    Result<std::string> expect_string() {
        if (token_.kind != Kind::string) return expected("a string");
        std::string text(token_.text);
        TRY(advance());
        return text;
    }
    Result<std::string> expect_key() {
        std::string key = TRY(expect_string());
        TRY(expect(Kind::colon));
        return key;
    }
    // Steps to the next element of a list or object, or past its end.
    Result<bool> more(bool& first, Kind end) {
        if (token_.kind == end) {
            TRY(advance());
            return false;
        }
        if (!first && token_.kind != Kind::comma) return expected("',' or " + std::string(token_text(end)));
        if (!first) TRY(advance());
        if (!first && token_.kind == end) return expected("another element after ','");
        first = false;
        return true;
    }

    std::string_view text_;
    JsonLexer lexer_;
    Token token_;
    const std::string& folder_;
    const ScalarTypes scalars_;
    // The tensor being read: tensors hold no values, so at most one is open.
    std::optional<DType> dtype_;
    Extents shape_;
    size_t data_start_ = 0;
    int64_t data_count_ = 0;
    std::map<std::string, HostTensor> files_;      // a file named often is read and held once
};

Result<NamedValues> Reader::read_call() {
    if (token_.kind != Kind::object_begin) return expected("an object of arguments by parameter name");
    TRY(advance());
    NamedValues call;
    for (bool first = true; TRY(more(first, Kind::object_end));) {
        std::string name = TRY(expect_key());
        Value value = TRY(read_argument(name));
        call.push_back(Field{std::move(name), std::move(value)});
    }
    std::vector<std::string_view> names;
    for (const Field& argument : call) names.push_back(argument.name);
    TRY(check_distinct(std::move(names)));
    return call;
}

// A scalar may stand for itself where the parameter says of which dtype it is.
Result<Value> Reader::read_argument(const std::string& name) {
    const bool is_plain = token_.kind == Kind::number || token_.kind == Kind::word || token_.kind == Kind::string;
    const std::optional<DType> dtype = is_plain && scalars_ ? scalars_(name) : std::nullopt;
    if (!dtype) return read_value();
    const Token token = token_;
    const std::string text(token.text);                  // of a string: as long as the token is the last one
    TRY(advance());
    if (is_text(*dtype) != (token.kind == Kind::string) && !(is_float(*dtype) && token.kind == Kind::string))
        return lexer_.error_at(token.start, Code::value,
                               "'" + name + "' is a scalar of " + std::string(dtype_name(*dtype)));
    if (is_text(*dtype)) return Value::tensor(TRY(text_tensor({}, std::vector<std::string>{text})));
    HostTensor scalar = TRY(HostTensor::make(*dtype, {}));
    Status stored = store_element(*dtype, text, TRY(scalar.mutable_bytes()));
    if (!stored) return at(token.start, stored.error());
    return Value::tensor(std::move(scalar));
}

Result<Value> Reader::read_value() {
    std::vector<Frame> stack;
    TRY(open_value(stack));
    for (;;) {
        Frame& top = stack.back();
        switch (top.inside) {
        case Frame::Inside::keys: {
            if (TRY(more(top.first, Kind::object_end))) {
                TRY(read_member(top));
                break;
            }
            Value value = TRY(close_value(top));
            stack.pop_back();
            if (stack.empty()) return value;
            stack.back().children.push_back(std::move(value));
            break;
        }
        case Frame::Inside::list:
            if (TRY(more(top.first, Kind::list_end))) {
                TRY(open_value(stack));
                break;
            }
            top.inside = Frame::Inside::keys;
            top.first = false;
            break;
        case Frame::Inside::fields:
            if (TRY(more(top.first, Kind::object_end))) {
                top.field_names.push_back(TRY(expect_key()));
                TRY(open_value(stack));
                break;
            }
            TRY(check_distinct({top.field_names.begin(), top.field_names.end()}));
            top.inside = Frame::Inside::keys;
            top.first = false;
            break;
        }
    }
}

Status Reader::open_value(std::vector<Frame>& stack) {
    if (token_.kind != Kind::object_begin) {
        Error error = expected("a value");
        error.hint = R"(a scalar is written {"dtype": "f32", "shape": [], "data": [2.5]})";
        return error;
    }
    stack.push_back(Frame{token_.start});
    return advance();
}

Status Reader::read_member(Frame& frame) {
    size_t start = token_.start;
    std::string name = TRY(expect_key());
    const KeyRow* row = std::ranges::find(keys, name, &KeyRow::name);
    if (row == std::end(keys))
        return lexer_.error_at(start, Code::parse,
                               "unknown key '" + name + "'; a value has dtype, shape and data, or npy, tuple, "
                                                        "record, seq, or ctor and args");
    if (frame.form != Form::unknown && frame.form != row->form)
        return lexer_.error_at(start, Code::parse, "key '" + name + "' belongs to another form of value");
    if (frame.has(row->key)) return lexer_.error_at(start, Code::parse, "key '" + name + "' is given twice");
    frame.form = row->form;
    frame.seen |= uint16_t(1 << int(row->key));
    switch (row->key) {
    case Key::dtype: {
        if (token_.kind != Kind::string) return expected("a dtype");
        dtype_ = dtype_from_name(token_.text);
        if (!dtype_)
            return error_here(Code::type, "unknown dtype '" + std::string(token_.text) + "'; expected " + std::string(dtype_choices));
        return advance();
    }
    case Key::shape: return read_shape();
    case Key::data: return count_data();
    case Key::npy: case Key::ctor:
        if (token_.kind == Kind::string && token_.text.empty())
            return error_here(Code::parse, "an empty name");
        frame.name = TRY(expect_string());
        return {};
    case Key::tuple: case Key::args: case Key::seq:
        frame.inside = Frame::Inside::list;
        frame.first = true;
        return expect(Kind::list_begin);
    case Key::record:
        frame.inside = Frame::Inside::fields;
        frame.first = true;
        return expect(Kind::object_begin);
    }
    return {};
}

Status Reader::read_shape() {
    shape_.clear();
    TRY(expect(Kind::list_begin));
    for (bool first = true; TRY(more(first, Kind::list_end)); TRY(advance())) {
        if (token_.kind != Kind::number) return expected("an extent");
        if (shape_.size() == max_rank)
            return error_here(Code::limit, "rank is over the limit of " + std::to_string(max_rank));
        int64_t extent = 0;
        Status stored = store_element(DType::i64, token_.text, reinterpret_cast<std::byte*>(&extent));
        if (!stored) return at(token_.start, stored.error());
        if (extent < 0) return error_here(Code::shape, "a negative extent");
        shape_.push_back(extent);
    }
    return {};
}

Status Reader::count_data() {
    data_start_ = token_.start;
    data_count_ = 0;
    TRY(expect(Kind::list_begin));
    for (bool first = true; TRY(more(first, Kind::list_end)); TRY(advance())) {
        if (token_.kind == Kind::list_begin)
            return error_here(Code::parse, "data is one flat list in row-major order");
        if (token_.kind != Kind::number && token_.kind != Kind::string && token_.kind != Kind::word)
            return expected("an element");
        ++data_count_;
    }
    return {};
}

Result<Value> Reader::close_value(Frame& frame) {
    switch (frame.form) {
    case Form::unknown: return lexer_.error_at(frame.start, Code::parse, "an empty object is no value");
    case Form::tensor: return Value::tensor(TRY(build_tensor(frame)));
    case Form::npy: return Value::tensor(TRY(load_npy(frame)));
    case Form::tuple: return Value::tuple(std::move(frame.children));
    case Form::seq: return Value::seq(std::move(frame.children));
    case Form::ctor:
        if (!frame.has(Key::ctor)) return lexer_.error_at(frame.start, Code::parse, "args without ctor");
        return Value::ctor(std::move(frame.name), std::move(frame.children));
    case Form::record: {
        std::vector<Field> fields;
        fields.reserve(frame.children.size());
        for (size_t i = 0; i < frame.children.size(); ++i)
            fields.push_back(Field{std::move(frame.field_names[i]), std::move(frame.children[i])});
        return Value::record(std::move(fields));
    }
    }
    return Value();
}

Result<HostTensor> Reader::build_tensor(const Frame& frame) {
    for (const KeyRow& row : keys)
        if (row.form == Form::tensor && !frame.has(row.key))
            return lexer_.error_at(frame.start, Code::parse, "a tensor without " + std::string(row.name));
    Result<int64_t> count = element_count(shape_);
    if (!count) return at(frame.start, count.error());
    if (*count != data_count_)
        return lexer_.error_at(data_start_, Code::shape,
                               "shape " + shape_text(shape_) + " takes " + std::to_string(*count) +
                                   " elements, data has " + std::to_string(data_count_));
    if (is_text(*dtype_)) return build_texts(frame);
    Result<HostTensor> made = HostTensor::make(*dtype_, shape_);
    if (!made) return at(frame.start, made.error());
    HostTensor tensor = std::move(made).take();
    std::byte* target = TRY(tensor.mutable_bytes());
    JsonLexer again(text_, data_start_ + 1);       // every token was seen to be well formed
    for (int64_t i = 0; i < *count; ++i, target += size_of(*dtype_)) {
        Token element = TRY(again.next());
        if (element.kind == Kind::comma) element = TRY(again.next());
        std::string_view text = element.text;
        if (element.kind == Kind::string && text != "nan" && text != "inf" && text != "-inf")
            return again.error_at(element.start, Code::value,
                                  "the only strings in data are \"nan\", \"inf\" and \"-inf\"");
        Status stored = store_element(*dtype_, text, target);
        if (!stored) return at(element.start, stored.error());
    }
    return tensor;
}

Result<HostTensor> Reader::build_texts(const Frame& frame) {
    std::vector<std::string> texts;
    JsonLexer again(text_, data_start_ + 1);
    for (int64_t i = 0; i < data_count_; ++i) {
        Token element = TRY(again.next());
        if (element.kind == Kind::comma) element = TRY(again.next());
        if (element.kind != Kind::string) return again.error_at(element.start, Code::value, "an element of str is a string");
        texts.emplace_back(element.text);
    }
    Result<HostTensor> made = text_tensor(shape_, texts);
    return made ? std::move(made) : at(frame.start, made.error());
}

Result<HostTensor> Reader::load_npy(const Frame& frame) {
    if (folder_.empty())
        return lexer_.error_at(frame.start, Code::unsupported, "no npy files can be named here");
    auto known = files_.find(frame.name);
    if (known != files_.end()) return known->second;
    Result<std::string> path = inside_folder(folder_, frame.name);
    if (!path) return at(frame.start, path.error());
    Result<HostTensor> tensor = read_npy(*path);
    if (!tensor) return at(frame.start, tensor.error());
    files_.emplace(frame.name, *tensor);
    return tensor;
}

Status Reader::check_distinct(std::vector<std::string_view> names) {
    std::sort(names.begin(), names.end());         // not pairwise: a record may have a million fields
    auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice == names.end()) return {};
    return error_here(Code::parse,
                      "the name '" + std::string(*twice) + "' is given twice in the object before");
}
} // namespace

Result<Value> parse_json_value(std::string_view text, const std::string& folder) {
    return Reader(text, folder).whole_value();
}

Result<Inputs> read_inputs_json(std::string_view text, const std::string& folder, const ScalarTypes& scalars) {
    return Reader(text, folder, scalars).whole_inputs();
}
} // namespace nereus
