// What instructions do with objects and addresses, on the shadow heap. Each case mirrors one of vm/execute.cpp; what it
// reads of an object that is not known is not known, and what needs the object itself is refused.
#include "vm/concat.h"
#include "vm/extents.h"
#include "vm/look_walk.h"
#include "vm/peak_walk.h"
#include "vm/site_text.h"
#include <cstring>

namespace nereus {
namespace {
constexpr std::string_view late_size = "sizes here are known only after something has executed",
                           late_object = "which object this is, is known only after something has executed";

struct ShadowObjects {
    using Node = uint64_t;                               // 0: not known, or nobody
    const ShadowHeap* heap;
    static Node node(Word word) { return word.kind == Word::Kind::object ? word.value : 0; }
    const ShadowHeap::Thing& at(Node node) const { return *heap->find({Word::Kind::object, 0, node}); }
    bool known(Node node) const {
        const ShadowHeap::Thing* thing = node != 0 ? heap->find({Word::Kind::object, 0, node}) : nullptr;
        return thing && thing->at_most == 0;
    }
    bool shared(Node node) const { return at(node).refs > 1; }
    uint32_t count(Node node) const { return uint32_t(at(node).parts.size()); }
    uint16_t tag(Node node) const { return at(node).tag; }
    bool binds(Node node) const { return !at(node).bound.empty(); }
    int64_t bound_dim(Node of, uint32_t k) const {
        const std::vector<Word>& bound = at(of).bound;
        return k < bound.size() && bound[k].is_number() ? int64_t(bound[k].value) : -1;
    }
    Node child(Node of, uint32_t i) const { return node(at(of).parts[i]); }
    std::span<const int64_t> dims(Node node) const { return at(node).dims; }
};

// What gather_extents reads; `known` turns false where that is not known.
template <class Load> struct ShadowRegisters {
    const Word* R;
    const ShadowHeap& heap;
    const Load& load;                                    // (address, bytes, out)
    bool known = true, at_most = false;                  // at_most: some of it is only bounded
    int64_t number(uint32_t reg) {
        if (!R[reg].is_number()) return known = false, 0;
        return int64_t(R[reg].value);
    }
    std::span<const int64_t> dims(uint32_t reg) {
        const ShadowHeap::Thing* tensor = heap.find(R[reg]);
        at_most |= tensor && tensor->at_most != 0;
        if (tensor) return tensor->dims;
        known = false;
        return {};
    }
    void elements(uint32_t reg, size_t count, int64_t* out) {
        std::fill_n(out, count, 0);
        known &= load(R[reg], int64_t(count * sizeof(int64_t)), reinterpret_cast<std::byte*>(out));
    }
};

Word extent(const ShadowHeap::Thing& tensor, size_t axis) {
    return {tensor.at_most >> axis & 1 ? Word::Kind::at_most : Word::Kind::number, 0, uint64_t(tensor.dims[axis])};
}
// A product of extents.
Word size_in(const ShadowHeap::Thing& tensor, int64_t product) {
    return {tensor.at_most ? Word::Kind::at_most : Word::Kind::number, 0, uint64_t(product)};
}

// vm/equal.cpp without most elements: 0, 1, or not known.
Word equal(const ShadowHeap& heap, Word a, Word b) {
    std::vector<std::pair<Word, Word>> comparing = {{a, b}};
    bool sure = true;
    while (!comparing.empty()) {
        auto [left, right] = comparing.back();
        comparing.pop_back();
        const ShadowHeap::Thing *x = heap.find(left), *y = heap.find(right);
        if (x && x == y) continue;
        if (!x || !y) {
            sure = false;
            continue;
        }
        if (x->kind != y->kind || x->kind == ObjectKind::ref) return Word::number(0);
        if (x->kind == ObjectKind::tensor) {
            if (x->dtype != y->dtype || x->dims.size() != y->dims.size()) return Word::number(0);
            if (x->at_most || y->at_most) {
                sure = false;
                continue;
            }
            if (x->dims != y->dims) return Word::number(0);
            if (extent_product(x->dims) == 0) continue;
            std::byte left_bytes[KnownBytes::largest], right_bytes[KnownBytes::largest];
            int64_t bytes = extent_product(x->dims) * size_of(x->dtype);
            bool known = !is_float(x->dtype) && x->elements.load(0, bytes, left_bytes) && y->elements.load(0, bytes, right_bytes);
            if (!known) sure = false;
            else if (std::memcmp(left_bytes, right_bytes, size_t(bytes)) != 0) return Word::number(0);
            continue;
        }
        if (x->tag != y->tag || x->parts.size() != y->parts.size()) return Word::number(0);
        for (size_t i = x->parts.size(); i-- > 0;) comparing.emplace_back(x->parts[i], y->parts[i]);
    }
    return sure ? Word::number(1) : Word{};
}
} // namespace

Context::PeakWalk::Step Context::PeakWalk::object(State& state, const Instruction& in) {
    using Thing = ShadowHeap::Thing;
    ShadowHeap& heap = state.heap;
    Word* R = registers(state);
    int64_t numbers[max_rank];
    std::vector<Word> words, more;
    uint64_t at_most = 0;                    // which of them are only bounded
    auto extents = [&](uint32_t operand) -> std::optional<std::span<const int64_t>> {
        std::span<const uint32_t> regs = list(operand);
        for (size_t i = 0; i < regs.size(); ++i) {
            if (!R[regs[i]].is_number() && !R[regs[i]].is_size()) return std::nullopt;
            numbers[i] = int64_t(R[regs[i]].value);
            at_most |= uint64_t(!R[regs[i]].is_number()) << i;
        }
        return std::span<const int64_t>(numbers, regs.size());
    };
    auto gather = [&](uint32_t operand, std::vector<Word>& out) {
        for (uint32_t reg : list(operand)) out.push_back(R[reg]);
    };
    auto known = [&](uint32_t reg) -> const Thing* { return heap.find(R[reg]); };
    // R[a] is what `read` finds in the object of R[b], if that is known.
    auto read = [&](const auto& what) {
        const Thing* thing = known(in.b);
        R[in.a] = thing ? what(*thing) : Word{};
    };
    auto make_tensor = [&](std::span<const int64_t> dims, bool written) {
        std::optional<Word> made = heap.new_tensor(DType(in.x), dims);
        if (!made && at_most) return refuse(state, late_size);
        if (!made) return fails(state, Code::shape, "the sizes of a tensor overflow or are negative");
        heap.find(*made)->written = written;
        heap.find(*made)->at_most = at_most;
        R[in.a] = *made;
        return Step::on;
    };
    Step result = Step::on;
    if (heap.places() > max_objects) return refuse(state, "too many objects");

    switch (in.op) {
    case Opcode::slot: {
        const Activation& top = state.frames.back();
        R[in.a] = {Word::Kind::range, 0, uint64_t(top.arena + top.placed->slot_offsets[in.b])};
        break;
    }
    case Opcode::new_output: R[in.a] = {Word::Kind::outside, 0, 0}; break;
    case Opcode::texts: R[in.a] = {}; break;
    case Opcode::weights: R[in.a] = {Word::Kind::memory, 0, reinterpret_cast<uint64_t>(exe.weights[in.b].data())}; break;
    case Opcode::read_scalar: R[in.a] = load_number(state, R[in.b], DType(in.x)); break;
    case Opcode::write_scalar: store_number(state, R[in.a], DType(in.x), R[in.b]); break;
    case Opcode::copy: copy(state, R[in.a], R[in.b], R[in.c]); break;
    case Opcode::print: break;

    case Opcode::new_tensor: case Opcode::seq_stack: {
        if (in.op == Opcode::seq_stack && list(in.c).empty()) {
            const Thing* seq = known(in.b);
            if (!seq) return refuse(state, late_size);
            StackShape shape;
            for (Word item : seq->parts) {
                const Thing* tensor = heap.find(item);
                if (!tensor || tensor->at_most) return refuse(state, late_size);
                if (Status status = shape.add(tensor->dims); !status) return fails(state, status.error().code, status.error().message);
            }
            result = make_tensor(shape.dims(), true);
            break;
        }
        std::optional<std::span<const int64_t>> dims = extents(in.op == Opcode::new_tensor ? in.b : in.c);
        if (!dims) return refuse(state, late_size);
        result = make_tensor(*dims, in.op == Opcode::seq_stack);
        break;
    }
    case Opcode::new_shaped: {
        auto load_bytes = [&](Word from, int64_t bytes, std::byte* out) { return load(state, from, bytes, out); };
        ShadowRegisters<decltype(load_bytes)> source{R, heap, load_bytes};
        ExtentList shape{numbers};
        Status status = gather_extents(list(in.b), list(in.c), source, shape);
        if (!source.known) return refuse(state, late_size);
        if (!status) return fails(state, status.error().code, status.error().message);
        if (source.at_most) at_most = ~uint64_t(0) >> (63 - (std::max<size_t>(shape.rank, 1) - 1));
        result = make_tensor({numbers, shape.rank}, false);
        break;
    }
    case Opcode::new_scalar: {
        Word value = R[in.b];
        result = make_tensor({}, false);
        store_number(state, {Word::Kind::elements, 0, R[in.a].value}, DType(in.x), value);
        break;
    }
    case Opcode::new_data:
        gather(in.b, words);
        gather(in.c, more);
        R[in.a] = heap.new_data(in.x, words, more);
        break;
    case Opcode::new_seq:
        gather(in.b, words);
        R[in.a] = heap.new_seq(words);
        break;
    case Opcode::new_ref: R[in.a] = heap.new_ref(R[in.b]); break;

    case Opcode::tensor_data: R[in.a] = known(in.b) ? Word{Word::Kind::elements, 0, R[in.b].value} : Word{}; break;
    case Opcode::tensor_dim: read([&](const Thing& t) { return extent(t, in.c); }); break;
    case Opcode::tensor_rank: read([&](const Thing& t) { return Word::number(int64_t(t.dims.size())); }); break;
    case Opcode::tensor_dim_back:
        read([&](const Thing& t) { return in.c < t.dims.size() ? extent(t, t.dims.size() - 1 - in.c) : Word::number(1); });
        break;
    case Opcode::tensor_rest:
        read([&](const Thing& t) { return size_in(t, extent_product(std::span(t.dims).subspan(std::min<size_t>(t.dims.size(), in.c)))); });
        break;
    case Opcode::tensor_before:
        read([&](const Thing& t) {
            return size_in(t, extent_product(std::span(t.dims).first(t.dims.size() - std::min<size_t>(t.dims.size(), in.c))));
        });
        break;
    case Opcode::tensor_bytes: read([&](const Thing& t) { return size_in(t, extent_product(t.dims) * size_of(t.dtype)); }); break;
    case Opcode::tensor_same: case Opcode::tensor_same_but: {
        const Thing *a = known(in.b), *b = known(in.c);
        if (!a || !b || a->at_most || b->at_most) R[in.a] = {};
        else if (in.op == Opcode::tensor_same) R[in.a] = Word::number(same_tails(a->dims, in.x % 256, b->dims, in.x / 256));
        else R[in.a] = Word::number(same_extents_but(a->dims, b->dims, int16_t(in.x)));
        break;
    }
    case Opcode::tensor_shape: {
        const Thing* tensor = known(in.b);
        if (!tensor) return refuse(state, late_size);
        const std::vector<int64_t> dims = tensor->dims;
        const int64_t rank = int64_t(dims.size());
        const bool exact = tensor->at_most == 0;
        R[in.a] = *heap.new_tensor(DType::i64, {&rank, 1});
        heap.find(R[in.a])->written = true;
        if (exact) store(state, {Word::Kind::elements, 0, R[in.a].value}, rank * 8, reinterpret_cast<const std::byte*>(dims.data()));
        break;
    }
    case Opcode::vector_at: {
        const std::span<const uint32_t> of = list(in.b);
        const Word count = R[of[1]], index = R[of[2]];
        if (!count.is_number() || !index.is_number()) R[in.a] = {};
        else if (index.value >= count.value) R[in.a] = R[of[3]];         // below 0, too
        else R[in.a] = load_number(state, moved(R[of[0]], Word::number(8 * int64_t(index.value))), DType::i64);
        break;
    }
    case Opcode::scalar_value:
        R[in.a] = known(in.b) ? load_number(state, {Word::Kind::elements, 0, R[in.b].value}, DType(in.x)) : Word{};
        break;
    case Opcode::tag: read([&](const Thing& t) { return Word::number(t.tag); }); break;
    case Opcode::field: read([&](const Thing& t) { return t.parts[in.c]; }); break;
    case Opcode::bound_dim: read([&](const Thing& t) { return t.bound[in.c]; }); break;
    case Opcode::seq_length: read([&](const Thing& t) { return Word::number(int64_t(t.parts.size())); }); break;
    case Opcode::ref_read: read([&](const Thing& t) { return t.parts[0]; }); break;

    case Opcode::seq_get: {
        const Thing* seq = known(in.b);
        Word index = R[in.c];
        if (seq && index.is_number() && index.value >= seq->parts.size()) return fails(state, Code::value, "an index is out of range for a Seq");
        R[in.a] = seq && index.is_number() ? seq->parts[index.value] : Word{};
        break;
    }
    case Opcode::seq_set: case Opcode::seq_push: {
        std::span<const uint32_t> parts = in.op == Opcode::seq_set ? list(in.b) : std::span<const uint32_t>();
        Word seq = R[parts.empty() ? in.b : parts[0]], index = parts.empty() ? Word::number(0) : R[parts[1]];
        const Thing* thing = heap.find(seq);
        if (!thing || !index.is_number()) return refuse(state, late_object);
        if (!parts.empty() && index.value >= thing->parts.size())
            return fails(state, Code::value, "an index is out of range for a Seq");
        std::optional<Word> changed = parts.empty() ? heap.push(seq, R[in.c]) : heap.set(seq, index.value, R[parts[2]]);
        if (!changed) return refuse(state, late_object);
        R[in.a] = *changed;
        break;
    }
    case Opcode::tensor_own: {
        const Word from = R[in.b];
        const Thing* tensor = known(in.b);
        if (!tensor) return refuse(state, late_size);
        if (tensor->refs == 1 && !tensor->borrowed) { R[in.a] = from; break; }
        const Thing whole = *tensor;
        std::optional<Word> made = heap.new_tensor(whole.dtype, whole.dims);
        if (!made) return refuse(state, late_size);
        heap.find(*made)->written = true, heap.find(*made)->at_most = whole.at_most, heap.find(*made)->elements = whole.elements;
        heap.release(from);
        R[in.a] = *made;
        break;
    }
    case Opcode::seq_concat: {
        const Thing* seq = known(in.b);
        if (!seq || !R[in.c].is_number()) return refuse(state, late_size);
        ConcatShape shape(int64_t(R[in.c].value));
        Status status;
        for (Word item : seq->parts) {
            const Thing* tensor = heap.find(item);
            if (!tensor || tensor->at_most) return refuse(state, late_size);
            if (status) status = shape.add(tensor->dims);
        }
        if (status) status = shape.check();
        if (!status) return fails(state, status.error().code, status.error().message);
        result = make_tensor(shape.dims(), true);
        break;
    }
    case Opcode::ref_write:
        if (!known(in.a)) return refuse(state, late_object);
        heap.write(R[in.a], R[in.b]);
        break;
    case Opcode::retain:
        if (!known(in.a)) return refuse(state, late_object);
        heap.retain(R[in.a]);
        break;
    case Opcode::release: heap.release(R[in.a]); break;
    case Opcode::equal: R[in.a] = equal(heap, R[in.b], R[in.c]); break;
    case Opcode::observe: case Opcode::check_fit: result = look(state, in); break;
    default: invariant(false, "peak: an instruction without a case");
    }
    if (result == Step::on) ++state.frames.back().at;
    return result;
}

Context::PeakWalk::Step Context::PeakWalk::look(State& state, const Instruction& in) {
    Word* R = registers(state);
    Look<ShadowObjects> look{program, {&state.heap}};
    std::span<const uint32_t> parts = list(in.c);
    std::vector<int64_t> sizes;
    if (in.op == Opcode::observe) {
        sizes.resize(parts.size());
        bool complete = look.observe(in.a, ShadowObjects::node(R[in.b]), sizes);
        for (size_t i = 0; i < parts.size(); ++i) R[parts[i]] = complete || sizes[i] >= 0 ? Word::number(sizes[i]) : Word{};
        return Step::on;
    }
    for (uint32_t reg : parts.subspan(1)) sizes.push_back(R[reg].is_number() ? int64_t(R[reg].value) : -1);
    std::optional<Mismatch> misfit = look.find_mismatch(in.b, ShadowObjects::node(R[parts[0]]), sizes);
    return misfit ? fails(state, exe.sites[in.a].code, mismatch_text(exe.sites[in.a], *misfit)) : Step::on;
}
} // namespace nereus
