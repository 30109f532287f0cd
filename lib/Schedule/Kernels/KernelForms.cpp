//===- KernelForms.cpp - Which kernels can be emitted ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelForms.h"
#include "Halves.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc;
using onnxc::kernel::KernelOpInterface;

static bool refuse(std::string &why, const Twine &reason) {
  why = reason.str();
  return false;
}

/// Tensors have no layout yet.
static bool isLastDimConsecutive(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return !type || type.isLastDimUnitStride();
}

static bool isDense(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return !type || type.getLayout().isIdentity();
}

bool onnxc::hasVectorsInMemory(Type type, std::string &why) {
  if (type.isIntOrFloat() && type.getIntOrFloatBitWidth() % 8 == 0)
    return true;
  return refuse(why, "elements are not whole bytes");
}

bool onnxc::hasSums(Type lhs, Type rhs, Type sum, std::string &why) {
  auto extends = [&](Type from) {
    return isa<FloatType>(from) == isa<FloatType>(sum) && from.isIntOrFloat() &&
           (from == sum ||
            from.getIntOrFloatBitWidth() < sum.getIntOrFloatBitWidth());
  };
  if (!sum.isIntOrFloat() || !extends(lhs) || !extends(rhs))
    return refuse(why, "the operands do not extend to the type of the sum");
  return hasVectorsInMemory(lhs, why) && hasVectorsInMemory(rhs, why);
}

bool onnxc::canReadExtra(KernelOpInterface op, Type type, AffineMap map,
                         std::string &why) {
  if (!isa<ShapedType>(type))
    return true;
  // Vectors of them would be of bits, where memory has bytes.
  if (!hasVectorsInMemory(getElementTypeOrSelf(type), why))
    return false;
  for (AffineExpr expr : map.getResults()) {
    if (isa<AffineDimExpr>(expr) || expr == 0)
      continue;
    // Some of the emitters add up what is linear.
    auto c = linearCoefficients(expr, map.getNumDims());
    bool isLinear = c && (isa<kernel::ConvOp>(op) ||
                          (isa<kernel::MatmulOp>(op) && c->back() == 0));
    if (!isLinear)
      return refuse(why, "the epilogue reads elements that are not at the "
                         "place of the result");
  }
  return true;
}

bool onnxc::hasVectorForm(Operation &inner, std::string &why) {
  // Integer division traps on what dead lanes hold.
  if (isa<arith::ConstantOp>(inner) ||
      (inner.hasTrait<OpTrait::Vectorizable>() && inner.getNumResults() == 1 &&
       !isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(
           inner)))
    return true;
  return refuse(why,
                "'" + inner.getName().getStringRef() + "' has no vector form");
}

static bool isEmittableConv(kernel::ConvOp op, std::string &why) {
  auto filter = cast<ShapedType>(op.getFilter().getType()),
       image = cast<ShapedType>(op.getImage().getType());
  Type element = filter.getElementType();
  if (!op.getAccumulatorType().isF32() || !image.getElementType().isF32() ||
      (!element.isF32() && !isHalf(element)))
    return refuse(why, "expected sums and an image of float32, and weights of "
                       "floats of at most 32 bits");
  if (!filter.hasStaticShape())
    return refuse(why, "expected a filter of known shape");
  if (!isLastDimConsecutive(op.getInit()) ||
      !isLastDimConsecutive(op.getFilter()) ||
      (op.isDepthwise() && !isLastDimConsecutive(op.getImage())))
    return refuse(why, "expected consecutive lanes in memory");
  int64_t lanes = op.getBlock(), group = op.getGroup(),
          panel = filter.getShape().back();
  if (op.isImageBlocked() && image.getShape().back() != lanes)
    return refuse(why, "blocks of the image and of the result differ");
  if (op.isDepthwise()) {
    if (!op.isImageBlocked() || panel != lanes)
      return refuse(why, "expected a depthwise filter of one block");
    return true;
  }
  if (panel % lanes != 0)
    return refuse(why, "expected panels of whole blocks");
  if (group == 1)
    return true;
  if (!op.isImageBlocked() || op.getChannels() / group % lanes != 0)
    return refuse(why, "the channels of a group end within a block");
  if (op.getFilters() / group % panel != 0)
    return refuse(why, "the filters of a group end within a panel");
  return true;
}

static bool isEmittableMatmul(kernel::MatmulOp op, TargetAttr target,
                              std::string &why) {
  Type sum = op.getAccumulatorType();
  if (!hasSums(getElementTypeOrSelf(op.getLhs()),
               getElementTypeOrSelf(op.getRhs()), sum, why))
    return false;
  int64_t width = op.getPanelWidth(),
          lanes = target.getVectorBytes() * 8 / sum.getIntOrFloatBitWidth();
  if (lanes < 1)
    return refuse(why, "sums are wider than a register");
  if (width % lanes != 0)
    return refuse(why, "expected panels of whole vectors");
  if (width > 0 && !isLastDimConsecutive(op.getRhs()))
    return refuse(why, "expected consecutive columns of packed weights");
  return true;
}

static bool isEmittableDot(kernel::IntegerDotOp op, TargetAttr target,
                           std::string &why) {
  if (!isDense(op.getFilter()) || !isLastDimConsecutive(op.getInit()) ||
      !isLastDimConsecutive(op.getImage()))
    return refuse(why, "expected consecutive channels and weights");
  if (op.getDepthwise())
    return true;
  if (op.getPanelWidth() % (target.getVectorBytes() / 4) != 0)
    return refuse(why, "expected panels of whole vectors");
  int64_t group = op.getGroup();
  if ((group == 4 && !supports(target, Capability::DotBytes)) ||
      (group == 2 && !supports(target, Capability::MultiplyPairs)))
    return refuse(why, "the target has no dot products of so many numbers");
  return true;
}

static bool isEmittableBlocks(kernel::BlockMatmulOp op, TargetAttr target,
                              std::string &why) {
  if (!isDense(op.getWeights()) || !isDense(op.getScales()) ||
      !isLastDimConsecutive(op.getInit()))
    return refuse(why, "expected consecutive columns, weights and scales");
  if (op.getPanelWidth() % (target.getVectorBytes() / 4) != 0)
    return refuse(why, "expected panels of whole vectors");
  return true;
}

bool onnxc::isEmittable(KernelOpInterface op, TargetAttr target,
                        std::string &why) {
  for (auto [extra, map] :
       llvm::zip_equal(op.getExtras(), op.getEpilogueAffineMaps()))
    if (!canReadExtra(op, extra.getType(), map, why))
      return false;
  for (Operation &inner : op.getEpilogue().front().without_terminator())
    if (!hasVectorForm(inner, why))
      return false;
  if (!hasVectorsInMemory(getElementTypeOrSelf(op.getInitMutable().get()), why))
    return false;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](kernel::ConvOp conv) { return isEmittableConv(conv, why); })
      .Case([&](kernel::MatmulOp matmul) {
        return isEmittableMatmul(matmul, target, why);
      })
      .Case([&](kernel::IntegerDotOp dot) {
        return isEmittableDot(dot, target, why);
      })
      .Case([&](kernel::BlockMatmulOp matmul) {
        return isEmittableBlocks(matmul, target, why);
      })
      .Default([&](Operation *) { return refuse(why, "no emitter"); });
}
