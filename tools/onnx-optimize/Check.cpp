//===- Check.cpp - Whether two models compute the same --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "onnxc/Load/LoadedModel.h"
#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Support/Interrupt.h"
#include "onnxc/Support/OutputFile.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Signals.h"

#include <cmath>
#include <cstring>
#include <deque>
#include <random>

using namespace onnxc;
using llvm::ArrayRef;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// A compiled model. Its file is gone; the mapping stays.
struct Compiled {
  LoadedModel loaded;
  ContextPtr context;
};

/// Inputs of one run. The elements live as long as it does.
class RandomInputs {
public:
  explicit RandomInputs(unsigned seed) : random(seed) {}

  Expected<std::vector<onnxc_tensor>> make(const onnxc_model &model);

private:
  Expected<onnxc_tensor> make(const onnxc_value_info &value);
  int64_t chooseSize(StringRef symbol);
  void fill(int32_t dtype, std::vector<std::max_align_t> &storage,
            uint64_t count);
  template <typename T, typename Distribution>
  static void fillWith(void *data, uint64_t count, Distribution &&next) {
    for (uint64_t i = 0; i < count; ++i) {
      T value = static_cast<T>(next());
      std::memcpy(static_cast<char *>(data) + i * sizeof(T), &value,
                  sizeof value);
    }
  }

  std::mt19937 random;
  llvm::StringMap<int64_t> sizes;
  std::deque<std::vector<std::max_align_t>> storages;
};

/// How far results may be apart: relative to the largest of them, and at all.
struct Tolerance {
  double relative, absolute;
};

} // namespace

static Expected<Compiled> compileForCheck(StringRef path,
                                          ArrayRef<std::string> inputShapes,
                                          mlir::MLIRContext &context) {
  llvm::SmallString<128> output;
  std::unique_lock<std::mutex> creating = lockFileCreation();
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("onnx-optimize", "so", output))
    return createStringError(error, describeTemporaryError(error));
  llvm::sys::RemoveFileOnSignal(output);
  creating.unlock();
  llvm::scope_exit forget([&] { llvm::sys::DontRemoveFileOnSignal(output); });
  CompileRequest request;
  request.inputPath = path.str();
  request.outputPath = output.str().str();
  request.prefix = "checked";
  request.options.optLevel = 0;
  request.options.inputShapes.assign(inputShapes.begin(), inputShapes.end());
  bool compiled = llvm::succeeded(compile(request, context));
  llvm::SmallString<128> header(output);
  header.pop_back_n(2);
  header += "h";
  llvm::sys::fs::remove(header);
  if (!compiled) {
    llvm::sys::fs::remove(output);
    return createStringError(path + " cannot be compiled");
  }
  Expected<LoadedModel> loaded = LoadedModel::open(output, request.prefix);
  llvm::sys::fs::remove(output);
  if (!loaded)
    return loaded.takeError();
  Expected<ContextPtr> created = loaded->createContext();
  if (!created)
    return created.takeError();
  return Compiled{std::move(*loaded), std::move(*created)};
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

int64_t RandomInputs::chooseSize(StringRef symbol) {
  int64_t size = std::uniform_int_distribution<int64_t>(1, 4)(random);
  return symbol.empty() ? size : sizes.try_emplace(symbol, size).first->second;
}

