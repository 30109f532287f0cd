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
    throw Error(error);
  // Now rather than in the first run: it can fail.
  release(acquire());
}

ContextPtr Session::acquire() {
  {
    std::lock_guard<std::mutex> lock(mutex);
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
    throw Error(error);
  return context;
}

void Session::release(ContextPtr context) {
  std::lock_guard<std::mutex> lock(mutex);
  idle.push_back(std::move(context));
}

Session::Run::Run(Session &session, const std::vector<onnxc_tensor> &inputs,
                  std::vector<onnxc_tensor> outputs)
    : session(session), context(session.acquire()),
      tensors(std::move(outputs)) {
  onnxc_status status = onnxc_run(
      context.get(), inputs.data(), static_cast<int32_t>(inputs.size()),
      tensors.data(), static_cast<int32_t>(tensors.size()));
  if (status == ONNXC_OK)
    return;
  std::string why = onnxc_error(context.get());
  session.release(std::move(context));
  throw Error(why.empty() ? onnxc_status_text(status) : why);
}

Session::Run::~Run() { session.release(std::move(context)); }
