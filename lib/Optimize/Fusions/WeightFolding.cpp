//===- WeightFolding.cpp - Arithmetic that goes into weights --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightFolding.h"

#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

//===----------------------------------------------------------------------===//
// Scales and shifts
//===----------------------------------------------------------------------===//

static bool areFinite(ArrayRef<double> numbers) {
  return llvm::all_of(numbers, [](double x) { return std::isfinite(x); });
}

bool Affine::isFinite() const { return areFinite(scale) && areFinite(shift); }
bool Affine::hasShift() const {
  return llvm::any_of(shift, [](double x) { return x != 0; });
}
bool Affine::hasScale() const {
  return llvm::any_of(scale, [](double x) { return x != 1; });
}

static std::optional<std::vector<double>> getFloats(Value value) {
  std::optional<Elements> elements = Elements::get(getConstant(value));
  if (!elements || !isa<FloatType>(elements->getElementType()))
    return std::nullopt;
  return elements->getNumbers();
}

/// Before opset 7 it trains unless `is_test` says otherwise, whatever the
/// compiler makes of it. What said so is kept for the exporter.
static bool trainsInOldOpset(BatchNormalizationOp op) {
  if (getOpset(op) >= 7)
    return false;
  auto old = op->getAttrOfType<DictionaryAttr>(model::oldAttributes);
  auto isTest = old ? old.getAs<IntegerAttr>("is_test") : IntegerAttr();
  return !isTest || isTest.getInt() == 0;
}

std::optional<Affine> optimize::getAffine(BatchNormalizationOp op,
                                          const RewriteOptions &options) {
  if (op.getTrainingMode() || (options.keepOpset && trainsInOldOpset(op)) ||
      llvm::any_of(op->getResults().drop_front(),
                   [](Value result) { return !result.use_empty(); }))
    return std::nullopt;
  std::optional<std::vector<double>> scale = getFloats(op.getScale()),
                                     shift = getFloats(op.getB()),
                                     mean = getFloats(op.getInputMean()),
                                     variance = getFloats(op.getInputVar());
  if (!scale || !shift || !mean || !variance || scale->empty() ||
      shift->size() != scale->size() || mean->size() != scale->size() ||
      variance->size() != scale->size())
    return std::nullopt;
  double epsilon = op.getEpsilon().convertToFloat();
  Affine affine;
  for (auto [s, b, m, v] : llvm::zip_equal(*scale, *shift, *mean, *variance)) {
    if (!(v + epsilon > 0))
      return std::nullopt;
    double k = s / std::sqrt(v + epsilon);
    affine.scale.push_back(k);
    affine.shift.push_back(b - m * k);
  }
  return affine.isFinite() ? std::optional(affine) : std::nullopt;
}

static bool scales(Operation *op) { return isa_and_present<MulOp, DivOp>(op); }
static bool shifts(Operation *op) { return isa_and_present<AddOp, SubOp>(op); }

Value optimize::getVariable(Operation *op) {
  if (!scales(op) && !shifts(op))
    return {};
  bool left = isConstant(op->getOperand(0)),
       right = isConstant(op->getOperand(1));
  if (left == right || (left && isa<DivOp>(op)))
    return {};
  return op->getOperand(left ? 1 : 0);
}

/// The elements of a constant that are the same all over a channel of `value`,
/// to whose shape it broadcasts: one, or one for each channel.
static std::optional<std::vector<double>>
getChannelNumbers(Value constant, Value value, Channels channels) {
  std::optional<ArrayRef<int64_t>> shape = getShape(constant);
  if (!shape ||
      static_cast<int64_t>(shape->size()) > getRank(value).value_or(0))
    return std::nullopt;
  for (auto [fromEnd, dim] : llvm::enumerate(llvm::reverse(*shape))) {
    if (dim == 1)
      continue;
    if (static_cast<int64_t>(fromEnd) != channels.fromEnd ||
        dim != channels.count ||
        getDim(value, -1 - static_cast<int64_t>(fromEnd)) != channels.count)
      return std::nullopt;
  }
  std::optional<std::vector<double>> numbers = getFloats(constant);
  return numbers && !numbers->empty() ? numbers : std::nullopt;
}

