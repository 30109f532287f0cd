//===- Verbs.h - The verbs of the onnxc command --------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_VERBS_H
#define ONNXC_TOOLS_ONNXC_VERBS_H

#include "llvm/ADT/StringRef.h"

namespace onnxc {

/// Each verb parses its own arguments (argv[0] is the program) and returns the
/// exit status.
int compileMain(int argc, char **argv);
int checkMain(int argc, char **argv);
int inspectMain(int argc, char **argv);
int runMain(int argc, char **argv);
int benchMain(int argc, char **argv);
int profileMain(int argc, char **argv);
int compareMain(int argc, char **argv);
int convertMain(int argc, char **argv);
int doctorMain(int argc, char **argv);
int targetsMain(int argc, char **argv);
int tuneMain(int argc, char **argv);
int quantizeMain(int argc, char **argv);

/// Prints the processors and features of a triple, this machine's if it is
/// empty. Returns the exit status.
int listProcessors(llvm::StringRef triple);

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_VERBS_H
