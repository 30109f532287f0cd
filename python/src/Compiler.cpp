//===- Compiler.cpp - A compile for Python --------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Child.h"
#include "Guard.h"

#include "onnxc/Pipelines/Compile.h"

#include "llvm/Support/Path.h"

using namespace onnxc;
using namespace onnxc::python;

static CompileRequest makeRequest(const std::string &input,
                                  const std::string &output,
                                  const CompileOptions &options) {
  CompileRequest request;
  request.inputPath = input;
  request.outputPath = output;
  std::optional<OutputKind> kind = outputKindFromPath(output);
  if (!kind)
    throw makeError(
        FindingCode::InvalidOption,
        "'" + output +
            "': unknown suffix; use .so, .a, .lib, .o, .obj, .wasm, .s, .ll, "
            ".mlir, .mlirbc or .h, or none for a program");
  request.kind = *kind;
  if (options.optLevel < 0 || options.optLevel > 3)
    throw makeError(FindingCode::InvalidOption,
                    "opt_level=" + std::to_string(options.optLevel) +
                        " does not exist; there are 0 to 3");
  request.options.optLevel = options.optLevel;
  request.options.target.features = options.features;
  request.options.target.triple =
      options.triple.empty() ? getDefaultTriple(request).str() : options.triple;
  request.options.target.cpu =
      options.cpu.empty() ? getDefaultCpu(request).str() : options.cpu;
  request.prefix = options.prefix;
  request.standaloneHeader = options.standaloneHeader;
  if (options.standaloneHeader && !hasHeader(request.kind))
    throw makeError(FindingCode::InvalidOption,
                    "standalone_header: there is no C header beside '" +
                        output + "'");
  request.fastMath = options.fastMath;
  request.options.winograd = !options.noWinograd;
  request.options.tuning = options.tuning;
  if (!options.sanitize.empty() && options.sanitize != "address")
    throw makeError(FindingCode::InvalidOption,
                    "sanitize='" + options.sanitize +
                        "': unknown sanitizer, expected 'address'");
  request.sanitizeAddress = !options.sanitize.empty();
  request.options.separateBuffers = request.sanitizeAddress;
  request.options.inputShapes = options.shapes;
  request.options.dims = options.dims;
  setLimits(options.limits, request.limits, request.options);
  request.options.pulses = options.pulses;
  request.options.lastLogits = options.lastLogits;
  request.options.activationInt8 = options.activationInt8;
  request.options.states = options.states;
  if (options.stateCapacity && *options.stateCapacity < 0)
    throw makeError(FindingCode::InvalidOption,
                    "state_capacity=" + std::to_string(*options.stateCapacity) +
                        ", expected at least 0");
  request.options.stateCapacity =
      static_cast<uint64_t>(options.stateCapacity.value_or(0));
  request.options.batchOfOne = wantsBatchOfOne(request);
  request.freeze = options.freeze;
  request.limits.frozen = options.frozen;
  return request;
}

Outcome<std::string>
onnxc::python::compileFile(const std::string &input, const std::string &output,
                           const CompileOptions &options,
                           const std::string &scratch,
                           const std::function<bool()> &isInterrupted) {
  return catchFailure([&] {
    CompileRequest request = makeRequest(input, output, options);
    auto run = [&](mlir::MLIRContext &context, Announce announce) {
      auto onStage = [&](Stage stage) {
        announce(input + ": the stage '" + getStageInfo(stage).name.str() +
                 "'");
      };
      onStage(getStageRange(request).first);
      request.onStage = onStage;
      return compile(request, context);
    };
    if (!options.inProcess)
      return runInChild(run, output, scratch, isInterrupted);
    std::string doing;
    return runGuarded(
        [&](mlir::MLIRContext &context) {
          return run(context, [&](const std::string &now) { doing = now; });
        },
        [&] { return doing; });
  });
}
