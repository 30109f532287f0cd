//===- BenchMain.cpp - onnxc bench model.so -------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "CompileTemporary.h"
#include "Failure.h"
#include "Findings.h"
#include "Peak.h"
#include "PreparedRun.h"
#include "RunOptions.h"
#include "Verbs.h"

#include "onnxc/Load/LoadedModel.h"
#include "onnxc/Support/PeakMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <cstdlib>
#include <ctime>

using namespace llvm;
using namespace onnxc;

namespace {

struct Options {
  const Arguments &arguments;
  std::string model = arguments.getOperand(0);
  TemporaryOptions compile{arguments};
  TimingOptions run{arguments};
  int runs = arguments.getNumber<int>(OPT_reps, 0);
  bool json = arguments.getFlag(OPT_json);
  bool peak = arguments.getFlag(OPT_peak);
};

constexpr char examples[] = R"(
EXAMPLES:

  onnxc bench mnist.so                          time, memory, allocations
  onnxc bench bert.onnx --shape input_ids:1x128 --threads=2 --reps=20
  onnxc bench --peak                            how fast this machine can be
)";

/// What the context asks for, counted. Threads may ask at the same time.
struct Allocations {
  std::atomic<int64_t> count{0}, bytes{0}, most{0};

  static void *allocate(void *user, size_t bytes, size_t alignment) {
    auto *self = static_cast<Allocations *>(user);
    void *memory = std::aligned_alloc(alignment, bytes);
    if (!memory)
      return nullptr;
    ++self->count;
    int64_t now = self->bytes += static_cast<int64_t>(bytes);
    int64_t most = self->most;
    while (now > most && !self->most.compare_exchange_weak(most, now))
      ;
    return memory;
  }
  static void release(void *user, void *memory, size_t bytes) {
    static_cast<Allocations *>(user)->bytes -= static_cast<int64_t>(bytes);
    std::free(memory);
  }
};

/// What was measured. Times in seconds.
struct Result {
  double compile, load, first;
  std::vector<double> wall, cpu;
  int64_t firstAllocations, steadyAllocations, memory;
  uint64_t fileBytes, weightBytes, workspaceBytes;
  int64_t processBytes;

  static double at(ArrayRef<double> sorted, double part) {
    return sorted[static_cast<size_t>(
        part * static_cast<double>(sorted.size() - 1) + 0.5)];
  }
};

} // namespace

