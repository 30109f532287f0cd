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

#include "Verbs.h"

#include "onnxc/Support/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/InitLLVM.h"

#include <vector>

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  onnxc::setCrashText();
  if (argc > 1 && llvm::StringRef(argv[1]) == "run") {
    std::vector<char *> arguments(argv, argv + argc);
    arguments.erase(arguments.begin() + 1);
    static char name[] = "onnxc run";
    arguments.front() = name;
    return onnxc::runMain(argc - 1, arguments.data());
  }
  return onnxc::compileMain(argc, argv);
}
