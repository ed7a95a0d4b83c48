// ir/scheme.h - the little language in which an operator states its dtypes and structure for phase T.
//
//   scheme = [binder {',' binder} ':'] [arg {',' arg}] '->' type
//   binder = ('any' | 'equal' | 'basic' | 'num' | 'int' | 'float') name   a dtype variable; num = int or float, basic = num or bool,
//                                                          equal = basic or str, any = equal or only stored
//          | 'name                                          a type variable
//   arg    = type ['..']                                    '..': a parameter of kind `values`, all of this type
//   type   = 'bool' | 'i32' | 'i64' | 'f32' | 'f64'         a tensor of that dtype
//          | name                                           a tensor of that dtype variable
//          | '$' param                                      a tensor of the dtype given by the attribute `param`
//          | 'name                                          any type
//          | '(' [type {',' type}] ')'                      a tuple
//          | '(' type '..' ')'                              a tuple as long as the list given for the parameter `sizes`
//          | 'Ref' '[' type ']' | 'Seq' '[' type ']'
//          | 'fn' '(' [type {',' type}] ')' '->' type
//
// There is one arg per parameter of kind value or values, in order of declaration; sizes and attributes have none,
// because their types are always the same. An optional parameter left out simply drops its arg. Ranks and sizes are no
// part of this: they are phase S.
#pragma once
#include "base/result.h"
#include "tensor/dtype.h"
#include <string>
#include <vector>

namespace nereus {
enum class DTypeClass : uint8_t { any, equal, basic, num, integer, real };      // each within those before, but real apart from integer
constexpr bool belongs(DType dtype, DTypeClass to) {
    switch (to) {
    case DTypeClass::any: return true;
    case DTypeClass::equal: return !is_storage(dtype);
    case DTypeClass::basic: return !is_storage(dtype) && !is_text(dtype);
    case DTypeClass::num: return is_integer(dtype) || is_float(dtype);
    case DTypeClass::integer: return is_integer(dtype);
    case DTypeClass::real: return is_float(dtype);
    }
    return false;
}

struct SchemeType {
    enum class Kind : uint8_t { dtype, dtype_var, dtype_param, type_var, tuple, tuple_of_sizes, ref, seq, function };
    Kind kind = Kind::tuple;
    DType dtype = DType::f32;               // dtype
    uint32_t var = 0;                       // dtype_var, type_var: index in the scheme's list
    std::string param;                      // dtype_param: name of the attribute
    std::vector<SchemeType> parts;          // tuple: elements; tuple_of_sizes, ref, seq: the one content;
                                            // function: parameters, then the result
};
struct SchemeArg { SchemeType type; bool repeated = false; };        // repeated: a parameter of kind `values`
struct DTypeVar { std::string name; DTypeClass of = DTypeClass::any; };

struct Scheme {
    std::vector<DTypeVar> dtype_vars;
    std::vector<std::string> type_vars;     // without the quote
    std::vector<SchemeArg> args;
    SchemeType result;
};

Result<Scheme> parse_scheme(std::string_view text);
} // namespace nereus
