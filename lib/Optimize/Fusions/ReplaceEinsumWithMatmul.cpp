//===- ReplaceEinsumWithMatmul.cpp - Sums of products as MatMul -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"

#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "onnxc/Optimize/Drivers.h"

namespace onnxc {
#define GEN_PASS_DEF_REPLACEEINSUMWITHMATMUL
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// A dimension of an Einsum: a letter, or of the ellipsis counted from its end.
using Label = int;
using Labels = SmallVector<Label>;

static constexpr Label ellipsisLabel = 256;

static Labels expand(StringRef term, int64_t ellipsisSize) {
  Labels labels;
  for (char letter : term) {
    if (letter != '.') {
      labels.push_back(static_cast<unsigned char>(letter));
      continue;
    }
    for (int64_t i = ellipsisSize; i > 0; --i)
      labels.push_back(ellipsisLabel + static_cast<Label>(i));
  }
  return labels;
}

static bool areDistinct(ArrayRef<Label> labels) {
  for (auto [i, label] : llvm::enumerate(labels))
    if (llvm::is_contained(labels.drop_front(i + 1), label))
      return false;
  return true;
}

namespace {
/// A value whose dimensions have labels; ops are made when it is emitted.
struct Tensor {
  Value value;
  Labels labels;
};

/// What makes of a tensor the operand of a product, or of a product the result.
struct Steps {
  SmallVector<int64_t> summed;
  SmallVector<int64_t> perm;
  SmallVector<int64_t> squeezed, unsqueezed;
  /// For Reshape; where 0 copies.
  std::optional<SmallVector<int64_t>> shape;

  int64_t getCost() const {
    return !summed.empty() + !perm.empty() + !squeezed.empty() +
           !unsqueezed.empty() + shape.has_value();
  }
};

struct Plan {
  Tensor left, right;
  Steps ofLeft, ofRight, ofResult;
  /// No sum: Mul, not MatMul.
  bool isElementwise = false;

