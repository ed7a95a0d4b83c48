#include "ir/verify.h"
#include "ir/op.h"
#include <unordered_set>

namespace nereus {
namespace {
constexpr int max_depth = 3000;                          // programs nest 1,000 deep; && and stages add a little

bool is_word(std::string_view name) {
    for (char c : name)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
    return !name.empty();
}

// Words joined by dots: copies of @f are called @f.1.
bool is_function_name(std::string_view name) {
    for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
        if (!is_word(name.substr(0, dot))) return false;
        name.remove_prefix(dot + 1);
    }
    return is_word(name);
}

class FunctionVerifier {
 public:
    FunctionVerifier(const Module& module, const Function& function) : m(module), f(function) {}

    Status run() {
        if (!is_function_name(f.name)) return error("the name of the function is not a word");
        std::unordered_set<std::string_view> names;
        for (const ValueInfo& value : f.values) {
            if (!is_word(value.name)) return error("the name '" + value.name + "' is not a word");
            if (!names.insert(value.name).second) return error("two values are called %" + value.name);
            if (value.type.index >= m.types.size()) return error("%" + value.name + " has no type");
        }
        state_.resize(f.values.size());
        uses_.resize(f.values.size());
        bound_.resize(f.bindings.size());
        entered_.resize(f.blocks.size());
        if (f.result.index >= m.types.size()) return error("the result has no type");
        if (f.vjp_forward.valid() != f.vjp_backward.valid()) return error("half a vjp");
        for (FunctionId id : {f.vjp_forward, f.vjp_backward})
            if (id.valid() && id.index >= m.functions.size()) return error("the vjp is not a function");
        for (ValueId param : f.params) TRY(define(param));
        if (f.body.index >= f.blocks.size()) return error("no body");
        if (!f[f.body].params.empty()) return error("the body has parameters of its own");
        TRY(block(f.body, 1, 0));
        for (const Binding& binding : f.bindings)
            if (is_immediate(binding) && binding.results.size() == 1 && binding.results[0].index < f.values.size() &&
                uses_[binding.results[0].index] > 1)
                return error("the constant %" + f[binding.results[0]].name + " has several uses");
        return {};
    }

 private:
    enum class State : uint8_t { unbound, visible, gone };

    Error error(std::string what) const {
        Error made{Code::internal, "function @" + f.name + ": " + std::move(what),
                   current_ ? current_->span : f.span};
        return made;
    }
    std::string shown(ValueId id) const { return "%" + f[id].name; }

    Status define(ValueId id) {
        if (id.index >= f.values.size()) return error("a value is out of range");
        if (state_[id.index] != State::unbound) return error(shown(id) + " is bound twice");
        const TypeKind kind = m.types[f[id].type].kind;
        if (f[id].known.valid() && kind != TypeKind::tensor && kind != TypeKind::hole) return error(shown(id) + " is no number");
        state_[id.index] = State::visible;
        scope_.push_back(id);
        return {};
    }
    Status use(ValueId id) {
        if (id.index >= f.values.size()) return error("a value is out of range");
        if (state_[id.index] == State::unbound) return error(shown(id) + " is used before it is bound");
        if (state_[id.index] == State::gone) return error(shown(id) + " is used outside its block");
        ++uses_[id.index];
        return {};
    }
    void leave(size_t mark) {
        for (; scope_.size() > mark; scope_.pop_back()) state_[scope_.back().index] = State::gone;
    }

    // `results`: how many the block must have, or `any`.
    Status block(BlockId id, size_t results, int depth) {
        if (id.index >= f.blocks.size()) return error("a block is out of range");
        if (entered_[id.index]) return error("a block is used twice");
        entered_[id.index] = true;
        if (depth > max_depth) return Error{Code::limit, "function @" + f.name + " nests too deep", f.span};
        size_t mark = scope_.size();
        const Block& b = f[id];
        for (ValueId param : b.params) TRY(define(param));
        for (BindingId binding : b.bindings) {
            if (binding.index >= f.bindings.size()) return error("a binding is out of range");
            if (bound_[binding.index]) return error("a binding stands in two places");
            bound_[binding.index] = true;
            const Binding* outer = std::exchange(current_, &f[binding]);
            TRY(bind(f[binding], depth));
            current_ = outer;
        }
        for (ValueId result : b.results) TRY(use(result));
        if (results != any && b.results.size() != results)
            return error("a block has " + std::to_string(b.results.size()) + " results instead of " +
                         std::to_string(results));
        leave(mark);
        return {};
    }

    Status bind(const Binding& b, int depth) {
        for (ValueId arg : b.args) TRY(use(arg));
        TRY(shape(b));
        if (b.form == Form::match) TRY(arms(b, depth));
        else if (b.form == Form::while_) TRY(while_loop(b, depth));
        else
            for (BlockId id : b.blocks)
                TRY(block(id, b.form == Form::for_ || b.form == Form::op ? any : 1, depth + 1));
        for (ValueId result : b.results) TRY(define(result));
        for (Sym sym : b.defines)
            if (sym.index >= m.dims.symbol_count()) return error("a symbol is out of range");
        return {};
    }

