// exe/executable.h - a compiled program: bytecode, launches, regions, code and constants. Immutable once made, and
// used by any number of threads; what a call changes lives in a context (vm/context.h).
#pragma once
#include "base/error.h"
#include "base/held_bytes.h"
#include "exe/blob.h"
#include "exe/launch_params.h"
#include "exe/opcode.h"
#include "tensor/dtype.h"
#include <memory>
#include <string>
#include <vector>

namespace nereus {
// Where an integer of a launch comes from. `plan`: a register of the region's plan program, known from the key alone.
struct IntSource {
    enum class Kind : uint8_t { constant, plan, reg } kind = Kind::constant;
    int64_t value = 0;                      // the number, or which register
    bool operator==(const IntSource&) const = default;
};

struct LaunchBuffer {
    enum class Kind : uint8_t { slot, address, object, weights, texts } kind = Kind::slot;
    uint32_t index = 0;                     // slot of the region; register with an address or tensor object; which weight; element of text_constants
    IntSource bytes;                        // for checked kernels
    bool operator==(const LaunchBuffer&) const = default;
};
struct LaunchGroup {
    std::vector<IntSource> extents;         // outermost first
    std::vector<IntSource> strides;         // in elements, [buffer of the group][axis]
    bool operator==(const LaunchGroup&) const = default;
};
struct LaunchInfo {
    uint32_t kernel = 0;
    std::vector<LaunchBuffer> buffers;
    std::vector<LaunchGroup> groups;
    std::vector<IntSource> scalars;         // bits
    std::vector<uint32_t> late;             // registers that receive Launch.out
    uint32_t site = 0;                      // whom to blame
    uint32_t step = 0;                      // when it runs, in the numbering of the region's slots
    int32_t scratch = -1;                   // the slot that is its scratch; -1: what the context keeps for launches without
    bool operator==(const LaunchInfo&) const = default;
};

struct KernelInfo {
    std::string name;
    static constexpr uint64_t outside = ~uint64_t(0);
    uint64_t offset = 0;                    // of its code in the blob; library kernels: index in the library's table, or `outside`:
    bool library = false;                   // then its name says which operator it is (plugin/plugin.h)
    int64_t scratch = 0;
    ParamLayout layout;
    std::vector<uint16_t> outs;             // the buffers it writes
    bool operator==(const KernelInfo&) const = default;
};

// A buffer of a region: alive from step `first` to step `last`, both included, and perhaps again later. Steps number the
// launches and calls of the function in program order, so that arms never overlap in time.
struct SlotInfo {
    IntSource bytes;
    uint32_t first = 0, last = 0;
    std::vector<uint32_t> more;             // further times: first, last, first, last, …; ascending
    bool dies_at(uint32_t step) const {
        bool dies = last == step;
        for (size_t i = 1; i < more.size(); i += 2) dies |= more[i] == step;
        return dies;
    }
    bool operator==(const SlotInfo&) const = default;
};

struct RegionInfo {
    uint32_t function = 0;
    std::vector<uint32_t> key;              // registers whose values decide everything planned here
    uint32_t plan_begin = 0;                // the plan program: code offset; starts with the key in registers 0…
    uint32_t plan_registers = 0;
    std::vector<SlotInfo> slots;
    std::vector<uint32_t> prefixes;         // per call: its step; slots alive across it stay below the callee's frame
    std::vector<std::vector<uint32_t>> lists;   // launches that run without bytecode between them
    bool operator==(const RegionInfo&) const = default;
};

struct FunctionInfo {
    std::string name;
    uint32_t begin = 0, end = 0;            // instructions
    uint32_t registers = 0, params = 0, results = 0;
    bool operator==(const FunctionInfo&) const = default;
};

// A file the program was compiled from. Its sum tells whether a file of that name still is the one.
struct NodeLine {                           // a line of the text that a model became, and the node it is of
    int32_t line = 0;
    std::string node;
    bool operator==(const NodeLine&) const = default;
};
struct SourceInfo {
    std::string path;
    int64_t sum = 0;
    std::vector<NodeLine> nodes;            // of lines that are blamed, ascending
    bool operator==(const SourceInfo&) const = default;
};
// What a failing instruction says, and where that is written. `what` may contain {0} and {1} for the two numbers of a check.
struct Site {
    Code code = Code::internal;
    std::string what, hint;
    Span where;                             // in `sources` of the executable
    bool operator==(const Site&) const = default;
};
struct PlaceMark {                          // from this instruction on, faults are blamed on that site
    uint32_t instruction = 0, site = 0;
    bool operator==(const PlaceMark&) const = default;
};

// The type of a value at the door, as a tree in a table, so that types may be recursive.
struct DoorType {
    enum class Kind : uint8_t { tensor, tuple, record, data, seq } kind = Kind::tensor;
    DType dtype = DType::f32;
    bool ranked = true;
    // tensor: per axis which door size observes it; -1: not looked at; -2 - k: bound dim k of the constructor it is in;
    // -2 - shared_from - k: size k that the object it is in shares
    std::vector<int32_t> axes;
    std::vector<std::string> names;         // record: fields; data: constructors
    std::vector<std::vector<uint32_t>> fields;          // tuple, record, seq: one list; data: one per constructor
    std::vector<uint32_t> bound;            // data: how many bound dims each constructor has
    uint32_t shared = 0;                    // record, data: sizes that are one for all tensors inside one object: Cell[?]
    static constexpr int32_t shared_from = 1 << 20;
    bool operator==(const DoorType&) const = default;
};
struct DoorParam {
    std::string name;
    uint32_t type = 0;
    std::string model_name = {};                // what a model calls it, which may be no name of the language; empty: as `name`
    bool operator==(const DoorParam&) const = default;
};

// How a leaf of a parameter or result crosses the door; tuples are taken apart, in order.
struct DoorLeaf {
    enum class Kind : uint8_t { number, address, object } kind = Kind::object;
    uint32_t type = 0;                      // address as a result: written by new_output under this leaf's position
    bool operator==(const DoorLeaf&) const = default;
};

// The entry point: `function` takes the observed door sizes, then the leaves of the arguments, and gives the leaves of
// the result.
struct EntryInfo {
    std::string name;
    Span where;                             // to blame for arguments that do not fit
    uint32_t function = 0;
    uint32_t sizes = 0;                     // how many door sizes; one that no element shows is -1
    std::vector<std::string> size_names;    // for messages: the declared dim, e.g. "n" or "2*m"
    std::vector<DoorParam> params;
    std::vector<DoorLeaf> param_leaves;     // of all parameters, one after the other
    uint32_t result_type = 0;
    std::vector<DoorLeaf> result_leaves;
    std::vector<std::string> result_names = {};        // what a model calls its outputs, in order; none: they have no names
    bool operator==(const EntryInfo&) const = default;
};

struct Executable {
    std::vector<DoorType> door_types;
    std::vector<EntryInfo> entries;
    std::vector<FunctionInfo> functions;
    std::vector<Instruction> code;
    std::vector<int64_t> constants;
    std::vector<uint32_t> operands;         // all operand lists, one after the other
    std::vector<std::pair<uint32_t, uint32_t>> lists;   // offset and length in `operands`
    std::vector<KernelInfo> kernels;
    std::vector<LaunchInfo> launches;
    std::vector<RegionInfo> regions;
    std::vector<SourceInfo> sources;
    std::vector<Site> sites;
    std::vector<PlaceMark> marks;           // ascending
    // Constant tensors, each content once, aligned as its elements must be; in a file they may stay where they are, mapped.
    std::vector<HeldBytes> weights;
    std::vector<std::string> texts;         // each once; numbers of texts are given when it is loaded
    std::vector<uint32_t> text_constants;   // elements of constant tensors of str, as places in `texts`, each tensor 64-byte aligned
    HeldBytes blob;                         // position-independent machine code
    std::string target;                     // x86-64-v2, -v3, -v4: what the CPU must have
    bool checked = false;                   // kernels assert their bounds
    bool operator==(const Executable&) const = default;
};
} // namespace nereus
