// ir/module.h - the stored form of a program.
//
// Meaning, once for all stages: strict, left to right; a block is a list of bindings and ends in result values; a nested
// block sees every value bound before it in the enclosing blocks. Each binding of the language has one result (a tuple
// where there are several values); bindings of dialects may have any number.
//
// Symbols. After the shapes stage every type is complete and every symbol has exactly one definition, which dominates
// its uses and says where its value comes from at run time:
//  - Function::symbols: passed by the caller (Binding::dims of the call, in the same order). The entry point's are
//    solved from the shapes of the arguments at the door.
//  - call: Binding::defines receive the callee's Function::result_dims.
//  - if_, match: Binding::defines receive, from the arm that ran, its Block::dims (join symbols).
//  - match: an arm's Block::symbols are read from the values its pattern binds (opened and constructor-bound dims).
//  - for_, while_: the body's Block::symbols are carried like states: initially Binding::dims, after each trip the
//    body's Block::dims, and at the end they become Binding::defines. The counter is ValueInfo::known of the parameter %i.
//  - apply: like call, through the target that arrives.
//  - any other binding: Binding::defines are read off its result: an extent of a result's type (late dims, dims of an
//    element taken from a container), or the number itself where ValueInfo::known of the result is that symbol.
#pragma once
#include "base/source_text.h"
#include "base/span.h"
#include "dim/relation.h"
#include "ir/type.h"
#include "tensor/host_tensor.h"
#include <map>
#include <memory>

namespace nereus {
struct OpDef;
using ValueId = Id<struct ValueTag>;        // of one function
using BindingId = Id<struct BindingTag>;    // of one function
using BlockId = Id<struct BlockTag>;        // of one function
using FunctionId = Id<struct FunctionTag>;  // of the module

enum class Form : uint8_t {
    op,            // op(args; attrs): an operator of the registry
    literal,       // 2, 2.0, true, "text", (), tensor([...]): an immediate
    dim,           // n, 2*n + 1: a size as an integer; an immediate
    call,          // @f(args)
    apply,         // args[0] is the function value
    function,      // @f as a value
    construct,     // Name(args); `dims` of the constructor are found from the fields
    tuple,         // (args)
    project,       // args[0].index
    field,         // args[0].name
    record,        // {names[i] = args[i]}; decl invalid until its type is inferred
    update,        // {args[0] with names[i] = args[i + 1]}
    index,         // args[0][…]: per axis an IndexPart; resolved to gather/slice or a Seq read when types are known
    seq,           // [args] where no structural list is expected
    lambda,        // fn(params) block; captures are the outer values its block mentions
    if_,           // args[0]: condition; blocks: then, else
    match,         // args[0]: subject; blocks[i] is the body of arms[i]; its params are the pattern's variables, in order
    for_,          // args: count, initial states; blocks[0]: params %i, states; results: states, yields
    while_,        // args: initial states; blocks[0]: condition, no params; blocks[1]: body, params = the states, which
                   // the condition sees too; results of the body: states, yields
    closure,       // args: captured values; made from lambda by the shapes stage, which lifts the body to a function
    check,         // inserted by the shapes stage. No args: fails unless `fact` holds. One: fails unless args[0] has the
                   // type of the result, which is args[0] with the sizes it turned out to have (`defines`)
};

struct Literal {
    enum class Kind : uint8_t { integer, real, boolean, text, unit, given, texts } kind = Kind::unit;
    bool is_tensor = false;                 // tensor([...]): `shape` and as many numbers or texts; else one number
    std::vector<int64_t> shape;
    std::vector<int64_t> integers;          // integer, boolean (0 or 1)
    std::vector<double> reals;
    std::string text;
    std::vector<std::string> texts;         // texts: elements of a tensor of str, always written tensor(…)
    std::shared_ptr<const HostTensor> given;        // a tensor of some rank that was not written as numbers: a model's weight
    bool operator==(const Literal&) const = default;
};

struct Attribute;
using AttributeList = std::vector<Attribute>;
struct Attribute {
    std::string name;
    std::variant<int64_t, double, bool, std::string, DType, std::vector<int64_t>, TypeId, Dim> value;
    bool operator==(const Attribute&) const = default;
};

// How the flat `args` of an op belong to its parameters of kind value, values, size and sizes, in declaration order.
// A list [a, b] is {2, true}; one value (for `sizes` an i64 vector, for `values` a Seq) is {1, false}; left out is {0, false}.
struct ArgGroup { uint32_t count = 1; bool list = false; bool operator==(const ArgGroup&) const = default; };

struct IndexPart { enum class Kind : uint8_t { at, from_to, from, to, all } kind = Kind::at; };   // uses 1, 2, 1, 1, 0 args

struct Pattern {
    enum class Kind : uint8_t { variable, wildcard, literal, constructor, tuple, record } kind = Kind::wildcard;
    ValueId variable;
    Literal literal;
    DeclId decl;                            // constructor, record (record: invalid until inferred)
    uint32_t constructor = 0;
    std::vector<Sym> dims;                  // Name[n](…) names the object's dims in the arm
    std::vector<std::string> fields;        // record
    std::vector<Pattern> parts;
    Span span;
};
struct Arm { Pattern pattern; BlockId guard; };          // guard: sees the pattern's variables; invalid: none

// One lambda of a closure set. The instance takes the captured values, then the arguments; `dims` as in a call, over
// symbols of the caller and of `opened`, the symbols found in the captured values when the closure is taken apart.
// Where several lambdas may arrive, `chosen` receive the instance's result_dims and `results` are then the values of the
// binding's `defines`; with one target, `defines` receive result_dims directly and both are empty.
struct ApplyTarget {
    uint32_t lambda = 0;
    FunctionId function;
    std::vector<Sym> opened;
    std::vector<Dim> dims;
    std::vector<Sym> chosen;
    std::vector<Dim> results;
};

struct DimFact { Dim left; Relation relation = Relation::equal; Dim right; Span span; };
// The attribute "what" of a check says what is compared, or is the whole message: with {0} and {1} for the two sides, or
// {} where neither is shown.
bool is_message(std::string_view what);
std::string fill_message(std::string what, const std::string& left, const std::string& right);

struct Binding {
    Form form = Form::op;
    const OpDef* op = nullptr;              // op; definitions are constants of the program, so this copies freely
    std::vector<ValueId> args;
    std::vector<ArgGroup> groups;           // op
    AttributeList attributes;               // by name; unknown ones survive every pass
    std::vector<BlockId> blocks;
    std::vector<ValueId> results;
    FunctionId function;                    // call, function
    DeclId decl;                            // construct, record
    uint32_t index = 0;                     // construct: which constructor; project: which element
    std::vector<std::string> names;         // field (one), record, update
    std::vector<IndexPart> parts;           // index
    std::vector<Arm> arms;                  // match
    Literal literal;                        // literal
    Dim dim;                                // dim
    DimFact fact;                           // check
    // After the shapes stage (see "Symbols" above):
    std::vector<Dim> dims;                  // call: values of the callee's symbols; loops: initial values of the body's
    std::vector<Sym> defines;               // symbols that get their value here
    std::vector<ApplyTarget> targets;       // apply: every lambda that can arrive, with the instance to call
    uint32_t lambda = 0;                    // closure: which lambda
    Span span;
};

struct ValueInfo {
    std::string name;                       // without %; unique within the function
    TypeId type;                            // Types::hole() until inferred
    Dim known;                              // i64 scalars: the value as a dim, where the shapes stage knows it
    Span span;
};

struct Block {
    std::vector<ValueId> params;
    std::vector<BindingId> bindings;
    std::vector<ValueId> results;
    std::vector<Sym> symbols;               // defined on entry, see "Symbols" above
    std::vector<Dim> dims;                  // values handed to the symbols that the enclosing binding defines
    Span span;
};

struct Function {
    std::string name;                       // without @
    std::vector<TypeParam> type_params;     // written in def @f[…]
    std::vector<ValueId> params;
    TypeId result;                          // declared, later inferred
    std::vector<DimFact> where;
    FunctionId vjp_forward, vjp_backward;   // with vjp = (@f, @g)
    BlockId body;
    std::vector<Sym> symbols;               // hidden integer parameters: the symbols of the parameters' types
    std::vector<Dim> result_dims;           // hidden integer results: sizes the callee chose, in its own symbols
    bool from_prelude = false;
    Span span;

