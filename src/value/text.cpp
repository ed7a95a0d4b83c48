#include "value/text.h"
#include "value/element.h"

namespace nereus {
namespace {
constexpr std::string_view left_out = "…";

void append_tensor(std::string& out, const HostTensor& tensor, const TextOptions& options) {
    if (tensor.rank() == 0) {
        out += dtype_name(tensor.dtype());
        out += ' ';
        append_element(out, tensor, 0);
        return;
    }
    out += "Tensor[" + shape_text(tensor.shape()) + ", " + std::string(dtype_name(tensor.dtype())) + "] ";
    if (tensor.count() == 0) { out += "[]"; return; }
    Extents below(tensor.shape());                 // elements inside one bracket of each level
    for (size_t axis = below.size(); axis-- > 1;) below[axis - 1] *= below[axis];
    auto brackets_at = [&below](int64_t i) {
        size_t n = 0;
        for (int64_t content : below) n += i % content == 0;
        return n;
    };
    size_t rank = below.size();
    out.append(rank, '[');
    for (int64_t i = 0; i < tensor.count(); ++i) {
        size_t brackets = i > 0 ? brackets_at(i) : 0;
        out.append(brackets, ']');
        if (i > 0) out += ", ";
        if (i >= options.max_elements) {
            out += left_out;
            rank -= brackets;
            break;
        }
        out.append(brackets, '[');
        append_element(out, tensor, i);
    }
    out.append(rank, ']');
}

class Printer {
 public:
    explicit Printer(const TextOptions& options) : options_(options) {}

    std::string print(const Value& value) {
        open(value);
        while (!stack_.empty()) step();
        return std::move(out_);
    }

 private:
    struct Open { const Value* value; size_t next; };

    void open(const Value& value) {
        ++nodes_;
        switch (value.kind()) {
        case Value::Kind::tensor: append_tensor(out_, value.tensor(), options_); return;
        case Value::Kind::tuple: out_ += '('; break;
        case Value::Kind::record: out_ += '{'; break;
        case Value::Kind::seq: out_ += '['; break;
        case Value::Kind::ctor:
            out_ += value.ctor_name();
            if (value.children().empty()) return;  // nullary constructors are written without parentheses
            out_ += '(';
            break;
        }
        stack_.push_back({&value, 0});
    }

    void step() {
        Open& top = stack_.back();
        const Value& value = *top.value;
        size_t count = value.children().size();
        if (top.next == count) return close(value);
        size_t i = top.next++;
        if (i > 0) out_ += ", ";
        if (i >= options_.max_items || nodes_ >= options_.max_nodes || stack_.size() > options_.max_depth) {
            out_ += left_out;
            return close(value);
        }
        if (value.is(Value::Kind::record)) out_ += value.field_names()[i] + " = ";
        open(value.children()[i]);
    }

    void close(const Value& value) {
        switch (value.kind()) {
        case Value::Kind::tensor: break;
        case Value::Kind::tuple: out_ += value.children().size() == 1 ? ",)" : ")"; break;
        case Value::Kind::ctor: out_ += ')'; break;
        case Value::Kind::record: out_ += '}'; break;
        case Value::Kind::seq: out_ += ']'; break;
        }
        stack_.pop_back();
    }

    const TextOptions& options_;
    std::vector<Open> stack_;
    std::string out_;
    size_t nodes_ = 0;
};
} // namespace

std::string to_text(const Value& value, const TextOptions& options) { return Printer(options).print(value); }

std::string to_text(const HostTensor& tensor, const TextOptions& options) {
    std::string out;
    append_tensor(out, tensor, options);
    return out;
}
} // namespace nereus
