//===- ONNXBase.td - Base classes of the op records ------ -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_ONNXBASE
#define ONNXC_DIALECT_ONNX_ONNXBASE

include "onnxc/Dialect/ONNX/ONNXDialect.td"
include "onnxc/Dialect/ONNX/ONNXInterfaces.td"
include "llvm/TableGen/SearchableTable.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Element types, spelled and numbered as TensorProto.DataType
//===----------------------------------------------------------------------===//

class ONNX_Elem<string onnxName, int dataType> {
  string name = onnxName;
  int flag = !shl(1, dataType);
}
def ONNX_Float : ONNX_Elem<"float", 1>;
def ONNX_UInt8 : ONNX_Elem<"uint8", 2>;
def ONNX_Int8 : ONNX_Elem<"int8", 3>;
def ONNX_UInt16 : ONNX_Elem<"uint16", 4>;
def ONNX_Int16 : ONNX_Elem<"int16", 5>;
def ONNX_Int32 : ONNX_Elem<"int32", 6>;
def ONNX_Int64 : ONNX_Elem<"int64", 7>;
def ONNX_String : ONNX_Elem<"string", 8>;
def ONNX_Bool : ONNX_Elem<"bool", 9>;
def ONNX_Float16 : ONNX_Elem<"float16", 10>;
def ONNX_Double : ONNX_Elem<"double", 11>;
def ONNX_UInt32 : ONNX_Elem<"uint32", 12>;
def ONNX_UInt64 : ONNX_Elem<"uint64", 13>;
def ONNX_Complex64 : ONNX_Elem<"complex64", 14>;
def ONNX_Complex128 : ONNX_Elem<"complex128", 15>;
def ONNX_BFloat16 : ONNX_Elem<"bfloat16", 16>;
def ONNX_Float8E4M3FN : ONNX_Elem<"float8e4m3fn", 17>;
def ONNX_Float8E4M3FNUZ : ONNX_Elem<"float8e4m3fnuz", 18>;
def ONNX_Float8E5M2 : ONNX_Elem<"float8e5m2", 19>;
def ONNX_Float8E5M2FNUZ : ONNX_Elem<"float8e5m2fnuz", 20>;
def ONNX_UInt4 : ONNX_Elem<"uint4", 21>;
def ONNX_Int4 : ONNX_Elem<"int4", 22>;
def ONNX_Float4E2M1 : ONNX_Elem<"float4e2m1", 23>;
def ONNX_Float8E8M0 : ONNX_Elem<"float8e8m0", 24>;
def ONNX_UInt2 : ONNX_Elem<"uint2", 25>;
def ONNX_Int2 : ONNX_Elem<"int2", 26>;
def ONNX_Float6E2M3 : ONNX_Elem<"float6e2m3", 27>;
def ONNX_Float6E3M2 : ONNX_Elem<"float6e3m2", 28>;

// A set of element types, built from other sets and single ones.
class ONNX_ElemSet<list<ONNX_ElemSet> sets, list<ONNX_Elem> more = []> {
  list<ONNX_Elem> elems = !listconcat(
      !foldl([]<ONNX_Elem>, sets, acc, set, !listconcat(acc, set.elems)), more);
  list<string> names = !foreach(e, elems, e.name);
  int mask = !foldl(0, elems, acc, e, !or(acc, e.flag));
}

//===----------------------------------------------------------------------===//
// Formal inputs and outputs
//===----------------------------------------------------------------------===//

// What every formal parameter says of itself to ONNX_ValueSpec; `allowed` is the
// C++ initializer of its AllowedTypes (OpSupport.h).
class ONNX_Formal<string valueKind, string var, list<string> types, string allowed> {
  string kind = valueKind;
  string typeVar = var;
  list<string> onnxTypes = types;
  string allowedTypes = allowed;
}

