// ops/lowering.h - what the `lower` of an operator writes: launches of loop functions, or a view, or numbers computed
// on the host. Sizes appear as dims, so one kernel and one launch serve every shape.
//
// Representation. A rank-0 tensor of integers or bools is a *number*, held in a register of the host program and passed
// to kernels as a scalar. Every other tensor is in memory, dense and row-major.
#pragma once
#include "ir/op.h"
#include "loop/builder.h"
#include <functional>
#include <unordered_map>

namespace nereus {
// Elements to step over along an axis: `step`, or 0 where the extent `one` turns out to be 1 (broadcast).
struct Stride {
    Dim step;
    Dim one = {};                            // invalid: always `step`
    bool operator==(const Stride&) const = default;
};

struct LaunchSpec {
    struct Group {
        std::vector<Dim> extents;            // outermost first
        std::vector<std::pair<uint32_t, std::vector<Stride>>> strides;   // (buffer, per axis), ascending
    };
    struct Scalar { Dim dim; ValueId value; };           // one of the two

    loop::Function kernel;
    std::vector<ValueId> buffers;            // per buffer of the kernel
    std::vector<Group> groups;
    std::vector<Scalar> scalars;
    std::vector<Sym> late;                   // symbols that receive Launch.out
    std::vector<ValueId> after;              // of launches that must have gone well before
    bool library = false;                    // `kernel` is a signature: the code is in the library or from outside, under its name
};

// How the extents of a value of unknown rank are looked at.
enum class Opened : uint8_t {
    flat,          // one: the number of elements
    padded,        // `count`, aligned at the right, 1 where there is none
    front,         // the first `count`, then the product of the rest
    back,          // the product of the rest, then the last `count`
};
// Extents of a result of unknown rank are collected from parts, see exe/extents.h.
struct ShapePart {
    enum class Kind : uint8_t { number, unless, tail, head, elements, last, ones, without } kind = Kind::number;
    Dim number = {};                         // number, unless: the extent; elements: total, if -1 may be inferred; last
    Dim flag = {};                           // unless
    ValueId value = {};                      // tail, head: whose; elements, ones, without: of which i64 vector
    int64_t from = 0;                        // tail: axis; head: how many are left out
};

// A value whose elements are those of another one, along other strides: each of its axes is a row-major list of extents.
struct StridedView {
    struct Axis { std::vector<Dim> extents; std::vector<Stride> strides; };
    ValueId source;
    std::vector<Axis> axes;
};

// The binding being lowered, tuples already taken apart, and where its parts go.
class OpLowering {
 public:
    OpLowering(Module& module, const Function& function, const Binding& binding) : module_(module), function_(function), binding_(binding) {}
    virtual ~OpLowering() = default;

    Dims& dims() { return module_.dims; }
    Types& types() { return module_.types; }
    const Binding& binding() const { return binding_; }
    std::span<const ValueId> args(size_t param) const;               // of the param-th value-like parameter
    ValueId arg(size_t param) const { return args(param)[0]; }
    bool has(size_t param) const { return !args(param).empty(); }
    ValueId result(size_t i = 0) const { return binding_.results[i]; }

    const Type& type(ValueId v) const { return module_.types[function_[v].type]; }
    DType dtype(ValueId v) const { return *type(v).element.dtype; }
    // Of unknown rank: as it was opened, which is all that the rules for known ranks need.
    const std::vector<Dim>& shape(ValueId v) const {
        auto it = opened_.find(v);
        return it != opened_.end() ? it->second : type(v).shape.dims;
    }
    bool ranked(ValueId v) const { return type(v).shape.ranked; }
    virtual bool is_number(ValueId v) const = 0;
    Dim known(ValueId v) const { return function_[v].known; }        // invalid: not known as a dim
    Dim size(ValueId v);                                             // a number as a dim: known, or its host symbol
    virtual const Literal* literal(ValueId v) const = 0;             // null: not a literal
    virtual Dim immediate_dim(ValueId v) const = 0;                  // invalid: not a dim written as a number

    int64_t integer(std::string_view name) const;                    // an attribute, or its declared default
    bool boolean(std::string_view name) const;
    std::vector<int64_t> integers(std::string_view name) const;
    std::string_view text(std::string_view name, std::string_view otherwise) const;

