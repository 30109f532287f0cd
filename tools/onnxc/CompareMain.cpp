//===- CompareMain.cpp - onnxc compare model.onnx -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Failure.h"
#include "Findings.h"
#include "FirstDifference.h"
#include "ModelRunner.h"
#include "RunOptions.h"
#include "StoredTests.h"
#include "Verbs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;

namespace {

struct Options {
  const Arguments &arguments;
  std::string model = arguments.getOperand(0);
  TimingOptions run{arguments};
  TemporaryOptions compile = [this] {
    TemporaryOptions asked(arguments);
    asked.shapes = run.shapes;
    return asked;
  }();
  std::string testData = arguments.getName(OPT_test_data);
  std::string expect = arguments.getName(OPT_expect);
  std::string against = arguments.getChoice(OPT_against, "");
  Tolerance tolerance{arguments};

  bool hasInputs() const { return !run.inputs.empty() || !run.input.empty(); }
};

/// What the model is compared with.
struct Oracle {
  enum Kind { Stored, OnnxRuntime, Loops } kind = Loops;
  /// As messages call it.
  std::string name;
  /// The program that has ONNX Runtime.
  std::string python;
};

/// What one set of inputs showed.
enum class Outcome { Same, Different };

constexpr char moreHelp[] = R"(
Each set of inputs that there is (--inputs, --test-data, test_data_set_0 ... beside the
model, or made up ones) is run, and the outputs are compared. Where they differ, the
values of all nodes are, down to the first that does.

EXAMPLES
  onnxc compare model.onnx                      stored outputs, ONNX Runtime or -O0
  onnxc compare model.onnx --inputs in.npz --expect out.npz --rtol 1e-4
  onnxc compare model.onnx -O3 --against=O0 --shape x:4x3x224x224
)";

class Comparison {
public:
  explicit Comparison(const Options &options) : options(options) {}

  /// Whether all is the same.
  Expected<bool> run();

private:
  Error readModel();
  Expected<std::vector<TestSet>> collectSets();
  Expected<Oracle> chooseOracle(const TestSet &set);
  Expected<NamedArrays> compute(std::string model, unsigned level,
                                const NamedArrays &inputs) const;
  Expected<NamedArrays> askOracle(const Oracle &oracle, std::string model,
                                  const NamedArrays &inputs) const;
  Expected<Outcome> compare(const TestSet &set);
  Error explain(const TestSet &set, const Oracle &oracle);

  const Options &options;
  std::unique_ptr<MemoryBuffer> file;
  std::optional<ModelMessage> message;
  std::optional<ModelRunner> runner;
};

} // namespace

Error Comparison::readModel() {
  const std::string &path = options.model;
  auto opened = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!opened)
    return createStringError(path + ": " + opened.getError().message());
  file = std::move(*opened);
  Expected<ModelMessage> parsed = ModelMessage::parse(file->getBuffer(), path);
  if (!parsed)
    return parsed.takeError();
  message.emplace(std::move(*parsed));
  return Error::success();
}

Expected<std::vector<TestSet>> Comparison::collectSets() {
  const onnxc_model &model = runner->model();
  std::vector<TestSet> sets;
  std::string folder = options.testData;
  if (folder.empty() && !options.hasInputs())
    folder = sys::path::parent_path(options.model).str();
  std::vector<std::string> folders;
  if (!folder.empty() || !options.hasInputs())
    folders = findTestSets(folder.empty() ? "." : folder);
  if (!options.testData.empty() && folders.empty())
    return createStringError(options.testData +
                             ": has neither input_0.pb nor test_data_set_0");
  std::vector<std::string> inputs, outputs;
  for (int32_t i = 0; i < model.num_inputs + model.num_overridable; ++i)
    inputs.push_back(model.inputs[i].name);
  for (int32_t i = 0; i < model.num_outputs; ++i)
    outputs.push_back(model.outputs[i].name);
  for (const std::string &path : folders) {
    Expected<TestSet> set = readTestSet(path, inputs, outputs);
    if (!set)
      return set.takeError();
    sets.push_back(std::move(*set));
  }
  if (!sets.empty() && options.expect.empty())
    return sets;
  // What the command line gives, and the rest made up.
  TestSet given;
  given.name = options.hasInputs() ? "the inputs given" : "made-up inputs";
  Expected<NamedArrays> arrays = options.run.readOrMake(model);
  if (!arrays)
    return arrays.takeError();
  given.inputs = std::move(*arrays);
  if (!options.expect.empty()) {
    Expected<NamedArrays> expected =
        readExpected(options.expect, outputs.size() == 1 ? outputs[0] : "");
    if (!expected)
      return expected.takeError();
    given.outputs = std::move(*expected);
  }
  sets.clear();
  sets.push_back(std::move(given));
  return sets;
}

Expected<Oracle> Comparison::chooseOracle(const TestSet &set) {
  StringRef against = options.against;
  if (against == "stored" && set.outputs.empty())
    return createStringError(set.name +
                             ": there are no stored outputs; give --expect or "
                             "--test-data, or another --against");
  if (against == "stored" || (against.empty() && !set.outputs.empty()))
    return Oracle{Oracle::Stored,
                  options.expect.empty() ? "the stored output" : options.expect,
                  ""};
  if (against != "O0") {
    Expected<std::string> python = findOnnxRuntime();
    if (python)
      return Oracle{Oracle::OnnxRuntime, "ONNX Runtime", *python};
    if (against == "onnxruntime")
      return createStringError("--against=onnxruntime: " +
                               toString(python.takeError()));
    consumeError(python.takeError());
  }
  return Oracle{Oracle::Loops, "-O0", ""};
}

