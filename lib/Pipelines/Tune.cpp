//===- Tune.cpp - One model, compiled with many schedules -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipelines/Tune.h"

#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Emit/Emit.h"
#include "onnxc/Import/Import.h"
#include "onnxc/Pipelines/Session.h"
#include "onnxc/Schedule/Tuning.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace onnxc;

LogicalResult TuningCompiler::prepare() {
  Session session(context, request.options);
  ImportOptions limits = request.limits;
  // Kernels depend on types, and not on what may be overridden.
  limits.keepDefaults = false;
  if (failed(session.import({request.inputPath, request.bytes}, limits)) ||
      failed(session.run(Stage::Upgrade, Stage::Lower)))
    return failure();
  lowered = session.takeModule();
  return success();
}

DictionaryAttr TuningCompiler::toAttr(const Decisions &decisions) {
  SmallVector<NamedAttribute> entries;
  for (const auto &[key, schedule] : decisions)
    entries.emplace_back(StringAttr::get(&context, key), schedule);
  return DictionaryAttr::get(&context, entries);
}

std::string TuningCompiler::write(const Decisions &decisions,
                                  StringRef machine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeTuning(os, machine, target, toAttr(decisions));
  return text;
}

LogicalResult TuningCompiler::compile(const Decisions &decisions,
                                      StringRef path, bool profile,
                                      std::vector<std::string> *keys) {
  Session session(context, request.options);
  session.options.profile = profile;
  session.verify = false;
  session.setModule(lowered->clone());
  if (!decisions.empty())
    session.getModule()->setAttr(program::tuning, toAttr(decisions));
  if (failed(session.run(Stage::Schedule, Stage::Schedule)))
    return failure();

  // A region of the profile keeps the number of its kernel.
  TargetAttr own = TargetAttr::of(session.getModule());
  bool isFirst = target.empty();
  target = getTuningTarget(own);
  std::vector<std::string> numbers;
  visitTunable(session.getModule(), [&](KernelCodegenInterface op,
                                        const std::string &key) {
    auto number = static_cast<int64_t>(numbers.size());
    numbers.push_back(key);
    op->setAttr(program::kernel, Builder(&context).getI64IntegerAttr(number));
    if (!isFirst)
      return;
    TunableKernel &kernel = kernels[key];
    if (kernel.count++ > 0)
      return;
    kernel.basis = getSchedule(op);
    if (std::optional<NodeName> node = findNode(op->getLoc()))
      kernel.node = node->name + " (" + node->opType + ")";
    llvm::SetVector<Attribute> choices;
    op.visitChoices(
        own, [&](kernel::ScheduleInterface choice) { choices.insert(choice); });
    for (Attribute choice : choices)
      kernel.choices.push_back(cast<kernel::ScheduleInterface>(choice));
  });

  if (failed(session.run(Stage::Bufferize, Stage::LLVM)))
    return failure();
  if (keys) {
    keys->clear();
    if (auto regions =
            session.getModule()->getAttrOfType<ArrayAttr>(program::regions))
      for (auto region : regions.getAsRange<DictionaryAttr>()) {
        auto number = region.getAs<IntegerAttr>("kernel");
        keys->push_back(number ? numbers[number.getInt()] : "");
      }
  }
  EmitOptions options;
  options.outputPath = path.str();
  options.prefix = "model";
  options.optLevel = request.options.optLevel;
  options.header = false;
  options.findNode = findNode;
  options.threads = request.threads;
  return emitModule({session.getModule()}, options);
}
