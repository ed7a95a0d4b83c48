#include "pass/constant_part.h"
#include "pass/effects.h"
#include "pass/literals.h"
#include "pass/size_demands.h"
#include <algorithm>
#include <set>

namespace nereus {
namespace {
constexpr int64_t always_kept = int64_t(1) << 16;        // bytes; a larger value is kept if it is no larger than what it is made of
constexpr std::string_view cheap_operators[] = {"full", "iota", "broadcast_to", "reshape", "cast"};

// The values of one function that depend on constants only.
class ConstantValues {
 public:
    ConstantValues(Module& module, Function& function, const Effects& effects, bool failing)
        : module_(module), f_(function), edit_(module, function), demands_(module), effects_(effects), failing_(failing) {
        block(f_.body);
    }
    std::vector<ValueId> roots() {                       // used by what stays, in program order
        std::vector<ValueId> found;
        for (ValueId v : order_)
            if (used_.contains(v) && costly_.contains(v) && bytes_of(v) >= 0) found.push_back(v);
        return found;
    }
    int64_t bytes_of(ValueId v) const {                  // -1: no tensor that is kept as one
        const Type& type = module_.types[f_[v].type];
        if (type.kind != TypeKind::tensor || !type.element.dtype || !type.shape.ranked) return -1;
        if (type.shape.dims.empty() && is_host_number(*type.element.dtype)) return -1;        // a number of the host program
        int64_t bytes = int64_t(size_of(*type.element.dtype));
        for (Dim d : type.shape.dims) {
            std::optional<int64_t> extent = module_.dims.constant_value(d);
            if (!extent || *extent <= 0 || __builtin_mul_overflow(bytes, *extent, &bytes)) return -1;
        }
        return bytes;
    }
    // Of the constants that it is made of.
    int64_t source_bytes(ValueId v) {
        std::set<ValueId> seen;
        std::vector<ValueId> work = {v};
        int64_t bytes = 0;
        while (!work.empty()) {
            const ValueId at = work.back();
            work.pop_back();
            if (!seen.insert(at).second) continue;
            const Binding& b = *edit_.definition(at);
            if (b.args.empty()) bytes += std::max<int64_t>(bytes_of(at), 0);
            work.insert(work.end(), b.args.begin(), b.args.end());
        }
        return bytes;
    }
    // What the value needs, then what makes it.
    void copy(ValueId v, BlockCopy& to, BindingList& out, std::set<ValueId>& done) {
        if (!done.insert(v).second) return;
        const Binding b = *edit_.definition(v);
        for (ValueId arg : b.args) copy(arg, to, out, done);
        out.push_back(to.binding(b, out));
    }

 private:
    void block(BlockId id) {
        for (BindingId at : f_[id].bindings) {
            const Binding& b = f_[at];
            if (is_immediate(b)) {
                if (has_constant_sizes(b)) constant_.insert(b.results[0]);
                continue;
            }
            if (depends_on_constants(b)) {
                constant_.insert(b.results[0]);
                order_.push_back(b.results[0]);
                bool costly = b.form != Form::op || std::ranges::count(cheap_operators, b.op->name) == 0;
                for (ValueId arg : b.args) costly |= costly_.contains(arg);
                if (costly) costly_.insert(b.results[0]);
            } else {
                used_.insert(b.args.begin(), b.args.end());
            }
            for (BlockId inner : blocks_of(b)) block(inner);
        }
        used_.insert(f_[id].results.begin(), f_[id].results.end());
    }
    bool has_constant_sizes(const Binding& b) const {
        std::vector<Sym> named;
        collect_type_symbols(module_, f_[b.results[0]].type, named);
        return named.empty() && (b.form != Form::dim || module_.dims.constant_value(b.dim));
    }
    bool depends_on_constants(const Binding& b) {
        if (!b.blocks.empty() || !b.defines.empty() || b.args.empty() || !has_constant_sizes(b)) return false;
        if (mentions_shape_variable(module_, f_[b.results[0]].type)) return false;
        if (!std::ranges::all_of(b.args, [&](ValueId arg) { return constant_.contains(arg); })) return false;
        if (b.form == Form::project) return true;
        if (b.form != Form::op || b.op->builtin != Builtin::none) return false;
        const Does does = effects_.of(f_, b);
        if (!does.ends || does.effect > (failing_ ? Effect::may_fail : Effect::total)) return false;
        std::vector<const Binding*> definitions;
        for (ValueId arg : b.args) definitions.push_back(edit_.definition(arg));
        return demands_.hold_everywhere(f_, b, definitions);
    }

