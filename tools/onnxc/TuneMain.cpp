//===- TuneMain.cpp - onnxc tune model.onnx -------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All slow kernels are measured at once: each library that is compiled has
// another decision for each of them, and runs in turn with the one that has the
// compiler's own. So a decision is measured where it will run, among the other
// kernels, on their data.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "CompileTemporary.h"
#include "Failure.h"
#include "Findings.h"
#include "Median.h"
#include "Overrides.h"
#include "PreparedRun.h"
#include "RunOptions.h"
#include "ToolContext.h"
#include "TuningSearch.h"
#include "Verbs.h"

#include "onnxc/Load/LoadedModel.h"
#include "onnxc/Pipelines/Tune.h"
#include "onnxc/Support/OutputFile.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/TargetParser/Host.h"

#include <chrono>
#include <random>

using namespace llvm;
using namespace onnxc;

namespace {

struct Options {
  const Arguments &arguments;
  std::string model = arguments.getOperand(0);
  std::string output =
      arguments.getName(OPT_o, (sys::path::stem(model) + ".tuning.json").str());
  TemporaryOptions compile{arguments};
  /// Sizes that are given are compiled in.
  TimingOptions run{arguments, /*defaultThreads=*/1, /*takesShapes=*/false};
  Overrides overrides{arguments};
  unsigned seconds = arguments.getNumber<unsigned>(OPT_time);
  unsigned top = arguments.getNumber<unsigned>(OPT_top);
  unsigned tries = arguments.getNumber<unsigned>(OPT_try_decisions);
};

constexpr char examples[] = R"(
Measures schedules of the model's slowest kernels on this machine: tiles, the
order of loops, what is fetched ahead. The file holds those that are faster than
what the compiler decides by itself; it changes no result, and is for the
processor of --mcpu (default: this machine's). Keep the machine quiet meanwhile.
Of a model with open sizes, --shape or --inputs says which are measured.

EXAMPLES:

  onnxc tune bert.onnx --shape input_ids:1x128 --time=300
  onnxc bert.onnx -o bert.so --mcpu=native --tuning=bert.tuning.json
  onnxc tune resnet.onnx -o resnet.v3.json --mcpu=x86-64-v3 --threads=2
)";

/// A share of the time that is not worth a search.
constexpr double kLeastShare = 0.003;
/// What is written is faster by so much at least.
constexpr double kLeastGain = 0.01;

/// A library of the model that can be run.
struct Library {
  TemporaryModel file;
  LoadedModel loaded;
  std::unique_ptr<PreparedRun> prepared;
  /// The key of each region of its profile.
  std::vector<std::string> keys;

  Library(TemporaryModel file, LoadedModel loaded)
      : file(std::move(file)), loaded(std::move(loaded)) {}
};

/// Times of a library's runs: of the kernels by their keys, and of the whole.
struct Times {
  StringMap<std::vector<double>> kernels;
  std::vector<double> whole;
};

class Tuner {
public:
  Tuner(const Options &options, mlir::MLIRContext &context)
      : options(options), request(makeRequest(options)),
        compiler(request, context) {}

  Error run();
  /// Whether random decisions for all kernels change a bit of what is computed.
  Error tryDecisions();

private:
  using Clock = std::chrono::steady_clock;

  static CompileRequest makeRequest(const Options &options);
  double passed() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  void show(const Twine &text) const;
  Expected<std::unique_ptr<Library>> make(const Decisions &decisions,
                                          bool profile);
  Error runOnce(Library &library, Times &times);
  Error runInTurn(Library &first, Library &second, double seconds,
                  std::pair<Times, Times> &times);
  Error checkSizes() const;
  Error findSlowKernels();
  Error search();
  Error confirm();
  Error compareWhole();
  Error compareOutputs(Library &tuned);
  Decisions getBest() const;
  void printTable() const;

  const Options &options;
  CompileRequest request;
  TuningCompiler compiler;
  Clock::time_point start = Clock::now();
  std::unique_ptr<Library> basis;
  /// The slowest first.
  std::vector<TuningSearch> searches;
  std::vector<double> basisTimes;
  double basisWhole = 0;
  unsigned compiles = 0;
  /// Of the whole model; without a value nothing is better.
  std::optional<Ratio> whole;
  std::string reason = "no measured decision is faster";
};

} // namespace

CompileRequest Tuner::makeRequest(const Options &options) {
  CompileRequest request;
  request.inputPath = options.model;
  request.options.optLevel = options.compile.level;
  request.options.target.cpu = options.compile.cpu;
  request.options.target.features = options.compile.features;
  options.overrides.set(request.options);
  request.options.batchOfOne = wantsBatchOfOne(request);
  return request;
}