void RandomInputs::fill(int32_t dtype, std::vector<std::max_align_t> &storage,
                        uint64_t count) {
  std::normal_distribution<double> real;
  // Small, since they may be indices.
  std::uniform_int_distribution<int> integer(0, 3);
  void *data = storage.data();
  auto number = [&] { return real(random); };
  auto whole = [&] { return integer(random); };
  auto bits = [&](const llvm::fltSemantics &semantics) {
    return [&, &semantics = semantics] {
      llvm::APFloat value(real(random));
      bool ignored;
      value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &ignored);
      return value.bitcastToAPInt().getZExtValue();
    };
  };
  switch (dtype) {
  case ONNXC_FLOAT:
    return fillWith<float>(data, count, number);
  case ONNXC_DOUBLE:
    return fillWith<double>(data, count, number);
  case ONNXC_FLOAT16:
    return fillWith<uint16_t>(data, count, bits(llvm::APFloat::IEEEhalf()));
  case ONNXC_BFLOAT16:
    return fillWith<uint16_t>(data, count, bits(llvm::APFloat::BFloat()));
  case ONNXC_COMPLEX64:
    return fillWith<float>(data, 2 * count, number);
  case ONNXC_COMPLEX128:
    return fillWith<double>(data, 2 * count, number);
  case ONNXC_BOOL:
    return fillWith<uint8_t>(data, count, [&] { return whole() & 1; });
  default:
    switch (onnxc_dtype_size(dtype)) {
    case 2:
      return fillWith<int16_t>(data, count, whole);
    case 4:
      return fillWith<int32_t>(data, count, whole);
    case 8:
      return fillWith<int64_t>(data, count, whole);
    default:
      return fillWith<int8_t>(data, count, [&] { return whole() & 1; });
    }
  }
}

Expected<onnxc_tensor> RandomInputs::make(const onnxc_value_info &value) {
  if (value.dtype == ONNXC_STRING || !onnxc_dtype_size(value.dtype))
    return createStringError(llvm::formatv(
        "input '{0}' is {1}, for which there are no random values", value.name,
        value.type));
  if (value.rank < 0)
    return createStringError(llvm::formatv(
        "the rank of input '{0}' is not known; give --input-shape={0}:sizes",
        value.name));
  std::vector<int64_t> dims;
  uint64_t count = 1;
  for (int32_t i = 0; i < value.rank; ++i) {
    dims.push_back(value.dims[i] >= 0 ? value.dims[i]
                                      : chooseSize(value.symbols[i]));
    count *= dims.back();
  }
  uint64_t bytes = count * onnxc_dtype_size(value.dtype);
  storages.emplace_back(bytes / sizeof(std::max_align_t) + 1);
  fill(value.dtype, storages.back(), count);
  return onnxc_tensor_of(storages.back().data(), bytes, value.dtype, value.rank,
                         dims.data());
}

Expected<std::vector<onnxc_tensor>>
RandomInputs::make(const onnxc_model &model) {
  std::vector<onnxc_tensor> inputs;
  for (const onnxc_value_info &value :
       ArrayRef(model.inputs, model.num_inputs)) {
    Expected<onnxc_tensor> tensor = make(value);
    if (!tensor)
      return tensor.takeError();
    inputs.push_back(*tensor);
  }
  return inputs;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

static Tolerance getTolerance(int32_t dtype) {
  switch (dtype) {
  case ONNXC_FLOAT:
    return {1e-4, 1e-5};
  case ONNXC_DOUBLE:
    return {1e-10, 1e-12};
  case ONNXC_FLOAT16:
    return {1e-2, 1e-3};
  case ONNXC_BFLOAT16:
    return {5e-2, 1e-2};
  default:
    return {0, 0};
  }
}

static double getNumber(const onnxc_tensor &tensor, uint64_t index) {
  auto read = [&](auto zero) {
    std::memcpy(&zero,
                static_cast<const char *>(tensor.data) + index * sizeof zero,
                sizeof zero);
    return zero;
  };
  auto widen = [&](const llvm::fltSemantics &semantics) {
    llvm::APFloat value(semantics, llvm::APInt(16, read(uint16_t())));
    bool ignored;
    value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &ignored);
    return value.convertToDouble();
  };
  switch (tensor.dtype) {
  case ONNXC_FLOAT:
    return read(float());
  case ONNXC_DOUBLE:
    return read(double());
  case ONNXC_FLOAT16:
    return widen(llvm::APFloat::IEEEhalf());
  default:
    return widen(llvm::APFloat::BFloat());
  }
}