    std::vector<ValueInfo> values;
    std::vector<Binding> bindings;
    std::vector<Block> blocks;

    ValueInfo& operator[](ValueId id) { return values[id.index]; }
    const ValueInfo& operator[](ValueId id) const { return values[id.index]; }
    Binding& operator[](BindingId id) { return bindings[id.index]; }
    const Binding& operator[](BindingId id) const { return bindings[id.index]; }
    Block& operator[](BlockId id) { return blocks[id.index]; }
    const Block& operator[](BlockId id) const { return blocks[id.index]; }

    ValueId add_value(std::string name, TypeId type, Span span);
    BindingId add_binding(Binding binding);
    BlockId add_block();
};

struct Module {
    Dims dims;
    Types types;
    std::vector<Var> vars;
    std::vector<TypeDecl> decls;
    std::vector<Function> functions;
    std::vector<SourceText> sources;

    VarId add_var(std::string name, VarKind kind);
    const Function* find(std::string_view name) const;   // nullptr: no such function
    FunctionId find_id(std::string_view name) const;     // invalid: no such function
    Function& operator[](FunctionId id) { return functions[id.index]; }
    const Function& operator[](FunctionId id) const { return functions[id.index]; }
    const TypeDecl& operator[](DeclId id) const { return decls[id.index]; }
};

const Attribute* find_attribute(const Binding& binding, std::string_view name);
// Immediates have exactly one use and are printed where they are used.
inline bool is_immediate(const Binding& b) { return b.form == Form::literal || b.form == Form::dim; }
} // namespace nereus
