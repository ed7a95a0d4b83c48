// Rows of tables are read by the lists of fields in fields.h, instructions by the rows of opcode.h. After the first
// mistake nothing more is taken in; it is reported with its line at the end.
#include "dim/relation.h"
#include "exe/fields.h"
#include "exe/pools.h"
#include "exe/text.h"
#include "exe/text_words.h"
#include <limits>

namespace nereus {
namespace {
class TableReader {
 public:
    static constexpr bool writes = false;
    explicit TableReader(std::string_view text) : tokens(text) {}
    TokenReader tokens;
    std::string mistake;                                  // empty: none

    void fail(const std::string& what) {
        if (mistake.empty()) mistake = "line " + std::to_string(tokens.next().line) + ": " + what;
    }
    bool good() {
        if (!tokens.mistake().empty()) fail(std::string(tokens.mistake()));
        return mistake.empty();
    }
    void expect(std::string_view sign) {
        if (good() && !tokens.take_sign(sign))
            fail("expected '" + std::string(sign) + "', found '" + tokens.next().text + "'");
    }
    std::string word() {
        if (good() && tokens.next().kind == TextToken::Kind::word) return tokens.take().text;
        fail("expected a word, found '" + tokens.next().text + "'");
        return "";
    }
    // A word made of a letter and a number, such as r3.
    bool numbered(char letter, uint64_t& out) {
        const std::string& text = tokens.next().text;
        if (tokens.next().kind != TextToken::Kind::word || text.size() < 2 || text.size() > 11 ||
            text[0] != letter)
            return false;
        out = 0;
        for (char c : text.substr(1)) {
            if (c < '0' || c > '9') return false;
            out = out * 10 + uint64_t(c - '0');
        }
        tokens.take();
        return true;
    }
    // Calls item() for each part of a comma-separated list between these signs.
    template <class F> void list(std::string_view open, std::string_view close, const F& item) {
        expect(open);
        while (good() && !tokens.take_sign(close)) {
            item();
            if (good() && !tokens.take_sign(",") &&
                (tokens.next().kind != TextToken::Kind::sign || tokens.next().text != close))
                fail("expected ',' or '" + std::string(close) + "', found '" + tokens.next().text + "'");
        }
    }

    template <class T> void field(std::string_view name, T& value) {
        if (name != wanted_ || found_) return;
        found_ = true;
        get(value);
        wanted_ = "";                                     // whatever get() read has its own names
        found_ = true;
    }
    void get(std::string& value) {
        if (good() && tokens.next().kind == TextToken::Kind::string) value = tokens.take().text;
        else fail("expected a string, found '" + tokens.next().text + "'");
    }
    void get(bool& value) {
        value = tokens.take_word("true");
        if (!value && !tokens.take_word("false"))
            fail("expected true or false, found '" + tokens.next().text + "'");
    }
    void get(IntSource& source) {
        uint64_t reg = 0;
        source.kind = numbered('p', reg)   ? IntSource::Kind::plan
                      : numbered('r', reg) ? IntSource::Kind::reg
                                           : IntSource::Kind::constant;
        source.value = int64_t(reg);
        if (source.kind == IntSource::Kind::constant) get(source.value);
    }
    void get(HeldBytes& value) {                          // one string after the other, hexadecimal
        std::vector<std::byte> found;
        while (good() && tokens.next().kind == TextToken::Kind::string) {
            std::string text = tokens.take().text;
            auto digit = [&](char c) {
                return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
            };
            if (text.size() % 2) return fail("half a byte");
            for (size_t i = 0; i < text.size(); i += 2) {
                int high = digit(text[i]), low = digit(text[i + 1]);
                if (high < 0 || low < 0) return fail("not hexadecimal");
                found.push_back(std::byte(high * 16 + low));
            }
        }
        value = HeldBytes::copy_of(found);
    }
    template <class T> void get(std::vector<T>& items) {
        list("[", "]", [&] { get(items.emplace_back()); });
    }
    template <class T> void get(T& value) {
        if constexpr (std::is_enum_v<T>) {
            std::string name = word();
            for (size_t i = 0; i < std::size(EnumNames<T>::names); ++i)
                if (EnumNames<T>::names[i] == name) { value = T(i); return; }
            fail("no such kind: '" + name + "'");
        } else if constexpr (std::is_integral_v<T>) {
            if (!good() || tokens.next().kind != TextToken::Kind::number)
                return fail("expected a number, found '" + tokens.next().text + "'");
            int64_t number = tokens.next().number;
            if (std::cmp_less(number, std::numeric_limits<T>::min()) ||
                std::cmp_greater(number, std::numeric_limits<T>::max()))
                return fail("the number " + std::to_string(number) + " does not fit");
            value = T(number);
            tokens.take();
        } else {
            list("{", "}", [&] {
                std::string name = word();
                expect(":");
                wanted_ = name;
                found_ = false;
                if (good()) fields(*this, value);
                if (good() && !found_) fail("no field '" + name + "' here");
            });
        }
    }

