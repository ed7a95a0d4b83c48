// infer/shapes_walk.h - one pass over the body of one instance. Muted, it only computes; audible, it also reports
// errors, leaves checks and writes the instance as a function.
//
// Values of the body are looked up by the ids of the function it came from: env_ has what is known, new_of_ the value
// that stands for it in the output. A symbol made since a scope began is told from older ones by its number: that is
// what "local to an arm or a loop body" means below.
#pragma once
#include "infer/shapes_facts.h"
#include "infer/shapes_match.h"
#include "infer/shapes_program.h"
#include "infer/shapes_states.h"
#include "ir/op.h"

namespace nereus {
class Walk : public ShapeScope {
 public:
    Walk(Program& program, uint32_t instance, bool audible);
    Result<Summary> run();
    Function take() { return std::move(out_); }
    int64_t checks() const { return checks_; }
    SymbolNames symbol_names() const;                    // the key's symbols, as the signature or a parameter names them

    // ShapeScope, for the rules of operators.
    Facts& facts() override { return know_.facts; }
    Status require(Dim a, Relation relation, Dim b, std::string_view what) override;
    Dim late(std::string_view name, Dim upper) override;
    Dim host(std::string_view name) override;
    Shape unknown_shape() override;
    Answer ask(const Condition& condition) override { return know_.ask(condition); }
    bool exact(Dim number, DType dtype) override { return know_.exact(number, dtype); }
    Error error(std::string what) override;              // said by the operator under way, if it is one

 private:
    // A result and, when audible, what holds it in the output; of small floats that sizes go through, their numbers
    // (ops/fractions.h).
    struct Made { AbsId abs; ValueId value; Known fractions = {}; };
    struct Outcome { AbsId abs; std::vector<AbsId> results; bool ends = true; };   // ends: false if it never gets there

    // shapes_walk.cpp: parameters, blocks, plain bindings
    Result<bool> enter();                                // false: it never gets in
    Result<Summary> leave(AbsId result, TypeId skeleton);
    Result<bool> block(BlockId in);                      // false: it ends in bottom
    Status binding(BindingId id);
    Result<Made> evaluate(const Binding& b);
    Result<Made> literal(const Binding& b);
    Known literal_fractions(const Literal& literal, const ShapedTensor& tensor);
    Result<Made> annotated(Made made, TypeId written, const std::string& name);
    AbsId abs(ValueId in) const { return env_[in.index]; }
    bool any_bottom(const std::vector<ValueId>& args) const;
    void bind(ValueId in, Made made);
    void show_tail(const Made& made);
    ValueId bind_param(ValueId in);                      // a parameter of the block being written; env_ has its value

    // shapes_operate.cpp: operators, indexing
    Result<Made> operate(const Binding& b);
    Result<std::vector<ShapedTensor>> with_elements(ShapeRule rule, ShapeArgs& args);
    Result<Made> run_rule(Binding binding, std::vector<Made> args, TypeId skeleton, std::string_view name, Span span);
    Result<Made> shared(Made made, TypeId skeleton, std::string_view name, Span span);
    void spell_sizes(Binding& binding, const ShapeArgs& seen, Span span);
    Result<Made> builtin(const Binding& b);
    Result<Made> gradient(const Binding& b);
    AbsId adjoints(const Abs& g, const std::vector<Made>& args);
    Result<Made> index(const Binding& b);
    struct Argument { std::vector<Made> values; bool list = false; };
    Result<Made> apply_op(std::string_view name, std::vector<Argument> args, AttributeList attributes, TypeId skeleton,
                          std::string_view value_name, Span span);
    // Of a size argument; gives it one if it has none. Nothing comes out (an invalid Dim) if it is no scalar.
    Result<Dim> number(Made& made, std::string_view what, Span span);
    Result<Made> exact_number(Made made, Span span);     // a scalar whose number is the integer itself
    Result<std::vector<Dim>> elements(Made made, Span span, bool& out_known);    // of a size vector
    Made constant(int64_t value, Span span);
    Made dim_value(Dim d, Span span);

    // shapes_scalar.cpp: what the language wants to be a scalar. Bottom: it is none, and the walk is muted
    Result<Made> scalar(Made made, std::string_view what, std::string_view hint = "take one element, as in %x[0]");
    Result<Made> condition_at(Made made, Span where);
    Status not_from_the_end(Made at, Dim size, bool range);          // shapes_operate.cpp: of an index that is written
    Span place_of(ValueId used, Span by) const;          // where the user wrote what is used there
    Result<Made> vector(Made made, std::string_view what);           // the same for a list of sizes
    bool is_scalar(AbsId value) const;
    Status require_scalar_part(AbsId part);
    Result<Made> of_rank(Made made, TypeId wanted, std::string rule, std::string hint);
    std::string text(const Shape& shape) const;
    std::string prefix() const;                          // of what the operator under way says

