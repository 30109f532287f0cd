//===- StandardOutput.cpp - What could not be written ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StandardOutput.h"

#include "Findings.h"

#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdlib>

using namespace llvm;

static void checkOutput() {
  raw_fd_ostream &os = outs();
  os.flush();
  if (!os.has_error())
    return;
  errs() << program_invocation_short_name
         << ": standard output: " << os.error().message() << "\n";
  os.clear_error();
  // The status of std::exit, which runs this, stands already.
  std::_Exit(onnxc::status::model);
}

void onnxc::reportOutputErrors() {
  // What is made before the registration is destroyed after the function.
  (void)outs();
  (void)errs();
  (void)std::atexit(checkOutput);
}
