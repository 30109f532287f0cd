//===- Lowering.h - What the lowerings of all families share -- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lowering is one function per op, `LogicalResult lowerX(XOp, XOp::Adaptor,
// Lowering &)`, registered by its family's populate function. Lowering does the
// rest: it runs the op's shape rule on the converted operands (once, with its
// run-time checks), offers the few linalg forms that families are made of, and
// puts the results in the op's place.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_LOWER_LOWERING_H
#define ONNXC_LIB_LOWER_LOWERING_H

#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Transforms/DialectConversion.h"

namespace onnxc {

using Sizes = llvm::SmallVector<mlir::OpFoldResult, 6>;

/// Emits a scalar body from the elements read.
using ScalarBody =
    llvm::function_ref<mlir::Value(ScalarBuilder &, mlir::ValueRange)>;

/// The element type in which sums of `type` are accumulated.
mlir::Type getAccumulatorType(mlir::Type type);

/// The same bytes as elements of the type that they are stored as; null for
/// strings, which have no bytes of a fixed number.
mlir::ElementsAttr getStored(mlir::ElementsAttr elements);

/// Whether two index values are equal whatever the inputs are.
bool isSameIndex(mlir::OpFoldResult a, mlir::OpFoldResult b);

/// The tensor and dimension that `tensor`'s dimension `index` is taken from, one
/// for all dimensions of an entry's inputs that have one name; or, where the IR
/// says it, the size itself, and else null.
mlir::OpFoldResult traceSize(mlir::Value &tensor, int64_t &index);

/// What sequences, optionals, maps and tensors of unknown rank become: the
/// address of an onnxc_tensor (see Dialect/Runtime).
inline mlir::Type getHandleType(mlir::MLIRContext *context) {
  return mlir::IntegerType::get(context, 64);
}

/// Why an op was not lowered, for the report at the end.
struct Reason {
  std::string text;
  /// The model is wrong; else it asks for what is not supported.
  bool isInvalid = false;
};
using Reasons = llvm::DenseMap<mlir::Operation *, Reason>;

class Lowering {
public:
  Lowering(mlir::ConversionPatternRewriter &rewriter,
           const mlir::TypeConverter &converter, mlir::Operation *op,
           mlir::ValueRange operands, Reasons &reasons);
  ~Lowering();

  /// Runs the shape rule; must come first. Fails with a reason. With handles,
  /// operands and results need no rank, and there is no rule to ask.
  mlir::LogicalResult begin(bool withHandles = false);

  mlir::ConversionPatternRewriter &b;
  mlir::Location loc;
  mlir::Operation *op;
  /// The converted operands, without casts that only hide static sizes.
  llvm::SmallVector<mlir::Value> operands;
  /// Reads the operands again: lowering other ops in between takes away the
  /// casts that were made for them, as long as nothing uses those.
  void refreshOperands();

  /// The op is right, but not supported: it gets into the list of those.
  mlir::LogicalResult fail(const llvm::Twine &reason);
  /// The model is wrong: an error of its own, "what is wrong, what was
  /// expected".
  mlir::LogicalResult invalid(const llvm::Twine &reason);
  /// The same of a run that comes to this op. Within a subgraph, where none need
  /// come, it is a warning and a check that fails: what the op gives then may be
  /// anything.
  mlir::LogicalResult invalidWhenRun(const llvm::Twine &reason);
  /// A run-time check: "node 'x' (Op): message" unless `condition` holds.
  void check(mlir::Value condition, const llvm::Twine &message);
  void checkEqual(mlir::OpFoldResult a, mlir::OpFoldResult b,
                  const llvm::Twine &message);

  //===--------------------------------------------------------------------===//
  // Types and results
  //===--------------------------------------------------------------------===//

  static mlir::RankedTensorType typeOf(mlir::Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }
  static int64_t rank(mlir::Value value) { return typeOf(value).getRank(); }
  static mlir::Type elementType(mlir::Value value) {
    return typeOf(value).getElementType();
  }
  /// Whether operand `index` of the op holds unsigned integers.
  bool isUnsigned(unsigned index = 0) const;

  /// The converted type of result `index`, counting the results present.
  mlir::RankedTensorType resultType(unsigned index = 0) const {
    return llvm::cast<mlir::RankedTensorType>(resultTypes[index]);
  }
  /// The converted type of result `index`, which may be a handle.
  mlir::Type resultValueType(unsigned index = 0) const {
    return resultTypes[index];
  }
  /// The sizes of the result as its type and the shape rule tell them.
  mlir::FailureOr<Sizes> resultSizes(unsigned index = 0);
  /// States that operand `index`, a shape or the like of rank 1, has `length`
  /// elements, which ranks tell where its type does not. Checked when run; the
  /// shape rule is asked again.
  mlir::LogicalResult setLength(unsigned index, int64_t length);
  /// Replaces the op; values may be more static than declared.
  mlir::LogicalResult replace(mlir::ValueRange values);