/// A line on a terminal.
void Tuner::show(const Twine &text) const {
  if (!sys::Process::StandardErrIsDisplayed())
    return;
  errs() << "\r\x1b[K";
  if (!text.isTriviallyEmpty())
    errs() << formatv("[{0:f0} of {1} s] ", passed(), options.seconds) << text;
  errs().flush();
}

Expected<std::unique_ptr<Library>> Tuner::make(const Decisions &decisions,
                                               bool profile) {
  Expected<TemporaryModel> file = TemporaryModel::create(options.model);
  if (!file)
    return file.takeError();
  std::vector<std::string> keys;
  ++compiles;
  if (failed(compiler.compile(decisions, file->path(), profile, &keys)))
    return createStringError("cannot be compiled");
  Expected<LoadedModel> loaded = LoadedModel::open(file->path(), "model");
  if (!loaded)
    return loaded.takeError();
  auto library =
      std::make_unique<Library>(std::move(*file), std::move(*loaded));
  library->keys = std::move(keys);
  Expected<ContextPtr> context =
      library->loaded.createContext(options.run.contextOptions());
  if (!context)
    return context.takeError();
  auto prepared = PreparedRun::get(
      options.model, library->loaded, std::move(*context),
      [&](const onnxc_model &model) { return options.run.readOrMake(model); });
  if (!prepared)
    return prepared.takeError();
  library->prepared = std::move(*prepared);
  return library;
}

Error Tuner::runOnce(Library &library, Times &times) {
  auto begin = Clock::now();
  if (Error error = library.prepared->run())
    return error;
  std::chrono::duration<double> time = Clock::now() - begin;
  times.whole.push_back(time.count());
  if (!library.loaded.profile())
    return Error::success();
  int64_t count;
  const onnxc_profile_event *events =
      library.loaded.profile()->events(library.prepared->context(), &count);
  StringMap<double> sums;
  for (const onnxc_profile_event &event : ArrayRef(events, count)) {
    const std::string &key = library.keys[event.region];
    if (!key.empty())
      sums[key] += 1e-9 * static_cast<double>(event.end - event.begin);
  }
  for (const auto &entry : sums)
    times.kernels[entry.getKey()].push_back(entry.getValue());
  return Error::success();
}

/// Runs both in turn, which goes first, too, for about so long.
Error Tuner::runInTurn(Library &first, Library &second, double seconds,
                       std::pair<Times, Times> &times) {
  constexpr unsigned least = 5, most = 400;
  Times warmUp;
  for (Library *library : {&first, &second})
    if (Error error = runOnce(*library, warmUp))
      return error;
  double end = passed() + seconds;
  for (unsigned i = 0; i < least || (i < most && passed() < end); ++i) {
    bool swapped = i % 2;
    for (bool isSecond : {swapped, !swapped})
      if (Error error = isSecond ? runOnce(second, times.second)
                                 : runOnce(first, times.first))
        return error;
  }
  return Error::success();
}

/// Code for open sizes has parts for several of them. Inputs that are made up
/// would tell of one that no caller may ever have, and decisions for the other
/// parts would be kept by chance.
Error Tuner::checkSizes() const {
  if (!options.run.inputs.empty() || !options.run.input.empty())
    return Error::success();
  const onnxc_model &model = basis->loaded.model();
  for (const onnxc_value_info &input :
       ArrayRef(model.inputs, static_cast<size_t>(model.num_inputs)))
    for (int32_t i = 0; i < input.rank; ++i)
      if (input.dims[i] < 0)
        return createStringError(
            options.model + ": input '" + input.name +
            "' has a size that is not fixed; --shape=" + input.name +
            ":<sizes> says which one is to be fast, or --inputs= gives arrays "
            "of it");
  return Error::success();
}

Error Tuner::findSlowKernels() {
  Times times;
  constexpr unsigned runs = 7;
  for (unsigned i = 0; i < runs; ++i)
    if (Error error = runOnce(*basis, times))
      return error;
  basisWhole = medianOf(times.whole);
  std::vector<std::pair<double, std::string>> slow;
  for (const auto &[key, kernel] : compiler.getKernels()) {
    auto measured = times.kernels.find(key);
    if (measured == times.kernels.end() || kernel.choices.size() < 2)
      continue;
    double time = medianOf(measured->getValue());
    if (time >= kLeastShare * basisWhole)
      slow.emplace_back(time, key);
  }
  llvm::sort(slow, std::greater<>());
  if (options.top && slow.size() > options.top)
    slow.resize(options.top);
  for (const auto &[time, key] : slow) {
    searches.emplace_back(key, compiler.getKernels().at(key));
    basisTimes.push_back(time);
  }
  return Error::success();
}

