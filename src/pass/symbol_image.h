// pass/symbol_image.h - dims put in for symbols, in dims, types and whole functions.
#pragma once
#include "ir/module.h"
#include <unordered_map>

namespace nereus {
class SymbolImage {
 public:
    explicit SymbolImage(Module& module) : module_(&module) {}
    // From here on; what was asked before may not mention it. Definitions come before uses, so in program order it cannot.
    void put(Sym symbol, Dim dim) { image_[symbol] = dim; }
    bool empty() const { return image_.empty(); }
    bool contains(Sym symbol) const { return image_.contains(symbol); }
    Sym renamed(Sym symbol);                 // a new symbol of the same name and kind stands for it

    Dim of(Dim dim);
    TypeId of(TypeId type);
    Shape of(Shape shape);
    void in_place(Binding& binding);         // dims, facts and attributes; not what it defines
    void in_place(Function& function);       // all of it, but for definitions

 private:
    Module* module_;
    std::unordered_map<Sym, Dim> image_;
    std::unordered_map<Dim, Dim> dims_;
    std::unordered_map<TypeId, TypeId> types_;
};

// Binds symbols of `pattern` so that it becomes `type`: those that stand alone, and are in `open`. What else differs is
// not looked at: compare afterwards.
void match_symbols(const Module& module, TypeId pattern, TypeId type, const std::vector<Sym>& open,
                   std::unordered_map<Sym, Dim>& out_found);
// A shape variable, or the rank or size of one, is part of it.
bool mentions_shape_variable(const Module& module, TypeId type);
// Every symbol in it, some perhaps twice.
void collect_type_symbols(const Module& module, TypeId type, std::vector<Sym>& out);
} // namespace nereus
