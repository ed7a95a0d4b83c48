// The loop over instructions. Meaning and operands of each are in exe/opcode.h; the program was verified when it was
// loaded, so registers, lists and targets are in range. Recursion of the program never becomes recursion here.
#include "dim/relation.h"
#include "dim/rounded.h"
#include "vm/concat.h"
#include "vm/extents.h"
#include "vm/frame.h"
#include "vm/scalar.h"
#include "vm/site_text.h"
#include "vm/trace.h"
#include <algorithm>
#include <cstring>

namespace nereus {
namespace {
constexpr int clock_steps = 64;                          // jumps and calls between two looks at the clock: a microsecond

int64_t floor_divide(int64_t a, int64_t b) {
    if (b == -1) return int64_t(0 - uint64_t(a));        // INT64_MIN / -1 wraps
    int64_t q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

// What gather_extents reads.
struct Registers {
    const uint64_t* R;
    int64_t number(uint32_t reg) const { return int64_t(R[reg]); }
    std::span<const int64_t> dims(uint32_t reg) const { return reinterpret_cast<const TensorObject*>(R[reg])->extents(); }
    void elements(uint32_t reg, size_t count, int64_t* out) const {      // of any alignment
        std::memcpy(out, reinterpret_cast<const std::byte*>(R[reg]), count * sizeof(int64_t));
    }
};
} // namespace

bool Context::execute(Frame* frame) {
    const Executable& exe = program_->exe();
    const Instruction* const code = exe.code.data();
    const Frame* const bottom = frame;
    const FunctionInfo* function = &exe.functions[frame->function];
    const Instruction* at = frame->resume;
    uint64_t* R = frame->regs;
    auto list = [&](uint32_t index) {
        auto [offset, length] = exe.lists[index];
        return std::span<const uint32_t>(exe.operands.data() + offset, length);
    };
    auto number = [&](uint32_t reg) { return int64_t(R[reg]); };
    auto object = [&](uint32_t reg) { return reinterpret_cast<Object*>(R[reg]); };
    auto tensor = [&](uint32_t reg) { return reinterpret_cast<TensorObject*>(R[reg]); };
    auto address = [&](uint32_t reg) { return reinterpret_cast<std::byte*>(R[reg]); };
    auto put = [&](uint32_t reg, const void* pointer) { R[reg] = reinterpret_cast<uint64_t>(pointer); };
    int64_t dims[max_rank];
    auto gather = [&](std::span<const uint32_t> regs) {
        for (size_t i = 0; i < regs.size(); ++i) dims[i] = number(regs[i]);
        return std::span<const int64_t>(dims, regs.size());
    };

    for (;; ++at) {
        const Instruction& in = *at;
        switch (in.op) {
        case Opcode::move: R[in.a] = R[in.b]; break;
        case Opcode::load_constant: R[in.a] = uint64_t(exe.constants[in.b]); break;
        case Opcode::add: R[in.a] = R[in.b] + R[in.c]; break;
        case Opcode::sub: R[in.a] = R[in.b] - R[in.c]; break;
        case Opcode::mul: R[in.a] = R[in.b] * R[in.c]; break;
        case Opcode::div: {
            int64_t b = number(in.c);
            if (b == 0) return current_ = frame, fault(at, Code::value, "division by zero");
            R[in.a] = b == -1 ? 0 - R[in.b] : uint64_t(number(in.b) / b);
            break;
        }
        case Opcode::floor_div:
            if (R[in.c] == 0) return current_ = frame, fault(at, Code::value, "division by zero");
            R[in.a] = uint64_t(floor_divide(number(in.b), number(in.c)));
            break;
        case Opcode::mod:
            if (R[in.c] == 0) return current_ = frame, fault(at, Code::value, "division by zero");
            R[in.a] = R[in.b] - uint64_t(floor_divide(number(in.b), number(in.c))) * R[in.c];
            break;
        case Opcode::min: R[in.a] = uint64_t(std::min(number(in.b), number(in.c))); break;
        case Opcode::max: R[in.a] = uint64_t(std::max(number(in.b), number(in.c))); break;
        case Opcode::neg: R[in.a] = 0 - R[in.b]; break;
        case Opcode::wrap: R[in.a] = word_of(DType(in.x), number(in.b)); break;
        case Opcode::size_add: case Opcode::size_sub: case Opcode::size_mul: {
            int64_t result, b = number(in.b), c = number(in.c);
            bool over = in.op == Opcode::size_add   ? __builtin_add_overflow(b, c, &result)
                        : in.op == Opcode::size_sub ? __builtin_sub_overflow(b, c, &result)
                                                    : __builtin_mul_overflow(b, c, &result);
            if (over) return current_ = frame, fault(at, Code::shape, "a size overflows 64 bits");
            R[in.a] = uint64_t(result);
            break;
        }
        case Opcode::size_round: {
            const Wide nearest = R[in.c] >= 1 && R[in.c] <= 63 ? rounded_to_bits(number(in.b), int(R[in.c])) : Interval::limit;
            if (nearest != Wide(int64_t(nearest))) return current_ = frame, fault(at, Code::shape, "a size overflows 64 bits");
            R[in.a] = uint64_t(int64_t(nearest));
            break;
        }
        case Opcode::size_bcast: R[in.a] = R[in.b] == 1 ? R[in.c] : R[in.b]; break;
        case Opcode::eq: R[in.a] = R[in.b] == R[in.c]; break;
        case Opcode::ne: R[in.a] = R[in.b] != R[in.c]; break;
        case Opcode::lt: R[in.a] = number(in.b) < number(in.c); break;
        case Opcode::le: R[in.a] = number(in.b) <= number(in.c); break;
        case Opcode::gt: R[in.a] = number(in.b) > number(in.c); break;
        case Opcode::ge: R[in.a] = number(in.b) >= number(in.c); break;
        case Opcode::logical_and: R[in.a] = R[in.b] & R[in.c]; break;
        case Opcode::logical_or: R[in.a] = R[in.b] | R[in.c]; break;
        case Opcode::logical_not: R[in.a] = R[in.b] == 0; break;
        case Opcode::move_if: if (R[in.c]) R[in.a] = R[in.b]; break;
        case Opcode::jump: case Opcode::jump_if: case Opcode::jump_unless: {
            if (in.op == Opcode::jump_if ? !R[in.b] : in.op == Opcode::jump_unless && R[in.b]) break;
            const Instruction* to = code + in.a;
            if (to <= at && stops(clock_steps)) return current_ = frame, fault(at, stop_, stop_text());       // every loop jumps back
            at = to - 1;
            break;
        }

        case Opcode::call: {
            const FunctionInfo& callee = exe.functions[in.a];
            std::byte* top = frame->plan ? frame->arena + frame->plan->prefixes[in.x] : frame->end(*function);
            auto* next = reinterpret_cast<Frame*>(top);
            if (!reserve(top, Frame::bytes(callee.registers))) return current_ = frame, out_of_memory(at);
            if (stops(clock_steps)) return current_ = frame, fault(at, stop_, stop_text());
            std::span<const uint32_t> arguments = list(in.b);
            for (size_t i = 0; i < arguments.size(); ++i) next->regs[i] = R[arguments[i]];
            frame->resume = at;
            next->caller = frame;
            next->plan = nullptr;
            next->arena = nullptr;
            next->function = in.a;
            if (trace_) trace_->frame(callee.name, Frame::bytes(callee.registers), {next->regs, arguments.size()});
            frame = next;
            function = &callee;
            R = frame->regs;
            at = code + callee.begin - 1;
            break;
        }
        case Opcode::leave: {
            leave_region(frame);
            if (trace_ && reinterpret_cast<uint64_t*>(frame) != plan_frame_.data()) trace_->leave();
            if (frame == bottom) {
                std::span<const uint32_t> out = list(in.b);
                for (size_t i = 0; i < out.size(); ++i) results_[i] = R[out[i]];
                return true;
            }
            Frame* caller = frame->caller;
            const Instruction* call = caller->resume;
            std::span<const uint32_t> from = list(in.b), to = list(call->c);
            for (size_t i = 0; i < from.size(); ++i) caller->regs[to[i]] = R[from[i]];
            frame = caller;
            function = &exe.functions[frame->function];
            R = frame->regs;
            at = call;
            break;
        }
        case Opcode::enter:
            if (!enter_region(frame, in.a, at)) return current_ = frame, false;
            break;
        case Opcode::run:
            if (!run_list(frame, in.a)) return current_ = frame, false;
            break;
        case Opcode::launch:
            if (!run_launch(frame, in.a)) return current_ = frame, false;
            break;
        case Opcode::check: {
            if (holds(Relation(in.x), number(in.b), number(in.c))) break;
            const Site& site = exe.sites[in.a];
            auto read = [&](uint32_t reg, bool is_shape) { return is_shape ? nereus::shape_text(tensor(reg)->extents()) : std::to_string(number(reg)); };
            return current_ = frame, fault(site, site.code, with_registers(check_text(site, number(in.b), number(in.c)), read));
        }
        case Opcode::fail: return current_ = frame, fault(exe.sites[in.a], exe.sites[in.a].code, exe.sites[in.a].what);

        case Opcode::slot: put(in.a, frame->arena + frame->plan->slot_offsets[in.b]); break;
        case Opcode::texts: put(in.a, program_->texts() + in.b); break;
        case Opcode::weights: put(in.a, exe.weights[in.b].data()); break;
        case Opcode::new_output: {
            Result<std::byte*> out = new_output(DType(in.x), gather(list(in.b)), in.c);
            if (!out) return current_ = frame, fault(at, out.error().code, out.error().message);
            put(in.a, *out);
            break;
        }
        case Opcode::read_scalar:
            if (trace_) trace_->touch(Trace::Touch::read, address(in.b), size_of(DType(in.x)));
            R[in.a] = load_scalar(DType(in.x), address(in.b));
            break;
        case Opcode::write_scalar:
            if (trace_) trace_->touch(Trace::Touch::write, address(in.a), size_of(DType(in.x)));
            store_scalar(DType(in.x), address(in.a), R[in.b]);
            break;
        case Opcode::copy:
            if (trace_) trace_->copy(address(in.a), address(in.b), number(in.c));
            if (R[in.c] > 0) std::memcpy(address(in.a), address(in.b), size_t(R[in.c]));
            break;

        case Opcode::new_tensor: {
            std::span<const int64_t> extents = gather(list(in.b));
            TensorObject* made = heap_.new_tensor(DType(in.x), extents);
            if (!made) return current_ = frame, no_tensor(at, DType(in.x), extents);
            put(in.a, made);
            break;
        }
        case Opcode::new_shaped: {
            Registers source{R};
            ExtentList extents{dims};
            if (Status status = gather_extents(list(in.b), list(in.c), source, extents); !status)
                return current_ = frame, fault(at, status.error().code, status.error().message);
            TensorObject* made = heap_.new_tensor(DType(in.x), {dims, extents.rank});
            if (!made) return current_ = frame, no_tensor(at, DType(in.x), {dims, extents.rank});
            put(in.a, made);
            break;
        }
        case Opcode::new_scalar: {
            TensorObject* made = heap_.new_tensor(DType(in.x), {});
            if (!made) return current_ = frame, out_of_memory(at);
            store_scalar(DType(in.x), made->data, R[in.b]);
            put(in.a, made);
            break;
        }
        case Opcode::new_data: {
            std::span<const uint32_t> fields = list(in.b), bound = list(in.c);
            DataObject* made = heap_.new_data(in.x, uint32_t(fields.size()), uint32_t(bound.size()));
            if (!made) return current_ = frame, out_of_memory(at);
            for (size_t i = 0; i < fields.size(); ++i) made->fields[i] = object(fields[i]);
            for (size_t i = 0; i < bound.size(); ++i) made->dims()[i] = number(bound[i]);
            put(in.a, made);
            break;
        }
        case Opcode::new_seq: {
            std::span<const uint32_t> items = list(in.b);
            SeqObject* made = heap_.new_seq(uint32_t(items.size()));
            if (!made) return current_ = frame, out_of_memory(at);
            for (size_t i = 0; i < items.size(); ++i) made->items->at[i] = object(items[i]);
            put(in.a, made);
            break;
        }
        case Opcode::new_ref: {
            RefObject* made = heap_.new_ref(object(in.b));
            if (!made) return current_ = frame, out_of_memory(at);
            put(in.a, made);
            break;
        }
        case Opcode::tensor_data: put(in.a, tensor(in.b)->data); break;
        case Opcode::tensor_dim: R[in.a] = uint64_t(tensor(in.b)->dims[in.c]); break;
        case Opcode::tensor_rank: R[in.a] = tensor(in.b)->count; break;
        case Opcode::tensor_dim_back: {
            const TensorObject* t = tensor(in.b);
            R[in.a] = in.c < t->count ? uint64_t(t->dims[t->count - 1 - in.c]) : 1;
            break;
        }
        case Opcode::tensor_rest: {
            std::span<const int64_t> all = tensor(in.b)->extents();
            R[in.a] = uint64_t(extent_product(all.subspan(std::min<size_t>(all.size(), in.c))));
            break;
        }
        case Opcode::tensor_before: {
            std::span<const int64_t> all = tensor(in.b)->extents();
            R[in.a] = uint64_t(extent_product(all.first(all.size() - std::min<size_t>(all.size(), in.c))));
            break;
        }
        case Opcode::tensor_bytes: R[in.a] = uint64_t(extent_product(tensor(in.b)->extents()) * size_of(tensor(in.b)->dtype)); break;
        case Opcode::tensor_same:
            R[in.a] = same_tails(tensor(in.b)->extents(), in.x % 256, tensor(in.c)->extents(), in.x / 256);
            break;
        case Opcode::tensor_same_but:
            R[in.a] = same_extents_but(tensor(in.b)->extents(), tensor(in.c)->extents(), int16_t(in.x));
            break;
        case Opcode::tensor_shape: {
            const TensorObject* t = tensor(in.b);
            int64_t rank = t->count;
            TensorObject* made = heap_.new_tensor(DType::i64, {&rank, 1});
            if (!made) return current_ = frame, out_of_memory(at);
            std::memcpy(made->data, t->dims, size_t(rank) * sizeof(int64_t));
            put(in.a, made);
            break;
        }
        case Opcode::vector_at: {
            const std::span<const uint32_t> of = list(in.b);
            const bool is_there = number(of[2]) >= 0 && number(of[2]) < number(of[1]);
            R[in.a] = is_there ? load_scalar(DType::i64, address(of[0]) + 8 * number(of[2])) : R[of[3]];
            break;
        }
        case Opcode::scalar_value: R[in.a] = load_scalar(DType(in.x), tensor(in.b)->data); break;
        case Opcode::tag: R[in.a] = object(in.b)->tag; break;
        case Opcode::field: put(in.a, reinterpret_cast<DataObject*>(R[in.b])->fields[in.c]); break;
        case Opcode::bound_dim: R[in.a] = uint64_t(reinterpret_cast<DataObject*>(R[in.b])->dims()[in.c]); break;
        case Opcode::seq_length: R[in.a] = object(in.b)->count; break;
        case Opcode::seq_get: case Opcode::seq_set: {
            std::span<const uint32_t> parts = in.op == Opcode::seq_set ? list(in.b) : std::span<const uint32_t>();
            auto* seq = reinterpret_cast<SeqObject*>(R[parts.empty() ? in.b : parts[0]]);
            int64_t index = number(parts.empty() ? in.c : parts[1]);
            if (uint64_t(index) >= seq->count)
                return current_ = frame, fault(at, Code::value, "index " + std::to_string(index) + " is out of range for a Seq of length " +
                                                                    std::to_string(seq->count));
            if (parts.empty()) {
                put(in.a, seq->items->at[index]);
                break;
            }
            SeqObject* changed = heap_.set(seq, index, object(parts[2]));
            if (!changed) return current_ = frame, out_of_memory(at);
            put(in.a, changed);
            break;
        }
        case Opcode::seq_push: {
            SeqObject* longer = heap_.push(reinterpret_cast<SeqObject*>(R[in.b]), object(in.c));
            if (!longer) return current_ = frame, out_of_memory(at);
            put(in.a, longer);
            break;
        }
        case Opcode::seq_stack: {
            auto* seq = reinterpret_cast<SeqObject*>(R[in.b]);
            if (list(in.c).empty()) {
                Result<TensorObject*> stacked = stack(heap_, DType(in.x), *seq);
                if (!stacked) return current_ = frame, fault(at, stacked.error().code, stacked.error().message);
                if (!*stacked) return current_ = frame, out_of_memory(at);
                put(in.a, *stacked);
                break;
            }
            TensorObject* made = heap_.new_tensor(DType(in.x), gather(list(in.c)));
            if (!made) return current_ = frame, out_of_memory(at);
            int64_t bytes = size_of(DType(in.x));
            for (uint32_t i = 1; i < made->count; ++i) bytes *= made->dims[i];
            for (uint32_t i = 0; i < seq->count; ++i)
                std::memcpy(made->data + int64_t(i) * bytes, static_cast<TensorObject*>(seq->items->at[i])->data, size_t(bytes));
            put(in.a, made);
            break;
        }
        case Opcode::tensor_own: {
            auto* tensor = reinterpret_cast<TensorObject*>(R[in.b]);
            TensorObject* own = heap_.own(tensor);
            if (!own) return current_ = frame, out_of_memory(at);
            if (trace_ && own != tensor) trace_->copy(own->data, tensor->data, extent_product(own->extents()) * size_of(own->dtype));
            if (own != tensor) heap_.release(tensor);
            put(in.a, own);
            break;
        }
        case Opcode::ref_read: put(in.a, reinterpret_cast<RefObject*>(R[in.b])->content); break;
        case Opcode::ref_write: heap_.write(reinterpret_cast<RefObject*>(R[in.a]), object(in.b)); break;
        case Opcode::retain: Heap::retain(object(in.a)); break;
        case Opcode::release: heap_.release(object(in.a)); break;
        case Opcode::equal: R[in.a] = heap_.equal(object(in.b), object(in.c)); break;
        case Opcode::print: print(exe.sites[in.a], list(in.b), list(in.c), R); break;
        case Opcode::seq_concat: {
            Result<TensorObject*> joined = concat(heap_, DType(in.x), *reinterpret_cast<SeqObject*>(R[in.b]), number(in.c));
            if (!joined) return current_ = frame, fault(at, joined.error().code, joined.error().message);
            if (!*joined) return current_ = frame, out_of_memory(at);
            put(in.a, *joined);
            break;
        }
        case Opcode::observe: {
            std::span<const uint32_t> to = list(in.c);
            looked_.resize(to.size());
            observe(*program_, in.a, object(in.b), looked_);
            for (size_t i = 0; i < to.size(); ++i) R[to[i]] = uint64_t(looked_[i]);
            break;
        }
        case Opcode::check_fit: {
            std::span<const uint32_t> parts = list(in.c);
            looked_.clear();
            for (uint32_t reg : parts.subspan(1)) looked_.push_back(number(reg));
            std::optional<Mismatch> misfit = find_mismatch(*program_, in.b, object(parts[0]), looked_);
            if (misfit) return current_ = frame, fault(exe.sites[in.a], exe.sites[in.a].code, mismatch_text(exe.sites[in.a], *misfit));
            break;
        }
        }
    }
}
} // namespace nereus
