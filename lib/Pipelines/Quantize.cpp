//===- Quantize.cpp - From a model to one of fewer bits -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipelines/Quantize.h"

#include "CalibrationData.h"
#include "Measurement.h"
#include "ModuleRun.h"

#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/ValueTypes.h"
#include "onnxc/Pipelines/Optimize.h"
#include "onnxc/Quantize/ApplyPlan.h"
#include "onnxc/Quantize/ErrorProbe.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::quantize;

std::string onnxc::checkRequest(const QuantizeRequest &request) {
  const BlockOptions &blocks = request.blocks;
  if (request.maxError && !(*request.maxError > 0))
    return "the greatest error must be greater than 0";
  if (request.percentile <= 50 || request.percentile > 100)
    return "the percentile must be above 50 and at most 100";
  if (request.isStatic() && blocks.format == Format::MatMulNBits)
    return "MatMulNBits has weights of few bits only: with calibration data, "
           "ask for 4 bits or for weights only";
  if (request.isStatic() && blocks.zeroPoints)
    return "zero points are of weights by block; by channel, weights of 8 bits "
           "have none";
  return "";
}

namespace {

/// How many runs show what a layer alone does to the outputs.
constexpr size_t maxSamplesForEach = 4;
/// How many runs of made-up inputs show the error.
constexpr size_t numMadeUp = 2;

/// One quantization.
class Quantization {
public:
  Quantization(const ModelSource &source, const QuantizeRequest &request,
               MLIRContext &context, QuantizeReport &report)
      : source(source), request(request), context(context), report(report),
        fileLoc(FileLineColLoc::get(&context, source.path, 0, 0)) {}

  FailureOr<OwningOpRef<ModuleOp>> run();

private:
  LogicalResult readModel();
  LogicalResult findPlan();
  LogicalResult leaveOut();
  LogicalResult prepareRuns();
  LogicalResult calibrateActivations();
  LogicalResult measureImportance(std::vector<std::vector<float>> &importance);
  LogicalResult planWeights();
  LogicalResult probeLayers();
  LogicalResult measure(ArrayRef<bool> included,
                        std::vector<QuantizeReport::Output> &outputs);
  LogicalResult searchExclusion(SmallVectorImpl<bool> &included);
  LogicalResult fail(const Twine &message) {
    return emitError(fileLoc) << message;
  }
  /// Runs the module on the samples, but no more than `most`; `take` gets the
  /// number of the sample and the outputs.
  LogicalResult runAll(ModuleRun &runner,
                       function_ref<void(size_t, ArrayRef<onnxc_tensor>)> take,
                       size_t most = SIZE_MAX);

  const ModelSource &source;
  const QuantizeRequest &request;
  MLIRContext &context;
  QuantizeReport &report;
  Location fileLoc;

