// Values that are looked at beside the outputs of a model, as they are written.
#include "import/text_writer.h"
#include <algorithm>

namespace nereus::onnx {
void TextWriter::note_values(size_t written, const Node& node) {
    auto text = [&](std::string_view name) {
        const Known* known = name.empty() ? nullptr : find(name);
        return known && !known->text.empty() ? known->text.substr(1) : std::string();
    };
    for (std::string_view name : node.inputs) written_[written].inputs.push_back(text(name));
    for (std::string_view name : node.outputs) written_[written].outputs.push_back(text(name));
}

// Counts are floats: numbers that are whole would be looked at by the shapes stage, which may want them on the host.
// x - x is NaN where x is not finite.
void TextWriter::count_elements(const Node& node) {
    if (!looks_.any()) return;
    for (std::string_view name : node.outputs) {
        if (!looks_.is_counted(inner_.place, name)) continue;
        const std::string x = look_up(name), nans = temporary("nans"), not_finite = temporary("not_finite");
        line(nans + " = sum(cast(isnan(" + x + "), f64))");
        line(not_finite + " = sum(cast(isnan(" + x + " - " + x + "), f64))");
        inner_.counts += (inner_.counts.empty() ? "" : ", ") + nans + ", " + not_finite;
        inner_.counted.push_back({inner_.place, name});
    }
}

void TextWriter::see_all() {
    if (!looks_.any() || inner_.place < 0) return;
    for (const Looks::Tap& tap : looks_.taps_in(inner_.place))
        if (auto known = scopes_.back().find(tap.name); known != scopes_.back().end() && !known->second.text.empty()) inner_.seen[tap.number] = known->second.text;
    if (looks_.places()[inner_.place].kind == Place::Kind::call) return;                 // counted where it is called
    inner_.seen[looks_.counts_of(inner_.place)] = "(" + inner_.counts + ")";
    counted_[inner_.place] = std::move(inner_.counted);
}

Status TextWriter::add_looks(ModelText& out) {
    see_all();
    for (int number : looks_.out_of(0)) {
        const bool is_tap = size_t(number) < looks_.taps().size();
        auto seen = inner_.seen.find(number);
        if (seen == inner_.seen.end()) return Error{Code::unsupported, "'" + (is_tap ? options_.taps[size_t(number)] : "a body") + "' is where nothing can be looked at"};
        const std::string name = temporary(is_tap ? "tap" : "counts");
        line(name + " = " + seen->second);
        out.outputs.push_back({is_tap ? looks_.taps()[size_t(number)].name : std::string_view(), name.substr(1), nullptr});
        if (!is_tap) out.counted.push_back({number - int(looks_.taps().size()), counted_[number - int(looks_.taps().size())]});
    }
    return {};
}
} // namespace nereus::onnx
