#include "dim/relation.h"
#include "exe/fields.h"
#include "exe/pools.h"
#include "exe/text.h"
#include "exe/text_words.h"
#include <map>
#include <set>

namespace nereus {
namespace {
std::string quoted(std::string_view text) {
    std::string out = "\"";
    constexpr char digits[] = "0123456789abcdef";
    for (char c : text) {
        if (c == '"' || c == '\\') (out += '\\') += c;
        else if (c == '\n') out += "\\n";
        else if (uint8_t(c) < 32 || c == 127)
            ((out += "\\x") += digits[uint8_t(c) >> 4]) += digits[uint8_t(c) & 15];
        else out += c;
    }
    return out + "\"";
}
std::string hex(std::span<const std::byte> bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (size_t i = 0; i < bytes.size(); ++i) {
        if (i % 48 == 0) out += i == 0 ? "\"" : "\"\n  \"";
        (out += digits[uint8_t(bytes[i]) >> 4]) += digits[uint8_t(bytes[i]) & 15];
    }
    return out + (bytes.empty() ? "\"\"" : "\"");
}

// {name: value, …} of a struct; a field that is as in a fresh struct is left out.
class TableWriter {
 public:
    static constexpr bool writes = true;
    std::vector<std::pair<std::string_view, std::string>> found;
    template <class T> void field(std::string_view name, const T& value) {
        found.emplace_back(name, text(value));
    }

    static std::string text(const std::string& value) { return quoted(value); }
    static std::string text(bool value) { return value ? "true" : "false"; }
    static std::string text(const IntSource& source) {
        std::string number = std::to_string(source.value);
        return source.kind == IntSource::Kind::constant
                   ? number
                   : (source.kind == IntSource::Kind::plan ? "p" : "r") + number;
    }
    template <class T> static std::string text(const std::vector<T>& items) {
        std::string out = "[";
        for (const T& item : items) out += (out.size() > 1 ? ", " : "") + text(item);
        return out + "]";
    }
    template <class T> static std::string text(const T& value) {
        if constexpr (std::is_enum_v<T>) {
            return std::string(EnumNames<T>::names[size_t(value)]);
        } else if constexpr (std::is_integral_v<T>) {
            return std::to_string(value);
        } else {
            TableWriter these, usual;
            T fresh;
            fields(these, value);
            fields(usual, static_cast<const T&>(fresh));
            std::string out = "{";
            for (size_t i = 0; i < these.found.size(); ++i) {
                auto& [name, content] = these.found[i];
                if (content != usual.found[i].second)
                    out += (out.size() > 1 ? ", " : "") + std::string(name) + ": " + content;
            }
            return out + "}";
        }
    }
};

class Disassembler {
 public:
    explicit Disassembler(const Executable& exe) : exe_(exe) {
        for (const FunctionInfo& f : exe.functions) names_.insert(f.name);
    }

    std::string run() {
        out_ += "target " + quoted(exe_.target) + "\n";
        if (exe_.checked) out_ += "checked\n";
        pools();
        table("type", exe_.door_types);
        table("source", exe_.sources);
        table("site", exe_.sites);
        table("kernel", exe_.kernels);
        table("launch", exe_.launches);
        table("entry", exe_.entries);
        std::vector<RegionInfo> regions = exe_.regions;
        for (RegionInfo& region : regions)
            region.plan_begin = region.plan_registers = 0;    // the plan says so itself
        table("region", regions);
        code();
        table("text", exe_.texts);
        if (!exe_.text_constants.empty()) out_ += "text_constants " + TableWriter::text(exe_.text_constants) + "\n";
        for (size_t i = 0; i < exe_.weights.size(); ++i) out_ += "weight " + std::to_string(i) + " " + hex(exe_.weights[i].bytes()) + "\n";
        if (!exe_.blob.empty()) out_ += "blob " + hex(exe_.blob.bytes()) + "\n";
        return std::move(out_);
    }

 private:
    const Executable& exe_;
    std::string out_;
    std::multiset<std::string_view> names_;
    bool inlined_ = true;                                 // pools are as the assembler would make them

    template <class T> void table(std::string_view name, const std::vector<T>& rows) {
        for (size_t i = 0; i < rows.size(); ++i)
            out_ += std::string(name) + " " + std::to_string(i) + " " + TableWriter::text(rows[i]) + "\n";
    }

