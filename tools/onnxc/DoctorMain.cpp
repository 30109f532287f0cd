//===- DoctorMain.cpp - onnxc doctor --------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Findings.h"
#include "ModelRunner.h"
#include "Verbs.h"

#include "onnxc/Emit/Emit.h"
#include "onnxc/Target/Levels.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <cstring>

using namespace llvm;
using namespace onnxc;

namespace {

/// A line of the report.
struct Fact {
  /// What JSON calls it, and what people read.
  StringLiteral key, title;
  std::string value;
  /// Without it, onnxc does not do what it should here.
  bool isWrong = false;
};

class Examination {
public:
  explicit Examination(const char *program) : program(program) {}

  void run();
  void print(bool asJson) const;
  bool isHealthy() const {
    return none_of(facts, [](const Fact &fact) { return fact.isWrong; });
  }

private:
  void add(StringLiteral key, StringLiteral title, std::string value,
           bool isWrong = false) {
    facts.push_back({key, title, std::move(value), isWrong});
  }
  void examineInstallation();
  void examineModel();
  void examineLevels(const ModelRunner &runner);

  std::string program;
  std::vector<Fact> facts;
};

} // namespace

/// In ONNX's textual syntax.
static constexpr StringLiteral model = R"(
<ir_version: 8, opset_import: ["" : 17], producer_name: "onnxc doctor">
doctor (float[1,3] x) => (float[1,2] y)
<float[3,2] w = {1, -1, 2, -2, 3, -3}>
{
  t = MatMul(x, w)
  y = Relu(t)
}
)";

/// Whether the result is that of the model for x = 1, 2, 3: 14, and 0 for -14.
static bool isRight(const NamedArrays &outputs) {
  constexpr float expected[] = {14, 0};
  return outputs.size() == 1 &&
         outputs.front().second.data.size() == sizeof expected &&
         !std::memcmp(outputs.front().second.data.data(), expected,
                      sizeof expected);
}

/// Which levels of processors this machine has.
void Examination::examineLevels(const ModelRunner &runner) {
  std::string text;
  for (const onnxc_model *const *level = runner.model().levels; level && *level;
       ++level) {
    onnxc_options options = {};
    options.threads = 1;
    options.cpu_level = (*level)->target_cpu;
    text += (text.empty() ? "" : "\n") + std::string(options.cpu_level);
    if (Error error = runner.createContext(options).takeError()) {
      std::string why = toString(std::move(error));
      text += ": not here: " + StringRef(why).rsplit(": ").second.str();
    } else {
      text += ": runs";
    }
  }
  if (!text.empty())
    add("levels", "levels of processors", text);
}

void Examination::examineModel() {
  TemporaryOptions options;
  options.cpu = portableCpu.str();
  Expected<ModelRunner> runner = ModelRunner::get(
      MemoryBuffer::getMemBuffer(model), "doctor.onnxtxt", options);
  if (!runner)
    return add("compile", "compile of a small model",
               toString(runner.takeError()), /*isWrong=*/true);
  add("compile", "compile of a small model", "works");
  Array x;
  x.dtype = ONNXC_FLOAT;
  x.itemSize = sizeof(float);
  x.shape = {1, 3};
  constexpr float numbers[] = {1, 2, 3};
  x.data.resize(sizeof numbers);
  std::memcpy(x.data.data(), numbers, sizeof numbers);
  Expected<NamedArrays> outputs = runner->run({{"x", x}}, onnxc_options());
  if (!outputs)
    add("run", "run of it", toString(outputs.takeError()), /*isWrong=*/true);
  else if (!isRight(*outputs))
    add("run", "run of it", "gives wrong numbers", /*isWrong=*/true);
  else
    add("run", "run of it", "works");
  examineLevels(*runner);
}

void Examination::examineInstallation() {
  StringRef bin = sys::path::parent_path(program);
  StringRef prefix = sys::path::parent_path(bin);
  auto find = [&](const Twine &name, StringRef folder) -> std::string {
    SmallString<128> path(folder);
    sys::path::append(path, name);
    return sys::fs::exists(path) ? path.str().str() : "";
  };
  auto say = [&](const std::string &path) {
    return path.empty() ? "not here" : path;
  };
  add("optimizer", "onnx-optimize", say(find("onnx-optimize", bin)));
  add("header", "header of compiled models",
      say(find("include/onnxc/runtime.h", prefix)));
  add("cmake", "package for CMake",
      say(find("lib/cmake/onnxc/onnxcConfig.cmake", prefix)));
  add("runner", "run_model.c", say(find("share/onnxc/run_model.c", prefix)));
  add("webassembly", ".wasm files",
      hasWebAssemblyLibrary() ? "can be made"
                              : "cannot be made: built without wasi-libc");
  SmallString<128> temporary;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, temporary);
  std::error_code error =
      sys::fs::access(temporary, sys::fs::AccessMode::Write);
  add("temporary", "folder for temporary files",
      temporary.str().str() + (error ? ": " + error.message() : ""),
      static_cast<bool>(error));
  Expected<std::string> python = findOnnxRuntime();
  add("onnxruntime", "ONNX Runtime, for onnxc compare",
      python ? "of " + *python : toString(python.takeError()));
}

void Examination::run() {
  add("version", "onnxc", ONNXC_VERSION ", LLVM " LLVM_VERSION_STRING);
  add("program", "program", program);
  add("machine", "machine",
      sys::getProcessTriple() + ", " + sys::getHostCPUName().str() + ", " +
          std::to_string(hardware_concurrency().compute_thread_count()) +
          " threads");
  examineModel();
  examineInstallation();
}

void Examination::print(bool asJson) const {
  if (asJson) {
    json::OStream out(outs(), 2);
    out.object([&] {
      for (const Fact &fact : facts)
        out.attribute(fact.key, fact.value);
      out.attribute("healthy", isHealthy());
    });
    outs() << "\n";
    return;
  }
  size_t width = 0;
  for (const Fact &fact : facts)
    width = std::max(width, fact.title.size());
  for (const Fact &fact : facts) {
    StringRef title = fact.title;
    for (StringRef line : split(fact.value, '\n')) {
      outs() << left_justify(title, static_cast<unsigned>(width + 2)) << line
             << (fact.isWrong ? "  <- wrong" : "") << "\n";
      title = "";
    }
  }
  outs() << (isHealthy() ? "all is well\n" : "something is wrong\n");
}

int onnxc::doctorMain(int argc, char **argv) {
  const CommandText text{
      Command::Doctor,
      "onnxc doctor",
      "onnxc doctor: what is installed, what this machine has, and whether a "
      "small model compiles and runs\n",
      "",
      0,
      0,
      ""};
  mlir::registerPassManagerCLOptions(); // The compile reads them.
  Arguments arguments(argc, argv, text);
  Examination examination(
      sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(&doctorMain))
          .c_str());
  examination.run();
  examination.print(arguments.getFlag(OPT_json));
  return examination.isHealthy() ? 0 : status::model;
}
