//===- Pulser.h - A model over a sequence as a step over pulses -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model's input has a dimension along which a sequence lies. A run of the
// step gets a pulse of it, `size` positions, and gives a pulse of each output.
// Every value that depends on the input by position is a *stream*: all its
// pulses behind each other are the value for the whole sequence, behind `delay`
// positions that mean nothing. docs/pulses.md says what that gives the user,
// and docs/decisions/036-pulses.md why it is done like this.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_INFER_PULSER_H
#define ONNXC_LIB_INFER_PULSER_H

#include "onnxc/Dialect/ONNX/Builder.h"
#include "onnxc/Dialect/ONNX/SymbolicShapes.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <memory>

namespace onnxc {

/// Sizes that a model may state: beyond this many positions there is an error,
/// and what is computed of those that are less does not overflow.
inline constexpr int64_t mostPositions = int64_t(1) << 30;
inline int64_t multiply(int64_t a, int64_t b) {
  return (SaturatingInt(a) * b).get();
}

/// A dimension of inputs, and how many of its positions a pulse has.
struct PulsedDim {
  std::string name;
  int64_t size;
};

/// How many positions a value has for the whole sequence:
/// floor((of * factor + added) / divisor) + addedBehind. The length of an input
/// is what the caller sets when the sequence ends, and until then more than
/// will ever come.
struct SequenceLength {
  std::shared_ptr<SequenceLength> of;
  int64_t factor = 1, added = 0, divisor = 1, addedBehind = 0;
  /// For an input of T positions there are at least
  /// (T * numerator + offset) / denominator.
  int64_t numerator = 1, offset = 0, denominator = 1;
  /// Of an input: which of the pulsed dimensions it has.
  unsigned root = 0;
  /// A tensor of one int64; made when it is first asked for.
  mlir::Value value;
};
using LengthRef = std::shared_ptr<SequenceLength>;

/// What stands before and behind a sequence.
struct PulsePadding {
  enum class Mode { Constant, Edge, Reflect };
  int64_t left = 0, right = 0;
  Mode mode = Mode::Constant;
  /// A scalar; null: zero.
  mlir::Value fill;
};

struct Stream {
  /// What a pulse gives.
  mlir::Value value;
  int64_t axis = 0;
  /// How many positions along the axis, and what the first position of the
  /// whole sequence is among those of all pulses.
  int64_t size = 0, delay = 0;
  LengthRef length;
  /// Positions per position of the input; a pulse has a whole number of them.
  int64_t numerator = 1, denominator = 1;
  /// The value with these is meant. They are left to the reader, which
  /// may have padding of its own.
  std::optional<PulsePadding> padding;
  /// The axis has several sequences behind each other (batch * time), and how
  /// many.
  bool isRepeated = false;
  Size repeats = 1;
};

/// What stands in the step for a value of the model.
struct PulsedValue {
  enum class Kind {
    /// Does not depend on the sequence.
    Fixed,
    Stream,
    /// Of all positions up to now: the last state of a recurrence.
    Running,
    /// Computed from sizes of which some are the sequence's.
    Sizes,
    /// There was an error.
    Failed,
  };
  Kind kind = Kind::Fixed;
  mlir::Value value;
  Stream stream;
};

/// Makes the step in the place of the body of one entry function.
class Pulser {
public:
  Pulser(mlir::func::FuncOp entry, llvm::ArrayRef<PulsedDim> dims);

  /// Afterwards the function is the step, or there were errors. Where pulses
  /// only have the wrong size, `getWantedFactor` is not 1.
  llvm::LogicalResult run();

  /// By what the first dimension's pulses have to be multiplied for the
  /// operator that refused them; 1 if none did.
  int64_t getWantedFactor() const { return wantedFactor; }
  /// After success: the first dimension's pulses are multiples of this number.
  int64_t getUnit() const { return unit; }

private:
  using Kind = PulsedValue::Kind;
  using Mode = PulsePadding::Mode;

