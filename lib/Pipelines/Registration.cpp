//===- Registration.cpp - Everything onnxc registers ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipelines/Registration.h"
#include "onnxc/Bufferize/Passes.h"
#include "onnxc/Bufferize/Pipeline.h"
#include "onnxc/ConvertOpset/Passes.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"
#include "onnxc/Dialect/Runtime/RuntimeDialect.h"
#include "onnxc/Emit/Passes.h"
#include "onnxc/Infer/Passes.h"
#include "onnxc/Lower/Passes.h"
#include "onnxc/Optimize/Canonicalize.h"
#include "onnxc/Optimize/Passes.h"
#include "onnxc/Pipelines/Evaluator.h"
#include "onnxc/Pipelines/Pipelines.h"
#include "onnxc/Schedule/KernelCodegen.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Target/Passes.h"
#include "onnxc/Upgrade/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/IR/MemRefMemorySlot.h"
#include "mlir/Dialect/MemRef/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

using namespace mlir;

// Here alone: what registers a pass takes each file that sees it a second to
// compile.
namespace onnxc {
#define GEN_PASS_REGISTRATION
#include "onnxc/Bufferize/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "onnxc/ConvertOpset/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "onnxc/Emit/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "onnxc/Infer/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "onnxc/Lower/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "onnxc/Optimize/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "onnxc/Schedule/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "onnxc/Target/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "onnxc/Upgrade/Passes.h.inc"
} // namespace onnxc

/// Models of interfaces that upstream keeps apart from its dialects. A missing
/// one does not fail at registration but makes a pass skip or reject ops.
static void registerInterfaceModels(DialectRegistry &registry) {
  onnxc::registerBufferizeInterfaces(registry);

  // Ownership and lifetime of buffers.
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  arith::registerBufferViewFlowOpInterfaceExternalModels(registry);
  memref::registerBufferViewFlowOpInterfaceExternalModels(registry);
  memref::registerAllocationOpInterfaceExternalModels(registry);
  memref::registerMemorySlotExternalModels(registry);

  // Tiling, and bounds of index values.
  linalg::registerTilingInterfaceExternalModels(registry);
  tensor::registerTilingInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  // Not those of arith: the model of arith.select compares its operands by
  // opening a new constraint set, which takes exponential time on the chains of
  // selects that broadcasting of unknown sizes makes.
  affine::registerValueBoundsOpInterfaceExternalModels(registry);
  linalg::registerValueBoundsOpInterfaceExternalModels(registry);
  memref::registerValueBoundsOpInterfaceExternalModels(registry);
  scf::registerValueBoundsOpInterfaceExternalModels(registry);
  tensor::registerValueBoundsOpInterfaceExternalModels(registry);
  vector::registerValueBoundsOpInterfaceExternalModels(registry);

  // Inlining, and conversion to LLVM.
  func::registerInlinerExtension(registry);
  LLVM::registerInlinerInterface(registry);
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  index::registerConvertIndexToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  registerConvertComplexToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertMemRefToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

void onnxc::registerAllDialects(DialectRegistry &registry) {
  registry
      .insert<ONNXDialect, ProgramDialect, affine::AffineDialect,
              arith::ArithDialect, bufferization::BufferizationDialect,
              cf::ControlFlowDialect, complex::ComplexDialect, DLTIDialect,
              func::FuncDialect, index::IndexDialect, linalg::LinalgDialect,
              LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
              kernel::KernelDialect, rt::RTDialect, scf::SCFDialect,
              tensor::TensorDialect, ub::UBDialect, vector::VectorDialect>();
  registerInterfaceModels(registry);
  registerKernelCodegen(registry);
  registerCanonicalization(registry);
  registerEvaluator(registry);
}

void onnxc::registerAllPasses() {
  registerOnnxcBufferizePasses();
  registerOnnxcEmitPasses();
  registerOnnxcInferPasses();
  registerOnnxcLowerPasses();
  registerOnnxcOptimizePasses();
  registerOnnxcUpgradePasses();
  registerOnnxcConvertOpsetPasses();
  registerOnnxcSchedulePasses();
  registerOnnxcTargetPasses();
  registerPipelines();
}