    // shapes_container.cpp: constructors, fields, sequences, cells
    Result<Made> construct(const Binding& b, DeclId decl, uint32_t constructor, const std::vector<ValueId>& fields);
    Result<Made> field(const Binding& b);
    Result<Made> record(const Binding& b);
    Result<Made> update(const Binding& b);
    Result<Made> sequence(const Binding& b);
    AbsId field_value(DeclId decl, uint32_t constructor, size_t field, const Names& names);
    Names names_of(AbsId object);                        // the declaration's parameters, as this object has them
    void open_constructor(const Constructor& constructor, Names& names);     // the dims it stores
    AbsId open(AbsId element);
    AbsId close(AbsId value, uint32_t scope = UINT32_MAX);
    AbsId join_all(const std::vector<AbsId>& elements);
    AbsId join_closed(std::vector<AbsId> elements);      // what is not closed yet
    AbsId join_carried(std::vector<AbsId> values);
    AbsId content_of(const Abs& cell);
    void collect_types(TypeId written, AbsId value, std::map<VarId, std::vector<AbsId>>& out, uint32_t depth);
    size_t field_index(DeclId decl, std::string_view name) const;
    bool replaces_all(const Constructor& constructor, const std::vector<std::string>& names, VarId var) const;
    Result<Made> make_cell(const Binding& b);
    Result<Made> write_cell(const Binding& b);

    // shapes_call.cpp
    Result<Made> call(const Binding& b);
    Result<Made> apply(const Binding& b);
    Result<Made> apply_outside(const Binding& b, TypeId declared);
    Result<Made> make_closure(const Binding& b);
    AbsId tie_knot(Closure closure);
    AbsId replace_closure(AbsId value, uint32_t code, const Abs* whole);
    struct Callee { uint32_t instance = 0; KeyPlan plan; AbsId result; std::vector<Dim> chosen; };
    // `certain`: it is called whatever happens. Of several closures only the one that is called may fail.
    Result<Callee> call_code(uint32_t code, std::vector<Made>& args, Span span, bool certain);
    std::optional<std::string> rank_error(uint32_t code, const std::vector<Made>& args);
    Status match_signature(uint32_t code, std::vector<Made>& args, Names& names);
    bool fits_signature(uint32_t code, const std::vector<Made>& args);       // nothing is left to check
    struct Signature { std::string name; const Function& function; const std::vector<ValueId>& params; size_t skip; };
    Signature signature_of(uint32_t code, const std::vector<Made>& args, Names& names);
    // `who`: the value in the user's words, before it: whose it is
    Result<Made> narrow(Made made, TypeId written, Names& solved, const std::string& owner, const std::string& who, std::string what = {});
    Status settle(Matching& matching, const std::string& callee);
    AbsId normalised(AbsId value, std::span<const Sym> outer = {}, bool written = false);
    Range range_of(Dim d, bool is_extent);

    // shapes_control.cpp: if, match
    Result<Made> branch(const Binding& b);
    Result<Made> in_place(const Binding& b, size_t arm);
    bool is_short_circuit(const Binding& b) const;
    bool only_computes(BlockId id) const;
    Result<Made> condition_of(const Block& in, bool ends);
    Result<Made> match(const Binding& b);
    struct ArmEnd { AbsId abs; Knowledge::Log log; BlockId block; ValueId value; };
    Result<std::vector<ArmEnd>> walk_arms(const Binding& b, const Condition& c, Binding& out);
    // One value for several; the symbols that differ, and what each arm hands to them.
    AbsId join_values(const std::vector<ArmEnd>& arms, uint32_t scope, Span span, std::vector<Sym>& out_symbols,
                      std::vector<std::vector<Dim>>& out_handed);
    Made join_arms(const Binding& b, Binding emitted, std::vector<ArmEnd>& arms, uint32_t scope);
    Made with_condition(Made result, const Condition& c, const std::vector<ArmEnd>& arms, uint32_t scope);
    Result<bool> open_pattern(const Pattern& pattern, AbsId subject, std::vector<ValueId>& variables);
    Condition literal_condition(const Literal& literal, const ShapedTensor& subject);
    void rename_variables(Pattern& pattern) const;
    ArmEnd arm_end(const Binding& b, BlockId in, bool ends, bool reached);             // of the arm just walked
    ValueId dead_end(AbsId like, TypeId skeleton);

