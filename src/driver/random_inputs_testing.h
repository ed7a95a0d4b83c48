// driver/random_inputs_testing.h - random arguments for any entry point, for the tests that run whole programs.
#pragma once
#include "base/file.h"
#include "driver/compile.h"
#include "ir/instantiate.h"
#include "tensor/text_tensor.h"
#include "value/value.h"
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace nereus {
// A random value of a declared type; every dim of the signature has one number in one call.
struct RandomInputs {
    Module& module;
    std::mt19937_64& random;
    std::function<int64_t(std::mt19937_64&)> any_size = some_size;       // of a dim that has none yet
    double reach = 2;                                    // of floats, either way
    std::map<Sym, int64_t> sizes = {};
    std::map<VarId, Extents> shapes = {};                // of ..s

    static int64_t some_size(std::mt19937_64& random) {
        static constexpr int64_t common[] = {0, 1, 1, 2, 3, 5, 7, 17, 33};
        return common[random() % std::size(common)];
    }
    std::map<Sym, int64_t> held = {};                    // sizes of the record or constructor being made: its fields share them

    int64_t size(Sym s) {
        if (auto own = held.find(s); own != held.end()) return own->second;
        if (module.dims.symbol(s).kind == SymKind::unknown) return random() % 8 ? 4 : int64_t(random() % 5);   // '?': each its own
        auto [it, fresh] = sizes.emplace(s, 0);
        if (fresh) it->second = any_size(random);
        return it->second;
    }
    Value tensor(const Type& type) {
        Extents extents;
        for (Dim d : type.shape.dims) extents.push_back(*module.dims.evaluate(d, [&](Sym s) { return size(s); }));
        if (!type.shape.ranked) {
            Extents tail(random() % 4);
            for (int64_t& extent : tail) extent = int64_t(random() % 5);
            if (type.shape.tail.valid()) tail = shapes.emplace(type.shape.tail, tail).first->second;
            extents.insert(extents.end(), tail.begin(), tail.end());
        }
        if (is_text(*type.element.dtype)) return texts(extents);
        HostTensor made = *HostTensor::make(*type.element.dtype, extents);
        std::byte* at = *made.mutable_bytes();
        for (int64_t i = 0; i < made.count(); ++i) {
            double real = std::uniform_real_distribution<>(-reach, reach)(random);
            int64_t whole = int64_t(random() % 41) - 20;
            const DType t = made.dtype();
            const uint64_t word = is_float(t) ? word_of(t, real) : word_of(t, t == DType::boolean ? whole & 1 : whole);
            std::memcpy(at + i * size_of(t), &word, size_t(size_of(t)));
        }
        return Value::tensor(std::move(made));
    }
    Value texts(const Extents& extents) {
        static const std::string some[] = {"", "a", "b", "a b", "12", "-3.5", "\u00e9", "a,b,,c", "\u65e5\u672c \u8a9e", " x  y "};
        std::vector<std::string> all(size_t(*element_count(extents)));
        for (std::string& text : all) text = some[random() % std::size(some)];
        return Value::tensor(*text_tensor(extents, all));
    }
    Value value(TypeId id, int depth = 0) {
        const Type type = module.types[id];
        std::vector<Value> parts;
        switch (type.kind) {
        case TypeKind::tensor: return tensor(type);
        case TypeKind::tuple:
            for (TypeId part : type.parts) parts.push_back(value(part, depth));
            return Value::tuple(std::move(parts));
        case TypeKind::seq:
            for (size_t i = random() % 4; i > 0; --i) parts.push_back(value(type.parts[0], depth));
            return Value::seq(std::move(parts));
        case TypeKind::data: {
            const TypeDecl decl = module.decls[type.decl.index];
            uint32_t which = depth > 5 ? 0 : uint32_t(random() % decl.constructors.size());
            const std::map<Sym, int64_t> around = held;
            for (const TypeArg& arg : type.args)
                if (const Dim* dim = std::get_if<Dim>(&arg); dim && dim->valid())
                    for (Sym s : module.dims.symbols_of(*dim)) held[s] = size(s);
            for (Sym s : decl.constructors[which].dims) held[s] = any_size(random);
            for (TypeId field : instantiate_fields(module, id, which)) parts.push_back(value(field, depth + 1));
            held = around;
            if (!decl.is_record) return Value::ctor(decl.constructors[which].name, std::move(parts));
            std::vector<Field> fields;
            for (size_t i = 0; i < parts.size(); ++i) fields.push_back({decl.constructors[0].field_names[i], parts[i]});
            return Value::record(std::move(fields));
        }
        default: ADD_FAILURE() << "no such argument"; return Value();
        }
    }
};

inline std::vector<Value> random_arguments(RandomInputs& inputs) {
    const Function entry = inputs.module.functions[0];
    std::vector<Value> args;
    for (ValueId param : entry.params) args.push_back(inputs.value(entry[param].type));
    return args;
}

// The functions of a program file that can be called from outside, in order.
inline std::vector<std::string> entries_of(const std::string& path) {
    std::vector<std::string> names;
    std::string text = *read_file(path);
    for (size_t at = text.find("def @"); at != std::string::npos; at = text.find("def @", at + 1))
        if (size_t open = text.find_first_of("([", at);                                          // else: no types, no entry
            text[open] == '(' && text.find(':', open) < text.find(')', open))
            names.push_back(text.substr(at + 5, open - at - 5));
    return names;
}
} // namespace nereus
