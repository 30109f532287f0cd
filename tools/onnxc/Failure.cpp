//===- Failure.cpp - Errors that verbs end with ---------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Failure.h"

#include "Findings.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;

char Failure::ID = 0;

int onnxc::reportFailure(Error error) {
  int result = status::model;
  handleAllErrors(std::move(error), [&](const ErrorInfoBase &info) {
    const std::string text = info.message();
    errs() << text << "\n";
    if (info.isA<Failure>())
      result = static_cast<const Failure &>(info).status();
    else if (StringRef(text).starts_with("--"))
      result = status::usage;
  });
  return result;
}
