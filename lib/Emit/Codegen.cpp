//===- Codegen.cpp - LLVM IR of a model, and machine code -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Target/Instructions.h"

#include "Freestanding.h"
#include "Runtime.h"
#include "SystemObjects.h"
#include "WebAssembly.h"
#include "WeightsObject.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Operator.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace mlir;

namespace onnxc {

/// A sum (or product) that a loop carries from one iteration to the next, one
/// number at a time, and uses for nothing else. Those of vectors are as the
/// schedule wants them.
static bool isCarriedSum(llvm::Instruction &instruction,
                         const llvm::LoopInfo &loops) {
  if ((instruction.getOpcode() != llvm::Instruction::FAdd &&
       instruction.getOpcode() != llvm::Instruction::FMul) ||
      !instruction.getType()->isFloatingPointTy())
    return false;
  const llvm::Loop *loop = loops.getLoopFor(instruction.getParent());
  return loop && llvm::any_of(instruction.operands(), [&](llvm::Use &operand) {
           auto *phi = dyn_cast<llvm::PHINode>(operand);
           return phi && phi->getParent() == loop->getHeader() &&
                  llvm::is_contained(phi->incoming_values(), &instruction) &&
                  llvm::all_of(phi->users(), [&](llvm::User *user) {
                    return user == &instruction ||
                           !loop->contains(cast<llvm::Instruction>(user));
                  });
         });
}

/// Allows what the optimization level allows: fused multiply-adds, and sums of
/// loops in another order, so that they vectorize. NaN and infinities are
/// kept even with --fast-math, since models rely on infinities to mask.
static void relaxFloatingPoint(llvm::Module &module,
                               const EmitOptions &options) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    llvm::DominatorTree tree(function);
    llvm::LoopInfo loops(tree);
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      if (!isa<llvm::FPMathOperator>(instruction))
        continue;
      instruction.setHasAllowContract(true);
      if (options.fastMath) {
        instruction.setHasAllowReassoc(true);
        instruction.setHasAllowReciprocal(true);
        instruction.setHasNoSignedZeros(true);
        instruction.setHasApproxFunc(true);
      }
      auto *call = dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (isCarriedSum(instruction, loops) ||
          (call &&
           (call->getIntrinsicID() == llvm::Intrinsic::vector_reduce_fadd ||
            call->getIntrinsicID() == llvm::Intrinsic::vector_reduce_fmul)))
        instruction.setHasAllowReassoc(true);
    }
  }
}

/// What the generated code is compiled for is written on its functions. Those
/// of the runtime stay as they are: onnxc_create must run everywhere, to say
/// that the rest cannot.
static void setTarget(llvm::Module &module, const EmitTarget &target) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.machine->getTargetCPU());
    function.addFnAttr("target-features",
                       target.machine->getTargetFeatureString());
    function.addFnAttr("no-trapping-math", "true");
    function.addFnAttr(llvm::Attribute::NoUnwind);
    // Parts of the calling convention: debuggers and the system walk the stack
    // by tables on Windows, by frames on macOS.
    if (target.triple().isOSWindows())
      function.setUWTableKind(llvm::UWTableKind::Async);
    else if (target.triple().isMacOSX())
      function.addFnAttr("frame-pointer", "non-leaf");
  }
}

// What a sanitized model defines for lib/Runtime/SeparateBlocks.c.
constexpr StringLiteral separateBlocks = "onnxc_rt_separate_blocks";
constexpr StringLiteral forbidAccess = "onnxc_rt_forbid_access";

/// Marks what AddressSanitizer instruments: the generated code, not the runtime
/// (whose calls of libc the sanitizer checks by itself). The runtime's pool
/// then takes every block from the context's allocator, where the sanitizer
/// puts a red zone around it (lib/Runtime/SeparateBlocks.c).
static void sanitizeAddress(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr(llvm::Attribute::SanitizeAddress);
  auto *type = llvm::Type::getInt32Ty(module.getContext());
  auto *flag = new llvm::GlobalVariable(
      module, type, /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
      llvm::ConstantInt::get(type, 1), separateBlocks);
  flag->setVisibility(llvm::GlobalValue::HiddenVisibility);
  flag->setDSOLocal(true);

  llvm::IRBuilder<> builder(module.getContext());
  auto *signature = llvm::FunctionType::get(
      builder.getVoidTy(), {builder.getPtrTy(), builder.getInt64Ty()},
      /*isVarArg=*/false);
  auto *forbid = llvm::Function::Create(
      signature, llvm::GlobalValue::ExternalLinkage, forbidAccess, module);
  forbid->setVisibility(llvm::GlobalValue::HiddenVisibility);
  forbid->setDSOLocal(true);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", forbid));
  builder.CreateCall(
      module.getOrInsertFunction("__asan_poison_memory_region", signature),
      {forbid->getArg(0), forbid->getArg(1)});
  builder.CreateRetVoid();
}

