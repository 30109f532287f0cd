//===- OptimizeCode.cpp - LLVM's passes over a model's code ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PassTimingInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

using namespace mlir;

namespace onnxc {

/// Whether `value` is an integer as a floating-point number, or a product of
/// one: a quantized number and at most `scales` scales.
static bool isScaledInteger(llvm::Value *value, unsigned scales = 3) {
  auto *product = dyn_cast<llvm::BinaryOperator>(value);
  if (product && product->getOpcode() == llvm::Instruction::FMul)
    return scales > 0 &&
           llvm::any_of(product->operand_values(), [&](llvm::Value *factor) {
             return isScaledInteger(factor, scales - 1);
           });
  return isa<llvm::SIToFPInst, llvm::UIToFPInst>(value);
}

/// A scaled integer is rounded before something is added to it, as -O0 and
/// other implementations round it. Elsewhere a fused multiply-add is as good as
/// what it stands for; here the result is often quantized again, where the last
/// bit of one number moves the scale of all of them, or a number to the next
/// step. After LLVM's passes: they know nothing of what a fence stands before.
static void fenceScaledIntegers(llvm::Module &module) {
  SmallVector<llvm::Instruction *> products;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (instruction.getOpcode() == llvm::Instruction::FMul &&
          isScaledInteger(&instruction) &&
          llvm::any_of(instruction.users(), [](llvm::User *user) {
            auto *sum = dyn_cast<llvm::BinaryOperator>(user);
            return sum && (sum->getOpcode() == llvm::Instruction::FAdd ||
                           sum->getOpcode() == llvm::Instruction::FSub);
          }))
        products.push_back(&instruction);
  for (llvm::Instruction *product : products) {
    llvm::IRBuilder<> builder(product->getNextNode());
    llvm::Instruction *fence = builder.CreateArithmeticFence(
        product, product->getType(), product->getName() + ".rounded");
    product->replaceUsesWithIf(
        fence, [&](llvm::Use &use) { return use.getUser() != fence; });
  }
}

namespace {
/// Has LLVM unroll short loops only. Kernels are written out as far as their
/// registers and ports go: to unroll longer loops once more gains nothing, but
/// takes several times as long to compile. Runs where loops have been
/// simplified.
struct KeepLongLoops : llvm::PassInfoMixin<KeepLongLoops> {
  static constexpr size_t maxInstructions = 32;

  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &,
                              llvm::LoopStandardAnalysisResults &,
                              llvm::LPMUpdater &) {
    size_t instructions = 0;
    for (llvm::BasicBlock *block : loop.blocks())
      instructions += block->size();
    if (instructions > maxInstructions)
      loop.setLoopAlreadyUnrolled();
    return llvm::PreservedAnalyses::all();
  }
};
} // namespace

/// LLVM's passes at -O2, as the text of a pipeline. Kernels come written out,
/// vectorized and with their loops in order, so that most of LLVM's own
/// pipeline finds nothing in them: seven runs of InstCombine, the exit values
/// of loops, loads that one iteration leaves to the next, ranges of values.
/// What is left cleans up behind MLIR, vectorizes the loops that no kernel
/// took, and moves what does not change out of loops; of the runtime, which is
/// part of the module where nothing is linked, it does what C code counts on.
static constexpr llvm::StringLiteral kernelPasses =
    "inferattrs,function<eager-inv>(simplifycfg,sroa<modify-cfg>,early-cse<>),"
    "globalopt,always-inline,"
    "cgscc(devirt<4>(inline,function-attrs<skip-non-recursive-function-attrs>,"
    "function<eager-inv;no-rerun>(sroa<modify-cfg>,early-cse<memssa>,"
    "simplifycfg<switch-range-to-icmp>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm<allowspeculation>),"
    "loop(loop-idiom,keep-long-loops,loop-unroll-full),"
    "sroa<modify-cfg>,gvn<>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,adce,memcpyopt,dse,"
    "tailcallelim,"
    "simplifycfg<switch-range-to-icmp;hoist-common-insts;sink-common-insts>),"
    "function-attrs)),"
    "globaldce,"
    "function<eager-inv>(loop-vectorize,slp-vectorizer,vector-combine,"
    "loop-unroll<O2>,sroa<preserve-cfg>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop-mssa(licm<allowspeculation>),loop-sink,div-rem-pairs,"
    "simplifycfg<switch-to-lookup;no-keep-loops;hoist-common-insts;"
    "sink-common-insts;switch-range-to-icmp>),"
    "globaldce,constmerge";

/// What a function of very many calls and checks gains from.
static constexpr llvm::StringLiteral callerPasses =
    "function<eager-inv>(sroa<modify-cfg>,early-cse<memssa>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    "simplifycfg<hoist-common-insts;sink-common-insts>),globaldce";

/// Reads one of the texts above.
static llvm::ModulePassManager readPasses(llvm::PassBuilder &builder,
                                          StringRef text) {
  builder.registerPipelineParsingCallback(
      [](StringRef name, llvm::LoopPassManager &loops,
         ArrayRef<llvm::PassBuilder::PipelineElement>) {
        if (name != "keep-long-loops")
          return false;
        loops.addPass(KeepLongLoops());
        return true;
      });
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, text));
  return passes;
}

void optimize(llvm::Module &module, const EmitTarget &target,
              const EmitOptions &options, bool isLongCaller) {
  llvm::PipelineTuningOptions tuning;
  // At -O0 the loops stay as ONNX orders them; without LLVM's simple
  // optimizations they would be too slow even to be compared with.
  tuning.LoopVectorization = options.optLevel > 0;
  tuning.SLPVectorization = options.optLevel > 0;
  // --time-passes, of LLVM's own options.
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::TimePassesHandler timing(llvm::TimePassesIsEnabled);
  timing.registerCallbacks(callbacks);
  llvm::PassBuilder builder(target.machine.get(), tuning, std::nullopt,
                            &callbacks);
  if (target.triple().isX86())
    builder.registerLateLoopOptimizationsEPCallback(
        [](llvm::LoopPassManager &passes, llvm::OptimizationLevel) {
          passes.addPass(KeepLongLoops());
        });
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::OptimizationLevel level = llvm::OptimizationLevel::O1;
  if (options.optLevel >= 1)
    level = llvm::OptimizationLevel::O2;
  if (options.optLevel >= 3)
    level = llvm::OptimizationLevel::O3;
  // Unused functions go first: other parts define their users.
  llvm::ModulePassManager passes;
  passes.addPass(llvm::GlobalDCEPass());
  // Loops of other architectures were counted with LLVM's pipeline.
  if (isLongCaller)
    passes.addPass(readPasses(builder, callerPasses));
  else if (options.optLevel == 2 && target.triple().isX86())
    passes.addPass(readPasses(builder, kernelPasses));
  else
    passes.addPass(builder.buildPerModuleDefaultPipeline(level));
  if (options.sanitizeAddress)
    passes.addPass(llvm::AddressSanitizerPass(llvm::AddressSanitizerOptions()));
  passes.run(module, modules);
  if (options.optLevel > 0 && !options.fastMath)
    fenceScaledIntegers(module);
}

} // namespace onnxc