  int64_t getCost() const {
    auto costOf = [](const Tensor &tensor, const Steps &steps) {
      return isConstant(tensor.value) ? 0 : steps.getCost();
    };
    return costOf(left, ofLeft) + costOf(right, ofRight) + 1 +
           ofResult.getCost();
  }
};
} // namespace

/// The permutation that puts `from` in the order of `to`; empty if it is there.
static SmallVector<int64_t> getPermutation(ArrayRef<Label> from,
                                           ArrayRef<Label> to) {
  SmallVector<int64_t> perm;
  for (Label label : to)
    perm.push_back(llvm::find(from, label) - from.begin());
  if (isIdentityPermutation(perm))
    perm.clear();
  return perm;
}

static Labels concatenate(std::initializer_list<ArrayRef<Label>> parts) {
  Labels all;
  for (ArrayRef<Label> part : parts)
    llvm::append_range(all, part);
  return all;
}

/// The labels of `labels` that are in `which`, or that are not.
static Labels filter(ArrayRef<Label> labels, ArrayRef<Label> which,
                     bool areIn = true) {
  Labels some;
  for (Label label : labels)
    if (llvm::is_contained(which, label) == areIn)
      some.push_back(label);
  return some;
}

static std::optional<int64_t> getSize(const Tensor &tensor, Label label) {
  auto it = llvm::find(tensor.labels, label);
  return it == tensor.labels.end()
             ? std::nullopt
             : getDim(tensor.value, it - tensor.labels.begin());
}

/// The product of the sizes, none of which may be unknown or 0.
static std::optional<int64_t> getSize(const Tensor &tensor,
                                      ArrayRef<Label> labels) {
  int64_t size = 1;
  for (Label label : labels) {
    std::optional<int64_t> dim = getSize(tensor, label);
    if (!dim || *dim < 1 || llvm::MulOverflow(size, *dim, size))
      return std::nullopt;
  }
  return size;
}

/// The axes of `labels` that are not in `kept`.
static SmallVector<int64_t> getAxesBut(ArrayRef<Label> labels,
                                       ArrayRef<Label> kept) {
  SmallVector<int64_t> axes;
  for (auto [axis, label] : llvm::enumerate(labels))
    if (!llvm::is_contained(kept, label))
      axes.push_back(axis);
  return axes;
}

/// No label is summed: each operand has its dims in the order of the result,
/// and 1 for those it has not.
static Plan planElementwise(const Tensor &a, const Tensor &b,
                            const Steps &sumOfA, const Steps &sumOfB,
                            ArrayRef<Label> output) {
  Plan plan{a, b, sumOfA, sumOfB, {}, true};
  auto align = [&](const Tensor &tensor, Steps &steps, ArrayRef<Label> other) {
    Labels own = filter(output, tensor.labels);
    steps.perm = getPermutation(filter(tensor.labels, own), own);
    // In front of all of its own dims broadcasting inserts them.
    bool started = false;
    for (auto [axis, label] : llvm::enumerate(output)) {
      started |= llvm::is_contained(own, label);
      if (started && !llvm::is_contained(own, label))
        steps.unsqueezed.push_back(axis);
    }
    // Axes count in what comes out, which has no leading ones.
    int64_t skipped = 0;
    while (skipped < static_cast<int64_t>(output.size()) &&
           !llvm::is_contained(own, output[skipped]))
      ++skipped;
    for (int64_t &axis : steps.unsqueezed)
      axis -= skipped;
  };
  align(plan.left, plan.ofLeft, b.labels);
  align(plan.right, plan.ofRight, a.labels);
  return plan;
}

/// A product of matrices a[batch, rows, sums] b[batch, sums, columns]. `a` and
/// `b` have what is summed on one side alone removed by `sumOfA`, `sumOfB`.
static std::optional<Plan> planProduct(const Tensor &a, const Tensor &b,
                                       const Steps &sumOfA, const Steps &sumOfB,
                                       ArrayRef<Label> output) {
  Labels batch = filter(filter(output, a.labels), b.labels),
         rows = filter(filter(output, a.labels), b.labels, false),
         columns = filter(filter(output, b.labels), a.labels, false),
         sums = filter(filter(a.labels, b.labels), output, false);
  Labels ofA = filter(a.labels, concatenate({batch, rows, sums})),
         ofB = filter(b.labels, concatenate({batch, columns, sums}));
  Plan plan{a, b, sumOfA, sumOfB, {}, false};
  // Of several dims that are summed, b's order is as good as a's.
  plan.ofLeft.perm = getPermutation(ofA, concatenate({batch, rows, sums}));
  plan.ofRight.perm = getPermutation(ofB, concatenate({batch, sums, columns}));

  Labels made = concatenate({batch, rows, columns});
  bool isOneSum = sums.size() == 1;
  if (isOneSum && batch.empty() && columns.size() <= 1) {
    // b is one matrix or vector for all of a's.
    if (rows.empty() && columns.empty())
      made.clear();
  } else if (isOneSum && batch.empty() && rows.size() <= 1) {
    // a is one for all of b's matrices.
    Labels front = columns;
    Label last = front.pop_back_val();
    plan.ofRight.perm =
        getPermutation(ofB, concatenate({front, sums, Labels{last}}));
    made = concatenate({front, rows, Labels{last}});
  } else {
    int64_t rank = batch.size();
    auto bring = [&](const Tensor &tensor, Steps &steps, ArrayRef<Label> first,
                     ArrayRef<Label> second) {
      if (first.size() == 1 && second.size() == 1)
        return true;
      if (first.empty() && second.size() == 1) {
        steps.unsqueezed = {rank};
        return true;
      }
      if (second.empty() && first.size() == 1) {
        steps.unsqueezed = {rank + 1};
        return true;
      }
      std::optional<int64_t> m = getSize(tensor, first),
                             n = getSize(tensor, second);
      if (!m || !n)
        return false;
      steps.shape = SmallVector<int64_t>(rank, 0);
      steps.shape->push_back(*m);
      steps.shape->push_back(*n);
      return true;
    };
    if (!bring(a, plan.ofLeft, rows, sums) ||
        !bring(b, plan.ofRight, sums, columns))
      return std::nullopt;
    if (rows.size() > 1 || columns.size() > 1) {
      plan.ofResult.shape = SmallVector<int64_t>(rank, 0);
      for (auto [tensor, labels] : {std::pair(&a, &rows), {&b, &columns}})
        for (Label label : *labels) {
          std::optional<int64_t> size = getSize(*tensor, label);
          if (!size || *size < 1)
            return std::nullopt;
          plan.ofResult.shape->push_back(*size);
        }
    } else {
      if (rows.empty())
        plan.ofResult.squeezed.push_back(rank);
      if (columns.empty())
        plan.ofResult.squeezed.push_back(rank + 1);
    }
  }
  plan.ofResult.perm = getPermutation(made, output);
  return plan;
}

namespace {
struct ReplaceEinsum : Rewriting<EinsumOp> {
  ReplaceEinsum(MLIRContext *context, const RewriteOptions &options,
                int64_t maxCost)
      : Rewriting(context, options), maxCost(maxCost) {}

