//===- Logic.td - Logic, comparisons and bits, elementwise ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_LOGIC
#define ONNXC_DIALECT_ONNX_LOGIC

include "onnxc/Dialect/ONNX/ONNXBase.td"

// Operators on two bools.
class ONNX_Logical<string name, string body, list<Trait> extraTraits = []>
    : ONNX_Elementwise<name, [7], (ins ONNX_T<OnlyBool>:$A, ONNX_T<OnlyBool>:$B),
                       (outs ONNX_T<OnlyBool, "T1">:$C), body, extraTraits> {
  let upgrades = ["{\"" # name # "\", 1, {custom(\"legacyBroadcast\")}}"];
}

class ONNX_Comparison<string name, list<int> since, ONNX_ElemSet set, string body, list<Trait> extraTraits = []>
    : ONNX_Elementwise<name, since, (ins ONNX_T<set>:$A, ONNX_T<set>:$B),
                       (outs ONNX_T<OnlyBool, "T1">:$C), body, extraTraits> {
  let shapeRule = ONNX_BroadcastToBool;
}

class ONNX_Bitwise<string name, string body, list<Trait> extraTraits = []>
    : ONNX_Elementwise<name, [18], (ins ONNX_T<Ints>:$A, ONNX_T<Ints>:$B),
                       (outs ONNX_T<Ints>:$C), body, extraTraits>;

def ONNX_AndOp : ONNX_Logical<"And", "return b.bitAnd(x, y);", [ONNX_Commutative, ONNX_SameOfSame, ONNX_FollowsElements, ONNX_Idempotent]> {
  let summary = "A and B";
}

def ONNX_OrOp : ONNX_Logical<"Or", "return b.bitOr(x, y);", [ONNX_Commutative, ONNX_SameOfSame, ONNX_FollowsElements, ONNX_Idempotent]> {
  let summary = "A or B, or both";
}

def ONNX_XorOp : ONNX_Logical<"Xor", "return b.bitXor(x, y);", [ONNX_Commutative]> {
  let summary = "A or B, but not both";
}

def ONNX_NotOp : ONNX_Elementwise<"Not", [1],
    (ins ONNX_T<OnlyBool>:$X),
    (outs ONNX_T<OnlyBool>:$Y), [{ return b.bitNot(x); }], [ONNX_FollowsElements]> {
  let summary = "The opposite";
}

def EqualTypes : ONNX_ElemSet<[NumbersAndBool], [ONNX_String]>;

def ONNX_EqualOp : ONNX_Comparison<"Equal", [7, 11, 13, 19], EqualTypes, [{
      // Of strings, elements are only addresses.
      if (llvm::isa<StringType>(mlir::getElementTypeOrSelf(getA())))
        return {};
      return b.eq(x, y);
    }], [ONNX_Commutative, ONNX_FollowsElements]> {
  let summary = "A == B; NaN equals nothing";
  let upgrades = [[{ {"Equal", 1, {custom("legacyBroadcast")}} }]];
}

def ONNX_LessOp : ONNX_Comparison<"Less", [7, 9, 13], Numbers, "return b.lt(x, y);", [ONNX_FollowsElements]> {
  let summary = "A < B";
  let upgrades = [[{ {"Less", 1, {custom("legacyBroadcast")}} }]];
}

def ONNX_LessOrEqualOp : ONNX_Comparison<"LessOrEqual", [12, 16], Numbers, "return b.le(x, y);"> {
  let summary = "A <= B";
}

def ONNX_GreaterOp : ONNX_Comparison<"Greater", [7, 9, 13], Numbers, "return b.gt(x, y);", [ONNX_FollowsElements]> {
  let summary = "A > B";
  let upgrades = [[{ {"Greater", 1, {custom("legacyBroadcast")}} }]];
}

def ONNX_GreaterOrEqualOp : ONNX_Comparison<"GreaterOrEqual", [12, 16],
    Numbers, "return b.ge(x, y);"> {
  let summary = "A >= B";
}

def ONNX_IsNaNOp : ONNX_Elementwise<"IsNaN", [9, 13, 20],
    (ins ONNX_T<FloatsAndFloat8s, "T1">:$X),
    (outs ONNX_T<OnlyBool, "T2">:$Y), [{ return b.isNaN(b.decode(x, mlir::getElementTypeOrSelf(getX()))); }]> {
  let summary = "Whether an element is not a number";
  let shapeRule = ONNX_BroadcastToBool;
}

def ONNX_IsInfOp : ONNX_Elementwise<"IsInf", [10, 20],
    (ins ONNX_T<FloatsAndFloat8s, "T1">:$X, IntOr<1>:$detect_negative, IntOr<1>:$detect_positive),
    (outs ONNX_T<OnlyBool, "T2">:$Y), [{
      return b.isInf(b.decode(x, mlir::getElementTypeOrSelf(getX())), getDetectPositive(), getDetectNegative());
    }]> {
  let summary = "Whether an element is infinite, of the asked signs";
  let shapeRule = ONNX_BroadcastToBool;
}

def ONNX_BitwiseAndOp : ONNX_Bitwise<"BitwiseAnd", "return b.bitAnd(x, y);", [ONNX_Commutative, ONNX_SameOfSame, ONNX_Idempotent]> {
  let summary = "A and B, bit by bit";
}

def ONNX_BitwiseOrOp : ONNX_Bitwise<"BitwiseOr", "return b.bitOr(x, y);", [ONNX_Commutative, ONNX_SameOfSame, ONNX_Idempotent]> {
  let summary = "A or B or both, bit by bit";
}

def ONNX_BitwiseXorOp : ONNX_Bitwise<"BitwiseXor", "return b.bitXor(x, y);", [ONNX_Commutative]> {
  let summary = "A or B but not both, bit by bit";
}

def ONNX_BitwiseNotOp : ONNX_Elementwise<"BitwiseNot", [18],
    (ins ONNX_T<Ints>:$X),
    (outs ONNX_T<Ints>:$Y), [{ return b.bitNot(x); }]> {
  let summary = "Inverts every bit";
}

def ONNX_BitShiftOp : ONNX_Elementwise<"BitShift", [11, 28],
    (ins ONNX_T<Ints>:$X, ONNX_T<Ints>:$Y, RequiredOneOf<["LEFT", "RIGHT"]>:$direction),
    (outs ONNX_T<Ints>:$Z), [{
      return getDirection() == "LEFT" ? b.shiftLeft(x, y) : b.shiftRight(x, y);
    }]> {
  let summary = "Shifts bits; to the right, signed numbers keep their sign";
}

def ONNX_WhereOp : ONNX_Elementwise<"Where", [9, 16],
    (ins ONNX_T<OnlyBool, "B">:$condition, ONNX_T<AllIR4>:$X, ONNX_T<AllIR4>:$Y),
    (outs ONNX_T<AllIR4>:$output), [{ return b.select(args[0], args[1], args[2]); }], [ONNX_FollowsElements]> {
  let summary = "X where the condition holds, else Y; all broadcast";
  let cost = "None";
  let shapeRule = "return s.broadcastOperands(1);";
}

#endif // ONNXC_DIALECT_ONNX_LOGIC
