//===- OpSupport.h - What the generated op code calls --------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_OPSUPPORT_H
#define ONNXC_DIALECT_ONNX_OPSUPPORT_H

#include "onnxc/Dialect/ONNX/ScalarBuilder.h"
#include "onnxc/Dialect/ONNX/ShapeBuilder.h"
#include "onnxc/Dialect/ONNX/UpgradeRule.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <vector>

namespace onnxc {

class ShapeElements;

/// The types that ONNX_Value allows: masks of element types (isValueOf), and
/// all of it in words.
struct AllowedTypes {
  uint32_t tensors, seqs, opts, optSeqs;
  llvm::StringRef others;
  llvm::StringRef words;
};

/// A formal input or output of an op.
enum class ValueKind { Single, Optional, Variadic };
struct ValueSpec {
  llvm::StringRef name;
  ValueKind kind;
  /// The schema's type variable; parameters of one variable have one type.
  llvm::StringRef typeVar;
  AllowedTypes allowed;
};

/// The TensorProto.DataType number of an element type; 0 if it has none.
int getDataType(mlir::Type elementType);
/// The element type of a TensorProto.DataType number; null if there is none.
mlir::Type getElementType(mlir::MLIRContext *context, int dataType);
/// ONNX spelling of a type: "tensor(float)", "seq(tensor(int64))".
std::string getOnnxTypeName(mlir::Type type);

/// Whether ONNX_Value allows a type: masks have bit TensorProto.DataType set
/// for each allowed element type; `others` lists further types, separated by
/// ';'.
bool isValueOf(mlir::Type type, uint32_t tensors, uint32_t seqs, uint32_t opts,
               uint32_t optSeqs, llvm::StringRef others);

/// Whether a declared type can be what the rule inferred: dims and ranks may be
/// known on one side only.
bool areCompatibleTypes(mlir::TypeRange inferred, mlir::TypeRange declared);
bool areCompatibleTypes(mlir::Type inferred, mlir::Type declared);
/// The combination of both types; null if they contradict.
mlir::Type joinTypes(mlir::Type a, mlir::Type b);
/// What is known of a value that may be of either type; null if they
/// have nothing in common.
mlir::Type generalizeTypes(mlir::Type a, mlir::Type b);

/// For each formal parameter of `specs`, how many of the op's actual operands
/// (or results) it takes.
llvm::SmallVector<int> getOperandSegments(mlir::Operation *op);
llvm::SmallVector<int> getResultSegments(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// Behind the generated methods
//===----------------------------------------------------------------------===//

/// `onnx.Clip(%x, _, %max) {attr = 1} : (types) -> types`; `_` stands for an
/// absent operand or result. Attributes are written as ONNX thinks of them:
/// plain integers, floats and lists.
mlir::ParseResult parseOp(mlir::OpAsmParser &parser,
                          mlir::OperationState &result,
                          llvm::ArrayRef<ValueSpec> operands,
                          llvm::ArrayRef<ValueSpec> results,
                          llvm::ArrayRef<llvm::StringLiteral> regions);
void printOp(mlir::OpAsmPrinter &printer, mlir::Operation *op,
             llvm::ArrayRef<ValueSpec> operands,
             llvm::ArrayRef<ValueSpec> results,
             llvm::ArrayRef<llvm::StringLiteral> regions);

/// Checks that operands and results have types that their parameters allow.
llvm::LogicalResult verifyAllowedTypes(mlir::Operation *op,
                                       llvm::ArrayRef<ValueSpec> operands,
                                       llvm::ArrayRef<ValueSpec> results);

/// The trait that does it for every op.
template <typename OpTy>
class VerifiesTypes : public mlir::OpTrait::TraitBase<OpTy, VerifiesTypes> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyAllowedTypes(op, OpTy::getOperandSpecs(),
                              OpTy::getResultSpecs());
  }
};

/// Checks type variables and that the declared results obey the shape rule.
llvm::LogicalResult verifyByRule(mlir::Operation *op);

llvm::LogicalResult reifyByRule(mlir::Operation *op, mlir::OpBuilder &builder,
                                mlir::ReifiedRankedShapedTypeDims &dims);

/// What the op's rule says about each of its results, null where it says
/// nothing. `emitError` gets the text of each violated requirement.
llvm::LogicalResult
inferResultTypes(mlir::Operation *op, llvm::SmallVectorImpl<mlir::Type> &types,
                 llvm::function_ref<void(const llvm::Twine &)> emitError);

/// The types of the single results, for InferTypeOpInterface. Whether optional
/// results are present do not follow from operands: their types are not here.
void collectInferredTypes(mlir::MLIRContext *context,
                          const InferShapeBuilder &builder, bool ruleHolds,
                          llvm::ArrayRef<ValueSpec> resultSpecs,
                          llvm::SmallVectorImpl<mlir::Type> &types);

/// Never fails: where the rule is violated the types are unknown, and the
/// verifier, which can name the op, reports it once.
template <typename OpTy>
llvm::LogicalResult inferReturnTypesByRule(
    mlir::MLIRContext *context, mlir::ValueRange operands,
    mlir::DictionaryAttr attributes, mlir::OpaqueProperties properties,
    mlir::RegionRange regions, llvm::SmallVectorImpl<mlir::Type> &types) {
  InferShapeBuilder builder(context, operands, OpTy::getResultSpecs().size(),
                            /*emitError=*/nullptr);
  typename OpTy::Adaptor adaptor(operands, attributes, properties, regions);
  bool holds = succeeded(OpTy::shape(builder, adaptor));
  collectInferredTypes(context, builder, holds, OpTy::getResultSpecs(), types);
  return llvm::success();
}

} // namespace onnxc

#include "onnxc/Dialect/ONNX/ONNXInterfaces.h.inc"

#endif // ONNXC_DIALECT_ONNX_OPSUPPORT_H
