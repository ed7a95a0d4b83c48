// grad/adjoint_seq.cpp - adjoints of Seq: a Seq of held elements, or one without elements for zero. One that has
// elements may have more than the value: what was behind them was taken off by the gradient of a push.
#include "grad/adjoint_structures.h"

namespace nereus {
namespace {
using Values = std::vector<ValueId>;

ValueId length(Writer& w, ValueId seq) { return w.builtin("length", {seq}, w.module().types.scalar(DType::i64)); }
ValueId at(Writer& w, ValueId seq, ValueId i) { return w.builtin("seq_get", {seq, i}, w.module().types[w.type(seq)].parts[0]); }
ValueId set(Writer& w, ValueId seq, ValueId i, ValueId v) { return w.builtin("set", {seq, i, v}, w.type(seq)); }
ValueId counter(Writer& w) { return w.value("i", w.module().types.scalar(DType::i64)); }

Result<ValueId> choose(Writer& w, ValueId condition, TypeId type, const Writer::Body& yes, const Writer::Body& no) {
    Binding made{.form = Form::if_, .args = {condition}};
    made.blocks.push_back(TRY(w.block({}, yes)));
    made.blocks.push_back(TRY(w.block({}, no)));
    return w.bind(std::move(made), type);
}
Result<ValueId> has(Writer& w, ValueId leaf, ValueId i, TypeId type, const Writer::Body& yes, const Writer::Body& no) {
    return choose(w, w.op("lt", {i, length(w, leaf)}), type, yes, no);
}
Result<ValueId> is_empty(Writer& w, ValueId leaf, TypeId type, const Writer::Body& yes, const Writer::Body& no) {
    return choose(w, w.op("eq", {length(w, leaf), w.number(0, DType::i64)}), type, yes, no);
}
// [item(0), item(1), ...]
Result<ValueId> made_of(Writer& w, ValueId count, TypeId type, const std::function<Result<ValueId>(ValueId i)>& item) {
    ValueId i = counter(w), done = w.value("done", type), none = w.bind(Binding{.form = Form::seq}, type);
    BlockId body = TRY(w.block({i, done}, [&]() -> Result<Values> {
        return Values{w.builtin("push", {done, TRY(item(i))}, type)};
    }));
    return w.bind(Binding{.form = Form::for_, .args = {count, none}, .blocks = {body}}, type);
}
} // namespace

Result<ValueId> AdjointStructures::item(Writer& w, ValueId leaf, ValueId i) {
    TypeId seq = types_.data_of(w.type(leaf)), held = element(w.type(leaf));
    return w.call(TRY(function(Task::item, seq, held, w.span)), {leaf, i}, held);
}
Result<ValueId> AdjointStructures::without(Writer& w, ValueId leaf, ValueId i) {
    TypeId type = w.type(leaf);
    return w.call(TRY(function(Task::without, types_.data_of(type), type, w.span)), {leaf, i}, type);
}
Result<ValueId> AdjointStructures::add_at(Writer& w, ValueId leaf, ValueId length, ValueId i, ValueId held) {
    TypeId type = w.type(leaf);
    return w.call(TRY(function(Task::add_at, types_.data_of(type), type, w.span)), {leaf, length, i, held}, type);
}

Result<ValueId> AdjointStructures::write_item(Writer& w, TypeId seq) {
    TypeId leaf = types_.held(seq), integer = module_.types.scalar(DType::i64);
    ValueId a = w.param("a", leaf), i = w.param("i", integer);
    return has(w, a, i, element(leaf), [&]() -> Result<Values> { return Values{at(w, a, i)}; },
               [&]() -> Result<Values> { return Values{zero_held(w, element(seq))}; });
}
Result<ValueId> AdjointStructures::write_without(Writer& w, TypeId seq) {
    TypeId leaf = types_.held(seq), integer = module_.types.scalar(DType::i64);
    ValueId a = w.param("a", leaf), i = w.param("i", integer);
    return has(w, a, i, leaf, [&]() -> Result<Values> { return Values{set(w, a, i, zero_held(w, element(seq)))}; },
               [&]() -> Result<Values> { return Values{a}; });
}
Result<ValueId> AdjointStructures::write_add_at(Writer& w, TypeId seq) {
    TypeId leaf = types_.held(seq), integer = module_.types.scalar(DType::i64);
    ValueId a = w.param("a", leaf), n = w.param("n", integer), i = w.param("i", integer), g = w.param("g", element(leaf));
    ValueId all = TRY(is_empty(w, a, leaf,
        [&]() -> Result<Values> { return Values{TRY(made_of(w, n, leaf, [&](ValueId) -> Result<ValueId> { return zero_held(w, element(seq)); }))}; },
        [&]() -> Result<Values> { return Values{a}; }));
    return set(w, all, i, TRY(add_held(w, element(seq), at(w, all, i), g)));
}

Result<ValueId> AdjointStructures::write_add_seq(Writer& w, TypeId seq) {
    TypeId leaf = types_.held(seq);
    ValueId a = w.param("a", leaf), b = w.param("b", leaf);
    auto sum = [&](ValueId longer, ValueId shorter) -> Result<ValueId> {
        ValueId i = counter(w), done = w.value("done", leaf);
        BlockId body = TRY(w.block({i, done}, [&]() -> Result<Values> {
            return Values{set(w, done, i, TRY(add_held(w, element(seq), at(w, done, i), at(w, shorter, i))))};
        }));
        return w.bind(Binding{.form = Form::for_, .args = {length(w, shorter), longer}, .blocks = {body}}, leaf);
    };
    return choose(w, w.op("lt", {length(w, a), length(w, b)}), leaf,
                  [&]() -> Result<Values> { return Values{TRY(sum(b, a))}; },
                  [&]() -> Result<Values> { return Values{TRY(sum(a, b))}; });
}

Result<ValueId> AdjointStructures::write_force_seq(Writer& w, TypeId seq) {
    ValueId x = w.param("x", seq), a = w.param("a", types_.held(seq));
    return made_of(w, length(w, x), seq, [&](ValueId i) -> Result<ValueId> {
        ValueId item = at(w, x, i);
        return has(w, a, i, element(seq), [&]() -> Result<Values> { return Values{TRY(forced_held(w, item, at(w, a, i)))}; },
                   [&]() -> Result<Values> { return Values{TRY(structures_.adjoint(w, item, {}))}; });
    });
}

Result<ValueId> AdjointStructures::write_of_value_seq(Writer& w, TypeId seq) {
    ValueId x = w.param("x", seq);
    return made_of(w, length(w, x), types_.held(seq),
                   [&](ValueId i) -> Result<ValueId> { return held(w, element(seq), TRY(of_value(w, at(w, x, i)))); });
}

Result<ValueId> AdjointStructures::write_fit_seq(Writer& w, TypeId seq, const std::string& whose) {
    ValueId x = w.param("x", seq), a = w.param("a", seq);
    w.assert_(w.op("eq", {length(w, x), length(w, a)}), whose + " and its value differ in a length");
    return made_of(w, length(w, x), types_.held(seq), [&](ValueId i) -> Result<ValueId> {
        return held(w, element(seq), TRY(fitted_at(w, at(w, x, i), at(w, a, i), whose, an_element)));
    });
}
} // namespace nereus
