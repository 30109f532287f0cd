//===- Builder.h - Makes ONNX ops by their classes ------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_BUILDER_H
#define ONNXC_DIALECT_ONNX_BUILDER_H

#include "onnxc/Dialect/ONNX/Schema.h"
#include "onnxc/Dialect/ONNX/ValueTypes.h"

#include <type_traits>

namespace onnxc {

/// A number, or a tensor of one int64 that is computed.
struct KnownOrValue {
  KnownOrValue(int64_t known) : known(known) {}
  KnownOrValue(mlir::Value value) : value(value) {}

  int64_t known = 0;
  mlir::Value value;
};

/// Makes ops of the dialect, each by its class: upgrade rules, contrib
/// operators, function bodies and passes say with it what an operator is in
/// terms of others. Ops are in their newest form; the shape rule says the types
/// of their results at once; operands that are absent are null.
///
/// After the first error, which is reported at the op, everything that is asked
/// for is null, and nothing more is made or reported: what is made need not be
/// looked at before it is passed on.
class ONNXBuilder {
public:
  /// Ops are made where `builder` is, with location `loc`.
  ONNXBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}
  ONNXBuilder(const ONNXBuilder &) = delete;
  virtual ~ONNXBuilder() = default;

  mlir::OpBuilder &builder;

  mlir::Location getLoc() const { return loc; }
  bool hasFailed() const { return failed; }

  //===--------------------------------------------------------------------===//
  // Ops of any class
  //===--------------------------------------------------------------------===//

  /// An op with one output.
  template <typename Op>
  mlir::Value make(llvm::ArrayRef<mlir::Value> operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return makeAll<Op>(operands, attributes, /*count=*/1).front();
  }
  /// The same with `count` outputs.
  template <typename Op>
  llvm::SmallVector<mlir::Value>
  makeAll(llvm::ArrayRef<mlir::Value> operands,
          llvm::ArrayRef<mlir::NamedAttribute> attributes, unsigned count) {
    NodeParts parts;
    parts.inputs.assign(operands.begin(), operands.end());
    parts.attributes = mlir::NamedAttrList(attributes);
    return makeUnknown(getRecord<Op>(), std::move(parts), count);
  }
  /// The op of the record; one value for each of `parts.outputs`.
  llvm::SmallVector<mlir::Value> make(mlir::RegisteredOperationName record,
                                      NodeParts parts);

