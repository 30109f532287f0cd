//===- main.cpp - The onnxc command ---------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// onnxc model.onnx -o model.so     compiles, as `onnxc compile` does; other
// onnxc run model.so ...           verbs come first
//
//===----------------------------------------------------------------------===//

#include "StandardOutput.h"
#include "ToolMains.h"
#include "Verbs.h"

#include "onnxc/Support/Diagnostics.h"
#include "onnxc/Support/Interrupt.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

using namespace llvm;

namespace {
struct Verb {
  StringLiteral name;
  int (*run)(int argc, char **argv);
};
} // namespace

static constexpr Verb verbs[] = {
    {"compile", onnxc::compileMain},  {"check", onnxc::checkMain},
    {"inspect", onnxc::inspectMain},  {"run", onnxc::runMain},
    {"bench", onnxc::benchMain},      {"profile", onnxc::profileMain},
    {"compare", onnxc::compareMain},  {"optimize", onnxc::optimizeMain},
    {"convert", onnxc::convertMain},  {"doctor", onnxc::doctorMain},
    {"targets", onnxc::targetsMain},  {"tune", onnxc::tuneMain},
    {"quantize", onnxc::quantizeMain}};

static const Verb *findVerb(StringRef name) {
  const Verb *verb =
      find_if(verbs, [&](const Verb &verb) { return verb.name == name; });
  return verb == std::end(verbs) ? nullptr : verb;
}

/// Runs the verb as "onnxc <verb>" on the arguments behind it.
static int runVerb(const Verb &verb, ArrayRef<char *> arguments) {
  std::string name = "onnxc " + verb.name.str();
  std::vector<char *> all{name.data()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.push_back(nullptr);
  return verb.run(all.size() - 1, all.data());
}

/// A word that looks like a verb, and names no file.
static int reportUnknownVerb(StringRef given) {
  errs() << "onnxc: '" << given << "' is neither a verb nor a file";
  StringRef nearest;
  unsigned distance = 3;
  for (const Verb &verb : verbs) {
    unsigned other = given.edit_distance(verb.name, true, distance);
    if (other < distance) {
      distance = other;
      nearest = verb.name;
    }
  }
  if (!nearest.empty())
    errs() << "; did you mean '" << nearest << "'?\n";
  else
    errs() << "; onnxc --help lists the verbs\n";
  return 2;
}

int onnxc_main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  onnxc::setCrashText();
  onnxc::reportOutputErrors();
  onnxc::startInterruptThread();
  ArrayRef<char *> arguments = ArrayRef(argv, argc).drop_front(argc > 0);
  if (arguments.empty())
    return onnxc::compileMain(argc, argv);
  StringRef first = arguments.front();
  ArrayRef<char *> rest = arguments.drop_front();
  if (const Verb *verb = findVerb(first))
    return runVerb(*verb, rest);
  // A file of such a name is meant by ./help.
  if (first == "help" || first == "version") {
    std::string option = "--" + first.str();
    const Verb *verb = rest.empty() ? &verbs[0] : findVerb(rest.front());
    if (!verb)
      return reportUnknownVerb(rest.front());
    if (rest.empty()) {
      char *all[] = {argv[0], option.data(), nullptr};
      return onnxc::compileMain(2, all);
    }
    return runVerb(*verb, {option.data()});
  }
  if (!first.starts_with("-") && first.find_first_of("./\\") == first.npos &&
      !sys::fs::exists(first))
    return reportUnknownVerb(first);
  return onnxc::compileMain(argc, argv);
}
