// emit/program.h - the executable being written: tables that functions share, each thing once.
#pragma once
#include "emit/emit.h"
#include <map>
#include <unordered_map>

namespace nereus {
constexpr int most_unfoldings = 32;          // of a declared type inside itself

struct EmitProgram {
    Lowered& lowered;
    const Storage& storage;
    Executable exe;
    std::unordered_map<int64_t, uint32_t> constants;
    std::map<std::vector<uint32_t>, uint32_t> lists;
    std::unordered_multimap<uint64_t, uint32_t> weights;             // by the sum of some of their bytes
    std::map<const HostTensor*, uint32_t> given_weights;
    std::map<std::string, uint32_t, std::less<>> text_places;        // in exe.texts
    std::map<std::vector<uint32_t>, uint32_t> text_constants;
    std::map<int32_t, int32_t> sources;      // of the module, in the executable: those that can be blamed
    std::map<TypeId, uint32_t> door_types;   // types without sizes: what print shows, results
    std::map<TypeId, TypeId> unsized;
    std::map<DeclId, int> unfolding;         // how often inside itself, of the type at hand

    Module& module() const { return lowered.module; }
    uint32_t constant(int64_t value);
    uint32_t list(std::vector<uint32_t> registers);
    uint32_t weight(HeldBytes bytes, DType dtype);
    uint32_t weight(const std::shared_ptr<const HostTensor>& tensor);    // stays where it is
    uint32_t texts(const std::vector<std::string_view>& elements);
    uint32_t site(Code code, std::string what, Span span, std::string hint = {});
    void mark(uint32_t site);                // instructions from here on are blamed on it
    Span place(Span span);                   // of the module, as one of the executable
    void name_nodes();                       // of a model: those that places in it are of
    TypeId without_sizes(TypeId type);
    Result<uint32_t> plain_door_type(TypeId type, const std::string& who);
};
} // namespace nereus