/// Rounds by the current mode, which is that of a C program: to nearest, halves
/// to even. Where the target has no instruction for llvm.roundeven, LLVM would
/// call roundeven of glibc 2.25; rint is as old as libm.
static void roundByCurrentMode(llvm::Module &module) {
  for (llvm::Function &function :
       llvm::make_early_inc_range(module.functions())) {
    if (function.getIntrinsicID() != llvm::Intrinsic::roundeven)
      continue;
    function.replaceAllUsesWith(llvm::Intrinsic::getOrInsertDeclaration(
        &module, llvm::Intrinsic::rint, function.getReturnType()));
    function.eraseFromParent();
  }
}

/// The nearest integers of floats are one instruction of x86, which rounds by
/// the current mode; LLVM would round and then convert. What an integer does
/// not hold has no value in either form.
static void convertByCurrentMode(llvm::Module &module) {
  if (!module.getTargetTriple().isX86())
    return;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *convert = dyn_cast<llvm::FPToSIInst>(&instruction);
      auto *round = convert
                        ? dyn_cast<llvm::IntrinsicInst>(convert->getOperand(0))
                        : nullptr;
      if (!round || round->getIntrinsicID() != llvm::Intrinsic::roundeven ||
          !round->getType()->getScalarType()->isFloatTy() ||
          !convert->getType()->getScalarType()->isIntegerTy(32))
        continue;
      llvm::IRBuilder<> builder(convert);
      convert->replaceAllUsesWith(builder.CreateIntrinsic(
          llvm::Intrinsic::lrint, {convert->getType(), round->getType()},
          {round->getArgOperand(0)}));
      convert->eraseFromParent();
    }
}

/// Where the target has no fused multiply-add, LLVM would call libm's for each
/// number, which takes up to a microsecond: it rounds twice there.
static void splitMultiplyAdds(llvm::Module &module) {
  for (llvm::Function &function :
       llvm::make_early_inc_range(module.functions())) {
    if (function.getIntrinsicID() != llvm::Intrinsic::fma)
      continue;
    function.replaceAllUsesWith(llvm::Intrinsic::getOrInsertDeclaration(
        &module, llvm::Intrinsic::fmuladd, function.getReturnType()));
    function.eraseFromParent();
  }
}

/// The function that carries onnxc.entry, or main_graph.
static LLVM::LLVMFuncOp findEntry(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(program::entry) && !function.isExternal() &&
        !function->hasAttr(program::overridden))
      return function;
  return module.lookupSymbol<LLVM::LLVMFuncOp>("main_graph");
}

/// The entry that runs where default values are overridden, or null.
static LLVM::LLVMFuncOp findOverriddenEntry(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(program::entry) &&
        function->hasAttr(program::overridden))
      return function;
  return nullptr;
}

static LogicalResult checkEntry(ModuleOp module, LLVM::LLVMFuncOp entry) {
  if (!entry || entry.isExternal())
    return module.emitError() << "the module has no entry function, expected "
                                 "main_graph(ptr, ptr, ptr) -> i32";
  LLVM::LLVMFunctionType type = entry.getFunctionType();
  bool right =
      type.getNumParams() == 3 && type.getReturnType().isInteger(32) &&
      llvm::all_of(type.getParams(), llvm::IsaPred<LLVM::LLVMPointerType>);
  if (!right)
    return entry.emitError() << "the entry has the type " << type
                             << ", expected (ptr, ptr, ptr) -> i32";
  return success();
}

