// pass/common_values.cpp - what was computed before, with the same operator, attributes and arguments, is not computed
// again: the first value serves. In an inner block the values of the blocks around it serve, never the other way round.
// What may fail is merged too: where the first succeeded so would the second. What reads a cell is not.
//
// Arguments of operators that commute are put in order. A rank-0 integer whose value is known as a dim serves for every
// other with that dim. A second check of the same fact goes. Sizes that a merged binding defines are those of the first.
//
// The table is one map with an undo list per block, so that the walk is linear.
#include "pass/function_edit.h"
#include "pass/one_function.h"
#include "pass/passes.h"
#include <algorithm>
#include <cstring>

namespace nereus {
namespace {
class Key {
 public:
    template <class T> void number(T value) {
        char bytes[sizeof(T)];
        std::memcpy(bytes, &value, sizeof(T));
        text_.append(bytes, sizeof(T));
    }
    void text(std::string_view t) { number(t.size()), text_ += t; }
    template <class T> void numbers(const std::vector<T>& list) {
        number(list.size());
        for (T value : list) number(value);
    }
    std::string take() { return std::move(text_); }

 private:
    std::string text_;
};

bool commutes(const OpDef& op, bool floats) {
    switch (op.host) {
    case HostOp::add: case HostOp::mul: case HostOp::eq: case HostOp::ne: case HostOp::logical_and: case HostOp::logical_or: return true;
    case HostOp::min: case HostOp::max: return !floats;              // of 0.0 and -0.0 the first one counts
    default: return false;
    }
}

class CommonValues {
 public:
    CommonValues(Module& module, Function& function, const Effects& effects)
        : module_(module), edit_(module, function), effects_(effects), image_(module) {}

    void run() {
        block(edit_.function().body);
        image_.in_place(edit_.function());
    }

 private:
    void block(BlockId id) {
        std::vector<std::string> outer = std::exchange(added_, {});
        BindingList before = std::move(edit_.function()[id].bindings), after;
        for (BindingId at : before) {
            Binding b = edit_.function()[at];
            edit_.use_all(b.args, after);
            edit_.function()[at] = b;
            for (BlockId nested : blocks_of(b)) block(nested);
            if (!merged(b)) after.push_back(at);
        }
        std::vector<ValueId> results = edit_.function()[id].results;
        edit_.use_all(results, after);
        edit_.function()[id].results = std::move(results);
        edit_.function()[id].bindings = std::move(after);
        for (const std::string& key : added_) seen_.erase(key);
        added_ = std::move(outer);
    }

    bool merged(const Binding& b) {
        if (is_immediate(b) || !b.blocks.empty() || b.results.size() != 1) return false;
        Does does = effects_.of(edit_.function(), b);
        const ValueInfo& result = edit_.function()[b.results[0]];
        if (does.nothing() && b.defines.empty() && result.known.valid() && as_known(b, result)) return true;
        if (!does.repeats() || !can_serve(b)) return false;
        std::string key = key_of(b);
        auto [it, is_new] = seen_.emplace(key, b.results[0]);
        if (is_new) {
            added_.push_back(std::move(key));
            return false;
        }
        return replaced(b, it->second);
    }
    static bool can_serve(const Binding& b) {
        switch (b.form) {
        case Form::op: return b.op->builtin == Builtin::none || b.op->builtin == Builtin::length || b.op->builtin == Builtin::seq_get;
        case Form::call: case Form::construct: case Form::tuple: case Form::project: case Form::field: case Form::record:
        case Form::update: case Form::index: case Form::closure: return true;
        case Form::check: return b.args.empty();
        default: return false;                           // a Seq is kept apart: pushed to in place, it has one owner
        }
    }

    // Two numbers that are one dim. What defines the dim's symbol comes first, so it is in the table before.
    bool as_known(const Binding& b, const ValueInfo& result) {
        Key key;
        key.text("known"), key.number(image_.of(result.known)), key.number(image_.of(result.type));
        std::string text = key.take();
        auto [it, is_new] = seen_.emplace(text, b.results[0]);
        if (is_new) {
            added_.push_back(std::move(text));
            return false;
        }
        edit_.replace(b.results[0], it->second);
        return true;
    }

