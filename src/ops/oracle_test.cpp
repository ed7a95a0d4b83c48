// Each operator's eval against numbers that NumPy computed: test/oracle/ops.py, strings.py, fourier.py and storage.py wrote them, and say how they are
// stored.
#include "base/file.h"
#include "ops/registry.h"
#include "value/compare.h"
#include "value/json.h"
#include "value/text.h"
#include <gtest/gtest.h>
#include <set>

namespace nereus {
namespace {
std::vector<int64_t> integers_of(const Value& value) {
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < value.tensor().count(); ++i) numbers.push_back(value.tensor().as_i64(i));
    return numbers;
}

struct Call {
    const OpDef& op;
    AttributeList attributes;
    EvalArgs args{.op = op, .attributes = attributes};

    Call(const OpDef& op, std::span<const Value> given) : op(op) {
        size_t count = op.params.size();
        args.tensors.resize(count), args.sizes.resize(count), args.present.resize(count);
        for (size_t i = 0; i < count; ++i) {
            const OpParam& param = op.params[i];
            args.present[i] = i < given.size() && !(given[i].is(Value::Kind::tuple) && given[i].children().empty());
            if (!args.present[i]) continue;
            std::string name(param.name);
            switch (param.kind) {
            case ParamKind::value: args.tensors[i] = {given[i].tensor()}; break;
            case ParamKind::values:
                for (const Value& item : given[i].children()) args.tensors[i].push_back(item.tensor());
                break;
            case ParamKind::size: case ParamKind::sizes: args.sizes[i] = integers_of(given[i]); break;
            case ParamKind::integer: attributes.push_back({name, integers_of(given[i])[0]}); break;
            case ParamKind::integers: attributes.push_back({name, integers_of(given[i])}); break;
            case ParamKind::boolean: attributes.push_back({name, integers_of(given[i])[0] != 0}); break;
            case ParamKind::dtype: attributes.push_back({name, *dtype_from_name(given[i].ctor_name())}); break;
            case ParamKind::text: attributes.push_back({name, std::string(given[i].ctor_name())}); break;
            }
        }
    }
};

// One unit in the last place, and one more for a math library that rounds the other way; of small floats, computed in f64,
// not even one.
Tolerance tolerance_for(const HostTensor& expected) {
    return {.rtol = expected.dtype() == DType::f32 ? 2.4e-7 : is_small_float(expected.dtype()) ? 0 : 4.5e-16};
}

void agree_with(const std::string& file, std::set<std::string_view>& covered) {
    Result<std::string> text = read_file(NEREUS_SOURCE_DIR "/test/oracle/" + file);
    ASSERT_TRUE(bool(text)) << text.error().message;
    Result<Value> cases = parse_json_value(*text);
    ASSERT_TRUE(bool(cases)) << cases.error().message;
    for (const Value& one : cases->children()) {
        const OpDef* op = all_ops().find(one.ctor_name());
        ASSERT_TRUE(op && op->eval) << one.ctor_name();
        covered.insert(op->name);
        std::string shown = to_text(one);
        Call call(*op, one.children()[0].children());
        Result<std::vector<HostTensor>> found = op->eval(call.args);
        const Value& expected = one.children()[1];
        if (expected.is(Value::Kind::ctor)) {
            ASSERT_FALSE(bool(found)) << shown;
            EXPECT_EQ(code_name(found.error().code), expected.children()[0].ctor_name()) << found.error().message << " " << shown;
            continue;
        }
        ASSERT_TRUE(bool(found)) << found.error().message << " " << shown;
        ASSERT_EQ(found->size(), expected.children().size()) << shown;
        for (size_t i = 0; i < found->size(); ++i) {
            const Value& part = expected.children()[i];
            std::optional<Difference> wrong = compare(Value::tensor((*found)[i]), part, tolerance_for(part.tensor()));
            EXPECT_FALSE(wrong) << wrong->path << " " << wrong->what << " in " << shown;
        }
    }
}
} // namespace

TEST(oracle, operators_agree_with_numpy) {
    std::set<std::string_view> covered;
    agree_with("ops.json", covered);
    agree_with("strings.json", covered);
    agree_with("fourier.json", covered);
    for (const OpDef* op : all_ops().all())
        EXPECT_TRUE(!op->eval || covered.contains(op->name)) << op->name << " has no case";
}
TEST(oracle, codes_agree_with_ml_dtypes) {
    std::set<std::string_view> covered;
    agree_with("storage.json", covered);
}
} // namespace nereus
