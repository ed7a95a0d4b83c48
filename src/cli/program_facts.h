// cli/program_facts.h - what `inspect` says of a program, gathered first, then written as tables or as JSON.
#pragma once
#include "cli/lint.h"

namespace nereus {
struct PortFacts {
    std::string name, type;                      // Tensor[(batch, 128), f32]
    std::string dtype = {};                      // empty: no tensor, or of an artefact
    std::optional<std::vector<std::string>> shape = {};      // sizes; absent: no tensor, or of any rank
    bool has_default = false;                    // an input that callers may leave out
};
struct OperatorFacts {
    std::string domain, name;
    int declared = 2;                            // class in docs/onnx_support.md
    int64_t nodes = 0;
    std::map<int, int64_t> compiled = {};        // nodes by class
};
struct DecidedNode {
    std::string text, op, name;                  // text: as node_title
    int compiled = 3;
    std::string output, type;
    std::vector<std::string> decided_by;
};
struct NodeFacts {
    std::string op, name;
    int compiled = 2;
    std::vector<NodeDynamism::Output> outputs;
};
struct NamedNumber { std::string name; int64_t number; };

struct ProgramFacts {
    std::string path, about = {};
    std::vector<PortFacts> inputs = {}, outputs = {};
    std::vector<SymbolOrigin> symbols = {};
    std::vector<OperatorFacts> operators = {};
    std::vector<DecidedNode> decided = {};      // nodes that stay of class 3 or 4
    std::vector<NodeFacts> nodes = {};           // all, in order
    std::vector<NamedNumber> sizes = {}, counts = {};        // sizes in bytes
    std::string no_peak = {};                    // why there is none
    std::vector<LintWarning> warnings = {};

    void add_model(const SourceProgram& program);
    void add_shapes(Dynamism& dynamism, const SourceProgram& program);
    std::string text() const;
    std::string lint_text() const;
    std::string nodes_text() const;
    std::string nodes_json() const;
    std::string json() const;
};
} // namespace nereus