  OwningOpRef<ModuleOp> module;
  Plan plan;
  /// For each layer of the plan, its place in the report.
  std::vector<size_t> rows;
  std::vector<Sample> files, samples;
  std::optional<ModuleRun> original;
  bool canRun = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static int64_t getOpset(ModuleOp module) {
  auto imports = module->getAttrOfType<DictionaryAttr>(model::opsetImports);
  auto opset = imports ? imports.getAs<IntegerAttr>("ai.onnx") : IntegerAttr();
  return opset ? opset.getInt() : 1;
}

/// The least opset with what is written.
static int64_t getLeastOpset(const QuantizeRequest &request) {
  if (request.isStatic())
    return 13; // DequantizeLinear by channel
  // By block: ONNX's DequantizeLinear, which tables of Gather have anyway.
  return request.blocks.format == Format::QDQ || request.embeddings ? 21 : 1;
}

LogicalResult Quantization::readModel() {
  // One that is raised gets the opset by which all of it is sure to be there.
  constexpr const char *raised = "21";
  OptimizeInput input;
  input.limits = request.limits;
  input.limits.onlyOverridable = true;
  input.freeze = request.freeze;
  input.inlineFunctions = true;
  FailureOr<OwningOpRef<ModuleOp>> loaded =
      loadForRewriting(source, input, context);
  if (succeeded(loaded) && getOpset(**loaded) < getLeastOpset(request)) {
    input.opsets = {raised};
    loaded = loadForRewriting(source, input, context);
  }
  if (failed(loaded))
    return failure();
  module = std::move(*loaded);
  // Weights may be computed from constants. Where activations are quantized,
  // what stands between layers is to be as simple as it can be.
  OptimizeRequest rewrites;
  if (!request.isStatic())
    rewrites.passes = std::vector<std::string>{
        "constant_fold", "eliminate_deadend", "eliminate_unused_initializer"};
  return rewrite(*module, rewrites);
}

/// Whether a caller may override initializers: their values are open.
static bool hasDefaults(ModuleOp module) {
  func::FuncOp entry = getEntry(module);
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (entry.getArgAttr(i, model::defaultValue))
      return true;
  return false;
}

LogicalResult Quantization::findPlan() {
  plan.module = *module;
  plan.blocks = request.blocks;
  plan.isStatic = request.isStatic();
  plan.isUnsigned = !request.signedActivations;
  LayerKinds kinds;
  kinds.convolutions = plan.isStatic;
  kinds.embeddings = request.embeddings;
  plan.layers = findLayers(*module, kinds);
  if (plan.layers.empty())
    return fail(Twine("there is nothing to quantize: no MatMul or Gemm") +
                (plan.isStatic ? ", Conv or ConvTranspose" : "") +
                " with constant weights of float, float16 or bfloat16" +
                (plan.isStatic ? ""
                               : "; convolutions are quantized with "
                                 "--int8 --calibrate") +
                (hasDefaults(*module)
                     ? "; initializers that are inputs as well can be "
                       "overridden, --freeze makes them constants"
                     : ""));
  return leaveOut();
}

/// Moves to the report what is not to be quantized, or cannot be.
LogicalResult Quantization::leaveOut() {
  std::vector<bool> isUsed(request.exclude.size());
  std::vector<Layer> taken;
  for (Layer &layer : plan.layers) {
    QuantizeReport::Layer row;
    row.name = layer.name;
    row.kind = layer.kind;
    row.bytesBefore = countBytes(layer.weights.getShapedType());
    for (auto [i, pattern] : llvm::enumerate(request.exclude))
      if (isNamedBy(layer, pattern)) {
        isUsed[i] = true;
        row.leftOut = "excluded by '" + pattern + "'";
      }
    std::string reason;
    bool isPossible = plan.isStatic ? canBeStatic(layer, reason)
                                    : canUseBlocks(layer, plan.blocks, reason);
    if (row.leftOut.empty() && !isPossible)
      row.leftOut = reason;
    if (row.leftOut.empty() && !areFinite(layer.weights))
      row.leftOut = "has weights that are NaN or infinite";
    if (row.leftOut.empty()) {
      rows.push_back(report.layers.size());
      taken.push_back(std::move(layer));
    }
    report.layers.push_back(std::move(row));
  }
  for (auto [i, pattern] : llvm::enumerate(request.exclude))
    if (!isUsed[i])
      return fail("no layer is called '" + pattern + "'; the first one is '" +
                  report.layers.front().name + "'");
  plan.layers = std::move(taken);
  if (!plan.layers.empty())
    return success();
  return fail("there is nothing to quantize: the layer '" +
              report.layers.front().name +
              "' stays as it is: " + report.layers.front().leftOut);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

LogicalResult Quantization::prepareRuns() {
  FailureOr<ModuleRun> compiled =
      ModuleRun::compile(module->clone(), request.threads);
  if (failed(compiled))
    return failure();
  original.emplace(std::move(*compiled));
  llvm::Expected<std::vector<Sample>> made =
      request.calibration.empty()
          ? makeUpSamples(original->model(), request.shapes, numMadeUp)
          : splitSamples(std::move(files), original->model());
  if (!made && (!request.calibration.empty() || !request.shapes.empty() ||
                request.maxError))
    return fail(llvm::toString(made.takeError()));
  if (!made) {
    report.notMeasured = llvm::toString(made.takeError());
    return success();
  }
  samples = std::move(*made);
  report.numSamples = samples.size();
  report.isMadeUp = request.calibration.empty();
  // Made-up inputs need not be values that the model takes.
  llvm::Expected<ArrayRef<onnxc_tensor>> tried =
      original->run(samples.front().arrays, samples.front().source);
  canRun = bool(tried);
  if (canRun)
    return success();
  std::string why = llvm::toString(tried.takeError());
  if (!report.isMadeUp || request.maxError)
    return fail(why);
  report.notMeasured = why;
  return success();
}

LogicalResult
Quantization::runAll(ModuleRun &runner,
                     function_ref<void(size_t, ArrayRef<onnxc_tensor>)> take,
                     size_t most) {
  for (size_t i = 0; i < std::min(most, samples.size()); ++i) {
    llvm::Expected<ArrayRef<onnxc_tensor>> outputs =
        runner.run(samples[i].arrays, samples[i].source);
    if (!outputs)
      return fail(llvm::toString(outputs.takeError()));
    take(i, *outputs);
  }
  return success();
}

LogicalResult Quantization::calibrateActivations() {
  SmallVector<bool> all(plan.layers.size(), true);
  TensorSelection selection(getEntry(*module), plan.getLayers(all));
  ArrayRef<Value> tensors = selection.getTensors();
  FailureOr<ModuleRun> observer =
      ModuleRun::compile(exposeValues(*module, tensors), request.threads);
  if (failed(observer))
    return failure();
  std::vector<ActivationRange> ranges(tensors.size());
  const size_t first = original->model().num_outputs;
  auto observe = [&](void (ActivationRange::*add)(ArrayRef<float>)) {
    return runAll(*observer, [&](size_t, ArrayRef<onnxc_tensor> outputs) {
      for (size_t i = 0; i < tensors.size(); ++i)
        (ranges[i].*add)(getFloats(outputs[first + i], &context));
    });
  };
  if (failed(observe(&ActivationRange::addRange)) ||
      (request.method != RangeMethod::MinMax &&
       failed(observe(&ActivationRange::addCounts))))
    return failure();
  const IntegerRange range = IntegerRange::ofActivations(plan.isUnsigned);
  for (auto [value, observed] : llvm::zip_equal(tensors, ranges)) {
    if (observed.hasOther())
      emitWarning(value.getLoc())
          << "a value is NaN or infinite in the calibration, where 8 bits have "
             "neither";
    plan.ranges[value] = observed.choose(request.method, request.percentile,
                                         range, !plan.isUnsigned);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// Whether the layer's input has a last axis that the block axis is multiplied
/// with.
static bool hasImportance(const Layer &layer) {
  auto gemm = dyn_cast<GemmOp>(layer.op);
  return !layer.isNested && !(gemm && gemm.getTransA()) &&
         !isa<GatherOp>(layer.op) &&
         getRank(layer.op->getOperand(0)).value_or(0) >= 1;
}

LogicalResult
Quantization::measureImportance(std::vector<std::vector<float>> &importance) {
  SmallVector<Value> inputs;
  std::vector<std::vector<double>> sums;
  SmallVector<size_t> places;
  for (auto [i, layer] : llvm::enumerate(plan.layers))
    if (hasImportance(layer)) {
      inputs.push_back(layer.op->getOperand(0));
      places.push_back(i);
      auto type = cast<RankedTensorType>(layer.weights.getType());
      sums.emplace_back(type.getDimSize(layer.blockAxis), 0);
    }
  FailureOr<ModuleRun> observer =
      ModuleRun::compile(exposeValues(*module, inputs), request.threads);
  if (failed(observer))
    return failure();
  const size_t first = original->model().num_outputs;
  auto take = [&](size_t, ArrayRef<onnxc_tensor> outputs) {
    for (auto [i, sum] : llvm::enumerate(sums)) {
      const onnxc_tensor &tensor = outputs[first + i];
      std::vector<float> values = getFloats(tensor, &context);
      const size_t steps = sum.size();
      bool isLast = tensor.rank > 0 &&
                    tensor.dims[tensor.rank - 1] == static_cast<int64_t>(steps);
      for (size_t k = 0; isLast && k < values.size(); ++k)
        sum[k % steps] += double(values[k]) * values[k];
    }
  };
  if (failed(runAll(*observer, take)))
    return failure();
  for (auto [place, sum] : llvm::zip_equal(places, sums)) {
    double mean = 0;
    for (double each : sum)
      mean += each / static_cast<double>(sum.size());
    if (!(mean > 0) || !std::isfinite(mean))
      continue;
    for (double each : sum)
      // What the data do not show is not without any weight.
      importance[place].push_back(static_cast<float>(each / mean + 1e-3));
  }
  return success();
}

LogicalResult Quantization::planWeights() {
  if (plan.isStatic) {
    if (failed(calibrateActivations()))
      return failure();
    quantizeWeights(plan);
  } else {
    std::vector<std::vector<float>> importance(plan.layers.size());
    if (!request.calibration.empty() && failed(measureImportance(importance)))
      return failure();
    for (auto [layer, weights] : llvm::zip_equal(plan.layers, importance))
      plan.codes.push_back(
          quantizeBlocks(layer, getOptionsOf(layer, plan.blocks), weights));
  }
  for (auto [row, code] : llvm::zip_equal(rows, plan.codes)) {
    report.layers[row].bytesAfter = code.countBytes();
    report.layers[row].weightError = code.relativeError;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Those of outputs that can be compared.
static std::vector<QuantizeReport::Output>
nameErrors(const onnxc_model &model, ArrayRef<Difference> differences) {
  std::vector<QuantizeReport::Output> outputs;
  for (auto [i, difference] : llvm::enumerate(differences))
    if (difference.isKnown())
      outputs.push_back(
          {model.outputs[i].name, difference.get(), difference.isFloat()});
  return outputs;
}

LogicalResult
Quantization::measure(ArrayRef<bool> included,
                      std::vector<QuantizeReport::Output> &outputs) {
  FailureOr<ModuleRun> changed =
      ModuleRun::compile(applyPlan(plan, included), request.threads);
  if (failed(changed))
    return failure();
  std::vector<Difference> sums(original->model().num_outputs);
  for (const Sample &sample : samples) {
    llvm::Expected<ArrayRef<onnxc_tensor>> want =
        original->run(sample.arrays, sample.source);
    if (!want)
      return fail(llvm::toString(want.takeError()));
    llvm::Expected<ArrayRef<onnxc_tensor>> got =
        changed->run(sample.arrays, sample.source);
    if (!got)
      return fail(llvm::toString(got.takeError()));
    for (auto [sum, a, b] : llvm::zip_equal(sums, *want, *got))
      sum.add(a, b, &context);
  }
  outputs = nameErrors(original->model(), sums);
  if (outputs.empty() && !report.isMadeUp)
    return fail("the outputs of the model have no numbers on the calibration "
                "data, by which errors could be measured");
  return success();
}

LogicalResult Quantization::probeLayers() {
  ErrorProbe probe = buildProbe(plan);
  const unsigned first = probe.firstOutput;
  FailureOr<ModuleRun> runner =
      ModuleRun::compile(std::move(probe.module), request.threads);
  if (failed(runner))
    return failure();
  const bool isEach = request.measureEach || request.maxError;
  const size_t numLayers = probe.layers.size();
  std::vector<double> errors(numLayers), squares(numLayers);
  std::vector<std::vector<Difference>> changes(numLayers,
                                               std::vector<Difference>(first));
  for (size_t s = 0; s < samples.size(); ++s) {
    const Sample &sample = samples[s];
    NamedArrays arrays = sample.arrays;
    Array select;
    select.dtype = ONNXC_INT64;
    select.itemSize = sizeof(int64_t);
    auto choose = [&](int64_t layer) {
      select.data.assign(reinterpret_cast<char *>(&layer),
                         reinterpret_cast<char *>(&layer) + sizeof(layer));
      arrays.resize(sample.arrays.size());
      arrays.emplace_back(probe.selectInput, select);
    };
    choose(-1);
    llvm::Expected<ArrayRef<onnxc_tensor>> outputs =
        runner->run(arrays, sample.source);
    if (!outputs)
      return fail(llvm::toString(outputs.takeError()));
    for (size_t i = 0; i < numLayers; ++i) {
      errors[i] += getFloats((*outputs)[first + 2 * i], &context).front();
      squares[i] += getFloats((*outputs)[first + 2 * i + 1], &context).front();
    }
    if (!isEach || s >= maxSamplesForEach)
      continue;
    OwnedOutputs plain(outputs->take_front(first));
    for (size_t i = 0; i < numLayers; ++i) {
      choose(static_cast<int64_t>(probe.layers[i]));
      llvm::Expected<ArrayRef<onnxc_tensor>> changed =
          runner->run(arrays, sample.source);
      if (!changed)
        return fail(llvm::toString(changed.takeError()));
      for (unsigned o = 0; o < first; ++o)
        changes[i][o].add(plain.get()[o], (*changed)[o], &context);
    }
  }
  for (size_t i = 0; i < numLayers; ++i) {
    QuantizeReport::Layer &row = report.layers[rows[probe.layers[i]]];
    row.resultError = getRelativeError(errors[i], squares[i]);
    if (isEach)
      row.outputError = QuantizeReport::getGreatestError(
          nameErrors(original->model(), changes[i]));
  }
  return success();
}

/// Finds the fewest of the most sensitive layers to leave out, by halving.
LogicalResult Quantization::searchExclusion(SmallVectorImpl<bool> &included) {
  SmallVector<size_t> order(plan.layers.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  auto sensitivity = [&](size_t layer) {
    const QuantizeReport::Layer &row = report.layers[rows[layer]];
    return row.outputError.value_or(row.weightError);
  };
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return sensitivity(a) > sensitivity(b);
  });
  auto leave = [&](size_t count) {
    included.assign(plan.layers.size(), true);
    for (size_t i = 0; i < count; ++i)
      included[order[i]] = false;
  };
  size_t low = 0, high = order.size();
  while (low < high) {
    // The first try is of all; often that is enough.
    size_t middle = low == 0 && high == order.size() ? 0 : (low + high) / 2;
    leave(middle);
    if (failed(measure(included, report.outputs)))
      return failure();
    if (QuantizeReport::getGreatestError(report.outputs) <= *request.maxError)
      high = middle;
    else
      low = middle + 1;
  }
  if (low == order.size())
    return fail(
        "no layer can be quantized with an error of the outputs of at "
        "most " +
        llvm::formatv("{0}", llvm::format("%g", *request.maxError)).str());
  leave(low);
  for (size_t i = 0; i < low; ++i)
    report.layers[rows[order[i]]].leftOut =
        "sensitive: left out for the greatest error";
  return measure(included, report.outputs);
}

FailureOr<OwningOpRef<ModuleOp>> Quantization::run() {
  if (std::string wrong = checkRequest(request); !wrong.empty())
    return fail(wrong);
  // Before the work of a compile.
  llvm::Expected<std::vector<Sample>> read =
      readCalibrationFiles(request.calibration);
  if (!read)
    return fail(llvm::toString(read.takeError()));
  files = std::move(*read);
  if (failed(readModel()) || failed(findPlan()) || failed(prepareRuns()) ||
      failed(planWeights()))
    return failure();
  SmallVector<bool> included(plan.layers.size(), true);
  if (canRun) {
    if (failed(probeLayers()))
      return failure();
    if (failed(request.maxError ? searchExclusion(included)
                                : measure(included, report.outputs)))
      return failure();
  }
  return applyPlan(plan, included);
}

FailureOr<OwningOpRef<ModuleOp>>
onnxc::quantizeModel(const ModelSource &source, const QuantizeRequest &request,
                     MLIRContext &context, QuantizeReport &report) {
  return Quantization(source, request, context, report).run();
}