static double read(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

static Expected<Result> measure(const Options &options, StringRef path,
                                const TemporaryModel &file) {
  Result result = {};
  result.compile = file.compileSeconds();
  (void)sys::fs::file_size(file.path(), result.fileBytes);
  double start = read(CLOCK_MONOTONIC);
  Expected<LoadedModel> loaded =
      LoadedModel::open(file.path(), options.run.prefix);
  if (!loaded)
    return loaded.takeError();
  Allocations allocations;
  onnxc_options choices = options.run.contextOptions();
  choices.user = &allocations;
  choices.allocate = Allocations::allocate;
  choices.release = Allocations::release;
  Expected<ContextPtr> context = loaded->createContext(choices);
  if (!context)
    return context.takeError();
  result.load = read(CLOCK_MONOTONIC) - start;

  const onnxc_model &model = loaded->model();
  result.weightBytes = model.weight_bytes;
  result.workspaceBytes = model.workspace_bytes;
  auto prepared = PreparedRun::get(
      path, *loaded, std::move(*context),
      [&](const onnxc_model &model) { return options.run.readOrMake(model); });
  if (!prepared)
    return prepared.takeError();
  start = read(CLOCK_MONOTONIC);
  if (Error error = (*prepared)->run())
    return error;
  result.first = read(CLOCK_MONOTONIC) - start;
  result.firstAllocations = allocations.count;
  // Outputs have two places, which take turns; both exist after two runs more.
  constexpr int warmUps = 3;
  for (int i = 0; i < warmUps; ++i)
    if (Error error = (*prepared)->run())
      return error;

  int64_t before = allocations.count;
  double begin = read(CLOCK_MONOTONIC);
  auto isEnough = [&] {
    size_t done = result.wall.size();
    if (options.runs > 0)
      return done >= static_cast<size_t>(options.runs);
    return done >= 10 && read(CLOCK_MONOTONIC) - begin > 2;
  };
  while (!isEnough()) {
    double cpu = read(CLOCK_PROCESS_CPUTIME_ID), wall = read(CLOCK_MONOTONIC);
    if (Error error = (*prepared)->run())
      return error;
    wall = read(CLOCK_MONOTONIC) - wall;
    result.cpu.push_back(read(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    result.wall.push_back(wall);
  }
  result.steadyAllocations = allocations.count - before;
  result.memory = allocations.most;
  llvm::sort(result.wall);
  llvm::sort(result.cpu);
  result.processBytes = static_cast<int64_t>(getPeakMemory());
  return result;
}

static std::string time(double seconds) {
  if (seconds < 1e-3)
    return formatv("{0:f2} us", seconds * 1e6).str();
  if (seconds < 1)
    return formatv("{0:f3} ms", seconds * 1e3).str();
  return formatv("{0:f2} s", seconds).str();
}

static std::string mebibytes(uint64_t bytes) {
  return formatv("{0:f2} MiB", static_cast<double>(bytes) / 0x1p20).str();
}

static void printText(StringRef title, const Result &result) {
  raw_ostream &os = outs();
  os << formatv("{0}: {1} runs\n", title, result.wall.size());
  auto line = [&](StringRef what, const Twine &text) {
    os << formatv("  {0,-22} {1}\n", what, text.str());
  };
  auto spread = [&](ArrayRef<double> times) {
    return "min " + time(times.front()) + ", median " +
           time(Result::at(times, 0.5)) + ", 90% under " +
           time(Result::at(times, 0.9));
  };
  line("time of a run", spread(result.wall));
  line("of all processors", spread(result.cpu));
  line("load and first run", time(result.load) + " + " + time(result.first));
  if (result.compile > 0)
    line("compile", time(result.compile));
  line("allocations",
       formatv("{0} to the end of the first run, {1} in the {2} timed runs",
               result.firstAllocations, result.steadyAllocations,
               result.wall.size())
           .str());
  line("memory", mebibytes(result.memory) + " of the context (" +
                     mebibytes(result.workspaceBytes) + " planned), " +
                     mebibytes(result.processBytes) +
                     " of this process at most");
  line("file", mebibytes(result.fileBytes) + ", of which weights " +
                   mebibytes(result.weightBytes));
}

static void printJson(StringRef title, const Result &result) {
  json::OStream out(outs(), 2);
  auto times = [&](StringRef name, ArrayRef<double> sorted) {
    out.attributeObject(name, [&] {
      out.attribute("min", sorted.front());
      out.attribute("median", Result::at(sorted, 0.5));
      out.attribute("p90", Result::at(sorted, 0.9));
    });
  };
  out.object([&] {
    out.attribute("model", title);
    out.attribute("runs", result.wall.size());
    times("wall_s", result.wall);
    times("cpu_s", result.cpu);
    out.attribute("load_s", result.load);
    out.attribute("first_run_s", result.first);
    out.attribute("compile_s", result.compile);
    out.attribute("first_allocations", result.firstAllocations);
    out.attribute("steady_allocations", result.steadyAllocations);
    out.attribute("context_bytes", result.memory);
    out.attribute("workspace_bytes", result.workspaceBytes);
    out.attribute("weight_bytes", result.weightBytes);
    out.attribute("file_bytes", result.fileBytes);
    out.attribute("process_bytes", result.processBytes);
  });
  outs() << "\n";
}

static void printPeak(bool asJson) {
  onnxc_peak peak;
  onnxc_measure_peak(&peak);
  if (!asJson) {
    outs() << formatv("float  {0,7:f1} GFLOP/s  {1}\n", peak.float_gflops,
                      peak.float_name)
           << formatv("int8   {0,7:f1} GOP/s    {1}\n", peak.int8_gops,
                      peak.int8_name)
           << formatv("L1     {0,7:f1} GB/s     reads of 16 KiB\n", peak.l1_gbs)
           << formatv("L2     {0,7:f1} GB/s     reads of 512 KiB\n",
                      peak.l2_gbs)
           << formatv("memory {0,7:f1} GB/s     reads of 256 MiB\n",
                      peak.memory_gbs);
    return;
  }
  json::OStream out(outs(), 2);
  out.object([&] {
    out.attribute("float_gflops", peak.float_gflops);
    out.attribute("float_name", peak.float_name);
    out.attribute("int8_gops", peak.int8_gops);
    out.attribute("int8_name", peak.int8_name);
    out.attribute("l1_gbs", peak.l1_gbs);
    out.attribute("l2_gbs", peak.l2_gbs);
    out.attribute("memory_gbs", peak.memory_gbs);
  });
  outs() << "\n";
}

static Error bench(const Options &options) {
  if (options.peak) {
    printPeak(options.json);
    return Error::success();
  }
  const std::string &path = options.model;
  if (path.empty())
    return make_error<Failure>("onnxc bench: name a model, or give --peak",
                               status::usage);
  if (options.runs < 0)
    return createStringError("--reps= is not negative");
  if (Error error = options.run.checkFiles())
    return error;
  Expected<TemporaryModel> file =
      TemporaryModel::get(path, options.compile, /*profile=*/false);
  if (!file)
    return file.takeError();
  Expected<Result> result = measure(options, path, *file);
  if (!result)
    return result.takeError();
  (options.json ? printJson : printText)(sys::path::filename(path), *result);
  return Error::success();
}

int onnxc::benchMain(int argc, char **argv) {
  const CommandText text{Command::Bench,
                         "onnxc bench",
                         "onnxc bench: how long a run of a model takes\n",
                         "<model.so | model.onnx>",
                         0,
                         1,
                         examples};
  Arguments arguments(argc, argv, text);
  const Options options{arguments};
  if (Error error = bench(options))
    return reportFailure(std::move(error));
  return 0;
}
