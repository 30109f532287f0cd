//===- Reduction.td - Reductions along axes, and running totals -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_REDUCTION
#define ONNXC_DIALECT_ONNX_REDUCTION

include "onnxc/Dialect/ONNX/ONNXBase.td"

def Comparable : ONNX_ElemSet<[WideNumbers, Int8s], [ONNX_Bool]>;

// Over all axes if `axes` is absent or empty, unless `noop_with_empty_axes`. The
// `old` versions had `axes` as an attribute.
class ONNX_Reduction<string name, list<int> since, list<int> old, ONNX_ElemSet set,
                     list<Trait> extraTraits = []>
    : ONNX_Op<name, since,
        (ins ONNX_T<set>:$data, ONNX_Opt<ONNX_T<OnlyInt64, "">>:$axes,
             Flag<1>:$keepdims, IntOr<0>:$noop_with_empty_axes),
        (outs ONNX_T<set>:$reduced), !listconcat([Pure, ONNX_Reduces, ONNX_Linear], extraTraits)> {
  let cost = "Input";
  let upgrades = !foreach(version, old, "{\"" # name # "\", " # version # ", {attrToInput(\"axes\")}}");
  let shapeRule = "return reductionShape(s, op.getData(), op.getAxes(), op.getKeepdims() != 0, "
                  # "op.getNoopWithEmptyAxes() != 0, \"" # !tolower(name) # "\");";
}

def ONNX_ReduceSumOp : ONNX_Reduction<"ReduceSum", [13], [1, 11], WideNumbers, [ONNX_Total, ONNX_KeepsNonNegative]> {
  let summary = "Sum over axes";
}

def ONNX_ReduceMeanOp : ONNX_Reduction<"ReduceMean", [18], [1, 11, 13], WideNumbers, [ONNX_Total, ONNX_KeepsNonNegative]> {
  let summary = "Mean over axes";
}

def ONNX_ReduceProdOp : ONNX_Reduction<"ReduceProd", [18], [1, 11, 13], WideNumbers,
    [ONNX_Total, ONNX_KeepsNonNegative, ONNX_FollowsElements]> {
  let summary = "Product over axes";
}

def ONNX_ReduceMaxOp : ONNX_Reduction<"ReduceMax", [18, 20], [1, 11, 12, 13], Comparable, [ONNX_Total]> {
  let summary = "Greatest over axes";
}

def ONNX_ReduceMinOp : ONNX_Reduction<"ReduceMin", [18, 20], [1, 11, 12, 13], Comparable, [ONNX_Total]> {
  let summary = "Least over axes";
}

def ONNX_ReduceL1Op : ONNX_Reduction<"ReduceL1", [18], [1, 11, 13], WideNumbers, [ONNX_Total, ONNX_NeverNegative]> {
  let summary = "Sum of absolute values over axes";
}

def ONNX_ReduceL2Op : ONNX_Reduction<"ReduceL2", [18], [1, 11, 13], WideNumbers, [ONNX_Total, ONNX_NeverNegative]> {
  let summary = "Root of the sum of squares over axes";
}

def ONNX_ReduceSumSquareOp : ONNX_Reduction<"ReduceSumSquare", [18], [1, 11, 13], WideNumbers, [ONNX_Total, ONNX_NeverNegative]> {
  let summary = "Sum of squares over axes";
}

def ONNX_ReduceLogSumOp : ONNX_Reduction<"ReduceLogSum", [28], [1, 11, 13], Floats, [ONNX_Total]> {
  let summary = "Logarithm of the sum over axes";
  let upgrades = [
    [{ {"ReduceLogSum", 18, {custom("reduceIntegers")}} }],
    [{ {"ReduceLogSum", 13, {attrToInput("axes"), custom("reduceIntegers")}} }],
    [{ {"ReduceLogSum", 11, {attrToInput("axes"), custom("reduceIntegers")}} }],
    [{ {"ReduceLogSum", 1, {attrToInput("axes"), custom("reduceIntegers")}} }]
  ];
}

def ONNX_ReduceLogSumExpOp : ONNX_Reduction<"ReduceLogSumExp", [28], [1, 11, 13], Floats, [ONNX_Total]> {
  let summary = "Logarithm of the sum of exponentials over axes";
  let upgrades = [
    [{ {"ReduceLogSumExp", 18, {custom("reduceIntegers")}} }],
    [{ {"ReduceLogSumExp", 13, {attrToInput("axes"), custom("reduceIntegers")}} }],
    [{ {"ReduceLogSumExp", 11, {attrToInput("axes"), custom("reduceIntegers")}} }],
    [{ {"ReduceLogSumExp", 1, {attrToInput("axes"), custom("reduceIntegers")}} }]
  ];
}

def ONNX_ArgMaxOp : ONNX_Op<"ArgMax", [1, 11, 12, 13],
    (ins ONNX_T<Numbers>:$data, Axis<"data", 0>:$axis, Flag<1>:$keepdims, Flag<0>:$select_last_index),
    (outs ONNX_T<OnlyInt64, "">:$reduced), [Pure]> {
  let summary = "Index of the greatest element along an axis";
  let cost = "Input";
}

def ONNX_ArgMinOp : ONNX_Op<"ArgMin", [1, 11, 12, 13],
    (ins ONNX_T<Numbers>:$data, Axis<"data", 0>:$axis, Flag<1>:$keepdims, Flag<0>:$select_last_index),
    (outs ONNX_T<OnlyInt64, "">:$reduced), [Pure]> {
  let summary = "Index of the least element along an axis";
  let cost = "Input";
}

def ONNX_CumSumOp : ONNX_SameType<"CumSum", [11, 14],
    (ins ONNX_T<WideNumbers>:$x, ONNX_T<Int32s64s, "T2">:$axis, Flag<0>:$exclusive,
         Flag<0>:$reverse),
    (outs ONNX_T<WideNumbers>:$y), [ONNX_KeepsNonNegative, ONNX_Linear]> {
  let summary = "Running sum along an axis";
  let cost = "Input";
  let shapeRule = [{
    requireAxis(s, op.getX(), op.getAxis(), "cumsum_axis");
    return s.sameAsOperand(0);
  }];
}

def ONNX_CumProdOp : ONNX_SameType<"CumProd", [26],
    (ins ONNX_T<WideNumbers>:$x, ONNX_T<Int32s64s, "T2">:$axis, IntOr<0>:$exclusive,
         IntOr<0>:$reverse),
    (outs ONNX_T<WideNumbers>:$y), [ONNX_KeepsNonNegative, ONNX_Linear]> {
  let summary = "Running product along an axis";
  let cost = "Input";
}

#endif // ONNXC_DIALECT_ONNX_REDUCTION
