#include "exe/verify_door.h"
#include "tensor/shape.h"
#include <algorithm>
#include <set>

namespace nereus {
namespace {
constexpr int max_tuple_depth = 100;                      // parameters and results are taken apart by recursion
constexpr uint64_t max_leaves = 1 << 20;

class DoorVerifier {
 public:
    explicit DoorVerifier(const Executable& exe) : exe_(exe), types_(exe.door_types) {}

    Status run() {
        for (size_t i = 0; i < types_.size(); ++i) TRY(type(i));
        for (const EntryInfo& entry : exe_.entries) TRY(entry_info(entry));
        return {};
    }

 private:
    const Executable& exe_;
    const std::vector<DoorType>& types_;

    static Error wrong(const std::string& where, const std::string& what) {
        return Error{Code::internal, where + ": " + what};
    }

    Status type(size_t index) {
        const DoorType& type = types_[index];
        std::string where = "door type " + std::to_string(index);
        if (size_t(type.dtype) >= size_t(dtype_count)) return wrong(where, "no such dtype");
        size_t lists = type.kind == DoorType::Kind::tensor ? 0
                       : type.kind == DoorType::Kind::data ? type.names.size()
                                                           : 1;
        if (type.fields.size() != lists)
            return wrong(where, "expected " + std::to_string(lists) + " lists of fields");
        if (type.axes.size() > max_rank) return wrong(where, "rank " + std::to_string(type.axes.size()));
        if (type.kind != DoorType::Kind::tensor && !type.axes.empty())
            return wrong(where, "axes without a tensor");
        for (const std::vector<uint32_t>& fields : type.fields)
            for (uint32_t field : fields)
                if (field >= types_.size()) return wrong(where, "no door type " + std::to_string(field));
        if (!type.bound.empty() &&
            type.bound.size() != (type.kind == DoorType::Kind::data ? type.names.size() : 0))
            return wrong(where, "bound dims do not match the constructors");
        for (uint32_t bound : type.bound)
            if (bound > max_leaves) return wrong(where, std::to_string(bound) + " bound dims");
        bool object = type.kind == DoorType::Kind::record || type.kind == DoorType::Kind::data;
        if (type.shared > (object ? max_leaves : 0)) return wrong(where, std::to_string(type.shared) + " shared sizes");
        switch (type.kind) {
        case DoorType::Kind::tensor: case DoorType::Kind::tuple:
            return type.names.empty() ? Status() : wrong(where, "names that nothing has");
        case DoorType::Kind::record:
            return type.names.size() == type.fields[0].size() ? Status()
                                                              : wrong(where, "names do not match the fields");
        case DoorType::Kind::data:
            return type.names.size() <= 1 << 16 ? Status() : wrong(where, "more constructors than tags");
        case DoorType::Kind::seq:
            return type.fields[0].size() == 1 ? Status() : wrong(where, "a seq has one type of items");
        }
        return {};
    }

    Status entry_info(const EntryInfo& entry) {
        std::string where = "entry \"" + entry.name + "\"";
        if (entry.function >= exe_.functions.size())
            return wrong(where, "no function " + std::to_string(entry.function));
        const FunctionInfo& function = exe_.functions[entry.function];
        if (uint64_t(entry.sizes) + entry.param_leaves.size() != function.params)
            return wrong(where, "its sizes and leaves are not the function's parameters");
        if (entry.result_leaves.size() != function.results)
            return wrong(where, "its leaves are not the function's results");
        if (entry.size_names.size() != entry.sizes) return wrong(where, "sizes and their names differ in number");

        std::vector<uint32_t> leaves;
        for (const DoorParam& param : entry.params) {
            if (param.type >= types_.size()) return wrong(where, "no door type " + std::to_string(param.type));
            TRY(flatten(where, param.type, leaves));
        }
        TRY(match(where, leaves, entry.param_leaves));
        TRY(observed(where, entry));
        leaves.clear();
        if (entry.result_type >= types_.size())
            return wrong(where, "no door type " + std::to_string(entry.result_type));
        TRY(flatten(where, entry.result_type, leaves));
        TRY(match(where, leaves, entry.result_leaves));
        const DoorType& result = types_[entry.result_type];
        const size_t results = result.kind == DoorType::Kind::tuple ? result.fields[0].size() : 1;
        if (entry.result_names.size() > 1 && entry.result_names.size() != results)
            return wrong(where, "results and their names differ in number");
        return outputs(where, entry);
    }

