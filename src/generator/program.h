// generator/program.h - a random program as a tree that can be printed, counted and shrunk.
//
// A node is a piece of text with holes: "tanh($0)" has an expression in it, "if ($0) #0 else #1" also two blocks. What
// the text means is not known here; the type says what may stand in its place. Every variable of a program has a name
// of its own, so that pieces can be moved without catching others.
#pragma once
#include "generator/construct.h"
#include "generator/type.h"

namespace nereus::gen {
struct Block;

struct Expr {
    Construct what = Construct::leaf;
    Type type = {};
    std::string form = {};
    std::vector<Expr> args = {};             // $0, $1, …
    std::vector<Block> blocks;               // #0, #1, …
};

struct Statement {
    Construct what = Construct::leaf;
    std::string form;                        // "%a = $0", "(%a, %b) = $0", "write(%r, $0)", "yield $0"
    Expr value;
};

struct Block {
    std::vector<Statement> statements = {};
    Expr result;
};

struct Function {
    Construct what = Construct::leaf;        // recursion and its like: what the body is nested in
    std::string name, header;                // "def @name(…) -> T"
    Block body;
};

struct Program {
    std::vector<Function> functions = {};
    std::string text() const;                // declarations included
};

void drop_unused_functions(Program& program);            // those that @main does not reach
} // namespace nereus::gen
