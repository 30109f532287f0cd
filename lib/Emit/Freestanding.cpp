//===- Freestanding.cpp - Models without an operating system-----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Freestanding.h"

#include "ConstantBuilder.h"
#include "Link.h"
#include "WeightsObject.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"
#include "onnxc/runtime.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Object/ObjectFile.h"

using namespace mlir;

namespace onnxc {

bool isFreestanding(ModuleOp module) {
  return onnxc::TargetAttr::of(module).getFreestanding();
}

uint64_t getArenaBytes(const ModelInfo &info) {
  uint64_t bytes = llvm::alignTo(info.workspaceBytes, arenaAlignment) +
                   llvm::alignTo(info.scratchBytes, arenaAlignment);
  return std::max(bytes, arenaAlignment);
}

namespace {

/// The functions of the runtime that generated code may call, as far as they
/// need nothing but the arena.
class Definitions {
public:
  Definitions(llvm::Module &code, const ModelInfo &info)
      : code(code), info(info), b(code.getContext()) {}

  /// Whether it has the function of the runtime.
  static bool has(StringRef name) { return getWriter(name) != nullptr; }

  void define() {
    for (llvm::Function &function : code)
      if (function.isDeclaration())
        if (Writer writer = getWriter(function.getName())) {
          begin(function);
          (this->*writer)(function);
          function.setLinkage(llvm::GlobalValue::InternalLinkage);
          function.addFnAttr(llvm::Attribute::AlwaysInline);
        }
  }

  /// const char *<prefix>_run(void *arena, inputs and outputs ...)
  void defineRun(StringRef prefix, llvm::Function &entry);

private:
  using Writer = void (Definitions::*)(llvm::Function &);

  static Writer getWriter(StringRef name) {
    return llvm::StringSwitch<Writer>(name)
        .Case("onnxc_rt_workspace", &Definitions::writeWorkspace)
        .Case("onnxc_rt_output", &Definitions::writeOutput)
        .Cases({"onnxc_rt_fail", "onnxc_rt_fail_comparison"},
               &Definitions::writeFail)
        .Case("onnxc_rt_status", &Definitions::writeStatus)
        .Case("onnxc_rt_parallel_for", &Definitions::writeParallelFor)
        .Default(nullptr);
  }

  void begin(llvm::Function &function) {
    b.SetInsertPoint(
        llvm::BasicBlock::Create(code.getContext(), "", &function));
  }
  llvm::Value *at(llvm::Value *base, uint64_t bytes) {
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, bytes);
  }
  /// What stands for a context: the arena, and the text of the first error.
  llvm::StructType *contextType() {
    return llvm::StructType::get(b.getPtrTy(), b.getPtrTy());
  }
  llvm::Value *errorField(llvm::Value *context) {
    return b.CreateStructGEP(contextType(), context, 1);
  }

  void writeWorkspace(llvm::Function &function) {
    b.CreateRet(b.CreateLoad(b.getPtrTy(), function.getArg(0)));
  }
  /// Its size is the buffer's: checkFreestanding saw to that.
  void writeOutput(llvm::Function &function) {
    llvm::Value *offset =
        b.CreateMul(b.CreateZExt(function.getArg(2), b.getInt64Ty()),
                    b.getInt64(sizeof(onnxc_tensor)));
    b.CreateRet(b.CreateLoad(
        b.getPtrTy(),
        b.CreateInBoundsGEP(b.getInt8Ty(), function.getArg(1), {offset})));
  }
  /// The first error stays. Numbers that were compared are not written: that
  /// takes a library.
  void writeFail(llvm::Function &function) {
    llvm::Value *field = errorField(function.getArg(0));
    llvm::Value *before = b.CreateLoad(b.getPtrTy(), field);
    b.CreateStore(
        b.CreateSelect(b.CreateIsNull(before), function.getArg(1), before),
        field);
    b.CreateRet(b.getInt32(ONNXC_RUNTIME_ERROR));
  }
  void writeStatus(llvm::Function &) {
    b.CreateRet(b.getInt32(ONNXC_RUNTIME_ERROR));
  }
  /// All iterations, in order. The memory of the one thread is behind the
  /// temporaries.
  void writeParallelFor(llvm::Function &function) {
    llvm::Value *arena = b.CreateLoad(b.getPtrTy(), function.getArg(0));
    llvm::Value *scratch =
        at(arena, llvm::alignTo(info.workspaceBytes, arenaAlignment));
    llvm::Type *i64 = b.getInt64Ty();
    b.CreateCall(
        llvm::FunctionType::get(b.getVoidTy(),
                                {b.getPtrTy(), b.getPtrTy(), i64, i64},
                                /*isVarArg=*/false),
        function.getArg(3),
        {function.getArg(4), scratch, b.getInt64(0), function.getArg(1)});
    b.CreateRetVoid();
  }

