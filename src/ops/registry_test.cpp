#include "ops/registry.h"
#include "ir/scheme.h"
#include <gtest/gtest.h>

namespace nereus {
TEST(registry, every_row_is_complete) {
    std::string_view last;
    for (const OpDef* op : all_ops().all()) {
        EXPECT_LT(last, op->name) << "declared twice";
        last = op->name;
        EXPECT_FALSE(op->doc.empty()) << op->name;
        EXPECT_EQ(op->doc.find('\n'), op->doc.npos) << op->name;
        EXPECT_LE(op->domain.low, op->domain.high) << op->name;
        EXPECT_EQ(op->eval == nullptr, op->builtin != Builtin::none) << op->name;
        Result<Scheme> scheme = parse_scheme(op->scheme);
        ASSERT_TRUE(bool(scheme)) << op->name << ": " << scheme.error().message;
        size_t args = 0;
        for (const OpParam& param : op->params) {
            if (param.kind != ParamKind::value && param.kind != ParamKind::values) continue;
            ASSERT_LT(args, scheme->args.size()) << op->name;
            EXPECT_EQ(scheme->args[args++].repeated, param.kind == ParamKind::values) << op->name;
        }
        EXPECT_EQ(args, scheme->args.size()) << op->name;
        if (scheme->result.kind == SchemeType::Kind::dtype_param) {
            bool found = false;
            for (const OpParam& param : op->params) found |= param.name == scheme->result.param;
            EXPECT_TRUE(found) << op->name << " has no parameter " << scheme->result.param;
        }
    }
    EXPECT_EQ(all_ops().find("add")->name, "add");
    EXPECT_EQ(all_ops().find("ad"), nullptr);
}
} // namespace nereus
