//===- LowerToLinalg.cpp - From onnx to linalg on tensors -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AppendedStates.h"
#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"
#include "onnxc/Dialect/Runtime/RuntimeDialect.h"
#include "onnxc/Lower/Passes.h"
#include "onnxc/Support/Diagnostics.h"
#include "onnxc/runtime.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc;

namespace onnxc {
#define GEN_PASS_DEF_LOWERTOLINALG
#include "onnxc/Lower/Passes.h.inc"
} // namespace onnxc

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The onnxc_dtype of a value of the interface.
static int32_t getAbiDtype(Type type) {
  if (isa<SeqType>(type))
    return ONNXC_SEQUENCE;
  if (isa<MapType>(type))
    return ONNXC_MAP;
  if (isa<OptType>(type))
    return ONNXC_OPTIONAL;
  return getDataType(cast<TensorType>(type).getElementType());
}

static void populateTypes(TypeConverter &converter) {
  converter.addConversion([](Type type) -> std::optional<Type> {
    if (isa<SeqType, OptType, MapType>(type))
      return getHandleType(type.getContext());
    if (type.getDialect().getNamespace() == "onnx")
      return Type();
    return type;
  });
  converter.addConversion([](TensorType type) -> std::optional<Type> {
    if (!type.hasRank())
      return getHandleType(type.getContext());
    return type.clone(getStorageType(type.getElementType()));
  });
  // Only where something could not be lowered do casts remain, and then the
  // report says more than a failed materialization would.
  auto materialize = [](OpBuilder &builder, Type type, ValueRange inputs,
                        Location loc) -> Value {
    return UnrealizedConversionCastOp::create(builder, loc, type, inputs)
        .getResult(0);
  };
  converter.addSourceMaterialization(materialize);
  converter.addTargetMaterialization(materialize);
}

//===----------------------------------------------------------------------===//
// The signature of the model
//===----------------------------------------------------------------------===//

/// An input or output, by its type in the model.
static ValueInfoAttr describeValue(Type type, DictionaryAttr attributes) {
  Builder b(type.getContext());
  auto name = attributes.getAs<StringAttr>(model::name);
  DenseI64ArrayAttr dims;
  ArrayAttr symbols;
  ElementsAttr defaultValue;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    dims = b.getDenseI64ArrayAttr(
        llvm::map_to_vector(tensor.getShape(), [](int64_t size) {
          return ShapedType::isDynamic(size) ? -1 : size;
        }));
    symbols = attributes.getAs<ArrayAttr>(model::dimParams);
    if (!symbols || symbols.size() != static_cast<size_t>(dims.size()))
      symbols = b.getStrArrayAttr(SmallVector<StringRef>(dims.size(), ""));
    defaultValue = attributes.getAs<ElementsAttr>(model::defaultValue);
    // Strings have no other form.
    if (defaultValue && !isa<DenseStringElementsAttr>(defaultValue))
      if (ElementsAttr stored = getStored(defaultValue))
        defaultValue = stored;
  }
  return ValueInfoAttr::get(type.getContext(), name ? name.getValue() : "",
                            getAbiDtype(type), getOnnxTypeName(type), dims,
                            symbols, defaultValue, /*default_offset=*/-1,
                            attributes.getAs<PulseAttr>(model::pulse));
}

/// The signature of the model, whose inputs are the arguments of `entry`, the
/// last of `entries`.
static SignatureAttr describeModel(ModuleOp module,
                                   ArrayRef<func::FuncOp> entries) {
  func::FuncOp entry = entries.back();
  DictionaryAttr none = DictionaryAttr::get(module.getContext());
  auto given = [&](DictionaryAttr attributes) {
    return attributes ? attributes : none;
  };
  SmallVector<Attribute> inputs, outputs, states;
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes())) {
    ValueInfoAttr value = describeValue(type, given(entry.getArgAttrDict(i)));
    auto output = entry.getArgAttrOfType<StringAttr>(i, model::state);
    if (!output) {
      inputs.push_back(value);
      continue;
    }
    auto axis = entry.getArgAttrOfType<IntegerAttr>(i, model::stateAxis);
    states.push_back(StateAttr::get(
        module.getContext(), value, output.getValue(),
        axis ? axis.getInt() : -1, classifyState(entries, output.getValue())));
  }
  for (auto [i, type] :
       llvm::enumerate(entry.getResultTypes().drop_back(states.size())))
    outputs.push_back(describeValue(type, given(entry.getResultAttrDict(i))));
  auto getText = [&](StringRef key) {
    auto text = module->getAttrOfType<StringAttr>(key);
    return text ? text.getValue() : StringRef();
  };
  int64_t opset = 0;
  if (auto versions =
          module->getAttrOfType<DictionaryAttr>(model::opsetImports))
    for (StringRef domain : {"", "ai.onnx"})
      if (auto version = versions.getAs<IntegerAttr>(domain))
        opset = version.getInt();
  auto capacity = module->getAttrOfType<IntegerAttr>(model::stateCapacity);
  Builder b(module.getContext());
  return SignatureAttr::get(module.getContext(), getText(model::modelName),
                            getText(model::producerName), opset,
                            b.getArrayAttr(inputs), b.getArrayAttr(outputs),
                            states.empty() ? nullptr : b.getArrayAttr(states),
                            capacity ? capacity.getInt() : 0);
}

