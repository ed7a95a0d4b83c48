// import/op_notes.h - what a reader wants to know of an operator of ONNX beside how it is written: docs/onnx_support.md.
#pragma once
#include <string_view>

namespace nereus::onnx {
struct OpNote {
    std::string_view name;                             // one note for all domains that have an operator of this name
    // What decides about the output of its newest version: 1 sizes of inputs decide its value, 2 sizes of inputs decide its
    // sizes, 3 values of inputs do, too, 4 its sizes are known when it has run.
    int dynamism;
    std::string_view gradient = "yes";                 // or "no: why", "yes; not yet ..."
};
const OpNote* find_note(std::string_view name);        // null: there is none
} // namespace nereus::onnx
