//===- BlockWeights.cpp - Nodes that read weights by block ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Quantize/Plan.h"

#include "onnxc/Dialect/ONNX/Builder.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/Quantization.h"
#include "onnxc/Dialect/ONNX/ValueTypes.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::quantize;

/// ONNX Runtime's MatMulNBits takes these.
static bool isNBitsBlock(int64_t size) {
  return size >= 16 && llvm::isPowerOf2_64(size);
}

bool quantize::canUseBlocks(const Layer &layer, const BlockOptions &options,
                            std::string &reason) {
  auto type = cast<RankedTensorType>(layer.weights.getType());
  if (options.format == Format::QDQ || isa<GatherOp>(layer.op))
    return true;
  auto gemm = dyn_cast<GemmOp>(layer.op);
  if (gemm && (gemm.getTransA() || gemm.getAlpha().convertToFloat() != 1)) {
    reason = "MatMulNBits has neither transA nor alpha";
    return false;
  }
  if (gemm && gemm.getC() && gemm.getBeta().convertToFloat() != 1) {
    reason = "MatMulNBits has no beta";
    return false;
  }
  if (type.getRank() != 2) {
    reason = "MatMulNBits takes a matrix, and the weights have rank " +
             std::to_string(type.getRank());
    return false;
  }
  if (!isNBitsBlock(options.blockSize)) {
    reason = "MatMulNBits takes blocks of 16, 32, 64, ...";
    return false;
  }
  return true;
}

/// What the weights are called, for names that derive from it.
static std::string getBaseName(const Layer &layer) {
  std::string name = getValueName(layer.getWeight());
  return name.empty()
             ? (layer.name.empty() ? layer.kind : layer.name) + "_weight"
             : name;
}

BlockOptions quantize::getOptionsOf(const Layer &layer, BlockOptions options) {
  if (isa<GatherOp>(layer.op))
    options.bits = 8;
  return options;
}

/// The constants of the code, where the weights are.
static void makeConstants(Operation *op, const Layer &layer,
                          const WeightCode &code, MadeConstants &made) {
  if (!made.constants.empty())
    return;
  std::string base = getBaseName(layer);
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(
      op->getOperand(layer.weightOperand).getDefiningOp());
  made.constants = {
      makeInitializer(builder, op, code.integers, base + "_quantized"),
      makeInitializer(builder, op, code.scales, base + "_scale")};
  if (code.zeroPoints)
    made.constants.push_back(
        makeInitializer(builder, op, code.zeroPoints, base + "_zero_point"));
}

static Value applyDequantize(Operation *op, const Layer &layer,
                             const WeightCode &code, MadeConstants &made) {
  makeConstants(op, layer, code, made);
  if (!made.dequantized) {
    std::string base = getBaseName(layer);
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(made.constants.back().getDefiningOp());
    ONNXBuilder b(builder, makeLocation(op, base + "_DequantizeLinear",
                                        DequantizeLinearOp::getOnnxName(),
                                        base + "_dequantized"));
    made.dequantized = b.make<DequantizeLinearOp>(
        made.constants, {b.attribute("axis", code.axis),
                         b.attribute("block_size", code.blockSize)});
  }
  op->setOperand(layer.weightOperand, made.dequantized);
  return op->getResult(0);
}

/// Rows of integers and of scales are picked, and then dequantized: a table
/// that is dequantized first is read as a whole in each run.
static Value applyGather(Operation *op, const Layer &layer,
                         const WeightCode &code, MadeConstants &made) {
  makeConstants(op, layer, code, made);
  std::string result = getValueName(op->getResult(0));
  if (result.empty())
    result = getBaseName(layer) + "_rows";
  OpBuilder builder(op);
  constexpr const char *suffixes[] = {"_quantized", "_scale", "_zero_point"};
  SmallVector<Value> operands;
  for (auto [constant, suffix] : llvm::zip(made.constants, suffixes)) {
    std::string name = result + suffix;
    ONNXBuilder b(builder, makeLocation(op, layer.name + suffix,
                                        GatherOp::getOnnxName(), name));
    operands.push_back(b.make<GatherOp>({constant, op->getOperand(1)},
                                        b.attribute("axis", 0)));
  }
  std::optional<int64_t> rank = getRank(op->getOperand(1));
  ONNXBuilder b(
      builder,
      makeLocation(op, layer.name, DequantizeLinearOp::getOnnxName(), result));
  return b.make<DequantizeLinearOp>(
      operands, {b.attribute("axis", rank ? *rank : -1),
                 b.attribute("block_size", code.blockSize)});
}

namespace {
/// The integers of a code as [columns][steps], unsigned.
class ByColumns {
public:
  ByColumns(ElementsAttr elements, int64_t stepAxis, unsigned bits)
      : bits(bits) {
    auto type = cast<RankedTensorType>(elements.getType());
    isSigned = !type.getElementType().isUnsignedInteger();
    steps = type.getDimSize(stepAxis);
    columns = type.getDimSize(1 - stepAxis);
    stepStride = stepAxis == 0 ? columns : 1;
    columnStride = stepAxis == 0 ? 1 : steps;
    bytes = readBytes(elements);
  }

