//===- StandardOutput.h - What could not be written ------------ -*- C++
//-*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_TOOLSUPPORT_STANDARDOUTPUT_H
#define ONNXC_TOOLS_TOOLSUPPORT_STANDARDOUTPUT_H

namespace onnxc {

/// That the standard output takes no more, a full disk, is one line, and the
/// status of a file that cannot be written, however the program ends:
/// llvm::outs reports it as a crash. Called first in a command.
void reportOutputErrors();

} // namespace onnxc

#endif // ONNXC_TOOLS_TOOLSUPPORT_STANDARDOUTPUT_H
