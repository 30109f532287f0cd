//===- ControlFlowRules.cpp - Scan ----------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomRules.h"

#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"

using namespace mlir;
using namespace onnxc;

/// Makes the body count its steps, from a first argument to a first output, and
/// do nothing from step `length` on: states stay, outputs are 0.
static LogicalResult endEarly(NodeUpgrade &node, Block &body, size_t numStates,
                              Value length) {
  Operation *yield = body.getTerminator();
  if (numStates > body.getNumArguments() || numStates > yield->getNumOperands())
    return node.emitError() << "the graph has too few inputs or outputs";
  OpBuilder::InsertionGuard guard(node.builder);
  node.builder.setInsertionPoint(yield);
  auto count = RankedTensorType::get({}, node.builder.getI64Type());
  Value step = body.insertArgument(0u, count, node.getLoc());
  SmallVector<Value> next = {node.add(step, node.integer(1))};
  Value runs = node.less(step, length);
  Value zero = node.number(0, node.builder.getF32Type());
  for (auto [i, value] : llvm::enumerate(yield->getOperands())) {
    Value otherwise = i < numStates ? body.getArgument(i + 1)
                                    : node.make<CastLikeOp>({zero, value});
    next.push_back(node.where(runs, value, otherwise));
  }
  if (llvm::is_contained(next, Value()))
    return failure();
  yield->setOperands(next);
  return success();
}

/// Version 8 ran over a batch, axis 0 of everything, besides the sequence, and
/// could end each of the batch's sequences early. The outer Scan made here runs
/// over the batch, the old one within it over a sequence.
LogicalResult rules::scanOverBatch(NodeUpgrade &node) {
  if (node.op.getGraphs().size() != 1 || node.op.getGraphs()[0].empty())
    return node.emitError() << "the graph attribute 'body' is missing";
  Region &region = node.op.getGraphs()[0];
  Value lengths = node.getInput(0);
  if (!node.inputs.empty())
    node.inputs.erase(node.inputs.begin());
  int64_t numScanned = node.getInt("num_scan_inputs", 0);
  if (numScanned < 0 || numScanned > int64_t(node.inputs.size()))
    return node.emitError() << "num_scan_inputs does not fit the inputs";

  NodeParts inner;
  inner.attributes.set("num_scan_inputs",
                       node.builder.getI64IntegerAttr(numScanned));
  if (Attribute directions = node.attributes.erase("directions"))
    inner.attributes.set("scan_input_directions", directions);
  Type unknown = UnknownType::get(node.builder.getContext());
  auto body = std::make_unique<Region>();
  body->takeBody(region);

  OpBuilder::InsertionGuard guard(node.builder);
  Block *block = node.builder.createBlock(&region);
  if (lengths) {
    Value length = block->addArgument(unknown, node.getLoc());
    inner.inputs.push_back(node.integer(0));
    if (failed(endEarly(node, body->front(), node.inputs.size() - numScanned,
                        length)))
      return failure();
  }
  for (size_t i = 0; i < node.inputs.size(); ++i)
    inner.inputs.push_back(block->addArgument(unknown, node.getLoc()));
  inner.outputs.assign(body->front().getTerminator()->getNumOperands(),
                       unknown);
  inner.graphs.emplace_back("body", std::move(body));
  FailureOr<SmallVector<Value>> results =
      buildNode(node.builder, node.getLoc(), *node.record, std::move(inner));
  if (failed(results))
    return failure();
  ArrayRef<Value> yielded(*results);
  if (lengths) {
    yielded = yielded.drop_front();
    node.inputs.insert(node.inputs.begin(), lengths);
  }
  YieldOp::create(node.builder, node.getLoc(), yielded);

  node.setInt("num_scan_inputs", static_cast<int64_t>(node.inputs.size()));
  node.outputs.resize(yielded.size());
  return success();
}
