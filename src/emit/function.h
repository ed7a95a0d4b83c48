// emit/function.h - writes the bytecode of one function.
//
// Registers are never reused: a value's register holds it until the function returns. Memory is: every tensor kept at an
// address gets a slot with lifetimes in *steps*, which number the bindings in program order. Every touch of a slot,
// every branch and every loop is told to `lifetimes_`. Steps that control leaves by a jump have no launch of their own.
//
// Ownership. An object is owned by the block that made it, or that adopted it: when the last use lies inside the arms of
// a branch, each arm adopts it and lets go of it in its own time. At its last use an object is moved into whatever takes
// it, or released afterwards. Inside a loop, outer objects are borrowed. Arguments belong to the function that is called.
#pragma once
#include "emit/dim_writer.h"
#include "emit/lifetimes.h"
#include "emit/program.h"
#include "plan/in_place.h"
#include <functional>
#include <unordered_set>

namespace nereus {
// Where a tensor lies.
struct Place {
    enum class Kind : uint8_t { slot, reg, object, weights, texts } kind = Kind::slot;
    uint32_t index = 0;                      // slot; register with the address or the object; offset of weights; element of text constants
    std::vector<uint32_t> slots;             // whose lifetimes a use extends
    ValueId owner;                           // the object whose elements these are; invalid: none
    Dim bytes = {};                          // of a target: what is expected there; invalid: nobody says
};

// A number the plan program computes from the key: `value`, or 0 where `one` is 1.
struct PlanNumber { Dim value, one; auto operator<=>(const PlanNumber&) const = default; };

// Checks of the arguments alone that are always reached: made before memory is asked for, whose sizes they vouch for.
std::vector<const Binding*> first_checks(const Module& module, const Function& function);
uint32_t check_site(EmitProgram& program, const Binding& check);

class EmitFunction {
 public:
    EmitFunction(EmitProgram& program, const KernelCode& kernels, FunctionId function);
    Status run();

 private:
    // code.cpp: instructions, labels, lists of launches
    uint32_t put(Opcode op, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0, uint16_t x = 0);
    Reg fresh() { return next_register_++; }
    Reg constant(int64_t value);
    void flush();                            // the launches collected so far run before what follows
    uint32_t here();                         // a place to jump to
    void patch(uint32_t jump, uint32_t target) { exe().code[jump].a = target; }
    Executable& exe() { return program_.exe; }
    Module& module() { return program_.module(); }
    Dims& dims() { return module().dims; }

    // dims.cpp: sizes in registers, in the frame and in the plan program
    Reg dim(Dim d);
    void define(Sym symbol, Reg reg);
    bool defined(Sym symbol) const { return symbols_.contains(symbol); }
    bool at_entry(Dim d);                    // only symbols of the function
    IntSource source(Dim value, Dim one = {});           // at_entry: from the plan program
    IntSource frame_source(Dim value, Dim one = {});     // computed here and now
    Dim byte_size(TypeId type);
    void plan_program();
    struct Scope { std::vector<Sym> symbols; std::vector<Dim> dims; std::vector<uint32_t> variables; };
    void open_scope() { scopes_.emplace_back(); }
    void close_scope();

    // values.cpp: where values are, who owns them
    enum class Touch : uint8_t { use, write };           // write: what was there before is dead
    Kept kept(ValueId v) const { return storage_.values[v.index]; }
    const Type& type(ValueId v) { return module().types[function_[v].type]; }
    DType dtype(ValueId v) { return *type(v).element.dtype; }
    Reg number(ValueId v);
    Reg object(ValueId v);                   // borrowed
    Reg take_object(ValueId v);              // owned by whoever asked
    Reg address(ValueId v);
    Reg address(const Place& place, Touch how = Touch::use);
    Place& place(ValueId v);
    Place new_slot(TypeId type) { return new_slot(source(byte_size(type))); }
    Place new_slot(IntSource bytes);
    Place target_of(ValueId v);              // where a result shall be written: a destination or a new slot
    void touch(const Place& place, Touch how = Touch::use);
    void copy_into(const Place& to, ValueId v);
    Reg new_tensor_object(TypeId type);
    std::vector<uint32_t> dim_registers(TypeId type);
    void bind_number(ValueId v, Reg reg);    // and the symbol it defines
    void bind_object(ValueId v, Reg reg);    // and the symbols read off it
    void bind_part(ValueId v, Reg borrowed);
    std::vector<uint32_t> bound_dims(const Binding& b);
    void release(ValueId v);
    void immediate(const Binding& b);
    ValueId root(ValueId v) const { return in_place_.root(v); }      // the object behind views, or v itself

