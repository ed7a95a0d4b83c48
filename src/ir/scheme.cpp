#include "ir/scheme.h"
#include <cctype>

namespace nereus {
namespace {
class SchemeReader {
 public:
    explicit SchemeReader(std::string_view text) : text_(text) {}

    Result<Scheme> scheme() {
        if (text_.find(':') != text_.npos) TRY(binders());
        if (!taken("->")) {
            do {
                SchemeArg arg{TRY(type())};
                arg.repeated = taken("..");
                scheme_.args.push_back(std::move(arg));
            } while (taken(","));
            TRY(expect("->"));
        }
        scheme_.result = TRY(type());
        skip_space();
        if (at_ != text_.size()) return wrong("the end");
        return std::move(scheme_);
    }

 private:
    Status binders() {
        do {
            if (taken("'")) {
                scheme_.type_vars.push_back(name());
                continue;
            }
            std::string class_name = name();
            DTypeClass of = DTypeClass::any;
            if (class_name == "equal") of = DTypeClass::equal;
            else if (class_name == "basic") of = DTypeClass::basic;
            else if (class_name == "num") of = DTypeClass::num;
            else if (class_name == "int") of = DTypeClass::integer;
            else if (class_name == "float") of = DTypeClass::real;
            else if (class_name != "any") return wrong("any, equal, basic, num, int, float or a quoted name");
            scheme_.dtype_vars.push_back({name(), of});
        } while (taken(","));
        return expect(":");
    }

    Result<SchemeType> type() {
        using Kind = SchemeType::Kind;
        if (taken("$")) return SchemeType{.kind = Kind::dtype_param, .param = name()};
        if (taken("(")) return tuple();
        if (taken("'")) {
            std::string var = name();
            for (size_t i = 0; i < scheme_.type_vars.size(); ++i)
                if (scheme_.type_vars[i] == var) return SchemeType{.kind = Kind::type_var, .var = uint32_t(i)};
            return wrong("a declared type variable");
        }
        std::string word = name();
        if (std::optional<DType> dtype = dtype_from_name(word)) return SchemeType{.kind = Kind::dtype, .dtype = *dtype};
        if (word == "Ref" || word == "Seq") {
            SchemeType made{.kind = word == "Ref" ? Kind::ref : Kind::seq};
            TRY(expect("["));
            made.parts.push_back(TRY(type()));
            TRY(expect("]"));
            return made;
        }
        if (word == "fn") {
            TRY(expect("("));
            SchemeType made = TRY(tuple());
            made.kind = Kind::function;
            TRY(expect("->"));
            made.parts.push_back(TRY(type()));
            return made;
        }
        for (size_t i = 0; i < scheme_.dtype_vars.size(); ++i)
            if (scheme_.dtype_vars[i].name == word) return SchemeType{.kind = Kind::dtype_var, .var = uint32_t(i)};
        return wrong("a type");
    }

    Result<SchemeType> tuple() {                         // after the opening bracket
        SchemeType made{.kind = SchemeType::Kind::tuple};
        if (taken(")")) return made;
        do made.parts.push_back(TRY(type())); while (taken(","));
        if (taken("..")) made.kind = SchemeType::Kind::tuple_of_sizes;
        TRY(expect(")"));
        return made;
    }

    void skip_space() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    bool taken(std::string_view token) {
        skip_space();
        if (!text_.substr(at_).starts_with(token)) return false;
        at_ += token.size();
        return true;
    }
    std::string name() {
        skip_space();
        size_t begin = at_;
        while (at_ < text_.size() && (std::isalnum(uint8_t(text_[at_])) || text_[at_] == '_')) ++at_;
        return std::string(text_.substr(begin, at_ - begin));
    }
    Status expect(std::string_view token) {
        if (taken(token)) return {};
        return wrong(std::string(token));
    }
    Error wrong(const std::string& expected) const {
        return Error{Code::internal, "scheme \"" + std::string(text_) + "\": expected " + expected + " at column " +
                                         std::to_string(at_ + 1)};
    }

    std::string_view text_;
    size_t at_ = 0;
    Scheme scheme_;
};
} // namespace

Result<Scheme> parse_scheme(std::string_view text) { return SchemeReader(text).scheme(); }
} // namespace nereus