    Status arms(const Binding& b, int depth) {
        for (size_t i = 0; i < b.arms.size(); ++i) {
            if (b.blocks[i].index >= f.blocks.size()) return error("a block is out of range");
            const Block& body = f[b.blocks[i]];
            std::vector<ValueId> variables;
            TRY(pattern(b.arms[i].pattern, variables, 0));
            if (variables != body.params) return error("the variables of a pattern are not its arm's parameters");
            if (!b.arms[i].guard.valid()) {
                TRY(block(b.blocks[i], 1, depth + 1));
                continue;
            }
            // the guard sees what the pattern binds
            size_t mark = scope_.size();
            for (ValueId variable : variables) TRY(define(variable));
            TRY(block(b.arms[i].guard, 1, depth + 1));
            for (ValueId variable : variables) state_[variable.index] = State::unbound;
            scope_.resize(mark);
            TRY(block(b.blocks[i], 1, depth + 1));
        }
        return {};
    }

    // The condition sees the states, which are the body's parameters.
    Status while_loop(const Binding& b, int depth) {
        if (b.blocks[0].index >= f.blocks.size() || b.blocks[1].index >= f.blocks.size())
            return error("a block is out of range");
        size_t mark = scope_.size();
        for (ValueId state : f[b.blocks[1]].params) TRY(define(state));
        TRY(block(b.blocks[0], 1, depth + 1));
        for (ValueId state : f[b.blocks[1]].params) state_[state.index] = State::unbound;
        scope_.resize(mark);
        return block(b.blocks[1], any, depth + 1);
    }

    Status pattern(const Pattern& p, std::vector<ValueId>& variables, int depth) {
        if (depth > max_depth)
            return Error{Code::limit, "function @" + f.name + ": a pattern nests too deep", f.span};
        if (p.kind == Pattern::Kind::variable) {
            if (p.variable.index >= f.values.size()) return error("a pattern's variable is out of range");
            variables.push_back(p.variable);
        }
        if (p.kind == Pattern::Kind::constructor) {
            TRY(constructor(p.decl, p.constructor, p.parts.size()));
            if (!p.dims.empty() && p.dims.size() != m[p.decl].constructors[p.constructor].dims.size())
                return error("a pattern names the wrong number of dims");
        }
        if (p.kind == Pattern::Kind::record && p.parts.size() != p.fields.size())
            return error("a pattern's fields do not fit");
        for (const Pattern& part : p.parts) TRY(pattern(part, variables, depth + 1));
        return {};
    }

    Status constructor(DeclId decl, uint32_t index, size_t fields) const {
        if (decl.index >= m.decls.size() || index >= m[decl].constructors.size()) return error("unknown constructor");
        if (m[decl].constructors[index].fields.size() != fields)
            return error("`" + m[decl].constructors[index].name + "` has the wrong number of fields");
        return {};
    }

    Status count(std::string_view what, size_t found, size_t expected) const {
        if (found == expected) return {};
        return error(std::string(what) + ": " + std::to_string(found) + " instead of " + std::to_string(expected));
    }

