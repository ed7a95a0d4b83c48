// grad/known_functions.h - what is differentiated must be seen. A function that differentiates one of its own function
// parameters, `def @slope(%f, %x) { grad(%f)(%x) }`, is written out wherever it is called: there the argument is known. A
// recursive one gets a copy per function that it is called with; what that function captures is handed down.
#pragma once
#include "grad/structures.h"
#include "grad/writer.h"

namespace nereus {
class KnownFunctions {
 public:
    KnownFunctions(Module& module, ShadowTypes& shadows, Structures& structures)
        : module_(module), shadows_(shadows), structures_(structures) {}
    Status run();
    // It differentiates a parameter: nobody calls it any more, unless through a value.
    bool differentiates_a_parameter(FunctionId function) const { return found_.contains(function); }

 private:
    friend class WriteOut;
    // A function value by where it was made, and what it captures there: the same in every copy that it is handed to.
    struct Made { int64_t where; std::vector<ValueId> captured; };
    using Copy = std::pair<FunctionId, std::vector<int64_t>>;        // of which function, for which arguments

    Status visit(FunctionId function);
    bool differentiates(const Function& function) const;
    bool is_function(const Function& function, ValueId value) const { return module_.types[function[value].type].kind == TypeKind::function; }
    void find_recursive();

    Module& module_;
    ShadowTypes& shadows_;
    Structures& structures_;
    std::set<FunctionId> seen_, found_, recursive_;
    std::map<Copy, FunctionId> copies_;
    std::vector<Copy> busy_;                             // copies whose bodies are being written
    int64_t places_ = 0;
};

// The values that a block of the function takes from around it, in order of occurrence.
void free_values(const Function& function, BlockId block, std::set<ValueId>& bound, std::vector<ValueId>& free);
} // namespace nereus