  llvm::Module &code;
  const ModelInfo &info;
  llvm::IRBuilder<> b;
};
} // namespace

void Definitions::defineRun(StringRef prefix, llvm::Function &entry) {
  llvm::LLVMContext &context = code.getContext();
  size_t numInputs = info.inputs.size(), numOutputs = info.outputs.size();
  SmallVector<llvm::Type *> parameters(1 + numInputs + numOutputs,
                                       b.getPtrTy());
  auto *run = llvm::Function::Create(
      llvm::FunctionType::get(b.getPtrTy(), parameters, /*isVarArg=*/false),
      llvm::GlobalValue::ExternalLinkage, prefix + "_run", code);
  begin(*run);

  // Addresses that cannot be right are an answer, not a fault of the machine.
  ConstantBuilder constants(code);
  auto refuseIf = [&](llvm::Value *wrong, StringRef message) {
    auto *refuse = llvm::BasicBlock::Create(context, "", run);
    auto *proceed = llvm::BasicBlock::Create(context, "", run);
    b.CreateCondBr(wrong, refuse, proceed);
    b.SetInsertPoint(refuse);
    b.CreateRet(constants.string(message));
    b.SetInsertPoint(proceed);
  };
  llvm::Value *isNull = b.getFalse();
  for (llvm::Argument &argument : run->args())
    isNull = b.CreateOr(isNull, b.CreateIsNull(&argument));
  refuseIf(isNull, "an argument is NULL");
  llvm::Value *address = b.CreatePtrToInt(run->getArg(0), b.getInt32Ty());
  refuseIf(b.CreateIsNotNull(b.CreateAnd(address, arenaAlignment - 1)),
           "the arena is not aligned to 64 bytes");

  llvm::Value *state = b.CreateAlloca(contextType());
  b.CreateStore(run->getArg(0), state);
  b.CreateStore(constants.null(), errorField(state));
  // Of the tensors, code with fixed sizes reads the address alone.
  auto *tensor = llvm::ArrayType::get(b.getInt64Ty(), sizeof(onnxc_tensor) / 8);
  auto makeTensors = [&](size_t first, size_t count) {
    llvm::Value *tensors = b.CreateAlloca(tensor, b.getInt32(count));
    for (size_t i = 0; i < count; ++i)
      b.CreateStore(run->getArg(first + i),
                    at(tensors, i * sizeof(onnxc_tensor)));
    return tensors;
  };
  llvm::Value *inputs = makeTensors(1, numInputs);
  llvm::Value *outputs = makeTensors(1 + numInputs, numOutputs);
  llvm::Value *status = b.CreateCall(&entry, {state, inputs, outputs});
  llvm::Value *error = b.CreateLoad(b.getPtrTy(), errorField(state));
  b.CreateRet(b.CreateSelect(b.CreateIsNull(status), constants.null(), error));
}

void defineFreestandingEntry(llvm::Module &code, const ModelInfo &info,
                             StringRef prefix, llvm::Function &entry) {
  Definitions definitions(code, info);
  definitions.define();
  definitions.defineRun(prefix, entry);
  bool isSmall = code.getTargetTriple().isArch32Bit();
  for (llvm::Function &function : code) {
    if (function.isDeclaration())
      continue;
    // An interrupt uses the stack of what it interrupts.
    function.addFnAttr(llvm::Attribute::NoRedZone);
    // Microcontrollers have little flash; loops are not slower by that.
    if (isSmall)
      function.addFnAttr(llvm::Attribute::OptimizeForSize);
  }
}