Decisions Tuner::getBest() const {
  Decisions decisions;
  for (const TuningSearch &search : searches)
    if (search.hasBetter())
      decisions[search.getKey()] = search.getBest();
  return decisions;
}

/// Until nothing is left or, but for what confirming takes, the time is over.
Error Tuner::search() {
  double all = 0, longest = passed();
  for (unsigned i = 0; passed() + 3 * longest < options.seconds; ++i) {
    double begin = passed();
    Decisions decisions = getBest();
    std::vector<std::pair<TuningSearch *, kernel::ScheduleInterface>> measured;
    for (TuningSearch &search : searches)
      if (kernel::ScheduleInterface choice = search.next()) {
        decisions[search.getKey()] = choice;
        measured.emplace_back(&search, choice);
      }
    if (measured.empty())
      return Error::success();
    show(formatv("library {0}: {1} kernels", compiles, measured.size()));
    auto library = make(decisions, /*profile=*/true);
    if (!library)
      return library.takeError();
    std::pair<Times, Times> times;
    double compiling = passed() - begin;
    if (Error error =
            runInTurn(*basis, **library, std::max(0.5 * compiling, 0.2), times))
      return error;
    for (auto [search, choice] : measured)
      search->note(choice, Ratio::of(times.second.kernels[search->getKey()],
                                     times.first.kernels[search->getKey()]));
    // Of those that follow, on average.
    all += passed() - begin;
    longest = all / (i + 1);
  }
  return Error::success();
}

/// Measures the best decisions once more, all together: the best of many
/// measurements is a lucky one.
Error Tuner::confirm() {
  show("confirming");
  double begin = passed();
  auto library = make(getBest(), /*profile=*/true);
  if (!library)
    return library.takeError();
  std::pair<Times, Times> times;
  if (Error error =
          runInTurn(*basis, **library, std::max(passed() - begin, 0.5), times))
    return error;
  for (TuningSearch &search : searches) {
    if (!search.hasBetter())
      continue;
    Ratio ratio = Ratio::of(times.second.kernels[search.getKey()],
                            times.first.kernels[search.getKey()]);
    if (ratio.isFaster(kLeastGain))
      search.correct(ratio);
    else
      search.forget();
  }
  return Error::success();
}

/// Decisions that changed a bit would be a fault of the compiler.
Error Tuner::compareOutputs(Library &tuned) {
  auto read = [](const Library &library) {
    NamedArrays arrays;
    const onnxc_model &model = library.loaded.model();
    for (auto [i, output] : enumerate(library.prepared->outputs()))
      addArrays(model.outputs[i].name, output, arrays);
    return arrays;
  };
  for (auto [expected, given] : zip_equal(read(*basis), read(tuned)))
    if (expected.second.shape != given.second.shape ||
        expected.second.data != given.second.data ||
        expected.second.strings != given.second.strings)
      return createStringError("internal error: output '" + expected.first +
                               "' is another one with tuned decisions; nothing "
                               "is written");
  return Error::success();
}

/// Both without the clocks of the profile, as they will run.
Error Tuner::compareWhole() {
  show("comparing the whole model");
  double begin = passed();
  auto plain = make({}, /*profile=*/false);
  if (!plain)
    return plain.takeError();
  basis = std::move(*plain);
  auto tuned = make(getBest(), /*profile=*/false);
  if (!tuned)
    return tuned.takeError();
  std::pair<Times, Times> times;
  if (Error error = runInTurn(*basis, **tuned,
                              std::max(0.5 * (passed() - begin), 1.0), times))
    return error;
  if (Error error = compareOutputs(**tuned))
    return error;
  Ratio ratio = Ratio::of(times.second.whole, times.first.whole);
  basisWhole = medianOf(times.first.whole);
  if (ratio.value + ratio.error < 1) {
    whole = ratio;
    return Error::success();
  }
  reason = formatv("the whole model is not faster with them (it takes {0:f3} "
                   "of the time)",
                   ratio.value);
  for (TuningSearch &search : searches)
    search.forget();
  return Error::success();
}

