// cli/dynamism.h - what decides the sizes of a model's values, once shapes are inferred: its nodes by class, its symbols by
// where they come from. The classes are those of docs/onnx_support.md. A node that the table calls 3 or 4 is of class 2 here
// if all its sizes follow from those of its inputs, because what decides them is known before it runs.
#pragma once
#include "cli/commands.h"
#include "ir/print_type.h"
#include <set>

namespace nereus {
struct NodeDynamism {
    const onnx::Node* node = nullptr;
    int declared = 2, compiled = 2;
    bool unranked = false;                       // an output has a rank that nobody knows
    struct Output { std::string name, type; };
    std::vector<Output> outputs;                 // type: empty where nobody needs the value
    std::string output, type;                    // of class 3 and 4: the output that shows it, and what is known of it
    std::vector<std::string> decided_by;         // inputs whose elements decide
    std::string follows_from;                    // of class 3: "shapes" or "elements" of what the model is given
    Span where;
};
struct SymbolOrigin { std::string name, kind, from; };           // kind: "input", "late", "host", "join"
struct NamedType { std::string name; TypeId type; std::string text; };

class Dynamism {
 public:
    // `shaped`: the program's module after the stage shapes, made from text with TextOptions::numbered.
    Dynamism(const Module& shaped, const SourceProgram& program);
    const std::vector<NodeDynamism>& nodes() const { return nodes_; }            // calls of functions left out
    const std::vector<SymbolOrigin>& symbols() const { return symbols_; }        // those that types of values mention
    const std::vector<NamedType>& inputs() const { return inputs_; }
    const std::vector<NamedType>& outputs() const { return outputs_; }
    const onnx::Node* node_at(Span where) const;             // that wrote this line; null: none did
    const Shape* shape_of(std::string_view value) const;     // by its name in the text; null: no tensor has that name
    std::string dim_text(Dim dim) { return printer_.dim(dim); }
    const Module& module() const { return module_; }

 private:
    void find_lines(const SourceProgram& program);
    void walk(BlockId block);
    void note_value(ValueId id, Span where);
    void find_symbols(const SourceProgram& program);
    int number_at(Span where) const;
    std::vector<Sym> symbols_in(TypeId type) const;
    void note_origin(const Binding& binding);
    NodeDynamism look_at(const onnx::WrittenNode& written, int number);

    const Module& module_;
    const Function& main_;
    ModuleNames names_;
    TypePrinter printer_;
    const std::vector<onnx::WrittenNode>* written_;
    int32_t source_ = -1;                        // the model's text, among the module's sources
    std::vector<int> number_of_line_;            // of a node; -1: none
    std::map<std::string, int32_t, std::less<>> line_of_name_;       // where the text binds it
    std::map<std::string, ValueId, std::less<>> values_;             // by their names in the text
    std::map<Sym, BindingId> defined_by_;
    std::map<ValueId, BindingId> made_by_;
    std::set<ValueId> from_shapes_;              // values whose elements follow from shapes and constants
    std::vector<NodeDynamism> nodes_;
    std::vector<SymbolOrigin> symbols_;
    std::vector<NamedType> inputs_, outputs_;
};
} // namespace nereus
