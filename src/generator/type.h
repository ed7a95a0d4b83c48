// generator/type.h - types as the generator of programs knows them: exact enough that what it writes is well typed and
// that sizes which must agree do.
#pragma once
#include "tensor/dtype.h"
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nereus::gen {
// A size: a number, an i64 expression that is in scope (`n`, `shape_of(%v)[0]`), or any.
struct Dim {
    int64_t number = -1;
    std::string text = {};

    bool any() const { return number < 0 && text.empty(); }
    std::string expression() const { return number >= 0 ? std::to_string(number) : text; }      // not of any
    bool operator==(const Dim&) const = default;
};

enum class Kind : uint8_t { tensor, tuple, data, seq, ref, fn, param };

struct Type {
    Kind kind = Kind::tensor;
    DType dtype = DType::f64;
    bool ranked = true;                      // false: a tensor of any rank, no dims
    std::vector<Dim> dims = {};              // of a tensor, or dims that a declared type takes
    std::string name = {};                   // of a declared type, or of a parameter of one
    std::vector<Type> parts = {};            // items, type arguments, element; of a function: parameters, then the result

    bool operator==(const Type&) const = default;
    bool is_tensor(DType dtype) const { return kind == Kind::tensor && this->dtype == dtype; }
    bool is_scalar(DType dtype) const { return is_tensor(dtype) && ranked && dims.empty(); }
    bool is_float() const { return kind == Kind::tensor && nereus::is_float(dtype); }
};

Type scalar(DType dtype);
inline Type whole() { return scalar(DType::i64); }
inline Type truth() { return scalar(DType::boolean); }
inline Type real() { return scalar(DType::f64); }
Type tensor(DType dtype, std::vector<Dim> dims);
Type tuple(std::vector<Type> items);
Type seq(Type element);
Type ref(Type element);
Type fn(std::vector<Type> params, Type result);
Type data(std::string name, std::vector<Type> args = {}, std::vector<Dim> dims = {});

// Whether a value of type `have` serves where `want` is asked for: any dim serves where any is wanted.
bool fits(const Type& have, const Type& want);
bool has_any(const Type& type);                          // a size of it is not known
bool holds(const Type& type, Kind kind);                 // at any depth
bool holds_float(const Type& type);
Type forget_dims(Type type);                             // every size any
// Sizes that mention a variable are forgotten: where the value goes the variable is not in scope.
Type forget_variables(Type type);
Type forget_names(Type type);                            // those that mention anything but a variable: `n`, `(n + 1)`
std::string to_text(const Type& type);                   // as an annotation; what it cannot say is `?`

// What programs may declare. All of them stand at the head of every program.
struct Constructor { std::string name; std::vector<Type> fields; };
struct Declared {
    std::string name, text;
    std::vector<std::string> params, dims;
    std::vector<std::string> field_names;                // of a record
    std::vector<Constructor> constructors;
    std::string bound;                                   // a size that each value brings with it
    bool is_record() const { return !field_names.empty(); }
};
const std::vector<Declared>& declared();
const Declared& declaration_of(const Type& type);
// The types of the fields of a constructor of this type, arguments put in.
std::vector<Type> fields_of(const Type& type, const Constructor& constructor);
} // namespace nereus::gen
