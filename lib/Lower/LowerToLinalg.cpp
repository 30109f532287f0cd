//===- LowerToLinalg.cpp - From onnx to linalg on tensors -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
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

/// What the later stages need to know of the model.
static void describeModel(ModuleOp module) {
  auto keep = [&](StringRef to, Attribute value) {
    if (value)
      module->setAttr(to, value);
  };
  keep(program::modelName, module->getAttr(model::modelName));
  keep(program::producer, module->getAttr(model::producerName));
  if (auto versions =
          module->getAttrOfType<DictionaryAttr>(model::opsetImports))
    for (StringRef domain : {"", "ai.onnx"})
      keep(program::opset, versions.get(domain));
}

/// What the later stages need to know of an input or output (contract of
/// onnxc-lower), in place of the dialect's own attributes.
static DictionaryAttr describeValue(Type type, DictionaryAttr attributes) {
  Builder builder(type.getContext());
  NamedAttrList described;
  for (NamedAttribute attribute : attributes) {
    if (attribute.getName() == model::name)
      described.set(program::name, attribute.getValue());
    else if (attribute.getName() == model::dimParams) {
      // Absent where no dimension has a symbol.
      auto names = dyn_cast<ArrayAttr>(attribute.getValue());
      if (names && llvm::any_of(names, [](Attribute name) {
            return !cast<StringAttr>(name).empty();
          }))
        described.set(program::dimParams, names);
    } else if (attribute.getName() == model::defaultValue) {
      auto value = cast<ElementsAttr>(attribute.getValue());
      // Strings have no other form.
      ElementsAttr stored =
          isa<DenseStringElementsAttr>(value) ? value : getStored(value);
      described.set(program::defaultValue, stored ? stored : value);
    } else
      described.append(attribute);
  }
  described.set(program::dtype, builder.getI32IntegerAttr(getAbiDtype(type)));
  described.set(program::type, builder.getStringAttr(getOnnxTypeName(type)));
  return described.getDictionary(type.getContext());
}

static LogicalResult describeEntry(func::FuncOp function,
                                   const TypeConverter &converter) {
  FunctionType type = function.getFunctionType();
  auto describe = [&](Type type, DictionaryAttr attributes,
                      StringRef what) -> LogicalResult {
    auto name = attributes.getAs<StringAttr>(model::name);
    if (converter.convertType(type))
      return success();
    std::string text = (what + " '" + (name ? name.getValue() : "") +
                        "' has type " + getOnnxTypeName(type) +
                        ", which is not supported by this version of onnxc")
                           .str();
    InFlightDiagnostic error = emitError(function.getLoc()) << text;
    markUnsupported(*error.getUnderlyingDiagnostic(),
                    {("graph " + what).str(), "", 0, 1, text});
    return error;
  };
  bool invalid = false;
  auto given = [&](DictionaryAttr attributes) {
    return attributes ? attributes : DictionaryAttr::get(type.getContext());
  };
  // All at once: each new list of attributes would stay in the context.
  SmallVector<DictionaryAttr> inputs, outputs;
  for (auto [i, input] : llvm::enumerate(type.getInputs())) {
    inputs.push_back(given(function.getArgAttrDict(i)));
    if (failed(describe(input, inputs.back(), "input")))
      invalid = true;
    else
      inputs.back() = describeValue(input, inputs.back());
  }
  for (auto [i, output] : llvm::enumerate(type.getResults())) {
    outputs.push_back(given(function.getResultAttrDict(i)));
    if (failed(describe(output, outputs.back(), "output")))
      invalid = true;
    else
      outputs.back() = describeValue(output, outputs.back());
  }
  function.setAllArgAttrs(inputs);
  function.setAllResultAttrs(outputs);
  function->removeAttr(model::entry);
  function->setAttr(program::entry, UnitAttr::get(type.getContext()));
  if (function->removeAttr(model::overridden))
    function->setAttr(program::overridden, UnitAttr::get(type.getContext()));
  return success(!invalid);
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
    describeModel(module);
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(model::entry) &&
          failed(describeEntry(function, converter)))
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
