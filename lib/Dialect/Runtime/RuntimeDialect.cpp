//===- RuntimeDialect.cpp - Calls of the C runtime on tensors -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Runtime/RuntimeDialect.h"

#include "onnxc/runtime.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace onnxc::rt;

#include "onnxc/Dialect/Runtime/RuntimeDialect.cpp.inc"

#define GET_OP_CLASSES
#include "onnxc/Dialect/Runtime/RuntimeOps.cpp.inc"

void RTDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/Runtime/RuntimeOps.cpp.inc"
      >();
}

int32_t onnxc::rt::getDefaultDtype(Type type) {
  if (type.isF32())
    return ONNXC_FLOAT;
  if (type.isF16())
    return ONNXC_FLOAT16;
  if (type.isBF16())
    return ONNXC_BFLOAT16;
  if (type.isF64())
    return ONNXC_DOUBLE;
  if (type.isInteger(1))
    return ONNXC_BOOL;
  if (type.isInteger(8))
    return ONNXC_INT8;
  if (type.isInteger(16))
    return ONNXC_INT16;
  if (type.isInteger(32))
    return ONNXC_INT32;
  if (type.isInteger(64))
    return ONNXC_INT64;
  // Complex numbers only move, as integers of their size.
  if (type.isInteger(128))
    return ONNXC_COMPLEX128;
  return ONNXC_UNDEFINED;
}

//===----------------------------------------------------------------------===//
// CallOp
//===----------------------------------------------------------------------===//

static bool isBuffer(Type type) { return isa<BaseMemRefType>(type); }

bool CallOp::hasTensorForm() {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return llvm::any_of(getOperandTypes(), isTensor) ||
         llvm::any_of(getResultTypes(), isTensor);
}

ResultRange CallOp::getMadeResults() {
  return hasTensorForm() ? getResults().drop_front(getOuts().size())
                         : getResults();
}

int32_t CallOp::getDtype(unsigned index, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return ONNXC_UNDEFINED;
  int32_t stated = getDtypes() ? (*getDtypes())[index] : ONNXC_UNDEFINED;
  return stated ? stated : getDefaultDtype(shaped.getElementType());
}

LogicalResult CallOp::verify() {
  bool tensors = hasTensorForm();
  auto isArgument = [&](Type type) {
    if (auto shaped = dyn_cast<ShapedType>(type))
      return shaped.hasRank() && !isa<VectorType>(type) &&
             isa<RankedTensorType>(type) == tensors &&
             getDefaultDtype(shaped.getElementType()) != ONNXC_UNDEFINED;
    return type.isIndex() || type.isF32() || type.isF64() ||
           type.isInteger(1) || type.isInteger(8) || type.isInteger(16) ||
           type.isInteger(32) || type.isInteger(64);
  };
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(getOperandTypes()),
                                SmallVector<Type>(getResultTypes())))
    if (!isArgument(type))
      return emitOpError("cannot pass a value of type ") << type;
  for (Value out : getOuts())
    if (!isa<ShapedType>(out.getType()))
      return emitOpError("expected tensors or buffers as outs");
  if (tensors) {
    if (getResults().size() < getOuts().size())
      return emitOpError("expected a result for each of its ")
             << getOuts().size() << " outs";
    for (auto [out, result] : llvm::zip(getOuts(), getResults()))
      if (out.getType() != result.getType())
        return emitOpError("expected the result of type ")
               << out.getType() << " for an out of that type, got "
               << result.getType();
  }
  size_t count =
      getInputs().size() + getOuts().size() + getMadeResults().size();
  if (getDtypes() && getDtypes()->size() != count)
    return emitOpError("expected ") << count << " dtypes";
  return success();
}