/// Whether the processor computes with numbers of the type.
static bool hasFloats(const llvm::MCSubtargetInfo &processor, bool isDouble) {
  const llvm::Triple &triple = processor.getTargetTriple();
  if (triple.isARM() || triple.isThumb())
    return processor.checkFeatures(isDouble ? "+fp64" : "+fpregs");
  if (triple.isRISCV())
    return processor.checkFeatures(isDouble ? "+d" : "+f");
  return true;
}

/// NaN where one of them is; 0 is greater than -0.
static llvm::Value *writeExtremum(llvm::IRBuilder<> &b, llvm::Value *x,
                                  llvm::Value *y, bool isMaximum) {
  llvm::Type *bits =
      llvm::CmpInst::makeCmpResultType(x->getType())
          ->getWithNewBitWidth(x->getType()->getScalarSizeInBits());
  llvm::Value *xBits = b.CreateBitCast(x, bits),
              *yBits = b.CreateBitCast(y, bits);
  // Equal numbers have the same bits, but for the sign of zeros.
  llvm::Value *both = b.CreateBitCast(isMaximum ? b.CreateAnd(xBits, yBits)
                                                : b.CreateOr(xBits, yBits),
                                      x->getType());
  llvm::Value *first =
      isMaximum ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y);
  llvm::Value *second =
      isMaximum ? b.CreateFCmpOLT(x, y) : b.CreateFCmpOGT(x, y);
  llvm::Value *other =
      b.CreateSelect(b.CreateFCmpOEQ(x, y), both, b.CreateFAdd(x, y));
  return b.CreateSelect(first, x, b.CreateSelect(second, y, other));
}

void expandSoftMaxima(llvm::Module &code, const EmitTarget &target) {
  const llvm::MCSubtargetInfo &processor =
      *target.machine->getMCSubtargetInfo();
  for (llvm::Function &function : code)
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!call ||
          (call->getIntrinsicID() != llvm::Intrinsic::maximum &&
           call->getIntrinsicID() != llvm::Intrinsic::minimum) ||
          hasFloats(processor, call->getType()->getScalarType()->isDoubleTy()))
        continue;
      llvm::IRBuilder<> b(call);
      call->replaceAllUsesWith(
          writeExtremum(b, call->getArgOperand(0), call->getArgOperand(1),
                        call->getIntrinsicID() == llvm::Intrinsic::maximum));
      call->eraseFromParent();
    }
}

/// "--dim=N=<size>" for each open size of the inputs, or --shape= where it has
/// no name.
static std::string listFixes(const ModelInfo &info) {
  SmallVector<std::string> fixes;
  auto add = [&](const Twine &fix) {
    if (!llvm::is_contained(fixes, fix.str()))
      fixes.push_back(fix.str());
  };
  for (const ValueInfo &input : info.inputs)
    for (auto [size, symbol] : llvm::zip(input.dims, input.symbols))
      if (size < 0 && symbol.empty())
        add("--shape=" + Twine(input.name) + ":<sizes>");
      else if (size < 0)
        add("--dim=" + Twine(symbol) + "=<size>");
  return llvm::join(fixes, " ");
}

/// Whether the caller can bring an array for it.
static LogicalResult checkValue(ModuleOp module, const ValueInfo &value,
                                bool isInput, StringRef fixes) {
  const char *what = isInput ? "input '" : "output '";
  if (onnxc_dtype_size(value.dtype) == 0 || value.dtype == ONNXC_STRING)
    return module.emitError()
           << what << value.name << "' is a " << value.type
           << ", expected a tensor of numbers: --freestanding code has no "
              "memory of its own";
  if (value.isStatic())
    return success();
  InFlightDiagnostic error = module.emitError()
                             << what << value.name
                             << "' has a size that is not fixed, which "
                                "--freestanding code needs all of";
  if (!fixes.empty())
    return error << "; fix it by " << fixes;
  return error << ": it is known only when the model has run";
}