  LogicalResult matchAndRewrite(EinsumOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<EinsumEquation> equation =
        EinsumEquation::parse(op.getEquation());
    size_t count = op.getInputs().size();
    if (!equation || equation->inputs.size() != count || count < 1 || count > 2)
      return rewriter.notifyMatchFailure(op, "not of one or two operands");
    Type element = getElementType(op.getInputs().front());
    bool isWide =
        element &&
        (element.isF16() || element.isF32() || element.isF64() ||
         element.isBF16() ||
         (isa<IntegerType>(element) && element.getIntOrFloatBitWidth() >= 32));
    if (!isWide ||
        (element.isBF16() && !isAvailable(/*since=*/13, op, options)))
      return rewriter.notifyMatchFailure(op, "MatMul does not take the type");
    SmallVector<Tensor> tensors;
    int64_t most = 0;
    for (auto [term, value] :
         llvm::zip_equal(equation->inputs, op.getInputs())) {
      std::optional<int64_t> rank = getRank(value);
      int64_t named = term.size() - (term.find('.') != std::string::npos);
      if (!rank || *rank < named)
        return rewriter.notifyMatchFailure(op, "a rank is not known");
      tensors.push_back({value, expand(term, *rank - named)});
      most = std::max(most, *rank - named);
      if (!areDistinct(tensors.back().labels))
        return rewriter.notifyMatchFailure(op, "a diagonal");
    }
    Labels output = expand(equation->output, most);
    if (!areDistinct(output) || llvm::any_of(output, [&](Label label) {
          return llvm::none_of(tensors, [&](const Tensor &tensor) {
            return llvm::is_contained(tensor.labels, label);
          });
        }))
      return rewriter.notifyMatchFailure(op, "malformed");
    return count == 1
               ? replaceOne(op, tensors[0], output, rewriter)
               : replaceTwo(op, tensors[0], tensors[1], output, rewriter);
  }

  LogicalResult replaceOne(EinsumOp op, const Tensor &tensor,
                           ArrayRef<Label> output,
                           PatternRewriter &rewriter) const {
    Steps steps;
    steps.summed = getAxesBut(tensor.labels, output);
    steps.perm = getPermutation(filter(tensor.labels, output), output);
    if (options.upstreamCompatible || steps.getCost() > maxCost)
      return rewriter.notifyMatchFailure(op, "takes more ops");
    return replaceRoot(rewriter, op, emit(op, tensor.value, steps, rewriter));
  }

  LogicalResult replaceTwo(EinsumOp op, const Tensor &a, const Tensor &b,
                           ArrayRef<Label> output,
                           PatternRewriter &rewriter) const {
    // Numpy stretches dims of 1, MatMul does not where they are summed.
    for (Label label : filter(filter(a.labels, b.labels), output, false)) {
      std::optional<int64_t> ofA = getSize(a, label), ofB = getSize(b, label);
      bool isSame = a.value == b.value &&
                    llvm::find(a.labels, label) - a.labels.begin() ==
                        llvm::find(b.labels, label) - b.labels.begin();
      if (!isSame && (!ofA || ofA != ofB))
        return rewriter.notifyMatchFailure(op, "sizes that are summed differ");
    }
    Labels ofBoth = concatenate({a.labels, b.labels});
    Steps sumOfA, sumOfB;
    sumOfA.summed =
        getAxesBut(a.labels, concatenate({output, ArrayRef<Label>(b.labels)}));
    sumOfB.summed =
        getAxesBut(b.labels, concatenate({output, ArrayRef<Label>(a.labels)}));
    std::optional<Plan> plan;
    if (filter(filter(a.labels, b.labels), output, false).empty()) {
      plan = planElementwise(a, b, sumOfA, sumOfB, output);
    } else {
      plan = planProduct(a, b, sumOfA, sumOfB, output);
      std::optional<Plan> swapped = planProduct(b, a, sumOfB, sumOfA, output);
      if (!plan || (swapped && swapped->getCost() < plan->getCost()))
        plan = swapped;
    }
    if (!plan)
      return rewriter.notifyMatchFailure(op,
                                         "sizes that are merged are unknown");
    if (plan->getCost() > maxCost ||
        (options.upstreamCompatible && !isUpstreamForm(*plan, a)))
      return rewriter.notifyMatchFailure(op, "takes more ops");

    Value left = emit(op, plan->left.value, plan->ofLeft, rewriter, "left"),
          right = emit(op, plan->right.value, plan->ofRight, rewriter, "right");
    bool isLast = plan->ofResult.getCost() == 0;
    Location loc = isLast ? op->getLoc() : makeHelperLocation(op, "product");
    Value made;
    if (plan->isElementwise)
      made = MulOp::create(rewriter, loc, left, right);
    else
      made = MatMulOp::create(rewriter, loc, left, right);
    return replaceRoot(rewriter, op, emit(op, made, plan->ofResult, rewriter));
  }

