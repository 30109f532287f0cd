//===- Session.cpp - A compiled model and its contexts --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

using namespace onnxc;
using namespace onnxc::python;

Session::Session(const std::string &path, const std::string &prefix,
                 unsigned threads)
    : threads(threads) {
  std::string error;
  library = ModelLibrary::open(path, prefix, error);
  if (!library)
    throw Error(error, "invalid-library");
  // Now rather than in the first run: it can fail.
  release(acquire());
}

Session::Session(Session &other)
    : library(other.library), threads(other.threads) {
  Use use(other);
  onnxc_context *context = nullptr;
  use.check(onnxc_state_fork(use.get(), &context));
  release(ContextPtr(context));
}

ContextPtr Session::acquire() {
  {
    std::unique_lock<std::mutex> lock(mutex);
    // The first one is made before any call.
    if (isOpen && model().num_states)
      isReleased.wait(lock, [&] { return !idle.empty(); });
    if (!idle.empty()) {
      ContextPtr context = std::move(idle.back());
      idle.pop_back();
      return context;
    }
  }
  onnxc_options options = {};
  options.threads = static_cast<int32_t>(threads);
  std::string error;
  ContextPtr context = library->createContext(options, error);
  if (!context)
    throw Error(error, "invalid-library");
  return context;
}

/// The status of a run as an error's code.
static const char *nameOf(onnxc_status status) {
  switch (status) {
  case ONNXC_INVALID_INPUT:
    return "invalid-input";
  case ONNXC_BUFFER_TOO_SMALL:
    return "buffer-too-small";
  case ONNXC_OUT_OF_MEMORY:
    return "out-of-memory";
  case ONNXC_RUNTIME_ERROR:
    return "runtime-error";
  case ONNXC_UNSUPPORTED_CPU:
    return "unsupported-cpu";
  case ONNXC_ABI_MISMATCH:
    return "abi-mismatch";
  case ONNXC_INVALID_ARGUMENT:
  case ONNXC_OK:
    break;
  }
  return "invalid-argument";
}

void Session::release(ContextPtr context) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    idle.push_back(std::move(context));
    isOpen = true;
  }
  isReleased.notify_one();
}

void Session::Use::check(onnxc_status status) const {
  if (status == ONNXC_OK)
    return;
  std::string why = onnxc_error(context.get());
  throw Error(why.empty() ? onnxc_status_text(status) : why, nameOf(status));
}

Session::Run::Run(Session &session, const std::vector<onnxc_tensor> &inputs,
                  std::vector<onnxc_tensor> outputs)
    : use(session), tensors(std::move(outputs)) {
  use.check(onnxc_run(use.get(), inputs.data(),
                      static_cast<int32_t>(inputs.size()), tensors.data(),
                      static_cast<int32_t>(tensors.size())));
}
