// Everything runs three ways and agrees: interpreted, compiled in process, and from the bytes of an artefact; the last two
// bit for bit. One compile per entry and target, before any input exists; then many sizes in random order on one context.
#include "base/file.h"
#include "driver/compile.h"
#include "eval/eval.h"
#include "exe/artefact.h"
#include "ir/instantiate.h"
#include "value/compare.h"
#include "value/text.h"
#include "vm/context.h"
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>

namespace nereus {
namespace {
// A random value of a declared type; every dim of the signature has one number in one call.
struct Inputs {
    Module& module;
    std::mt19937_64& random;
    std::map<Sym, int64_t> sizes;
    std::map<VarId, Extents> shapes = {};                // of ..s

    int64_t size(Sym s) {
        static constexpr int64_t common[] = {0, 1, 1, 2, 3, 5, 7, 17, 33};
        auto [it, fresh] = sizes.emplace(s, 0);
        if (fresh) it->second = common[random() % std::size(common)];
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
        HostTensor made = *HostTensor::make(*type.element.dtype, extents);
        std::byte* at = *made.mutable_bytes();
        for (int64_t i = 0; i < made.count(); ++i) {
            double real = std::uniform_real_distribution<>(-2, 2)(random);
            int64_t whole = int64_t(random() % 41) - 20;
            switch (made.dtype()) {
            case DType::boolean: reinterpret_cast<uint8_t*>(at)[i] = uint8_t(whole & 1); break;
            case DType::i32: reinterpret_cast<int32_t*>(at)[i] = int32_t(whole); break;
            case DType::i64: reinterpret_cast<int64_t*>(at)[i] = whole; break;
            case DType::f32: reinterpret_cast<float*>(at)[i] = float(real); break;
            case DType::f64: reinterpret_cast<double*>(at)[i] = real; break;
            }
        }
        return Value::tensor(std::move(made));
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
            for (TypeId field : instantiate_fields(module, id, which)) parts.push_back(value(field, depth + 1));
            if (!decl.is_record) return Value::ctor(decl.constructors[which].name, std::move(parts));
            std::vector<Field> fields;
            for (size_t i = 0; i < parts.size(); ++i) fields.push_back({decl.constructors[0].field_names[i], parts[i]});
            return Value::record(std::move(fields));
        }
        default: ADD_FAILURE() << "no such argument"; return Value();
        }
    }
};

std::unique_ptr<Context> context_of(Executable exe) {
    Result<std::shared_ptr<const LoadedExecutable>> loaded = LoadedExecutable::load(std::move(exe));
    if (!loaded) {
        ADD_FAILURE() << loaded.error().message;
        return nullptr;
    }
    return std::move(*Context::make(std::move(*loaded), {.memory_limit = int64_t(1) << 30}));
}

void three_ways(const std::string& path, const std::string& entry, int calls, uint64_t seed) {
    SCOPED_TRACE(path + " @" + entry);
    std::vector<SourceText> sources;
    Result<Module> parsed = parse_program(path, &sources);
    ASSERT_TRUE(parsed) << parsed.error().message;
    CompileOptions options;
    options.entry = entry;
    Result<Module> typed = run_until(*parsed, "specialise", options), shaped = run_until(*parsed, "shapes", options);
    ASSERT_TRUE(typed) << typed.error().message;
    ASSERT_TRUE(shaped) << shaped.error().message;

    struct Way { std::string name; std::unique_ptr<Context> context, artefact; };
    std::vector<Way> ways;
    for (std::string target : {"x86-64-v2", "x86-64-v3", "host", "checked"}) {
        options.checked = target == "checked";
        options.target = options.checked ? "host" : target;
        Result<Executable> exe = compile(*parsed, options);
        ASSERT_TRUE(exe) << target << ": " << exe.error().message;
        Result<std::vector<std::byte>> bytes = save(*exe);
        ASSERT_TRUE(bytes) << bytes.error().message;
        Result<Executable> again = load(*bytes);
        ASSERT_TRUE(again) << again.error().message;
        ways.push_back({target, context_of(std::move(*exe)), context_of(std::move(*again))});
        ASSERT_TRUE(ways.back().context && ways.back().artefact);
    }
    std::mt19937_64 random(seed);
    int succeeded = 0;
    for (int call = 0; call < calls; ++call) {
        Inputs inputs{*typed, random, {}};
        const Function main = typed->functions[0];
        std::vector<Value> args;
        for (ValueId param : main.params) args.push_back(inputs.value(main[param].type));
        // only inferred shapes tell how wide nothing is: what a loop of no trips collects
        Result<Value> expected = eval(*shaped, FunctionId(0), args), unshaped = eval(*typed, FunctionId(0), args);
        ASSERT_EQ(bool(expected), bool(unshaped));
        bool empty = std::any_of(inputs.sizes.begin(), inputs.sizes.end(), [](auto& size) { return size.second == 0; });

        ASSERT_TRUE(!expected || empty || !compare(*unshaped, *expected, Tolerance{0, 0, true}));
        succeeded += bool(expected);
        for (Way& way : ways) {
            SCOPED_TRACE(way.name + ", call " + std::to_string(call));
            Result<Value> found = way.context->run(way.context->program().exe().entries[0], args);
            ASSERT_EQ(bool(expected), bool(found)) << (found ? "eval fails: " + expected.error().message : found.error().message);
            if (!expected) continue;
            std::optional<Difference> difference = compare(*expected, *found, Tolerance{2e-5, 1e-6, true});
            ASSERT_FALSE(difference) << difference->path << ": " << difference->what << "\nargs " << to_text(Value::tuple(args));
            Result<Value> again = way.artefact->run(way.artefact->program().exe().entries[0], args);
            ASSERT_TRUE(again) << again.error().message;
            ASSERT_TRUE(equal_bitwise(*found, *again));
            ASSERT_EQ(way.context->stats().leaked_objects, 0);
        }
    }
    EXPECT_GE(succeeded, calls / 4) << "most inputs are refused: little is compared";
}

std::vector<std::string> entries_of(const std::string& path) {
    std::vector<std::string> names;
    std::string text = *read_file(path);
    for (size_t at = text.find("def @"); at != std::string::npos; at = text.find("def @", at + 1))
        names.push_back(text.substr(at + 5, text.find('(', at) - at - 5));
    return names;
}

TEST(ThreeWays, Programs) {
    for (const auto& file : std::filesystem::directory_iterator(NEREUS_SOURCE_DIR "/test/programs"))
        for (const std::string& entry : entries_of(file.path())) three_ways(file.path(), entry, 20, 1);
}
TEST(ThreeWays, ThousandShapesOnOneContext) { three_ways(NEREUS_SOURCE_DIR "/test/programs/straight.nr", "dense", 1000, 2); }
} // namespace
} // namespace nereus