// In words, what ONNX_Value allows.
class ONNX_TypesInWords<string what, ONNX_ElemSet set> {
  list<string> words = !if(!empty(set.names), []<string>, [what # " of " # !interleave(set.names, "/")]);
}

// What ONNX allows for a formal parameter: tensors of the element types in
// `tensorSet`, sequences of tensors of `seqSet`, optionals of tensors of
// `optSet`, optionals of sequences of `optSeqSet`, and the non-tensor types
// spelled out in `otherTypes` ("map(int64,tensor(float))"). `var` is the schema's type
// variable ("T"): parameters of one variable have one type; "" for a fixed type.
// Until inference has reached a value, its type is !onnx.unknown, always allowed.
// The predicate is empty: VerifiesTypes (OpSupport.h) checks the types by the
// specs, and names inputs as the model does.
class ONNX_Value<string var, ONNX_ElemSet tensorSet, ONNX_ElemSet seqSet,
                 ONNX_ElemSet optSet, ONNX_ElemSet optSeqSet, list<string> otherTypes,
                 string words = !interleave(!listconcat(
                     ONNX_TypesInWords<"tensor", tensorSet>.words,
                     ONNX_TypesInWords<"sequence of tensors", seqSet>.words,
                     ONNX_TypesInWords<"optional tensor", optSet>.words,
                     ONNX_TypesInWords<"optional sequence of tensors", optSeqSet>.words,
                     otherTypes), " or ")>
    : Type<CPred<"true">, words>,
      ONNX_Formal<"Single", var, !listconcat(
      !foreach(n, tensorSet.names, "tensor(" # n # ")"),
      !foreach(n, seqSet.names, "seq(tensor(" # n # "))"),
      !foreach(n, optSet.names, "optional(tensor(" # n # "))"),
      !foreach(n, optSeqSet.names, "optional(seq(tensor(" # n # ")))"),
      otherTypes),
      "{" # tensorSet.mask # ", " # seqSet.mask # ", " # optSet.mask # ", " # optSeqSet.mask # ", \""
          # !interleave(otherTypes, ";") # "\", \"" # words # "\"}">;

// An optional or variadic parameter.
class ONNX_Opt<ONNX_Value value>
    : Optional<value>, ONNX_Formal<"Optional", value.typeVar, value.onnxTypes, value.allowedTypes>;
class ONNX_Many<ONNX_Value value>
    : Variadic<value>, ONNX_Formal<"Variadic", value.typeVar, value.onnxTypes, value.allowedTypes>;

def ONNX_None : ONNX_ElemSet<[]>;

// The sets that most schemas are built from.
def OnlyBool : ONNX_ElemSet<[], [ONNX_Bool]>;
def OnlyString : ONNX_ElemSet<[], [ONNX_String]>;
def OnlyFloat : ONNX_ElemSet<[], [ONNX_Float]>;
def OnlyUInt8 : ONNX_ElemSet<[], [ONNX_UInt8]>;
def OnlyInt32 : ONNX_ElemSet<[], [ONNX_Int32]>;
def OnlyInt64 : ONNX_ElemSet<[], [ONNX_Int64]>;
def Int8s : ONNX_ElemSet<[], [ONNX_Int8, ONNX_UInt8]>;
def Int32s64s : ONNX_ElemSet<[], [ONNX_Int32, ONNX_Int64]>;
def UInt32s64s : ONNX_ElemSet<[], [ONNX_UInt32, ONNX_UInt64]>;
def SignedInts : ONNX_ElemSet<[], [ONNX_Int8, ONNX_Int16, ONNX_Int32, ONNX_Int64]>;
def UnsignedInts : ONNX_ElemSet<[], [ONNX_UInt8, ONNX_UInt16, ONNX_UInt32, ONNX_UInt64]>;
def Ints : ONNX_ElemSet<[SignedInts, UnsignedInts]>;
def Float32s64s : ONNX_ElemSet<[], [ONNX_Float, ONNX_Double]>;
def IEEEFloats : ONNX_ElemSet<[Float32s64s], [ONNX_Float16]>;
def Floats : ONNX_ElemSet<[IEEEFloats], [ONNX_BFloat16]>;
def FloatsTo32 : ONNX_ElemSet<[], [ONNX_Float16, ONNX_BFloat16, ONNX_Float]>;
def Numbers : ONNX_ElemSet<[Floats, Ints]>;
def SignedNumbers : ONNX_ElemSet<[Floats, SignedInts]>;
// Numbers as they were before bfloat16.
def NumbersIR3 : ONNX_ElemSet<[IEEEFloats, Ints]>;
def NumbersAndBool : ONNX_ElemSet<[Numbers], [ONNX_Bool]>;
// Floats, and the integers wide enough to accumulate in.
def WideNumbers : ONNX_ElemSet<[Floats, Int32s64s, UInt32s64s]>;
def Float8s : ONNX_ElemSet<[], [ONNX_Float8E4M3FN, ONNX_Float8E4M3FNUZ,
                                ONNX_Float8E5M2, ONNX_Float8E5M2FNUZ]>;
def FloatsAndFloat8s : ONNX_ElemSet<[Floats, Float8s]>;
def Float6s : ONNX_ElemSet<[], [ONNX_Float6E2M3, ONNX_Float6E3M2]>;
def Int4s : ONNX_ElemSet<[], [ONNX_Int4, ONNX_UInt4]>;
def Int2s : ONNX_ElemSet<[], [ONNX_Int2, ONNX_UInt2]>;
def Complexes : ONNX_ElemSet<[], [ONNX_Complex64, ONNX_Complex128]>;
// Every type of an ONNX IR version.
def AllIR3 : ONNX_ElemSet<[IEEEFloats, Ints, Complexes], [ONNX_Bool, ONNX_String]>;
def AllIR4 : ONNX_ElemSet<[AllIR3], [ONNX_BFloat16]>;
def AllIR10 : ONNX_ElemSet<[AllIR4, Float8s, Int4s]>;
def AllIR12 : ONNX_ElemSet<[AllIR10], [ONNX_Float4E2M1, ONNX_Float8E8M0]>;
def AllIR13 : ONNX_ElemSet<[AllIR12, Int2s]>;
def All : ONNX_ElemSet<[AllIR13, Float6s]>;

// A tensor parameter: `ONNX_T<Floats>` is of the schema's variable "T".
class ONNX_T<ONNX_ElemSet set, string var = "T">
    : ONNX_Value<var, set, ONNX_None, ONNX_None, ONNX_None, []>;
// A sequence of tensors.
class ONNX_S<ONNX_ElemSet set, string var = "S">
    : ONNX_Value<var, ONNX_None, set, ONNX_None, ONNX_None, []>;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

// What a kind of attribute says of it beyond its type: calls on AttributeFacts
// (OpFacts.h). The verifier, the normalization and the optimizer go by them.
class ONNX_Attribute<string calls> {
  string facts = calls;
}

// Attributes that may be absent.
def OptInt : OptionalAttr<I64Attr>;
def OptInts : OptionalAttr<DenseI64ArrayAttr>;
def OptFloat : OptionalAttr<F32Attr>;
def OptFloats : OptionalAttr<DenseF32ArrayAttr>;
def OptString : OptionalAttr<StrAttr>;
def OptStrings : OptionalAttr<StrArrayAttr>;
def OptTensor : OptionalAttr<ElementsAttr>;

// Attributes with a default: absence survives, the getter gives the default.
class IntOr<int value, string calls = "">
    : DefaultValuedOptionalAttr<I64Attr, !cast<string>(value)>,
      ONNX_Attribute<".orInteger(" # value # ")" # calls>;
class FloatOr<string value>
    : DefaultValuedOptionalAttr<F32Attr, value # "f">, ONNX_Attribute<".orFloat(" # value # "f)">;
class StrOr<string value, string calls = "">
    : DefaultValuedOptionalStrAttr<StrAttr, value>,
      ONNX_Attribute<".orText(\"" # value # "\")" # calls>;

// ONNX's booleans.
class Flag<int value> : IntOr<value, ".within(0, 1)">;
// Numbers with bounds, included. A list's hold of each of its elements.
class IntFrom<int least, int value> : IntOr<value, ".atLeast(" # least # ")">;
class IntWithin<int least, int greatest, int value>
    : IntOr<value, ".within(" # least # ", " # greatest # ")">;
class RequiredIntFrom<int least>
    : TypedSignlessIntegerAttrBase<I64, "uint64_t", "64-bit signless integer attribute">,
      ONNX_Attribute<".atLeast(" # least # ")">;
class RequiredIntsFrom<int least>
    : DenseArrayAttrBase<"DenseI64ArrayAttr", "int64_t", "i64">,
      ONNX_Attribute<".atLeast(" # least # ")">;
class OptIntsFrom<int least>
    : OptionalAttr<DenseI64ArrayAttr>, ONNX_Attribute<".atLeast(" # least # ")">;

// One of some words; the first argument is the default.
class OneOf<string value, list<string> words>
    : StrOr<value, ".oneOf({\"" # !interleave(words, "\", \"") # "\"})">;
class RequiredOneOf<list<string> words>
    : StringBasedAttr<CPred<"::llvm::isa<::mlir::StringAttr>($_self)">, "string attribute">,
      ONNX_Attribute<".oneOf({\"" # !interleave(words, "\", \"") # "\"})">;
// A list of them.
class OptListOf<list<string> words>
    : OptionalAttr<StrArrayAttr>,
      ONNX_Attribute<".oneOf({\"" # !interleave(words, "\", \"") # "\"})">;

// An axis of the input (or output) of that name, from the end where negative.
// `added`: of the rank that the result has more.
class Axis<string of, int value, int added = 0>
    : IntOr<value, ".axisOf(\"" # of # "\", " # added # ")">;
class RequiredAxis<string of>
    : TypedSignlessIntegerAttrBase<I64, "uint64_t", "64-bit signless integer attribute">,
      ONNX_Attribute<".axisOf(\"" # of # "\", 0)">;
class OptAxis<string of>
    : OptionalAttr<I64Attr>, ONNX_Attribute<".axisOf(\"" # of # "\", 0)">;

// The words of more than one family.
defvar PostTransforms = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"];

// A list whose elements are `value` where it is absent, as many as there are.
class EachOr<int value> : OptionalAttr<DenseI64ArrayAttr>, ONNX_Attribute<".orEach(" # value # ")">;
// An order of the dimensions of the input of that name; the reverse one if absent.
class PermutationOf<string of>
    : OptionalAttr<DenseI64ArrayAttr>, ONNX_Attribute<".orReversed(\"" # of # "\")">;

//===----------------------------------------------------------------------===//
// What holds of an op
//===----------------------------------------------------------------------===//

// Stands among the traits of a record. No C++ trait: OpFacts.h asks by the op's
// name, so that the op classes do not change with what is known of them.
class ONNX_Trait<string name, int operand = -1> : GenInternalOpTrait<"onnxc" # name> {
  string flag = "uint32_t(OpFact::" # name # ")";
  int shapeOperand = operand;
}

// Of two operands: their order does not matter, but for which of two zeros the
// greater one is, and which NaN.
def ONNX_Commutative : ONNX_Trait<"Commutative">;
// f(f(x)) = f(x), with the same further operands and attributes.
def ONNX_Idempotent : ONNX_Trait<"Idempotent">;
// f(x, x) = x.
def ONNX_SameOfSame : ONNX_Trait<"SameOfSame">;
// Of any number of operands, and of a single one that operand.
def ONNX_SelfOfOne : ONNX_Trait<"SelfOfOne">;
// No element of the result is below zero, of floats; it may be NaN.
def ONNX_NeverNegative : ONNX_Trait<"NeverNegative">;
// The same where no element of an operand is below zero.
def ONNX_KeepsNonNegative : ONNX_Trait<"KeepsNonNegative">;
// Each element of a result is an element of the first operand, as it was.
def ONNX_MovesElements : ONNX_Trait<"MovesElements">;
// The elements of the first operand in their order, in another shape.
def ONNX_Reshapes : ONNX_Trait<"Reshapes">;
// Result 0 has the shape of that operand. So have elementwise ops of one operand,
// without saying so.
class ONNX_KeepsShape<int operand> : ONNX_Trait<"KeepsShape", operand>;
// Combines the elements along axes into one, with `keepdims`.
def ONNX_Reduces : ONNX_Trait<"Reduces">;
// Looks at each element a few times.
def ONNX_Linear : ONNX_Trait<"Linear">;
// Gives a result for all operands of its static types; integer division apart.
// Operands of integers alone (indices, axes, sizes) are constants there.
def ONNX_Total : ONNX_Trait<"Total">;
// The same whatever the sizes turn out to be.
def ONNX_TotalOfAnySize : ONNX_Trait<"TotalOfAnySize">;
// Passes tensors on or asks for their shape, so that it need not know their
// ranks: they are handles then (docs/decisions/006).
def ONNX_TakesHandles : ONNX_Trait<"TakesHandles">;

// Runs its subgraph any number of times, none included.
def ONNX_RepeatsBody : ONNX_Trait<"RepeatsBody">;
// Slides a window over the first operand; its weights, if it has any, are `W`
// or `w`, with the spatial dims from 2 on.
def ONNX_SlidesWindow : ONNX_Trait<"SlidesWindow">;

class ONNX_Traits<list<Trait> all> {
  list<ONNX_Trait> own = !foreach(t, !filter(t, all, !isa<ONNX_Trait>(t)), !cast<ONNX_Trait>(t));
  string flags = !interleave(!listconcat(["0u"], !foreach(t, own, t.flag)), " | ");
  int shapeOperand = !foldl(-1, own, found, t, !if(!lt(t.shapeOperand, 0), found, t.shapeOperand));
}

class ONNX_AttributeFacts<dag args> {
  list<int> kinds = !filter(i, !range(!size(args)), !initialized(!getdagarg<ONNX_Attribute>(args, i)));
  list<string> each = !foreach(i, kinds,
      "AttributeFacts(\"" # !getdagname(args, i) # "\")" # !getdagarg<ONNX_Attribute>(args, i).facts);
  string make = "+[]() -> std::vector<AttributeFacts> { return {" # !interleave(each, ", ") # "}; }";
}

// The C++ initializer of one ValueSpec (SchemaOpInterface).
class ONNX_ValueSpec<string name, ONNX_Formal formal> {
  string text = "{\"" # name # "\", ::onnxc::ValueKind::" # formal.kind # ", \"" # formal.typeVar # "\", "
                # formal.allowedTypes # "}";
}
class ONNX_ValueSpecs<dag args> {
  // The formal parameters among the arguments; the others are attributes.
  list<int> formals = !filter(i, !range(!size(args)), !initialized(!getdagarg<ONNX_Formal>(args, i)));
  list<string> specs = !foreach(i, formals,
      ONNX_ValueSpec<!getdagname(args, i), !getdagarg<ONNX_Formal>(args, i)>.text);
  string body = "static const ::std::vector<::onnxc::ValueSpec> specs = {"
                # !interleave(specs, ", ") # "}; return specs;";
  // More than one optional or variadic parameter needs segment sizes.
  int flexible = !size(!filter(i, formals, !ne(!getdagarg<ONNX_Formal>(args, i).kind, "Single")));
}

//===----------------------------------------------------------------------===//
// The base class of every record
//===----------------------------------------------------------------------===//

// Checks the types of operands and results. In front of the traits that run the
// shape rule, which may rely on them.
def ONNX_VerifiesTypes : NativeOpTrait<"VerifiesTypes"> {
  let cppNamespace = "::onnxc";
}

// `since`: the schema versions that the record represents as is (the newest one
// last, and older ones that differ in nothing but documentation or allowed
// types). `upgrades`: a line per older form, see UpgradeRule.h.
// The op's shape rule `static LogicalResult shape(ShapeBuilder &, Adaptor)`
// stands in the family's .cpp, or in `shapeRule` where one line says it.
class ONNX_Op<string name, list<int> since, dag ins_, dag outs_,
              list<Trait> extraTraits = [], string onnxDomain = "">
    : Op<ONNX_Dialect, !if(!empty(onnxDomain), "", !subst("ai.onnx.", "", onnxDomain) # ".") # name,
         !listconcat(
             [ONNX_VerifiesTypes, DeclareOpInterfaceMethods<ONNX_SchemaOpInterface>,
              DeclareOpInterfaceMethods<InferTypeOpInterface>,
              DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>],
             !if(!gt(ONNX_ValueSpecs<ins_>.flexible, 1), [AttrSizedOperandSegments], []<Trait>),
             !if(!gt(ONNX_ValueSpecs<outs_>.flexible, 1), [AttrSizedResultSegments], []<Trait>),
             extraTraits)> {
  let arguments = ins_;
  let results = outs_;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  string onnxName = name;
  string domain = onnxDomain;
  // How its arithmetic is counted: an OpCost (OpFacts.h).
  string cost = "Unknown";
  string costEnumerator = "OpCost::" # cost;
  string traitFlags = ONNX_Traits<extraTraits>.flags;
  string shapeOperand = !cast<string>(ONNX_Traits<extraTraits>.shapeOperand);
  string attributeFacts = ONNX_AttributeFacts<ins_>.make;
  list<int> schemaSince = since;
  // Rows of UpgradeRule: `{"Concat", 1, {setDefault("axis", 1)}}`.
  list<string> upgrades = [];
  // Whether ONNX has replaced the operator by others; the record is its last form.
  bit deprecated = 0;
  // Names of graph attributes, in the order of `regions`.
  list<string> regionNames = [];
  // Body of the shape rule (`s` and `op` in scope); empty: written in the .cpp.
  string shapeRule = "";
  string moreDeclarations = "";
  string moreDefinitions = "";

  let extraClassDeclaration = [{
    static ::llvm::LogicalResult shape(::onnxc::ShapeBuilder &s, Adaptor op);
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange declared) {
      return ::onnxc::areCompatibleTypes(inferred, declared);
    }
  }] # moreDeclarations;

  let extraClassDefinition = [{
    ::llvm::StringRef $cppClass::getOnnxDomain() { return "}] # onnxDomain # [{"; }
    ::llvm::StringRef $cppClass::getOnnxName() { return "}] # name # [{"; }
    ::llvm::ArrayRef<int> $cppClass::getSchemaVersions() {
      static const int versions[] = {}] # !interleave(since, ", ") # [{};
      return versions;
    }
    ::llvm::ArrayRef<::onnxc::UpgradeRule> $cppClass::getUpgradeRules() {
      using namespace ::onnxc::upgrade;
      static const ::std::vector<::onnxc::UpgradeRule> rules = {}] # !interleave(upgrades, ", ") # [{};
      return rules;
    }
    ::llvm::ArrayRef<::onnxc::ValueSpec> $cppClass::getOperandSpecs() { }] # ONNX_ValueSpecs<ins_>.body # [{ }
    ::llvm::ArrayRef<::onnxc::ValueSpec> $cppClass::getResultSpecs() { }] # ONNX_ValueSpecs<outs_>.body # [{ }
    ::llvm::ArrayRef<::llvm::StringLiteral> $cppClass::getRegionNames() {
      }] # !if(!empty(regionNames), "return {};",
               "static const ::llvm::StringLiteral names[] = {\"" # !interleave(regionNames, "\", \"") # "\"}; return names;") # [{
    }
    ::llvm::LogicalResult $cppClass::applyShapeRule(::onnxc::ShapeBuilder &s, ::mlir::ValueRange operands) {
      return shape(s, Adaptor(operands, *this));
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *context, ::std::optional<::mlir::Location> loc,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes, ::mlir::OpaqueProperties properties,
        ::mlir::RegionRange regions, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::onnxc::inferReturnTypesByRule<$cppClass>(context, operands, attributes, properties, regions, types);
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(::mlir::OpBuilder &builder, ::mlir::ReifiedRankedShapedTypeDims &dims) {
      return ::onnxc::reifyByRule(*this, builder, dims);
    }
    ::llvm::LogicalResult $cppClass::verify() { return ::onnxc::verifyByRule(*this); }
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &result) {
      return ::onnxc::parseOp(parser, result, getOperandSpecs(), getResultSpecs(), getRegionNames());
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      ::onnxc::printOp(printer, *this, getOperandSpecs(), getResultSpecs(), getRegionNames());
    }
  }] # !if(!empty(shapeRule), "", "::llvm::LogicalResult $cppClass::shape(::onnxc::ShapeBuilder &s, Adaptor op) { " # shapeRule # " }\n")
     # moreDefinitions;
}