  /// An attribute by its C++ type: INT, FLOAT, STRING, INTS, or as it is.
  template <typename T>
  mlir::NamedAttribute attribute(llvm::StringRef name, const T &value) const {
    return builder.getNamedAttr(name, toAttribute(value));
  }
  mlir::NamedAttribute attribute(llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> value) const {
    return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(value));
  }

  //===--------------------------------------------------------------------===//
  // Constants
  //===--------------------------------------------------------------------===//

  virtual mlir::Value constant(mlir::ElementsAttr value);
  /// Tensors of rank 1.
  mlir::Value ints(llvm::ArrayRef<int64_t> values);
  mlir::Value floats(llvm::ArrayRef<float> values);
  /// Scalars: an int64, and one of an element type, to which it is rounded.
  mlir::Value integer(int64_t value);
  mlir::Value number(double value, mlir::Type elementType);
  /// One of the element type of `like`, known or not.
  mlir::Value number(double value, mlir::Value like);

  //===--------------------------------------------------------------------===//
  // Arithmetic
  //===--------------------------------------------------------------------===//

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, double b) { return add(a, number(b, a)); }
  mlir::Value sub(mlir::Value a, double b) { return sub(a, number(b, a)); }
  mlir::Value mul(mlir::Value a, double b) { return mul(a, number(b, a)); }
  /// `a` where there is no `b`.
  mlir::Value addIfAny(mlir::Value a, mlir::Value b) {
    return b ? add(a, b) : a;
  }
  mlir::Value exp(mlir::Value x);
  mlir::Value log(mlir::Value x);
  mlir::Value abs(mlir::Value x);
  mlir::Value sqrt(mlir::Value x);
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value less(mlir::Value a, mlir::Value b);
  mlir::Value where(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// Nothing is made where the type is the same.
  mlir::Value cast(mlir::Value x, mlir::Type elementType);
  mlir::Value castLike(mlir::Value x, mlir::Value like);
  mlir::Value castToInt64(mlir::Value x) {
    return cast(x, builder.getI64Type());
  }
  /// A reduction; of all axes where there are none.
  template <typename Op>
  mlir::Value reduce(mlir::Value x, mlir::Value axes, bool keepDims = true) {
    llvm::SmallVector<mlir::Value> operands{x};
    if (axes)
      operands.push_back(axes);
    return make<Op>(operands, attribute("keepdims", keepDims));
  }

  //===--------------------------------------------------------------------===//
  // Dims and shapes
  //===--------------------------------------------------------------------===//

  /// A dim, and arithmetic with it: nothing is made for what is known.
  KnownOrValue dim(mlir::Value x, int64_t axis);
  KnownOrValue times(KnownOrValue dim, int64_t factor);
  KnownOrValue over(KnownOrValue dim, int64_t divisor);
  /// A dim as a tensor of one element, and as a scalar.
  mlir::Value sizeOf(mlir::Value x, int64_t axis) {
    return toTensor(dim(x, axis));
  }
  mlir::Value scalarSizeOf(mlir::Value x, int64_t axis) {
    return scalar(sizeOf(x, axis));
  }
  mlir::Value toTensor(KnownOrValue dim) {
    return dim.value ? dim.value : ints(dim.known);
  }
  /// All of them, computed in any case.
  mlir::Value shapeOf(mlir::Value x);
  /// The tensor of rank 1 that these make.
  mlir::Value shape(llvm::ArrayRef<KnownOrValue> dims);

  /// 0 copies the size at the place, -1 is what is left.
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  /// To the dims as they are.
  mlir::Value reshapeTo(mlir::Value x, llvm::ArrayRef<KnownOrValue> dims);
  mlir::Value scalar(mlir::Value x) { return reshape(x, {}); }
  mlir::Value flatten(mlir::Value x, int64_t axis);

  //===--------------------------------------------------------------------===//
  // Movement
  //===--------------------------------------------------------------------===//

  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> perm);
  mlir::Value unsqueeze(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  mlir::Value concat(llvm::ArrayRef<mlir::Value> parts, int64_t axis);
  mlir::Value slice(mlir::Value x, int64_t axis, mlir::Value start,
                    mlir::Value end);
  mlir::Value slice(mlir::Value x, int64_t axis, int64_t start, int64_t end);
  /// Of the sizes given along the axis.
  llvm::SmallVector<mlir::Value> split(mlir::Value x, int64_t axis,
                                       llvm::ArrayRef<int64_t> sizes);
  mlir::Value gather(mlir::Value x, mlir::Value indices, int64_t axis);
  /// Element `index` along the axis, which is gone.
  mlir::Value take(mlir::Value x, int64_t axis, int64_t index);
  /// 0, 1, … as many as the scalar says.
  mlir::Value range(mlir::Value count);

  //===--------------------------------------------------------------------===//
  // Control flow
  //===--------------------------------------------------------------------===//

  /// What `body` makes of states, `count` times over: it gets the number of the
  /// step and the states before it, and gives those after it and `numCollected`
  /// values of which the loop collects what each step gives, along a new first
  /// axis. The last states, and those collections.
  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value step, mlir::ValueRange states)>;
  llvm::SmallVector<mlir::Value> loop(mlir::Value count,
                                      llvm::ArrayRef<mlir::Value> initial,
                                      unsigned numCollected, LoopBody body);

protected:
  /// The location of an op of this name in ONNX.
  virtual mlir::Location getLocation(llvm::StringRef op) const { return loc; }
  /// Called with each op that is made. By default it is verified: the model may
  /// be at fault.
  virtual llvm::LogicalResult check(mlir::Operation *made);
  /// A dim that is not known.
  virtual mlir::Value computeDim(mlir::Value x, int64_t axis);
  void markFailed() { failed = true; }

private:
  template <typename Op> mlir::RegisteredOperationName getRecord() const {
    return *mlir::RegisteredOperationName::lookup(mlir::TypeID::get<Op>(),
                                                  builder.getContext());
  }
  llvm::SmallVector<mlir::Value>
  makeUnknown(mlir::RegisteredOperationName record, NodeParts parts,
              unsigned count);

  template <typename T> mlir::Attribute toAttribute(const T &value) const {
    if constexpr (std::is_convertible_v<T, mlir::Attribute>)
      return value;
    else if constexpr (std::is_floating_point_v<T>)
      return builder.getF32FloatAttr(static_cast<float>(value));
    else if constexpr (std::is_integral_v<T>)
      return builder.getI64IntegerAttr(static_cast<int64_t>(value));
    else if constexpr (std::is_convertible_v<T, llvm::StringRef>)
      return builder.getStringAttr(value);
    else
      return builder.getDenseI64ArrayAttr(value);
  }

  mlir::Location loc;
  bool failed = false;
};

/// Calls and the functions that they call see the types of arguments and
/// results; only the entry, which gets its new type from the pass, has no
/// caller.
bool isSeenAcrossCalls(mlir::Value value);

/// Joins the types of the op's results with what its shape rule tells. Where
/// they contradict, the rule is right. Values that calls see keep their types.
void refineResults(mlir::Operation *op);

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_BUILDER_H