/// On tensors, only what it does beside its results counts.
void CallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : (*this)->getOpOperands()) {
    if (!isBuffer(operand.get().getType()))
      continue;
    if (operand.getOperandNumber() < getInputs().size())
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
  // Buffers that it makes are memory of the context.
  if (getStateful() || llvm::any_of(getResultTypes(), isBuffer)) {
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
}

LogicalResult CallOp::reifyResultShapes(OpBuilder &b,
                                        ReifiedRankedShapedTypeDims &reified) {
  if (!hasTensorForm() || llvm::any_of(getMadeResults(), [](Value made) {
        auto type = dyn_cast<RankedTensorType>(made.getType());
        return type && !type.hasStaticShape();
      }))
    return failure();
  for (Value out : getOuts())
    reified.push_back(tensor::getMixedSizes(b, getLoc(), out));
  for (Value made : getMadeResults()) {
    reified.emplace_back();
    if (auto type = dyn_cast<RankedTensorType>(made.getType()))
      for (int64_t size : type.getShape())
        reified.back().push_back(b.getIndexAttr(size));
  }
  return success();
}

bool CallOp::bufferizesToMemoryRead(OpOperand &operand, const AnalysisState &) {
  return operand.getOperandNumber() < getInputs().size();
}

bool CallOp::bufferizesToMemoryWrite(OpOperand &operand,
                                     const AnalysisState &) {
  return operand.getOperandNumber() >= getInputs().size();
}

AliasingValueList CallOp::getAliasingValues(OpOperand &operand,
                                            const AnalysisState &) {
  unsigned index = operand.getOperandNumber();
  if (index < getInputs().size())
    return {};
  return {{getResults()[index - getInputs().size()], BufferRelation::Equivalent,
           /*isDefinite=*/true}};
}

bool CallOp::isWritable(Value value, const AnalysisState &) {
  auto result = dyn_cast<OpResult>(value);
  return result && result.getResultNumber() < getOuts().size();
}

LogicalResult CallOp::bufferize(RewriterBase &b,
                                const BufferizationOptions &options,
                                BufferizationState &state) {
  Location loc = getLoc();
  // The callee knows no strides: what is not a contiguous buffer is copied.
  auto makeContiguous = [&](Value buffer, bool fill) -> FailureOr<Value> {
    auto type = cast<MemRefType>(buffer.getType());
    if (type.getLayout().isIdentity())
      return buffer;
    SmallVector<Value> sizes;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        sizes.push_back(memref::DimOp::create(b, loc, buffer, i));
    FailureOr<Value> copy = options.createAlloc(
        b, loc, MemRefType::get(type.getShape(), type.getElementType()), sizes);
    if (failed(copy) ||
        (fill && failed(options.createMemCpy(b, loc, buffer, *copy))))
      return failure();
    return copy;
  };
  SmallVector<Value> inputs, outs, buffers;
  for (Value input : getInputs()) {
    if (!isa<TensorType>(input.getType())) {
      inputs.push_back(input);
      continue;
    }
    FailureOr<Value> buffer = getBuffer(b, input, options, state);
    if (succeeded(buffer))
      buffer = makeContiguous(*buffer, /*fill=*/true);
    if (failed(buffer))
      return failure();
    inputs.push_back(*buffer);
  }
  for (Value out : getOuts()) {
    FailureOr<Value> buffer = getBuffer(b, out, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
    buffer = makeContiguous(*buffer, /*fill=*/false);
    if (failed(buffer))
      return failure();
    outs.push_back(*buffer);
  }
  SmallVector<Type> made;
  for (Value result : getMadeResults()) {
    auto tensor = dyn_cast<RankedTensorType>(result.getType());
    made.push_back(
        tensor ? MemRefType::get(tensor.getShape(), tensor.getElementType())
               : result.getType());
  }
  auto call = CallOp::create(b, loc, made, getCalleeAttr(), inputs, outs,
                             getDtypesAttr(), getNodeAttr(), getStatefulAttr());
  call->setDiscardableAttrs(getOperation()->getDiscardableAttrDictionary());
  for (auto [buffer, out] : llvm::zip_equal(buffers, outs))
    if (buffer != out && failed(options.createMemCpy(b, loc, out, buffer)))
      return failure();
  llvm::append_range(buffers, call.getResults());
  replaceOpWithBufferizedValues(b, getOperation(), buffers);
  return success();
}
