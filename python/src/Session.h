//===- Session.h - A compiled model and its contexts ---------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PYTHON_SRC_SESSION_H
#define ONNXC_PYTHON_SRC_SESSION_H

#include "Error.h"

#include "onnxc/Load/ModelLibrary.h"

#include <mutex>
#include <vector>

namespace onnxc::python {

/// A compiled model that any number of threads may run at once.
class Session {
public:
  /// `prefix` may be empty if the file has one model. `threads` is how many
  /// work on a run; 0 for one per core. Throws Error.
  Session(const std::string &path, const std::string &prefix, unsigned threads);

  const onnxc_model &model() const { return library->model(); }

  /// A run, and its results, which live in a context that no other call uses
  /// as long as this does, or in the caller's buffers.
  class Run {
  public:
    /// `outputs` are buffers of the caller, those without data the context's.
    /// Throws Error.
    Run(Session &session, const std::vector<onnxc_tensor> &inputs,
        std::vector<onnxc_tensor> outputs);
    Run(const Run &) = delete;
    ~Run();

    /// As many as the model has outputs.
    const std::vector<onnxc_tensor> &outputs() const { return tensors; }

  private:
    Session &session;
    ContextPtr context;
    std::vector<onnxc_tensor> tensors;
  };

private:
  /// A context that no other call uses.
  ContextPtr acquire();
  void release(ContextPtr context);

  std::unique_ptr<ModelLibrary> library;
  unsigned threads;
  std::mutex mutex;
  std::vector<ContextPtr> idle;
};

} // namespace onnxc::python

#endif // ONNXC_PYTHON_SRC_SESSION_H
