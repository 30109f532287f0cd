//===- Interrupt.cpp - Ending without unfinished files --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/Interrupt.h"

#include "llvm/Support/Signals.h"

#include <csignal>
#include <thread>

std::unique_lock<std::mutex> onnxc::lockFileCreation() {
  static std::mutex mutex;
  return std::unique_lock<std::mutex>(mutex);
}

/// Waits for one of the signals, and ends the process by it.
static void endBySignal(sigset_t waited) {
  int number = 0;
  while (sigwait(&waited, &number) != 0)
    continue;
  std::unique_lock<std::mutex> lock = onnxc::lockFileCreation();
  llvm::sys::RunInterruptHandlers();
  std::signal(number, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &waited, nullptr);
  raise(number);
}

void onnxc::startInterruptThread() {
  sigset_t waited;
  sigemptyset(&waited);
  // What the shell ignores, as nohup does, stays ignored.
  for (int number : {SIGHUP, SIGINT, SIGTERM}) {
    struct sigaction now;
    if (sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
      sigaddset(&waited, number);
  }
  pthread_sigmask(SIG_BLOCK, &waited, nullptr);
  std::thread(endBySignal, waited).detach();
}