  //===--------------------------------------------------------------------===//
  // The function (Pulser.cpp)
  //===--------------------------------------------------------------------===//

  llvm::LogicalResult readInputs();
  llvm::LogicalResult visit(mlir::Operation *op);
  llvm::LogicalResult visitStreams(mlir::Operation *op);
  /// What the step returns for what the model does.
  llvm::LogicalResult takeResults(llvm::SmallVectorImpl<mlir::Value> &results);
  void eraseOldBody(llvm::MutableArrayRef<mlir::Value> results);
  llvm::LogicalResult finish();
  void report(unsigned result, const Stream &stream);
  Size nameDim(mlir::Value value, int64_t index);

  mlir::InFlightDiagnostic fail(mlir::Operation *op);
  /// The error for a size that is not a multiple of `divisor`.
  llvm::LogicalResult failSize(mlir::Operation *op, const Stream &stream,
                               int64_t divisor);

  //===--------------------------------------------------------------------===//
  // Values (Pulser.cpp)
  //===--------------------------------------------------------------------===//

  PulsedValue &get(mlir::Value old) { return values[old]; }
  bool isStream(mlir::Value old) {
    return old && get(old).kind == Kind::Stream;
  }
  /// With its padding made; of a value that is one.
  Stream &getStream(mlir::Operation *op, mlir::Value old);
  /// In the new graph, with its padding made.
  mlir::Value getNew(mlir::Operation *op, mlir::Value old);
  /// A value of Sizes, with those of a pulse, and what computes it.
  mlir::Value getSizesOfPulse(mlir::Value old);
  /// A list with another element at an index.
  static mlir::Value replaceItem(ONNXBuilder &b, mlir::Value list,
                                 int64_t index, int64_t item);
  void set(mlir::Value old, Stream stream);
  void setPlain(mlir::Value old, Kind kind, mlir::Value value);

  /// The op with the operands of the step, and result types by its rule.
  mlir::Operation *
  clone(mlir::Operation *op,
        llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> replaced = {});
  /// The op is the same on a pulse: results are like `like`, along `axis`.
  llvm::LogicalResult keep(mlir::Operation *op, const Stream &like,
                           int64_t axis);

  /// Whether a size depends on that of the sequence.
  bool dependsOnSequence(const Size &size);
  /// The same of the elements of a tensor.
  bool hasFixedElements(mlir::Value old);
  Size getSize(mlir::Value old, int64_t dim) {
    return shapes.getSize(shapes.getDim(old, dim));
  }
  /// A known difference; nullopt if it is not a number.
  static std::optional<int64_t> getDifference(const Size &a, const Size &b) {
    return (a - b).getNumber();
  }

  //===--------------------------------------------------------------------===//
  // Buffers (PulseBuffers.cpp)
  //===--------------------------------------------------------------------===//

  /// A tensor that the context keeps; zeros at first.
  mlir::Value makeState(mlir::Operation *op, mlir::RankedTensorType type,
                        llvm::StringRef name);
  void setNext(mlir::Value state, mlir::Value next) { nexts[state] = next; }
  /// Of a shape: that of `old`, with `size` along the axis. Null, and an error,
  /// where an open size is none of an input.
  mlir::Value makeBuffer(mlir::Operation *op, mlir::Value old, int64_t axis,
                         int64_t size, llvm::StringRef name);
  /// A size that is known, or that of a dimension of a value of the model.
  struct BufferDim {
    int64_t known;
    mlir::Value old;
    int64_t dim = 0;
  };
  mlir::Value makeBuffer(mlir::Operation *op, mlir::Type element,
                         llvm::ArrayRef<BufferDim> sizes, llvm::StringRef name);
  /// How many pulses came before, as a tensor of one int64.
  mlir::Value getCount();
  mlir::Value getLength(const LengthRef &length);
  /// States that what follows depends on where the stream ends.
  void noteEnd(const Stream &stream);
  static LengthRef derive(const LengthRef &of, int64_t factor, int64_t added,
                          int64_t divisor, int64_t addedBehind);

