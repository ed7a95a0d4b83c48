// text/parse_body.h - reads the body of one function and builds its bindings. One file per kind of construct:
// statement.cpp (blocks, layout, bindings), expression.cpp (infix, postfix, names), call.cpp (arguments of operators),
// constant.cpp (literals, folding), control.cpp (if, match, loops, fn), pattern.cpp, generic.cpp (the form of dialects).
//
// It recurses once per bracket, and the lexer allows 1,000 of them; constructs that nest without a bracket are counted
// in unbracketed_. Chains of infix operators, calls and fields are loops.
#pragma once
#include "text/emit.h"
#include "text/parse_type.h"

namespace nereus {
// A function whose signature is read; `names` are its dims and type variables.
struct FunctionItem {
    FunctionId id;
    const std::vector<Token>* tokens = nullptr;
    size_t header = 0, body = 0;                         // positions of `def` and of the body's `{`
    bool from_prelude = false;
    NameScope names;
    std::vector<std::string_view> params;                // their names
    std::vector<NamedSym> announced;                     // `new k` in the result
};

class BodyParser {
 public:
    BodyParser(ProgramNames& program, FunctionItem& item);
    Status run();

 private:
    struct PatternSyntax {
        Pattern pattern;                                 // without variable and parts
        Token name;                                      // of a variable
        TypeId type;
        Dim known;
        std::vector<PatternSyntax> parts;
        std::vector<NamedSym> dims;
    };
    // What may follow the name of a result: %x: T {= 2*n, new k, dims (n)}
    struct Annotation {
        TypeId type;
        Dim known;
        std::vector<Dim> dims;
        std::vector<NamedSym> introduced;
        bool empty() const { return !known.valid() && dims.empty() && introduced.empty(); }
    };
    struct ResultSyntax { Token name; Annotation notes; };
    struct Slot {                                        // a parameter of an operator and what it was given
        bool given = false, list = false;
        bool spread = false;                             // a list whose elements were written as arguments
        std::vector<Operand> operands;
        std::optional<Attribute> attribute;
    };
    struct State { Token name; Annotation notes; ValueId initial; };
    struct Infix { std::string_view sign; uint8_t level; std::string_view op; };
    struct Pending { const Infix* infix = nullptr; char prefix = 0; Span span; ValueId condition; };

    // Whether a newline ends a statement here; the innermost bracket decides.
    struct Layout {
        Layout(BodyParser& parser, bool newlines_end) : parser(parser), outer(parser.newlines_end_) {
            parser.newlines_end_ = newlines_end;
        }
        ~Layout() { parser.newlines_end_ = outer; }
        BodyParser& parser;
        bool outer;
    };
    struct Scope {                                       // names bound inside are forgotten
        explicit Scope(BodyParser& p) : parser(p), values(p.emit_.scope.mark()), names(p.names_.mark()) {}
        ~Scope() {
            parser.emit_.scope.leave(values);
            parser.names_.leave(names);
        }
        BodyParser& parser;
        size_t values, names;
    };
    Status deeper(const Token& token);

    // statement.cpp
    Result<BlockId> block();                             // { … } with one result
    Result<Operand> block_contents(std::vector<ValueId>* yields, bool value_optional = false);
    enum class Stmt : uint8_t { expression, binding, yield, results, dialect, symbols, sizes };
    Stmt kind_of_statement() const;
    Status end_of_statement(const Token& start);
    std::string no_assignment(const Token& start) const;
    Status binding_statement();
    Status simple_binding();
    Status attach(const Operand& operand, const Annotation& notes);
    Status yield_statement(std::vector<ValueId>* yields);
    Status symbols_statement();
    Status sizes_statement();
    Status discard(const Operand& operand);
    Result<Annotation> annotation(TypeParser::Unknown unknown, bool may_introduce);
    Result<TypeId> type(TypeParser::Unknown unknown = TypeParser::Unknown::reject);

    // expression.cpp
    Result<Operand> expression();
    const Infix* infix_here() const;
    static const Infix* find_infix(std::string_view sign);
    Status reduce();
    Result<Operand> prefix(char sign, const Operand& operand, Span span);
    Result<Operand> infix(const Infix& infix, const Operand& left, const Operand& right);
    Operand short_circuit(const Pending& pending, const Operand& right);
    Result<Operand> operand();
    Result<Operand> primary();
    Result<Operand> postfix(Operand head);
    bool unknown_size_here();
    Result<Operand> variable(const Token& token);
    Result<Operand> parenthesised();
    Result<Operand> record(DeclId decl);
    Result<Operand> index(const Operand& head);
    Result<Operand> bare_name(const Token& token);
    Result<Operand> function_name(const Token& token, bool from_prelude);
    std::string operator_like(std::string_view name) const;
    std::string own_constructors() const;
    Result<Operand> constructor_name(const Token& token, bool from_prelude);
    Result<ConstructorRef> constructor(const Token& token, bool from_prelude);
    Error unknown_name(const Token& token);

