// infer/types_context.h - what the parts of type inference share: the terms, the schemes found so far, blame for a
// clash. Inference never changes the module; it ends at the first error.
#pragma once
#include "infer/types_convert.h"
#include "infer/types_deferred.h"
#include "infer/unify.h"
#include "ir/shown_names.h"
#include <map>

namespace nereus {
// What a function's callers see. Every unknown in it is quantified; `open` holds what could not be solved within the
// function's own group, to be solved at each use.
struct FunctionScheme {
    TermId type;                            // a function term; invalid before its group is reached
    std::vector<Deferred> open;
    bool general = false;                   // false: its group is being inferred, so uses share the one type
};

// Who is to blame when two types differ, as text: "argument 2 of `add`", "result of `@f`".
struct Blame {
    Span span;
    std::string_view what;
    std::string_view owner = {};
    size_t position = 0;                    // from 1; 0: none
    std::string_view sigil = {};            // before the owner: @ or %
    std::string_view value = {};            // the name of the value found, for a hint that can be pasted
    bool literal = false;                   // what is found was written as a number
};

// A function given to map_leaves that must be there several times, once per dtype of the structure.
struct LeafDtypes { const Binding* binding; size_t count; };

bool is_list(const Module& module, DeclId decl);             // of the prelude

struct TypeContext {
    explicit TypeContext(const Module& module);
    const Module& module;
    Terms terms;
    std::vector<FunctionScheme> schemes;                     // by FunctionId
    std::map<std::string, std::vector<DeclId>, std::less<>> records;   // by the name of a field
    std::vector<LeafDtypes> leaf_dtypes;                     // met so far; specialise empties it

    Status expect(TermId expected, TermId found, const Blame& blame);
    Error error(const Blame& blame, std::string what, std::string hint = {}) const;
    void name_sakes(const Clash& clash, Error& error) const;
    Error clash_error(const Clash& clash, TermId expected, const Blame& blame) const;
    std::string text(TermId id) const;

    // Records that have all these fields; `exactly`: and no others. The program's own hide those of the prelude, whose
    // functions see only their own.
    std::vector<DeclId> records_with(std::span<const std::string> fields, bool exactly, bool from_prelude) const;
    // The type of one field of a record term; nullopt: it has no such field.
    std::optional<TermId> field_type(TermId record, std::string_view field);
    // A new copy of a scheme's type; its open constraints are appended to `out_open`, blamed on `call`.
    TermId instantiate(FunctionId function, Span call, std::vector<Deferred>& out_open);
    Result<const Scheme*> scheme_of(const OpDef& op);        // parsed once
    // How many states a loop has of whose body, at this place in the text, the value is a next state; 0: of none.
    size_t states_with(FunctionId function, ValueId next, Span body);

 private:
    struct NextState { size_t states; Span body; };
    std::unordered_map<FunctionId, std::unordered_multimap<ValueId, NextState>> next_states_;    // found once
    std::unordered_map<const OpDef*, Scheme> op_schemes_;
};
} // namespace nereus
