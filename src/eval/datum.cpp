#include "eval/datum.h"
#include <bit>
#include <cstring>

namespace nereus {
struct DatumNode {
    uint32_t references = 1;
    uint32_t tag = 0; // data: which constructor; seq: how many items of the buffer are its own
    uint32_t fits = UINT32_MAX;
    DatumKind kind = DatumKind::tuple;
    DeclId decl;
    DatumNode* next = nullptr; // chains nodes that wait to be freed
    std::vector<Datum> items; // seq: one, a tuple that is the buffer

    struct Rest { // what few nodes have
        HostTensor tensor;
        std::vector<int64_t> dims;
        Callee callee;
        Cells* cells = nullptr;
        size_t fitting_items = 0; // of a seq's buffer
    };
    std::unique_ptr<Rest> rest;
};

Cells::~Cells() {
    // A content may be the last owner of another cell, which then leaves the set: so one at a time.
    while (!alive.empty()) {
        DatumNode* node = *alive.begin();
        alive.erase(node);
        node->rest->cells = nullptr;
        Datum content = std::exchange(node->items[0], Datum());
    }
}

Datum Datum::of(HostTensor tensor) {
    Datum made;
    if (tensor.rank() == 0 && !is_text(tensor.dtype())) {            // a text is held by its tensor
        made.inline_ = true, made.dtype_ = tensor.dtype(), made.bits_ = 0;
        std::memcpy(&made.bits_, tensor.bytes(), size_t(size_of(tensor.dtype())));
        return made;
    }
    made.node_ = new DatumNode{.kind = DatumKind::tensor};
    made.node_->rest = std::make_unique<DatumNode::Rest>();
    made.node_->rest->tensor = std::move(tensor);
    return made;
}
Datum Datum::integer(int64_t value) {
    Datum made;
    made.inline_ = true, made.dtype_ = DType::i64, made.bits_ = uint64_t(value);
    return made;
}
Datum Datum::boolean(bool value) {
    Datum made;
    made.inline_ = true, made.dtype_ = DType::boolean, made.bits_ = value;
    return made;
}
Datum Datum::tuple(std::vector<Datum> items) {
    if (items.empty()) return {};
    return Datum(new DatumNode{.kind = DatumKind::tuple, .items = std::move(items)});
}
Datum Datum::data(DeclId decl, uint32_t constructor, std::vector<Datum> fields, std::vector<int64_t> dims) {
    Datum made(
        new DatumNode{.tag = constructor, .kind = DatumKind::data, .decl = decl, .items = std::move(fields)});
    if (dims.empty()) return made;
    made.node_->rest = std::make_unique<DatumNode::Rest>();
    made.node_->rest->dims = std::move(dims);
    return made;
}
Datum Datum::seq(std::vector<Datum> items) {
    uint32_t count = uint32_t(items.size());
    Datum buffer(new DatumNode{.kind = DatumKind::tuple, .items = std::move(items)});
    buffer.node_->rest = std::make_unique<DatumNode::Rest>();
    std::vector<Datum> holder;
    holder.push_back(std::move(buffer));
    return Datum(new DatumNode{.tag = count, .kind = DatumKind::seq, .items = std::move(holder)});
}
Datum Datum::cell(Cells& cells, Datum content) {
    Datum made(new DatumNode{.kind = DatumKind::cell});
    made.node_->items.push_back(std::move(content));
    made.node_->rest = std::make_unique<DatumNode::Rest>();
    made.node_->rest->cells = &cells;
    cells.alive.insert(made.node_);
    return made;
}
Datum Datum::closure(Callee callee, std::vector<Datum> captured) {
    Datum made(new DatumNode{.kind = DatumKind::closure, .items = std::move(captured)});
    made.node_->rest = std::make_unique<DatumNode::Rest>();
    made.node_->rest->callee = std::move(callee);
    return made;
}

DatumKind Datum::kind() const { return inline_ ? DatumKind::tensor : node_ ? node_->kind : DatumKind::tuple; }
std::span<const Datum> Datum::items() const {
    if (inline_ || !node_) return {};
    if (node_->kind == DatumKind::seq) return {node_->items[0].node_->items.data(), node_->tag};
    return node_->items;
}

HostTensor Datum::tensor() const {
    invariant(is(DatumKind::tensor), "tensor() of another kind");
    if (!inline_) return node_->rest->tensor;
    return with_type(dtype_, [&](auto element) {
        std::memcpy(static_cast<void*>(&element), &bits_, sizeof element);
        return HostTensor::scalar(element);
    });
}
DType Datum::dtype() const { return inline_ ? dtype_ : node_->rest->tensor.dtype(); }
Extents Datum::shape() const { return inline_ ? Extents() : node_->rest->tensor.shape(); }
std::optional<int64_t> Datum::as_integer() const {
    if (!inline_ || !is_integer(dtype_)) return std::nullopt;
    return int64_t(word_of(dtype_, int64_t(bits_)));     // with its sign
}
std::optional<bool> Datum::as_boolean() const {
    return inline_ && dtype_ == DType::boolean ? std::optional(bits_ != 0) : std::nullopt;
}

DeclId Datum::decl() const { return node_->decl; }
uint32_t Datum::constructor() const { return node_->tag; }
std::span<const int64_t> Datum::dims() const {
    if (node_->rest) return node_->rest->dims;
    return {};
}
const Callee& Datum::callee() const { return node_->rest->callee; }

Datum Datum::pushed(Datum item) const {
    Datum buffer = node_->items[0];
    if (buffer.node_->items.size() !=
        node_->tag) { // another push went on from here: that one keeps the buffer
        std::vector<Datum> copy(items().begin(), items().end());
        copy.push_back(std::move(item));
        return seq(std::move(copy));
    }
    buffer.node_->items.push_back(std::move(item));
    std::vector<Datum> holder;
    holder.push_back(std::move(buffer));
    return Datum(new DatumNode{.tag = node_->tag + 1, .kind = DatumKind::seq, .items = std::move(holder)});
}
void Datum::write(Datum content) const { std::swap(node_->items[0], content); }

// What is known of a seq is kept with its buffer, which longer and shorter ones share.
uint32_t Datum::fits() const {
    if (inline_ || !node_) return UINT32_MAX;
    if (node_->kind != DatumKind::seq) return node_->fits;
    DatumNode* buffer = node_->items[0].node_;
    return buffer->rest->fitting_items >= node_->tag ? buffer->fits : UINT32_MAX;
}
void Datum::set_fits(uint32_t type) const {
    if (inline_ || !node_) return;
    if (node_->kind != DatumKind::seq) {
        node_->fits = type;
        return;
    }
    DatumNode* buffer = node_->items[0].node_;
    size_t known = buffer->fits == type ? buffer->rest->fitting_items : 0;
    buffer->fits = type, buffer->rest->fitting_items = std::max(known, size_t(node_->tag));
}
Datum::PartlyFits Datum::partly_fits() const {
    DatumNode* buffer = node_->items[0].node_;
    return {buffer->fits, std::min(buffer->rest->fitting_items, size_t(node_->tag))};
}

Datum::Datum(const Datum& other) noexcept : inline_(other.inline_), dtype_(other.dtype_), bits_(other.bits_) {
    if (!inline_ && node_) ++node_->references;
}
Datum& Datum::operator=(Datum other) noexcept {
    std::swap(inline_, other.inline_), std::swap(dtype_, other.dtype_), std::swap(bits_, other.bits_);
    return *this;
}

// Children are unlinked before their parent goes, so no destructor below ever finds a last owner to free.
void Datum::release(DatumNode* node) noexcept {
    if (--node->references > 0) return;
    DatumNode* dead = node;
    while (dead) {
        DatumNode* now = std::exchange(dead, dead->next);
        for (Datum& item : now->items) {
            if (item.inline_ || !item.node_) continue;
            DatumNode* child = item.node_;
            item.drop();
            if (--child->references == 0) child->next = dead, dead = child;
        }
        if (now->rest && now->rest->cells) now->rest->cells->alive.erase(now);
        delete now;
    }
}
} // namespace nereus