  /// What a type becomes; null if it cannot be lowered.
  mlir::Type convert(mlir::Type type) const {
    return converter.convertType(type);
  }
  /// `tensor` as `type`, with a run-time check of the sizes that only the
  /// latter states. `what` names the tensor.
  mlir::Value asDeclared(mlir::Value tensor, mlir::RankedTensorType type,
                         const llvm::Twine &what);
  /// What stands for `tensor`, one of whose sizes is 0: of its type and sizes.
  mlir::Value withoutElements(mlir::Value tensor);

  //===--------------------------------------------------------------------===//
  // Index arithmetic
  //===--------------------------------------------------------------------===//

  mlir::Value index(int64_t value);
  mlir::Value asValue(mlir::OpFoldResult size);
  mlir::OpFoldResult attr(int64_t value) { return b.getIndexAttr(value); }
  /// Size of a dimension, traced to where it was computed.
  mlir::OpFoldResult dim(mlir::Value tensor, int64_t index);
  Sizes sizes(mlir::Value tensor);
  mlir::OpFoldResult add(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult sub(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult mul(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult floorDiv(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult ceilDiv(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult max(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult min(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult product(llvm::ArrayRef<mlir::OpFoldResult> sizes);

  /// The reading of shape rules that makes code here, and what it found.
  ShapeBuilder &shapes();
  mlir::OpFoldResult asIndex(const Dim &dim);

  //===--------------------------------------------------------------------===//
  // Shape-like tensors: few integers, kept as scalars
  //===--------------------------------------------------------------------===//

  /// Static, rank 0 or 1, integers, at most 16 elements.
  static bool isShapeLike(mlir::Type type);
  static bool isShapeLike(mlir::Value value) {
    return isShapeLike(value.getType());
  }
  llvm::SmallVector<mlir::Value> scalars(mlir::Value shapeLike);
  mlir::Value fromScalars(mlir::RankedTensorType type,
                          mlir::ValueRange scalars);
  /// Element of a tensor of one element or of a shape-like one.
  mlir::Value scalar(mlir::Value tensor, int64_t index = 0);
  /// An integer element as an index, and back.
  mlir::OpFoldResult asIndex(mlir::Value element);
  mlir::Value asElement(mlir::OpFoldResult index, mlir::Type type);
  /// Elements of a shape-like operand as sizes; constants where known.
  Sizes indices(mlir::Value shapeLike);
  std::optional<llvm::SmallVector<int64_t>> constants(mlir::Value shapeLike);

  //===--------------------------------------------------------------------===//
  // Building blocks
  //===--------------------------------------------------------------------===//

  mlir::Value constant(mlir::Type type, double value);
  mlir::Value constant(mlir::TypedAttr attr);
  /// The least (greatest) value of an element type; -inf (inf) for floats.
  mlir::Value lowest(mlir::Type type, bool isUnsigned);
  mlir::Value highest(mlir::Type type, bool isUnsigned);
  mlir::Value empty(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                    mlir::Type element);
  mlir::Value filled(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                     mlir::Value scalar);
  mlir::Value castTo(mlir::Value tensor, mlir::Type type);
  /// Gives an operand the sizes that it must have: it fails where types say
  /// otherwise, and checks when run what they do not tell. Null is left alone.
  mlir::LogicalResult fit(mlir::Value &operand,
                          llvm::ArrayRef<mlir::OpFoldResult> sizes,
                          const llvm::Twine &name);

  /// linalg.generic with one result.
  mlir::Value generic(mlir::ValueRange inputs, mlir::Value init,
                      llvm::ArrayRef<mlir::AffineMap> maps,
                      llvm::ArrayRef<mlir::utils::IteratorType> iterators,
                      ScalarBody body, bool isUnsigned = false);
  /// All loops parallel, the result read by the identity map.
  mlir::Value map(mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                  llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type element,
                  ScalarBody body, bool isUnsigned = false);
  /// All operands have the result's own shape.
  mlir::Value mapSame(mlir::ValueRange inputs, mlir::Type element,
                      ScalarBody body, bool isUnsigned = false);
  /// Each element from its indices.
  mlir::Value generate(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                       mlir::Type element, ScalarBody body,
                       bool isUnsigned = false);
  /// Reduces `axes` (ascending), which the result does not have any more. The
  /// body gets the element and the accumulator.
  mlir::Value reduce(mlir::Value input, llvm::ArrayRef<int64_t> axes,
                     mlir::Value init, ScalarBody body,
                     bool isUnsigned = false);
  /// (d0, …) -> the dimensions other than `axes`.
  mlir::AffineMap dropDims(int64_t rank, llvm::ArrayRef<int64_t> axes);
  mlir::AffineMap identityMap(int64_t rank);
  mlir::Value castElements(mlir::Value tensor, mlir::Type element,
                           bool fromUnsigned = false, bool toUnsigned = false);

  /// The same elements in row-major order; counts must agree (`check` adds a
  /// run-time check where they might not).
  mlir::Value reshape(mlir::Value tensor,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes);
  void checkSameCount(llvm::ArrayRef<mlir::OpFoldResult> from,
                      llvm::ArrayRef<mlir::OpFoldResult> to);
  /// How `tensor` is read from loops over `sizes` after numpy broadcasting.
  /// Where only the run time can tell whether a dimension is stretched, the
  /// tensor is replaced by one of which none is.
  std::pair<mlir::Value, mlir::AffineMap>
  broadcast(mlir::Value tensor, llvm::ArrayRef<mlir::OpFoldResult> sizes);
  /// The slice, of the same rank.
  mlir::Value slice(mlir::Value tensor, llvm::ArrayRef<mlir::OpFoldResult> at,
                    llvm::ArrayRef<mlir::OpFoldResult> sizes,
                    llvm::ArrayRef<mlir::OpFoldResult> strides = {});
  /// The slice without its dimensions `dropped`, which are of size 1.
  mlir::Value sliceWithout(mlir::Value tensor,
                           llvm::ArrayRef<mlir::OpFoldResult> at,
                           llvm::ArrayRef<mlir::OpFoldResult> sizes,
                           llvm::ArrayRef<int64_t> dropped);
  /// tensor.pad with a constant, where any of the amounts is not 0.
  mlir::Value pad(mlir::Value tensor, llvm::ArrayRef<mlir::OpFoldResult> low,
                  llvm::ArrayRef<mlir::OpFoldResult> high, mlir::Value value);
  mlir::Value transpose(mlir::Value tensor, llvm::ArrayRef<int64_t> perm);

  //===--------------------------------------------------------------------===//
  // Calls of the runtime
  //===--------------------------------------------------------------------===//

  /// rt.call of onnxc_rt_<name>. Returns a tensor for each of `outs`, whose
  /// elements the callee all writes, and then a value for each of `made`:
  /// scalars, handles, tensors of sizes that only the callee knows. `dtypes`
  /// (onnxc_dtype of inputs, outs and made, 0 for the default) are needed where
  /// the callee must know unsigned integers or strings. A `stateful` call is
  /// made for its effect: it stays where it is.
  llvm::SmallVector<mlir::Value>
  call(llvm::StringRef name, mlir::ValueRange inputs,
       mlir::ValueRange outs = {}, mlir::TypeRange made = {},
       llvm::ArrayRef<int32_t> dtypes = {}, bool stateful = false);
  /// The onnxc_dtype of an operand or a result, by its ONNX type.
  int32_t operandDtype(unsigned index) const;
  int32_t resultDtype(unsigned index = 0) const;
  /// A tensor as a handle, and the tensor of type `type` behind one (checked).
  mlir::Value box(mlir::Value tensor, int32_t dtype);
  mlir::Value unbox(mlir::Value handle, mlir::RankedTensorType type,
                    int32_t dtype);

private:
  class Rule;

  mlir::Value expandAtRunTime(mlir::Value tensor,
                              llvm::ArrayRef<mlir::OpFoldResult> sizes,
                              llvm::ArrayRef<bool> unsure);

  const mlir::TypeConverter &converter;
  Reasons &reasons;
  llvm::SmallVector<mlir::Type> resultTypes;
  std::unique_ptr<Rule> rule;
  /// By present result; empty where the rule says nothing.
  llvm::SmallVector<std::optional<Sizes>> ruleSizes;
};

/// The pattern around a lowering function.
template <typename OpTy>
using LowerFunction = mlir::LogicalResult (*)(OpTy, typename OpTy::Adaptor,
                                              Lowering &);

template <typename OpTy>
class LowerPattern : public mlir::OpConversionPattern<OpTy> {
public:
  LowerPattern(const mlir::TypeConverter &converter, mlir::MLIRContext *context,
               LowerFunction<OpTy> function, Reasons &reasons, bool withHandles)
      : mlir::OpConversionPattern<OpTy>(converter, context), function(function),
        reasons(reasons), withHandles(withHandles) {}

  mlir::LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const final {
    Lowering lowering(rewriter, *this->getTypeConverter(), op,
                      adaptor.getOperands(), reasons);
    if (mlir::failed(lowering.begin(withHandles)))
      return mlir::failure();
    return function(op, typename OpTy::Adaptor(lowering.operands, op),
                    lowering);
  }

private:
  LowerFunction<OpTy> function;
  Reasons &reasons;
  bool withHandles;
};

/// Where families register.
class Lowerings {
public:
  Lowerings(const mlir::TypeConverter &converter,
            mlir::RewritePatternSet &patterns, Reasons &reasons)
      : converter(converter), patterns(patterns), reasons(reasons) {}

  template <typename OpTy> void add(LowerFunction<OpTy> function) {
    patterns.add<LowerPattern<OpTy>>(converter, patterns.getContext(), function,
                                     reasons, /*withHandles=*/false);
  }
  /// For ops on sequences, optionals, maps, or tensors of any rank.
  template <typename OpTy> void addWithHandles(LowerFunction<OpTy> function) {
    patterns.add<LowerPattern<OpTy>>(converter, patterns.getContext(), function,
                                     reasons, /*withHandles=*/true);
  }

  const mlir::TypeConverter &converter;
  mlir::RewritePatternSet &patterns;
  Reasons &reasons;
};

//===----------------------------------------------------------------------===//
// What families share
//===----------------------------------------------------------------------===//

/// x times y as numpy.matmul, of shape `sizes`; neither is a scalar.
mlir::Value matmul(Lowering &l, mlir::Value x, mlir::Value y,
                   llvm::ArrayRef<mlir::OpFoldResult> sizes,
                   mlir::Type accumulator);
/// What the sums of a convolution start from: the bias by channel, or zeros.
mlir::Value startFromBias(Lowering &l, mlir::Value bias,
                          llvm::ArrayRef<mlir::OpFoldResult> sizes,
                          mlir::Type accumulator);
mlir::Value logSoftmax(Lowering &l, mlir::Value x, int64_t axis);
/// Checks that every index is in [-limit, limit). Several limits are for the
/// components of the tuples along the last dimension.
mlir::LogicalResult checkIndices(Lowering &l, mlir::Value indices,
                                 llvm::ArrayRef<mlir::OpFoldResult> limits);
/// The convolution of an op with the attributes of Conv, added to `init`.
template <typename OpTy>
mlir::Value convolveWindows(Lowering &l, OpTy op, mlir::Value x, mlir::Value w,
                            mlir::Value init);

void populateAttention(Lowerings &lowerings);
void populateClassicML(Lowerings &lowerings);
void populateConstant(Lowerings &lowerings);
void populateContraction(Lowerings &lowerings);
void populateControlFlow(Lowerings &lowerings);
void populateConv(Lowerings &lowerings);
void populateCumulative(Lowerings &lowerings);
void populateDeformConv(Lowerings &lowerings);
void populateElementwise(Lowerings &lowerings);
void populateGridSample(Lowerings &lowerings);
void populateImageDecoder(Lowerings &lowerings);
void populateIndexing(Lowerings &lowerings);
void populateLabelTables(Lowerings &lowerings);
void populateLoss(Lowerings &lowerings);
void populateMovement(Lowerings &lowerings);
void populateNormalization(Lowerings &lowerings);
void populatePooling(Lowerings &lowerings);
void populateQuantization(Lowerings &lowerings);
void populateRandom(Lowerings &lowerings);
void populateRecurrent(Lowerings &lowerings);
void populateReduction(Lowerings &lowerings);
void populateRegionPooling(Lowerings &lowerings);
void populateReshape(Lowerings &lowerings);
void populateResize(Lowerings &lowerings);
void populateSelection(Lowerings &lowerings);
void populateSequence(Lowerings &lowerings);
void populateShape(Lowerings &lowerings);
void populateSignal(Lowerings &lowerings);
void populateStreaming(Lowerings &lowerings);
void populateSupportVectors(Lowerings &lowerings);
void populateText(Lowerings &lowerings);
void populateTraining(Lowerings &lowerings);
void populateTreeEnsemble(Lowerings &lowerings);

} // namespace onnxc

#endif // ONNXC_LIB_LOWER_LOWERING_H
