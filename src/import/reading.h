// import/reading.h - reads messages by tables of their fields, and knows where it is: every error says the path of fields that
// leads to it. What nests as deep as the file likes, subgraphs and values, is put off to a list instead of being entered.
#pragma once
#include "import/onnx_data.h"
#include "import/onnx_model.h"
#include "import/wire.h"
#include <array>
#include <map>
#include <optional>

namespace nereus::onnx {
class Reading;

inline Error wrong(std::string what) { return Error{Code::parse, std::move(what)}; }

template <class T> struct FieldRow {
    uint32_t number;
    const char* name;
    bool repeated;
    bool embedded;                                     // a message that is not repeated: protobuf would merge two
    Status (*read)(Reading&, Wire&, T&);
};
template <class T> std::span<const FieldRow<T>> field_rows();      // a table per message, where the message is read
template <> std::span<const FieldRow<KeyValue>> field_rows();       // which several messages have

class Reading {
 public:
    // Of bytes that outlive what is read; external data lies in `folder`, if there is one.
    Reading(std::string_view file, std::optional<std::string> folder) : file_(file), folder_(std::move(folder)) {}
    static Result<Reading> of_file(const std::string& path);           // which is mapped
    std::string_view file() const { return file_; }

    template <class T> Status message(std::string_view bytes, T& out);

    // Notes a message to be read later, and from where it comes; numbers count from 0 in the order of notes.
    struct Later { std::string_view bytes; DataKind kind; };
    uint32_t put_off(Later message);
    std::optional<Later> begin_put_off();              // the next to be read, in which we are from now on
    uint32_t parent() const { return put_off_[current_].parent; }     // in which it was noted; UINT32_MAX: in none

    // `read` happens in a field that is not entered by message(); a repeated one has an index.
    template <class Read> Status in_field(const char* name, std::optional<size_t> index, Read read) {
        steps_.push_back({name, uint32_t(index.value_or(0)), index.has_value()});
        TRY(read());
        steps_.pop_back();
        return {};
    }

    Wire wire(std::string_view bytes) const { return Wire(bytes, file_.data()); }
    Error placed(Error error) const;                   // with the file and the path of fields to where we are
    std::span<const std::byte> keep(std::vector<std::byte> bytes);
    // Bytes of a file beside the model, which is mapped once.
    Result<std::string_view> external(std::string_view location);
    std::shared_ptr<Storage> storage() { return storage_; }

 private:
    struct PutOff { Later message; uint32_t parent; std::string path; };
    struct Step { const char* name; uint32_t index; bool repeated; };
    Status count_message();
    std::string path_text() const;
    std::string_view file_;
    std::string file_name_;                            // "": none
    std::optional<std::string> folder_;
    std::shared_ptr<Storage> storage_ = std::make_shared<Storage>();
    std::map<std::string_view, std::string_view> locations_;      // as named: its bytes
    std::map<std::string, std::string_view> paths_;               // as found
    std::vector<Step> steps_;                                     // the fields we are in; an error leaves them as they are
    std::vector<PutOff> put_off_;
    uint32_t current_ = UINT32_MAX;
    int64_t messages_ = 0;
};

template <class T> Status Reading::message(std::string_view bytes, T& out) {
    TRY(count_message());
    std::array<uint32_t, 32> seen{};                   // ONNX's fields are numbered below
    Wire wire = this->wire(bytes);
    while (TRY(wire.next())) {
        const FieldRow<T>* row = nullptr;
        for (const FieldRow<T>& each : field_rows<T>())
            if (each.number == wire.number()) row = &each;
        if (!row) {
            TRY(wire.skip());
            continue;
        }
        steps_.push_back({row->name, seen[row->number]++, row->repeated});
        if (row->embedded && seen[row->number] > 1) return wrong("is there twice, where one is expected");
        TRY(row->read(*this, wire, out));
        steps_.pop_back();
    }
    return {};
}

struct Embedded { std::optional<std::string_view> bytes; };       // a message, as it lies in the file
template <WireKind kind> struct Numbers { std::vector<std::string_view> pieces; };        // likewise, behind each other

// What a field of some type takes from the wire. Of strings and numbers given twice the last counts, as in protobuf.
Status take(Reading&, Wire&, std::string_view&);
Status take(Reading&, Wire&, std::vector<std::string_view>&);
Status take(Reading&, Wire&, int64_t&);
Status take(Reading&, Wire&, std::optional<int64_t>&);
Status take(Reading&, Wire&, std::optional<float>&);
Status take(Reading&, Wire&, std::vector<int64_t>&);
Status take(Reading&, Wire&, std::vector<float>&);
Status take(Reading&, Wire&, TensorData&);
Status take(Reading&, Wire&, TypeInfo&);
Status take(Reading&, Wire&, Embedded&);
Status take(Reading&, Wire&, std::vector<TensorData>&);
Status take(Reading&, Wire&, std::vector<SparseTensor>&);

template <WireKind kind> Status take(Reading&, Wire& wire, Numbers<kind>& out) {
    out.pieces.push_back(TRY(wire.numbers(kind)));
    return {};
}
template <class T> Status take(Reading& reading, Wire& wire, std::vector<T>& out) {       // messages
    const std::string_view bytes = TRY(wire.bytes());
    return reading.message(bytes, out.emplace_back());
}

template <class Member> struct MemberPointer;
template <class T, class V> struct MemberPointer<V T::*> {
    using Owner = T;
    static constexpr bool is_list = requires(V v) { v.push_back(v[0]); };
    static constexpr bool is_message =
        std::is_same_v<V, Embedded> || std::is_same_v<V, TensorData> || std::is_same_v<V, TypeInfo>;
};
// A row of a table: the field is read into `member`.
template <auto member, class Pointer = MemberPointer<decltype(member)>>
constexpr FieldRow<typename Pointer::Owner> field(uint32_t number, const char* name) {
    return {number, name, Pointer::is_list, Pointer::is_message,
            [](Reading& reading, Wire& wire, typename Pointer::Owner& out) { return take(reading, wire, out.*member); }};
}

// Messages that are put together from several of their fields, so not by a table alone.
Result<TensorData> read_tensor(Reading&, std::string_view bytes);
Result<SparseTensor> read_sparse_tensor(Reading&, std::string_view bytes);
Result<TypeInfo> read_type(Reading&, std::string_view bytes);
} // namespace nereus::onnx
