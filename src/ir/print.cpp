#include "ir/print.h"
#include "ir/print_function.h"

namespace nereus {
std::string print(const Module& module, FunctionId function, PrintOptions options) {
    ModuleNames names(module);
    return FunctionPrinter(module, names, module[function], options).run();
}

std::string to_string(const Module& module, TypeId type) {
    ModuleNames names(module);
    return TypePrinter(module, names).type(type);
}

namespace {
std::string decl_text(const TypeDecl& decl, TypePrinter& types) {
    std::string text = std::string(decl.from_prelude ? "prelude " : "") + "type " + decl.name, list;
    for (const TypeParam& param : decl.params) list += (list.empty() ? "[" : ", ") + types.type_param(param);
    text += list.empty() ? " = " : list + "] = ";
    if (decl.is_record) {
        const Constructor& record = decl.constructors[0];
        for (size_t i = 0; i < record.fields.size(); ++i)
            text += (i ? ", " : "{") + record.field_names[i] + ": " + types.type(record.fields[i]);
        return text + "}\n";
    }
    for (size_t i = 0; i < decl.constructors.size(); ++i) {
        const Constructor& constructor = decl.constructors[i];
        text += (i ? " | " : "") + constructor.name;
        for (size_t k = 0; k < constructor.dims.size(); ++k)
            text += (k ? ", " : "[") + types.plain(constructor.dims[k]);
        if (!constructor.dims.empty()) text += "]";
        for (size_t k = 0; k < constructor.fields.size(); ++k)
            text += (k ? ", " : "(") + types.type(constructor.fields[k]);
        if (!constructor.fields.empty()) text += ")";
    }
    return text + "\n";
}
std::string print_decl(const Module& m, const ModuleNames& names, const TypeDecl& decl) {
    TypePrinter counting(m, names), types(m, names);     // a `?` that occurs once has no number
    decl_text(decl, counting);
    types.counts = &counting.mentions;
    return decl_text(decl, types);
}
} // namespace

std::string print(const Module& module, PrintOptions options) {
    std::string out;
    ModuleNames names(module);
    for (const TypeDecl& decl : module.decls) out += print_decl(module, names, decl);
    for (const Function& function : module.functions) {
        if (!out.empty()) out += "\n";
        out += FunctionPrinter(module, names, function, options).run();
    }
    return out;
}

bool same_module(const Module& a, const Module& b) {
    PrintOptions options{.numbered = true};
    return print(a, options) == print(b, options);
}
} // namespace nereus
