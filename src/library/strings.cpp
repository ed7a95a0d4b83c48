// Texts that a kernel makes are held by the call: Worker::texts.
#include "library/kernels.h"
#include "library/params.h"
#include "strings/letters.h"
#include "strings/match.h"
#include "strings/number.h"
#include "strings/split.h"
#include "tensor/texts.h"
#include <optional>

namespace nereus {
namespace {
class Elements {
 public:
    Elements(const Launch* launch, int64_t task_begin, int64_t task_end, Worker* worker)
        : launch_(launch), worker_(worker), group_(launch, 0), task_(task_begin), items_(items_of(launch, task_begin, task_end, group_.points)) {}

    // f(i) for each element, until one does not give `none`.
    template <class F> int32_t each(F f) {
        for (int64_t i = items_.begin; i < items_.end; ++i)
            if (const Fault fault = f(i); fault != Fault::none) return int32_t(fault);
        return 0;
    }
    std::byte* at(int buffer, int64_t i) const { return static_cast<std::byte*>(launch_->buf[buffer]) + group_.offset(buffer, i); }
    Text number(int buffer, int64_t i) const { return load_element<Text>(at(buffer, i)); }
    std::string_view text(int buffer, int64_t i) const { return text_of(number(buffer, i)); }
    int64_t scalar(int s) const { return launch_->p[2 + 3 + s]; }        // of a launch with one group

    Fault put(int buffer, int64_t i, std::string_view text) const {
        if (!worker_->texts->has_room(text.size())) return fail(Fault::memory, 0);
        store_element(at(buffer, i), worker_->texts->make(text));
        return Fault::none;
    }
    Fault has_room(size_t bytes) const { return worker_->texts->has_room(bytes) ? Fault::none : fail(Fault::memory, 0); }
    Fault tell(std::string_view what) const { return fail(Fault::told, worker_->texts->make(what).number); }

 private:
    Fault fail(Fault fault, int64_t value) const {
        if (task_ < launch_->err->task) *launch_->err = {.task = task_, .fault = int32_t(fault), .operand = 0, .index = 0, .value = value, .size = 0};
        return fault;
    }
    const Launch* launch_;
    Worker* worker_;
    GroupParams group_;
    int64_t task_;
    Tasks items_;
};

int32_t concat(const Launch* launch, int64_t begin, int64_t end, Worker* worker) {
    Elements all(launch, begin, end, worker);
    std::string joined;
    return all.each([&](int64_t i) {
        const std::string_view a = all.text(0, i), b = all.text(1, i);
        if (a.size() + b.size() > longest_text) return all.tell(too_long);
        if (const Fault full = all.has_room(a.size() + b.size()); full != Fault::none) return full;
        joined.assign(a).append(b);
        return all.put(2, i, joined);
    });
}

template <auto map> int32_t map_each(const Launch* launch, int64_t begin, int64_t end, Worker* worker) {
    Elements all(launch, begin, end, worker);
    return all.each([&](int64_t i) { return all.put(1, i, map(all.text(0, i))); });
}

int32_t match(const Launch* launch, int64_t begin, int64_t end, Worker* worker) {
    Elements all(launch, begin, end, worker);
    std::optional<Matcher> matcher;                      // of the pattern of the element before: mostly all have one
    Text of;
    return all.each([&](int64_t i) {
        if (const Text pattern = all.number(1, i); !matcher || pattern.number != of.number) {
            Result<Matcher> compiled = Matcher::of(text_of(pattern));
            if (!compiled) return all.tell(compiled.error().message);
            matcher = std::move(*compiled);
            of = pattern;
        }
        store_element(all.at(2, i), matcher->matches_all(all.text(0, i)));
        return Fault::none;
    });
}

int32_t count(const Launch* launch, int64_t begin, int64_t end, Worker* worker) {
    Elements all(launch, begin, end, worker);
    return all.each([&](int64_t i) {
        store_element(all.at(2, i), int64_t(parts_of(all.text(0, i), all.text(1, i), all.scalar(0)).size()));
        return Fault::none;
    });
}

int32_t part(const Launch* launch, int64_t begin, int64_t end, Worker* worker) {
    Elements all(launch, begin, end, worker);
    std::vector<std::string_view> parts;                 // of the element before: its neighbours are mostly other parts of it
    std::optional<std::pair<uint32_t, uint32_t>> of;
    return all.each([&](int64_t i) {
        const std::pair<uint32_t, uint32_t> now(all.number(0, i).number, all.number(1, i).number);
        if (of != now) parts = parts_of(all.text(0, i), all.text(1, i), all.scalar(0));
        of = now;
        const int64_t wanted = load_element<int64_t>(all.at(2, i));
        return all.put(3, i, wanted >= 0 && wanted < int64_t(parts.size()) ? parts[size_t(wanted)] : std::string_view());
    });
}

int32_t from_number(const Launch* launch, int64_t begin, int64_t end, Worker* worker) {
    Elements all(launch, begin, end, worker);
    const DType dtype = DType(all.scalar(0));
    return all.each([&](int64_t i) { return all.put(1, i, number_text(dtype, all.at(0, i))); });
}

int32_t to_number(const Launch* launch, int64_t begin, int64_t end, Worker* worker) {
    Elements all(launch, begin, end, worker);
    const DType dtype = DType(all.scalar(0));
    const StoreRule rule{all.scalar(1) != 0, Rounding(all.scalar(2))};
    return all.each([&](int64_t i) {
        const Status read = read_number(dtype, all.text(0, i), rule, all.at(1, i));
        return read ? Fault::none : all.tell(read.error().message);
    });
}

constexpr Kernel kernels[] = {concat, map_each<lower_case>, map_each<upper_case>, match, count, part, from_number, to_number};
constexpr std::string_view names[] = {"str_concat", "str_lower", "str_upper", "str_match", "str_count", "str_part", "str_from_", "str_to_"};
static_assert(std::size(kernels) == std::size(names));
} // namespace

std::span<const Kernel> string_kernels() { return kernels; }
std::optional<uint32_t> string_kernel_index(std::string_view name) {
    for (size_t i = 0; i < std::size(names); ++i)
        if (names[i].ends_with('_') ? name.starts_with(names[i]) : name == names[i]) return uint32_t(i);
    return std::nullopt;
}
} // namespace nereus
