// grad/structures.h - what is done to every tensor of a structure: fresh shadows, adjoints read off shadows, adjoints
// added to shadows. Tensors, tuples and records are written in place; other data and Seq get a function per type, on demand.
#pragma once
#include "grad/writer.h"

namespace nereus {
class Structures {
 public:
    Structures(Module& module, ShadowTypes& shadows) : module_(module), shadows_(shadows) {}

    // A shadow for x whose cells hold zeros. A cell inside x gets one parallel cell. Functions have no shadow outside of
    // the code that is differentiated: an error.
    Result<ValueId> fresh_shadow(Writer& w, ValueId x);
    // What was collected for x, in x's own structure and shapes; where there is nothing to collect, zeros.
    Result<ValueId> adjoint(Writer& w, ValueId x, ValueId shadow);
    // Adds the adjoint `value`, of the shadow's structure, to what the shadow has collected.
    Status add(Writer& w, ValueId shadow, ValueId value);

    ShadowTypes& shadows() { return shadows_; }
    FunctionId new_function(std::string name, Span span);            // empty; the name is made unique

 private:
    enum class Task : uint8_t { shadow, adjoint, zeros, add };
    // value, shadow: as the task needs them; an invalid shadow: none. The result of `add` is ().
    Result<ValueId> apply(Writer& w, Task task, ValueId value, ValueId shadow);
    Result<FunctionId> function(Task task, TypeId type, Span span);
    Result<ValueId> data(Writer& w, Task task, ValueId value, ValueId shadow);
    Result<ValueId> seq(Writer& w, Task task, ValueId value, ValueId shadow);
    Result<ValueId> tensor(Writer& w, Task task, ValueId value, ValueId shadow);
    Result<ValueId> record(Writer& w, Task task, ValueId value, ValueId shadow);
    bool is_plain_record(TypeId type);                   // that holds no other of its type
    TypeId result_type(Task task, TypeId type);

    Module& module_;
    ShadowTypes& shadows_;
    std::map<std::pair<Task, TypeId>, FunctionId> functions_;
};
} // namespace nereus
