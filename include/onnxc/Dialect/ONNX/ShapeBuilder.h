//===- ShapeBuilder.h - One shape rule per op, read several ways ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op states its shape law once, as `shape(ShapeBuilder &, Adaptor)`, in
// terms of opaque dimensions. What a dimension is depends on the reading:
//   infer (and check)  an integer, or unknown;
//   reify              an OpFoldResult: IR that computes the dimension;
//   symbolic           a polynomial over open sizes: see SymbolicShapes.h.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_SHAPEBUILDER_H
#define ONNXC_DIALECT_ONNX_SHAPEBUILDER_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include <optional>

namespace mlir {
class OpBuilder;
} // namespace mlir

namespace onnxc {

class ShapeBuilder;

/// A dimension, or an integer that dimensions are computed from. Arithmetic
/// with
/// `+ - *` and the builder's functions; comparing goes through
/// ShapeBuilder::require and ::same.
class Dim {
public:
  Dim() = default;

  bool isKnown() const { return known.has_value(); }
  /// The integer, if this reading knows it.
  std::optional<int64_t> getKnown() const { return known; }
  bool is(int64_t value) const { return known && *known == value; }

  Dim operator+(const Dim &other) const;
  Dim operator-(const Dim &other) const;
  Dim operator*(const Dim &other) const;
  Dim operator+(int64_t other) const;
  Dim operator-(int64_t other) const;
  Dim operator*(int64_t other) const;

private:
  friend class ShapeBuilder;
  ShapeBuilder *builder = nullptr;
  std::optional<int64_t> known;
  /// What the reading attaches: an SSA value in reify, a node in symbolic; null
  /// when only known. Equal pointers are equal dims.
  const void *attached = nullptr;
};

using Dims = llvm::SmallVector<Dim, 6>;

/// What rules are written against; its subclasses are the readings. Errors are
/// remembered, not thrown: a rule may go on after a failed `require`, and
/// `result` then fails.
class ShapeBuilder {
public:
  virtual ~ShapeBuilder();

  //===--------------------------------------------------------------------===//
  // Asking about operands. A null value is an absent optional operand.
  //===--------------------------------------------------------------------===//

  /// True if `value` is a tensor whose rank is known.
  bool ranked(mlir::Value value) const;
  /// True if all of them are.
  bool ranked(mlir::ValueRange values) const;
  /// Rank of a `ranked` value.
  int64_t rank(mlir::Value value) const;
  /// Element type of a tensor; null if not known yet.
  virtual mlir::Type elementType(mlir::Value value) const;
  /// Type of any value; null for !onnx.unknown.
  mlir::Type type(mlir::Value value) const;

  Dim dim(mlir::Value value, int64_t index);
  Dims dims(mlir::Value value);
  /// Number of elements of the tensor.
  Dim size(mlir::Value value);

  /// A shape operand longer than this is not followed, and tells no rank: no
  /// tensor has so many dimensions.
  static constexpr int64_t maxLength = 1024;
  /// Static number of elements of a shape-like operand (rank 0 or 1). A model
  /// may declare any number: what is made of each element asks for `values`.
  std::optional<int64_t> length(mlir::Value value) const;
  /// Element `index` (in row-major order) of a shape-like integer operand.
  Dim value(mlir::Value value, int64_t index);
  /// All elements; nullopt unless the length is static.
  std::optional<Dims> values(mlir::Value value);
  /// All elements as integers; nullopt unless every one is known.
  std::optional<llvm::SmallVector<int64_t>> constants(mlir::Value value);

  //===--------------------------------------------------------------------===//
  // Arithmetic
  //===--------------------------------------------------------------------===//

  Dim constant(int64_t value);
  Dim unknown();
  Dim add(Dim a, Dim b);
  Dim sub(Dim a, Dim b);
  Dim mul(Dim a, Dim b);
  /// Quotients round towards minus and plus infinity; the divisor is positive.
  Dim floordiv(Dim a, Dim b);
  Dim ceildiv(Dim a, Dim b);
  Dim min(Dim a, Dim b);
  Dim max(Dim a, Dim b);
  /// `a < b ? yes : no`.
  Dim selectLess(Dim a, Dim b, Dim yes, Dim no);
  Dim selectEqual(Dim a, Dim b, Dim yes, Dim no);
  Dim product(llvm::ArrayRef<Dim> dims);
  /// Whether both are seen to be the same number, whatever the sizes are.
  bool isSame(const Dim &a, const Dim &b);
  /// Whether two numbers that are not known are seen to be 0 together.
  bool areZeroTogether(const Dim &a, const Dim &b);

