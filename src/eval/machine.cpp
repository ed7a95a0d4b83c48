#include "eval/machine.h"
#include "eval/door.h"
#include "ir/check_text.h"
#include "ir/shown_names.h"
#include <algorithm>

namespace nereus {
namespace {
constexpr size_t shown_callers = 5;

// (n, 4) = (3, 4): the sizes a type declares, and what they are here; those of another rank tell nothing
std::string declared_text(const Module& module, const Shape& shape, size_t rank, const Scope& scope) {
    std::string text, numbers;
    auto add = [](std::string& to, const std::string& item) { to += (to.empty() ? "" : ", ") + item; };
    for (Dim dim : shape.dims) {
        Result<int64_t> size = scope.evaluate(module.dims, dim);
        add(text, module.dims.to_string(dim)), add(numbers, size ? std::to_string(*size) : "?");
    }
    if (!shape.ranked) {
        const Extents* tail = shape.tail.valid() ? scope.shape(shape.tail) : nullptr;
        add(text, shape.tail.valid() ? ".." + module.vars[shape.tail.index].name : "..");
        for (size_t i = 0; tail && i < tail->size(); ++i) add(numbers, std::to_string((*tail)[i]));
        if (!tail) add(numbers, "..");
    }
    const bool same_rank = shape.ranked ? rank == shape.dims.size() : rank >= shape.dims.size();
    return text == numbers || !same_rank ? "(" + text + ")" : "(" + text + ") = (" + numbers + ")";
}
// "%y is declared (n) = (3), found (4)"; deeper misfits have numbers only.
Error misfit_error(const Module& module, const std::string& who, TypeId type, const Datum& value,
                   const Scope& scope, const Misfit& misfit) {
    const Type& declared = module.types[type];
    if (!misfit.nested && declared.kind == TypeKind::tensor && value.is(DatumKind::tensor) &&
        declared.element.dtype.value_or(value.dtype()) == value.dtype())
        return Error{Code::shape, who + " is declared " + declared_text(module, declared.shape, value.shape().size(), scope) +
                                      ", found " + shape_text(value.shape())};
    Code code = misfit.what.starts_with("expected sizes") ? Code::shape : Code::type;
    return Error{code, who + ": " + misfit.what};
}
} // namespace

Result<Datum> Machine::run(FunctionId entry, std::vector<Datum> args) {
    TRY(call(entry, std::move(args), {}, BindingId()));
    try {
        while (!result_) TRY(step());
        return std::move(*result_);
    } catch (const std::bad_alloc&) {
        Span where = running_;
        frames_.clear();                                 // makes room for what is said about it
        return Error{Code::memory, "out of memory", where};
    }
}

Status Machine::step() {
    BlockCursor& cursor = top().cursors.back();
    const Block& block = function()[cursor.block];
    if (cursor.next == block.bindings.size()) return end_block();
    if (options_.max_steps && ++steps_ > options_.max_steps)
        return Error{Code::limit, "stopped after " + std::to_string(options_.max_steps) + " steps"};
    const Binding& binding = function()[block.bindings[cursor.next++]];
    running_ = binding.span;
    Status done = run_binding(binding);
    if (!done) return located(std::move(done).error(), binding);
    return {};
}

Status Machine::run_binding(const Binding& binding) {
    switch (binding.form) {
    case Form::op: return finish(binding, TRY(op_call(binding)));
    case Form::call: {
        BindingId caller(size_t(&binding - function().bindings.data()));
        return call(binding.function, args_from(binding, 0), binding.dims, caller);
    }
    case Form::apply: return apply(binding);
    case Form::if_: return start_if(binding);
    case Form::match: return try_arms(binding, 0);
    case Form::for_:
    case Form::while_: return start_loop(binding);
    case Form::check:
        if (const Attribute* what = find_attribute(binding, "what")) return check(binding, std::get<std::string>(what->value));
        return check(binding, "");
    case Form::literal:
    case Form::dim:
    case Form::function:
    case Form::construct:
    case Form::tuple:
    case Form::project:
    case Form::field:
    case Form::record:
    case Form::update:
    case Form::index:
    case Form::seq:
    case Form::lambda:
    case Form::closure: return finish(binding, TRY(simple_form(binding)));
    }
    return {};
}

// `what`: the rule that is kept, in the words of who wants it.
Status Machine::check(const Binding& binding, const std::string& what) {
    if (binding.args.empty()) {
        DimFact fact = binding.fact;
        if (fact.span == binding.span) fact.span = {};   // located with the calls in progress, as what an operator refuses is
        return check_fact(fact, top().scope, what.empty() ? "sizes do not fit" : what);
    }
    const Datum& narrowed = arg(binding, 0);             // the result's type is the check
    Status fits = finish(binding, narrowed);
    if (fits || what.empty()) return fits;
    if (binding.args.size() == 2) return Error{Code::shape, what};           // its tail is that of the other
    return Error{Code::shape, what + ", found shape " + shape_text(narrowed.shape())};
}

// A block gives one value: its result, a tuple of several, or ().
static Datum block_value(const Frame& frame, const Block& block) {
    if (block.results.size() == 1) return frame.values[block.results[0].index];
    std::vector<Datum> items;
    for (ValueId id : block.results) items.push_back(frame.values[id.index]);
    return Datum::tuple(std::move(items));
}

Status Machine::end_block() {
    BlockCursor& cursor = top().cursors.back();
    const Block& block = function()[cursor.block];
    if (cursor.role == BlockCursor::Role::body) return leave();
    const Binding& owner = function()[cursor.owner];
    Status done = [&]() -> Status {
        switch (cursor.role) {
        case BlockCursor::Role::body: return {};
        case BlockCursor::Role::condition: return loop_condition_ended(TRY(condition(block_value(top(), block))));
        case BlockCursor::Role::loop: return loop_body_ended();
        case BlockCursor::Role::guard: {
            bool taken = TRY(condition(block_value(top(), block)));
            uint32_t arm = cursor.arm;
            top().cursors.pop_back();
            return taken ? enter_arm(owner, arm) : try_arms(owner, arm + 1);
        }
        case BlockCursor::Role::arm: break;
        }
        Datum result = block_value(top(), block);
        TRY(define(owner.defines, block.dims, top().scope, top().scope));
        top().cursors.pop_back();
        return finish(owner, std::move(result));
    }();
    if (!done) return located(std::move(done).error(), owner);
    return {};
}

std::vector<Datum> Machine::args_from(const Binding& binding, size_t first) const {
    std::vector<Datum> args;
    for (size_t i = first; i < binding.args.size(); ++i) args.push_back(arg(binding, i));
    return args;
}

Status Machine::call(FunctionId id, std::vector<Datum> args, std::span<const Dim> dims, BindingId caller) {
    const Function& callee = module_[id];
    Frame frame;
    if (!dims.empty()) TRY(define(callee.symbols, dims, top().scope, frame.scope));
    return enter(id, callee.body, callee.params, std::move(args), caller, std::move(frame));
}

Status Machine::apply(const Binding& binding) {
    const Datum closure = arg(binding, 0);
    if (!closure.is(DatumKind::closure))
        return Error{Code::type, name_of(binding.args[0]) + " is not a function"};
    BindingId caller(size_t(&binding - function().bindings.data()));
    const Callee& callee = closure.callee();
    std::vector<Datum> args = args_from(binding, 1);
    if (callee.lifted) { // its captured values are the instance's first parameters
        for (const ApplyTarget& target : binding.targets) {
            if (target.lambda != callee.lifted_lambda) continue;
            args.insert(args.begin(), closure.items().begin(), closure.items().end());
            const Function& instance = module_[target.function];
            Frame frame;                                 // what is opened is found from the captured values
            for (size_t i = 0; i < target.dims.size(); ++i) {
                bool opened = false;
                for (Sym symbol : module_.dims.symbols_of(target.dims[i]))
                    opened |= std::ranges::count(target.opened, symbol) > 0;
                if (opened) continue;
                frame.scope.set(instance.symbols[i], TRY(top().scope.evaluate(module_.dims, target.dims[i])));
            }
            return enter(target.function, instance.body, instance.params, std::move(args), caller, std::move(frame));
        }
        return Error{Code::internal, "a closure arrived that the call does not list"};
    }
    if (!callee.lambda.valid()) return call(callee.function, std::move(args), {}, caller);
    const Function& made_in = module_[callee.function];
    const std::vector<ValueId>& captured = captures_of(callee.function, callee.lambda);
    Frame frame;
    frame.scope = callee.scope;
    frame.values.resize(made_in.values.size());
    for (size_t i = 0; i < captured.size(); ++i) frame.values[captured[i].index] = closure.items()[i];
    BlockId block = made_in[callee.lambda].blocks[0];
    return enter(callee.function, block, made_in[block].params, std::move(args), caller, std::move(frame));
}

// The entry point's arguments are refused in the words of the door of a compiled program.
Error Machine::unsolved_argument(const Function& entry, std::span<const Datum> args, Error error) const {
    for (size_t i = 0; i < args.size(); ++i) {
        const Type& type = module_.types[entry[entry.params[i]].type];
        for (size_t axis = 0; type.kind == TypeKind::tensor && axis < type.shape.dims.size(); ++axis) {
            const std::string equation = module_.dims.to_string(type.shape.dims[axis]) + " = " + std::to_string(args[i].shape()[axis]);
            if (!error.message.ends_with(" makes " + equation)) continue;
            return Error{error.code, "argument %" + entry[entry.params[i]].name + ": axis " + std::to_string(axis) + ": " + error.message, entry.span};
        }
    }
    return Error{error.code, error.message, entry.span};
}

Error Machine::misfit_argument(const Function& entry, std::span<const Datum> args, size_t which, const Scope& scope, const Misfit& misfit) const {
    auto type = [&](size_t i) -> const Type& { return module_.types[entry[entry.params[i]].type]; };
    auto who = [&](size_t i) { return "argument %" + entry[entry.params[i]].name; };
    const Shape& shape = type(which).shape;
    for (size_t axis = 0; type(which).kind == TypeKind::tensor && axis < shape.dims.size(); ++axis) {
        const int64_t found = args[which].shape()[axis];
        Result<int64_t> expected = scope.evaluate(module_.dims, shape.dims[axis]);
        if (!expected || *expected == found) continue;
        const std::string number = module_.dims.constant_value(shape.dims[axis]) ? "" : " = " + std::to_string(*expected);
        return Error{Code::shape, who(which) + ": axis " + std::to_string(axis) + " is " + std::to_string(found) + ", expected " +
                                      module_.dims.to_string(shape.dims[axis]) + number, entry.span};
    }
    for (size_t first = 0; type(which).kind == TypeKind::tensor && shape.tail.valid() && first < which; ++first)
        if (type(first).kind == TypeKind::tensor && type(first).shape.tail == shape.tail)
            return Error{Code::shape, who(which) + " has another shape than %" + entry[entry.params[first]].name + ": both are .." +
                                          module_.vars[shape.tail.index].name, entry.span};
    const std::string at = place_in(module_, args[which], misfit.way);
    Error error = misfit_error(module_, who(which) + (at.empty() ? "" : ", at " + at), entry[entry.params[which]].type, args[which], scope, misfit);
    error.where = entry.span;
    return error;
}

const Entry& Machine::entry_of(FunctionId id, BlockId block, std::span<const ValueId> params) {
    auto [found, is_new] = entries_.try_emplace(uint64_t(id.index) << 32 | block.index);
    if (!is_new) return found->second;
    const Function& function = module_[id];
    Entry& entry = found->second;
    if (block == function.body) entry.wanted = function.symbols;
    for (ValueId param : params) {
        collect_symbols(module_, function[param].type, entry.wanted);
        entry.closed =
            entry.closed && sized_.is_closed(function[param].type) && !function[param].known.valid();
    }
    entry.closed = entry.closed && entry.wanted.empty();
    return entry;
}

Status Machine::enter(FunctionId id, BlockId block, std::span<const ValueId> params, std::vector<Datum> args,
                      BindingId caller, Frame frame) {
    const Function& callee = module_[id];
    auto name = [&] { return block == callee.body ? shown_function(callee.name) : "fn"; };
    if (args.size() != params.size())
        return Error{Code::type, name() + " takes " + std::to_string(params.size()) + " arguments, found " +
                                     std::to_string(args.size())};
    if (frames_.size() >= options_.max_depth)
        return Error{Code::memory,
                     name() + ": more than " + std::to_string(options_.max_depth) + " calls in progress"};

    const Entry& entry = entry_of(id, block, params);
    if (!entry.closed) {
        std::vector<Claim> claims;
        for (size_t i = 0; i < params.size(); ++i) {
            const ValueInfo& param = callee[params[i]];
            claims.push_back({param.type, &args[i]});
            std::optional<Sym> known =
                param.known.valid() ? module_.dims.as_symbol(param.known) : std::nullopt;
            if (known && args[i].as_integer()) frame.scope.set(*known, *args[i].as_integer());
        }
        Status solved = solve_sizes(module_, entry.wanted, claims, frame.scope);
        if (!solved && frames_.empty()) return unsolved_argument(callee, args, std::move(solved).error());
        if (!solved) return Error{solved.error().code, name() + ": " + solved.error().message};
    }
    for (size_t i = 0; i < params.size(); ++i) {
        TypeId type = callee[params[i]].type;
        std::optional<Misfit> misfit = sized_.misfit(args[i], sized_.of(type, frame.scope));
        if (misfit && frames_.empty()) return misfit_argument(callee, args, i, frame.scope, *misfit);
        if (misfit)
            return misfit_error(module_, name() + (misfit->nested ? ": an element of " : ": ") + shown_parameter(callee, params, i), type, args[i], frame.scope,
                                *misfit);
    }
    if (block == callee.body)
        for (const DimFact& fact : callee.where) TRY(check_fact(fact, frame.scope, name() + ": where"));

    frame.function = id, frame.block = block, frame.caller = caller;
    frame.values.resize(callee.values.size());
    for (size_t i = 0; i < params.size(); ++i) frame.values[params[i].index] = std::move(args[i]);
    frame.cursors.push_back(BlockCursor{.block = block});
    frames_.push_back(std::move(frame));
    return {};
}

// The result goes to the binding that waits for it in the frame below; the frame goes.
Status Machine::leave() {
    Frame& frame = top();
    const Function& callee = function();
    const Block& block = callee[frame.block];
    Datum result = block_value(frame, block);
    bool is_function = frame.block == callee.body;
    if (is_function && callee.result.valid()) {
        if (!sized_.is_closed(callee.result)) { // new k: sizes the callee chose
            std::vector<Sym> chosen;
            collect_symbols(module_, callee.result, chosen);
            Claim claim{callee.result, &result};
            TRY(solve_sizes(module_, chosen, {&claim, 1}, frame.scope));
        }
        std::optional<Misfit> misfit = sized_.misfit(result, sized_.of(callee.result, frame.scope));
        if (misfit) {
            Error error = misfit_error(module_, shown_function(callee.name) + (misfit->nested ? ": an element of the result" : ": the result"), callee.result, result,
                                       frame.scope, *misfit);
            error.where = callee.span;
            return error;
        }
    }
    Frame left = std::move(frame);
    frames_.pop_back();
    if (frames_.empty()) {
        result_ = std::move(result);
        return {};
    }
    const Binding& waiting = function()[left.caller];
    Status done = [&]() -> Status {
        const ApplyTarget* target = nullptr;
        for (const ApplyTarget& one : waiting.targets)
            if (&module_[one.function] == &callee) target = &one;
        for (size_t i = 0; target && i < target->dims.size(); ++i) {     // opened: known now, and in the result's type
            std::optional<Sym> opened = module_.dims.as_symbol(target->dims[i]);
            if (opened && std::ranges::count(target->opened, *opened) > 0)
                if (std::optional<int64_t> size = left.scope.size(callee.symbols[i])) top().scope.set(*opened, *size);
        }
        if (waiting.targets.size() > 1) {                // each has its own way to what the binding defines
            TRY(define(target->chosen, callee.result_dims, left.scope, top().scope));
            TRY(define(waiting.defines, target->results, top().scope, top().scope));
        } else if (is_function) {
            TRY(define(waiting.defines, callee.result_dims, left.scope, top().scope));
        }
        return finish(waiting, std::move(result));
    }();
    if (!done) return located(std::move(done).error(), waiting);
    return {};
}

Status Machine::define(std::span<const Sym> symbols, std::span<const Dim> values, const Scope& from,
                       Scope& to) {
    if (values.empty()) return {};
    std::vector<int64_t> numbers; // all before any: a symbol may appear in another's new value
    for (Dim dim : values) numbers.push_back(TRY(from.evaluate(module_.dims, dim)));
    for (size_t i = 0; i < symbols.size() && i < numbers.size(); ++i) to.set(symbols[i], numbers[i]);
    return {};
}

Status Machine::finish(const Binding& binding, Datum result) {
    if (binding.results.empty()) return {};
    Scope& scope = top().scope;
    const ValueInfo& info = function()[binding.results[0]];
    bool by_others = binding.form == Form::if_ || binding.form == Form::match || binding.form == Form::for_ ||
                     binding.form == Form::while_ || binding.form == Form::call || !binding.targets.empty();
    if (!binding.defines.empty() && !by_others) {
        for (Sym symbol : binding.defines) scope.forget(symbol);
        std::optional<Sym> known = info.known.valid() ? module_.dims.as_symbol(info.known) : std::nullopt;
        if (known && result.as_integer()) scope.set(*known, *result.as_integer());
        Claim claim{info.type, &result};
        TRY(solve_sizes(module_, binding.defines, {&claim, 1}, scope));
    }
    std::optional<Misfit> misfit = sized_.misfit(result, sized_.of(info.type, scope));
    const Attribute* who = find_attribute(binding, "who");
    if (misfit && who) {
        misfit->nested = misfit->nested || module_.types[info.type].kind != TypeKind::tensor;
        return misfit_error(module_, std::get<std::string>(who->value), info.type, result, scope, *misfit);
    }
    if (misfit) return misfit_error(module_, (misfit->nested ? "an element of " : "") + shown_value(info.name), info.type, result, scope, *misfit);
    if (binding.results.size() == 1) {
        top().values[binding.results[0].index] = std::move(result);
        return {};
    }
    for (size_t i = 0; i < binding.results.size(); ++i)
        top().values[binding.results[i].index] = result.items()[i];
    return {};
}

Status Machine::check_fact(const DimFact& fact, const Scope& scope, const std::string& what) {
    int64_t left = TRY(scope.evaluate(module_.dims, fact.left)),
            right = TRY(scope.evaluate(module_.dims, fact.right));
    if (holds(fact.relation, left, right)) return {};
    return Error{Code::shape, fill_message(check_text(module_, fact, compared(what, fact.relation)), std::to_string(left), std::to_string(right)), fact.span};
}

Error Machine::located(Error error, const Binding& binding) const {
    // A check has a place of its own; one in another file than the program says little without who called it.
    const bool is_elsewhere = error.where.known() && !frames_.empty() && error.where.source != module_[frames_[0].function].span.source;
    if ((error.where.known() && !is_elsewhere) || !error.notes.empty()) return error;
    if (!error.where.known()) error.where = binding.span;
    for (size_t i = frames_.size(); i-- > 1 && error.notes.size() < shown_callers;) {
        const Frame& frame = frames_[i];
        const Function& below = module_[frames_[i - 1].function];
        const Span call = below[frame.caller].span, before = error.notes.empty() ? error.where : error.notes.back().where;
        const bool same_place = call.source == before.source && call.line == before.line && call.column == before.column;
        if (call.known() && !same_place) error.notes.push_back({call, "called from " + shown_function(below.name)});
    }
    return error;
}

Result<Datum> Machine::construct(DeclId decl, uint32_t index, std::vector<Datum> fields, BadField* out_bad) {
    const Constructor& made = module_[decl].constructors[index];
    std::string name = made.name.empty() ? module_[decl].name : made.name;
    if (fields.size() != made.fields.size())
        return Error{Code::type, name + " has " + std::to_string(made.fields.size()) + " fields, found " +
                                     std::to_string(fields.size())};
    Scope scope;
    Status solved = solve_fields(module_, decl, index, fields, scope);
    if (!solved) return Error{Code::shape, name + ": " + solved.error().message};
    for (size_t i = 0; i < fields.size(); ++i) {
        std::optional<Misfit> misfit = sized_.misfit(fields[i], sized_.of(made.fields[i], scope));
        if (!misfit) continue;
        if (out_bad) *out_bad = {i, place_in(module_, fields[i], misfit->way)};
        std::string field =
            made.field_names.empty() ? "field " + std::to_string(i) : "field " + made.field_names[i];
        return misfit_error(module_, name + (misfit->nested ? ": an element of " : ": ") + field, made.fields[i], fields[i], scope, *misfit);
    }
    std::vector<int64_t> dims;
    for (Sym symbol : made.dims) dims.push_back(*scope.size(symbol));
    return Datum::data(decl, index, std::move(fields), std::move(dims));
}
} // namespace nereus
