//===- Driver.h - What the compiler does for Python ----------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiling, checking and rewriting, without a word of Python: Module.cpp turns
// it into a module. Running is another module's (Session.h, Runtime.cpp).
//
// The functions are libonnxc's. No exception leaves them, as a module may have
// a C++ library and an unwinder of its own: they return an Outcome, which the
// module take()s.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PYTHON_SRC_DRIVER_H
#define ONNXC_PYTHON_SRC_DRIVER_H

#include "Error.h"

#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace onnxc::python {

/// Thrown where `isInterrupted` said so; nothing is left of the work then.
struct Interrupted {};

/// What a function throws, as a value.
struct Failure {
  std::string text, code;
  bool outOfMemory = false, interrupted = false;
};

/// What a function of libonnxc returns: its result, or why there is none.
template <typename Value> struct Outcome {
  std::optional<Value> value;
  Failure failure;
};

/// The result; throws Error, Interrupted or std::bad_alloc where there is none.
template <typename Value> Value take(Outcome<Value> outcome) {
  if (outcome.value)
    return std::move(*outcome.value);
  if (outcome.failure.outOfMemory)
    throw std::bad_alloc();
  if (outcome.failure.interrupted)
    throw Interrupted();
  throw Error(outcome.failure.text, outcome.failure.code);
}

/// How much a model may ask for, as the command line spells it. What is not
/// said is the command line's default.
struct Limits {
  std::optional<int64_t> maxNodes, maxDepth, maxTensorBytes, foldBudget;
};

/// The options of a compile, as the command line spells them.
struct CompileOptions {
  int optLevel = 2;
  std::string cpu, features, triple, prefix;
  bool fastMath = false, noWinograd = false;
  /// A file, as --tuning=.
  std::string tuning;
  /// As --standalone-header.
  bool standaloneHeader = false;
  /// "address" or empty, as --sanitize.
  std::string sanitize;
  /// As --shape and --dim take them.
  std::vector<std::string> shapes, dims;
  /// As --freeze, and --freeze= with names.
  bool freeze = false;
  std::vector<std::string> frozen;
  /// As --pulse takes them.
  std::vector<std::string> pulses;
  /// As --last-logits takes it; "" for none.
  std::string lastLogits;
  /// As --activation-int8 takes it.
  std::string activationInt8 = "model";
  /// As --state and --state-capacity take them.
  std::vector<std::string> states;
  std::optional<int64_t> stateCapacity;
  Limits limits;
  /// Without a process of its own: not interrupted, and one at a time.
  bool inProcess = false;
};

/// Compiles the file `input` to `output`, whose suffix says what it is, in a
/// process of its own unless the options say otherwise. Gives the warnings;
/// fails with the diagnostics, also where the compiler crashes. `scratch` is a
/// folder for temporary files, which the caller deletes with what is in it.
Outcome<std::string> compileFile(const std::string &input,
                                 const std::string &output,
                                 const CompileOptions &options,
                                 const std::string &scratch,
                                 const std::function<bool()> &isInterrupted);

/// What `onnxc check --json` prints, of a file. Faults of the model are part of
/// it; it fails where the compiler crashes.
Outcome<std::string> checkFile(const std::string &input, int optLevel,
                               const std::vector<std::string> &shapes,
                               const std::vector<std::string> &dims,
                               bool freeze,
                               const std::vector<std::string> &frozen,
                               const Limits &limits);

/// What `onnxc inspect` prints: as "json" and "text", or drawn as "dot", "svg"
/// or "html".
Outcome<std::string> inspectFile(const std::string &input,
                                 const std::string &form,
                                 const std::vector<std::string> &shapes,
                                 const std::vector<std::string> &dims,
                                 const Limits &limits);

/// What onnx-optimize's command line says.
struct OptimizeOptions {
  /// Without a value, the default pipeline.
  std::optional<std::vector<std::string>> passes;
  /// What the default pipeline leaves out.
  std::vector<std::string> disabled;
  bool fixedPoint = false, upstreamCompatible = false;
  bool freeze = false, inlineFunctions = false;
  std::vector<std::string> inputShapes;
  std::optional<bool> nsz, keepInterface;
  bool nnan = false, ninf = false, assumeStrictlyMonotone = false;
  std::optional<int64_t> foldBudget, unrollBudget, maxNodes, maxDepth;
  /// The name of a file beside the new model for its weights; for optimizeFile.
  std::string saveExternal;
};

struct OptimizeResult {
  /// The serialized model, of optimizeBytes.
  std::string model;
  std::string warnings;
  std::vector<std::pair<std::string, int64_t>> changes;
  std::map<std::string, int64_t> before, after;
};

/// Optimizes a serialized model, or a file to a file.
Outcome<OptimizeResult> optimizeBytes(const char *data, size_t size,
                                      const OptimizeOptions &options);
Outcome<OptimizeResult> optimizeFile(const std::string &input,
                                     const std::string &output,
                                     const OptimizeOptions &options);

/// A serialized model at other opsets, as --opset= takes them (none: as it is),
/// and the warnings.
Outcome<std::pair<std::string, std::string>>
convertBytes(const char *data, size_t size,
             const std::vector<std::string> &opsets);

/// What `onnxc quantize`'s command line says.
struct QuantizeOptions {
  int64_t bits = 8;
  bool weightOnly = false, zeroPoints = false, embeddings = false;
  std::optional<int64_t> blockSize;
  std::string format, calibrationMethod, activations;
  std::optional<double> percentile, maxError;
  std::vector<std::string> calibrate, exclude, shapes;
  bool sensitivity = false, freeze = false;
  std::optional<int64_t> maxNodes, maxDepth;
  int64_t threads = 0;
  /// The name of a file beside the new model for its weights.
  std::string saveExternal;
};

/// Quantizes a file to a file: the report as JSON, and the warnings.
Outcome<std::pair<std::string, std::string>>
quantizeFile(const std::string &input, const std::string &output,
             const QuantizeOptions &options);

/// What the record of a pass says, as texts by name: "name", "type", ...
std::vector<std::map<std::string, std::string>> describePasses();
/// The names that onnx-optimizer runs if none are given.
std::vector<std::string> upstreamDefaultPasses();

} // namespace onnxc::python

#endif // ONNXC_PYTHON_SRC_DRIVER_H