  int64_t steps, columns;
  unsigned at(int64_t column, int64_t step) const {
    unsigned raw = static_cast<unsigned char>(
        bytes[column * columnStride + step * stepStride]);
    unsigned half = 1u << (bits - 1), mask = (1u << bits) - 1;
    return isSigned ? (raw + half) & mask : raw & mask;
  }
  /// Rows of `length` numbers for each column, the lowest bits first; what is
  /// missing is `fill`.
  std::vector<char> pack(int64_t length, unsigned fill) const {
    const int64_t perByte = 8 / bits;
    const int64_t width = llvm::divideCeil(length, perByte);
    std::vector<char> packed(columns * width, 0);
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t step = 0; step < width * perByte; ++step) {
        unsigned number = step < steps    ? at(column, step)
                          : step < length ? fill
                                          : 0;
        packed[column * width + step / perByte] |=
            static_cast<char>(number << (bits * (step % perByte)));
      }
    return packed;
  }

private:
  static std::vector<char> readBytes(ElementsAttr elements) {
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
      ArrayRef<char> data = resource.getRawHandle().getBlob()->getData();
      return std::vector<char>(data.begin(), data.end());
    }
    auto dense = cast<DenseElementsAttr>(elements);
    ArrayRef<char> data = dense.getRawData();
    if (dense.isSplat())
      return std::vector<char>(dense.getNumElements(), data.front());
    return std::vector<char>(data.begin(), data.end());
  }

  unsigned bits;
  bool isSigned;
  int64_t stepStride, columnStride;
  std::vector<char> bytes;
};
} // namespace

/// [steps, columns] or [columns, steps] as [columns, steps].
static ElementsAttr transposeScales(const WeightCode &code) {
  auto type = cast<RankedTensorType>(code.scales.getType());
  std::vector<float> values = readFloats(code.scales), moved;
  int64_t blocks = type.getDimSize(code.axis),
          columns = type.getDimSize(1 - code.axis);
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t block = 0; block < blocks; ++block)
      moved.push_back(code.axis == 0 ? values[block * columns + column]
                                     : values[column * blocks + block]);
  return makeFloats(
      RankedTensorType::get(columns * blocks, type.getElementType()), moved);
}

static Value applyNBits(Operation *op, const Layer &layer,
                        const WeightCode &code, const BlockOptions &options,
                        MadeConstants &made) {
  std::string base = getBaseName(layer);
  OpBuilder builder(op);
  Type uint8 = IntegerType::get(op->getContext(), 8, IntegerType::Unsigned);
  ByColumns numbers(code.integers, code.axis, options.bits);
  const int64_t numBlocks = llvm::divideCeil(numbers.steps, options.blockSize);
  const int64_t blockBytes = options.blockSize * options.bits / 8;
  auto packedType =
      RankedTensorType::get({numbers.columns, numBlocks, blockBytes}, uint8);
  if (made.constants.empty()) {
    OpBuilder constants(op->getContext());
    constants.setInsertionPointAfter(
        op->getOperand(layer.weightOperand).getDefiningOp());
    // What fills the last block is multiplied with nothing.
    made.constants = {
        makeInitializer(
            constants, op,
            makeElements(packedType, numbers.pack(numBlocks * options.blockSize,
                                                  1u << (options.bits - 1))),
            base + "_quantized"),
        makeInitializer(constants, op, transposeScales(code), base + "_scale")};
    if (code.zeroPoints) {
      std::vector<char> zeros =
          ByColumns(code.zeroPoints, code.axis, options.bits)
              .pack(numBlocks, 0);
      auto zeroType =
          RankedTensorType::get(static_cast<int64_t>(zeros.size()), uint8);
      made.constants.push_back(makeInitializer(
          constants, op, makeElements(zeroType, zeros), base + "_zero_point"));
    }
  }
  NodeParts parts;
  parts.inputs = {op->getOperand(0)};
  llvm::append_range(parts.inputs, made.constants);
  auto add = [&](StringRef name, int64_t value) {
    parts.attributes.set(name, builder.getI64IntegerAttr(value));
  };
  add("K", numbers.steps);
  add("N", numbers.columns);
  add("bits", options.bits);
  add("block_size", options.blockSize);
  parts.outputs = {op->getResult(0).getType()};
  auto gemm = dyn_cast<GemmOp>(op);
  Value bias = gemm ? gemm.getC() : Value();
  std::string result = getValueName(op->getResult(0));
  Location loc = op->getLoc();
  if (bias)
    loc = makeLocation(op, layer.name + "_MatMulNBits", "MatMulNBits",
                       (result.empty() ? base : result) + "_product");
  Value product = buildGenericNode(builder, loc, "MatMulNBits", "com.microsoft",
                                   1, std::move(parts))
                      .front();
  if (bias) {
    ONNXBuilder b(builder, op->getLoc());
    product = b.make<AddOp>({product, bias});
  }
  return product;
}

Value quantize::applyBlocks(Operation *op, const Layer &layer,
                            const WeightCode &code, const BlockOptions &options,
                            MadeConstants &made) {
  if (isa<GatherOp>(op))
    return applyGather(op, layer, code, made);
  return options.format == Format::QDQ
             ? applyDequantize(op, layer, code, made)
             : applyNBits(op, layer, code, options, made);
}

void quantize::importMicrosoftDomain(ModuleOp module) {
  auto imports = module->getAttrOfType<DictionaryAttr>(model::opsetImports);
  NamedAttrList all(imports);
  if (all.get("com.microsoft"))
    return;
  Builder builder(module.getContext());
  all.set("com.microsoft", builder.getI64IntegerAttr(1));
  module->setAttr(model::opsetImports, all.getDictionary(module.getContext()));
}
