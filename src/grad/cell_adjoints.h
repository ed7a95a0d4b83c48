// grad/cell_adjoints.h - cells in the product form: the adjoint of what a cell holds is kept in the cell itself.
//
// Before a function is differentiated, it and all it calls are copied with Ref[(T, A)] for every Ref[T] where T has an
// adjoint, A as a field of data would hold it (adjoint_types.h):
//
//     ref(v)          ref((v, zero))
//     read(r)         read(r).0
//     write(r, v)     write(r, (v, zero))
//
// Backward code then adds to the second part where the cell was read, and takes it out where the cell was written
// (backward_cell.cpp). So aliases, cells in containers and captured cells need nothing more, a tape keeps the cell, and no
// cell is added to those of the program. Forward code never sees anything but zero there: all of it runs before.
//
// A copy has cells of its own. A cell that comes from outside of what is differentiated gets a twin that begins with its
// content and gives it back in the end; what comes is a cell itself, and no two of them are one cell, which is
// asserted. Others the reference form takes.
#pragma once
#include "grad/adjoint_structures.h"

namespace nereus {
class CellAdjoints {
 public:
    CellAdjoints(Module& module, Structures& structures, AdjointTypes& types, AdjointStructures& adjoints)
        : module_(module), structures_(structures), shadows_(structures.shadows()), types_(types), adjoints_(adjoints) {}

    bool keeps_adjoint(TypeId type);         // it is a cell whose content has one
    bool holds(TypeId type);                 // such a cell is inside
    // Why values of this type cannot be widened, for a message; empty: they can.
    std::string obstacle(TypeId type);
    FunctionId widened(FunctionId function); // itself where it knows no such cells
    bool can_have_twin(TypeId type);         // a cell that holds no cells, or a tuple with such
    // Cells from outside and their twins. `widened`: a parameter as the copy has it, which becomes a value with these.
    struct Twin { ValueId outer, twin; };
    void take_in(Writer& w, ValueId outer, ValueId widened, std::vector<Twin>& twins);
    void give_back(Writer& w, const std::vector<Twin>& twins);

    // It or what it calls makes, reads or writes such cells.
    bool touches(FunctionId function);
    bool touches(const Function& function, const Binding& binding);
    bool touches(const Function& function, BlockId block);
    bool changes(const Function& function, BlockId block);   // reads aside
    bool is_concerned(FunctionId function);

 private:
    TypeId widened(TypeId type);
    void declare(TypeId data);
    bool knows_cells(const Function& function);
    template <typename Found> bool reaches(FunctionId from, const Found& found);
    void rewrite(Function& f, const Function& source);
    void rewrite(Writer& w, const Function& source, BlockId block);
    void rewrite(Pattern& pattern, TypeId subject);

    struct Wide { DeclId decl; std::vector<TypeId> args; };
    Module& module_;
    Structures& structures_;
    ShadowTypes& shadows_;
    AdjointTypes& types_;
    AdjointStructures& adjoints_;
    std::map<TypeId, Wide> decls_;
    std::map<TypeId, bool> holds_;
    std::map<FunctionId, FunctionId> widened_;
    std::map<FunctionId, bool> concerned_, touches_;
};
} // namespace nereus
