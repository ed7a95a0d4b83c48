// cli/both_ways.h - a model compiled and interpreted.
#pragma once
#include "cli/model_cases.h"
#include "driver/compile.h"
#include "driver/model.h"
#include "eval/as_written.h"
#include "vm/context.h"
#include <random>

namespace nereus {
struct HowToCompile { onnx::TextOptions text; CompileOptions options; bool strict = false; };        // strict: cli/strict.h

Result<AsWritten> as_written(const Module& parsed, const CompileOptions& options, CompileReport* report = nullptr);

class BothWays {
 public:
    static Result<BothWays> make(const onnx::ModelFile& file, const HowToCompile& how, const std::string& path);
    const std::vector<std::string>& inputs() const { return inputs_; }
    const std::vector<std::string>& outputs() const { return outputs_; }
    // One value per output.
    Result<std::vector<Value>> compiled(std::span<const Value> args);
    Result<std::vector<Value>> interpreted(std::span<const Value> args) const;
    // Whether eval itself gives something that is not near `expected` where weights and inputs are off by a last bit:
    // then no two ways of computing this need agree.
    bool rounding_decides(std::span<const Value> args, const std::vector<Value>& expected, const Nearness& near, std::mt19937_64& random) const;

 private:
    Result<std::vector<Value>> taken_apart(Result<Value> result) const;
    std::vector<std::string> inputs_, outputs_;
    AsWritten interpreted_;
    std::shared_ptr<const LoadedExecutable> loaded_;
    std::unique_ptr<Context> context_;
};
} // namespace nereus