  /// Numbers of the positions of a pulse and of `before` ones before it, along
  /// the axis of a tensor of `rank`, counted from the sequence's first one.
  mlir::Value getPositions(const Stream &stream, int64_t before, int64_t count,
                           int64_t rank);
  /// `value`, whose rows are `before` ones before the pulse's first and so on,
  /// with `fill` in those outside of the sequence.
  mlir::Value mask(const Stream &stream, mlir::Value value, int64_t before,
                   bool start, bool end, mlir::Value fill);
  static bool isNonZero(mlir::Value fill);
  /// The one value of all elements, as a scalar; null if there is none.
  static mlir::Value findOneValue(ONNXBuilder &b, mlir::Value value);

  /// Rows of a stream that windows of an extent and a stride read, in the order
  /// of the positions that they give. The stream that is returned has the rows
  /// as value, and size, delay and length of what the op gives for them.
  struct WindowForm {
    int64_t extent = 1, stride = 1;
    PulsePadding padding = {};
  };
  llvm::FailureOr<Stream> readWindows(mlir::Operation *op, mlir::Value old,
                                      const Stream &in, WindowForm form);
  llvm::FailureOr<Stream> delayBy(mlir::Operation *op, mlir::Value old,
                                  const Stream &in, int64_t positions);
  /// All streams among the operands, along `axes`, with one delay.
  llvm::LogicalResult
  align(mlir::Operation *op, llvm::ArrayRef<mlir::Value> olds,
        llvm::SmallVectorImpl<std::pair<mlir::Value, mlir::Value>> &replaced,
        Stream &result);

  //===--------------------------------------------------------------------===//
  // Operators (PulseWindows.cpp, PulseRecurrences.cpp, PulsePositions.cpp,
  // PulseMovement.cpp)
  //===--------------------------------------------------------------------===//

  llvm::LogicalResult visitWindow(mlir::Operation *op);
  llvm::LogicalResult visitConvTranspose(mlir::Operation *op);
  llvm::LogicalResult visitSTFT(mlir::Operation *op);
  llvm::LogicalResult visitPad(mlir::Operation *op);
  llvm::LogicalResult visitSlice(mlir::Operation *op);
  llvm::LogicalResult visitResize(mlir::Operation *op);
  int64_t takeCroppedEnd(mlir::Operation *op, int64_t axis, int64_t right);
  llvm::FailureOr<PulsePadding> readWindowPadding(mlir::Operation *op,
                                                  int64_t dim, int64_t extent);

  /// A value that an operator carries from position to position.
  struct Carried {
    /// What the model begins with; null: zeros.
    mlir::Value initialOld;
    mlir::Value state;
    std::string name;
  };
  llvm::LogicalResult visitRecurrent(mlir::Operation *op);
  llvm::LogicalResult checkRecurrent(mlir::Operation *op);
  llvm::LogicalResult visitScan(mlir::Operation *op);
  llvm::FailureOr<llvm::SmallVector<Carried>>
  readCarried(mlir::Operation *op, mlir::ValueRange initials);
  llvm::LogicalResult visitCumSum(mlir::Operation *op);
  /// What is made of the positions from ... to - 1 of a pulse: the carried
  /// values behind them, then what has a position for each of them, with its
  /// axis.
  using RunPart = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      int64_t from, int64_t to, llvm::ArrayRef<mlir::Value> carried)>;
  /// The same of a whole pulse, with what was carried to it.
  llvm::SmallVector<mlir::Value> carry(mlir::Operation *op, const Stream &in,
                                       llvm::ArrayRef<Carried> carried,
                                       llvm::ArrayRef<int64_t> axes,
                                       RunPart run);
  bool comesFromState(mlir::Value old);

