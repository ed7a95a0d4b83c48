// generator/generator.h - writes random programs that are well typed.
//
// An expression of a wanted type is made by one of the rows that can make it; rows are in tables, by subject. A row asks
// for the parts that it needs, again by type. What must be named first (a value whose size others share) is bound in the
// block that is being written. `mostly in range`: an index, a divisor or a size may be wrong for some inputs, a dtype or
// a rank never.
#pragma once
#include "generator/program.h"
#include <functional>
#include <optional>
#include <random>

namespace nereus::gen {
struct Var { std::string name; Type type; };

struct Signature {
    Construct what;
    std::string name;
    std::vector<Type> params;
    Type result;
    std::vector<std::string> dims;           // its sizes, free for each call
};

struct Options {
    uint64_t seed = 0;
    bool smooth = false;                     // differentiable everywhere: a gradient can be compared with differences
    int budget = 60;                         // expressions that are not leaves
    bool narrow = false;                     // few types and sizes: most of what is made is used by what comes after it
    Construct outer = Construct::leaf, inner = Construct::leaf;          // seen nested, if it can be
};

class Generator;
struct Row {
    Construct what;
    int weight;
    bool smooth;                             // a float result depends smoothly on floats, any other not at all
    bool (*can)(const Generator&, const Type& want);
    Expr (*make)(Generator&, const Type& want, int depth);
};
std::span<const Row> number_rows();          // scalars: integers, truth
std::span<const Row> tensor_rows();
std::span<const Row> container_rows();
std::span<const Row> control_rows();         // of any type
std::span<const Row> function_rows();
std::span<const Row> gradient_rows();

class Generator {
 public:
    explicit Generator(const Options& options);
    Program program();

    // What rows use.
    const Options& options() const { return options_; }
    Expr expr(const Type& want, int depth);
    Expr leaf(const Type& want);             // a variable, or the least there is of that type
    Expr literal(const Type& want);
    std::optional<Expr> variable(const Type& want);
    // As a variable whose sizes are all known; binds it if it is none yet.
    Var bound(Expr e);
    Var bound(const Type& want, int depth) { return bound(expr(want, depth)); }
    void forget(const Var& var);             // nothing that is written from here on uses it
    Var stated(Expr e);                      // bound, with its type written
    Type with_known_dims(const Type& type, const std::string& variable) const;
    Block block(const Type& want, int depth, std::span<const Var> more = {});
    Block differentiated_block(const Type& want, int depth, std::span<const Var> more);
    // Of code that a gradient runs on its own: it reads sizes off values, prints nothing and knows no cell from outside.
    Block own_block(const Type& want, int depth, std::span<const Var> more, int gradients);
    // Each level of gradients multiplies the code inside by about four; half a minute of compiling is too much.
    bool can_differentiate() const { return in_gradient_ < 3 && gradient_work_ < 128; }
    int gradients_around() const { return in_gradient_; }
    std::string new_name(const char* stem);
    bool can_bind() const { return out_ != nullptr; }
    // Something of this construct, of some type that it can have; none: not here.
    std::optional<Expr> forced(Construct what, int depth);
    // What is wanted, made with the construct that is to be seen inside the outer one.
    std::optional<Expr> with_inner(const Type& want, int depth);
    // Something written where no statement can stand: a guard, a condition.
    Expr unbound(const Type& want, int depth, std::span<const Var> more = {});

    uint64_t below(uint64_t n) { return random_() % n; }
    bool chance(int percent) { return int(below(100)) < percent; }
    Dim any_dim() const { return {}; }
    Dim known_dim();                         // a number or a size in scope
    Type some_type(int depth = 0);           // of a local value, sizes known or any
    Type narrow_type(int depth);
    DType some_integer();                                // narrow or unsigned
    Type some_tensor(DType dtype, bool known);
    Type outside_type(int depth = 0);        // of an argument of the program
    // What a value of this type is taken apart into; `refutable`: it must be able to fail.
    struct Pattern { std::string text; std::vector<Var> vars; };
    Pattern pattern(const Type& type, int depth, bool refutable);
    bool can_refute(const Type& type) const;
    const std::vector<Signature>& signatures() const { return signatures_; }
    const std::vector<Var>& vars() const { return vars_; }
    bool allows(const Row& row) const { return !options_.smooth || row.smooth; }

 private:
    friend struct FunctionWriter;
    Expr run(const Row& row, const Type& want, int depth);
    Statement statement(int depth);
    Expr with_statement(Construct what, int depth);
    Statement pattern_statement(int depth);
    Statement effect_statement(int depth);
    void statements(int depth, int count);
    void write_main();
    void write_outer();
    void write_functions();
    void write_function(Construct what);

    Options options_;
    std::mt19937_64 random_;
    Program program_;
    std::vector<Var> vars_;                  // in scope
    std::vector<std::string> sizes_;         // of the signature of the function being written
    std::vector<Statement>* out_ = nullptr;  // of the block being written; null: nothing can be bound
    std::vector<Signature> signatures_;
    int budget_ = 0, names_ = 0;
    int gradient_work_ = 0;                  // code of gradients so far, as a multiple of what is differentiated
    int inside_outer_ = 0, in_gradient_ = 0, alone_ = 0, inner_seen_ = 0;
    Construct making_ = Construct::leaf;     // the row at work: what it binds is an operand of it
};

bool is_differentiable(const Type& type);                // may be an argument that a gradient is taken with respect to
Expr make(Construct what, Type type, std::string form, std::vector<Expr> args = {}, std::vector<Block> blocks = {});
Expr use(const Var& var);
} // namespace nereus::gen
