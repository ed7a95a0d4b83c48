// cli/random_cases.h - random inputs of a model: small sizes, 0, 1 and primes among them, and values like the recorded ones
// where there are any. What a model takes is not known: a try may be one that it refuses, and the next one is then tamer.
#pragma once
#include "base/result.h"
#include "import/onnx_model.h"
#include "value/value.h"
#include <random>

namespace nereus {
class RandomCases {
 public:
    // `inputs`: names of the model's parameters, in order. `recorded`: their values, case by case; may be empty.
    static Result<RandomCases> make(const onnx::Graph& graph, const std::vector<std::string>& inputs, std::vector<std::vector<Value>> recorded, uint64_t seed);
    // `refused`: how many in a row before this one were.
    Result<std::vector<Value>> next(int refused);

 private:
    // Sizes that go together: by a name of the file, or because they are equal in all recorded cases.
    struct SizeClass {
        std::vector<int64_t> recorded;                 // per case
        int64_t unit = 1;                              // that all recorded ones are multiples of
    };
    struct Axis { int64_t fixed = -1; size_t size_class = 0; };       // fixed < 0: of that class
    struct Input {
        std::string name;
        std::optional<DType> dtype;                    // none: no tensor, only recorded values serve
        bool is_ranked = false;
        std::vector<Axis> axes;
    };
    void find_units();
    void join_equal_classes();
    int64_t draw_size(const SizeClass& size_class, int refused, size_t like);
    void keep_product_small();
    Result<Value> draw(const Input& input, size_t place, const Extents& shape, int refused, size_t like);
    Result<Value> draw_texts(int64_t count, size_t place, const Extents& shape);
    double draw_element(const Input& input, size_t place, int refused);
    size_t below(size_t count) { return size_t(random_() % count); }

    std::vector<Input> inputs_;
    std::vector<SizeClass> classes_;
    std::vector<std::vector<Value>> recorded_;
    std::vector<int64_t> drawn_;                       // per class, of this try
    std::mt19937_64 random_;
};
std::string shapes_text(const std::vector<std::string>& inputs, std::span<const Value> values);      // x: (2, 3), n: ()
} // namespace nereus
