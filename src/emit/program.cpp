#include "emit/program.h"
#include "base/diagnostics.h"
#include "exe/checksum.h"
#include "ir/instantiate.h"

namespace nereus {
uint32_t EmitProgram::constant(int64_t value) {
    auto [it, fresh] = constants.emplace(value, uint32_t(exe.constants.size()));
    if (fresh) exe.constants.push_back(value);
    return it->second;
}

uint32_t EmitProgram::list(std::vector<uint32_t> registers) {
    auto [it, fresh] = lists.emplace(registers, uint32_t(exe.lists.size()));
    if (fresh) {
        exe.lists.emplace_back(uint32_t(exe.operands.size()), uint32_t(registers.size()));
        exe.operands.insert(exe.operands.end(), registers.begin(), registers.end());
    }
    return it->second;
}

namespace {
// A sum of some of them: those of a mapped file need not come to memory to see that they differ from others.
uint64_t sum_of_some(std::span<const std::byte> bytes) {
    constexpr size_t part = 4096;
    if (bytes.size() <= 3 * part) return checksum(bytes);
    Checksum sum(bytes.size());
    for (size_t at : {size_t(0), (bytes.size() - part) / 2, bytes.size() - part}) sum.add(bytes.subspan(at, part));
    return sum.sum();
}
} // namespace

uint32_t EmitProgram::weight(HeldBytes bytes, DType dtype) {
    const uint64_t sum = sum_of_some(bytes.bytes());
    auto [like, end] = weights.equal_range(sum);
    for (; like != end; ++like) {
        const HeldBytes& known = exe.weights[like->second];
        if (known == bytes && uintptr_t(known.data()) % uintptr_t(size_of(dtype)) == 0) return like->second;      // bytes of a file may lie anywhere
    }
    const uint32_t index = uint32_t(exe.weights.size());
    exe.weights.push_back(std::move(bytes));
    weights.emplace(sum, index);
    return index;
}

uint32_t EmitProgram::weight(const std::shared_ptr<const HostTensor>& tensor) {
    auto [it, fresh] = given_weights.try_emplace(tensor.get());
    if (fresh) it->second = weight(HeldBytes({tensor, tensor->bytes()}, size_t(tensor->byte_size())), tensor->dtype());
    return it->second;
}

uint32_t EmitProgram::texts(const std::vector<std::string_view>& elements) {
    std::vector<uint32_t> key;
    for (std::string_view text : elements) {
        auto it = text_places.find(text);
        if (it == text_places.end()) {
            it = text_places.emplace(text, uint32_t(exe.texts.size())).first;
            exe.texts.emplace_back(text);
        }
        key.push_back(it->second);
    }
    auto [it, fresh] = text_constants.try_emplace(key);
    if (!fresh) return it->second;
    constexpr size_t aligned = 64 / sizeof(uint32_t);
    exe.text_constants.resize((exe.text_constants.size() + aligned - 1) / aligned * aligned);
    it->second = uint32_t(exe.text_constants.size());
    exe.text_constants.insert(exe.text_constants.end(), key.begin(), key.end());
    return it->second;
}

Span EmitProgram::place(Span span) {
    if (!span.known() || size_t(span.source) >= module().sources.size() || span.line < 1 || span.column < 1) return {};
    auto [it, fresh] = sources.emplace(span.source, int32_t(exe.sources.size()));
    if (fresh) {
        const SourceText& from = module().sources[size_t(span.source)];
        exe.sources.push_back({from.path, int64_t(checksum(std::as_bytes(std::span(from.text)))), {}});
    }
    span.source = it->second;
    return span;
}

void EmitProgram::name_nodes() {
    for (const auto& [of_module, number] : sources) {
        const SourceText& from = module().sources[size_t(of_module)];
        if (!is_of_model(from)) continue;
        std::set<int32_t> blamed;
        for (const Site& each : exe.sites)
            if (each.where.source == number) blamed.insert(each.where.line);
        for (auto& [line, node] : nodes_at(from, blamed)) exe.sources[size_t(number)].nodes.push_back({line, node});
    }
}

uint32_t EmitProgram::site(Code code, std::string what, Span span, std::string hint) {
    Site made{code, std::move(what), std::move(hint), place(span)};
    for (size_t i = exe.sites.size(); i-- > 0 && i + 8 > exe.sites.size();)        // neighbours often agree
        if (exe.sites[i] == made) return uint32_t(i);
    exe.sites.push_back(std::move(made));
    return uint32_t(exe.sites.size() - 1);
}

void EmitProgram::mark(uint32_t site) {
    uint32_t at = uint32_t(exe.code.size());
    if (!exe.marks.empty() && exe.marks.back().site == site) return;
    if (!exe.marks.empty() && exe.marks.back().instruction == at) exe.marks.back().site = site;
    else exe.marks.push_back({at, site});
}

// Sizes are not asked for here, so that a type which holds itself with other sizes is one type.
TypeId EmitProgram::without_sizes(TypeId id) {
    if (auto it = unsized.find(id); it != unsized.end()) return it->second;
    Type type = module().types[id];                      // a copy: interning moves the table
    const Dim none = module().dims.constant(0);
    for (Dim& d : type.shape.dims) d = none;
    for (TypeId& part : type.parts) part = without_sizes(part);
    for (TypeArg& arg : type.args) {
        if (TypeId* inner = std::get_if<TypeId>(&arg)) arg = without_sizes(*inner);
        if (std::holds_alternative<Dim>(arg)) arg = none;
        if (Shape* shape = std::get_if<Shape>(&arg)) shape->dims.assign(shape->dims.size(), none);
    }
    return unsized[id] = module().types.intern(std::move(type));
}

Result<uint32_t> EmitProgram::plain_door_type(TypeId sized, const std::string& who) {
    const TypeId id = without_sizes(sized);
    auto [it, fresh] = door_types.emplace(id, uint32_t(exe.door_types.size()));
    if (!fresh) return it->second;
    uint32_t index = it->second;
    exe.door_types.emplace_back();                       // its number is taken before its parts, which may name it
    const Type type = module().types[id];
    DoorType made;
    switch (type.kind) {
    case TypeKind::tensor:
        made.kind = DoorType::Kind::tensor;
        made.dtype = *type.element.dtype;
        made.ranked = type.shape.ranked;
        made.axes.assign(type.shape.dims.size(), -1);
        break;
    case TypeKind::tuple:
        made.kind = DoorType::Kind::tuple;
        made.fields.emplace_back();
        for (TypeId part : type.parts) made.fields[0].push_back(TRY(plain_door_type(part, who)));
        break;
    case TypeKind::seq:
        made.kind = DoorType::Kind::seq;
        made.fields = {{TRY(plain_door_type(type.parts[0], who))}};
        break;
    case TypeKind::data: {
        const TypeDecl& decl = module().decls[type.decl.index];
        if (++unfolding[type.decl] > most_unfoldings)
            return Error{Code::limit, "the type of " + who + " unfolds without end: " + decl.name + " holds itself with larger ones in it", {},
                         "take it apart in the program, or let it hold itself as it is: type L[a] = N | C(a, L[a])"};
        made.kind = decl.is_record ? DoorType::Kind::record : DoorType::Kind::data;
        for (uint32_t c = 0; c < decl.constructors.size(); ++c) {
            const Constructor& constructor = decl.constructors[c];
            if (!decl.is_record) made.names.push_back(constructor.name);
            else made.names = constructor.field_names;
            if (!decl.is_record) made.bound.push_back(uint32_t(constructor.dims.size()));
            made.fields.emplace_back();
            for (TypeId field : instantiate_fields(module(), id, c))
                made.fields[c].push_back(TRY(plain_door_type(field, who)));
        }
        --unfolding[type.decl];
        break;
    }
    case TypeKind::hole: case TypeKind::var: case TypeKind::function: case TypeKind::ref:
        made.kind = DoorType::Kind::tuple;               // opaque: printed as (); the driver refuses it in signatures
        made.fields.emplace_back();
        break;
    }
    exe.door_types[index] = std::move(made);
    return index;
}
} // namespace nereus
