// exe/fields.h - the fields of every struct of an executable, named once: the artefact and the text form, both ways,
// walk these lists and cannot get out of step. A change here is a new artefact version.
#pragma once
#include "exe/executable.h"
#include <algorithm>
#include <array>

namespace nereus {
template <class E> struct EnumNames;                      // of every enum that is stored, in order
template <> struct EnumNames<IntSource::Kind> {
    static constexpr std::string_view names[] = {"constant", "plan", "reg"};
};
template <> struct EnumNames<LaunchBuffer::Kind> {
    static constexpr std::string_view names[] = {"slot", "address", "object", "weights", "texts"};
};
template <> struct EnumNames<DoorType::Kind> {
    static constexpr std::string_view names[] = {"tensor", "tuple", "record", "data", "seq"};
};
template <> struct EnumNames<DoorLeaf::Kind> {
    static constexpr std::string_view names[] = {"number", "address", "object"};
};
template <> struct EnumNames<DType> {
    static constexpr auto names = [] {
        std::array<std::string_view, dtype_count> all;
        for (int i = 0; i < dtype_count; ++i) all[size_t(i)] = dtype_name(DType(i));
        return all;
    }();
};
template <> struct EnumNames<Code> {
    static constexpr std::string_view names[] = {"usage",  "parse",       "name",      "type",    "shape",
                                                 "value",  "unsupported", "io",        "corrupt", "mismatch",
                                                 "memory", "limit",       "cancelled", "deadline", "internal"};
};

// A writer sees constants, a reader fills them in.
template <class A, class T> using Seen = std::conditional_t<A::writes, const T, T>;

template <class A> void fields(A& a, Seen<A, IntSource>& x) {
    a.field("kind", x.kind), a.field("value", x.value);
}
template <class A> void fields(A& a, Seen<A, LaunchBuffer>& x) {
    a.field("kind", x.kind), a.field("index", x.index), a.field("bytes", x.bytes);
}
template <class A> void fields(A& a, Seen<A, LaunchGroup>& x) {
    a.field("extents", x.extents), a.field("strides", x.strides);
}
template <class A> void fields(A& a, Seen<A, LaunchInfo>& x) {
    a.field("kernel", x.kernel), a.field("buffers", x.buffers), a.field("groups", x.groups),
        a.field("scalars", x.scalars);
    a.field("late", x.late), a.field("site", x.site), a.field("step", x.step), a.field("scratch", x.scratch);
}
template <class A> void fields(A& a, Seen<A, GroupLayout>& x) {
    a.field("buffers", x.buffers), a.field("keep_axes", x.keep_axes);
}
template <class A> void fields(A& a, Seen<A, GridLayout::Dim>& x) {
    a.field("group", x.group), a.field("tile", x.tile), a.field("by_row", x.by_row);
}
template <class A> void fields(A& a, Seen<A, GridLayout>& x) {
    a.field("dims", x.dims), a.field("work", x.work), a.field("target", x.target), a.field("align", x.align);
}
template <class A> void fields(A& a, Seen<A, ParamLayout>& x) {
    a.field("groups", x.groups), a.field("buffers", x.buffers), a.field("scalars", x.scalars),
        a.field("grid", x.grid);
}
template <class A> void fields(A& a, Seen<A, KernelInfo>& x) {
    a.field("name", x.name), a.field("offset", x.offset), a.field("library", x.library),
        a.field("scratch", x.scratch);
    a.field("layout", x.layout), a.field("outs", x.outs);
}
template <class A> void fields(A& a, Seen<A, SlotInfo>& x) {
    a.field("bytes", x.bytes), a.field("first", x.first), a.field("last", x.last),
        a.field("more", x.more);
}
template <class A> void fields(A& a, Seen<A, RegionInfo>& x) {
    a.field("function", x.function), a.field("key", x.key), a.field("plan_begin", x.plan_begin);
    a.field("plan_registers", x.plan_registers), a.field("slots", x.slots), a.field("prefixes", x.prefixes);
    a.field("lists", x.lists);
}
template <class A> void fields(A& a, Seen<A, FunctionInfo>& x) {
    a.field("name", x.name), a.field("begin", x.begin), a.field("end", x.end), a.field("registers", x.registers);
    a.field("params", x.params), a.field("results", x.results);
}
template <class A> void fields(A& a, Seen<A, Span>& x) {
    a.field("source", x.source), a.field("line", x.line), a.field("column", x.column), a.field("length", x.length);
}
template <class A> void fields(A& a, Seen<A, NodeLine>& x) { a.field("line", x.line), a.field("node", x.node); }
template <class A> void fields(A& a, Seen<A, SourceInfo>& x) { a.field("path", x.path), a.field("sum", x.sum), a.field("nodes", x.nodes); }
template <class A> void fields(A& a, Seen<A, Site>& x) {
    a.field("code", x.code), a.field("what", x.what), a.field("hint", x.hint), a.field("where", x.where);
}
template <class A> void fields(A& a, Seen<A, PlaceMark>& x) {
    a.field("instruction", x.instruction), a.field("site", x.site);
}
template <class A> void fields(A& a, Seen<A, DoorType>& x) {
    a.field("kind", x.kind), a.field("dtype", x.dtype), a.field("ranked", x.ranked), a.field("axes", x.axes);
    a.field("names", x.names), a.field("fields", x.fields), a.field("bound", x.bound);
    a.field("shared", x.shared);
}
template <class A> void fields(A& a, Seen<A, DoorParam>& x) { a.field("name", x.name), a.field("type", x.type), a.field("model_name", x.model_name); }
template <class A> void fields(A& a, Seen<A, DoorLeaf>& x) { a.field("kind", x.kind), a.field("type", x.type); }
template <class A> void fields(A& a, Seen<A, EntryInfo>& x) {
    a.field("name", x.name), a.field("where", x.where), a.field("function", x.function), a.field("sizes", x.sizes),
        a.field("size_names", x.size_names);
    a.field("params", x.params), a.field("param_leaves", x.param_leaves), a.field("result_type", x.result_type);
    a.field("result_leaves", x.result_leaves), a.field("result_names", x.result_names);
}
using ListPlace = std::pair<uint32_t, uint32_t>;
template <class A> void fields(A& a, Seen<A, ListPlace>& x) {
    a.field("offset", x.first), a.field("length", x.second);
}
} // namespace nereus
