//===- PulseStreams.cpp - A model over a sequence becomes a step ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dimensions.h"
#include "Pulser.h"

#include "onnxc/Dialect/ONNX/EntryNames.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"
#include "onnxc/Infer/Passes.h"
#include "onnxc/Support/OptionFault.h"

namespace onnxc {
#define GEN_PASS_DEF_PULSESTREAMS
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

/// Pulses are made as much longer as some operator asks, this often.
static constexpr unsigned maxTries = 16;
static constexpr int64_t longestPulse = int64_t(1) << 24;

/// Gives a name to an open dimension of an input; null, and an error, if it has
/// none.
static std::optional<std::string> nameDimension(func::FuncOp entry,
                                                StringRef text, StringRef input,
                                                StringRef axisText) {
  std::optional<unsigned> found;
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (getInputName(entry, i) == input)
      found = i;
  int64_t axis;
  if (!found || axisText.getAsInteger(10, axis)) {
    markOptionFault(entry.emitError())
        << "pulse '" << text
        << "': the model has no such input; its inputs are "
        << listInputNames(entry);
    return std::nullopt;
  }
  auto type = dyn_cast<RankedTensorType>(entry.getArgumentTypes()[*found]);
  if (!type || axis < 0 || axis >= type.getRank() || !type.isDynamicDim(axis)) {
    markOptionFault(entry.emitError())
        << "pulse '" << text << "': dimension " << axisText << " of input '"
        << input << "' is not open";
    return std::nullopt;
  }
  SmallVector<std::string> names(type.getRank());
  if (auto known = entry.getArgAttrOfType<ArrayAttr>(*found, model::dimParams))
    for (auto [name, given] : llvm::zip(names, known.getAsRange<StringAttr>()))
      name = given.str();
  if (names[axis].empty()) {
    names[axis] = (input + "_dim" + Twine(axis)).str();
    entry.setArgAttr(
        *found, model::dimParams,
        Builder(entry.getContext())
            .getStrArrayAttr(llvm::to_vector_of<StringRef>(names)));
  }
  return names[axis];
}

static FailureOr<PulsedDim> parsePulse(func::FuncOp entry, StringRef text) {
  auto [name, sizeText] = text.rsplit('=');
  int64_t size;
  if (name.empty() || sizeText.getAsInteger(10, size) || size < 1 ||
      size > longestPulse)
    return markOptionFault(entry.emitError())
           << "pulse '" << text
           << "': expected the name of a dimension, or an input's name, a "
              "colon and an axis, and a size from 1 to "
           << longestPulse << ", as in time=160 or audio:1=160";
  if (name.contains(':')) {
    auto [input, axis] = name.rsplit(':');
    std::optional<std::string> made = nameDimension(entry, text, input, axis);
    if (!made)
      return failure();
    return PulsedDim{*made, size};
  }
  if (failed(checkDimension(entry, name)))
    return failure();
  for (InputDim at : findDimension(entry, name)) {
    auto type = cast<RankedTensorType>(entry.getArgumentTypes()[at.argument]);
    if (!type.isDynamicDim(at.dim))
      return markOptionFault(entry.emitError())
             << "pulse '" << text << "': dimension '" << name << "' of input '"
             << getInputName(entry, at.argument) << "' is "
             << type.getDimSize(at.dim) << ", expected an open one";
  }
  return PulsedDim{name.str(), size};
}

/// The number that pulses have to be multiples of, found with longer ones;
/// nullopt if those fail, too.
static std::optional<int64_t>
findUnit(func::FuncOp original, SmallVector<PulsedDim> dims, int64_t factor) {
  ScopedDiagnosticHandler silent(original.getContext(), [](Diagnostic &) {});
  for (unsigned i = 0; i < maxTries; ++i) {
    for (PulsedDim &dim : dims)
      dim.size = multiply(dim.size, factor);
    if (dims.front().size > longestPulse)
      return std::nullopt;
    func::FuncOp copy = original.clone();
    Pulser pulser(copy, dims);
    bool isPossible = succeeded(pulser.run());
    copy.erase();
    if (isPossible)
      return pulser.getUnit();
    factor = pulser.getWantedFactor();
    if (factor == 1)
      return std::nullopt;
  }
  return std::nullopt;
}

namespace {
class PulseStreams : public onnxc::impl::PulseStreamsBase<PulseStreams> {
public:
  using PulseStreamsBase::PulseStreamsBase;

private:
  void runOnOperation() override {
    SmallVector<func::FuncOp> entries = listEntries(getOperation());
    for (func::FuncOp entry : entries)
      if (failed(pulse(entry)))
        return signalPassFailure();
    // One context has one list of states.
    for (func::FuncOp entry : entries)
      if (listStates(entry) != listStates(entries.front())) {
        entry.emitError() << "pulses need other states where initializers are "
                             "overridden; --freeze makes them constants";
        return signalPassFailure();
      }
  }

  static SmallVector<StringRef> listStates(func::FuncOp entry) {
    SmallVector<StringRef> names;
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      if (entry.getArgAttr(i, model::state))
        names.push_back(getInputName(entry, i));
    return names;
  }

  LogicalResult pulse(func::FuncOp entry) {
    SmallVector<PulsedDim> dims;
    for (const std::string &text : pulses) {
      FailureOr<PulsedDim> dim = parsePulse(entry, text);
      if (failed(dim))
        return failure();
      if (llvm::any_of(dims, [&](const PulsedDim &known) {
            return known.name == dim->name;
          }))
        return markOptionFault(entry.emitError())
               << "pulse '" << text << "': dimension '" << dim->name
               << "' is given twice";
      dims.push_back(*dim);
    }
    func::FuncOp original = entry.clone();
    std::vector<Diagnostic> said;
    Pulser pulser(entry, dims);
    bool isPossible;
    {
      ScopedDiagnosticHandler keep(&getContext(), [&](Diagnostic &diagnostic) {
        said.push_back(std::move(diagnostic));
        return success();
      });
      isPossible = succeeded(pulser.run());
    }
    std::string sizes;
    if (!isPossible && pulser.getWantedFactor() != 1)
      if (std::optional<int64_t> unit =
              findUnit(original, dims, pulser.getWantedFactor()))
        sizes = ("; the smallest pulses of '" + Twine(dims.front().name) +
                 "' that work are " + Twine(*unit) + ", " + Twine(2 * *unit) +
                 " and " + Twine(3 * *unit))
                    .str();
    original.erase();
    for (Diagnostic &diagnostic : said) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        diagnostic << sizes;
      getContext().getDiagEngine().emit(std::move(diagnostic));
    }
    return success(isPossible);
  }
};
} // namespace