void Tuner::printTable() const {
  show("");
  outs() << formatv("{0,10}{1,8}{2,7}{3,8}{4,6}  {5}\n", "time us", "share",
                    "tried", "ratio", "kept",
                    "kernel, its decision, the fastest");
  for (auto [search, time] : zip_equal(searches, basisTimes)) {
    const TunableKernel &kernel = compiler.getKernels().at(search.getKey());
    bool isKept = search.hasBetter();
    double ratio = isKept ? search.getRatio().value : search.getFastestRatio();
    outs() << formatv("{0,10:f1}{1,8}{2,7}{3,8:f3}{4,6}  {5}", time * 1e6,
                      formatv("{0:f1}%", 100 * time / basisWhole).str(),
                      search.countMeasured(), ratio, isKept ? "yes" : "no",
                      kernel.node);
    if (kernel.count > 1)
      outs() << " and " << kernel.count - 1 << " more";
    outs() << "\n";
    outs().indent(41) << search.getKey() << "\n";
    outs().indent(41) << mlir::Attribute(search.getBasis()) << "\n";
    kernel::ScheduleInterface fastest =
        isKept ? search.getBest() : search.getFastest();
    if (fastest != search.getBasis())
      outs().indent(41) << mlir::Attribute(fastest) << "\n";
  }
  outs() << formatv("{0} libraries in {1:f0} s; ", compiles, passed());
  if (whole)
    outs() << formatv("the model takes {0:f3} of {1:f1} us\n", whole->value,
                      basisWhole * 1e6);
  else
    outs() << reason << "\n";
}

Error Tuner::run() {
  show("reading the model");
  if (failed(compiler.prepare()))
    return createStringError("cannot be compiled");
  auto first = make({}, /*profile=*/true);
  if (!first)
    return first.takeError();
  basis = std::move(*first);
  if (Error error = checkSizes())
    return error;
  if (Error error = findSlowKernels())
    return error;
  if (Error error = search())
    return error;
  if (!getBest().empty())
    if (Error error = confirm())
      return error;
  if (!getBest().empty())
    if (Error error = compareWhole())
      return error;
  std::string text = compiler.write(getBest(), sys::getHostCPUName());
  if (Error error = writeToOutput(options.output, [&](raw_ostream &os) {
        os << text;
        return Error::success();
      }))
    return error;
  printTable();
  return Error::success();
}

Error Tuner::tryDecisions() {
  if (failed(compiler.prepare()))
    return createStringError("cannot be compiled");
  auto first = make({}, /*profile=*/false);
  if (!first)
    return first.takeError();
  basis = std::move(*first);
  if (Error error = basis->prepared->run())
    return error;
  std::mt19937_64 random;
  size_t all = 0, most = 0;
  std::map<std::string, std::vector<kernel::ScheduleInterface>> order;
  for (const auto &[key, kernel] : compiler.getKernels()) {
    order[key] = kernel.choices;
    std::shuffle(order[key].begin(), order[key].end(), random);
    all += kernel.choices.size();
    most = std::max(most, kernel.choices.size());
  }
  for (unsigned i = 0; i < options.tries; ++i) {
    Decisions decisions;
    for (const auto &[key, choices] : order)
      if (!choices.empty())
        decisions[key] = choices[i % choices.size()];
    auto library = make(decisions, /*profile=*/false);
    if (!library)
      return library.takeError();
    if (Error error = (*library)->prepared->run())
      return error;
    if (Error error = compareOutputs(**library)) {
      errs() << compiler.write(decisions, sys::getHostCPUName());
      return error;
    }
  }
  outs() << formatv("{0} kernels, {1} decisions ({2} for one at most): {3} "
                    "libraries compute the same\n",
                    order.size(), all, most, options.tries);
  return Error::success();
}

static Error tune(const Options &options) {
  if (options.compile.level < 2)
    return createStringError("kernels have decisions to tune from -O2 on");
  if (StringRef(options.compile.cpu).contains(',') ||
      options.compile.cpu == "portable")
    return createStringError("--mcpu=" + options.compile.cpu +
                             ": decisions are for one processor, expected its "
                             "name");
  if (std::string reason = refuseOutput(options.output, options.model);
      !reason.empty())
    return createStringError(reason);
  if (Error error = options.run.checkFiles())
    return error;
  ToolContext tool;
  FindingWriter writer(errs());
  DiagnosticReporter reporter(&tool.get(), writer);
  Tuner tuner(options, tool.get());
  Error error = options.tries ? tuner.tryDecisions() : tuner.run();
  if (!error || !reporter.hadError())
    return error;
  // It was said at the node.
  consumeError(std::move(error));
  return make_error<Failure>(options.model + ": cannot be tuned",
                             reporter.getFailure(options.model));
}

int onnxc::tuneMain(int argc, char **argv) {
  const CommandText text{Command::Tune,
                         "onnxc tune",
                         "onnxc tune: measures how a model's kernels run "
                         "fastest on this machine\n",
                         "<model.onnx>",
                         1,
                         1,
                         examples};
  Arguments arguments(argc, argv, text);
  const Options options{arguments};
  if (Error error = tune(options))
    return reportFailure(std::move(error));
  return 0;
}
