//===- ProfileMain.cpp - onnxc profile model.so ---------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "CompileTemporary.h"
#include "Failure.h"
#include "PreparedRun.h"
#include "Profile.h"
#include "RunOptions.h"
#include "Verbs.h"

#include "onnxc/Load/LoadedModel.h"
#include "onnxc/Support/OutputFile.h"

#include "llvm/Support/Path.h"

#include <ctime>

using namespace llvm;
using namespace onnxc;

namespace {

struct Options {
  const Arguments &arguments;
  std::string model = arguments.getOperand(0);
  TemporaryOptions compile{arguments};
  TimingOptions run{arguments, /*defaultThreads=*/1};
  int runs = arguments.getNumber<int>(OPT_reps, 50);
  unsigned top = arguments.getNumber<unsigned>(OPT_top);
  bool least = arguments.getFlag(OPT_least);
  bool json = arguments.getFlag(OPT_json);
  std::string trace = arguments.getString(OPT_trace);
};

constexpr char examples[] = R"(
A node's time is that of the machine code that was made for it and for what was
fused into it. GFLOP/s and GB/s are estimates: arithmetic in the loops' bodies,
and each buffer once. "of peak" compares with float multiply-adds of one core.
One thread works on a run unless --threads= says otherwise.

EXAMPLES:

  onnxc profile mnist.onnx                 compiles, runs, and shows a table
  onnxc profile bert.onnx --shape input_ids:1x128 --trace=bert.json
  onnxc mnist.onnx -o mnist.so --profile
  onnxc profile mnist.so --inputs in.npz --json
)";

} // namespace

static int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * int64_t(1000000000) + time.tv_nsec;
}

static Expected<std::vector<ProfiledRun>>
runAll(const Options &options, StringRef path, const LoadedModel &loaded) {
  Expected<ContextPtr> context =
      loaded.createContext(options.run.contextOptions());
  if (!context)
    return context.takeError();
  auto prepared = PreparedRun::get(
      path, loaded, std::move(*context),
      [&](const onnxc_model &model) { return options.run.readOrMake(model); });
  if (!prepared)
    return prepared.takeError();
  std::vector<ProfiledRun> runs;
  int64_t start = now();
  constexpr int64_t warmUps = 2, budget = 5000000000;
  for (int64_t i = 0; i < options.runs + warmUps; ++i) {
    ProfiledRun run;
    run.begin = now();
    if (Error error = (*prepared)->run())
      return error;
    run.end = now();
    if (i < warmUps)
      continue;
    int64_t count;
    const onnxc_profile_event *events =
        loaded.profile()->events((*prepared)->context(), &count);
    run.events.assign(events, events + count);
    runs.push_back(std::move(run));
    if (now() - start > budget)
      break;
  }
  return runs;
}

static Error profile(const Options &options) {
  if (options.runs < 1)
    return createStringError("--reps= is at least 1");
  const std::string &path = options.model;
  if (!options.trace.empty())
    if (std::string reason = refuseOutput(options.trace, path); !reason.empty())
      return createStringError(reason);
  if (Error error = options.run.checkFiles())
    return error;
  Expected<TemporaryModel> file =
      TemporaryModel::get(path, options.compile, /*profile=*/true);
  if (!file)
    return file.takeError();
  Expected<LoadedModel> loaded =
      LoadedModel::open(file->path(), options.run.prefix);
  if (!loaded)
    return loaded.takeError();
  if (!loaded->profile())
    return createStringError(path +
                             ": compiled without --profile; compile it with "
                             "that option, or give the .onnx file");
  Expected<std::vector<ProfiledRun>> runs = runAll(options, path, *loaded);
  if (!runs)
    return runs.takeError();
  onnxc_peak peak;
  onnxc_measure_peak(&peak);
  Profile result(sys::path::filename(path).str(), *loaded->profile(),
                 std::move(*runs), peak, options.least);
  if (!options.trace.empty()) {
    if (Error error = writeToOutput(options.trace, [&](raw_ostream &os) {
          result.printTrace(os);
          return Error::success();
        }))
      return error;
  }
  if (options.json)
    result.printJson(outs());
  else
    result.printText(outs(), options.top);
  return Error::success();
}

int onnxc::profileMain(int argc, char **argv) {
  const CommandText text{
      Command::Profile,
      "onnxc profile",
      "onnxc profile: shows how long each node of a model takes, and why\n",
      "<model.onnx | model.so compiled with --profile>",
      1,
      1,
      examples};
  Arguments arguments(argc, argv, text);
  const Options options{arguments};
  if (Error error = profile(options))
    return reportFailure(std::move(error));
  return 0;
}
