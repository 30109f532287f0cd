//===- OpSupport.cpp - What the generated op code calls -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Schema.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc;

#include "onnxc/Dialect/ONNX/ONNXInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

namespace {
/// TensorProto.DataType numbers and their ONNX names, by position.
constexpr llvm::StringLiteral kDataTypeNames[] = {
    "undefined",      "float",        "uint8",          "int8",
    "uint16",         "int16",        "int32",          "int64",
    "string",         "bool",         "float16",        "double",
    "uint32",         "uint64",       "complex64",      "complex128",
    "bfloat16",       "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
    "float8e5m2fnuz", "uint4",        "int4",           "float4e2m1",
    "float8e8m0",     "uint2",        "int2",           "float6e2m3",
    "float6e3m2"};
} // namespace

int onnxc::getDataType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return isUnsigned ? 0 : 9;
    case 2:
      return isUnsigned ? 25 : 26;
    case 4:
      return isUnsigned ? 21 : 22;
    case 8:
      return isUnsigned ? 2 : 3;
    case 16:
      return isUnsigned ? 4 : 5;
    case 32:
      return isUnsigned ? 12 : 6;
    case 64:
      return isUnsigned ? 13 : 7;
    default:
      return 0;
    }
  }
  if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return 14;
    return complex.getElementType().isF64() ? 15 : 0;
  }
  return llvm::TypeSwitch<Type, int>(type)
      .Case<Float32Type>([](auto) { return 1; })
      .Case<StringType>([](auto) { return 8; })
      .Case<Float16Type>([](auto) { return 10; })
      .Case<Float64Type>([](auto) { return 11; })
      .Case<BFloat16Type>([](auto) { return 16; })
      .Case<Float8E4M3FNType>([](auto) { return 17; })
      .Case<Float8E4M3FNUZType>([](auto) { return 18; })
      .Case<Float8E5M2Type>([](auto) { return 19; })
      .Case<Float8E5M2FNUZType>([](auto) { return 20; })
      .Case<Float4E2M1FNType>([](auto) { return 23; })
      .Case<Float8E8M0FNUType>([](auto) { return 24; })
      .Case<Float6E2M3FNType>([](auto) { return 27; })
      .Case<Float6E3M2FNType>([](auto) { return 28; })
      .Default([](auto) { return 0; });
}

