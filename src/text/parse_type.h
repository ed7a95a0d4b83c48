// text/parse_type.h - types, shapes, dims and facts, resolved as they are read.
#pragma once
#include "text/cursor.h"
#include "text/names.h"

namespace nereus {
struct NamedSym { std::string_view name; Sym sym; };

class TypeParser {
 public:
    enum class Unknown : uint8_t {
        quantify,  // a signature: an undeclared lower-case name is a variable of the function
        reject,    // everywhere else
        collect,   // only find out the kinds of declared parameters; what is returned means nothing
    };
    TypeParser(Cursor& cursor, ProgramNames& program, NameScope& names, bool from_prelude)
        : cursor_(cursor), program_(program), names_(names), from_prelude_(from_prelude) {}

    Unknown unknown = Unknown::reject;
    bool quantifies_in_functions = false;                // in fn(…) types of a body undeclared names are variables
    bool may_introduce = false;                          // whether `new k` is allowed here
    std::string_view declares;                           // the type whose declaration is read, if one is
    SymKind introduces = SymKind::late;                  // kind of `new k` without one
    std::vector<NamedSym> introduced;                    // by `new`, in order of the text
    const std::vector<NamedSym>* announced =
        nullptr; // `new` of the signature's result: a body's `new` means the same

    Result<TypeId> type();
    Result<Shape> shape();
    Result<Element> element();
    Result<Dim> dim();
    Result<Dim> atom();                                  // a dim up to the next operator
    Result<DimFact> fact();
    Result<DeclId> type_name(const Token& token);        // a declared type, after the name was taken
    Result<Sym> new_symbol();                            // after the word `new`
    // What the name means where only `kind` makes sense.
    Result<TypeParam> name_as(const Token& token, TypeParam::Kind kind);
    std::optional<Relation> relation() const;            // the next token as a comparison

 private:
    Result<TypeId> tensor();
    Result<TypeId> tuple(bool even_of_one = false);
    Result<TypeId> function();
    void forget_sizes(size_t mark);
    Result<TypeId> data(const Token& name);
    Result<TypeArg> argument(TypeParam::Kind kind);
    Status skip_argument(DeclId decl, size_t index);
    Result<Dim> product();
    Result<Dim> named_dim(const Token& token);
    Result<Dim> dim_function(const Token& name);
    Error unknown_name(const Token& token, TypeParam::Kind kind);
    std::string how_to_declare(const std::string& dim) const;

    Cursor& cursor_;
    ProgramNames& program_;
    NameScope& names_;
    bool from_prelude_;
    int unbracketed_ = 0;                                // fn() -> fn() -> … nests without brackets
};

TypeParam make_param(Module& module, std::string_view name, TypeParam::Kind kind);
} // namespace nereus