  /// The dimension both have after ONNX (numpy) broadcasting: a primitive,
  /// since max() is wrong for 0 and 1. `tag` as for `require`.
  Dim broadcast(Dim a, Dim b, const llvm::Twine &tag);
  /// Broadcast of whole shapes, aligned at the last dimension.
  Dims broadcast(llvm::ArrayRef<Dim> a, llvm::ArrayRef<Dim> b,
                 const llvm::Twine &tag);
  /// States that two dimensions are equal; gives the better known one.
  Dim same(Dim a, Dim b, const llvm::Twine &tag);
  /// States that shape `from` broadcasts to `to` and leaves it as it is.
  void broadcastTo(llvm::ArrayRef<Dim> from, llvm::ArrayRef<Dim> to,
                   const llvm::Twine &tag);

  //===--------------------------------------------------------------------===//
  // Requirements. `message` starts with its tag: "concat_c2: inputs must …".
  //===--------------------------------------------------------------------===//

  /// Reports `message` if `condition` is false.
  bool require(bool condition, const llvm::Twine &message);
  /// Whether a requirement was violated so far.
  bool hasFailed() const { return invalid; }
  /// States `a <= b` (`a < b`): an error when known to be false, a check at run
  /// time where the reading can make one.
  bool requireLessEqual(Dim a, Dim b, const llvm::Twine &message);
  bool requireLess(Dim a, Dim b, const llvm::Twine &message);
  /// `axis` in [-rank, rank) brought to [0, rank); 0 after an error.
  int64_t axis(int64_t axis, int64_t rank, const llvm::Twine &tag);
  /// All axes, normalized and checked to be distinct.
  llvm::SmallVector<int64_t> axes(llvm::ArrayRef<int64_t> axes, int64_t rank,
                                  const llvm::Twine &tag);

  //===--------------------------------------------------------------------===//
  // Results. A rule ends with `return` of one of these (the last one).
  //===--------------------------------------------------------------------===//

  /// Result `index` (of the op's formal outputs) is a tensor.
  llvm::LogicalResult result(unsigned index, mlir::Type elementType,
                             llvm::ArrayRef<Dim> dims);
  /// Result `index` is a tensor of unknown rank.
  llvm::LogicalResult unranked(unsigned index, mlir::Type elementType);
  /// Result `index` has this type (sequences, optionals, …).
  llvm::LogicalResult resultType(unsigned index, mlir::Type type);
  /// Result 0 is like operand `index`.
  llvm::LogicalResult sameAsOperand(unsigned index);
  /// Result 0 is the broadcast of all operands, of `elementType` or, if that is
  /// null, of operand `typeOperand`'s.
  llvm::LogicalResult broadcastOperands(unsigned typeOperand = 0,
                                        mlir::Type elementType = {});
  /// Nothing is known beyond what is declared.
  llvm::LogicalResult asDeclared();

  mlir::MLIRContext *getContext() const { return context; }
  /// How many results the op has: of a variadic result, the actual ones.
  unsigned getNumResults() const { return numResults; }

  enum class Arith { Add, Sub, Mul, FloorDiv, CeilDiv, Min, Max };
  enum class Relation { Equal, Less, LessEqual };

protected:
  ShapeBuilder(mlir::MLIRContext *context, mlir::ValueRange operands,
               unsigned numResults);

  // What a reading says about what is not a known integer. The defaults answer
  // "unknown" and check nothing.
  virtual Dim dynamicDim(mlir::Value value, int64_t index);
  virtual Dim dynamicValue(mlir::Value value, int64_t index);
  virtual Dim dynamicArith(Arith kind, const Dim &a, const Dim &b);
  virtual Dim dynamicSelect(Relation relation, const Dim &a, const Dim &b,
                            const Dim &yes, const Dim &no);
  virtual bool dynamicIsSame(const Dim &a, const Dim &b);
  virtual bool dynamicAreZeroTogether(const Dim &a, const Dim &b);
  virtual Dim dynamicBroadcast(const Dim &a, const Dim &b,
                               const llvm::Twine &message);
  virtual void check(Relation relation, const Dim &a, const Dim &b,
                     const llvm::Twine &message);
  virtual void reportError(const llvm::Twine &message);

  /// For readings: a dim that is not known, and what stands for it.
  Dim makeDim(const void *attached);
  static const void *getAttached(const Dim &dim) { return dim.attached; }

