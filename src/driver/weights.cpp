#include "driver/weights.h"
#include "pass/literals.h"
#include "value/inside_folder.h"
#include "value/npz.h"
#include <filesystem>
#include <functional>
#include <map>

namespace nereus {
namespace {
Status for_each_given(Module& module, const std::function<Status(Binding&)>& look) {
    for (Function& f : module.functions)
        for (Binding& b : f.bindings)
            if (b.form == Form::literal && b.literal.kind == Literal::Kind::given) TRY(look(b));
    return {};
}
} // namespace

Status write_weights(Module& module, const std::string& file) {
    std::map<const HostTensor*, std::string> names;
    std::map<std::string, int> taken;
    std::vector<Field> fields;
    TRY(for_each_given(module, [&](Binding& b) -> Status {
        auto [it, is_new] = names.try_emplace(b.literal.given.get(), b.literal.text);
        if (is_new) {
            while (int again = taken[it->second]++) it->second = b.literal.text + "_" + std::to_string(again);
            fields.push_back({it->second, Value::tensor(*b.literal.given)});
        }
        b.literal.text = it->second;
        b.literal.texts = {std::filesystem::path(file).filename().string()};
        return {};
    }));
    return write_npz(file, fields);
}

Status read_weights(Module& module, const std::optional<std::string>& folder) {
    std::map<std::string, std::map<std::string, Literal>> files;
    return for_each_given(module, [&](Binding& b) -> Status {
        if (b.literal.given) return {};
        const std::string name = b.literal.text, file = b.literal.texts[0];
        auto [it, is_new] = files.try_emplace(file);
        auto read = [&]() -> Status {
            if (!folder) return Error{Code::io, "cannot read '" + file + "': weights are not allowed here"};
            for (Field& field : TRY(read_npz_arrays(TRY(inside_folder(*folder, file)))))
                it->second.emplace(field.name, given_literal(field.value.tensor(), field.name));
            return {};
        };
        Status done = is_new ? read() : Status();
        if (done && !it->second.contains(name)) done = Error{Code::io, "there is no weight '" + name + "' in '" + file + "'"};
        if (!done) {
            Error error = std::move(done).error();
            error.where = b.span;
            return error;
        }
        b.literal = it->second.at(name);
        return {};
    });
}
} // namespace nereus