// The rows of <Family>.facts.inc: what OpFacts.cpp knows of each op.
def ONNX_FactsTable : GenericTable {
  let FilterClass = "ONNX_Op";
  let CppTypeName = "FactsRow";
  let Fields = ["domain", "onnxName", "traitFlags", "shapeOperand", "costEnumerator", "attributeFacts"];
  string TypeOf_traitFlags = "code";
  string TypeOf_shapeOperand = "code";
  string TypeOf_costEnumerator = "code";
  string TypeOf_attributeFacts = "code";
}

// Of ops that models compute shapes with.
defvar ONNX_FollowsElements = DeclareOpInterfaceMethods<ONNX_ShapeElementsOpInterface>;

// The rule of ops whose own is not written yet: results are as declared.
defvar ONNX_AsDeclared = "return s.asDeclared();";

// The result is bool, of the operands' broadcast shape.
defvar ONNX_BroadcastToBool =
    "return s.broadcastOperands(0, mlir::IntegerType::get(s.getContext(), 1));";

// Results have the shape and type of the first operand.
class ONNX_SameType<string name, list<int> since, dag ins_, dag outs_, list<Trait> extraTraits = []>
    : ONNX_Op<name, since, ins_, outs_, !listconcat([Pure, ONNX_KeepsShape<0>], extraTraits)> {
  let shapeRule = "return s.sameAsOperand(0);";
}