    // The leaves of a type in order; tuples are taken apart.
    Status flatten(const std::string& where, uint32_t root, std::vector<uint32_t>& out) {
        struct Open { uint32_t type; size_t next; };
        std::vector<Open> stack = {{root, 0}};
        for (uint64_t steps = 0; !stack.empty(); ++steps) {
            if (steps > max_leaves || stack.size() > size_t(max_tuple_depth))
                return wrong(where, "tuples too deep or too wide");
            Open& open = stack.back();
            const DoorType& type = types_[open.type];
            if (type.kind != DoorType::Kind::tuple) {
                out.push_back(open.type);
                stack.pop_back();
            } else if (open.next == type.fields[0].size()) {
                stack.pop_back();
            } else {
                stack.push_back({type.fields[0][open.next++], 0});
            }
        }
        return {};
    }
    Status match(const std::string& where, const std::vector<uint32_t>& types,
                 const std::vector<DoorLeaf>& leaves) {
        if (types.size() != leaves.size()) return wrong(where, "leaves do not match the types");
        for (size_t i = 0; i < leaves.size(); ++i) {
            std::string leaf = where + ", leaf " + std::to_string(i);
            if (leaves[i].type != types[i]) return wrong(leaf, "is of another type");
            const DoorType& type = types_[types[i]];
            bool tensor = type.kind == DoorType::Kind::tensor && type.ranked;
            if (leaves[i].kind == DoorLeaf::Kind::address && !tensor)
                return wrong(leaf, "an address of no tensor of known rank");
            if (leaves[i].kind == DoorLeaf::Kind::number && !(tensor && type.axes.empty()))
                return wrong(leaf, "a number that is no scalar");
        }
        return {};
    }

    // Every axis that the parameters' types observe is a size of this entry, a bound dim of the constructor around, or a
    // size that the object around shares.
    Status observed(const std::string& where, const EntryInfo& entry) {
        struct Place {
            uint32_t type, bound, shared;                  // and how many bound dims and shared sizes are in scope
            auto operator<=>(const Place&) const = default;
        };
        std::set<Place> seen;
        std::vector<Place> work;
        auto visit = [&](Place place) {
            if (seen.insert(place).second) work.push_back(place);
        };
        for (const DoorParam& param : entry.params) visit({param.type, 0, 0});
        while (!work.empty()) {
            auto [index, bound, shared] = work.back();
            work.pop_back();
            const DoorType& type = types_[index];
            for (int32_t axis : type.axes) {
                if (axis >= 0 && uint32_t(axis) >= entry.sizes)
                    return wrong(where, "no door size " + std::to_string(axis));
                const uint32_t outer = axis < -1 ? uint32_t(-2 - axis) : 0, from = DoorType::shared_from;
                if (axis < -1 && outer < from && outer >= bound)
                    return wrong(where, "no bound dim " + std::to_string(outer));
                if (axis < -1 && outer >= from && outer - from >= shared)
                    return wrong(where, "no shared size " + std::to_string(outer - from));
            }
            if (type.shared > 0) shared = type.shared;
            for (size_t i = 0; i < type.fields.size(); ++i) {
                uint32_t own = type.bound.empty() ? 0 : type.bound[i];
                for (uint32_t field : type.fields[i]) visit({field, own > 0 ? own : bound, shared});
            }
        }
        return {};
    }

    // Whatever runs under this entry writes only result leaves that it has.
    Status outputs(const std::string& where, const EntryInfo& entry) {
        std::vector<bool> seen(exe_.functions.size());
        std::vector<uint32_t> work = {entry.function};
        seen[entry.function] = true;
        while (!work.empty()) {
            const FunctionInfo& function = exe_.functions[work.back()];
            work.pop_back();
            for (uint32_t i = function.begin; i < function.end; ++i) {
                const Instruction& in = exe_.code[i];
                if (in.op == Opcode::call && !seen[in.a]) seen[in.a] = true, work.push_back(in.a);
                if (in.op != Opcode::new_output) continue;
                std::string at = where + ": function \"" + function.name + "\", instruction " +
                                 std::to_string(i - function.begin);
                if (in.c >= entry.result_leaves.size())
                    return wrong(at, "no result leaf " + std::to_string(in.c));
                const DoorLeaf& leaf = entry.result_leaves[in.c];
                const DoorType& type = types_[leaf.type];
                if (leaf.kind != DoorLeaf::Kind::address || type.dtype != DType(in.x) ||
                    type.axes.size() != exe_.lists[in.b].second)
                    return wrong(at, "result leaf " + std::to_string(in.c) + " is another kind of tensor");
            }
        }
        return {};
    }
};
} // namespace

Status verify_door(const Executable& exe) { return DoorVerifier(exe).run(); }
} // namespace nereus
