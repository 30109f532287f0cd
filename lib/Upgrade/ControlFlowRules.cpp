//===- ControlFlowRules.cpp - Scan -----------------------------------------
//===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomRules.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

using namespace mlir;
using namespace onnxc;

/// Version 8 ran over a batch, axis 0 of everything, besides the sequence, and
/// could end each of the batch's sequences early. The outer Scan made here runs
/// over the batch, the old one within it over a sequence.
LogicalResult rules::scanOverBatch(OldNode &node) {
  if (node.getInput(0))
    return node.emitError() << "sequence_lens is not supported";
  if (node.op.getGraphs().size() != 1 || node.op.getGraphs()[0].empty())
    return node.emitError() << "the graph attribute 'body' is missing";
  Region &region = node.op.getGraphs()[0];
  if (!node.inputs.empty())
    node.inputs.erase(node.inputs.begin());

  NodeParts inner;
  inner.attributes.set(
      "num_scan_inputs",
      node.builder.getI64IntegerAttr(node.getInt("num_scan_inputs", 0)));
  if (Attribute directions = node.attributes.erase("directions"))
    inner.attributes.set("scan_input_directions", directions);
  Type unknown = UnknownType::get(node.builder.getContext());
  inner.outputs.assign(region.back().getTerminator()->getNumOperands(),
                       unknown);
  auto body = std::make_unique<Region>();
  body->takeBody(region);
  inner.graphs.emplace_back("body", std::move(body));

  OpBuilder::InsertionGuard guard(node.builder);
  Block *block = node.builder.createBlock(&region);
  for (size_t i = 0; i < node.inputs.size(); ++i)
    inner.inputs.push_back(block->addArgument(unknown, node.getLoc()));
  size_t numOutputs = inner.outputs.size();
  FailureOr<SmallVector<Value>> results =
      buildNode(node.builder, node.getLoc(), *node.record, std::move(inner));
  if (failed(results))
    return failure();
  YieldOp::create(node.builder, node.getLoc(), *results);

  node.setInt("num_scan_inputs", static_cast<int64_t>(node.inputs.size()));
  node.outputs.resize(numOutputs);
  return success();
}
