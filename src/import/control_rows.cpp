// Control flow becomes the language's own.
#include "import/node_text.h"
#include <algorithm>

namespace nereus::onnx {
namespace {
using Texts = std::vector<std::string>;

std::string listed(const Texts& values) {
    std::string out;
    for (const std::string& value : values) out += (out.empty() ? "" : ", ") + value;
    return out;
}
std::string tuple_of(const Texts& values) { return values.size() == 1 ? values[0] : "(" + listed(values) + ")"; }
// Of what an `if` or a loop is worth; of a loop these are its states, then what it collected. One value is bare.
std::string part(const std::string& made, size_t i, size_t count) { return count == 1 ? made : made + "." + std::to_string(i); }

void choice(NodeText& n) {
    const std::string condition = n.named("c", "reshape(" + n.in(0) + ", [])");
    const std::optional<GraphId> yes = n.graph("then_branch"), no = n.graph("else_branch");
    if (!yes || !no) return;
    const std::vector<int>&in_yes = n.looks_in(*yes), &in_no = n.looks_in(*no);
    auto arm = [&](GraphId graph) {
        return n.block(graph, {}, [&](Texts all) {
            for (int look : in_yes) all.push_back(graph == *yes ? "Some(" + n.seen(look) + ")" : "None");
            for (int look : in_no) all.push_back(graph == *no ? "Some(" + n.seen(look) + ")" : "None");
            return tuple_of(all);
        });
    };
    const std::string first = arm(*yes), made = "if (" + condition + ") " + first + " else " + arm(*no);
    if (in_yes.empty() && in_no.empty()) return n.give(made);
    const size_t own = n[*yes].outputs.size(), count = own + in_yes.size() + in_no.size();
    const std::string both = n.named("arms", made);
    Texts results;
    for (size_t i = 0; i < own; ++i) results.push_back(part(both, i, count));
    n.give_each(results);
    for (size_t i = 0; i < in_yes.size(); ++i) n.pass_on(in_yes[i], part(both, own + i, count));
    for (size_t i = 0; i < in_no.size(); ++i) n.pass_on(in_no[i], part(both, own + in_yes.size() + i, count));
}

// States of a loop, with the values that they begin with: (%s = e, %t = f).
struct States {
    Texts names, starts;
    std::string add(NodeText& n, std::string_view stem, std::string start) {
        names.push_back(n.fresh(stem));
        starts.push_back(std::move(start));
        return names.back();
    }
    std::string text() const {
        Texts all;
        for (size_t i = 0; i < names.size(); ++i) all.push_back(names[i] + " = " + starts[i]);
        return "(" + listed(all) + ")";
    }
};

// What is looked at in a body: states of its loop, a Seq each.
struct Collected {
    const std::vector<int>& looks;
    Texts names = {};
    void add_to(States& states, NodeText& n) {
        for (size_t i = 0; i < looks.size(); ++i) names.push_back(states.add(n, "seen", "[]"));
    }
    void add_next(Texts& out, NodeText& n) const {       // at the end of the body
        for (size_t i = 0; i < looks.size(); ++i) out.push_back("push(" + names[i] + ", " + n.seen(looks[i]) + ")");
    }
    void pass_on(NodeText& n, const std::string& loop, size_t first, size_t count) const {
        for (size_t i = 0; i < looks.size(); ++i) n.pass_on(looks[i], part(loop, first + i, count));
    }
};

void yield_each(NodeText& n, const Texts& values) {
    for (const std::string& value : values) n.line("yield " + value);
}

bool is_true(const Graph& body, std::string_view name) {
    for (const TensorData& data : body.initializers)
        if (data.name == name) return data.bytes.size() == 1 && data.bytes[0] != std::byte{0};
    for (const Node& node : body.nodes)
        if (std::ranges::find(node.outputs, name) != node.outputs.end()) {
            const TensorData* value = nullptr;
            for (const Attribute& a : node.attributes)
                if (const auto* tensors = std::get_if<std::vector<TensorData>>(&a.value); tensors && tensors->size() == 1 && a.name == "value") value = &(*tensors)[0];
            return node.op_type == "Constant" && value && value->bytes.size() == 1 && value->bytes[0] != std::byte{0};
        }
    return false;
}
// Whether a body of a Loop never ends it: the condition that it gives is true, or the one that it was given.
bool goes_on(const Graph& body) {
    if (body.outputs.empty() || body.inputs.size() < 2) return false;
    const std::string_view given = body.inputs[1].name, next = body.outputs[0].name;
    if (next == given || is_true(body, next)) return true;
    for (const Node& node : body.nodes)
        if (node.outputs.size() == 1 && node.outputs[0] == next) return node.op_type == "Identity" && node.inputs.size() == 1 && (node.inputs[0] == given || is_true(body, node.inputs[0]));
    return false;
}

bool is_optional(const ValueInfo& info) { return !info.type.layers.empty() && info.type.layers[0].kind == TypeLayer::Kind::optional; }

// A number as the body declares it: of rank 0, or of rank 1 with one element.
std::string as_declared(const ValueInfo& info, const std::string& number) {
    return info.type.shape && info.type.shape->size() == 1 ? "reshape(" + number + ", [1])" : number;
}

// Loop: a `for` where the number of trips is given and nothing in the body can end it, else a `while`.
void loop(NodeText& n) {
    const std::optional<GraphId> body = n.graph("body");
    if (!body) return;
    const Graph& graph = n[*body];
    const size_t states = n.input_count() > 2 ? n.input_count() - 2 : 0;
    if (graph.inputs.size() != states + 2 || graph.outputs.size() < states + 1) return n.refuse("its body does not take and give its " + std::to_string(states) + " states");
    const std::string most = n.has(0) ? n.named("trips", "onnx_number(" + n.in(0) + ")") : "";
    const std::string first = n.has(1) ? n.named("go", "reshape(" + n.in(1) + ", [])") : "true";
    const bool counted = !most.empty() && goes_on(graph);
    Collected collected{n.looks_in(*body)};
    const size_t own = counted ? 0 : 2, kept = own + collected.looks.size();     // states of our own: trips so far and whether to go on

    States all;
    const std::string trip = counted ? n.fresh("i") : all.add(n, "i", "0");
    const std::string going = counted ? first : all.add(n, "going", first);
    collected.add_to(all, n);
    Texts parameters = {as_declared(graph.inputs[0], trip), as_declared(graph.inputs[1], going)};
    for (size_t i = 0; i < states; ++i) parameters.push_back(all.add(n, graph.inputs[i + 2].name, n.in(i + 2)));
    // A state that may begin with nothing: what the body gives is put into an Option, and taken out behind the loop.
    auto is_filled = [&](size_t i) { return is_optional(graph.inputs[i + 2]) && !is_optional(graph.outputs[i + 1]); };
    const std::string text = n.block(*body, parameters, [&](const Texts& outputs) {
        yield_each(n, Texts(outputs.begin() + ptrdiff_t(states) + 1, outputs.end()));
        Texts next;
        if (!counted) next = {trip + " + 1", "reshape(" + outputs[0] + ", [])"};
        collected.add_next(next, n);
        for (size_t i = 0; i < states; ++i) next.push_back(is_filled(i) ? "Some(" + outputs[i + 1] + ")" : outputs[i + 1]);
        return tuple_of(next);
    });
    const std::string trips = first == "true" ? most : "(if (" + first + ") { " + most + " } else { 0 })";
    const std::string head = counted ? "for " + trip + " in " + trips + ", " + all.text()
                                     : "while " + all.text() + " (" + (most.empty() ? going : going + " && " + trip + " < " + most) + ")";
    const size_t count = kept + graph.outputs.size() - 1;
    if (count == 0) return;
    const std::string made = n.named("loop", head + " " + text);
    Texts results;
    for (size_t i = kept; i < count; ++i) {
        const bool filled = i - kept < states && is_filled(i - kept);
        results.push_back(filled ? "onnx_get_element(" + part(made, i, count) + ")" : part(made, i, count));
    }
    n.give_each(results);
    collected.pass_on(n, made, own, count);
}

// A number of an optional list of integers, one per value.
int64_t one_of(const std::optional<std::vector<int64_t>>& all, size_t i) { return all && i < all->size() ? (*all)[i] : 0; }

// Scan: a loop over slices of its last inputs. Places of axes may count from the end; direction 1 is from the last to the first.
struct Scanned {
    size_t states = 0, inputs = 0;
    std::optional<std::vector<int64_t>> input_axes, input_directions, output_axes, output_directions;
};
std::string scan_loop(NodeText& n, GraphId body, const Scanned& how, const Texts& starts, const Texts& inputs, const std::string& trips, Collected& collected) {
    const Graph& graph = n[body];
    States all;
    collected.add_to(all, n);
    const std::string trip = n.fresh("i");
    Texts parameters;
    for (size_t i = 0; i < how.states; ++i) parameters.push_back(all.add(n, graph.inputs[i].name, starts[i]));
    for (size_t i = 0; i < how.inputs; ++i) {
        const std::string at = one_of(how.input_directions, i) ? trips + " - 1 - " + trip : trip;
        parameters.push_back("gather(" + inputs[i] + ", " + at + ", axis=" + std::to_string(one_of(how.input_axes, i)) + ")");
    }
    const std::string text = n.block(body, parameters, [&](const Texts& outputs) {
        yield_each(n, Texts(outputs.begin() + ptrdiff_t(how.states), outputs.end()));
        Texts next;
        collected.add_next(next, n);
        next.insert(next.end(), outputs.begin(), outputs.begin() + ptrdiff_t(how.states));
        return tuple_of(next);
    });
    return "for " + trip + " in " + trips + ", " + all.text() + " " + text;
}
bool fits(NodeText& n, const Graph& body, const Scanned& how) {
    if (how.inputs > 0 && body.inputs.size() == how.states + how.inputs && body.outputs.size() >= how.states && !body.outputs.empty()) return true;
    n.refuse("its body does not take and give its " + std::to_string(how.states) + " states and " + std::to_string(how.inputs) + " inputs");
    return false;
}
void scan(NodeText& n) {
    const std::optional<GraphId> body = n.graph("body");
    const int64_t inputs = n.integer("num_scan_inputs", 0);
    if (!body) return;
    if (inputs < 1 || size_t(inputs) > n.input_count()) return n.refuse("its attribute 'num_scan_inputs' is " + std::to_string(inputs));
    const Scanned how{n.input_count() - size_t(inputs), size_t(inputs), n.integers("scan_input_axes"), n.integers("scan_input_directions"),
                      n.integers("scan_output_axes"), n.integers("scan_output_directions")};
    if (!fits(n, n[*body], how)) return;
    Texts starts, scanned;
    for (size_t i = 0; i < n.input_count(); ++i) (i < how.states ? starts : scanned).push_back(n.in(i));
    const std::string trips = n.named("trips", "onnx_size_at(" + scanned[0] + ", (" + std::to_string(one_of(how.input_axes, 0)) + "))");
    Collected collected{n.looks_in(*body)};
    const std::string made = n.named("scan", scan_loop(n, *body, how, starts, scanned, trips, collected));
    const size_t kept = collected.looks.size(), own = n[*body].outputs.size(), count = kept + own;
    Texts results;
    for (size_t i = 0; i < own; ++i) {
        std::string result = part(made, kept + i, count);
        if (i >= how.states && one_of(how.output_directions, i - how.states)) result = "onnx_reversed(" + result + ")";
        if (const int64_t axis = i < how.states ? 0 : one_of(how.output_axes, i - how.states)) result = "onnx_first_axis_to(" + result + ", (" + std::to_string(axis) + "))";
        results.push_back(result);
    }
    n.give_each(results);
    collected.pass_on(n, made, 0, count);
}
// Before version 9 a Scan is done for each of a batch, along axis 1, and each may have a length of its own.
void batch_scan(NodeText& n) {
    const std::optional<GraphId> body = n.graph("body");
    const int64_t inputs = n.integer("num_scan_inputs", 0);
    if (!body) return;
    if (inputs < 1 || size_t(inputs) + 1 > n.input_count()) return n.refuse("its attribute 'num_scan_inputs' is " + std::to_string(inputs));
    const Scanned how{n.input_count() - 1 - size_t(inputs), size_t(inputs), std::nullopt, n.integers("directions"), std::nullopt, std::nullopt};
    if (!fits(n, n[*body], how)) return;
    const std::string last = n.in(how.states + 1), at = n.fresh("b");
    Texts starts, scanned;
    for (size_t i = 1; i < n.input_count(); ++i) (i <= how.states ? starts : scanned).push_back(n.in(i) + "[" + at + "]");
    const std::string most = n.named("trips", "onnx_size_at(" + last + ", 1)");
    const std::string trips = n.has(0) ? "cast(" + n.in(0) + "[" + at + "], i64)" : most;
    const size_t count = n[*body].outputs.size();
    const std::string one = n.fresh("one");
    Collected none{n.looks_in(*body)};                 // Places does not look there
    std::string text = "for " + at + " in shape_of(" + last + ")[0], () { " + one + " = " + scan_loop(n, *body, how, starts, scanned, trips, none) + "\n";
    for (size_t i = 0; i < count; ++i)
        text += "yield " + (i < how.states || !n.has(0) ? part(one, i, count) : "onnx_extended(" + part(one, i, count) + ", " + most + ")") + "\n";
    const std::string made = n.named("scans", text + "() }");
    Texts results;
    for (size_t i = 0; i < count; ++i) results.push_back(part(made, i, count));
    n.give_each(results);
}

// SequenceMap: its body for each element; inputs that are no sequences are given to each.
void sequence_map(NodeText& n) {
    const std::optional<GraphId> body = n.graph("body");
    if (!body) return;
    const size_t count = n[*body].outputs.size();
    if (count == 0) return n.refuse("its body gives nothing");
    const std::string at = n.fresh("i");
    Texts parameters;
    for (size_t i = 0; i < n.input_count(); ++i) parameters.push_back(i == 0 || n.is_sequence(i) ? n.in(i) + "[" + at + "]" : n.in(i));
    Collected collected{n.looks_in(*body)};
    const size_t kept = collected.looks.size();
    States all;
    collected.add_to(all, n);
    for (size_t i = 0; i < count; ++i) all.add(n, "all", "[]");
    const std::string text = n.block(*body, parameters, [&](const Texts& outputs) {
        Texts next;
        collected.add_next(next, n);
        for (size_t i = 0; i < count; ++i) next.push_back("push(" + all.names[kept + i] + ", " + outputs[i] + ")");
        return tuple_of(next);
    });
    const std::string made = n.named("mapped", "for " + at + " in length(" + n.in(0) + "), " + all.text() + " " + text);
    Texts results;
    for (size_t i = 0; i < count; ++i) results.push_back(part(made, kept + i, kept + count));
    n.give_each(results);
    collected.pass_on(n, made, 0, kept + count);
}
} // namespace

std::span<const OpRow> control_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"If",                1,    "",         "",                      "", choice},
        {"Loop",              1,    "",         "",                      "", loop},
        {"Scan",              8,    "",         "",                      "", batch_scan},
        {"Scan",              9,    "",         "",                      "", scan},
        {"SequenceMap",       17,   "",         "",                      "", sequence_map},
    };
    return rows;
}
} // namespace nereus::onnx
