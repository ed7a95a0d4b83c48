// text/parse_decl.h - what stands at top level: imports, types and the signatures of functions. Names are collected
// before anything is resolved, so that the order of declarations never matters.
#pragma once
#include "text/parse_body.h"
#include <deque>
#include <map>

namespace nereus {
struct SourceFile {
    std::vector<Token> tokens;
    bool from_prelude = false;
};
struct TypeItem {
    DeclId id;
    const std::vector<Token>* tokens = nullptr;
    size_t params = 0, body = 0;                         // positions after the name and after the `=`
    bool from_prelude = false;
};
struct ImportItem { std::string path; Span span; };

// Finds the items of a file and enters their names into the program.
class Declarations {
 public:
    explicit Declarations(ProgramNames& program) : program_(program) {}
    Status collect(const SourceFile& file, std::vector<ImportItem>& imports);
    Status resolve_types();                              // kinds of parameters, then constructors and fields
    Status resolve_signatures();
    std::deque<FunctionItem>& functions() { return functions_; }

 private:
    Status collect_type(Cursor& cursor, bool from_prelude, const SourceFile& file);
    Status collect_function(Cursor& cursor, bool from_prelude, const SourceFile& file);
    Status type_params(Cursor& cursor, NameScope& names, std::vector<std::string_view>& order);
    Status type_body(const TypeItem& item, NameScope& names, bool collecting);
    Status constructor_dims(Cursor& cursor, NameScope& names, Constructor* into);
    Status signature(FunctionItem& item);
    Status not_a_size_of(const Function& function, TypeId result, const NameEntry& entry);
    Status vjp(Cursor& cursor, FunctionItem& item);

    ProgramNames& program_;
    std::vector<TypeItem> types_;
    std::deque<FunctionItem> functions_;
    std::map<std::string_view, Span> constructor_spans_;     // of the program's own and the prelude's
};
} // namespace nereus
