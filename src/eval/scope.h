// eval/scope.h - what the names of sizes, shapes and dtypes stand for in one activation of a function.
#pragma once
#include "dim/dims.h"
#include "ir/type.h"
#include "tensor/host_tensor.h"

namespace nereus {
class Scope {
 public:
    std::optional<int64_t> size(Sym symbol) const;
    void set(Sym symbol, int64_t value);
    void forget(Sym symbol);
    const Extents* shape(VarId var) const;                           // null: not known
    void set(VarId var, Extents shape);
    std::optional<DType> dtype(VarId var) const;
    void set(VarId var, DType dtype);
    // Absent symbols are an error that names them.
    Result<int64_t> evaluate(const Dims& dims, Dim dim) const;

 private:
    std::vector<std::pair<Sym, int64_t>> sizes_;                     // few: looked up by walking
    std::vector<std::pair<VarId, Extents>> shapes_;
    std::vector<std::pair<VarId, DType>> dtypes_;
};
} // namespace nereus
