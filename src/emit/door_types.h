// emit/door_types.h - a type as a tree of door types. The axes of its tensors say which size they show; the owner of
// this table numbers them.
#pragma once
#include "emit/program.h"
#include <functional>

namespace nereus {
class DoorTypes {
 public:
    // The number of a size; -1: not looked at. `direct`: of the value itself or a part that every such value has; `path`: to
    // the tensor whose it is, as in value/path.h.
    using Observe = std::function<int32_t(Dim, uint32_t axis, bool direct, const std::string& path)>;
    // `opaque`: functions and cells may be inside and are not looked at; else they are an error.
    DoorTypes(EmitProgram& program, Observe observe, bool opaque) : program_(program), observe_(std::move(observe)), opaque_(opaque) {}

    // `who` is named in errors.
    Result<uint32_t> add(TypeId type, const std::string& who) {
        whole_ = type;
        return add(type, who, {});
    }

 private:
    struct Around {                          // the nearest constructor that binds dims, the nearest sizes that are shared
        const Constructor* constructor = nullptr;
        std::vector<Sym> shared;
        auto operator<=>(const Around&) const = default;
    };
    Result<uint32_t> add(TypeId type, const std::string& who, Around around);
    Result<uint32_t> add_at(const std::string& step, TypeId type, const std::string& who, const Around& around);
    TypeId open_shared(TypeId data, Around& around);
    bool mentions(TypeId type, const std::vector<Sym>& symbols) const;
    int nesting(TypeId type, DeclId decl) const;
    Error too_deep(DeclId decl, const std::string& who) const;
    int32_t axis(Dim d, uint32_t axis, const Around& around);

    EmitProgram& program_;
    Observe observe_;
    bool opaque_;
    TypeId whole_;                           // what was asked for, the type being added is somewhere inside
    std::string path_;                       // from there to the type being added
    int depth_ = 0;                          // containers around the type being added
    std::map<DeclId, int> around_;           // how often each declaration is among them
    std::map<std::pair<TypeId, Around>, uint32_t> types_;
};
} // namespace nereus
