// grad/known_functions.h - what is differentiated must be seen. A function that differentiates one of its own function
// parameters, `def @slope(%f, %x) { grad(%f)(%x) }`, is written out wherever it is called: there the argument is known.
#pragma once
#include "grad/writer.h"

namespace nereus {
class KnownFunctions {
 public:
    KnownFunctions(Module& module, ShadowTypes& shadows) : module_(module), shadows_(shadows) {}
    void run();
    // It differentiates a parameter: nobody calls it any more, unless through a value or by recursion.
    bool differentiates_a_parameter(FunctionId function) const { return found_.contains(function); }

 private:
    void visit(FunctionId function);
    bool judge(const Function& function) const;

    Module& module_;
    ShadowTypes& shadows_;
    std::set<FunctionId> seen_, found_;
};

// The values that a block of the function takes from around it, in order of occurrence.
void free_values(const Function& function, BlockId block, std::set<ValueId>& bound, std::vector<ValueId>& free);
} // namespace nereus