    // shapes_future.cpp: an arm after which the rest of the block cannot go on
    struct OnlyArm { size_t arm = 0; Error refused; };   // what the rest says to the other one
    bool has_future_to_see(const Binding& b, const std::vector<ArmEnd>& arms);
    BindingId id_of(const Binding& b) const;
    std::optional<OnlyArm> only_arm(const Binding& b, const std::vector<ArmEnd>& arms);
    std::optional<Error> refusal_after(const Binding& b, const ArmEnd& arm);
    Result<bool> rest_of_block(const Binding& b, AbsId value);
    Status demand(const Binding& b, const Made& chosen_by, const Condition& c, const OnlyArm& only);
    void refuse(Error why) { refused_ = std::move(why); }

    // shapes_unroll.cpp
    std::optional<int64_t> trips_in_place(const Binding& b);
    bool picks_known(BlockId block, std::set<ValueId>& counted);
    Result<Made> unrolled(const Binding& b, int64_t trips);

    // shapes_loop.cpp
    class Loop;
    Result<Made> loop(const Binding& b);
    std::optional<Condition> substituted(Condition c, const std::map<Sym, Dim>& image, uint32_t scope);

    // Output. All of these do nothing when muted.
    ValueId emit(Binding binding, AbsId abs, TypeId skeleton, std::string_view name, Span span);
    Made emit_for(const Binding& in, Binding binding, AbsId abs);    // with the name and skeleton of `in`'s result
    Binding copy(const Binding& in) const;               // arguments mapped; no results, no blocks
    std::vector<ValueId> new_ids(const std::vector<ValueId>& in) const;
    ValueId add_value(std::string_view name, TypeId type, Span span);
    BlockId open_block();                                // emission goes there until close_block
    void close_block(BlockId outer) { at_ = outer; }
    Made made(ValueId in) const { return {env_[in.index], audible_ ? new_of_[in.index] : ValueId(), fractions_[in.index]}; }
    TypeId type(AbsId value, TypeId skeleton) { return type_of(module_, abstracts_, value, skeleton); }
    TypeId skeleton_of(const Binding& b) const { return in_[b.results[0]].type; }

    Sym fresh(std::string_view name, SymKind kind);
    Dim fresh_number(std::string_view name);             // a host symbol defined by the binding under way
    // A direct i64 scalar always has a number: what a call or a loop hands on must agree with what its callee or body
    // has.
    bool lacks_number(AbsId value) const;
    Made with_number(Made made, std::string_view name);
    std::string text(Dim d) const;
    bool visible(Dim d, uint32_t scope) const;           // all its symbols are older than `scope`
    bool visible(const Condition& c, uint32_t scope) const;
    uint32_t now() const { return uint32_t(module_.dims.symbol_count()); }
    Dim image(Dim written) { return names_.image(module_.dims, written); }
    Error unknown_shape_error();
    Error refutation(Dim a, Relation relation, Dim b, std::string_view what);
    // What can only fail is an error here and now if it is run whatever happens.
    bool is_certain() const { return program_.instances[self_].certain && unreached_ == 0; }

    Program& program_;
    Module& module_;
    Abstracts& abstracts_;
    uint32_t self_;
    const Callable code_;
    const Function& in_;
    bool audible_;
    const bool is_entry_;
    Knowledge know_;
    Names names_;
    std::vector<AbsId> env_;
    std::vector<Known> fractions_;                       // beside it; within one function only, so that no key has them
    std::vector<ValueId> new_of_;
    Function out_;
    BlockId at_;
    std::vector<Sym> defines_;                           // symbols that the binding under way gives a value
    std::unordered_map<std::string, int> used_names_;    // and the number to try next
    const Binding* current_ = nullptr;
    int64_t checks_ = 0;
    std::map<ValueId, Settled> loops_;                   // by what they give
    struct Place {
        BlockId block;
        size_t next = 0;
    } place_; // the binding after the one under way
    std::optional<Error> refused_; // why the binding before the end of a walk gave nothing
    bool refuted_ = false; // in this arm, or outside of arms and loops: a requirement never holds
    bool probing_ = false;
    std::set<BindingId> probed_;
    uint32_t around_loops_ = UINT32_MAX;                 // symbols before this one are older than the outermost loop under way
    int unreached_ = 0;                                  // loops around that have no trip: facts in them contradict each other
};
} // namespace nereus