LogicalResult checkFreestanding(ModuleOp module, const ModelInfo &info) {
  for (const ValueInfo &input : info.inputs)
    if (input.defaultValue)
      return module.emitError()
             << "input '" << input.name
             << "' has a default value that a run may override, which "
                "--freestanding code cannot; --freeze makes it a constant";
  std::string fixes = listFixes(info);
  for (const auto &[values, isInput] :
       {std::pair(&info.inputs, true), std::pair(&info.outputs, false)})
    for (const ValueInfo &value : *values)
      if (failed(checkValue(module, value, isInput, fixes)))
        return failure();
  WalkResult result = module.walk([&](LLVM::CallOp call) {
    StringRef callee = call.getCallee().value_or("");
    if (!callee.starts_with("onnxc_rt_") || Definitions::has(callee))
      return WalkResult::advance();
    if (callee == "onnxc_rt_alloc")
      call.emitError() << "takes memory whose size is known only when the "
                          "model runs, which --freestanding code does not have";
    else
      call.emitError() << "calls " << callee
                       << " of the runtime, which --freestanding code does "
                          "not have";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult defineWeights(ModuleOp module, const ModelInfo &info,
                            StringRef prefix, llvm::Module &data) {
  llvm::LLVMContext &context = data.getContext();
  SmallVector<char, 0> bytes;
  bytes.reserve(info.weightBytes);
  llvm::raw_svector_ostream os(bytes);
  if (failed(writeWeights(module, info, os)))
    return failure();
  llvm::Constant *value = llvm::ConstantDataArray::getRaw(
      StringRef(bytes.data(), bytes.size()), bytes.size(),
      llvm::Type::getInt8Ty(context));
  std::string name = (prefix + "_weights").str();
  llvm::GlobalVariable *declared = data.getGlobalVariable(name);
  auto *weights =
      new llvm::GlobalVariable(data, value->getType(), /*isConstant=*/true,
                               llvm::GlobalValue::ExternalLinkage, value);
  if (declared) {
    declared->replaceAllUsesWith(weights);
    declared->eraseFromParent();
  }
  weights->setName(name);
  weights->setAlignment(llvm::Align(arenaAlignment));
  weights->setVisibility(llvm::GlobalValue::HiddenVisibility);
  if (data.getTargetTriple().isOSBinFormatELF())
    weights->setSection(".rodata." + name);
  return success();
}

FailureOr<std::unique_ptr<llvm::Module>>
buildWeightsModule(ModuleOp module, const ModelInfo &info,
                   const EmitTarget &target, StringRef prefix,
                   llvm::LLVMContext &context) {
  auto data = std::make_unique<llvm::Module>("onnxc", context);
  data->setDataLayout(target.machine->createDataLayout());
  data->setTargetTriple(target.triple());
  if (failed(defineWeights(module, info, prefix, *data)))
    return failure();
  return data;
}

LogicalResult checkUndefined(ModuleOp module, StringRef path,
                             StringRef prefix) {
  auto object = llvm::object::ObjectFile::createObjectFile(path);
  if (!object)
    return module.emitError() << "cannot read back the object file: "
                              << llvm::toString(object.takeError());
  for (const llvm::object::SymbolRef &symbol : object->getBinary()->symbols()) {
    llvm::Expected<StringRef> name = symbol.getName();
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (llvm::Error error =
            llvm::joinErrors(name.takeError(), flags.takeError()))
      return module.emitError() << "cannot read back the object file: "
                                << llvm::toString(std::move(error));
    if (name->empty() || !(*flags & llvm::object::SymbolRef::SF_Undefined) ||
        *name == (prefix + "_weights").str() || name->starts_with("__") ||
        llvm::is_contained({"memcpy", "memmove", "memset"}, *name) ||
        isOfLibm(*name))
      continue;
    return module.emitError()
           << "the code calls '" << *name
           << "', expected functions of libm, memcpy, memmove or memset";
  }
  return success();
}

} // namespace onnxc