  /// What makes the pulses of an operator, and whether operands behind the
  /// first one may be computed from the length.
  struct Form {
    llvm::LogicalResult (Pulser::*visit)(mlir::Operation *);
    bool takesSizes;
  };
  template <typename... Ops>
  void addForm(llvm::LogicalResult (Pulser::*visit)(mlir::Operation *),
               bool takesSizes = false);
  void addForms();
  llvm::LogicalResult visitIdentity(mlir::Operation *op);
  llvm::LogicalResult visitAlongAxis(mlir::Operation *op);
  llvm::LogicalResult visitFromAxis(mlir::Operation *op);
  llvm::LogicalResult visitChannels(mlir::Operation *op);
  llvm::LogicalResult visitSamples(mlir::Operation *op);
  llvm::LogicalResult visitElements(mlir::Operation *op);
  llvm::LogicalResult visitWhole(mlir::Operation *op);
  llvm::LogicalResult visitSubgraphs(mlir::Operation *op);
  llvm::LogicalResult visitElementwise(mlir::Operation *op);
  llvm::LogicalResult visitAxisOp(mlir::Operation *op, int64_t first,
                                  int64_t end);
  llvm::LogicalResult visitReduction(mlir::Operation *op);
  llvm::LogicalResult visitMatMul(mlir::Operation *op);
  llvm::LogicalResult visitGemm(mlir::Operation *op);
  llvm::LogicalResult visitEinsum(mlir::Operation *op);
  llvm::LogicalResult visitAttention(mlir::Operation *op);
  llvm::LogicalResult visitQuantize(mlir::Operation *op);
  llvm::LogicalResult visitBatchNormalization(mlir::Operation *op);

  llvm::LogicalResult visitReshape(mlir::Operation *op);
  llvm::FailureOr<Stream> splitPositions(mlir::Operation *op, const Stream &in,
                                         int64_t count);
  llvm::LogicalResult visitTranspose(mlir::Operation *op);
  llvm::LogicalResult visitSqueeze(mlir::Operation *op);
  llvm::LogicalResult visitConcat(mlir::Operation *op);
  llvm::LogicalResult visitSplit(mlir::Operation *op);
  llvm::LogicalResult visitGather(mlir::Operation *op);
  llvm::LogicalResult visitExpand(mlir::Operation *op);
  llvm::LogicalResult visitRange(mlir::Operation *op);
  llvm::LogicalResult visitSizes(mlir::Operation *op);
  llvm::LogicalResult visitTile(mlir::Operation *op);

  mlir::func::FuncOp entry;
  llvm::SmallVector<PulsedDim> dims;
  llvm::SmallVector<LengthRef> roots;
  llvm::DenseMap<mlir::TypeID, Form> forms;
  /// Symbols of dimensions and elements that no rule computes.
  std::vector<std::pair<std::string, mlir::Value>> symbols;
  SymbolicShapes shapes;
  mlir::OpBuilder builder;
  llvm::MapVector<mlir::Value, PulsedValue> values;
  /// By argument: what stands for it until the end.
  llvm::SmallVector<mlir::Operation *> placeholders;
  /// States in their order, their names and next values.
  llvm::SmallVector<mlir::Value> states;
  llvm::SmallVector<std::string> stateNames;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::string>> stateDims;
  llvm::DenseMap<mlir::Value, mlir::Value> nexts;
  llvm::StringSet<> usedNames;
  mlir::Value count;
  llvm::SmallVector<mlir::Value> lengthStates;
  /// Slices that only drop what padding made (takeCroppedEnd).
  llvm::DenseMap<mlir::Operation *, int64_t> croppedEnds;
  int64_t wantedFactor = 1, unit = 1;
  /// How many positions before its end the length of the input must be set.
  int64_t lead = 0;
  bool hasFailed = false;
};

} // namespace onnxc

#endif // ONNXC_LIB_INFER_PULSER_H