 private:
    std::string wanted_;                                  // the field whose value comes next
    bool found_ = false;
};

class Assembler {
 public:
    explicit Assembler(std::string_view text) : reader_(text), pools_(exe_) {}

    Result<Executable> run() {
        while (reader_.good() && tokens().next().kind != TextToken::Kind::end) item();
        for (const auto& [at, name] : calls_) resolve(at, name);
        for (const FunctionInfo& f : exe_.functions)
            if (f.begin == f.end)
                reader_.fail("function " + std::to_string(&f - exe_.functions.data()) + " is missing");
        if (!reader_.good()) return Error{Code::parse, "executable text, " + reader_.mistake};
        return std::move(exe_);
    }

 private:
    TableReader reader_;
    Executable exe_;
    OperandPools pools_;
    std::vector<std::pair<uint32_t, TextToken>> calls_;       // instructions that name a function
    std::map<std::string, uint32_t> labels_;              // of the block being read
    std::vector<std::pair<uint32_t, TextToken>> jumps_;
    uint32_t registers_ = 0;                              // as many as the block names

    TokenReader& tokens() { return reader_.tokens; }

    void item() {
        std::string name = reader_.word();
        if (name == "target") reader_.get(exe_.target);
        else if (name == "checked") exe_.checked = true;
        else if (name == "constants") reader_.get(exe_.constants);
        else if (name == "operands") reader_.get(exe_.operands);
        else if (name == "lists") reader_.get(exe_.lists);
        else if (name == "type") row(exe_.door_types);
        else if (name == "source") row(exe_.sources);
        else if (name == "site") row(exe_.sites);
        else if (name == "kernel") row(exe_.kernels);
        else if (name == "launch") row(exe_.launches);
        else if (name == "entry") row(exe_.entries);
        else if (name == "region") row(exe_.regions);
        else if (name == "function") function();
        else if (name == "plan") plan();
        else if (name == "text") row(exe_.texts);
        else if (name == "text_constants") reader_.get(exe_.text_constants);
        else if (name == "weight") row(exe_.weights);
        else if (name == "blob") reader_.get(exe_.blob);
        else reader_.fail("'" + name + "' begins nothing");
    }
    template <class T> void row(std::vector<T>& table) {
        size_t index = table.size();
        if (tokens().next().kind == TextToken::Kind::number) reader_.get(index);
        if (index != table.size())
            return reader_.fail("row " + std::to_string(index) + " follows row " +
                                std::to_string(table.size()));
        reader_.get(table.emplace_back());
    }

    void function() {
        size_t index = exe_.functions.size();
        if (tokens().next().kind == TextToken::Kind::number) reader_.get(index);
        if (index > (1 << 24)) return reader_.fail("function " + std::to_string(index));
        if (index >= exe_.functions.size()) exe_.functions.resize(index + 1);
        if (exe_.functions[index].end != 0) return reader_.fail("a second function " + std::to_string(index));
        FunctionInfo f;
        if (tokens().next().kind == TextToken::Kind::string) reader_.get(f.name);
        else f.name = reader_.word();
        reader_.expect("("), reader_.get(f.params), reader_.expect(")");
        reader_.expect("->"), reader_.get(f.results);
        bool given = reader_.good() && tokens().take_word("registers");
        if (given) reader_.get(f.registers);
        f.begin = uint32_t(exe_.code.size());
        block();
        f.end = uint32_t(exe_.code.size());
        if (!given) f.registers = std::max(registers_, f.params);
        exe_.functions[index] = std::move(f);
    }
    void plan() {
        size_t index = 0;
        reader_.get(index);
        if (index >= exe_.regions.size())
            return reader_.fail("no region " + std::to_string(index) + " before its plan");
        exe_.regions[index].plan_begin = uint32_t(exe_.code.size());
        bool given = tokens().take_word("registers");
        if (given) reader_.get(exe_.regions[index].plan_registers);
        block();
        if (!given)
            exe_.regions[index].plan_registers = std::max(registers_,
                                                          uint32_t(exe_.regions[index].key.size()));
    }

