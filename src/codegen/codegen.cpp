// Drives LLVM: one module, no IR passes beyond turning variables into phi nodes, code generation at level Less
// (as fast code as the higher levels on IR that already has its vectors and a good order), then our own linker.
#include "codegen/codegen.h"
#include "codegen/link.h"
#include "codegen/plans.h"
#include "exe/cpu.h"
#include <atomic>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Pass.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

namespace nereus {
namespace {
const llvm::Target* x86() {
    static const llvm::Target* target = [] {             // LLVM keeps its targets in globals of its own
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        // The IR has its induction variables and its order already; both passes cost a third of compile time here.
        const char* flags[] = {"nereus", "-disable-lsr", "-enable-misched=false"};
        llvm::cl::ParseCommandLineOptions(3, flags);
        std::string error;
        return llvm::TargetRegistry::lookupTarget("x86_64-unknown-linux-gnu", error);
    }();
    return target;
}

std::unique_ptr<llvm::TargetMachine> machine_for(const Target& target) {
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // products are fused where the loop IR says so
    std::string cpu = "x86-64-v" + std::to_string(target.level);
    return std::unique_ptr<llvm::TargetMachine>(
        x86()->createTargetMachine("x86_64-unknown-linux-gnu", cpu, "", options, llvm::Reloc::PIC_,
                                   llvm::CodeModel::Small, llvm::CodeGenOptLevel::Less));
}

// Comes last for every function: its code is written then.
class Counter : public llvm::FunctionPass {
 public:
    Counter(const std::function<void(int64_t, int64_t)>& tell, int64_t of) : FunctionPass(id_), tell_(tell), of_(of) {}
    bool runOnFunction(llvm::Function&) override {
        tell_(++done_, of_);
        return false;
    }

 private:
    static char id_;                                     // LLVM tells passes apart by its address
    const std::function<void(int64_t, int64_t)>& tell_;
    int64_t done_ = 0, of_;
};
char Counter::id_ = 0;

std::string entry_name(size_t i) { return "k" + std::to_string(i); }

void emit_kernels(llvm::Module& module, std::span<const loop::Scheduled> kernels, const Target& target,
                  const CodegenOptions& options) {
    for (size_t i = 0; i < kernels.size(); ++i) {
        cg::Emitter emitter(module, entry_name(i), kernels[i], target, options);
        std::visit([&](const auto& plan) { cg::emit_plan(emitter, plan); }, kernels[i].plan);
        emitter.finish();
    }
}
} // namespace

Result<Target> target_named(std::string_view name) {
    Target target{.name = std::string(name), .tune = "", .level = 0, .machine = {}};
    if (name == "host") {
        target.level = cpu_level();
        target.tune = llvm::sys::getHostCPUName().str();
    }
    for (int level : {2, 3, 4})
        if (name == "x86-64-v" + std::to_string(level)) target.level = level;
    switch (target.level) {
    case 2: target.machine = {.vector_bytes = 16}; return target;
    case 3: target.machine = {.vector_bytes = 32, .fma = true}; return target;
    case 4: target.machine = {.vector_bytes = 64, .vector_registers = 32, .masks = true, .fma = true}; return target;
    default: break;
    }
    if (name == "host")
        return Error{Code::unsupported, "this processor lacks SSE4.2, the least that is supported"};
    return Error{Code::usage, "no target named '" + std::string(name) + "'", {},
                 "x86-64-v2, x86-64-v3, x86-64-v4 or host"};
}

namespace {
std::atomic<int64_t> runs = 0;
}
int64_t codegen_runs() { return runs.load(std::memory_order_relaxed); }

Result<MachineCode> codegen(std::span<const loop::Scheduled> kernels, const Target& target,
                            const CodegenOptions& options) {
    runs.fetch_add(1, std::memory_order_relaxed);
    llvm::LLVMContext context;
    llvm::Module module("kernels", context);
    std::unique_ptr<llvm::TargetMachine> machine = machine_for(target);
    module.setDataLayout(machine->createDataLayout());
    module.setTargetTriple("x86_64-unknown-linux-gnu");
    emit_kernels(module, kernels, target, options);
    std::string problem;
    llvm::raw_string_ostream problems(problem);
    if (llvm::verifyModule(module, &problems))
        return Error{Code::internal, "code generator wrote invalid IR: " + problem};

    llvm::SmallVector<char, 0> object;
    llvm::raw_svector_ostream stream(object);
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
        return Error{Code::internal, "LLVM cannot write objects for this target"};
    if (options.progress) passes.add(new Counter(options.progress, int64_t(kernels.size())));        // the manager owns it
    passes.run(module);

    Linked linked = TRY(link(std::as_bytes(std::span(object.data(), object.size()))));
    MachineCode code{.blob = std::move(linked.blob), .entries = {}, .level = target.level};
    for (size_t i = 0; i < kernels.size(); ++i) code.entries.push_back(linked.entries.at(entry_name(i)));
    return code;
}

std::string llvm_text(const loop::Scheduled& kernel, const Target& target, const CodegenOptions& options) {
    llvm::LLVMContext context;
    llvm::Module module("kernels", context);
    module.setDataLayout(machine_for(target)->createDataLayout());
    emit_kernels(module, {&kernel, 1}, target, options);
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream, nullptr);
    return text;
}
} // namespace nereus