    // Arguments, blocks and results as the form wants them.
    Status shape(const Binding& b) const {
        size_t args = b.args.size(), blocks = 0;
        if (b.form != Form::op) TRY(count("results", b.results.size(), 1));
        switch (b.form) {
        case Form::op: return op(b);
        case Form::literal: {
            TRY(count("arguments of a constant", args, 0));
            const Literal& l = b.literal;
            if (l.kind == Literal::Kind::unit || l.kind == Literal::Kind::text) break;
            if (l.kind == Literal::Kind::given) {
                if (!l.given || !l.is_tensor || l.given->shape() != l.shape) return error("a given constant is not the tensor that it says");
                break;
            }
            int64_t elements = 1;
            for (int64_t size : l.shape)
                if (size < 0 || __builtin_mul_overflow(elements, size, &elements))
                    return error("a constant has no shape");
            TRY(count("numbers of a constant", l.kind == Literal::Kind::real ? l.reals.size() : l.kind == Literal::Kind::texts ? l.texts.size() : l.integers.size(),
                      size_t(elements)));
            break;
        }
        case Form::dim:
            TRY(count("arguments of a dim", args, 0));
            if (!b.dim.valid()) return error("a dim is missing");
            break;
        case Form::call:
        case Form::function:
            if (b.function.index >= m.functions.size()) return error("unknown function");
            TRY(count("arguments", args, b.form == Form::call ? m[b.function].params.size() : 0));
            break;
        case Form::apply:
            if (args == 0) return error("nothing is applied");
            for (const ApplyTarget& target : b.targets)
                if (target.function.index >= m.functions.size()) return error("unknown function");
            break;
        case Form::construct: TRY(constructor(b.decl, b.index, args)); break;
        case Form::tuple:
        case Form::seq:
        case Form::closure: break;
        case Form::project: TRY(count("arguments of a projection", args, 1)); break;
        case Form::field:
            TRY(count("arguments of a field", args, 1));
            TRY(count("fields", b.names.size(), 1));
            break;
        case Form::record: TRY(count("values of a record", args, b.names.size())); break;
        case Form::update: TRY(count("values of an update", args, b.names.size() + 1)); break;
        case Form::index: {
            size_t expected = 1;
            for (const IndexPart& part : b.parts)
                expected += part.kind == IndexPart::Kind::from_to ? 2 : part.kind == IndexPart::Kind::all ? 0 : 1;
            TRY(count("positions of an index", args, expected));
            break;
        }
        case Form::lambda: blocks = 1; break;
        case Form::if_: TRY(count("conditions", args, 1)); blocks = 2; break;
        case Form::match:
            TRY(count("subjects", args, 1));
            blocks = b.arms.size();
            break;
        case Form::for_: blocks = 1; break;
        case Form::while_: blocks = 2; break;
        case Form::check:
            if (args == 1) break;
            if (args == 2 && find_attribute(b, "axes")) break;
            TRY(count("arguments of a check", args, 0));
            if (!b.fact.left.valid() || !b.fact.right.valid()) return error("a check compares nothing");
            break;
        }
        TRY(count("blocks", b.blocks.size(), blocks));
        if (b.form == Form::if_)
            for (BlockId id : b.blocks)
                if (id.index < f.blocks.size()) TRY(count("parameters of an arm", f[id].params.size(), 0));
        if ((b.form == Form::for_ || b.form == Form::while_) && b.blocks.back().index < f.blocks.size()) {
            const Block& body = f[b.blocks.back()];
            TRY(count("initial values of a loop", args, body.params.size()));
            size_t states = args - (b.form == Form::for_ ? 1 : 0);
            if (args == 0 && b.form == Form::for_) return error("a loop has no count");
            if (body.results.size() < states) return error("a loop's body does not give all states");
        }
        return {};
    }

    Status op(const Binding& b) const {
        if (!b.op) return error("an operator without definition");
        std::string name(b.op->name);
        bool dialect = name.find('.') != std::string::npos;
        if (!dialect) {
            TRY(count("results of " + name, b.results.size(), 1));
            TRY(count("blocks of " + name, b.blocks.size(), 0));
        }
        size_t group = 0, total = 0;
        for (const OpParam& param : b.op->params) {
            std::string which = name + ": argument " + std::string(param.name);
            if (is_attribute(param.kind)) {
                if (!param.optional && !find_attribute(b, param.name)) return error(which + " is missing");
                continue;
            }
            if (group >= b.groups.size()) return error(which + " has no group");
            const ArgGroup& given = b.groups[group++];
            total += given.count;
            bool takes_list = param.kind == ParamKind::values || param.kind == ParamKind::sizes;
            if (given.list && !takes_list) return error(which + " is not a list");
            if (!given.list && given.count > 1) return error(which + " has several values");
            if (!given.list && given.count == 0 && !param.optional) return error(which + " is missing");
        }
        TRY(count("argument groups of " + name, b.groups.size(), group));
        return count("arguments of " + name, b.args.size(), total);
    }

    static constexpr size_t any = SIZE_MAX;
    const Module& m;
    const Function& f;
    const Binding* current_ = nullptr;
    std::vector<State> state_;
    std::vector<uint32_t> uses_;
    std::vector<bool> bound_, entered_;
    std::vector<ValueId> scope_;
};

Status verify_names(const Module& m) {
    std::unordered_set<std::string> functions, types, constructors;
    for (const Function& function : m.functions)
        if (!functions.insert((function.from_prelude ? "prelude " : "") + function.name).second)
            return Error{Code::internal, "two functions are called @" + function.name, function.span};
    for (const TypeDecl& decl : m.decls) {
        std::string space = decl.from_prelude ? "prelude " : "";
        if (!types.insert(space + decl.name).second)
            return Error{Code::internal, "two types are called " + decl.name, decl.span};
        if (decl.is_record && (decl.constructors.size() != 1 ||
                               decl.constructors[0].fields.size() != decl.constructors[0].field_names.size()))
            return Error{Code::internal, "the record " + decl.name + " is malformed", decl.span};
        for (const Constructor& constructor : decl.constructors) {
            if (!decl.is_record && !constructors.insert(space + constructor.name).second)
                return Error{Code::internal, "two constructors are called " + constructor.name, decl.span};
            for (TypeId field : constructor.fields)
                if (field.index >= m.types.size())
                    return Error{Code::internal, "a field of " + decl.name + " has no type", decl.span};
        }
    }
    return {};
}
} // namespace

Status verify(const Module& module) {
    TRY(verify_names(module));
    for (const Function& function : module.functions) TRY(FunctionVerifier(module, function).run());
    return {};
}
} // namespace nereus