Expected<NamedArrays> Comparison::compute(std::string model, unsigned level,
                                          const NamedArrays &inputs) const {
  TemporaryOptions compile = options.compile;
  compile.level = level;
  Expected<ModelRunner> made = ModelRunner::get(
      MemoryBuffer::getMemBufferCopy(model), options.model, compile);
  if (!made)
    return made.takeError();
  return made->run(inputs, options.run.contextOptions());
}

Expected<NamedArrays> Comparison::askOracle(const Oracle &oracle,
                                            std::string model,
                                            const NamedArrays &inputs) const {
  if (oracle.kind == Oracle::OnnxRuntime)
    return runOnnxRuntime(oracle.python, model, inputs);
  return compute(std::move(model), 0, inputs);
}

/// The node where the difference begins. Stored are outputs alone, so that -O0
/// says what the other values are.
Error Comparison::explain(const TestSet &set, const Oracle &oracle) {
  Oracle other = oracle;
  if (oracle.kind == Oracle::Stored) {
    Expected<NamedArrays> loops =
        compute(file->getBuffer().str(), 0, set.inputs);
    if (!loops)
      return loops.takeError();
    double worst = 0;
    bool isOptimization = describeDifferences("", *loops, set.outputs, "",
                                              options.tolerance, worst)
                              .empty();
    other = {Oracle::Loops, "-O0", ""};
    if (!isOptimization) {
      Expected<std::string> python = findOnnxRuntime();
      if (python)
        other = {Oracle::OnnxRuntime, "ONNX Runtime", *python};
      else
        consumeError(python.takeError());
    }
    if (!isOptimization && other.kind == Oracle::Loops) {
      outs() << "  -O0 differs from it, too, and there is no ONNX Runtime that "
                "knows the values of nodes\n";
      return Error::success();
    }
  }
  return reportFirstDifference(
      *message,
      [&](std::string model) {
        return compute(std::move(model), options.compile.level, set.inputs);
      },
      [&](std::string model) {
        return askOracle(other, std::move(model), set.inputs);
      },
      other.name, options.tolerance, outs());
}

Expected<Outcome> Comparison::compare(const TestSet &set) {
  Expected<Oracle> oracle = chooseOracle(set);
  if (!oracle)
    return oracle.takeError();
  Expected<NamedArrays> got =
      runner->run(set.inputs, options.run.contextOptions());
  if (!got)
    return got.takeError();
  NamedArrays want = set.outputs;
  if (oracle->kind != Oracle::Stored) {
    Expected<NamedArrays> asked =
        askOracle(*oracle, file->getBuffer().str(), set.inputs);
    if (!asked)
      return asked.takeError();
    want = std::move(*asked);
  }
  double worst = 0;
  std::string wrong = describeDifferences("output", *got, want, oracle->name,
                                          options.tolerance, worst);
  outs() << set.name << ": ";
  if (wrong.empty()) {
    outs() << want.size() << (want.size() == 1 ? " output" : " outputs")
           << format(" as %s has it; the greatest difference is %.3g of the "
                     "greatest number\n",
                     oracle->name.c_str(), worst);
    return Outcome::Same;
  }
  outs() << StringRef(wrong).rtrim() << "\n";
  if (Error error = explain(set, *oracle))
    return error;
  return Outcome::Different;
}

Expected<bool> Comparison::run() {
  // Neither is dropped without a word.
  if (!options.testData.empty() &&
      (options.hasInputs() || !options.expect.empty()))
    return make_error<Failure>("onnxc compare: --test-data= has inputs and "
                               "outputs, expected no --inputs=, --input= or "
                               "--expect= beside it",
                               status::usage);
  // Before the work of a compile.
  if (Error error = options.run.checkFiles(options.expect))
    return error;
  if (Error error = readModel())
    return error;
  Expected<ModelRunner> made =
      ModelRunner::get(MemoryBuffer::getMemBuffer(file->getMemBufferRef(),
                                                  /*RequiresNullTerminator=*/
                                                  false),
                       options.model, options.compile);
  if (!made)
    return made.takeError();
  runner.emplace(std::move(*made));
  Expected<std::vector<TestSet>> sets = collectSets();
  if (!sets)
    return sets.takeError();
  for (const TestSet &set : *sets) {
    Expected<Outcome> outcome = compare(set);
    if (!outcome)
      return outcome.takeError();
    if (*outcome == Outcome::Different)
      return false;
  }
  return true;
}

int onnxc::compareMain(int argc, char **argv) {
  const CommandText text{
      Command::Compare,
      "onnxc compare",
      "onnxc compare: whether a compiled model computes what it should, and "
      "from which node on not\n",
      "<model.onnx>",
      1,
      1,
      moreHelp};
  Arguments arguments(argc, argv, text);
  const Options options{arguments};
  Expected<bool> same = Comparison(options).run();
  if (!same)
    return reportFailure(same.takeError());
  return *same ? 0 : 1;
}