    bool replaced(const Binding& b, ValueId first) {
        Function& f = edit_.function();
        const Binding* made_by = edit_.definition(first);
        if (f[b.results[0]].known.valid() && !f[first].known.valid()) return false;          // as a size it is read by its dim
        if (!b.defines.empty()) {
            if (!made_by || made_by->defines.size() != b.defines.size()) return false;
            SymbolImage own = image_;                    // the types agree once the sizes do
            for (size_t i = 0; i < b.defines.size(); ++i) own.put(b.defines[i], module_.dims.of(made_by->defines[i]));
            if (own.of(f[b.results[0]].type) != image_.of(f[first].type)) return false;
            for (size_t i = 0; i < b.defines.size(); ++i) image_.put(b.defines[i], module_.dims.of(made_by->defines[i]));
        }
        edit_.replace(b.results[0], first);
        return true;
    }

    void argument(ValueId v, Key& key) {
        const Binding* b = edit_.definition(v);
        if (!b || !is_immediate(*b)) {
            key.number('v'), key.number(v);
            return;
        }
        key.number(image_.of(edit_.function()[v].type));
        if (b->form == Form::dim) {
            key.number('d'), key.number(image_.of(b->dim));
            return;
        }
        const Literal& l = b->literal;
        key.number('l'), key.number(l.kind), key.number(l.is_tensor);
        key.numbers(l.shape), key.numbers(l.integers), key.numbers(l.reals), key.text(l.text);
        key.number(l.texts.size());
        for (const std::string& text : l.texts) key.text(text);
        key.number(reinterpret_cast<uintptr_t>(l.given.get()));
    }

    std::string key_of(const Binding& b) {
        Function& f = edit_.function();
        Key key;
        key.number(b.form), key.number(b.op);
        std::vector<std::string> args;
        for (ValueId arg : b.args) {
            Key one;
            argument(arg, one);
            args.push_back(one.take());
        }
        bool two = b.form == Form::op && args.size() == 2 && b.groups == std::vector<ArgGroup>{{}, {}};
        if (two) {
            const Element& element = module_.types[f[b.args[0]].type].element;
            if (commutes(*b.op, !element.dtype || is_float(*element.dtype))) std::sort(args.begin(), args.end());
        }
        key.number(args.size());
        for (const std::string& arg : args) key.text(arg);
        key.number(b.groups.size());
        for (const ArgGroup& g : b.groups) key.number(g.count), key.number(g.list);
        key.number(b.attributes.size());
        for (const Attribute& a : b.attributes) attribute(a, key);
        key.number(b.function), key.number(b.decl), key.number(b.index), key.number(b.lambda);
        key.number(b.names.size());
        for (const std::string& name : b.names) key.text(name);
        key.number(b.parts.size());
        for (const IndexPart& part : b.parts) key.number(part.kind);
        key.number(b.dims.size());
        for (Dim d : b.dims) key.number(image_.of(d));
        key.number(b.defines.size());
        if (b.form == Form::check) key.number(image_.of(b.fact.left)), key.number(b.fact.relation), key.number(image_.of(b.fact.right));
        if (b.defines.empty()) key.number(image_.of(f[b.results[0]].type));
        return key.take();
    }
    void attribute(const Attribute& a, Key& key) {
        if (a.name == "what") return;                    // how a check that fails is worded
        key.text(a.name), key.number(a.value.index());
        if (const int64_t* v = std::get_if<int64_t>(&a.value)) key.number(*v);
        if (const double* v = std::get_if<double>(&a.value)) key.number(*v);
        if (const bool* v = std::get_if<bool>(&a.value)) key.number(*v);
        if (const std::string* v = std::get_if<std::string>(&a.value)) key.text(*v);
        if (const DType* v = std::get_if<DType>(&a.value)) key.number(*v);
        if (const std::vector<int64_t>* v = std::get_if<std::vector<int64_t>>(&a.value)) key.numbers(*v);
        if (const TypeId* v = std::get_if<TypeId>(&a.value)) key.number(image_.of(*v));
        if (const Dim* v = std::get_if<Dim>(&a.value)) key.number(image_.of(*v));
    }

    Module& module_;
    FunctionEdit edit_;
    const Effects& effects_;
    SymbolImage image_;                                  // sizes of merged bindings
    std::unordered_map<std::string, ValueId> seen_;      // in the blocks around
    std::vector<std::string> added_;                     // by the block at hand
};
} // namespace

void common_values(Module& module, Function& function, const Effects& effects) { CommonValues(module, function, effects).run(); }

Result<Module> common_values(Module module) {
    Effects effects(module);
    for (Function& function : module.functions) common_values(module, function, effects);
    return module;
}
} // namespace nereus
