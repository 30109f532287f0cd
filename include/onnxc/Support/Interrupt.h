//===- Interrupt.h - Ending without unfinished files ---------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SUPPORT_INTERRUPT_H
#define ONNXC_SUPPORT_INTERRUPT_H

#include <mutex>

namespace onnxc {

/// To be held from the creation of a file that may be unfinished until LLVM
/// knows it (RemoveFileOnSignal).
std::unique_lock<std::mutex> lockFileCreation();

/// Ctrl-C, and what else asks a command to end, ends it when its unfinished
/// files are deleted, and no thread can create another. (LLVM's handlers delete
/// files, but other threads go on meanwhile.) To be called before there are
/// threads.
void startInterruptThread();

} // namespace onnxc

#endif // ONNXC_SUPPORT_INTERRUPT_H