Type onnxc::getElementType(MLIRContext *context, int dataType) {
  Builder b(context);
  auto unsignedInt = [&](unsigned width) {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (dataType) {
  case 1:
    return b.getF32Type();
  case 2:
    return unsignedInt(8);
  case 3:
    return b.getI8Type();
  case 4:
    return unsignedInt(16);
  case 5:
    return b.getI16Type();
  case 6:
    return b.getI32Type();
  case 7:
    return b.getI64Type();
  case 8:
    return StringType::get(context);
  case 9:
    return b.getI1Type();
  case 10:
    return b.getF16Type();
  case 11:
    return b.getF64Type();
  case 12:
    return unsignedInt(32);
  case 13:
    return unsignedInt(64);
  case 14:
    return ComplexType::get(b.getF32Type());
  case 15:
    return ComplexType::get(b.getF64Type());
  case 16:
    return b.getBF16Type();
  case 17:
    return Float8E4M3FNType::get(context);
  case 18:
    return Float8E4M3FNUZType::get(context);
  case 19:
    return Float8E5M2Type::get(context);
  case 20:
    return Float8E5M2FNUZType::get(context);
  case 21:
    return unsignedInt(4);
  case 22:
    return b.getIntegerType(4);
  case 23:
    return Float4E2M1FNType::get(context);
  case 24:
    return Float8E8M0FNUType::get(context);
  case 25:
    return unsignedInt(2);
  case 26:
    return b.getIntegerType(2);
  case 27:
    return Float6E2M3FNType::get(context);
  case 28:
    return Float6E3M2FNType::get(context);
  default:
    return {};
  }
}

std::string onnxc::getOnnxTypeName(Type type) {
  return llvm::TypeSwitch<Type, std::string>(type)
      .Case<TensorType>([](TensorType tensor) {
        return "tensor(" + getOnnxTypeName(tensor.getElementType()) + ")";
      })
      .Case<SeqType>([](SeqType seq) {
        return "seq(" + getOnnxTypeName(seq.getElementType()) + ")";
      })
      .Case<OptType>([](OptType opt) {
        return "optional(" + getOnnxTypeName(opt.getElementType()) + ")";
      })
      .Case<MapType>([](MapType map) {
        return "map(" + getOnnxTypeName(map.getKeyType()) + "," +
               getOnnxTypeName(map.getValueType()) + ")";
      })
      .Case<SparseType>([](SparseType sparse) {
        auto dense = dyn_cast<TensorType>(sparse.getDenseType());
        return "sparse_tensor(" +
               getOnnxTypeName(dense ? dense.getElementType() : Type()) + ")";
      })
      .Case<UnknownType>([](UnknownType) { return std::string("unknown"); })
      .Default([](Type element) {
        return kDataTypeNames[element ? getDataType(element) : 0].str();
      });
}

bool onnxc::isValueOf(Type type, uint32_t tensors, uint32_t seqs, uint32_t opts,
                      uint32_t optSeqs, llvm::StringRef others) {
  auto inSet = [](Type tensor, uint32_t set) {
    if (isa<UnknownType>(tensor))
      return true;
    auto shaped = dyn_cast<TensorType>(tensor);
    return shaped && (set >> getDataType(shaped.getElementType()) & 1) &&
           getDataType(shaped.getElementType()) != 0;
  };
  if (isa<UnknownType>(type))
    return true;
  if (isa<TensorType>(type))
    return inSet(type, tensors);
  if (auto seq = dyn_cast<SeqType>(type))
    if (inSet(seq.getElementType(), seqs))
      return true;
  if (auto opt = dyn_cast<OptType>(type)) {
    if (inSet(opt.getElementType(), opts))
      return true;
    if (auto seq = dyn_cast<SeqType>(opt.getElementType()))
      if (inSet(seq.getElementType(), optSeqs))
        return true;
  }
  if (others.empty())
    return false;
  llvm::SmallVector<llvm::StringRef> names;
  others.split(names, ';');
  return llvm::is_contained(names, getOnnxTypeName(type));
}

//===----------------------------------------------------------------------===//
// Types known in part
//===----------------------------------------------------------------------===//

/// The sequence, optional or map of what `combine` makes of the element types
/// of two of a kind; null if they are not, or it gives null.
static Type combineElements(Type a, Type b,
                            llvm::function_ref<Type(Type, Type)> combine) {
  auto combineAs = [&](auto left) -> Type {
    auto right = dyn_cast<decltype(left)>(b);
    Type both =
        right ? combine(left.getElementType(), right.getElementType()) : Type();
    return both ? decltype(left)::get(a.getContext(), both) : Type();
  };
  if (auto seq = dyn_cast<SeqType>(a))
    return combineAs(seq);
  if (auto opt = dyn_cast<OptType>(a))
    return combineAs(opt);
  auto left = cast<MapType>(a);
  auto right = dyn_cast<MapType>(b);
  Type both = right && left.getKeyType() == right.getKeyType()
                  ? combine(left.getValueType(), right.getValueType())
                  : Type();
  return both ? MapType::get(a.getContext(), left.getKeyType(), both) : Type();
}

Type onnxc::joinTypes(Type a, Type b) {
  if (!a || isa<UnknownType>(a))
    return b;
  if (!b || isa<UnknownType>(b) || a == b)
    return a;
  if (isa<SeqType, OptType, MapType>(a))
    return combineElements(a, b,
                           [](Type x, Type y) { return joinTypes(x, y); });
  auto left = dyn_cast<TensorType>(a), right = dyn_cast<TensorType>(b);
  if (!left || !right || left.getElementType() != right.getElementType())
    return {};
  if (!left.hasRank())
    return b;
  if (!right.hasRank())
    return a;
  if (left.getRank() != right.getRank())
    return {};
  llvm::SmallVector<int64_t> shape(left.getShape());
  for (auto [dim, other] : llvm::zip_equal(shape, right.getShape())) {
    if (ShapedType::isDynamic(other))
      continue;
    if (!ShapedType::isDynamic(dim) && dim != other)
      return {};
    dim = other;
  }
  return RankedTensorType::get(shape, left.getElementType());
}

Type onnxc::generalizeTypes(Type a, Type b) {
  if (a == b)
    return a;
  if (isa<SeqType, OptType, MapType>(a))
    return combineElements(a, b, [](Type x, Type y) {
      // An element type that is not known stands for no element at all.
      return isa<UnknownType>(x)   ? y
             : isa<UnknownType>(y) ? x
                                   : generalizeTypes(x, y);
    });
  auto left = dyn_cast<TensorType>(a), right = dyn_cast<TensorType>(b);
  if (!left || !right || left.getElementType() != right.getElementType())
    return {};
  if (!left.hasRank() || !right.hasRank() || left.getRank() != right.getRank())
    return UnrankedTensorType::get(left.getElementType());
  llvm::SmallVector<int64_t> shape(left.getShape());
  for (auto [dim, other] : llvm::zip_equal(shape, right.getShape()))
    if (dim != other)
      dim = ShapedType::kDynamic;
  return RankedTensorType::get(shape, left.getElementType());
}

bool onnxc::areCompatibleTypes(Type inferred, Type declared) {
  return static_cast<bool>(joinTypes(inferred, declared));
}

bool onnxc::areCompatibleTypes(TypeRange inferred, TypeRange declared) {
  // inferReturnTypes yields no types for optional results; verifyByRule, which
  // knows which of them are present, compares those.
  if (inferred.size() != declared.size())
    return true;
  return llvm::all_of(llvm::zip_equal(inferred, declared), [](auto pair) {
    return areCompatibleTypes(std::get<0>(pair), std::get<1>(pair));
  });
}

//===----------------------------------------------------------------------===//
// Formal and actual parameters
//===----------------------------------------------------------------------===//

static llvm::SmallVector<int> getSegments(Operation *op,
                                          llvm::ArrayRef<ValueSpec> specs,
                                          llvm::StringRef segmentsName,
                                          int actual) {
  if (auto sizes = op->getAttrOfType<DenseI32ArrayAttr>(segmentsName))
    return llvm::to_vector_of<int>(sizes.asArrayRef());
  // At most one parameter is optional or variadic: it takes what is left.
  llvm::SmallVector<int> segments(specs.size(), 1);
  for (auto [segment, spec] : llvm::zip_equal(segments, specs))
    if (spec.kind != ValueKind::Single)
      segment = actual - static_cast<int>(specs.size()) + 1;
  return segments;
}

llvm::SmallVector<int> onnxc::getOperandSegments(Operation *op) {
  return getSegments(op, cast<SchemaOpInterface>(op).getOperandSpecs(),
                     "operandSegmentSizes", op->getNumOperands());
}

llvm::SmallVector<int> onnxc::getResultSegments(Operation *op) {
  return getSegments(op, cast<SchemaOpInterface>(op).getResultSpecs(),
                     "resultSegmentSizes", op->getNumResults());
}

//===----------------------------------------------------------------------===//
// Rules applied to ops
//===----------------------------------------------------------------------===//

LogicalResult onnxc::inferResultTypes(
    Operation *op, llvm::SmallVectorImpl<Type> &types,
    llvm::function_ref<void(const llvm::Twine &)> emitError) {
  auto schema = cast<SchemaOpInterface>(op);
  llvm::ArrayRef<ValueSpec> specs = schema.getResultSpecs();
  InferShapeBuilder builder(
      op->getContext(), op->getOperands(),
      std::max<unsigned>(specs.size(), op->getNumResults()), emitError);
  if (failed(schema.applyShapeRule(builder, op->getOperands())))
    return failure();
  types.clear();
  llvm::SmallVector<int> segments = getResultSegments(op);
  for (auto [formal, count] : llvm::enumerate(segments))
    for (int i = 0; i < count; ++i)
      types.push_back(builder.getResultType(formal + i));
  return success();
}

/// Types are the same up to what shape inference tells.
static bool isSameOnnxType(Type a, Type b) {
  if (a == b || isa<UnknownType>(a) || isa<UnknownType>(b))
    return true;
  if (auto x = dyn_cast<TensorType>(a), y = dyn_cast<TensorType>(b); x && y)
    return x.getElementType() == y.getElementType();
  if (auto x = dyn_cast<SeqType>(a), y = dyn_cast<SeqType>(b); x && y)
    return isSameOnnxType(x.getElementType(), y.getElementType());
  if (auto x = dyn_cast<OptType>(a), y = dyn_cast<OptType>(b); x && y)
    return isSameOnnxType(x.getElementType(), y.getElementType());
  return getOnnxTypeName(a) == getOnnxTypeName(b);
}

LogicalResult onnxc::verifyAllowedTypes(Operation *op,
                                        llvm::ArrayRef<ValueSpec> operands,
                                        llvm::ArrayRef<ValueSpec> results) {
  auto check = [&](llvm::StringRef kind, llvm::ArrayRef<ValueSpec> specs,
                   llvm::ArrayRef<int> segments,
                   TypeRange types) -> LogicalResult {
    // Places as the node counts them, where absent ones have theirs.
    unsigned next = 0, place = 0;
    for (auto [spec, count] : llvm::zip_equal(specs, segments)) {
      const AllowedTypes &allowed = spec.allowed;
      for (int i = 0; i < count; ++i) {
        Type type = types[next++];
        if (!isValueOf(type, allowed.tensors, allowed.seqs, allowed.opts,
                       allowed.optSeqs, allowed.others))
          return op->emitOpError()
                 << kind << " " << place + i << " ('" << spec.name
                 << "') must be " << allowed.words << ", but is " << type;
      }
      place += spec.kind == ValueKind::Variadic ? count : 1;
    }
    return success();
  };
  if (failed(check("input", operands, getOperandSegments(op),
                   op->getOperandTypes())))
    return failure();
  return check("output", results, getResultSegments(op), op->getResultTypes());
}

static LogicalResult verifyTypeVariables(Operation *op) {
  auto schema = cast<SchemaOpInterface>(op);
  struct Binding {
    Type type;
    llvm::StringRef kind, name;
    /// In a list, its place there.
    std::optional<int> place;

    std::string describe() const {
      std::string number = place ? std::to_string(*place) + " of " : "";
      return (kind + " " + number + "'" + name + "'").str();
    }
  };
  llvm::StringMap<Binding> bindings;
  auto bind = [&](llvm::StringRef kind, llvm::ArrayRef<ValueSpec> specs,
                  llvm::ArrayRef<int> segments,
                  TypeRange types) -> LogicalResult {
    unsigned next = 0;
    for (auto [spec, count] : llvm::zip_equal(specs, segments)) {
      for (int i = 0; i < count; ++i) {
        Type type = types[next++];
        if (spec.typeVar.empty() || isa<UnknownType>(type))
          continue;
        Binding found{type, kind, spec.name,
                      spec.kind == ValueKind::Variadic ? std::optional(i)
                                                       : std::nullopt};
        const Binding &first =
            bindings.try_emplace(spec.typeVar, found).first->second;
        if (!isSameOnnxType(first.type, type))
          return op->emitOpError()
                 << found.describe() << " is " << getOnnxTypeName(type)
                 << ", but " << first.describe() << " is "
                 << getOnnxTypeName(first.type)
                 << ": both must have the same type (" << spec.typeVar << ")";
      }
    }
    return success();
  };
  if (failed(bind("input", schema.getOperandSpecs(), getOperandSegments(op),
                  op->getOperandTypes())))
    return failure();
  return bind("output", schema.getResultSpecs(), getResultSegments(op),
              op->getResultTypes());
}

LogicalResult onnxc::verifyByRule(Operation *op) {
  if (failed(verifyTypeVariables(op)) || failed(verifyAttributeValues(op)))
    return failure();
  llvm::SmallVector<std::string, 1> faults;
  llvm::SmallVector<Type> inferred;
  auto collect = [&](const llvm::Twine &fault) {
    faults.push_back(fault.str());
  };
  if (failed(inferResultTypes(op, inferred, collect))) {
    // Where no run need come, it is the infer stage that makes an error of it,
    // one of the run.
    if (isConditional(op))
      return success();
    if (faults.empty())
      faults.push_back("violates its shape rule");
    for (const std::string &fault : faults)
      op->emitOpError(fault);
    return failure();
  }
  for (auto [index, type] : llvm::enumerate(inferred)) {
    Type declared = op->getResult(index).getType();
    if (!type || areCompatibleTypes(type, declared) ||
        (areCompatibleTypes(dropShapes(type), dropShapes(declared)) &&
         isConditional(op)))
      continue;
    return op->emitOpError() << "output " << index << " is declared "
                             << declared << ", but must be " << type;
  }
  return success();
}

LogicalResult onnxc::reifyByRule(Operation *op, OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &dims) {
  auto schema = cast<SchemaOpInterface>(op);
  ReifyShapeBuilder reify(
      builder, op->getLoc(), op->getOperands(),
      std::max<unsigned>(schema.getResultSpecs().size(), op->getNumResults()));
  if (failed(schema.applyShapeRule(reify, op->getOperands())))
    return failure();
  unsigned next = 0;
  for (auto [formal, count] : llvm::enumerate(getResultSegments(op)))
    for (int i = 0; i < count; ++i) {
      auto declared =
          dyn_cast<RankedTensorType>(op->getResult(next++).getType());
      FailureOr<llvm::SmallVector<OpFoldResult>> result =
          reify.getResultDims(formal + i, declared);
      if (failed(result))
        return failure();
      dims.push_back(*result);
    }
  return success();
}

void onnxc::collectInferredTypes(MLIRContext *context,
                                 const InferShapeBuilder &builder,
                                 bool ruleHolds,
                                 llvm::ArrayRef<ValueSpec> resultSpecs,
                                 llvm::SmallVectorImpl<Type> &types) {
  for (auto [index, spec] : llvm::enumerate(resultSpecs)) {
    if (spec.kind != ValueKind::Single)
      continue;
    Type type = ruleHolds ? builder.getResultType(index) : Type();
    types.push_back(type ? type : UnknownType::get(context));
  }
}