    void block() {
        labels_.clear();
        jumps_.clear();
        registers_ = 0;
        reader_.expect("{");
        while (reader_.good() && !tokens().take_sign("}")) line();
        for (const auto& [at, label] : jumps_) {
            auto found = labels_.find(label.text);
            if (found == labels_.end())
                return reader_.fail("no label '" + label.text + "' for the jump in line " +
                                    std::to_string(label.line));
            exe_.code[at].a = found->second;
        }
    }
    void line() {
        std::vector<uint32_t> left;
        bool defines = false, indexed = false;
        uint64_t reg = 0;
        if (tokens().next().kind == TextToken::Kind::sign && tokens().next().text == "(") {
            left = list('r');
            defines = true;
        } else if (tokens().take_sign("#")) {
            uint32_t index = 0;
            reader_.get(index);
            left = {index};
            defines = indexed = true;
        } else if (reader_.numbered('r', reg)) {
            left = {named(reg)};
            defines = true;
        }
        if (defines) reader_.expect("=");
        std::string name = reader_.word();
        if (!defines && tokens().take_sign(":")) {
            if (!labels_.emplace(name, uint32_t(exe_.code.size())).second)
                reader_.fail("a second label '" + name + "'");
            return;
        }
        if (!defines && name == "mark") {
            PlaceMark mark{uint32_t(exe_.code.size()), 0};
            reader_.get(mark.site);
            exe_.marks.push_back(mark);
            return;
        }
        for (const OpcodeRow& row : opcode_rows())
            if (row.name == name) return instruction(row, left, defines, indexed);
        reader_.fail("no instruction '" + name + "'");
    }
    void instruction(const OpcodeRow& row, const std::vector<uint32_t>& left, bool defines, bool indexed) {
        Instruction in{row.op};
        if (row.x != OperandKind::none && tokens().take_sign(".")) in.x = suffix(row.x);
        bool first = true, defined = false;
        for (auto [kind, value] : {std::pair(row.a, &in.a), std::pair(row.b, &in.b), std::pair(row.c, &in.c)}) {
            if (kind == OperandKind::none) continue;
            if (kind == OperandKind::def || kind == OperandKind::defs) {
                defined = true;
                if (!defines)
                    return reader_.fail(std::string(row.name) +
                                        " writes something: nothing stands left of it");
                if (kind == OperandKind::def && (left.size() != 1 || indexed))
                    return reader_.fail(std::string(row.name) + " writes one register");
                *value = kind == OperandKind::def || indexed ? left[0] : 0;
                continue;
            }
            if (!first) reader_.expect(",");
            first = false;
            *value = operand(kind);
        }
        if (defines && !defined) return reader_.fail(std::string(row.name) + " writes nothing");
        if (row.c == OperandKind::defs && !indexed)
            in.c = pools_.list(left);   // after list b: in order of the fields
        exe_.code.push_back(in);
    }
    uint16_t suffix(OperandKind kind) {
        uint16_t value = 0;
        if (kind == OperandKind::dtype) {
            DType dtype = DType::f32;
            reader_.get(dtype);
            return uint16_t(dtype);
        }
        if (kind != OperandKind::relation) {
            reader_.get(value);
            return value;
        }
        std::string name = reader_.word();
        for (size_t i = 0; i < std::size(relation_names); ++i)
            if (relation_names[i] == name) return uint16_t(i);
        reader_.fail("no relation '" + name + "'");
        return 0;
    }
    uint32_t named(uint64_t reg) {
        if (reg >= (uint64_t(1) << 31)) reader_.fail("register " + std::to_string(reg));
        else registers_ = std::max(registers_, uint32_t(reg) + 1);
        return uint32_t(reg);
    }
    uint32_t item_of(char letter) {
        uint64_t reg = 0;
        uint32_t number = 0;
        if (letter == 'r') {
            if (reader_.numbered('r', reg)) return named(reg);
            reader_.fail("expected a register, found '" + tokens().next().text + "'");
        } else {
            reader_.get(number);
        }
        return number;
    }
    std::vector<uint32_t> list(char letter) {
        std::vector<uint32_t> items;
        reader_.list("(", ")", [&] { items.push_back(item_of(letter)); });
        return items;
    }
    uint32_t operand(OperandKind kind) {
        uint32_t number = 0;
        if (tokens().take_sign("#") || (kind == OperandKind::function && tokens().take_sign("@"))) {
            reader_.get(number);
            return number;
        }
        switch (kind) {
        case OperandKind::use: case OperandKind::def_use: return item_of('r');
        case OperandKind::uses: return pools_.list(list('r'));
        case OperandKind::numbers: return pools_.list(list('n'));
        case OperandKind::constant: {
            int64_t value = 0;
            reader_.get(value);
            return pools_.constant(value);
        }
        case OperandKind::target:
            jumps_.emplace_back(uint32_t(exe_.code.size()), tokens().next());
            reader_.word();
            return 0;
        case OperandKind::function:
            calls_.emplace_back(uint32_t(exe_.code.size()), tokens().next());
            if (tokens().next().kind == TextToken::Kind::string) tokens().take();
            else reader_.word();
            return 0;
        default: reader_.get(number); return number;
        }
    }
    void resolve(uint32_t at, const TextToken& name) {
        for (size_t i = 0; i < exe_.functions.size(); ++i)
            if (exe_.functions[i].name == name.text && at < exe_.code.size()) {
                exe_.code[at].a = uint32_t(i);
                return;
            }
        reader_.fail("no function '" + name.text + "' for the call in line " + std::to_string(name.line));
    }
};
} // namespace

Result<Executable> assemble(std::string_view text) { return Assembler(text).run(); }
} // namespace nereus
