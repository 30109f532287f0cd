//===- SideBySide.cpp - Stages of several levels at a time ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SideBySide.h"

#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/thread.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

using namespace mlir;
using namespace onnxc;

namespace {

/// The lists of weights that the levels have placed so far.
class Places {
public:
  explicit Places(size_t numLevels) : lists(numLevels) {}

  /// Waits until the level before has placed its weights; null if it never
  /// does.
  Attribute waitForThoseBefore(size_t level) {
    if (level == 0)
      return {};
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return lists[level - 1].has_value(); });
    return *lists[level - 1];
  }
  /// The first call for a level counts.
  void announce(size_t level, Attribute list) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!lists[level])
      lists[level] = list;
    changed.notify_all();
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::optional<Attribute>> lists;
};

/// Has the pass that places weights go on from those of the level before. (What
/// profiles pass on besides is not: their levels are compiled in turn.)
class InTurn : public PassInstrumentation {
public:
  InTurn(Places &places, size_t level) : places(places), level(level) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (!placesWeights(pass))
      return;
    if (Attribute list = places.waitForThoseBefore(level))
      op->setAttr(program::weights, list);
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    if (placesWeights(pass))
      places.announce(level, op->getAttr(program::weights));
  }

private:
  static bool placesWeights(Pass *pass) {
    return pass->getArgument() == "onnxc-place-weights";
  }

  Places &places;
  size_t level;
};

/// Keeps apart what is said of each level.
class SaidByLevel {
public:
  SaidByLevel(MLIRContext &context, size_t numLevels)
      : said(numLevels), handler(&context, [this](Diagnostic &diagnostic) {
          std::lock_guard<std::mutex> lock(mutex);
          auto level = levels.find(llvm::get_threadid());
          if (level == levels.end())
            return failure();
          said[level->second].push_back(std::move(diagnostic));
          return success();
        }) {}

  /// The calling thread works on this level from here on.
  void begin(size_t level) {
    std::lock_guard<std::mutex> lock(mutex);
    levels[llvm::get_threadid()] = level;
  }
  std::vector<Diagnostic> take(size_t level) { return std::move(said[level]); }

private:
  std::mutex mutex;
  DenseMap<uint64_t, size_t> levels;
  std::vector<std::vector<Diagnostic>> said;
  ScopedDiagnosticHandler handler;
};

} // namespace

/// Threads must not load dialects: those that the stages need are there before.
static LogicalResult loadDialects(MLIRContext &context, Stage last,
                                  const StageOptions &options) {
  DialectRegistry registry;
  for (const StageInfo &info : getStages()) {
    if (info.pipeline.empty() || info.stage < Stage::Schedule ||
        info.stage > last)
      continue;
    PassManager manager(&context, ModuleOp::getOperationName());
    if (failed(parsePassPipeline(getStageText(info.stage, options), manager)))
      return failure();
    manager.getDependentDialects(registry);
  }
  context.appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context.getOrLoadDialect(name);
  return success();
}

LogicalResult onnxc::runSideBySide(MLIRContext &context,
                                   MutableArrayRef<Session> sessions,
                                   Stage last, size_t maxThreads,
                                   const LevelObserver &observe) {
  if (failed(loadDialects(context, last, sessions.back().options)))
    return emitError(UnknownLoc::get(&context))
           << "internal error: bad pipeline";
  Places places(sessions.size());
  std::vector<LogicalResult> results(sessions.size(), success());
  std::vector<std::vector<Diagnostic>> said(sessions.size());
  {
    SaidByLevel separate(context, sessions.size());
    std::mutex observing;
    Stage begun = Stage::Lower;
    auto run = [&](size_t level) {
      separate.begin(level);
      Session &session = sessions[level];
      auto base = session.configure;
      session.configure = [&](PassManager &manager) {
        manager.addInstrumentation(std::make_unique<InTurn>(places, level));
        return base ? base(manager) : success();
      };
      session.around = [&](Stage stage, function_ref<LogicalResult()> work) {
        {
          std::lock_guard<std::mutex> lock(observing);
          if (stage > begun) {
            begun = stage;
            observe.begins(stage);
          }
        }
        auto start = std::chrono::steady_clock::now();
        LogicalResult result = work();
        std::chrono::duration<double> time =
            std::chrono::steady_clock::now() - start;
        std::lock_guard<std::mutex> lock(observing);
        if (succeeded(result))
          observe.ends(level, stage, time.count(), session.getModule());
        return result;
      };
      results[level] = session.run(Stage::Schedule, last);
      places.announce(level, {});
      // Both refer to what ends here.
      session.configure = base;
      session.around = nullptr;
    };
    // A level waits for those before it, which have begun.
    std::atomic<size_t> next = 0;
    auto work = [&] {
      for (size_t level = next++; level < sessions.size(); level = next++)
        run(level);
    };
    std::vector<llvm::thread> threads;
    for (size_t i = 0; i < std::min(sessions.size(), maxThreads); ++i)
      threads.emplace_back(work);
    for (llvm::thread &thread : threads)
      thread.join();
    for (size_t level = 0; level < sessions.size(); ++level)
      said[level] = separate.take(level);
  }
  for (auto [result, diagnostics] : llvm::zip_equal(results, said)) {
    for (Diagnostic &diagnostic : diagnostics)
      context.getDiagEngine().emit(std::move(diagnostic));
    if (failed(result))
      return failure();
  }
  return success();
}