std::optional<Affine> optimize::getAffine(Operation *op, Value value,
                                          Channels channels) {
  if (getVariable(op) != value)
    return std::nullopt;
  bool isLeft = op->getOperand(0) == value;
  std::optional<std::vector<double>> numbers =
      getChannelNumbers(op->getOperand(isLeft ? 1 : 0), value, channels);
  if (!numbers)
    return std::nullopt;
  Affine affine{{1.0}, {0.0}};
  if (scales(op)) {
    affine.scale = *numbers;
    if (isa<DivOp>(op))
      for (double &factor : affine.scale)
        factor = 1 / factor;
  } else {
    affine.shift = *numbers;
    if (isa<SubOp>(op) && isLeft)
      for (double &summand : affine.shift)
        summand = -summand;
    else if (isa<SubOp>(op))
      affine.scale = {-1.0};
  }
  return affine.isFinite() ? std::optional(affine) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static bool isFloat(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

static bool isConvolution(Operation *op) {
  return isa_and_present<ConvOp, ConvTransposeOp>(op);
}

static bool isMatrixProduct(Operation *op) {
  return isa_and_present<GemmOp, MatMulOp>(op);
}

std::optional<Linear> Linear::get(Operation *op) {
  if (!isConvolution(op) && !isMatrixProduct(op))
    return std::nullopt;
  unsigned operand = isConstant(op->getOperand(1)) ? 1 : 0;
  if (operand == 0 && (!isa<MatMulOp>(op) || !isConstant(op->getOperand(0))))
    return std::nullopt;
  if (isConstant(op->getOperand(1 - operand)))
    return std::nullopt;
  std::optional<Elements> weights =
      Elements::get(getConstant(op->getOperand(operand)));
  if (!weights || weights->size() == 0 || !isFloat(weights->getElementType()))
    return std::nullopt;

  Linear linear(op, *weights);
  linear.weightOperand = operand;
  ArrayRef<int64_t> shape = weights->getType().getShape();
  int64_t rank = shape.size();
  if (isConvolution(op)) {
    linear.groups = isa<ConvOp>(op) ? cast<ConvOp>(op).getGroup()
                                    : cast<ConvTransposeOp>(op).getGroup();
    if (rank < 3 || linear.groups < 1 || shape[0] % linear.groups != 0)
      return std::nullopt;
    linear.rows = shape[0];
    linear.columns = shape[1];
    linear.inner = weights->size() / (shape[0] * shape[1]);
    linear.rowsAreOutputs = isa<ConvOp>(op);
    Channels ofRows{rank - 2, shape[0]},
        // no overflow: the constant is in memory
        ofColumns{rank - 2, shape[1] * linear.groups};
    linear.outputs = linear.rowsAreOutputs ? ofRows : ofColumns;
    linear.inputs = linear.rowsAreOutputs ? ofColumns : ofRows;
    return linear;
  }
  if (auto gemm = dyn_cast<GemmOp>(op)) {
    if (rank != 2)
      return std::nullopt;
    linear.rows = shape[0];
    linear.columns = shape[1];
    linear.rowsAreOutputs = gemm.getTransB() != 0;
    linear.outputs = {0, shape[linear.rowsAreOutputs ? 0 : 1]};
    linear.inputs = {gemm.getTransA() ? 1 : 0,
                     shape[linear.rowsAreOutputs ? 1 : 0]};
    return linear;
  }
  if (rank == 0)
    return std::nullopt;
  // Weights on the left: no channels.
  if (operand == 0)
    return linear;
  linear.rows = rank == 1 ? shape[0] : shape[rank - 2];
  linear.columns = rank == 1 ? 1 : shape[rank - 1];
  linear.outputs = {0, linear.columns};
  linear.inputs = {0, linear.rows};
  return linear;
}

Value Linear::getInput() const { return op->getOperand(1 - weightOperand); }

Value Linear::getBiasOperand() const {
  return op->getNumOperands() > 2 ? op->getOperand(2) : Value();
}

int64_t Linear::outputOf(int64_t index) const {
  int64_t row = index / (inner * columns) % rows;
  if (rowsAreOutputs)
    return row;
  // no overflow: the constant is in memory
  return row / (rows / groups) * columns + index / inner % columns;
}

int64_t Linear::inputOf(int64_t index) const {
  int64_t row = index / (inner * columns) % rows;
  if (!rowsAreOutputs)
    return row;
  // no overflow: the constant is in memory
  return row / (rows / groups) * columns + index / inner % columns;
}

bool Linear::padsInput() const {
  // Elements at the border get fewer products.
  if (isa<ConvTransposeOp>(op))
    return true;
  auto conv = dyn_cast<ConvOp>(op);
  if (!conv)
    return false;
  if (conv.getAutoPad() == "VALID")
    return false;
  return conv.getAutoPad() != "NOTSET" ||
         (conv.getPads() && llvm::any_of(*conv.getPads(), [](int64_t amount) {
            return amount != 0;
          }));
}

std::optional<std::vector<double>> Linear::getBias() const {
  Value operand = getBiasOperand();
  if (!operand)
    return std::vector<double>(outputs.count, 0.0);
  std::optional<std::vector<double>> numbers = getFloats(operand);
  std::optional<ArrayRef<int64_t>> shape = getShape(operand);
  if (!numbers || numbers->empty() || !shape)
    return std::nullopt;
  auto gemm = dyn_cast<GemmOp>(op);
  bool isOfChannels =
      shape->empty() ||
      (llvm::all_of(shape->drop_back(), [](int64_t dim) { return dim == 1; }) &&
       (shape->back() == outputs.count || shape->back() == 1));
  if (!isOfChannels || (!gemm && shape->size() != 1))
    return std::nullopt;
  if (numbers->size() == 1)
    numbers->resize(outputs.count, numbers->front());
  if (gemm)
    for (double &number : *numbers)
      number *= gemm.getBeta().convertToFloat();
  return areFinite(*numbers) ? numbers : std::nullopt;
}

bool Linear::canHaveBias(const RewriteOptions &options) const {
  if (!isMatMul())
    return true;
  bool isBF16 = weights.getElementType().isBF16();
  return weightOperand == 1 && weights.getType().getRank() == 2 &&
         getRank(getInput()) == 2 && isAvailable(isBF16 ? 13 : 7, op, options);
}

//===----------------------------------------------------------------------===//
// New weights
//===----------------------------------------------------------------------===//

/// Appends the number rounded to the type; what it became.
static double append(std::vector<char> &bytes, FloatType type, double number) {
  auto store = [&](const auto &value) {
    const char *begin = reinterpret_cast<const char *>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof(value));
  };
  if (type.isF32()) {
    float rounded = static_cast<float>(number);
    store(rounded);
    return rounded;
  }
  if (type.isF64()) {
    store(number);
    return number;
  }
  llvm::APFloat value(number);
  bool losesInfo;
  value.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  store(static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue()));
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

/// The least number that has all digits.
static double getLeastNormal(FloatType type) {
  llvm::APFloat least =
      llvm::APFloat::getSmallestNormalized(type.getFloatSemantics());
  bool losesInfo;
  least.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return least.convertToDouble();
}

std::optional<ElementsAttr> Linear::scaleWeights(const Affine *before,
                                                 const Affine *after) const {
  auto type = cast<FloatType>(weights.getElementType());
  bool isWide = type.isF32() || type.isF64();
  std::vector<char> bytes;
  // no overflow: the constant is in memory
  bytes.reserve(weights.size() * weights.getElementBytes());
  // Of each channel: a channel all of whose weights are tiny loses digits.
  std::vector<double> greatest(outputs.count, 0.0);
  for (int64_t i = 0; i < weights.size(); ++i) {
    int64_t output = outputOf(i);
    double exact = weights.getNumber(i);
    if (before)
      exact *= before->scaleOf(inputOf(i));
    if (after)
      exact *= after->scaleOf(output);
    double rounded = append(bytes, type, exact);
    if (!std::isfinite(exact) || !std::isfinite(rounded) ||
        (isWide && exact != 0 && rounded == 0))
      return std::nullopt;
    greatest[output] = std::max(greatest[output], std::abs(exact));
  }
  double least = getLeastNormal(type);
  if (llvm::any_of(greatest, [&](double x) { return x != 0 && x < least; }))
    return std::nullopt;
  return makeElements(weights.getType(), bytes);
}

std::optional<ElementsAttr> Linear::roundBias(ArrayRef<double> numbers) const {
  auto type = cast<FloatType>(weights.getElementType());
  std::vector<char> bytes;
  for (double number : numbers)
    if (!std::isfinite(append(bytes, type, number)))
      return std::nullopt;
  return makeElements(
      RankedTensorType::get(static_cast<int64_t>(numbers.size()), type), bytes);
}

Operation *Linear::rebuild(PatternRewriter &rewriter, Location loc, Value input,
                           Value newWeights, Value bias) const {
  if (isMatMul() && bias)
    return GemmOp::create(rewriter, loc, op->getResult(0).getType(), input,
                          newWeights, bias, /*alpha=*/FloatAttr(),
                          /*beta=*/FloatAttr(), /*transA=*/IntegerAttr(),
                          /*transB=*/IntegerAttr());
  Operation *copy = rewriter.clone(*op);
  copy->setLoc(loc);
  SmallVector<Value> operands{input, newWeights};
  if (weightOperand == 0)
    std::swap(operands[0], operands[1]);
  if (bias)
    operands.push_back(bias);
  copy->setOperands(operands);
  return copy;
}

std::optional<ElementsAttr> optimize::scaleElements(const Elements &elements,
                                                    double scale) {
  auto type = dyn_cast<FloatType>(elements.getElementType());
  if (!type || !isFloat(type))
    return std::nullopt;
  std::vector<char> bytes;
  // no overflow: the constant is in memory
  bytes.reserve(elements.size() * elements.getElementBytes());
  for (int64_t i = 0; i < elements.size(); ++i) {
    double exact = elements.getNumber(i) * scale;
    double rounded = append(bytes, type, exact);
    if (!std::isfinite(rounded) || (rounded == 0 && exact != 0))
      return std::nullopt;
  }
  return makeElements(elements.getType(), bytes);
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

/// The factor of Gemm's C times `scale`: nullopt if an attribute cannot be it,
/// being of less precision than the elements.
static std::optional<float> scaleFactor(double factor, double scale,
                                        Type type) {
  double exact = factor * scale;
  float rounded = static_cast<float>(exact);
  if (!std::isfinite(rounded) || (rounded == 0 && exact != 0) ||
      (type.isF64() && rounded != exact))
    return std::nullopt;
  return rounded;
}

std::optional<Linear::Change> Linear::computeAfter(const Affine &affine) const {
  Change change;
  std::optional<std::vector<double>> bias = getBias();
  if (!bias) {
    // Only a factor of all of it can be applied.
    auto gemm = dyn_cast<GemmOp>(op);
    if (!gemm || !affine.isUniform() || affine.hasShift())
      return std::nullopt;
    change.beta = scaleFactor(gemm.getBeta().convertToFloat(), affine.scale[0],
                              weights.getElementType());
    if (!change.beta)
      return std::nullopt;
  } else if (getBiasOperand() || affine.hasShift()) {
    for (auto [channel, number] : llvm::enumerate(*bias))
      number = number * affine.scaleOf(channel) + affine.shiftOf(channel);
    change.bias = roundBias(*bias);
    if (!change.bias)
      return std::nullopt;
  }
  if (affine.hasScale()) {
    change.weights = scaleWeights(nullptr, &affine);
    if (!change.weights)
      return std::nullopt;
  }
  return change;
}

LogicalResult Linear::foldAfter(PatternRewriter &rewriter, Operation *root,
                                const Affine &affine,
                                const RewriteOptions &options) const {
  if (affine.hasShift() && !canHaveBias(options))
    return rewriter.notifyMatchFailure(root, "there cannot be a bias");
  std::optional<Change> change = computeAfter(affine);
  if (!change)
    return rewriter.notifyMatchFailure(
        root, "weights or bias are not finite, vanish, or cannot be changed");
  Value w = change->weights
                ? makeConstant(rewriter, root, *change->weights, "weights")
                : op->getOperand(weightOperand);
  Value b = change->bias ? makeConstant(rewriter, root, *change->bias, "bias")
                         : getBiasOperand();
  Operation *copy =
      rebuild(rewriter, fuseLocations(op, root), getInput(), w, b);
  setBeta(copy, *change);
  SmallVector<Value> by(root->getNumResults());
  by[0] = copy->getResult(0);
  if (failed(replaceRoot(rewriter, root, by))) {
    rewriter.eraseOp(copy);
    return failure();
  }
  eraseIfUnused(rewriter, op, options);
  return success();
}

void Linear::setBeta(Operation *changed, const Change &change) {
  auto gemm = dyn_cast<GemmOp>(changed);
  if (!gemm)
    return;
  if (change.beta)
    gemm.setBeta(llvm::APFloat(*change.beta));
  else if (change.bias)
    gemm.removeBetaAttr();
}

LogicalResult Linear::scaleInPlace(PatternRewriter &rewriter,
                                   const Affine &affine) const {
  std::optional<Change> change = computeAfter(affine);
  if (!change)
    return rewriter.notifyMatchFailure(
        op, "weights or bias are not finite, vanish, or cannot be changed");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Value w, b;
  if (change->weights)
    w = makeConstant(rewriter, op, *change->weights, "weights");
  if (change->bias)
    b = makeConstant(rewriter, op, *change->bias, "bias");
  rewriter.modifyOpInPlace(op, [&] {
    if (w)
      op->setOperand(weightOperand, w);
    if (b)
      op->setOperand(2, b);
    setBeta(op, *change);
  });
  return success();
}

LogicalResult Linear::foldBefore(PatternRewriter &rewriter, Value input,
                                 const Affine &affine,
                                 const RewriteOptions &options) const {
  std::optional<std::vector<double>> bias;
  if (affine.hasShift()) {
    if (padsInput() || !canHaveBias(options))
      return rewriter.notifyMatchFailure(
          op, "zeros are padded to what is shifted, or there cannot be a bias");
    bias = getBias();
    if (!bias)
      return rewriter.notifyMatchFailure(op, "the bias cannot be changed");
    auto gemm = dyn_cast<GemmOp>(op);
    double factor = gemm ? gemm.getAlpha().convertToFloat() : 1.0;
    for (int64_t i = 0; i < weights.size(); ++i)
      (*bias)[outputOf(i)] +=
          factor * weights.getNumber(i) * affine.shiftOf(inputOf(i));
  }
  std::optional<ElementsAttr> newWeights, newBias;
  if (bias) {
    newBias = roundBias(*bias);
    if (!newBias)
      return rewriter.notifyMatchFailure(op, "the bias overflows");
  }
  if (affine.hasScale()) {
    newWeights = scaleWeights(&affine, nullptr);
    if (!newWeights)
      return rewriter.notifyMatchFailure(
          op, "weights overflow, vanish or are not finite");
  }
  Value w = newWeights ? makeConstant(rewriter, op, *newWeights, "weights")
                       : op->getOperand(weightOperand);
  Value b =
      newBias ? makeConstant(rewriter, op, *newBias, "bias") : getBiasOperand();
  if (isMatMul() && b) {
    Operation *gemm = rebuild(rewriter, op->getLoc(), input, w, b);
    return replaceRoot(rewriter, op, gemm->getResults());
  }
  rewriter.modifyOpInPlace(op, [&] {
    SmallVector<Value> operands{input, w};
    if (weightOperand == 0)
      std::swap(operands[0], operands[1]);
    if (b)
      operands.push_back(b);
    op->setOperands(operands);
    if (auto gemm = dyn_cast<GemmOp>(op); gemm && newBias)
      gemm.removeBetaAttr();
  });
  return success();
}
