//===- Fault.h - onnx.fault ----------------------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_LOWER_FAULT_H
#define ONNXC_LIB_LOWER_FAULT_H

namespace onnxc {

class Lowerings;

/// Part of the control flow.
void populateFault(Lowerings &lowerings);

} // namespace onnxc

#endif // ONNXC_LIB_LOWER_FAULT_H
