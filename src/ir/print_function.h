// ir/print_function.h - prints one function, in two runs: the first finds out what needs a declaration or a name.
// print_function.cpp has lines, blocks and headers; print_expression.cpp what stands to the right of the =.
#pragma once
#include "ir/op.h"
#include "ir/print.h"
#include "ir/print_type.h"

namespace nereus {
class FunctionPrinter {
 public:
    FunctionPrinter(const Module& module, const ModuleNames& names, const Function& function, PrintOptions options);
    std::string run();

 private:
    void count_uses();
    void print_all(const std::vector<TypeParam>& extra);
    std::vector<TypeParam> undeclared();                 // after a first run: what the header must declare

    // lines and blocks
    void header(const std::vector<TypeParam>& extra);
    void line(const std::string& text) { out_ += std::string(size_t(indent_) * 2, ' ') + text + "\n"; }
    void begin(const std::string& text) { out_ += std::string(size_t(indent_) * 2, ' ') + text; }
    void binding(const Binding& binding);
    void generic_binding(const Binding& binding);
    void block(BlockId id);                              // "{", lines, "}" without the last newline
    void loop_block(BlockId id, size_t states);
    void open_block(const Block& block);
    void close_block(const Block& block);
    void generic_block(const Block& block, const std::string& head);
    void expression(const Binding& binding);             // may print blocks
    void match_arms(const Binding& binding);
    void condition(BlockId id, bool parenthesised);
    bool is_simple(const Block& block) const;            // one line holds it

    // pieces
    bool surface(const Binding& binding) const;          // has a form of its own
    std::string result_text(const Binding& binding);     // %x: T {…}
    std::string annotation(const Binding& binding, const std::vector<Sym>& defines, Dim known);
    void quantify(bool on) { types_.quantifies = on, types_.own_sizes = !on; }   // the parameters of a lambda
    std::string value(ValueId id);
    std::string declared(ValueId id);                    // %x: T {= n}
    std::string arg(ValueId id, bool is_size = false);
    std::string head(ValueId id);                        // before a dot or bracket
    std::string args(const Binding& binding, size_t from = 0);
    std::string simple_expression(const Binding& binding);
    std::string op_args(const Binding& binding);
    std::string extra_attributes(const AttributeList& attributes);    // "; a=1, b=2" or nothing
    std::string details(const Binding& binding);
    std::string index_parts(const Binding& binding);
    std::string function_name(FunctionId id) const;
    std::string constructor_name(DeclId decl, uint32_t index) const;
    std::string fields(const Binding& binding, size_t first_arg);
    std::string pattern(const Pattern& pattern);
    std::string literal(const Literal& literal);
    std::string attribute_value(const Attribute& attribute);
    std::string dims(const std::vector<Dim>& dims);
    std::string symbols(const std::vector<Sym>& symbols);

    const Module& m;
    const ModuleNames& names_;
    const Function& f;
    PrintOptions options_;
    TypePrinter types_;
    std::string out_;
    int indent_ = 0;
    std::vector<const Binding*> immediates_;             // by value; nullptr: not one
    std::vector<uint32_t> uses_;
    std::unordered_map<uint32_t, size_t> numbers_;
};
} // namespace nereus