    virtual Status launch(LaunchSpec spec) = 0;
    virtual void view(ValueId result, ValueId source) = 0;           // the same elements in another shape
    virtual void copy(ValueId result, ValueId source) = 0;           // the same elements, to be written over in part
    // Besides being written, the result may be read at its source; unless somebody else wants it, it is not written then.
    virtual void reads_as(ValueId result, StridedView view) = 0;
    virtual StridedView strided(ValueId v) = 0;                      // dense, if it is none
    virtual void numbers(ValueId result, std::vector<Dim> values) = 0;   // a small i64 tensor of sizes
    virtual void concat_seq(ValueId result, ValueId seq, int64_t axis) = 0;      // of as many tensors as there are
    virtual void check(Dim a, Relation relation, Dim b, std::string what) = 0;   // fails when it runs, unless it holds

    // Unknown rank (ops/unranked.h)
    virtual Dim rank(ValueId v) = 0;
    virtual void open(ValueId v, Opened how, size_t count = 0) = 0;  // shape(v) is this from now on
    void open_as(ValueId v, std::vector<Dim> shape) { opened_[v] = std::move(shape); }
    virtual void make(ValueId result, std::vector<ShapePart> parts) = 0;
    // Extents from an axis on are equal; ranks and all extents but one are.
    virtual void check_tails(ValueId a, int64_t from_a, ValueId b, int64_t from_b, std::string what) = 0;
    virtual void check_same_but(ValueId a, ValueId b, int64_t axis, std::string what) = 0;
    virtual void shape_vector(ValueId result, ValueId x) = 0;
    virtual Dim element(ValueId vector, Dim index, Dim otherwise) = 0;       // of an i64 vector; otherwise: it is shorter
    virtual void define(Sym symbol, Dim value) = 0;
    virtual ValueId temporary(DType dtype, std::vector<Dim> shape) = 0;
    virtual ValueId unranked_temporary(DType dtype) = 0;             // to be made

 protected:
    std::unordered_map<ValueId, std::vector<Dim>> opened_;
    Module& module_;
    const Function& function_;
    const Binding& binding_;
};

// Rank 0 and integers or bools: held in a register.
bool is_number_type(const Type& type);

// Strides of a dense tensor with these extents.
std::vector<Stride> dense_strides(Dims& dims, std::span<const Dim> extents);
// Strides of an operand that is broadcast, right-aligned, over `over`.
std::vector<Stride> broadcast_strides(Dims& dims, std::span<const Dim> operand, std::span<const Dim> over);

// Writes one kernel together with its launch.
class KernelWriter {
 public:
    struct Along { loop::GroupId group; std::vector<Stride> strides; bool operator==(const Along&) const = default; };

    KernelWriter(OpLowering& op, std::string name) : op_(op), builder_(std::move(name)) {}
    loop::GroupId group(std::string name, loop::Role role, std::vector<Dim> extents, bool axis = false);
    // The operand at the current point: a load, or a scalar or constant where it is a number or literal. What is only stored
    // is read and written as its code, a u8.
    loop::ExprId read(ValueId operand, std::vector<Along> along, std::vector<loop::Indirect> at = {});
    void store(ValueId result, std::vector<Along> along, loop::ExprId value, std::vector<loop::Indirect> at = {});
    // Adds index * stride to an address; an index outside [0, extent) fails the launch.
    loop::Indirect at(loop::ExprId index, Dim stride, Dim extent);
    loop::Indirect offset(Dim index, Dim stride, Dim extent);        // the same index at every point
    loop::ScalarId size(Dim dim);                                    // as an i64 scalar
    loop::BufferId output(ValueId result, const std::vector<Along>& along);
    loop::Builder& builder() { return builder_; }
    void gives_late(Sym symbol) { spec_.late.push_back(symbol); }
    void after(ValueId value) { spec_.after.push_back(value); }
    Status finish();

 private:
    struct Opened { ValueId value; std::vector<Along> along; loop::BufferId buffer; };
    loop::BufferId open(ValueId value, const std::vector<Along>& along, bool out);

    OpLowering& op_;
    loop::Builder builder_;
    LaunchSpec spec_;
    std::vector<Opened> opened_;
};

// result[g] = value(operands at g): everything elementwise, broadcasting.
using ElementFn = std::function<loop::ExprId(loop::Builder&, std::span<const loop::ExprId> operands, DType result)>;
Status lower_map(OpLowering& op, std::string_view name, const ElementFn& value);
} // namespace nereus
