//    0  magic        8  version, 0         16  bytes in all       24  checksum of everything, with 0 here
//   32  tables: offset, bytes              48  weights            64  machine code       80  end of the header
// All numbers are little-endian. Tables are the fields of exe/fields.h one after the other: numbers as wide as they are
// in memory, enums and flags as a byte, strings and vectors as a 32-bit count and their items. Of weights they have the
// sizes; each begins at the next multiple of 64 in its section.
#include "exe/artefact.h"
#include "base/file.h"
#include "base/mapped_file.h"
#include "exe/checksum.h"
#include "exe/fields.h"
#include "exe/verify.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace nereus {
namespace {
static_assert(std::endian::native == std::endian::little);
constexpr char magic[9] = "NEREUSX\n";
constexpr size_t header_bytes = 80, page = 4096;
struct Section { uint64_t offset = 0, bytes = 0; };
using Sizes = std::vector<uint64_t>;                      // of the weights
constexpr uint64_t rounded_up(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

class Writer {
 public:
    static constexpr bool writes = true;
    std::vector<std::byte> bytes;
    bool fits = true;                                     // no count was over 32 bits

    template <class T> void field(std::string_view, const T& value) { put(value); }
    void raw(const void* from, size_t count) {
        auto* first = static_cast<const std::byte*>(from);
        bytes.insert(bytes.end(), first, first + count);
    }

    void put(bool value) { put(uint8_t(value)); }
    void put(const std::string& text) { count(text.size()), raw(text.data(), text.size()); }
    void put(const Instruction& in) { put(uint16_t(in.op)), put(in.x), put(in.a), put(in.b), put(in.c); }
    template <class T> void put(const std::vector<T>& items) {
        count(items.size());
        for (const T& item : items) put(item);
    }
    template <class T> void put(const T& value) {
        if constexpr (std::is_enum_v<T>) put(uint8_t(value));
        else if constexpr (std::is_integral_v<T>) raw(&value, sizeof value);
        else fields(*this, value);
    }

 private:
    void count(size_t n) { fits &= n <= UINT32_MAX, put(uint32_t(n)); }
};

// After the first mistake everything reads as zero and empty, so that the lists of fields need no checks.
class Reader {
 public:
    static constexpr bool writes = false;
    explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
    std::string_view mistake;                             // empty: none
    bool at_end() const { return bytes_.empty(); }

    template <class T> void field(std::string_view, T& value) { get(value); }

    void get(bool& value) {
        uint8_t byte = number<uint8_t>();
        if (byte > 1) fail("a flag is neither 0 nor 1");
        value = byte == 1;
    }
    void get(std::string& text) {
        text.resize(count(1));
        raw(text.data(), text.size());
    }
    void get(Instruction& in) { in.op = Opcode(number<uint16_t>()), get(in.x), get(in.a), get(in.b), get(in.c); }
    template <class T> void get(std::vector<T>& items) {
        Writer smallest;
        smallest.put(T());
        items.resize(count(smallest.bytes.size()));
        for (T& item : items) get(item);
    }
    template <class T> void get(T& value) {
        if constexpr (std::is_enum_v<T>) {
            uint8_t index = number<uint8_t>();
            if (index >= std::size(EnumNames<T>::names)) fail("a kind that does not exist"), index = 0;
            value = T(index);
        } else if constexpr (std::is_integral_v<T>) {
            value = number<T>();
        } else {
            fields(*this, value);
        }
    }

 private:
    std::span<const std::byte> bytes_;

    void fail(std::string_view what) {
        if (mistake.empty()) mistake = what;
        bytes_ = {};
    }
    void raw(void* to, size_t count) {
        if (count == 0) return;
        if (bytes_.size() < count) {
            std::memset(to, 0, count);
            return fail("the tables end too early");
        }
        std::memcpy(to, bytes_.data(), count);
        bytes_ = bytes_.subspan(count);
    }
    template <class T> T number() {
        T value;
        raw(&value, sizeof value);
        return value;
    }
    // A count is believed only if that many items of at least this size are still there.
    size_t count(size_t smallest) {
        size_t n = number<uint32_t>();
        if (n <= bytes_.size() / smallest) return n;
        fail("a count is larger than what follows");
        return 0;
    }
};

template <class A> void tables(A& a, Seen<A, Executable>& exe, Seen<A, Sizes>& weights) {
    a.field("target", exe.target), a.field("checked", exe.checked);
    a.field("door_types", exe.door_types), a.field("entries", exe.entries), a.field("functions", exe.functions);
    a.field("code", exe.code), a.field("constants", exe.constants), a.field("operands", exe.operands);
    a.field("lists", exe.lists), a.field("kernels", exe.kernels), a.field("launches", exe.launches);
    a.field("regions", exe.regions), a.field("sources", exe.sources), a.field("sites", exe.sites), a.field("marks", exe.marks);
    a.field("texts", exe.texts), a.field("text_constants", exe.text_constants);
    a.field("weights", weights);
}

// The header is in the first piece.
uint64_t sum_of(std::span<const std::span<const std::byte>> pieces) {
    std::byte header[header_bytes];
    std::memcpy(header, pieces[0].data(), header_bytes);
    std::memset(header + 24, 0, 8);
    Checksum sum;
    sum.add(header);
    sum.add(pieces[0].subspan(header_bytes));
    for (std::span<const std::byte> piece : pieces.subspan(1)) sum.add(piece);
    return sum.sum();
}

Error corrupt(const std::string& what) {
    return Error{Code::corrupt, "the artefact is damaged: " + what, {}, "compile it again or copy it again"};
}

// An artefact in pieces: what weighs most stays where it is.
struct Pieces {
    std::vector<std::byte> front;                         // header and tables
    std::vector<std::span<const std::byte>> all = {};     // in order
    uint64_t bytes = 0;

    void add(std::span<const std::byte> piece) {
        all.push_back(piece);
        bytes += piece.size();
    }
    void pad(size_t unit) {
        static constexpr std::byte nothing[page] = {};
        add(std::span(nothing).first(rounded_up(bytes, unit) - bytes));
    }
};

Result<Pieces> pieces_of(const Executable& exe, bool with_weights) {
    Sizes sizes;
    for (const HeldBytes& weight : exe.weights) sizes.push_back(weight.size());
    Writer writer;
    writer.bytes.resize(header_bytes);
    tables(writer, exe, sizes);
    if (!writer.fits) return Error{Code::limit, "the program has a table of more than 2^32 items"};
    Pieces made{.front = std::move(writer.bytes)};
    made.add(made.front);
    Section sections[3] = {{header_bytes, made.bytes - header_bytes}};
    made.pad(page);
    sections[1].offset = made.bytes;
    for (const HeldBytes& weight : exe.weights) {
        if (!with_weights) break;
        made.pad(HeldBytes::alignment);
        made.add(weight.bytes());
    }
    sections[1].bytes = made.bytes - sections[1].offset;
    made.pad(page);
    sections[2] = {made.bytes, exe.blob.size()};
    made.add(exe.blob.bytes());
    std::byte* header = made.front.data();
    std::memcpy(header, magic, 8);
    std::memcpy(header + 8, &artefact_version, 4);
    std::memcpy(header + 16, &made.bytes, 8);
    std::memcpy(header + 32, sections, sizeof sections);
    const uint64_t sum = sum_of(made.all);
    std::memcpy(header + 24, &sum, 8);
    return made;
}

std::vector<std::byte> joined(const Pieces& pieces) {
    std::vector<std::byte> bytes;
    bytes.reserve(pieces.bytes);
    for (std::span<const std::byte> piece : pieces.all) bytes.insert(bytes.end(), piece.begin(), piece.end());
    return bytes;
}

struct Opened {
    Executable exe;                                       // without weights
    Sizes sizes;
    std::span<const std::byte> weights;
};

Result<Opened> open(std::span<const std::byte> bytes) {
    if (bytes.size() < 8 || std::memcmp(bytes.data(), magic, 8) != 0)
        return Error{Code::corrupt,
                     "this is not an artefact: it does not begin as one",
                     {},
                     "artefacts are made by nereus compile"};
    if (bytes.size() < header_bytes) return corrupt("it ends inside its header");
    uint32_t version;
    uint64_t total, sum;
    Section sections[3];
    std::memcpy(&version, bytes.data() + 8, 4);
    std::memcpy(&total, bytes.data() + 16, 8);
    std::memcpy(&sum, bytes.data() + 24, 8);
    std::memcpy(sections, bytes.data() + 32, sizeof sections);
    if (version != artefact_version)   // before anything else: another version may differ everywhere
        return Error{Code::mismatch,
                     "the artefact has version " + std::to_string(version) + ", this runtime reads version " +
                         std::to_string(artefact_version),
                     {},
                     "compile the program again with this version"};
    if (total != bytes.size())
        return corrupt("it should have " + std::to_string(total) + " bytes, found " +
                       std::to_string(bytes.size()));
    if (sum != sum_of({&bytes, 1})) return corrupt("its checksum is wrong");
    for (const Section& section : sections)
        if (section.offset > bytes.size() || section.bytes > bytes.size() - section.offset)
            return corrupt("a section lies outside");
    auto part = [&](int i) { return bytes.subspan(size_t(sections[i].offset), size_t(sections[i].bytes)); };
    Opened opened{.exe = {}, .sizes = {}, .weights = part(1)};
    Reader reader(part(0));
    tables(reader, opened.exe, opened.sizes);
    if (!reader.mistake.empty()) return corrupt(std::string(reader.mistake));
    if (!reader.at_end()) return corrupt("there are bytes after its tables");
    TRY(check_target(opened.exe.target));
    opened.exe.blob = HeldBytes::copy_of(part(2));
    return opened;
}

// The parts of the section, which is `held`.
Status take_weights(Executable& exe, const Sizes& sizes, const HeldBytes& held) {
    uint64_t at = 0;
    for (uint64_t size : sizes) {
        at = rounded_up(at, HeldBytes::alignment);
        if (at > held.size() || size > held.size() - at) return corrupt("a weight lies outside of its section");
        exe.weights.push_back(held.part(size_t(at), size_t(size)));
        at += size;
    }
    if (at != held.size()) return corrupt("there are bytes after its weights");
    return {};
}

Result<Executable> verified(Executable exe) {
    if (Status status = verify(exe); !status) return corrupt(status.error().message);
    return exe;
}
} // namespace

void seal(std::span<std::byte> file) {
    if (file.size() < header_bytes) return;
    const uint64_t total = file.size();
    std::memcpy(file.data() + 16, &total, 8);
    const std::span<const std::byte> whole = file;
    const uint64_t sum = sum_of({&whole, 1});
    std::memcpy(file.data() + 24, &sum, 8);
}

Result<std::vector<std::byte>> save(const Executable& exe) { return joined(TRY(pieces_of(exe, true))); }
Result<std::vector<std::byte>> save_without_weights(const Executable& exe) { return joined(TRY(pieces_of(exe, false))); }
Status save_file(const Executable& exe, const std::string& path) { return write_file(path, TRY(pieces_of(exe, true)).all); }

Result<Executable> load(std::span<const std::byte> bytes) {
    Opened opened = TRY(open(bytes));
    TRY(take_weights(opened.exe, opened.sizes, HeldBytes::copy_of(opened.weights)));
    return verified(std::move(opened.exe));
}

Result<Executable> load_with_weights(std::span<const std::byte> bytes, std::vector<HeldBytes> weights) {
    Opened opened = TRY(open(bytes));
    const bool fit = std::ranges::equal(weights, opened.sizes, [](const HeldBytes& weight, uint64_t size) { return weight.size() == size; });
    if (!fit || !opened.weights.empty()) return corrupt("the weights beside it are not its own");
    opened.exe.weights = std::move(weights);
    return verified(std::move(opened.exe));
}

Result<Executable> load_file(const std::string& path) {
    const std::shared_ptr<const MappedFile> file = TRY(MappedFile::open(path));
    const std::span<const std::byte> bytes = std::as_bytes(std::span(file->bytes()));
    Opened opened = TRY(open(bytes));
    const bool aligned = uintptr_t(opened.weights.data()) % HeldBytes::alignment == 0;      // of a pipe, it need not be
    const HeldBytes held = aligned ? HeldBytes({file, opened.weights.data()}, opened.weights.size()) : HeldBytes::copy_of(opened.weights);
    TRY(take_weights(opened.exe, opened.sizes, held));
    const size_t begin = size_t(opened.weights.data() - bytes.data());
    file->let_go(bytes.first(begin));                      // tables and code are ours by now
    file->let_go(bytes.subspan(begin + opened.weights.size()));
    return verified(std::move(opened.exe));
}
} // namespace nereus