/// Fails if an input or output has a type that has no form below.
static LogicalResult checkTypes(func::FuncOp entry,
                                const TypeConverter &converter) {
  bool invalid = false;
  auto check = [&](Type type, DictionaryAttr attributes, StringRef what) {
    if (converter.convertType(type))
      return;
    auto name =
        attributes ? attributes.getAs<StringAttr>(model::name) : nullptr;
    std::string text = (what + " '" + (name ? name.getValue() : "") +
                        "' has type " + getOnnxTypeName(type) +
                        ", which is not supported by this version of onnxc")
                           .str();
    InFlightDiagnostic error = emitError(entry.getLoc()) << text;
    markUnsupported(*error.getUnderlyingDiagnostic(),
                    {("graph " + what).str(), "", 0, 1, text});
    invalid = true;
  };
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
    check(type, entry.getArgAttrDict(i), "input");
  for (auto [i, type] : llvm::enumerate(entry.getResultTypes()))
    check(type, entry.getResultAttrDict(i), "output");
  return success(!invalid);
}

/// Puts the signature on the module, in place of the attributes that the entry
/// functions have on their arguments and results. The last entry has all
/// inputs, and results whose sizes hold for any: it is the interface.
static LogicalResult signModule(ModuleOp module,
                                const TypeConverter &converter) {
  SmallVector<func::FuncOp, 2> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(model::entry)) {
      if (failed(checkTypes(function, converter)))
        return failure();
      entries.push_back(function);
    }
  if (entries.empty())
    return success();
  module->setAttr(SignatureAttr::attrName, describeModel(module, entries));
  DictionaryAttr none = DictionaryAttr::get(module.getContext());
  UnitAttr mark = UnitAttr::get(module.getContext());
  for (func::FuncOp entry : entries) {
    entry.setAllArgAttrs(
        SmallVector<DictionaryAttr>(entry.getNumArguments(), none));
    entry.setAllResultAttrs(
        SmallVector<DictionaryAttr>(entry.getNumResults(), none));
    entry->removeAttr(model::entry);
    entry->setAttr(program::entry, mark);
    if (entry->removeAttr(model::overridden))
      entry->setAttr(program::overridden, mark);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

static void addUnsupported(Operation *op, StringRef reason,
                           UnsupportedOps &unsupported) {
  if (auto node = dyn_cast<NodeOp>(op)) {
    unsupported.add(node.getOpType(), node.getDomain(), node.getVersion(),
                    op->getLoc(), "its operator is not known");
    return;
  }
  if (auto schema = dyn_cast<SchemaOpInterface>(op)) {
    unsupported.add(schema.getOnnxName(), schema.getOnnxDomain(),
                    schema.getSchemaVersions().back(), op->getLoc(), reason);
    return;
  }
  unsupported.add(op->getName().stripDialect(), "", 0, op->getLoc(), reason);
}

/// What is left was not lowered: faults of the model one by one, and what is
/// not supported together.
static LogicalResult report(ModuleOp module, const Reasons &reasons) {
  UnsupportedOps unsupported;
  bool isInvalid = false;
  module.walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() != "onnx" || isa<YieldOp>(op))
      return;
    Reason reason = reasons.lookup(op);
    if (!reason.isInvalid)
      return addUnsupported(op, reason.text, unsupported);
    emitError(op->getLoc()) << reason.text;
    isInvalid = true;
  });
  return success(succeeded(unsupported.report(module.getLoc())) && !isInvalid);
}

namespace {

struct LowerToLinalg : public onnxc::impl::LowerToLinalgBase<LowerToLinalg> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    TypeConverter converter;
    populateTypes(converter);
    if (failed(signModule(module, converter)))
      return signalPassFailure();
    RewritePatternSet patterns(context);
    Reasons reasons;
    Lowerings lowerings(converter, patterns, reasons);
    populateAttention(lowerings);
    populateClassicML(lowerings);
    populateConstant(lowerings);
    populateContraction(lowerings);
    populateControlFlow(lowerings);
    populateConv(lowerings);
    populateCumulative(lowerings);
    populateDeformConv(lowerings);
    populateElementwise(lowerings);
    populateGridSample(lowerings);
    populateImageDecoder(lowerings);
    populateIndexing(lowerings);
    populateLabelTables(lowerings);
    populateLoss(lowerings);
    populateMovement(lowerings);
    populateNormalization(lowerings);
    populatePooling(lowerings);
    populateQuantization(lowerings);
    populateRandom(lowerings);
    populateRecurrent(lowerings);
    populateReduction(lowerings);
    populateRegionPooling(lowerings);
    populateReshape(lowerings);
    populateResize(lowerings);
    populateSelection(lowerings);
    populateSequence(lowerings);
    populateShape(lowerings);
    populateSignal(lowerings);
    populateStreaming(lowerings);
    populateSupportVectors(lowerings);
    populateText(lowerings);
    populateTraining(lowerings);
    populateTreeEnsemble(lowerings);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   converter);
    populateReturnOpTypeConversionPattern(patterns, converter);
    populateCallOpTypeConversionPattern(patterns, converter);

    ConversionTarget target(*context);
    target.addLegalDialect<affine::AffineDialect, arith::ArithDialect,
                           cf::ControlFlowDialect, linalg::LinalgDialect,
                           math::MathDialect, rt::RTDialect, scf::SCFDialect,
                           tensor::TensorDialect>();
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp function) {
      return converter.isSignatureLegal(function.getFunctionType()) &&
             converter.isLegal(&function.getBody());
    });
    target.addDynamicallyLegalOp<func::ReturnOp, func::CallOp>(
        [&](Operation *op) { return converter.isLegal(op); });

    // An onnx op is neither legal nor illegal: what no pattern takes stays, and
    // all of it is reported together.
    ConversionConfig config;
    config.foldingMode = DialectConversionFoldingMode::Never;
    config.allowPatternRollback = false;
    if (failed(applyPartialConversion(module, target, std::move(patterns),
                                      config)))
      return signalPassFailure();

    if (failed(report(module, reasons)))
      signalPassFailure();
  }
};

} // namespace