    Module& module_;
    Function& f_;
    FunctionEdit edit_;
    SizeDemands demands_;
    const Effects& effects_;
    const bool failing_;
    std::set<ValueId> constant_, costly_, used_;
    std::vector<ValueId> order_;
};

// A constant has one use: it is written at each use of the value. Equal ones are one in the executable.
class PutConstants {
 public:
    PutConstants(Module& module, Function& function, const std::map<ValueId, Literal>& constants)
        : edit_(module, function), constants_(constants) {}
    void block(BlockId id) {
        Function& f = edit_.function();
        BindingList before = std::move(f[id].bindings), after;
        for (BindingId at : before) {
            Binding b = f[at];
            if (auto it = constants_.find(b.results[0]); it != constants_.end()) {
                Binding literal{.form = Form::literal, .literal = it->second, .span = b.span};
                BindingList nowhere;
                edit_.replace(it->first, edit_.add(std::move(literal), f[it->first].type, f[it->first].name, nowhere));
                continue;
            }
            edit_.use_all(b.args, after);
            f[at] = b;
            for (BlockId inner : blocks_of(b)) block(inner);
            after.push_back(at);
        }
        std::vector<ValueId> results = f[id].results;
        edit_.use_all(results, after);
        f[id].results = std::move(results);
        f[id].bindings = std::move(after);
    }

 private:
    FunctionEdit edit_;
    const std::map<ValueId, Literal>& constants_;
};
} // namespace

ConstantPart constant_part(const Module& module, bool failing, int64_t most_bytes) {
    ConstantPart part{.program = module, .places = {}};
    Module& m = part.program;
    Function init;
    init.name = "init";
    init.body = init.add_block();
    {
        const Effects effects(module);
        FunctionEdit edit(m, init);
        BindingList body;
        std::vector<ValueId> given;
        std::vector<TypeId> types;
        for (size_t i = 0; i < module.functions.size(); ++i) {
            Function& f = m.functions[i];
            ConstantValues values(m, f, effects, failing);
            BlockCopy copy(edit, f);
            std::set<ValueId> done;
            for (ValueId root : values.roots()) {
                const int64_t bytes = values.bytes_of(root);
                if (bytes > most_bytes || (bytes > always_kept && bytes > values.source_bytes(root))) continue;
                most_bytes -= bytes;
                values.copy(root, copy, body, done);
                given.push_back(copy.put_for(root));
                types.push_back(init[given.back()].type);
                part.places.push_back({FunctionId(i), root});
            }
        }
        if (part.places.empty()) return part;
        init.result = types.size() == 1 ? types[0] : m.types.tuple(types);
        if (given.size() > 1) given = {edit.add(Binding{.form = Form::tuple, .args = given}, init.result, "all", body)};
        init[init.body].bindings = std::move(body);
        init[init.body].results = std::move(given);
    }
    m.functions = {};
    m.functions.push_back(std::move(init));
    return part;
}

namespace {
// What nobody would read is not written out: a number of a literal takes more memory than an element.
std::optional<Literal> constant_of(const HostTensor& tensor, const std::string& name) {
    constexpr int64_t most_written = 1024;
    if (tensor.count() > most_written) return given_literal(tensor, name);
    return literal_of(tensor);
}
} // namespace

Module with_constants(Module module, const std::vector<ConstantPlace>& places, const std::vector<HostTensor>& tensors) {
    std::map<uint32_t, std::map<ValueId, Literal>> constants;
    for (size_t i = 0; i < places.size(); ++i) {
        const std::string& name = module[places[i].function][places[i].value].name;
        if (std::optional<Literal> literal = constant_of(tensors[i], name)) constants[places[i].function.index][places[i].value] = std::move(*literal);
    }
    for (const auto& [function, values] : constants) {
        Function& f = module.functions[function];
        PutConstants(module, f, values).block(f.body);
    }
    return module;
}
} // namespace nereus
