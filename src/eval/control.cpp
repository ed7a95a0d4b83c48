// eval/control.cpp - the forms with blocks: if, match, for, while.
#include "eval/machine.h"
#include "ops/registry.h"
#include "tensor/text_tensor.h"
#include <algorithm>

namespace nereus {
namespace {
Result<bool> literal_matches(const Literal& literal, const Datum& value) {
    if (literal.kind == Literal::Kind::unit) return value.is(DatumKind::tuple) && value.items().empty();
    if (!value.is(DatumKind::tensor)) return false;
    if (!value.shape().empty())
        return Error{.code = Code::shape,
                     .message = "what a literal is matched with is a scalar, found shape " + shape_text(value.shape()),
                     .hint = "take one element, as in %x[0]"};
    HostTensor number = value.tensor();
    if (literal.kind == Literal::Kind::real) return number.as_f64(0) == rounded(number.dtype(), literal.reals[0]);
    if (is_float(number.dtype())) return number.as_f64(0) == rounded(number.dtype(), double(literal.integers[0]));
    return number.as_i64(0) == literal.integers[0];
}

// Binds variables and sizes as it goes; what a failed match bound is never looked at. Recursion is on the pattern's text.
Result<bool> matches(const Module& module, const Pattern& pattern, const Datum& value, Frame& frame) {
    auto parts_match = [&]() -> Result<bool> {
        if (value.items().size() != pattern.parts.size()) return false;
        for (size_t i = 0; i < pattern.parts.size(); ++i)
            if (!TRY(matches(module, pattern.parts[i], value.items()[i], frame))) return false;
        return true;
    };
    switch (pattern.kind) {
    case Pattern::Kind::wildcard: return true;
    case Pattern::Kind::variable: frame.values[pattern.variable.index] = value; return true;
    case Pattern::Kind::literal: return literal_matches(pattern.literal, value);
    case Pattern::Kind::tuple:
        if (!value.is(DatumKind::tuple)) return false;
        return parts_match();
    case Pattern::Kind::constructor: {
        if (!value.is(DatumKind::data) || value.decl() != pattern.decl ||
            value.constructor() != pattern.constructor)
            return false;
        for (size_t i = 0; i < pattern.dims.size() && i < value.dims().size(); ++i)
            frame.scope.set(pattern.dims[i], value.dims()[i]);
        if (pattern.parts.empty() && value.items().empty()) return true;
        return parts_match();
    }
    case Pattern::Kind::record:
        if (!value.is(DatumKind::data) || !module[value.decl()].is_record) return false;
        for (size_t i = 0; i < pattern.fields.size(); ++i) {
            const std::vector<std::string>& names = module[value.decl()].constructors[0].field_names;
            auto found = std::ranges::find(names, pattern.fields[i]);
            if (found == names.end()) return false;
            if (!TRY(matches(module, pattern.parts[i], value.items()[size_t(found - names.begin())], frame))) return false;
        }
        return true;
    }
    return false;
}

BindingId id_of(const Function& function, const Binding& binding) {
    return BindingId(size_t(&binding - function.bindings.data()));
}
} // namespace

Result<bool> Machine::condition(const Datum& value) const {
    if (std::optional<bool> holds = value.as_boolean()) return *holds;
    if (value.is(DatumKind::tensor) && value.dtype() == DType::boolean)
        return Error{.code = Code::shape,
                     .message = "a condition is a bool scalar, found shape " + shape_text(value.shape()),
                     .hint = "take one element, as in %x[0]"};
    return Error{Code::type, "a condition is a bool scalar"};
}

Status Machine::start_if(const Binding& binding) {
    size_t arm = TRY(condition(arg(binding, 0))) ? 0 : 1;
    top().cursors.push_back(
        BlockCursor{.role = BlockCursor::Role::arm, .block = binding.blocks[arm], .owner = id_of(function(), binding)});
    return {};
}

Status Machine::try_arms(const Binding& binding, uint32_t first) {
    for (uint32_t i = first; i < binding.arms.size(); ++i) {
        const Arm& arm = binding.arms[i];
        if (!TRY(matches(module_, arm.pattern, arg(binding, 0), top()))) continue;
        TRY(open_arm(binding, i));
        if (!arm.guard.valid()) return enter_arm(binding, i);
        top().cursors.push_back(BlockCursor{
            .role = BlockCursor::Role::guard, .block = arm.guard, .owner = id_of(function(), binding), .arm = i});
        return {};
    }
    return Error{Code::value, "match: no arm takes " + name_of(binding.args[0])};
}

// Sizes that an arm opens are read from what its pattern bound: an integer is one itself, others are of tensors.
Status Machine::open_arm(const Binding& binding, uint32_t arm) {
    const Block& block = function()[binding.blocks[arm]];
    if (block.symbols.empty()) return {};
    for (Sym symbol : block.symbols)
        if (!std::ranges::count(binding.arms[arm].pattern.dims, symbol)) top().scope.forget(symbol);
    std::vector<Claim> claims;
    for (ValueId param : block.params) {
        claims.push_back({function()[param].type, &value(param)});
        const Dim known = function()[param].known;
        std::optional<Sym> symbol = known.valid() ? module_.dims.as_symbol(known) : std::nullopt;
        if (symbol && value(param).as_integer()) top().scope.set(*symbol, *value(param).as_integer());
    }
    return solve_sizes(module_, block.symbols, claims, top().scope);
}

Status Machine::enter_arm(const Binding& binding, uint32_t arm) {
    top().cursors.push_back(BlockCursor{.role = BlockCursor::Role::arm,
                                   .block = binding.blocks[arm],
                                   .owner = id_of(function(), binding),
                                   .arm = arm});
    return {};
}

// Loops. The body's parameters are, for `for`, the counter and the states; for `while`, the states. The body's results
// are the next states, then what it yields.
static BlockId body_of(const Binding& loop) { return loop.blocks.back(); }
static size_t first_state(const Binding& loop) { return loop.form == Form::for_ ? 1 : 0; }

Status Machine::start_loop(const Binding& binding) {
    const Block& body = function()[body_of(binding)];
    BlockCursor cursor{.role = BlockCursor::Role::loop, .block = body_of(binding), .owner = id_of(function(), binding)};
    cursor.loop = std::make_unique<Loop>();
    size_t first = first_state(binding), states = binding.args.size() - first;
    if (first == 1) {
        std::optional<int64_t> trips = arg(binding, 0).as_integer();
        if (!trips)
            return Error{Code::type,
                         "for: the count " + name_of(binding.args[0]) + " is not an integer scalar"};
        cursor.loop->trips = std::max<int64_t>(*trips, 0);
    }
    if (body.results.size() < states)
        return Error{Code::internal, "a loop body with fewer results than states"};
    cursor.loop->yields.resize(body.results.size() - states);
    std::vector<Datum> initial = args_from(binding, first); // all at once: a state may start from another
    for (size_t i = 0; i < states; ++i) top().values[body.params[first + i].index] = std::move(initial[i]);
    TRY(define(body.symbols, binding.dims, top().scope, top().scope));
    top().cursors.push_back(std::move(cursor));
    return next_trip();
}

Status Machine::next_trip() {
    BlockCursor& cursor = top().cursors.back();
    const Binding& owner = function()[cursor.owner];
    cursor.next = 0;
    if (owner.form == Form::while_) {
        cursor.role = BlockCursor::Role::condition, cursor.block = owner.blocks[0];
        return {};
    }
    if (cursor.loop->trip == cursor.loop->trips) return finish_loop();
    ValueId counter = function()[body_of(owner)].params[0];
    top().values[counter.index] = Datum::integer(cursor.loop->trip);
    Dim known = function()[counter].known;
    std::optional<Sym> symbol = known.valid() ? module_.dims.as_symbol(known) : std::nullopt;
    if (symbol) top().scope.set(*symbol, cursor.loop->trip);
    return {};
}

Status Machine::loop_condition_ended(bool holds) {
    if (!holds) return finish_loop();
    BlockCursor& cursor = top().cursors.back();
    cursor.role = BlockCursor::Role::loop, cursor.block = body_of(function()[cursor.owner]), cursor.next = 0;
    return {};
}

Status Machine::loop_body_ended() {
    BlockCursor& cursor = top().cursors.back();
    const Binding& owner = function()[cursor.owner];
    const Block& body = function()[body_of(owner)];
    size_t first = first_state(owner), states = owner.args.size() - first;
    std::vector<Datum> results;
    for (ValueId id : body.results) results.push_back(value(id));
    for (size_t i = states; i < results.size(); ++i) {
        if (!results[i].is(DatumKind::tensor)) return Error{Code::type, "yield: only tensors can be stacked"};
        std::vector<HostTensor>& so_far = cursor.loop->yields[i - states];
        HostTensor next = results[i].tensor();
        if (!so_far.empty() && so_far[0].shape() != next.shape())
            return Error{Code::shape, "yield: trip " + std::to_string(cursor.loop->trip) + " gives " +
                                          shape_text(next.shape()) + ", the first gave " +
                                          shape_text(so_far[0].shape())};
        so_far.push_back(std::move(next));
    }
    for (size_t i = 0; i < states; ++i) top().values[body.params[first + i].index] = std::move(results[i]);
    TRY(define(body.symbols, body.dims, top().scope, top().scope));
    ++cursor.loop->trip;
    return next_trip();
}

Status Machine::finish_loop() {
    BlockCursor cursor = std::move(top().cursors.back());
    top().cursors.pop_back();
    const Binding& owner = function()[cursor.owner];
    const Block& body = function()[body_of(owner)];
    size_t first = first_state(owner), states = owner.args.size() - first;
    std::vector<Datum> results;
    for (size_t i = 0; i < states; ++i) results.push_back(value(body.params[first + i]));
    for (size_t i = 0; i < cursor.loop->yields.size(); ++i)
        results.push_back(TRY(stacked(owner, i, *cursor.loop)));
    for (size_t i = 0; i < owner.defines.size() && i < body.symbols.size(); ++i)
        if (std::optional<int64_t> size = top().scope.size(body.symbols[i]))
            top().scope.set(owner.defines[i], *size);
    return finish(owner, results.size() == 1 ? std::move(results[0]) : Datum::tuple(std::move(results)));
}

// What one yield statement gave, along a new first axis. Zero trips: the sizes of the element's type, 0 where unknown.
Result<Datum> Machine::stacked(const Binding& binding, size_t yield, const Loop& loop) {
    const std::vector<HostTensor>& parts = loop.yields[yield];
    if (parts.empty()) {
        Extents shape{0};
        const Block& body = function()[body_of(binding)];
        ValueId element = body.results[binding.args.size() - first_state(binding) + yield];
        const Shape& known = module_.types[function()[element].type].shape;
        bool guessed = !known.ranked;
        for (Dim dim : known.dims) {
            Result<int64_t> size = top().scope.evaluate(module_.dims, dim);
            shape.push_back(size ? *size : 0);
            guessed |= !size;
        }
        if (guessed && options_.guessed_size) *options_.guessed_size = true;
        return Datum::of(TRY(HostTensor::make(dtype_of(element).value_or(DType::f32), std::move(shape))));
    }
    const OpDef& concat = *all_ops().find("concat");
    std::vector<HostTensor> rows;
    for (const HostTensor& part : parts) {
        Extents row = part.shape();
        row.insert(row.begin(), 1);
        rows.push_back(TRY(part.reshaped(std::move(row))));
    }
    AttributeList none;
    EvalArgs args{.op = concat,
                  .tensors = {std::move(rows), {}},
                  .sizes = {{}, {}},
                  .present = {true, false},
                  .attributes = none};
    std::vector<HostTensor> whole = TRY(concat.eval(args));
    whole[0] = TRY(holding(std::move(whole[0])));
    return Datum::of(std::move(whole[0]));
}
} // namespace nereus
