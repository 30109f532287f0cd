//===- CheckSizes.cpp - Sizes that cannot be, or not be meant -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Infer/Passes.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Schema.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace onnxc;

namespace onnxc {
#define GEN_PASS_DEF_CHECKSIZES
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

/// The bytes of a tensor, with open dimensions taken for 1; nullopt if they
/// cannot be counted. What is not a tensor has none.
static std::optional<int64_t> countLeastBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 0;
  Type element = tensor.getElementType();
  int64_t bytes = 1;
  if (auto complex = dyn_cast<ComplexType>(element))
    bytes = 2 * (complex.getElementType().getIntOrFloatBitWidth() / 8);
  else if (element.isIntOrFloat())
    bytes = std::max(element.getIntOrFloatBitWidth() / 8, 1u);
  else
    bytes = sizeof(char *);
  if (llvm::is_contained(tensor.getShape(), 0))
    return 0;
  for (int64_t dim : tensor.getShape()) {
    if (ShapedType::isDynamic(dim))
      continue;
    std::optional<int64_t> product = llvm::checkedMul(bytes, dim);
    if (!product)
      return std::nullopt;
    bytes = *product;
  }
  return bytes;
}

namespace {
struct CheckSizes : onnxc::impl::CheckSizesBase<CheckSizes> {
  using CheckSizesBase::CheckSizesBase;

  LogicalResult checkTensor(Type type,
                            llvm::function_ref<InFlightDiagnostic()> fail) {
    std::optional<int64_t> bytes = countLeastBytes(type);
    if (bytes && *bytes <= maxBytes)
      return success();
    InFlightDiagnostic error = fail();
    error << "is " << type << ", which takes ";
    if (bytes)
      error << *bytes << " bytes";
    else
      error << "more bytes than can be counted";
    return error << "; at most " << maxBytes.getValue()
                 << " are allowed (--max-tensor-bytes)";
  }

  void runOnOperation() override {
    WalkResult walked = getOperation()->walk([&](Operation *op) {
      for (OpResult result : op->getResults())
        if (failed(checkTensor(result.getType(), [&] {
              return op->emitOpError() << describeOutput(result) << " ";
            })))
          return WalkResult::interrupt();
      auto function = dyn_cast<FunctionOpInterface>(op);
      if (!function || !function->hasAttr(model::entry))
        return WalkResult::advance();
      for (BlockArgument argument : function.getArguments()) {
        auto name = function.getArgAttrOfType<StringAttr>(
            argument.getArgNumber(), model::name);
        if (failed(checkTensor(argument.getType(), [&] {
              return emitError(function.getLoc())
                     << "input '" << (name ? name.getValue() : "") << "' ";
            })))
          return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
