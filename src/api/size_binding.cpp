#include "api/size_binding.h"
#include <algorithm>
#include <charconv>
#include <optional>

namespace nereus::api {
namespace {
struct Factor { int64_t number = 0; std::string_view symbol; };
struct Product { bool minus = false; std::vector<Factor> factors; };

bool is_symbol(std::string_view word) {
    auto good = [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    return !word.empty() && !(word[0] >= '0' && word[0] <= '9') &&
           std::all_of(word.begin(), word.end(), good);
}

// 2*n*d + m - 1; nothing: it is not such a sum.
std::optional<std::vector<Product>> sum_of_products(std::string_view text) {
    std::vector<Product> sum(1);
    while (true) {
        size_t end = std::min(text.find_first_of(" *"), text.size());
        std::string_view word = text.substr(0, end);
        Factor factor;
        auto [stop, failure] = std::from_chars(word.data(), word.data() + word.size(), factor.number);
        bool number = !word.empty() && failure == std::errc() && stop == word.data() + word.size();
        if (!number && !is_symbol(word)) return std::nullopt;
        if (!number) factor.symbol = word;
        sum.back().factors.push_back(factor);
        text.remove_prefix(end);
        if (text.empty()) return sum;
        if (text.starts_with(" + ") || text.starts_with(" - ")) {
            sum.push_back({text[1] == '-', {}});
            text.remove_prefix(3);
        } else if (text.starts_with("*")) {
            text.remove_prefix(1);
        } else {
            return std::nullopt;
        }
    }
}

} // namespace

Result<int64_t> bind_size(const std::string& text, const Bindings& bindings) {
    auto number_of = [&](std::string_view name) -> Result<int64_t> {
        if (auto it = bindings.find(name); it != bindings.end()) return it->second;
        return Error{Code::name, "size " + std::string(name) + " has no number"};
    };
    std::optional<std::vector<Product>> sum = sum_of_products(text);
    if (!sum || bindings.contains(text)) return number_of(text);
    int64_t total = 0;
    bool overflow = false;
    for (const Product& product : *sum) {
        int64_t value = 1;
        for (const Factor& factor : product.factors) {
            int64_t number = factor.symbol.empty() ? factor.number : TRY(number_of(factor.symbol));
            overflow |= __builtin_mul_overflow(value, number, &value);
        }
        overflow |= product.minus ? __builtin_sub_overflow(total, value, &total)
                                  : __builtin_add_overflow(total, value, &total);
    }
    if (overflow || total < 0) return Error{Code::value, "size " + text + " is negative or too large"};
    return total;
}

std::vector<std::string> symbols_of(const EntryInfo& entry) {
    std::vector<std::string> symbols;
    auto add = [&](std::string_view name) {
        if (std::find(symbols.begin(), symbols.end(), name) == symbols.end()) symbols.emplace_back(name);
    };
    for (const std::string& size : entry.size_names) {
        std::optional<std::vector<Product>> sum = sum_of_products(size);
        if (!sum) add(size);
        else
            for (const Product& product : *sum)
                for (const Factor& factor : product.factors)
                    if (!factor.symbol.empty()) add(factor.symbol);
    }
    return symbols;
}

Result<std::vector<int64_t>> bind_sizes(const EntryInfo& entry, const Bindings& bindings) {
    std::vector<std::string> symbols = symbols_of(entry);
    for (const auto& [name, number] : bindings) {
        bool known = std::find(symbols.begin(), symbols.end(), name) != symbols.end();
        if (!known) return Error{Code::name, "no argument of @" + entry.name + " has a size " + name};
        if (number < 0) return Error{Code::value, "size " + name + " is negative: " + std::to_string(number)};
    }
    std::vector<int64_t> sizes;
    sizes.reserve(entry.size_names.size());
    for (const std::string& name : entry.size_names) sizes.push_back(TRY(bind_size(name, bindings)));
    return sizes;
}
} // namespace nereus::api
