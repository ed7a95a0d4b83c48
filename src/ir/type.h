// ir/type.h - types of values, hash-consed: equal types have equal ids within one module.
#pragma once
#include "base/id.h"
#include "dim/dims.h"
#include "tensor/dtype.h"
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace nereus {
using TypeId = Id<struct TypeTag>;
using DeclId = Id<struct DeclTag>;          // a declared data type or record
using VarId = Id<struct VarTag>;            // a type, dtype or shape variable of a signature or declaration

enum class VarKind : uint8_t { type, dtype, shape };     // dims are symbols (Sym), not variables
struct Var { std::string name; VarKind kind; };

// The element type of a tensor: a dtype, a dtype variable, or not known yet.
struct Element {
    std::optional<DType> dtype;
    VarId var;
    bool operator==(const Element&) const = default;
};

// Ranked: exactly `dims`. Not ranked: `dims`, then `tail`, a shape variable, or invalid for "..".
struct Shape {
    std::vector<Dim> dims;
    bool ranked = true;
    VarId tail;
    bool operator==(const Shape&) const = default;
};

using TypeArg = std::variant<TypeId, Dim, Element, Shape>;

enum class TypeKind : uint8_t { hole, var, tensor, tuple, function, ref, seq, data };

struct Type {
    TypeKind kind = TypeKind::hole;
    VarId var;                              // var
    Element element;                        // tensor
    Shape shape;                            // tensor
    std::vector<TypeId> parts;              // tuple: elements; function: parameters, then the result; ref, seq: content
    DeclId decl;                            // data, records included
    std::vector<TypeArg> args;              // data: one per parameter of the declaration; may be empty before inference
    bool operator==(const Type&) const = default;
};

class Types {
 public:
    Types();
    const Type& operator[](TypeId id) const { return types_[id.index]; }
    TypeId intern(Type type);
    TypeId hole() const { return TypeId(0); }            // not known yet
    TypeId unit() const { return TypeId(1); }            // the empty tuple
    TypeId tensor(Shape shape, Element element);
    TypeId tensor(Shape shape, DType dtype) { return tensor(std::move(shape), Element{dtype, {}}); }
    TypeId scalar(DType dtype) { return tensor(Shape{}, dtype); }
    TypeId tuple(std::vector<TypeId> parts);
    TypeId function(std::vector<TypeId> params, TypeId result);
    TypeId ref(TypeId content);
    TypeId seq(TypeId content);
    TypeId data(DeclId decl, std::vector<TypeArg> args);
    TypeId variable(VarId var);
    size_t size() const { return types_.size(); }

 private:
    std::vector<Type> types_;
    std::unordered_multimap<size_t, TypeId> by_hash_;
};

// A declared type parameter, in order; `var` or `dim` by kind.
struct TypeParam {
    enum class Kind : uint8_t { type, dtype, shape, dim } kind = Kind::type;
    VarId var;
    Sym dim;
};

struct Constructor {
    std::string name;
    std::vector<Sym> dims;                  // Name[n](…): bound here, stored once per object, shared by the fields
    std::vector<TypeId> fields;
    std::vector<std::string> field_names;   // records only
};

struct TypeDecl {
    std::string name;
    std::vector<TypeParam> params;
    std::vector<Constructor> constructors;  // a record has exactly one, unnamed, with field names
    bool is_record = false;
    bool from_prelude = false;
    Span span;
};
} // namespace nereus