/// Functions of LLVM's own library that lib/Runtime/Half.c has. Calls to them
/// appear only when machine code is made: they are kept alive if something may
/// lead to one.
static void keepLibraryCalls(llvm::Module &module) {
  auto isNarrow = [](llvm::Type *type) {
    type = type->getScalarType();
    return type->isHalfTy() || type->isBFloatTy();
  };
  auto isLibrary = [](StringRef name) { return name.starts_with("__"); };
  // wasm-ld drops what is not called.
  bool needed = module.getTargetTriple().isWasm();
  for (llvm::Function &function : module) {
    if (isLibrary(function.getName()))
      continue;
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = dyn_cast<llvm::IntrinsicInst>(&instruction);
      needed |= isNarrow(instruction.getType()) ||
                llvm::any_of(
                    instruction.operand_values(),
                    [&](llvm::Value *v) { return isNarrow(v->getType()); }) ||
                (call && call->getIntrinsicID() == llvm::Intrinsic::powi);
    }
  }
  if (!needed)
    return;
  SmallVector<llvm::GlobalValue *> used;
  for (llvm::Function &function : module)
    if (isLibrary(function.getName()) && !function.isDeclaration())
      used.push_back(&function);
  llvm::appendToCompilerUsed(module, used);
}

/// The weights are defined in another object. As far as LLVM knows not even in
/// the same linked file, unless they are `near`: so it finds them through the
/// global offset table, however far away they end up.
static void declareWeights(llvm::Module &module, StringRef prefix, bool near,
                           uint64_t alignment) {
  llvm::GlobalVariable *weights =
      module.getGlobalVariable(weightsSymbol, /*AllowInternal=*/true);
  if (!weights)
    return;
  weights->setInitializer(nullptr);
  weights->setLinkage(llvm::GlobalValue::ExternalLinkage);
  weights->setVisibility(llvm::GlobalValue::DefaultVisibility);
  weights->setDSOLocal(near);
  weights->setConstant(true);
  weights->setAlignment(llvm::Align(alignment));
  weights->setName(prefix + "_weights");
}

static LogicalResult linkRuntime(ModuleOp module, llvm::Module &code) {
  auto buffer = llvm::MemoryBuffer::getMemBuffer(
      getRuntimeBitcode(code.getTargetTriple()), "runtime",
      /*RequiresNullTerminator=*/false);
  llvm::Expected<std::unique_ptr<llvm::Module>> runtime =
      llvm::parseBitcodeFile(buffer->getMemBufferRef(), code.getContext());
  if (!runtime)
    return module.emitError() << "the runtime's bitcode cannot be read: "
                              << llvm::toString(runtime.takeError());
  (*runtime)->setTargetTriple(code.getTargetTriple());
  (*runtime)->setDataLayout(code.getDataLayout());
  if (llvm::Linker::linkModules(code, std::move(*runtime)))
    return module.emitError() << "the runtime cannot be linked to the module";
  return success();
}

/// The runtime comes as machine code once a shared object is linked.
static void declareRuntime(llvm::Module &code, const ModelInfo &info) {
  auto *any = llvm::FunctionType::get(llvm::Type::getVoidTy(code.getContext()),
                                      /*isVarArg=*/false);
  for (StringRef name : runtimeFace)
    code.getOrInsertFunction(name, any);
  if (!info.states.empty())
    for (StringRef name : runtimeStates)
      code.getOrInsertFunction(name, any);
  if (info.regions)
    code.getOrInsertFunction(profileEvents, any);
  for (llvm::Function &function : code) {
    if (!function.isDeclaration() ||
        !function.getName().starts_with("onnxc_rt_"))
      continue;
    function.setVisibility(llvm::GlobalValue::HiddenVisibility);
    function.setDSOLocal(true);
  }
}

std::string LevelCode::getSuffix() const {
  std::string suffix = name.empty() ? "" : "_";
  for (char c : name)
    suffix += llvm::isAlnum(c) ? c : '_';
  return suffix;
}

std::string LevelCode::getSection() const {
  if (name.empty())
    return "";
  // Names of Mach-O have 16 bytes, and a linker of COFF merges what stands
  // before a $ with the section of that name.
  if (target.triple().isOSBinFormatMachO())
    return "__onnxc" + std::to_string(index);
  if (target.triple().isOSBinFormatCOFF())
    return ".text$onnxc" + getSuffix();
  return ".text.onnxc" + getSuffix();
}

std::string LevelCode::getSectionSpecifier() const {
  std::string section = getSection();
  if (section.empty() || !target.triple().isOSBinFormatMachO())
    return section;
  return "__TEXT," + section + ",regular,pure_instructions";
}

