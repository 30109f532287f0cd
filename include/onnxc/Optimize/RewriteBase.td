//===- RewriteBase.td - What the record of a rewrite says -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_REWRITEBASE
#define ONNXC_OPTIMIZE_REWRITEBASE

include "llvm/TableGen/SearchableTable.td"
include "mlir/Pass/PassBase.td"

// What a rewrite is for, in the words of onnx-optimizer's PassType.
class RewriteClass<string value> { string text = value; }
def Fuse : RewriteClass<"fuse">;
def Nop : RewriteClass<"nop">;
def Separate : RewriteClass<"separate">;
def Immutable : RewriteClass<"immutable">;
def Replace : RewriteClass<"replace">;
def Other : RewriteClass<"other">;

// Complete: a second run changes nothing.
class RewriteEfficiency<string value> { string text = value; }
def Complete : RewriteEfficiency<"complete">;
def Partial : RewriteEfficiency<"partial">;

// What gets less.
class RewriteGain<string value> { string text = value; }
def Compute : RewriteGain<"compute">;
def Memory : RewriteGain<"memory">;
def Stability : RewriteGain<"stability">;
def NoGain : RewriteGain<"none">;

// Predicate: patterns, on one op and what it is computed from, in all graphs.
// Graph: looks at all of the model.
class RewriteKind<string value> { string text = value; }
def Predicate : RewriteKind<"predicate">;
def Graph : RewriteKind<"graph">;

// How far results may change.
class RewriteExactness<string value> { string text = value; }
// No bit.
def BitExact : RewriteExactness<"bit-exact">;
// No bit, unless `nsz` allows it to change the sign of a zero.
def SignOfZero : RewriteExactness<"sign-of-zero">;
// Rounding: the same formula over the real numbers.
def Rounding : RewriteExactness<"rounding">;
// Values, on inputs that a flag has to exclude.
def Values : RewriteExactness<"values">;

// Where in the default pipeline the rewrite runs; the groups run in this order,
// and all of them again until nothing changes.
class RewriteGroup<string value> { string text = value; }
// Simpler forms and constants, that others match on.
def Clean : RewriteGroup<"clean">;
// What moves data: no-ops, chains, layouts.
def Movement : RewriteGroup<"movement">;
// Arithmetic that goes into weights.
def Weights : RewriteGroup<"weights">;
// Several ops that are one operator.
def Recognize : RewriteGroup<"recognize">;
// Equal and dead things.
def Share : RewriteGroup<"share">;
// Only by name.
def ByName : RewriteGroup<"">;

// A rewrite: `order` is its place in onnx-optimizer's registry, from 1, which is
// the order of that program's default list; from 101 on it is one that
// onnx-optimizer does not have. The pass is called onnx-<name with dashes>.
class Rewrite<int registryOrder, string rewriteName, RewriteClass class_, RewriteEfficiency efficiency_,
              RewriteGain gain_, RewriteKind kind_, RewriteExactness exactness_, RewriteGroup group_>
    : PassBase<"onnx-" # !subst("_", "-", rewriteName), "::onnxc::RewritePass"> {
  bits<16> order = registryOrder;
  string name = rewriteName;
  string passClass = class_.text;
  string efficiency = efficiency_.text;
  string gain = gain_.text;
  string kind = kind_.text;
  string exactness = exactness_.text;
  string group = group_.text;
  // Of "values": the option by which the caller excludes the inputs on which
  // results would change.
  string promise = "";
  string create = "create" # NAME;
}

def RewriteTable : GenericTable {
  let FilterClass = "Rewrite";
  let CppTypeName = "RewriteInfo";
  let Fields = ["order", "name", "argument", "passClass", "efficiency", "gain", "kind", "exactness",
                "group", "promise", "summary", "create"];
  string TypeOf_create = "code";
}

#endif // ONNXC_OPTIMIZE_REWRITEBASE
