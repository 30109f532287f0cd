//===- ForgetExampleSizes.cpp - Declared sizes that inputs contradict -----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An exporter traces a model with an example. Some declare the example's batch
// of intermediate results and outputs, although that of the inputs is open.
//
//===----------------------------------------------------------------------===//

#include "CarriedTypes.h"
#include "Dimensions.h"
#include "InferShapes.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Schema.h"
#include "onnxc/Infer/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace onnxc;

namespace onnxc {
#define GEN_PASS_DEF_FORGETEXAMPLESIZES
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

/// Sizes to try: primes times a factor. Small ones fit into tables of
/// positions, multiples of 64 can be halved as images are.
static constexpr int64_t primes[] = {11, 13, 17, 19, 23, 29, 31, 37, 41, 43};
static constexpr int64_t factors[] = {1, 64};

static bool hasOpenSize(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.hasStaticShape();
}

/// Gives open sizes of the arguments numbers: where they have a name, all of
/// that name the same one.
static void closeArguments(func::FuncOp function, int64_t factor) {
  llvm::StringMap<int64_t> named;
  unsigned next = 0;
  auto choose = [&] { return factor * primes[next++ % std::size(primes)]; };
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                      model::dimParams);
    SmallVector<int64_t> shape(type.getShape());
    for (auto [i, size] : llvm::enumerate(shape)) {
      if (!ShapedType::isDynamic(size))
        continue;
      StringRef name = names && i < names.size()
                           ? cast<StringAttr>(names[i]).getValue()
                           : "";
      if (name.empty()) {
        size = choose();
        continue;
      }
      auto [known, isNew] = named.try_emplace(name, 0);
      if (isNew)
        known->second = choose();
      size = known->second;
    }
    argument.setType(type.clone(shape));
  }
}

/// The results whose sizes the model declares once for all runs, in order:
/// those of loops' bodies are `onnx-forget-carried-sizes`' business.
static SmallVector<OpResult> listResults(func::FuncOp function) {
  SmallVector<OpResult> results;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<SchemaOpInterface>(op))
      llvm::append_range(results, op->getResults());
    return hasFact(op, OpFact::RepeatsBody) ? WalkResult::skip()
                                            : WalkResult::advance();
  });
  return results;
}

/// The declared type without the sizes that are others in the trial.
static Type dropContradicted(Type declared, Type tried) {
  auto type = dyn_cast<RankedTensorType>(declared);
  auto other = dyn_cast<RankedTensorType>(tried);
  if (!type || !other || type.getRank() != other.getRank())
    return declared;
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, found] : llvm::zip_equal(shape, other.getShape()))
    if (!ShapedType::isDynamic(found) && size != found)
      size = ShapedType::kDynamic;
  return type.clone(shape);
}

static void forgetExampleSizes(func::FuncOp function) {
  if (llvm::none_of(function.getArgumentTypes(), hasOpenSize))
    return;
  for (int64_t factor : factors) {
    OwningOpRef<func::FuncOp> trial = function.clone();
    SmallVector<OpResult> results = listResults(function);
    SmallVector<OpResult> tried = listResults(*trial);
    for (OpResult result : tried)
      if (!isList(result.getType()))
        result.setType(forgetSizes(result.getType()));
    closeArguments(*trial, factor);
    inferLeniently(*trial);
    for (auto [result, other] : llvm::zip_equal(results, tried))
      result.setType(dropContradicted(result.getType(), other.getType()));
  }
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.front().getArgumentTypes(),
      function.front().getTerminator()->getOperandTypes()));
}

namespace {
struct ForgetExampleSizes
    : onnxc::impl::ForgetExampleSizesBase<ForgetExampleSizes> {
  void runOnOperation() override {
    for (func::FuncOp entry : listEntries(getOperation()))
      if (!entry.isExternal())
        forgetExampleSizes(entry);
  }
};
} // namespace