/// The code of one level as LLVM IR; `entries`: the names of what it has for
/// the model's entry and for the one that runs where defaults are overridden.
static FailureOr<std::unique_ptr<llvm::Module>>
translateLevel(const LevelCode &level, const EmitOptions &options,
               llvm::LLVMContext &context,
               std::pair<std::string, std::string> &entries) {
  ModuleOp module = level.module;
  LLVM::LLVMFuncOp entryOp = findEntry(module);
  LLVM::LLVMFuncOp overriddenOp = findOverriddenEntry(module);
  if (failed(checkEntry(module, entryOp)) ||
      (overriddenOp && failed(checkEntry(module, overriddenOp))))
    return failure();
  if (!overriddenOp && level.info.numRequired() != level.info.inputs.size())
    return module.emitError() << "inputs have default values, but no function "
                                 "is marked onnxc.overridden";
  nameChecks(module, options);

  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, "onnxc");
  if (!code)
    return module.emitError()
           << "the module cannot be translated to LLVM IR, expected the llvm "
              "dialect only";
  code->setSourceFileName("onnxc");
  code->setDataLayout(level.target.machine->createDataLayout());
  code->setTargetTriple(level.target.triple());
  bool freestanding = isFreestanding(module);
  if (freestanding) {
    defineFreestandingEntry(*code, level.info, options.prefix,
                            *code->getFunction(entryOp.getSymName()));
    expandSoftMaxima(*code, level.target);
  }
  setTarget(*code, level.target);
  if (options.optLevel > 0 || options.fastMath)
    relaxFloatingPoint(*code, options);
  convertByCurrentMode(*code);
  if (!supports(TargetAttr::of(module), Capability::RoundToEven))
    roundByCurrentMode(*code);
  if (!supports(TargetAttr::of(module), Capability::MultiplyAdd))
    splitMultiplyAdds(*code);
  // As buildWeightsModule aligns them, or writeWeightsObject.
  bool byLLVM = freestanding || isWebAssembly(module) ||
                isSystemObject(level.target.triple());
  // COFF has no global offset table.
  declareWeights(*code, options.prefix,
                 byLLVM && !level.target.triple().isOSBinFormatMachO(),
                 byLLVM ? arenaAlignment : 4096);
  nameFunctions(module, *code, options);
  if (std::string section = level.getSectionSpecifier(); !section.empty())
    for (llvm::Function &function : *code)
      if (!function.isDeclaration()) {
        function.setSection(section);
        function.setName(function.getName() + level.getSuffix());
      }

  auto rename = [&](LLVM::LLVMFuncOp op, std::string &name) {
    std::string known = op.getSymName().str() + level.getSuffix();
    llvm::Function *function = code->getFunction(known);
    function->setName(options.prefix + "_" + known);
    name = function->getName().str();
  };
  rename(entryOp, entries.first);
  if (overriddenOp)
    rename(overriddenOp, entries.second);
  return code;
}

FailureOr<std::unique_ptr<llvm::Module>>
buildLLVMModule(ArrayRef<LevelCode> levels, const EmitOptions &options,
                llvm::LLVMContext &context) {
  ModuleOp module = levels.back().module;
  std::unique_ptr<llvm::Module> code;
  SmallVector<std::pair<std::string, std::string>> names(levels.size());
  for (auto [level, name] : llvm::zip_equal(levels, names)) {
    FailureOr<std::unique_ptr<llvm::Module>> translated =
        translateLevel(level, options, context, name);
    if (failed(translated))
      return failure();
    if (!code)
      code = std::move(*translated);
    else if (llvm::Linker::linkModules(*code, std::move(*translated)))
      return module.emitError() << "the code of level '" << level.name
                                << "' cannot be linked to that of the others";
  }
  if (options.sanitizeAddress)
    sanitizeAddress(*code);
  std::string query = options.prefix + "_query";
  if (code->getNamedValue(query))
    return module.emitError() << "the symbol '" << query << "' is taken";
  auto entries = llvm::map_to_vector(names, [&](const auto &name) {
    return EntryPoints{code->getFunction(name.first),
                       name.second.empty() ? nullptr
                                           : code->getFunction(name.second)};
  });
  if (isFreestanding(module)) {
    entries.front().plain->setName(options.prefix + "_graph");
    llvm::internalizeModule(*code, [&](const llvm::GlobalValue &value) {
      return value.getName() == options.prefix + "_run";
    });
    return code;
  }
  const ModelInfo &info = levels.back().info;
  if (isLinked(options.kind))
    declareRuntime(*code, info);
  else if (failed(linkRuntime(module, *code)))
    return failure();
  addDescriptor(*code, levels, options.prefix, entries);
  // An engine checks by itself that it knows all instructions.
  if (isWebAssembly(module))
    defineFeatures(*code, options.prefix, {});
  if (info.regions)
    addProfile(*code, info, options);
  keepLibraryCalls(*code);
  llvm::internalizeModule(*code, [&](const llvm::GlobalValue &value) {
    StringRef name = value.getName();
    return name == query ||
           (options.sanitizeAddress &&
            (name == separateBlocks || name == forbidAccess)) ||
           name == options.prefix + "_profile" ||
           (options.kind == EmitKind::WebAssembly &&
            (llvm::is_contained(moduleExports, name) ||
             (hasThreads(module) &&
              llvm::is_contained(threadExports, name)))) ||
           llvm::any_of(levels, [&](const LevelCode &level) {
             return name ==
                    options.prefix + level.getSuffix() + featuresSuffix.str();
           });
  });
  return code;
}

