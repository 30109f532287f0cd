//===- StandardOutput.cpp - What could not be written ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StandardOutput.h"

#include "Findings.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <string>

using namespace llvm;

static std::string &programName() {
  static std::string name;
  return name;
}

static void checkOutput() {
  raw_fd_ostream &os = outs();
  os.flush();
  if (!os.has_error())
    return;
  errs() << programName() << ": standard output: " << os.error().message()
         << "\n";
  os.clear_error();
  // The status of std::exit, which runs this, stands already.
  std::_Exit(onnxc::status::model);
}

void onnxc::reportOutputErrors(const char *program) {
  programName() = sys::path::stem(program ? program : "onnxc").str();
  // What is made before the registration is destroyed after the function.
  (void)outs();
  (void)errs();
  (void)std::atexit(checkOutput);
}
