// eval/builtins.cpp - operators that are not tensors to tensors: cells, Seq, output, structural equality.
#include "eval/door.h"
#include "eval/machine.h"
#include "value/text.h"
#include <cstdio>
#include <cstring>

namespace nereus {
namespace {
Error not_a(std::string_view what) { return Error{Code::type, "the argument is not a " + std::string(what)}; }

std::string text_of(const Binding& binding, std::string_view name) {
    const Attribute* found = find_attribute(binding, name);
    const std::string* text = found ? std::get_if<std::string>(&found->value) : nullptr;
    return text ? *text : "";
}

Result<size_t> item_index(const Datum& seq, const Datum& index) {
    if (!seq.is(DatumKind::seq)) return not_a("Seq");
    if (!index.as_integer()) return Error{Code::type, "the index is not an integer scalar"};
    if (*index.as_integer() >= 0 && *index.as_integer() < int64_t(seq.items().size()))
        return size_t(*index.as_integer());
    return Error{Code::value, "index " + std::to_string(*index.as_integer()) +
                                  " is out of range for a Seq of length " +
                                  std::to_string(seq.items().size())};
}

bool same_elements(const HostTensor& a, const HostTensor& b) {
    if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
    if (is_storage(a.dtype()) || is_text(a.dtype())) return a.count() == 0 || std::memcmp(a.bytes(), b.bytes(), size_t(a.byte_size())) == 0;
    for (int64_t i = 0; i < a.count(); ++i) {
        if (!is_float(a.dtype()) && a.as_i64(i) != b.as_i64(i)) return false;
        if (!is_float(a.dtype())) continue;
        double left = a.as_f64(i), right = b.as_f64(i);
        if (left != right && !(left != left && right != right)) return false;
    }
    return true;
}
} // namespace

// Same structure, same numbers. NaN equals itself, so that a value always equals itself however it is shared; cells and
// functions are equal to themselves alone.
bool equal_structure(const Datum& a, const Datum& b) {
    std::vector<std::pair<Datum, Datum>> tasks{{a, b}};
    while (!tasks.empty()) {
        auto [left, right] = std::move(tasks.back());
        tasks.pop_back();
        if (left.node() && left.node() == right.node()) continue;
        if (left.kind() != right.kind()) return false;
        switch (left.kind()) {
        case DatumKind::tensor:
            if (!same_elements(left.tensor(), right.tensor())) return false;
            continue;
        case DatumKind::cell:
        case DatumKind::closure: return false;
        case DatumKind::data:
            if (left.decl() != right.decl() || left.constructor() != right.constructor()) return false;
            break;
        case DatumKind::tuple:
        case DatumKind::seq: break;
        }
        if (left.items().size() != right.items().size()) return false;
        for (size_t i = left.items().size(); i-- > 0;) tasks.emplace_back(left.items()[i], right.items()[i]);
    }
    return true;
}

Result<Datum> Machine::builtin(const Binding& binding) {
    switch (binding.op->builtin) {
    case Builtin::none: break;
    case Builtin::ref: return Datum::cell(cells_, arg(binding, 0));
    case Builtin::read:
        if (!arg(binding, 0).is(DatumKind::cell)) return not_a("cell");
        return arg(binding, 0).items()[0];
    case Builtin::write:
        if (!arg(binding, 0).is(DatumKind::cell)) return not_a("cell");
        arg(binding, 0).write(arg(binding, 1));
        return Datum();
    case Builtin::push:
        if (!arg(binding, 0).is(DatumKind::seq)) return not_a("Seq");
        return arg(binding, 0).pushed(arg(binding, 1));
    case Builtin::length:
        if (!arg(binding, 0).is(DatumKind::seq)) return not_a("Seq");
        return Datum::integer(int64_t(arg(binding, 0).items().size()));
    case Builtin::set: {
        size_t index = TRY(item_index(arg(binding, 0), arg(binding, 1)));
        std::vector<Datum> items(arg(binding, 0).items().begin(), arg(binding, 0).items().end());
        items[index] = arg(binding, 2);
        return Datum::seq(std::move(items));
    }
    case Builtin::seq_get: {
        size_t index = TRY(item_index(arg(binding, 0), arg(binding, 1)));
        return arg(binding, 0).items()[index];
    }
    case Builtin::print: {
        std::string line = text_of(binding, "text");
        if (!binding.args.empty())
            line += (line.empty() ? "" : " ") + to_text(shown(module_, arg(binding, 0)));
        if (options_.print) options_.print(line);
        else std::fprintf(stderr, "%s\n", line.c_str());
        return Datum();
    }
    case Builtin::assert_: {
        if (TRY(condition(arg(binding, 0)))) return Datum();
        std::string message = text_of(binding, "message");
        return Error{Code::value, "assertion failed" + (message.empty() ? "" : ": " + message)};
    }
    case Builtin::equal: return Datum::boolean(equal_structure(arg(binding, 0), arg(binding, 1)));
    case Builtin::stop_gradient: return arg(binding, 0);
    case Builtin::grad: case Builtin::leaves:
        return Error{Code::unsupported, std::string(binding.op->name) + " is written out before a program runs, and this one was not"};
    }
    invariant(false, "a builtin");
    return Datum();
}
} // namespace nereus
