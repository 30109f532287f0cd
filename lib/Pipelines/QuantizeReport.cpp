//===- QuantizeReport.cpp - What quantization did -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipelines/Quantize.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;
using namespace onnxc;

double QuantizeReport::getGreatestError(ArrayRef<Output> outputs) {
  bool hasFloats =
      any_of(outputs, [](const Output &output) { return output.isFloat; });
  double greatest = 0;
  for (const Output &output : outputs)
    if (output.isFloat == hasFloats)
      greatest = std::max(greatest, output.error);
  return greatest;
}

static void printBytes(raw_ostream &os, int64_t bytes) {
  auto count = static_cast<double>(bytes);
  if (bytes >= 1 << 20)
    os << format("%.1f MiB", count / (1 << 20));
  else
    os << format("%.1f KiB", count / (1 << 10));
}

static std::string toPercent(std::optional<double> error) {
  if (!error)
    return "-";
  std::string text;
  raw_string_ostream(text) << format("%.3g %%", *error * 100);
  return text;
}

std::string QuantizeReport::toText() const {
  std::string text;
  raw_string_ostream os(text);
  size_t width = 5;
  for (const Layer &layer : layers)
    width = std::max(width, std::min<size_t>(layer.name.size(), 60));
  auto printRow = [&](StringRef name, StringRef kind, StringRef before,
                      StringRef after, StringRef weights, StringRef result,
                      StringRef outputs) {
    os << left_justify(name, static_cast<unsigned>(width)) << "  "
       << left_justify(kind, 13) << right_justify(before, 10)
       << right_justify(after, 10) << right_justify(weights, 10)
       << right_justify(result, 10) << right_justify(outputs, 10);
  };
  printRow("layer", "operator", "before", "after", "weights", "result",
           "outputs");
  os << "\n";
  int64_t before = 0, after = 0;
  size_t numLeft = 0;
  for (const Layer &layer : layers) {
    auto show = [](int64_t bytes) {
      std::string size;
      raw_string_ostream sizes(size);
      printBytes(sizes, bytes);
      return size;
    };
    bool isLeft = !layer.leftOut.empty();
    printRow(layer.name, layer.kind, show(layer.bytesBefore),
             isLeft ? "-" : show(layer.bytesAfter),
             isLeft && !layer.bytesAfter ? "-" : toPercent(layer.weightError),
             toPercent(layer.resultError), toPercent(layer.outputError));
    if (isLeft)
      os << "  left as it is: " << layer.leftOut;
    os << "\n";
    before += layer.bytesBefore;
    after += isLeft ? layer.bytesBefore : layer.bytesAfter;
    numLeft += isLeft;
  }
  os << layers.size() - numLeft << " of " << layers.size()
     << " layers are quantized; their weights take ";
  printBytes(os, after);
  os << ", before ";
  printBytes(os, before);
  os << "\n";
  if (!notMeasured.empty())
    os << "errors of results were not measured: " << notMeasured << "\n";
  for (const Output &output : outputs)
    os << "output '" << output.name << "': "
       << (output.isFloat ? "relative error " : "elements that differ ")
       << toPercent(output.error) << ", over " << numSamples
       << (numSamples == 1 ? " run" : " runs")
       << (isMadeUp ? " on made-up inputs" : " of the calibration data")
       << "\n";
  return text;
}

std::string QuantizeReport::toJson() const {
  // JSON has no numbers that are not finite.
  auto toNumber = [](std::optional<double> number) -> json::Value {
    if (!number)
      return nullptr;
    return std::isfinite(*number) ? json::Value(*number) : json::Value("inf");
  };
  json::Array rows, ends;
  for (const Layer &layer : layers)
    rows.push_back(
        json::Object{{"name", layer.name},
                     {"operator", layer.kind},
                     {"quantized", layer.leftOut.empty()},
                     {"reason", layer.leftOut},
                     {"bytes_before", layer.bytesBefore},
                     {"bytes_after", layer.leftOut.empty() ? layer.bytesAfter
                                                           : layer.bytesBefore},
                     {"weight_error", toNumber(layer.weightError)},
                     {"result_error", toNumber(layer.resultError)},
                     {"output_error", toNumber(layer.outputError)}});
  for (const Output &output : outputs)
    ends.push_back(json::Object{{"name", output.name},
                                {"error", toNumber(output.error)},
                                {"float", output.isFloat}});
  json::Object all{{"layers", std::move(rows)},
                   {"outputs", std::move(ends)},
                   {"output_error", outputs.empty()
                                        ? json::Value(nullptr)
                                        : toNumber(getGreatestError(outputs))},
                   {"runs", numSamples},
                   {"made_up_inputs", isMadeUp},
                   {"not_measured", notMeasured}};
  std::string text;
  raw_string_ostream(text) << formatv("{0:2}\n", json::Value(std::move(all)));
  return text;
}
