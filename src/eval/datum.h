// eval/datum.h - a value of a running program. Unlike an API Value it can be a cell or a closure. Copies share; nothing
// but a cell ever changes. A structure a million levels deep is let go in a loop, never by recursion.
#pragma once
#include "eval/scope.h"
#include "ir/module.h"
#include "tensor/host_tensor.h"
#include <unordered_set>

namespace nereus {
struct DatumNode;
class Datum;

enum class DatumKind : uint8_t { tensor, tuple, data, seq, cell, closure };

// Cells that are alive. Cells can form cycles, which counting never frees: whoever owns this empties them at the end.
class Cells {
 public:
    ~Cells();
    std::unordered_set<DatumNode*> alive;
};

// What a closure runs: a lambda of a function with what it captured, a function, or a lifted lambda.
struct Callee {
    FunctionId function;                    // where the lambda's block is, or the function itself
    BindingId lambda;                       // invalid: the function itself, or `lifted`
    bool lifted = false;                    // made by Form::closure: the applying binding says which function runs
    uint32_t lifted_lambda = 0;
    Scope scope;                            // sizes known where the lambda was made
};

class Datum {
 public:
    Datum() = default;                                               // (), the empty tuple
    static Datum of(HostTensor tensor);                              // scalars are kept without a node
    static Datum integer(int64_t value);                             // an i64 scalar
    static Datum boolean(bool value);
    static Datum tuple(std::vector<Datum> items);
    static Datum data(DeclId decl, uint32_t constructor, std::vector<Datum> fields, std::vector<int64_t> dims);
    static Datum seq(std::vector<Datum> items);
    static Datum cell(Cells& cells, Datum content);
    static Datum closure(Callee callee, std::vector<Datum> captured);

    DatumKind kind() const;
    bool is(DatumKind kind) const { return this->kind() == kind; }
    std::span<const Datum> items() const;    // tuple, data, seq, closure: what is in it; cell: its one content

    HostTensor tensor() const;               // of a tensor
    DType dtype() const;                     // of a tensor
    Extents shape() const;                   // of a tensor
    std::optional<int64_t> as_integer() const;           // of a rank-0 integer tensor
    std::optional<bool> as_boolean() const;              // of a rank-0 bool tensor

    DeclId decl() const;                     // of data
    uint32_t constructor() const;
    std::span<const int64_t> dims() const;   // of data: the sizes its constructor binds
    const Callee& callee() const;             // of a closure
    Datum pushed(Datum item) const;          // of a seq; in place when this is the longest on its buffer
    void write(Datum content) const;         // of a cell

    // Identity; null for scalars and (). Two data with one node are the same.
    DatumNode* node() const { return inline_ ? nullptr : node_; }
    // The type this was last found to fit, so that sizes inside are looked at once; UINT32_MAX: none.
    uint32_t fits() const;
    void set_fits(uint32_t type) const;
    struct PartlyFits { uint32_t type; size_t items; };
    PartlyFits partly_fits() const;          // of a seq: as many leading items are known to fit this type

    Datum(const Datum& other) noexcept;
    Datum(Datum&& other) noexcept : inline_(other.inline_), dtype_(other.dtype_), bits_(other.bits_) { other.drop(); }
    Datum& operator=(Datum other) noexcept;
    ~Datum() { if (!inline_ && node_) release(node_); }

 private:
    explicit Datum(DatumNode* node) : node_(node) {}
    void drop() { inline_ = false, node_ = nullptr; }
    static void release(DatumNode* node) noexcept;

    bool inline_ = false;                    // a scalar: dtype_ and bits_ are it
    DType dtype_ = DType::f32;
    union {
        DatumNode* node_ = nullptr;
        uint64_t bits_;
    };
};
} // namespace nereus
