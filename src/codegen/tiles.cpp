#include "codegen/tiles.h"
#include "codegen/body.h"
#include <llvm/IR/Module.h>

namespace nereus::cg {
namespace {
// Both functions take these, in this order; the driver has height and vectors before them.
enum Argument : unsigned {
    left, left_row, left_at, left_step, right, right_at, right_step, chunks, length, sums, sums_row, lanes, fresh, arguments
};

std::vector<Type*> argument_types(llvm::LLVMContext& c) {
    Type *pointer = llvm::PointerType::get(c, 0), *word = Type::getInt64Ty(c);
    return {pointer, word, pointer, word, pointer, pointer, word, word, word, pointer, word, word, Type::getInt1Ty(c)};
}

std::string name_of(const TileTypes& t) {
    return std::string(dtype_name(t.left)) + "_" + std::string(dtype_name(t.right)) + "_" + std::string(dtype_name(t.sum));
}

llvm::Function* new_function(llvm::Module& module, const std::string& name, unsigned more) {
    llvm::LLVMContext& c = module.getContext();
    std::vector<Type*> types(more, Type::getInt64Ty(c));
    for (Type* type : argument_types(c)) types.push_back(type);
    auto* type = llvm::FunctionType::get(Type::getVoidTy(c), types, false);
    auto* made = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
    for (unsigned pointer : {left, left_at, right, right_at}) {
        made->addParamAttr(more + pointer, llvm::Attribute::ReadOnly);
        made->addParamAttr(more + pointer, llvm::Attribute::NoCapture);
    }
    return made;
}

// Registers hold integers widened to the type of the sums, small floats as f32.
Value* in_register(FunctionWriter& e, Value* loaded, DType from, DType to) {
    if (is_float(to) || from == to) return loaded;
    Type* type = loaded->getType()->getWithNewType(e.scalar_type(to));
    return is_unsigned(from) ? e.ir.CreateZExt(loaded, type) : e.ir.CreateSExt(loaded, type);
}

// The steps are not unrolled: the processor overlaps them, and an unrolled body spills its sums.
llvm::Function* tile(llvm::Module& module, const Target& target, const TileTypes& t, int height, int vectors) {
    const std::string name = "tile_" + name_of(t) + "_" + std::to_string(height) + "x" + std::to_string(vectors);
    if (llvm::Function* known = module.getFunction(name)) return known;
    llvm::Function* made = new_function(module, name, 0);
    FunctionWriter e(module, made, target);
    IR& ir = e.ir;
    auto given = [&](Argument a) { return made->getArg(a); };
    const int64_t right_bytes = t.width * size_of(t.right), sum_bytes = t.width * size_of(t.sum);
    Value* mask = target.machine.masks ? e.first_lanes(given(lanes), t.width) : nullptr;
    auto mask_of = [&](int v) { return v + 1 == vectors ? mask : nullptr; };
    std::vector<Value*> row_offsets;
    for (int r = 0; r < height; ++r) row_offsets.push_back(ir.CreateMul(given(left_row), e.i64(r)));
    Value* zero = llvm::Constant::getNullValue(e.vector_type(t.sum, t.width));
    std::vector<FunctionWriter::Var> totals;
    for (int i = 0; i < height * vectors; ++i) totals.push_back(e.var(zero));
    FunctionWriter::Var at_left = e.var(ir.getPtrTy()), at_right = e.var(ir.getPtrTy());
    auto start = [&](FunctionWriter::Var at, Argument base, Argument offsets, Value* chunk) {
        Value* offset = ir.CreateLoad(ir.getInt64Ty(), ir.CreateGEP(ir.getInt64Ty(), given(offsets), chunk));
        e.set(at, e.step_by(given(base), offset));
    };
    e.loop(e.i64(0), given(chunks), 1, [&](Value* chunk) {
        start(at_left, left, left_at, chunk);
        start(at_right, right, right_at, chunk);
        e.loop(e.i64(0), given(length), 1, [&](Value*) {
            std::vector<Value*> columns;
            for (int v = 0; v < vectors; ++v) {
                Value* from = e.step_by(e.get(at_right), e.i64(v * right_bytes));
                columns.push_back(in_register(e, e.load(t.right, from, t.width, mask_of(v)), t.right, t.sum));
            }
            for (int r = 0; r < height; ++r) {
                Value* number = e.load(t.left, e.step_by(e.get(at_left), row_offsets[size_t(r)]));
                Value* factor = e.splat(in_register(e, number, t.left, t.sum), t.width);
                for (int v = 0; v < vectors; ++v) {
                    FunctionWriter::Var total = totals[size_t(r * vectors + v)];
                    Value* column = columns[size_t(v)];
                    e.set(total, is_float(t.sum) ? emit_fma(e, factor, column, e.get(total))
                                                 : ir.CreateAdd(ir.CreateMul(factor, column), e.get(total)));
                }
            }
            e.set(at_left, e.step_by(e.get(at_left), given(left_step)));
            e.set(at_right, e.step_by(e.get(at_right), given(right_step)));
        });
    });
    auto each_sum = [&](const std::function<void(Value * total, Value * place, Value * lanes_of)>& finish) {
        for (int r = 0; r < height; ++r) {
            Value* row = e.step_by(given(sums), ir.CreateMul(given(sums_row), e.i64(r)));
            for (int v = 0; v < vectors; ++v)
                finish(e.get(totals[size_t(r * vectors + v)]), e.step_by(row, e.i64(v * sum_bytes)), mask_of(v));
        }
    };
    // A sum of short sums loses fewer digits than one long chain.
    e.when(given(fresh), [&] { each_sum([&](Value* total, Value* place, Value* m) { e.store(t.sum, total, place, m); }); },
           [&] {
               each_sum([&](Value* total, Value* place, Value* m) {
                   Value* before = e.load(t.sum, place, t.width, m);
                   Value* both = is_float(t.sum) ? ir.CreateFAdd(before, total) : ir.CreateAdd(before, total);
                   e.store(t.sum, both, place, m);
               });
           });
    ir.CreateRetVoid();
    e.promote();
    return made;
}

// Takes the row of vectors apart into pieces that have a tile: 4, 2 and 1 vectors wide.
llvm::Function* tiles(llvm::Module& module, const Target& target, const TileTypes& t, int most_rows, int most_vectors) {
    const std::string name = "tiles_" + name_of(t);
    if (llvm::Function* known = module.getFunction(name)) return known;
    constexpr unsigned height = 0, vectors = 1, before = 2;
    llvm::Function* made = new_function(module, name, before);
    FunctionWriter e(module, made, target);
    IR& ir = e.ir;
    auto given = [&](Argument a) { return made->getArg(before + a); };
    FunctionWriter::Var left_over = e.var(made->getArg(vectors));
    FunctionWriter::Var at_right = e.var(given(right)), at_sums = e.var(given(sums));
    auto piece = [&](int wide) {
        Value* last = ir.CreateICmpEQ(e.get(left_over), e.i64(wide));
        Value* lanes_here = ir.CreateSelect(last, given(lanes), e.i64(t.width));
        std::vector<Value*> args;
        for (unsigned a = 0; a < arguments; ++a) args.push_back(given(Argument(a)));
        args[right] = e.get(at_right), args[sums] = e.get(at_sums), args[lanes] = lanes_here;
        llvm::BasicBlock* done = e.block("piece_done");
        llvm::SwitchInst* by_height = nullptr;
        for (int h = most_rows; h >= 1; --h) {
            if (h == most_rows) {                        // the default, and the most common
                llvm::BasicBlock* whole = e.block("whole");
                by_height = ir.CreateSwitch(made->getArg(height), whole, unsigned(most_rows) - 1);
                ir.SetInsertPoint(whole);
            } else {
                llvm::BasicBlock* part = e.block("part");
                by_height->addCase(ir.getInt64(uint64_t(h)), part);
                ir.SetInsertPoint(part);
            }
            ir.CreateCall(tile(module, target, t, h, wide), args);
            ir.CreateBr(done);
        }
        ir.SetInsertPoint(done);
        e.set(at_right, e.step_by(e.get(at_right), e.i64(wide * t.width * size_of(t.right))));
        e.set(at_sums, e.step_by(e.get(at_sums), e.i64(wide * t.width * size_of(t.sum))));
        e.add(left_over, e.i64(-wide));
    };
    for (int wide : {4, 2, 1})
        if (wide <= most_vectors) e.when(ir.CreateICmpSGE(e.get(left_over), e.i64(wide)), [&] { piece(wide); });
    ir.CreateRetVoid();
    e.promote();
    return made;
}
} // namespace

void call_tile(FunctionWriter& e, const TileTypes& types, int most_rows, int most_vectors, const TileCall& c) {
    llvm::Module& module = *e.ir.GetInsertBlock()->getModule();
    e.ir.CreateCall(tiles(module, e.target, types, most_rows, most_vectors),
                    {c.height, c.vectors, c.left, c.left_row, c.left_at, c.left_step, c.right, c.right_at, c.right_step,
                     c.chunks, c.length, c.sums, c.sums_row, c.lanes, c.fresh});
}
} // namespace nereus::cg
