//===- Quantizer.cpp - onnxc quantize from Python -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"

#include "onnxc/Pipelines/Export.h"
#include "onnxc/Pipelines/Quantize.h"
#include "onnxc/Pipelines/Session.h"
#include "onnxc/Support/OptionNumbers.h"

using namespace onnxc;
using namespace onnxc::python;

/// The place of a word among those that an option has; the first for "".
static size_t chooseWord(const std::string &given, const char *option,
                         llvm::ArrayRef<llvm::StringRef> words) {
  if (given.empty())
    return 0;
  for (size_t i = 0; i < words.size(); ++i)
    if (given == words[i])
      return i;
  std::string text = std::string(option) + " is '" + given + "', expected ";
  for (size_t i = 0; i < words.size(); ++i)
    text += (i ? " or '" : "'") + words[i].str() + "'";
  throw makeError(FindingCode::InvalidOption, text);
}

static QuantizeRequest makeRequest(const QuantizeOptions &options) {
  QuantizeRequest request;
  if (options.bits != 4 && options.bits != 8)
    throw makeError(FindingCode::InvalidOption,
                    "bits is " + std::to_string(options.bits) +
                        ", expected 4 or 8");
  request.blocks.bits = static_cast<unsigned>(options.bits);
  if (options.blockSize) {
    const OptionNumber *number = findOptionNumber("block-size");
    if (!number->takes(*options.blockSize))
      throw makeError(FindingCode::InvalidOption,
                      "block_size is " + std::to_string(*options.blockSize) +
                          ", " + number->describe());
    request.blocks.blockSize = *options.blockSize;
  }
  request.blocks.zeroPoints = options.zeroPoints;
  request.blocks.format =
      chooseWord(options.format, "format", {"qdq", "matmul-nbits"}) == 0
          ? quantize::Format::QDQ
          : quantize::Format::MatMulNBits;
  constexpr quantize::RangeMethod methods[] = {
      quantize::RangeMethod::LeastError, quantize::RangeMethod::MinMax,
      quantize::RangeMethod::Percentile};
  request.method =
      methods[chooseWord(options.calibrationMethod, "calibration_method",
                         {"least-error", "min-max", "percentile"})];
  request.signedActivations =
      chooseWord(options.activations, "activations", {"uint8", "int8"}) == 1;
  request.weightOnly = options.weightOnly;
  request.embeddings = options.embeddings;
  request.percentile = options.percentile.value_or(request.percentile);
  request.maxError = options.maxError;
  request.calibration = options.calibrate;
  request.exclude = options.exclude;
  request.shapes = options.shapes;
  request.measureEach = options.sensitivity;
  request.freeze = options.freeze;
  if (options.threads < 0)
    throw makeError(FindingCode::InvalidOption,
                    "threads is " + std::to_string(options.threads) +
                        ", expected 0 or more");
  request.threads = static_cast<unsigned>(options.threads);
  StageOptions unused;
  setLimits({options.maxNodes, options.maxDepth, {}, {}}, request.limits,
            unused);
  if (std::string wrong = checkRequest(request); !wrong.empty())
    throw makeError(FindingCode::InvalidOption, wrong);
  return request;
}

Outcome<std::pair<std::string, std::string>>
onnxc::python::quantizeFile(const std::string &input, const std::string &output,
                            const QuantizeOptions &options) {
  return catchFailure([&] {
    const QuantizeRequest request = makeRequest(options);
    QuantizeReport report;
    std::string warnings = runGuarded(
        [&](mlir::MLIRContext &context) -> llvm::LogicalResult {
          auto module =
              quantizeModel({input, nullptr}, request, context, report);
          if (failed(module))
            return llvm::failure();
          ExportOptions write;
          write.saveExternal = options.saveExternal;
          return exportModel(**module, output, write);
        },
        [&] { return input + ": the quantization"; });
    return std::pair(report.toJson(), std::move(warnings));
  });
}
