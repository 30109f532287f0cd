//===- ONNXBase.td - Base classes of the op records -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_ONNXBASE
#define ONNXC_DIALECT_ONNX_ONNXBASE

include "onnxc/Dialect/ONNX/ONNXDialect.td"
include "onnxc/Dialect/ONNX/ONNXInterfaces.td"
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

// What every formal parameter says of itself to ONNX_ValueSpec.
class ONNX_Formal<string valueKind, string var, list<string> types> {
  string kind = valueKind;
  string typeVar = var;
  list<string> onnxTypes = types;
}

// What ONNX allows for a formal parameter: tensors of the element types in
// `tensorSet`, sequences of tensors of `seqSet`, optionals of tensors of
// `optSet`, optionals of sequences of `optSeqSet`, and the non-tensor types
// spelled out in `otherTypes` ("map(int64, float)"). `var` is the schema's type
// variable ("T"): parameters of one variable have one type; "" for a fixed type.
// Until inference has reached a value, its type is !onnx.unknown, always allowed.
class ONNX_Value<string var, ONNX_ElemSet tensorSet, ONNX_ElemSet seqSet,
                 ONNX_ElemSet optSet, ONNX_ElemSet optSeqSet, list<string> otherTypes>
    : Type<CPred<"::onnxc::isValueOf($_self, " # tensorSet.mask # ", " # seqSet.mask
                 # ", " # optSet.mask # ", " # optSeqSet.mask # ", \""
                 # !interleave(otherTypes, ";") # "\")">,
           !interleave(!listconcat(
               !if(!empty(tensorSet.names), []<string>, ["tensor of " # !interleave(tensorSet.names, "/")]),
               !if(!empty(seqSet.names), []<string>, ["sequence of tensors of " # !interleave(seqSet.names, "/")]),
               !if(!empty(optSet.names), []<string>, ["optional tensor of " # !interleave(optSet.names, "/")]),
               !if(!empty(optSeqSet.names), []<string>, ["optional sequence of tensors of " # !interleave(optSeqSet.names, "/")]),
               otherTypes), " or ")>,
      ONNX_Formal<"Single", var, !listconcat(
      !foreach(n, tensorSet.names, "tensor(" # n # ")"),
      !foreach(n, seqSet.names, "seq(tensor(" # n # "))"),
      !foreach(n, optSet.names, "optional(tensor(" # n # "))"),
      !foreach(n, optSeqSet.names, "optional(seq(tensor(" # n # ")))"),
      otherTypes)>;

// An optional or variadic parameter.
class ONNX_Opt<ONNX_Value value>
    : Optional<value>, ONNX_Formal<"Optional", value.typeVar, value.onnxTypes>;
class ONNX_Many<ONNX_Value value>
    : Variadic<value>, ONNX_Formal<"Variadic", value.typeVar, value.onnxTypes>;

def ONNX_None : ONNX_ElemSet<[]>;

// The sets that most schemas are built from.
def Floats : ONNX_ElemSet<[], [ONNX_Float16, ONNX_Float, ONNX_Double, ONNX_BFloat16]>;
def SignedInts : ONNX_ElemSet<[], [ONNX_Int8, ONNX_Int16, ONNX_Int32, ONNX_Int64]>;
def UnsignedInts : ONNX_ElemSet<[], [ONNX_UInt8, ONNX_UInt16, ONNX_UInt32, ONNX_UInt64]>;
def Ints : ONNX_ElemSet<[SignedInts, UnsignedInts]>;
def Numbers : ONNX_ElemSet<[Floats, Ints]>;
def Int32s64s : ONNX_ElemSet<[], [ONNX_Int32, ONNX_Int64]>;
def OnlyInt64 : ONNX_ElemSet<[], [ONNX_Int64]>;
def OnlyBool : ONNX_ElemSet<[], [ONNX_Bool]>;

// A tensor parameter: `ONNX_T<Floats>` is of the schema's variable "T".
class ONNX_T<ONNX_ElemSet set, string var = "T">
    : ONNX_Value<var, set, ONNX_None, ONNX_None, ONNX_None, []>;
// A sequence of tensors.
class ONNX_S<ONNX_ElemSet set, string var = "S">
    : ONNX_Value<var, ONNX_None, set, ONNX_None, ONNX_None, []>;

// The C++ initializer of one ValueSpec (SchemaOpInterface).
class ONNX_ValueSpec<string name, ONNX_Formal formal> {
  string text = "{\"" # name # "\", ::onnxc::ValueKind::" # formal.kind # ", \"" # formal.typeVar # "\"}";
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

// `since`: the schema versions that the record represents as is (the newest one
// last, and older ones that differ in nothing but documentation or allowed
// types). `upgrades`: a line per older form, see UpgradeRule.h.
// The op's shape rule `static LogicalResult shape(ShapeBuilder &, Adaptor)`
// stands in the family's .cpp, or in `shapeRule` where one line says it.
class ONNX_Op<string name, list<int> since, dag ins_, dag outs_,
              list<Trait> extraTraits = [], string onnxDomain = "">
    : Op<ONNX_Dialect, !if(!empty(onnxDomain), "", !subst("ai.onnx.", "", onnxDomain) # ".") # name,
         !listconcat(
             [DeclareOpInterfaceMethods<ONNX_SchemaOpInterface>,
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
  list<int> schemaSince = since;
  // Rows of UpgradeRule: `{"Concat", 1, {setDefault("axis", 1)}}`.
  list<string> upgrades = [];
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

// The rule of ops whose own is not written yet: results are as declared.
defvar ONNX_AsDeclared = "return s.asDeclared();";

// Results have the shape and type of the first operand.
class ONNX_SameType<string name, list<int> since, dag ins_, dag outs_, list<Trait> extraTraits = []>
    : ONNX_Op<name, since, ins_, outs_, !listconcat([Pure], extraTraits)> {
  let shapeRule = "return s.sameAsOperand(0);";
}

// An elementwise op whose scalar body is `body`, with `b` (ScalarBuilder) and the
// operand elements by number, `x` being the first and `y` the second.
class ONNX_Elementwise<string name, list<int> since, dag ins_, dag outs_, string body,
                       list<Trait> extraTraits = []>
    : ONNX_Op<name, since, ins_, outs_,
              !listconcat([Pure, DeclareOpInterfaceMethods<ONNX_ScalarOpInterface>], extraTraits)> {
  let moreDefinitions = [{
    ::mlir::Value $cppClass::buildScalar(::onnxc::ScalarBuilder &b, ::mlir::ValueRange args) {
      [[maybe_unused]] ::mlir::Value x = args[0];
      [[maybe_unused]] ::mlir::Value y = args.size() > 1 ? args[1] : ::mlir::Value();
      }] # body # [{
    }
  }];
}

#endif // ONNXC_DIALECT_ONNX_ONNXBASE