    std::span<const uint32_t> list(uint32_t index) const {
        auto [offset, length] = exe_.lists[index];
        return std::span(exe_.operands).subspan(offset, length);
    }
    static bool is_list(OperandKind kind) {
        return kind == OperandKind::uses || kind == OperandKind::defs || kind == OperandKind::numbers;
    }
    void pools() {
        Executable usual;
        OperandPools pools(usual);
        for (const Instruction& in : exe_.code) {
            const OpcodeRow& row = opcode_row(in.op);
            if (row.b == OperandKind::constant && in.b < exe_.constants.size())
                pools.constant(exe_.constants[in.b]);
            for (auto [kind, value] : {std::pair(row.b, in.b), std::pair(row.c, in.c)})
                if (is_list(kind) && value < exe_.lists.size()) pools.list(list(value));
        }
        inlined_ = usual.constants == exe_.constants && usual.operands == exe_.operands &&
                   usual.lists == exe_.lists;
        if (inlined_) return;
        out_ += "constants " + TableWriter::text(exe_.constants) + "\noperands " +
                TableWriter::text(exe_.operands) + "\n";
        out_ += "lists " + TableWriter::text(exe_.lists) + "\n";
    }

    void code() {
        std::multimap<uint32_t, std::pair<std::string, uint32_t>> headers;   // by first instruction: text, end
        for (size_t i = 0; i < exe_.functions.size(); ++i) {
            const FunctionInfo& f = exe_.functions[i];
            headers.emplace(f.begin,
                            std::pair("function " + std::to_string(i) + " " + function_name(f.name) + "(" +
                                          std::to_string(f.params) + ") -> " + std::to_string(f.results) +
                                          " registers " + std::to_string(f.registers),
                                      f.end));
        }
        for (size_t i = 0; i < exe_.regions.size(); ++i) {
            const RegionInfo& region = exe_.regions[i];
            uint32_t end = region.plan_begin;
            while (end < exe_.code.size() && exe_.code[end++].op != Opcode::leave) {}
            headers.emplace(region.plan_begin, std::pair("plan " + std::to_string(i) + " registers " +
                                                             std::to_string(region.plan_registers),
                                                         end));
        }
        for (auto& [begin, header] : headers) block(header.first, begin, header.second);
    }
    static std::string function_name(const std::string& name) { return is_word(name) ? name : quoted(name); }

    void block(const std::string& header, uint32_t begin, uint32_t end) {
        out_ += header + " {\n";
        std::set<uint32_t> targets;
        for (uint32_t i = begin; i < end; ++i)
            if (opcode_row(exe_.code[i].op).a == OperandKind::target) targets.insert(exe_.code[i].a);
        size_t mark = 0;
        while (mark < exe_.marks.size() && exe_.marks[mark].instruction < begin) ++mark;
        for (uint32_t i = begin; i < end; ++i) {
            if (targets.count(i)) out_ += "L" + std::to_string(i - begin) + ":\n";
            for (; mark < exe_.marks.size() && exe_.marks[mark].instruction == i; ++mark)
                out_ += "  mark " + std::to_string(exe_.marks[mark].site) + "\n";
            out_ += "  " + instruction(exe_.code[i], begin) + "\n";
        }
        out_ += "}\n";
    }

    std::string instruction(const Instruction& in, uint32_t begin) const {
        const OpcodeRow& row = opcode_row(in.op);
        std::string left, right;
        for (auto [kind, value] : {std::pair(row.a, in.a), std::pair(row.b, in.b), std::pair(row.c, in.c)}) {
            if (kind == OperandKind::none) continue;
            if (kind == OperandKind::def || kind == OperandKind::defs) left = operand(kind, value, begin) + " = ";
            else right += (right.empty() ? " " : ", ") + operand(kind, value, begin);
        }
        std::string suffix;
        if (row.x == OperandKind::dtype) suffix = "." + std::string(dtype_name(DType(in.x)));
        else if (row.x == OperandKind::relation) suffix = "." + std::string(relation_names[in.x]);
        else if (row.x != OperandKind::none) suffix = "." + std::to_string(in.x);
        return left + std::string(row.name) + suffix + right;
    }
    std::string operand(OperandKind kind, uint32_t value, uint32_t begin) const {
        switch (kind) {
        case OperandKind::def:
        case OperandKind::use:
        case OperandKind::def_use: return "r" + std::to_string(value);
        case OperandKind::target: return "L" + std::to_string(value - begin);
        case OperandKind::constant:
            return inlined_ ? std::to_string(exe_.constants[value]) : "#" + std::to_string(value);
        case OperandKind::uses: case OperandKind::defs: case OperandKind::numbers: {
            if (!inlined_) return "#" + std::to_string(value);
            std::string out = "(";
            for (uint32_t item : list(value))
                out += (out.size() > 1 ? ", " : "") + std::string(kind == OperandKind::numbers ? "" : "r") +
                       std::to_string(item);
            return out + ")";
        }
        case OperandKind::function: return call_name(value);
        default: return std::to_string(value);
        }
    }
    std::string call_name(uint32_t index) const {
        return names_.count(exe_.functions[index].name) == 1 ? function_name(exe_.functions[index].name)
                                                             : "@" + std::to_string(index);
    }
};
} // namespace

std::string disassemble(const Executable& exe) { return Disassembler(exe).run(); }
} // namespace nereus