    // constant.cpp
    Result<Operand> number(const Token& token);
    Result<Operand> tensor_literal(const Token& head);
    Result<Operand> weight_literal(const Token& head);
    Status tensor_elements(Literal& literal, size_t depth);
    Result<std::optional<Operand>> fold(std::string_view op, const Operand& left, const Operand& right, Span span);
    Result<Literal> literal_pattern();
    Result<int64_t> integer_constant(const Operand& operand, std::string_view param);

    // call.cpp
    Result<std::vector<Operand>> arguments(std::string_view callee, FunctionId function = {});
    std::string without_names(FunctionId id) const;
    Result<Operand> call_named(const Token& name);
    Result<Operand> call_function(FunctionId id, const Token& name, std::string_view shown);
    Result<Operand> call_op(const OpDef& op, const Token& name, std::vector<Operand> first = {});
    Result<Operand> extremum(const Token& name);
    Result<Operand> dim_function(const Token& name);
    Result<Operand> shape_function(const Token& name);
    Result<Operand> check_call(const Token& name);
    Status op_arguments(const OpDef& op, const Token& name, std::vector<Slot>& slots, AttributeList& extra);
    Status fill(const OpDef& op, const OpParam& param, Slot& slot);
    Status fill_list(Slot& slot);
    Status fill_attribute(const OpDef& op, const OpParam& param, Slot& slot);
    Result<Binding> op_binding(const OpDef& op, const Token& name, std::vector<Slot>& slots, AttributeList extra);
    Result<Operand> emit_op(std::string_view name, const std::vector<Operand>& args, Span span);
    Result<Operand> op_as_function(const OpDef& op, const Token& name);
    Operand constructor_as_function(ConstructorRef ref, Span span);

    // control.cpp
    Result<Operand> if_expression();
    Result<Operand> match_expression();
    Status match_arm(Binding& match);
    Result<BlockId> guard_block();
    bool record_follows() const;
    Result<Operand> for_expression();
    Result<Operand> while_expression();
    Result<std::vector<State>> states();
    Result<BlockId> loop_body(const std::vector<State>& states, std::vector<ValueId> params);
    ValueId state_param(const State& state);
    Result<Operand> lambda();

    // pattern.cpp
    Result<PatternSyntax> pattern(bool typed);
    Status record_pattern(PatternSyntax& syntax);
    Status constructor_pattern(PatternSyntax& syntax);
    Result<Pattern> bind_pattern(const PatternSyntax& syntax, std::vector<ValueId>& params);
    static Status no_repetition(const PatternSyntax& syntax);
    Status destructure(const PatternSyntax& syntax, const Operand& operand);
    Result<ValueId> tuple_of(const Operand& operand, const PatternSyntax& syntax);
    Status take_apart(const PatternSyntax& syntax, const Operand& operand);
    Status destructure_by_match(const PatternSyntax& syntax, const Operand& operand);

    // generic.cpp
    bool dialect_here() const;                           // name.name(
    Result<Operand> dialect_op(std::vector<ResultSyntax> results);
    Status results_statement();
    Status form_details(Binding& binding);
    Status target_sizes(std::vector<Sym>& symbols, std::vector<Dim>& dims);
    Status generic_arguments(Binding& binding);
    Result<AttributeList> attributes();
    Result<Attribute> attribute();
    Status generic_blocks(Binding& binding);
    Result<BlockId> generic_block(std::vector<ValueId> params);
    Status generic_types(const std::vector<ValueId>& results);

    Cursor cursor_;
    ProgramNames& program_;
    Module& module_;
    FunctionItem& item_;
    NameScope& names_;
    TypeParser types_;
    Emitter emit_;
    bool newlines_end_ = true;
    int unbracketed_ = 0;
    std::vector<std::string_view> being_bound_;          // names whose function values are being read
    std::vector<Operand> operands_;                      // of the infix expressions being read
    std::vector<Pending> operators_;
    std::vector<NamedSym> pending_;                      // `new` before the = of the statement being read
};
} // namespace nereus
