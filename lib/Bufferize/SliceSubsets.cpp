//===- SliceSubsets.cpp - Which slices of a tensor meet -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceSubsets.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Interfaces/SubsetOpInterface.h"

using namespace mlir;

namespace {

using Slice = OffsetSizeAndStrideOpInterface;

bool isKnown(int64_t value) { return !ShapedType::isDynamic(value); }

/// Whether numbers that both lists know differ.
bool differ(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return llvm::any_of(llvm::zip_equal(a, b), [](auto pair) {
    auto [x, y] = pair;
    return isKnown(x) && isKnown(y) && x != y;
  });
}

bool haveSameRank(Slice a, Slice b) {
  return a.getStaticOffsets().size() == b.getStaticOffsets().size();
}

/// Whether some dimension shows that no element is in both.
bool areApart(Slice a, Slice b) {
  for (unsigned i = 0, e = a.getStaticOffsets().size(); i < e; ++i) {
    auto at = [i](ArrayRef<int64_t> list) { return list[i]; };
    int64_t offsets[] = {at(a.getStaticOffsets()), at(b.getStaticOffsets())};
    int64_t sizes[] = {at(a.getStaticSizes()), at(b.getStaticSizes())};
    if (at(a.getStaticStrides()) != 1 || at(b.getStaticStrides()) != 1 ||
        !isKnown(offsets[0]) || !isKnown(offsets[1]))
      continue;
    if ((isKnown(sizes[0]) && offsets[0] + sizes[0] <= offsets[1]) ||
        (isKnown(sizes[1]) && offsets[1] + sizes[1] <= offsets[0]))
      return true;
  }
  return false;
}

/// What slices have in common. Upstream's models ask a solver of linear
/// constraints for each offset, size and stride of each pair, which was a
/// quarter of the bufferize stage of a network whose layers are joined
/// (DenseNet). Numbers and values that are written down answer nearly all of
/// these questions; the others go to the solver.
template <typename Model, typename Op>
struct SliceSubset : SubsetOpInterface::ExternalModel<Model, Op> {
  FailureOr<HyperrectangularSlice>
  getAccessedHyperrectangularSlice(Operation *op) const {
    return HyperrectangularSlice(cast<Slice>(op));
  }
  bool operatesOnEquivalentSubset(
      Operation *op, SubsetOpInterface candidate,
      function_ref<bool(Value, Value)> equivalent) const {
    auto slice = cast<Slice>(op);
    auto other = dyn_cast<Slice>(candidate.getOperation());
    if (!other || !haveSameRank(slice, other) ||
        differ(slice.getStaticOffsets(), other.getStaticOffsets()) ||
        differ(slice.getStaticSizes(), other.getStaticSizes()) ||
        differ(slice.getStaticStrides(), other.getStaticStrides()))
      return false;
    auto isSame = [](OpFoldResult a, OpFoldResult b) { return a == b; };
    if (slice.isSameAs(other, isSame))
      return equivalent(cast<SubsetOpInterface>(op).getTensorContainer(),
                        candidate.getTensorContainer());
    return mlir::detail::defaultOperatesOnEquivalentSubset(op, candidate,
                                                           equivalent);
  }
  bool
  operatesOnDisjointSubset(Operation *op, SubsetOpInterface candidate,
                           function_ref<bool(Value, Value)> equivalent) const {
    auto slice = cast<Slice>(op);
    auto other = dyn_cast<Slice>(candidate.getOperation());
    if (other && haveSameRank(slice, other) && areApart(slice, other))
      return equivalent(cast<SubsetOpInterface>(op).getTensorContainer(),
                        candidate.getTensorContainer());
    return mlir::detail::defaultOperatesOnDisjointSubset(op, candidate,
                                                         equivalent);
  }
};

struct ExtractSubset : SliceSubset<ExtractSubset, tensor::ExtractSliceOp> {};
struct Extraction
    : SubsetExtractionOpInterface::ExternalModel<Extraction,
                                                 tensor::ExtractSliceOp> {
  OpOperand &getSourceOperand(Operation *op) const {
    return cast<tensor::ExtractSliceOp>(op).getSourceMutable();
  }
};

template <typename Op>
struct InsertSubset : SliceSubset<InsertSubset<Op>, Op> {};
template <typename Op>
struct Insertion
    : SubsetInsertionOpInterface::ExternalModel<Insertion<Op>, Op> {
  OpOperand &getSourceOperand(Operation *op) const {
    return cast<Op>(op).getSourceMutable();
  }
  OpOperand &getDestinationOperand(Operation *op) const {
    return cast<Op>(op).getDestMutable();
  }
  OpResult getUpdatedDestination(Operation *op) const {
    if constexpr (std::is_same_v<Op, tensor::ParallelInsertSliceOp>)
      return cast<Op>(op).getTiedOpResult();
    else
      return op->getOpResult(0);
  }
  Value buildSubsetExtraction(Operation *op, OpBuilder &builder,
                              Location loc) const {
    auto insert = cast<Op>(op);
    return tensor::ExtractSliceOp::create(
        builder, loc, insert.getSourceType(), insert.getDest(),
        insert.getMixedOffsets(), insert.getMixedSizes(),
        insert.getMixedStrides());
  }
  SmallVector<Value>
  getValuesNeededToBuildSubsetExtraction(Operation *op) const {
    auto insert = cast<Op>(op);
    SmallVector<Value> needed(insert.getOffsets());
    llvm::append_range(needed, insert.getSizes());
    llvm::append_range(needed, insert.getStrides());
    needed.push_back(insert.getDest());
    return needed;
  }
};

template <typename Op> void attachInsertion(MLIRContext *context) {
  Op::template attachInterface<InsertSubset<Op>, Insertion<Op>>(*context);
}

} // namespace

void onnxc::registerSliceSubsets(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::ExtractSliceOp::attachInterface<ExtractSubset, Extraction>(
        *context);
    attachInsertion<tensor::InsertSliceOp>(context);
    attachInsertion<tensor::ParallelInsertSliceOp>(context);
  });
}