  struct Result {
    mlir::Type type;
    /// Set for ranked tensors.
    std::optional<Dims> dims;
  };

  mlir::MLIRContext *context;
  mlir::ValueRange operands;
  unsigned numResults;
  llvm::SmallVector<Result, 2> results;
  /// A requirement was violated.
  bool invalid = false;

private:
  friend class Dim;
  Dim arith(Arith kind, const Dim &a, const Dim &b);
  bool requireRelation(Relation relation, const Dim &a, const Dim &b,
                       const llvm::Twine &message);
};

/// Axes that a rule was given as Dims: their number is static, each of them may
/// be known only at run time. What depends on unknown ones is selected by code
/// where the reading makes code, and unknown otherwise.
class AxisSet {
public:
  /// Axes in [-rank, rank), distinct; `tag` is for the errors otherwise.
  AxisSet(ShapeBuilder &s, llvm::ArrayRef<Dim> axes, int64_t rank,
          const llvm::Twine &tag);

  int64_t getRank() const { return rank; }
  /// `inside` for a dim that is in the set, `outside` for the others.
  Dim select(int64_t dim, Dim inside, Dim outside);
  Dims select(Dim inside, llvm::ArrayRef<Dim> outside);
  /// The same for axis number `index` alone.
  Dim selectAxis(int64_t index, int64_t dim, Dim inside, Dim outside);
  /// False if axis number `index` is known not to be `dim`.
  bool mayBe(int64_t index, int64_t dim) const;
  /// `dims` (of the set's rank) without those in the set.
  Dims drop(llvm::ArrayRef<Dim> dims);
  /// A shape of the set's rank: `inserted` at the axes, `dims` in order
  /// between.
  Dims insert(Dim inserted, llvm::ArrayRef<Dim> dims);

private:
  /// For each dim how many dims before it are outside the set.
  Dims positions();

  ShapeBuilder &s;
  Dims axes;
  int64_t rank;
};

/// Reads rules as type inference: dims are integers or unknown; shape-like
/// operands are followed through the ops that compute them.
class InferShapeBuilder : public ShapeBuilder {
public:
  /// `emitError` is called with the text of a violated requirement; may be
  /// null.
  InferShapeBuilder(mlir::MLIRContext *context, mlir::ValueRange operands,
                    unsigned numResults,
                    llvm::function_ref<void(const llvm::Twine &)> emitError);

  /// Type of result `index`; null if the rule says nothing about it.
  mlir::Type getResultType(unsigned index) const;

protected:
  Dim dynamicValue(mlir::Value value, int64_t index) override;
  void reportError(const llvm::Twine &message) override;

private:
  llvm::function_ref<void(const llvm::Twine &)> emitError;
};

/// Reads rules as code: dims are folded `affine`/`arith` values.
class ReifyShapeBuilder : public ShapeBuilder {
public:
  /// With `checkPrefix`, run-time requirements become `cf.assert` whose text
  /// starts with it ("node 'x' (Concat): ").
  ReifyShapeBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::ValueRange operands, unsigned numResults,
                    std::optional<std::string> checkPrefix = std::nullopt);

  /// The dims of result `index`, or failure if the rule does not tell them.
  /// With `declared`, its static dims are attributes, and the others values, as
  /// ReifyRankedShapedTypeOpInterface wants it.
  llvm::FailureOr<llvm::SmallVector<mlir::OpFoldResult>>
  getResultDims(unsigned index, mlir::RankedTensorType declared = {});

protected:
  Dim dynamicDim(mlir::Value value, int64_t index) override;
  Dim dynamicValue(mlir::Value value, int64_t index) override;
  Dim dynamicArith(Arith kind, const Dim &a, const Dim &b) override;
  Dim dynamicSelect(Relation relation, const Dim &a, const Dim &b,
                    const Dim &yes, const Dim &no) override;
  bool dynamicIsSame(const Dim &a, const Dim &b) override;
  bool dynamicAreZeroTogether(const Dim &a, const Dim &b) override;
  Dim dynamicBroadcast(const Dim &a, const Dim &b,
                       const llvm::Twine &message) override;
  void check(Relation relation, const Dim &a, const Dim &b,
             const llvm::Twine &message) override;

private:
  Dim makeDim(mlir::Value ssa) {
    return ShapeBuilder::makeDim(ssa.getAsOpaquePointer());
  }
  mlir::Value materialize(const Dim &dim);
  mlir::Value compare(Relation relation, const Dim &a, const Dim &b);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::optional<std::string> checkPrefix;
};

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_SHAPEBUILDER_H