  /// MatMul, or MatMul of a second operand whose last two dims are swapped.
  static bool isUpstreamForm(const Plan &plan, const Tensor &first) {
    return !plan.isElementwise && plan.left.value == first.value &&
           plan.left.labels == first.labels && plan.ofLeft.getCost() == 0 &&
           plan.ofResult.getCost() == 0 && plan.ofRight.summed.empty() &&
           !plan.ofRight.shape && plan.ofRight.unsqueezed.empty() &&
           plan.left.labels.size() == plan.right.labels.size();
  }

  /// The last op made has the name of the Einsum's result if there is no
  /// suffix.
  Value emit(EinsumOp op, Value value, const Steps &steps,
             PatternRewriter &rewriter, StringRef suffix = "") const {
    int64_t left = steps.getCost();
    auto next = [&](StringRef what) {
      --left;
      if (left == 0 && suffix.empty())
        return op->getLoc();
      return makeHelperLocation(
          op, suffix.empty() ? what.str() : (suffix + "_" + what).str());
    };
    auto constant = [&](ArrayRef<int64_t> integers, StringRef what) {
      return makeConstant(rewriter, op, makeIntegers(getContext(), integers),
                          suffix.empty() ? what.str()
                                         : (suffix + "_" + what).str());
    };
    if (!steps.summed.empty())
      value = ReduceSumOp::create(rewriter, next("sum"), value,
                                  constant(steps.summed, "sum_axes"),
                                  rewriter.getI64IntegerAttr(0));
    // A product is brought to its dims, then they are permuted; operands are
    // permuted, then brought to a matrix.
    bool isResult = suffix.empty();
    auto permute = [&] {
      if (!steps.perm.empty())
        value = TransposeOp::create(rewriter, next("transposed"), value,
                                    rewriter.getDenseI64ArrayAttr(steps.perm));
    };
    if (!isResult)
      permute();
    if (!steps.unsqueezed.empty())
      value =
          UnsqueezeOp::create(rewriter, next("unsqueezed"), value,
                              constant(steps.unsqueezed, "unsqueezed_axes"));
    if (!steps.squeezed.empty())
      value = SqueezeOp::create(rewriter, next("squeezed"), value,
                                constant(steps.squeezed, "squeezed_axes"));
    if (steps.shape)
      value = ReshapeOp::create(rewriter, next("reshaped"), value,
                                constant(*steps.shape, "shape"), IntegerAttr());
    if (isResult)
      permute();
    return value;
  }

  int64_t maxCost;
};

struct ReplaceEinsumWithMatmul
    : onnxc::impl::ReplaceEinsumWithMatmulBase<ReplaceEinsumWithMatmul> {
  /// In the default pipeline a model that is written back gets no more nodes.
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<ReplaceEinsum>(patterns.getContext(), options,
                                options.keepOpset ? 1 : anyCost);
  }

  int64_t rewriteModule(ModuleOp module,
                        const RewriteOptions &options) override {
    RewritePatternSet patterns(module.getContext());
    patterns.add<ReplaceEinsum>(patterns.getContext(), options, anyCost);
    return sweepPatterns(module, FrozenRewritePatternSet(std::move(patterns)));
  }

  static constexpr int64_t anyCost = std::numeric_limits<int64_t>::max();
};
} // namespace