/// The text of what is wrong with `got`; empty if nothing is.
static std::string compareTensors(const onnxc_tensor &got,
                                  const onnxc_tensor &want, double &worst) {
  ArrayRef<int64_t> dims(got.dims, got.rank), expected(want.dims, want.rank);
  if (got.dtype != want.dtype || dims != expected)
    return "is " + describeTensor(got.dtype, dims) + ", was " +
           describeTensor(want.dtype, expected);
  if (!onnxc_dtype_size(got.dtype) || got.dtype == ONNXC_STRING)
    return "";
  uint64_t bytes = onnxc_tensor_bytes(&got);
  if (!bytes || !std::memcmp(got.data, want.data, bytes))
    return "";
  Tolerance tolerance = getTolerance(got.dtype);
  if (tolerance.relative == 0)
    return "has other values";
  uint64_t count = bytes / onnxc_dtype_size(got.dtype);
  double largest = 0;
  for (uint64_t i = 0; i < count; ++i)
    if (double value = getNumber(want, i); std::isfinite(value))
      largest = std::max(largest, std::abs(value));
  for (uint64_t i = 0; i < count; ++i) {
    double a = getNumber(got, i), b = getNumber(want, i);
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    double difference = std::abs(a - b);
    if (!(difference <= tolerance.relative * largest + tolerance.absolute))
      return llvm::formatv("is {0} at element {1}, was {2}", a, i, b);
    worst = std::max(worst, largest > 0 ? difference / largest : difference);
  }
  return "";
}

static bool run(Compiled &compiled, ArrayRef<onnxc_tensor> inputs,
                std::vector<onnxc_tensor> &outputs) {
  outputs.assign(compiled.loaded.model().num_outputs,
                 onnxc_output_buffer(nullptr, 0));
  return onnxc_run(compiled.context.get(), inputs.data(), inputs.size(),
                   outputs.data(), outputs.size()) == ONNXC_OK;
}

/// What differs between the models' inputs or outputs; empty if nothing does.
static std::string compareValues(StringRef what,
                                 ArrayRef<onnxc_value_info> before,
                                 ArrayRef<onnxc_value_info> after) {
  if (before.size() != after.size())
    return llvm::formatv("{0} {1}s instead of {2}", after.size(), what,
                         before.size());
  for (auto [a, b] : llvm::zip_equal(before, after))
    if (StringRef(a.name) != b.name || StringRef(a.type) != b.type)
      return llvm::formatv("{0} '{1}' ({2}) instead of '{3}' ({4})", what,
                           b.name, b.type, a.name, a.type);
  return "";
}

Expected<CheckOutcome>
onnxc::compareModels(StringRef before, StringRef after, unsigned runs,
                     const std::vector<std::string> &inputShapes,
                     mlir::MLIRContext &context) {
  Expected<Compiled> original = compileForCheck(before, inputShapes, context);
  if (!original)
    return original.takeError();
  Expected<Compiled> optimized = compileForCheck(after, inputShapes, context);
  if (!optimized)
    return optimized.takeError();

  CheckOutcome outcome;
  const onnxc_model &a = original->loaded.model();
  const onnxc_model &b = optimized->loaded.model();
  outcome.difference = compareValues("input", ArrayRef(a.inputs, a.num_inputs),
                                     ArrayRef(b.inputs, b.num_inputs));
  if (outcome.difference.empty())
    outcome.difference =
        compareValues("output", ArrayRef(a.outputs, a.num_outputs),
                      ArrayRef(b.outputs, b.num_outputs));
  for (unsigned i = 0; i < runs && outcome.difference.empty(); ++i) {
    RandomInputs random(i + 1);
    Expected<std::vector<onnxc_tensor>> inputs = random.make(a);
    if (!inputs)
      return inputs.takeError();
    std::vector<onnxc_tensor> want, got;
    bool wasDone = run(*original, *inputs, want);
    bool isDone = run(*optimized, *inputs, got);
    if (wasDone && !isDone)
      outcome.difference = "a run fails that did not: " +
                           std::string(onnxc_error(optimized->context.get()));
    // What was refused may be computed now: the check may have been of
    // something that is not needed.
    if (!wasDone) {
      ++outcome.refused;
      continue;
    }
    for (int32_t k = 0; k < a.num_outputs && outcome.difference.empty(); ++k)
      if (std::string wrong = compareTensors(got[k], want[k], outcome.worst);
          !wrong.empty())
        outcome.difference =
            "output '" + std::string(a.outputs[k].name) + "' " + wrong;
    ++outcome.compared;
  }
  return outcome;
}
