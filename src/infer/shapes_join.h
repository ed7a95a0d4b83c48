// infer/shapes_join.h - one abstract value for several that may arrive: walks them in step and asks for each leaf.
// Inside containers a leaf stays if all arms agree and it is in scope; otherwise it is an element unknown, one per
// tuple of what the arms say. Direct leaves are the business of whoever joins: arms, loops and keys differ in them.
#pragma once
#include "infer/abstract.h"

namespace nereus {
using Path = std::vector<uint32_t>;                      // of a leaf: which part at each level

class Join {
 public:
    explicit Join(Abstracts& abstracts) : abstracts_(abstracts) {}
    virtual ~Join() = default;
    // Bottoms are ignored; a leaf's tuple has an invalid Dim where its arm has no value.
    AbsId operator()(const std::vector<AbsId>& arms) { return value(arms, 0); }

 protected:
    virtual bool in_scope(Dim d) = 0;                    // may be mentioned by the joined value
    virtual Dim extent(const std::vector<Dim>& arms, const Path& path) = 0;
    virtual Dim number(const std::vector<Dim>& arms, const Path& path) = 0;      // invalid: forget it
    // The arms' ranks or shape variables differ; a missing arm is null.
    virtual Shape other_rank(const std::vector<const Shape*>& arms, const Path& path) = 0;
    virtual Dim element(const std::vector<Dim>& arms);   // inside a container
    // A leaf without unknowns on which all arms agree stays if it is in scope; false: only constants do.
    virtual bool agreed_symbols_stay() const { return true; }
    // Different cells, or one with different views: what any of them holds must cover all.
    virtual void merge_cells(const std::vector<uint32_t>&, AbsId /*content*/) {}

    Abstracts& abstracts_;

 private:
    AbsId value(const std::vector<AbsId>& arms, uint32_t depth);
    bool stays(const std::vector<AbsId>& arms, uint32_t depth);
    AbsId part(const std::vector<AbsId>& arms, uint32_t step, uint32_t depth);
    AbsId inside(const std::vector<AbsId>& arms, uint32_t step, uint32_t depth);
    ShapedTensor tensor(const std::vector<const Abs*>& arms, uint32_t depth);
    Known grid(const std::vector<const Abs*>& arms, uint32_t depth);
    Shape shape(const std::vector<const Shape*>& arms, uint32_t depth);
    Dim leaf(const std::vector<Dim>& arms, uint32_t step, uint32_t depth, bool is_number);
    AbsArg argument(const std::vector<const Abs*>& arms, size_t i, uint32_t depth);
    Abs closures(const std::vector<const Abs*>& arms, uint32_t depth);

    Path path_;
    std::vector<std::map<std::vector<Dim>, uint32_t>> unknowns_;    // per open container: tuple -> k
};

// The newer of two values, whose containers hold what the older one's may hold, too.
AbsId cover_containers(Abstracts& abstracts, AbsId older, AbsId newer,
                       const std::function<void(const std::vector<uint32_t>&, AbsId)>& merge_cells);
// A value as a container may hold it: what is not in scope becomes an element unknown.
AbsId close_element(Abstracts& abstracts, AbsId value, const std::function<bool(Dim)>& in_scope);
// Joins values that are all elements of one container.
AbsId join_elements(Abstracts& abstracts, const std::vector<AbsId>& values, const std::function<bool(Dim)>& in_scope,
                    const std::function<void(const std::vector<uint32_t>&, AbsId)>& merge_cells);
} // namespace nereus
