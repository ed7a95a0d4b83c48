// grad/product_support.h - which code the product form takes. The reference form takes everything.
#pragma once
#include "grad/gradients.h"

namespace nereus {
class ProductSupport {
 public:
    explicit ProductSupport(Gradients& all) : all_(all) {}
    // What stands in the way, for a message; empty: nothing. Looks into all that is called; gradients there are expanded.
    Result<std::string> obstacle(FunctionId function, Span asked);
    Result<std::string> obstacle(const Function& function, BlockId block, Span asked);
    bool prints() const { return prints_; }  // something of what was looked at

 private:
    Result<std::string> obstacle_in(const Function& function, BlockId block, Span asked);
    std::string obstacle_in(const Function& function, const Binding& b);

    Gradients& all_;
    std::set<FunctionId> seen_;
    bool prints_ = false;
};
// Of a checkpoint; without an obstacle: it prints.
constexpr std::string_view function_of_functions = "a function of functions";
Error not_run_again(const std::string& obstacle, Span asked);
} // namespace nereus
