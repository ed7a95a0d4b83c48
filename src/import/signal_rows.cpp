// Signals: Fourier transforms, windows.
#include "import/node_text.h"
#include "import/text_writer.h"

namespace nereus::onnx {
namespace {
// Before version 20 the axis was an attribute.
void dft(NodeText& n) {
    std::string axis = n.version() < 20 ? integer_text(n.integer("axis", 1)) : "(-2)";
    if (n.has(2)) {
        const std::optional<std::vector<int64_t>> known = n.constant_integers(2);
        axis = known && known->size() == 1 ? integer_text((*known)[0]) : "onnx_number(" + n.in(2) + ")";
    }
    const std::string inverse = n.integer("inverse", 0) ? "1" : "0", half = n.integer("onesided", 0) ? "1" : "0";
    const std::string of_half = inverse == "1" && half == "1" ? "1" : "0";
    const std::string length = n.has(1) ? n.in(1) : "onnx_dft_length(" + n.in(0) + ", " + axis + ", " + of_half + ")";
    n.give("onnx_dft(" + n.in(0) + ", " + length + ", " + axis + ", " + inverse + ", " + half + ")");
}
// Frames are as long as the window, or as is said, or as the signal.
void stft(NodeText& n) {
    const std::string length = n.has(3) ? n.in(3) : "shape_of(" + n.in(0) + ")[1]";
    const std::string window = n.has(2) ? n.in(2) : "onnx_ones(" + length + ", " + n.in(0) + ")";
    n.give("onnx_stft(" + n.in(0) + ", " + n.in(1) + ", " + window + ", " + (n.integer("onesided", 1) ? "1)" : "0)"));
}

void give_as(NodeText& n, const std::string& made) {
    const ElemType to = n.elem_type("output_datatype", ElemType::float32);
    const std::string_view dtype = dtype_text(to);
    if (dtype.empty()) return n.refuse("its elements would be " + std::string(onnx_type_name(to)));
    n.give("cast(" + made + ", " + std::string(dtype) + ")");
}
template <const char* function> void window(NodeText& n) {
    give_as(n, std::string(function) + "(" + n.in(0) + ", " + (n.integer("periodic", 1) ? "1)" : "0)"));
}
constexpr char hann[] = "onnx_hann_window", hamming[] = "onnx_hamming_window", blackman[] = "onnx_blackman_window";

void mel_weight_matrix(NodeText& n) {
    std::string all = n.in(0);
    for (size_t i = 1; i < 5; ++i) all += ", " + n.in(i);
    give_as(n, "onnx_mel_weights(" + all + ")");
}
} // namespace

std::span<const OpRow> signal_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"DFT",               17,   "",         "",                      "", dft},
        {"STFT",              17,   "",         "",                      "", stft},
        {"HannWindow",        17,   "",         "",                      "", window<hann>},
        {"HammingWindow",     17,   "",         "",                      "", window<hamming>},
        {"BlackmanWindow",    17,   "",         "",                      "", window<blackman>},
        {"MelWeightMatrix",   17,   "",         "",                      "", mel_weight_matrix},
    };
    return rows;
}
} // namespace nereus::onnx
