#include "plugin/attributes.h"
#include <charconv>

namespace nereus {
namespace {
class Reader {
 public:
    explicit Reader(std::string_view text) : text_(text) {}

    Result<PluginAttributes> list() {
        PluginAttributes out;
        for (skip(); at_ < text_.size(); skip()) {
            if (!out.empty()) TRY(expect(','));
            PluginAttribute one;
            one.name = word();
            if (one.name.empty()) return wrong("a name");
            for (const PluginAttribute& other : out)
                if (other.name == one.name) return Error{Code::parse, "attribute '" + one.name + "' is there twice"};
            TRY(expect('='));
            TRY(value(one));
            out.push_back(std::move(one));
        }
        return out;
    }

 private:
    Status value(PluginAttribute& out) {
        skip();
        if (taken('"')) return text(out);
        if (taken('[')) {
            std::vector<int64_t> numbers;
            while (!taken(']')) {
                if (!numbers.empty()) TRY(expect(','));
                numbers.push_back(TRY(number()));
            }
            out.value = std::move(numbers);
            return {};
        }
        const size_t begin = at_;
        const std::string truth = word();
        if (truth == "true" || truth == "false") out.value = truth == "true";
        else at_ = begin, out.value = TRY(number());
        return {};
    }
    Status text(PluginAttribute& out) {
        std::string made;
        while (at_ < text_.size() && text_[at_] != '"') {
            if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
            made += text_[at_++];
        }
        out.value = std::move(made);
        return expect('"');
    }
    Result<int64_t> number() {
        skip();
        int64_t found = 0;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), found);
        if (error != std::errc()) return wrong("a number, [numbers], \"text\", true or false");
        at_ = size_t(end - text_.data());
        return found;
    }
    std::string word() {
        skip();
        const size_t begin = at_;
        while (at_ < text_.size() && is_plain_name(text_.substr(at_, 1))) ++at_;
        return std::string(text_.substr(begin, at_ - begin));
    }
    void skip() { while (at_ < text_.size() && text_[at_] == ' ') ++at_; }
    bool taken(char c) {
        skip();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    Status expect(char c) { return taken(c) ? Status() : wrong(std::string(1, c)); }
    Error wrong(const std::string& expected) const {
        const std::string found = at_ < text_.size() ? "'" + std::string(text_.substr(at_, 10)) + "'" : "the end";
        return Error{Code::parse, "attributes: found " + found + ", expected " + expected};
    }

    std::string_view text_;
    size_t at_ = 0;
};

const PluginAttribute* find(const nereus_plugin_attributes* of, const char* name) {
    if (name)
        for (const PluginAttribute& one : *static_cast<const PluginAttributes*>(of->self))
            if (one.name == name) return &one;
    return nullptr;
}
int64_t integer(const nereus_plugin_attributes* of, const char* name) {
    const PluginAttribute* found = find(of, name);
    if (!found) return 0;
    if (const bool* truth = std::get_if<bool>(&found->value)) return *truth;
    const int64_t* number = std::get_if<int64_t>(&found->value);
    return number ? *number : 0;
}
const int64_t* integers(const nereus_plugin_attributes* of, const char* name, int64_t* out_count) {
    const PluginAttribute* found = find(of, name);
    const std::vector<int64_t>* list = found ? std::get_if<std::vector<int64_t>>(&found->value) : nullptr;
    if (out_count) *out_count = list ? int64_t(list->size()) : 0;
    return list ? list->data() : nullptr;
}
const char* text(const nereus_plugin_attributes* of, const char* name) {
    const PluginAttribute* found = find(of, name);
    const std::string* written = found ? std::get_if<std::string>(&found->value) : nullptr;
    return written ? written->c_str() : nullptr;
}
} // namespace

bool is_plain_name(std::string_view name) {
    for (char c : name)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
    return !name.empty();
}

Result<PluginAttributes> parse_attributes(std::string_view text) { return Reader(text).list(); }

std::string attributes_text(const PluginAttributes& attributes) {
    std::string out;
    for (const PluginAttribute& one : attributes) {
        out += (out.empty() ? "" : ", ") + one.name + "=";
        if (const int64_t* number = std::get_if<int64_t>(&one.value)) out += std::to_string(*number);
        if (const bool* truth = std::get_if<bool>(&one.value)) out += *truth ? "true" : "false";
        if (const std::vector<int64_t>* list = std::get_if<std::vector<int64_t>>(&one.value)) {
            out += "[";
            for (size_t i = 0; i < list->size(); ++i) out += (i ? ", " : "") + std::to_string((*list)[i]);
            out += "]";
        }
        if (const std::string* written = std::get_if<std::string>(&one.value)) {
            out += '"';
            for (char c : *written) out += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
            out += '"';
        }
    }
    return out;
}

nereus_plugin_attributes attributes_view(const PluginAttributes& attributes) { return {&attributes, integer, integers, text}; }
} // namespace nereus