    // control.cpp
    using Targets = std::vector<std::optional<Place>>;               // per result: where an address shall be written
    void block(BlockId id, std::span<const ValueId> adopted, const Targets& targets, const std::function<void()>& finish,
               bool repeats = false);
    void settle(const Place& target, ValueId v);
    void binding(const Binding& b, std::vector<ValueId>& dying);
    void call(const Binding& b);
    void branch(const Binding& b, std::vector<ValueId>& dying);
    void unreachable(const Binding& b);
    void loop(const Binding& b);
    void host_op(const Binding& b);
    Reg wrapped(Reg number, DType to);                   // a number of `to`
    void builtin(const Binding& b);
    void check(const Binding& b);
    const std::unordered_set<ValueId>& uses(BindingId id);           // of objects, nested blocks included
    std::unordered_set<ValueId> used_within(const Binding& b);       // by its blocks
    void set_lifetimes();

    // take_over.cpp: values that are written where another one was
    bool is_last_mention(ValueId v);         // of its memory, by the binding being written; and the memory is ours
    std::optional<Place> place_to_take(const Binding& by, ValueId v);            // none: it is read again, or not ours
    std::optional<Place> place_for_arms(const Binding& b, size_t result);
    bool is_wanted_elsewhere(ValueId v, const Place& place) const;
    void want_beginnings(const Block& block, ValueId v, const Place& place, const std::unordered_set<ValueId>& made);
    void copy(const Binding& b);

    // narrow.cpp: values under a type that says more about their sizes
    void narrow(const Binding& b);
    std::string misfit_text(const std::string& who, ValueId v);

    // read_sizes.cpp: sizes that a data type has as arguments
    void read_sizes(ValueId v, Reg object);
    void read_fields(TypeId record, Reg object);

    // launch.cpp
    void launch(const Binding& b);

    // unranked.cpp: values whose rank is known when they arrive
    void unranked(const Binding& b, LowOp op);
    void define_variable(const Type& type, Reg object);

    EmitProgram& program_;
    const KernelCode& kernels_;
    FunctionId id_;
    const Function& function_;
    const FunctionStorage& storage_;
    FunctionInfo info_;
    RegionInfo region_;
    bool has_region_ = false;
    Reg next_register_ = 0;
    std::vector<uint32_t> pending_;          // launches of the list being collected

    std::unordered_map<Sym, Reg> symbols_;
    std::unordered_map<Dim, Reg> dims_;
    struct ShapeVariable { Reg rank, size; };
    std::unordered_map<uint32_t, ShapeVariable> variables_;          // ..s, where rank(s) or size(s) may be asked for
    std::vector<Scope> scopes_;
    std::map<PlanNumber, int64_t> plan_numbers_;

    std::vector<Reg> registers_;             // of numbers and objects
    std::unordered_map<ValueId, Place> places_;
    std::unordered_map<ValueId, Place> wanted_;          // results that are to be written somewhere
    InPlace in_place_;
    struct Open { BlockId block; size_t at = 0; bool repeats = false; };             // repeats: the body of a loop
    std::vector<Open> open_;                 // blocks being written, and where in them
    std::unordered_map<ValueId, uint32_t> homes_;        // blocks by index, of parameters and what bindings define
    std::unordered_set<ValueId> given_place_;            // parameters that lie where a result shall be
    std::unordered_set<ValueId> moving_;     // objects whose last use is the binding being written
    std::unordered_map<uint32_t, std::unordered_set<ValueId>> uses_;

    Lifetimes lifetimes_;
    uint32_t step_ = 0;
    uint32_t site_ = 0;
    std::unordered_set<const Binding*> done_first_;
    std::optional<Error> error_;             // of this function; the first one counts
};
} // namespace nereus
