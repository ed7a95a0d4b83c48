#include "library/library.h"
#include "grad/gradient_testing.h"
#include "driver/compile.h"
#include "eval/eval.h"
#include "ir/instantiate.h"
#include "ops/registry.h"
#include "text/parse.h"
#include "value/compare.h"
#include "value/text.h"
#include "vm/context.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace nereus {
namespace {
struct Arguments {
    Module& module;
    const GradientCase& c;
    std::mt19937_64& random;
    std::map<Sym, int64_t> sizes = {};

    int64_t size(Sym s) {
        static constexpr int64_t common[] = {3, 2, 4, 1, 0, 5};
        auto [it, fresh] = sizes.emplace(s, 0);
        if (fresh) it->second = common[random() % (c.smallest ? 6 : 3)];
        return it->second;
    }
    Value tensor(const Type& type) {
        Extents extents;
        for (Dim d : type.shape.dims) extents.push_back(*module.dims.evaluate(d, [&](Sym s) { return size(s); }));
        HostTensor made = *HostTensor::make(*type.element.dtype, extents);
        std::byte* at = *made.mutable_bytes();
        for (int64_t i = 0; i < made.count(); ++i) {
            double real = std::uniform_real_distribution<>(c.low, c.high)(random);
            int64_t whole = std::uniform_int_distribution<int64_t>(c.whole_low, c.whole_high)(random);
            const DType t = made.dtype();
            if (t == DType::boolean) whole = int64_t(random() & 1);
            const uint64_t word = is_float(t) ? word_of(t, real) : word_of(t, whole);
            std::memcpy(at + i * size_of(t), &word, size_t(size_of(t)));
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
            uint32_t which = depth > 3 ? 0 : uint32_t(random() % decl.constructors.size());
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

// Calls `with` for every f64 element in turn with a copy of the value in which it is moved by `by`.
Value moved(const Value& value, int64_t& at, double by) {
    std::vector<Value> parts;
    if (value.is(Value::Kind::tensor)) {
        const HostTensor& x = value.tensor();
        if (x.dtype() != DType::f64) return value;
        int64_t mine = at;
        at -= x.count();
        if (mine < 0 || mine >= x.count()) return value;
        HostTensor copy = *HostTensor::make(x.dtype(), x.shape());
        double* to = reinterpret_cast<double*>(*copy.mutable_bytes());
        for (int64_t i = 0; i < x.count(); ++i) to[i] = x.as_f64(i) + (i == mine ? by : 0);
        return Value::tensor(std::move(copy));
    }
    for (const Value& child : value.children()) parts.push_back(moved(child, at, by));
    switch (value.kind()) {
    case Value::Kind::tensor: break;
    case Value::Kind::tuple: return Value::tuple(std::move(parts));
    case Value::Kind::seq: return Value::seq(std::move(parts));
    case Value::Kind::ctor: return Value::ctor(std::string(value.ctor_name()), std::move(parts));
    case Value::Kind::record: {
        std::vector<Field> fields;
        for (size_t i = 0; i < parts.size(); ++i) fields.push_back({value.field_names()[i], parts[i]});
        return Value::record(std::move(fields));
    }
    }
    return value;
}

void elements(const Value& value, std::vector<double>& out) {
    if (value.is(Value::Kind::tensor) && value.tensor().dtype() == DType::f64)
        for (int64_t i = 0; i < value.tensor().count(); ++i) out.push_back(value.tensor().as_f64(i));
    for (const Value& child : value.children()) elements(child, out);
}

Result<Value> compiled(const Module& parsed, const std::string& entry, const std::vector<Value>& args, int64_t* out_leaks) {
    CompileOptions options;
    options.entry = entry;
    Executable exe = TRY(compile(parsed, options));
    std::unique_ptr<Context> context = TRY(Context::make(TRY(LoadedExecutable::load(std::move(exe), library()))));
    Result<Value> found = context->run(context->program().exe().entries[0], args);
    *out_leaks = context->stats().leaked_objects;
    return found;
}
} // namespace

namespace {
void check_mode(const GradientCase& c, const std::string& mode, bool keep_cells, uint64_t seed, int calls) {
    SCOPED_TRACE(c.name + ", mode " + mode + (keep_cells ? ", cells are kept" : ""));
    std::string names;
    for (size_t at = c.params.find('%'); at != std::string::npos; at = c.params.find('%', at + 1))
        names += (names.empty() ? "" : ", ") + c.params.substr(at, c.params.find(':', at) - at);
    std::string text = c.others + "\ndef @loss(" + c.params + ") {\n" + c.body + "\n}\n" +
                       "def @main(" + c.params + ") { grad(@loss, mode=\"" + mode + "\")(" + names + ") }\n" +
                       "def @along(" + c.params + ") { jvp(@loss)(" + names + ", " + names + ").1 }\n";
    for (size_t at = text.find("$MODE"); at != std::string::npos; at = text.find("$MODE")) text.replace(at, 5, '"' + mode + '"');
    Result<Module> parsed = parse("case.nr", text, all_ops());
    ASSERT_TRUE(parsed) << parsed.error().message << text;
    CompileOptions options;
    if (keep_cells) options.without = {"cells_to_states"};
    options.entry = "loss";
    Result<Module> loss = run_until(*parsed, "grad", options);
    options.entry = "main";
    Result<Module> expanded = run_until(*parsed, "grad", options), shaped = run_until(*parsed, "shapes", options);
    ASSERT_TRUE(loss) << loss.error().message << text;
    ASSERT_TRUE(expanded) << expanded.error().message << text;
    ASSERT_TRUE(shaped) << shaped.error().message << text;
    std::unique_ptr<Context> context;
    if (c.compiled) {
        Result<Executable> exe = compile(*parsed, options);
        ASSERT_TRUE(exe) << exe.error().message << text;
        context = std::move(*Context::make(*LoadedExecutable::load(std::move(*exe), library())));
    }
    Result<Module> along = Error{Code::internal, "not asked for"};
    std::unique_ptr<Context> tangent;
    if (mode == "product") {
        options.entry = "along";
        along = run_until(*parsed, "grad", options);
        ASSERT_TRUE(along) << along.error().message << text;
        Result<Executable> exe = c.compiled ? compile(*parsed, options) : Result<Executable>(Executable());
        ASSERT_TRUE(exe) << exe.error().message << text;
        if (c.compiled) tangent = std::move(*Context::make(*LoadedExecutable::load(std::move(*exe), library())));
    }
    std::mt19937_64 random(seed);
    for (int call = 0; call < calls; ++call) {
        Arguments given{*loss, c, random};
        const Function& function = loss->functions[0];
        std::vector<Value> args;
        for (ValueId param : function.params) args.push_back(given.value(function[param].type));
        Value point = Value::tuple(args);
        SCOPED_TRACE("at " + to_text(point));
        std::vector<double> x, expected;
        elements(point, x);
        double largest = 1;
        for (size_t i = 0; i < x.size(); ++i) {
            double ends[2], h = 1e-5;
            for (int side : {0, 1}) {
                int64_t at = int64_t(i);
                Value there = moved(point, at, side ? h : -h);
                Result<Value> y = eval(*loss, FunctionId(0), there.children());
                ASSERT_TRUE(y) << y.error().message << text;
                ends[side] = y->tensor().as_f64(0);
            }
            expected.push_back((ends[1] - ends[0]) / (2 * h));
            largest = std::max(largest, std::abs(expected.back()));
        }
        auto agrees = [&](std::string_view way, const Result<Value>& found) {
            ASSERT_TRUE(found) << way << ": " << found.error().message << text;
            std::vector<double> got;
            elements(*found, got);
            ASSERT_EQ(got.size(), expected.size()) << way << text;
            for (size_t i = 0; i < got.size(); ++i)
                ASSERT_NEAR(got[i], expected[i], 1e-6 * largest) << way << ", element " << i << text;
        };
        auto agrees_along = [&](std::string_view way, const Result<Value>& found) {
            ASSERT_TRUE(found) << way << ": " << found.error().message << text;
            double sum = 0, size = 1;
            for (size_t i = 0; i < x.size(); ++i) sum += x[i] * expected[i], size += std::abs(x[i] * expected[i]);
            ASSERT_NEAR(found->tensor().as_f64(0), sum, 1e-6 * std::max(size, largest)) << way << text;
        };
        if (along) agrees_along("eval of jvp", eval(*along, FunctionId(0), args));
        if (tangent) agrees_along("jvp compiled", tangent->run(tangent->program().exe().entries[0], args));
        agrees("eval", eval(*expanded, FunctionId(0), args));
        agrees("eval of shapes", eval(*shaped, FunctionId(0), args));
        if (!context) continue;
        agrees("compiled", context->run(context->program().exe().entries[0], args));
        ASSERT_EQ(context->stats().leaked_objects, 0);
    }
}
} // namespace

std::string case_name(std::string name) {
    for (char& letter : name)
        if (!isalnum(letter)) letter = '_';
    return name;
}

void check_gradient(const GradientCase& c, uint64_t seed, int calls) {
    check_mode(c, "closures", true, seed, calls);
    if (!c.product) return;
    check_mode(c, "product", false, seed, calls);
    if (c.body.find("ref(") != std::string::npos) check_mode(c, "product", true, seed, calls);
}

std::string refusal(const std::string& program) {
    Result<Module> parsed = parse("case.nr", program, all_ops());
    if (!parsed) return "parse: " + parsed.error().message;
    Result<Module> done = run_until(*parsed, "shapes", CompileOptions{});
    if (done) return "";
    const Error& error = done.error();
    return std::string(code_name(error.code)) + ": " + error.message + (error.hint.empty() ? "" : " | " + error.hint);
}

std::string shown(const std::string& program) {
    Result<Module> parsed = parse("case.nr", program, all_ops());
    if (!parsed) return "parse: " + parsed.error().message;
    auto text = [](const Result<Value>& value) {
        return value ? to_text(*value) : std::string(code_name(value.error().code)) + ": " + value.error().message;
    };
    Result<Module> expanded = run_until(*parsed, "grad", CompileOptions{});
    if (!expanded) return text(expanded.error());
    std::string by_eval = text(eval(*expanded, FunctionId(0), {}));
    int64_t leaks = 0;
    EXPECT_EQ(text(compiled(*parsed, "main", {}, &leaks)), by_eval) << program;
    EXPECT_EQ(leaks, 0);
    return by_eval;
}
} // namespace nereus