// Ops of the other domains: `onnx.ml.Scaler`, `onnx.preview.training.Adam`.
class ONNX_MLOp<string name, list<int> since, dag ins_, dag outs_, list<Trait> extraTraits = []>
    : ONNX_Op<name, since, ins_, outs_, extraTraits, "ai.onnx.ml">;
class ONNX_PreviewOp<string name, list<int> since, dag ins_, dag outs_, list<Trait> extraTraits = []>
    : ONNX_Op<name, since, ins_, outs_, extraTraits, "ai.onnx.preview">;
class ONNX_TrainingOp<string name, list<int> since, dag ins_, dag outs_, list<Trait> extraTraits = []>
    : ONNX_Op<name, since, ins_, outs_, extraTraits, "ai.onnx.preview.training">;

// An elementwise op: operands broadcast, and the scalar body is `body`, with `b`
// (ScalarBuilder) and the elements `args` of the operands that are present, in
// order, `x` being the first and `y` the second. An empty body is written in the
// family's .cpp, as `Value XOp::buildScalar(ScalarBuilder &b, ValueRange args)`.
class ONNX_Elementwise<string name, list<int> since, dag ins_, dag outs_, string body = "",
                       list<Trait> extraTraits = []>
    : ONNX_Op<name, since, ins_, outs_,
              !listconcat([Pure, DeclareOpInterfaceMethods<ONNX_ScalarOpInterface>, ONNX_Linear, ONNX_Total],
                          extraTraits)> {
  let shapeRule = "return s.broadcastOperands();";
  let cost = "Result";
  string elementwiseBody = !if(!empty(body), "", [{
    ::mlir::Value $cppClass::buildScalar(::onnxc::ScalarBuilder &b, ::mlir::ValueRange args) {
      [[maybe_unused]] ::mlir::Value x = args[0];
      [[maybe_unused]] ::mlir::Value y = args.size() > 1 ? args[1] : ::mlir::Value();
      }] # body # [{
    }
  }]);
  let moreDefinitions = elementwiseBody;
}

// Of any number of operands. `combine` is the body for two, `x` and `y`, and
// `finish` what becomes of the result of all, `x`.
class ONNX_VariadicElementwise<string name, list<int> since, dag ins_, dag outs_, string combineBody,
                               list<Trait> extraTraits = [], string finishBody = "return x;">
    : ONNX_Elementwise<name, since, ins_, outs_, [{
        for (mlir::Value other : args.drop_front())
          x = combine(b, x, other);
        return finish(b, x);
      }], !listconcat([DeclareOpInterfaceMethods<ONNX_VariadicScalarOpInterface>], extraTraits)> {
  let moreDefinitions = elementwiseBody # [{
    ::mlir::Value $cppClass::combine(::onnxc::ScalarBuilder &b, ::mlir::Value x, ::mlir::Value y) {
      }] # combineBody # [{
    }
    ::mlir::Value $cppClass::finish([[maybe_unused]] ::onnxc::ScalarBuilder &b, ::mlir::Value x) {
      }] # finishBody # [{
    }
  }];
}

#endif // ONNXC_DIALECT_ONNX_ONNXBASE