namespace {
/// Keeps the first error of LLVM's passes. Without a handler LLVM prints it and
/// ends the process, which may be a program that uses the compiler as a
/// library.
struct FirstError : llvm::DiagnosticHandler {
  explicit FirstError(std::string &text) : text(text) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return false;
    if (text.empty()) {
      llvm::raw_string_ostream os(text);
      llvm::DiagnosticPrinterRawOStream printer(os);
      info.print(printer);
    }
    return true;
  }

  std::string &text;
};

/// Runs X86CompressEVEX, but not on functions that read masks of vectors. LLVM
/// 22's makes a VMOVMSK of a VPMOV*2M and the KMOV behind it even where a
/// KSHIFT of the same register reads the mask next (LLVM's issue 198197), or
/// where the vector is in a register that VMOVMSK cannot name (191304).
class CompressWithoutMasks : public llvm::MachineFunctionPass {
public:
  explicit CompressWithoutMasks(std::unique_ptr<llvm::MachineFunctionPass> pass)
      : MachineFunctionPass(id), pass(std::move(pass)) {}

  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    static_cast<const llvm::Pass &>(*pass).getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const llvm::TargetInstrInfo &info = *function.getSubtarget().getInstrInfo();
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &inst : block) {
        StringRef name = info.getName(inst.getOpcode());
        if (name.starts_with("VPMOV") && name.contains("2M"))
          return false;
      }
    return ((*pass).*(&Opened::runOnMachineFunction))(function);
  }

private:
  /// Makes public what passes are asked by others to do.
  struct Opened : MachineFunctionPass {
    using MachineFunctionPass::runOnMachineFunction;
  };

  static char id;
  std::unique_ptr<llvm::MachineFunctionPass> pass;
};

char CompressWithoutMasks::id = 0;

/// The passes of code generation, two of them mended and two left out. One
/// pushes arguments on the stack to save bytes of code, and in a function of
/// many such calls x86's register allocator then gives up. The other, loop
/// strength reduction, takes a third of the time of code generation in bodies
/// with as many addresses as kernels have, and makes these no faster: they
/// state addresses as sums of a pointer and what the loop has in registers.
class CodegenPasses : public llvm::legacy::PassManager {
public:
  explicit CodegenPasses(bool isX86) : isX86(isX86) {}

  void add(llvm::Pass *pass) override {
    if (pass->getPassName() == "X86 Optimize Call Frame" ||
        (isX86 && pass->getPassName() == "Loop Strength Reduction")) {
      delete pass;
      return;
    }
    if (pass->getPassName() == "Compressing EVEX instrs when possible")
      pass =
          new CompressWithoutMasks(std::unique_ptr<llvm::MachineFunctionPass>(
              static_cast<llvm::MachineFunctionPass *>(pass)));
    if (pass->getPassName() == "Greedy Register Allocator")
      PassManager::add(createBoundRematerialization().release());
    PassManager::add(pass);
  }

private:
  /// Whose instructions add a scaled index and a number to an address.
  bool isX86;
};

} // namespace

LogicalResult writeMachineCode(ModuleOp module, llvm::Module &code,
                               const EmitTarget &target,
                               llvm::CodeGenFileType type,
                               llvm::raw_pwrite_stream &os) {
  CodegenPasses passes(target.triple().isX86());
  if (target.machine->addPassesToEmitFile(passes, os, nullptr, type))
    return module.emitError() << "LLVM cannot write this kind of file for "
                              << target.triple().str();
  std::string error;
  code.getContext().setDiagnosticHandler(std::make_unique<FirstError>(error));
  passes.run(code);
  code.getContext().setDiagnosticHandler(nullptr);
  if (!error.empty())
    return module.emitError() << "LLVM cannot make machine code: " << error;
  return success();
}

} // namespace onnxc
