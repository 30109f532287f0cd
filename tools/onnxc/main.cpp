//===- main.cpp - The onnxc command ---------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// onnxc model.onnx -o model.so     compiles; other verbs come first:
// onnxc run model.so ...
//
//===----------------------------------------------------------------------===//

#include "ToolMains.h"
#include "Verbs.h"

#include "onnxc/Support/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/InitLLVM.h"

#include <string>
#include <vector>

int onnxc_main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  onnxc::setCrashText();
  struct Verb {
    llvm::StringLiteral name;
    int (*run)(int argc, char **argv);
  };
  constexpr Verb verbs[] = {{"check", onnxc::checkMain},
                            {"inspect", onnxc::inspectMain},
                            {"run", onnxc::runMain},
                            {"bench", onnxc::benchMain},
                            {"profile", onnxc::profileMain},
                            {"targets", onnxc::targetsMain}};
  for (const Verb &verb : verbs) {
    if (argc < 2 || verb.name != argv[1])
      continue;
    std::vector<char *> arguments(argv, argv + argc);
    arguments.erase(arguments.begin() + 1);
    std::string name = "onnxc " + verb.name.str();
    arguments.front() = name.data();
    return verb.run(argc - 1, arguments.data());
  }
  return onnxc::compileMain(argc, argv);
}
