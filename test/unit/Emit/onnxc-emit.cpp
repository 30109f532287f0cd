//===- onnxc-emit.cpp - The last two stages alone, for tests --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a module after the stage bufferize (or llvm), lowers it to the llvm
// dialect and emits a file. What onnxc does at its end, without the need for a
// model.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Program/ProgramDialect.h"
#include "onnxc/Emit/Emit.h"
#include "onnxc/Emit/Pipeline.h"
#include "onnxc/Target/Target.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
namespace cl = llvm::cl;

int main(int argc, char **argv) {
  cl::opt<std::string> input(cl::Positional, cl::Required,
                             cl::desc("<module.mlir>"));
  cl::opt<std::string> output("o", cl::Required,
                              cl::desc("File: .so .o .a .s .ll"));
  cl::opt<std::string> prefix("prefix", cl::desc("First part of symbols"));
  cl::opt<std::string> cpu("mcpu", cl::desc("Processor"));
  cl::opt<std::string> features("mattr", cl::desc("Features: +a,-b"));
  cl::opt<std::string> triple("mtriple", cl::desc("Target"));
  cl::opt<unsigned> level("O", cl::Prefix, cl::init(1), cl::desc("0 ... 3"));
  cl::opt<bool> fastMath("fast-math", cl::desc("Any rewriting of floats"));
  cl::opt<bool> header("emit-header", cl::init(true),
                       cl::desc("Write the C header"));
  cl::ParseCommandLineOptions(argc, argv, "onnxc's last stages\n");

  DialectRegistry registry;
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, complex::ComplexDialect,
                  func::FuncDialect, index::IndexDialect, linalg::LinalgDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  onnxc::ProgramDialect, scf::SCFDialect, ub::UBDialect,
                  vector::VectorDialect>();
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  ParserConfig config(&context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(input, sources, config);
  if (!module)
    return 1;

  if (failed(onnxc::setTarget(*module, {triple, cpu, features, /*layout=*/{}})))
    return 1;

  PassManager pm(&context);
  onnxc::LLVMOptions lowering;
  lowering.optLevel = level;
  onnxc::buildLLVMPipeline(pm, lowering);
  if (failed(pm.run(*module)))
    return 1;

  onnxc::EmitOptions options;
  std::optional<onnxc::EmitKind> kind = onnxc::emitKindFromPath(output);
  if (!kind) {
    llvm::errs() << "onnxc-emit: '" << output
                 << "': expected the suffix .so, .o, .a, .s or .ll\n";
    return 1;
  }
  options.kind = *kind;
  options.outputPath = output;
  options.prefix = prefix;
  options.optLevel = level;
  options.fastMath = fastMath;
  options.header = header;
  return failed(onnxc::emitModule(*module, options));
}
