// lower/lower_function.h - one function on its way from the typed form to the lowered one.
#pragma once
#include "ir/instantiate.h"
#include "lower/lowered.h"
#include <array>
#include <functional>
#include <set>
#include <unordered_map>

namespace nereus {
using Leaves = std::vector<ValueId>;         // the parts of a value, tuples taken apart

// Kernels that were already seen, by canonical text.
struct KernelTable {
    Lowered& lowered;
    std::unordered_map<std::string, uint32_t> seen;
    uint32_t add(loop::Function kernel, bool library);

    // Shall kernels of the operator have this number written into them? Each number makes another kernel, and a kernel takes
    // milliseconds to compile: where an operator meets many, those after the first are read from memory by one kernel.
    bool takes_constant(const OpDef& op, double value);
    std::unordered_map<const OpDef*, std::set<uint64_t>> constants;      // as bits
};

void drop_unused(Function& lowered);          // launches whose results nobody reads

class LowerFunction {
 public:
    LowerFunction(const Module& source, const Function& from, Lowered& out, KernelTable& kernels)
        : source_(source), from_(from), out_(out), kernels_(kernels) {}
    Result<Function> run();

 private:
    friend class LowerOp;
    Module& module() { return out_.module; }
    const Type& type_of(TypeId id) const { return out_.module.types[id]; }

    // Values
    std::vector<TypeId> leaf_types(TypeId type);
    const std::vector<size_t>& leaf_offsets(TypeId tuple);   // where the leaves of each part begin; then how many there are
    ValueId add_leaf(std::string name, TypeId type, Span span, Dim known = {});
    Leaves add_leaves(ValueId from);                     // new values for the parts of a source value
    const Leaves& leaves(ValueId from);
    Leaves gather(std::span<const ValueId> from);
    ValueId one(ValueId from);                           // the only leaf of a value that is not a tuple

    // Bindings: appended to the block being written
    Binding& emit(Binding binding);
    ValueId emit_number(Binding binding, DType dtype, Span span);
    ValueId integer(int64_t value, Span span);
    ValueId pack(TypeId type, std::span<const ValueId> leaves, Span span);          // one object or value for a field
    Leaves unpack(TypeId type, ValueId field, Span span);                           // a field's leaves again
    Leaves read_part(Form form, ValueId object, uint32_t index, TypeId type, Span span, std::span<const Sym> defines);

    // Bindings and results. `expected`: what its results are, for a block whose end is never reached.
    Status block(BlockId from, BlockId to, std::span<const TypeId> expected);
    Status binding(const Binding& b);
    Status op(const Binding& b);
    Status op_of_leaves(Binding lowered);                // its arguments and results are leaves already
    void check_like(const Binding& b);
    Status builtin(const Binding& b);
    Status loop_form(const Binding& b);
    Status branch(const Binding& b);
    Status match(const Binding& b);
    static bool is_unreachable(const Binding& b);        // nothing arrives, so nothing follows
    bool is_in_line(const Binding& b) const;
    Status in_line(const Binding& b);
    Status apply(const Binding& b);
    bool calls_target(const Binding& b, ValueId closure, const Leaves& arguments);
    void read_captured(Binding& call, const ApplyTarget& target, ValueId closure, size_t captured);
    bool met_behind_the_call(TypeId joined, TypeId own);
    TypeId result_here(const Function& callee, TypeId own, const ApplyTarget& target, std::span<const Sym> chosen);
    ValueId pattern_holds(const Pattern& pattern, const Leaves& subject, TypeId type, Span span);
    void bind_pattern(const Pattern& pattern, const Leaves& subject, TypeId type, Span span, bool read);
    bool always_matches(const Pattern& pattern) const;
    const TypeDecl& decl(DeclId id) const { return out_.module.decls[id.index]; }
    BlockId nested(const std::function<Leaves()>& write);                          // a block that gives these leaves

    const Module& source_;
    const Function& from_;
    Lowered& out_;
    KernelTable& kernels_;
    Function to_;
    BlockId at_;                                         // the block being written
    std::unordered_map<ValueId, Leaves> leaves_;
    std::unordered_map<TypeId, std::vector<size_t>> leaf_offsets_;
    std::unordered_map<ValueId, const Binding*> definition_;         // of source values
    std::unordered_map<ValueId, BindingId> made_by_;                 // of lowered values
    std::unordered_map<ValueId, StridedView> strided_;               // lowered values that may be read where others are
    uint32_t next_name_ = 0;
};
} // namespace nereus
