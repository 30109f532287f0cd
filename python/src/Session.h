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

#include <condition_variable>
#include <mutex>
#include <vector>

namespace onnxc::python {

/// A compiled model that any number of threads may run at once. One with states
/// has one context, which they use one after the other.
class Session {
public:
  /// `prefix` may be empty if the file has one model. `threads` is how many
  /// work on a run; 0 for one per core. Throws Error.
  Session(const std::string &path, const std::string &prefix, unsigned threads);
  /// Another session of the same model, with the states that `other` has.
  /// Throws Error.
  explicit Session(Session &other);

  const onnxc_model &model() const { return library->model(); }

  /// A context that no other call uses as long as this lives.
  class Use {
  public:
    explicit Use(Session &session)
        : session(session), context(session.acquire()) {}
    Use(const Use &) = delete;
    ~Use() { session.release(std::move(context)); }

    onnxc_context *get() const { return context.get(); }
    /// Throws Error where a call with the context failed.
    void check(onnxc_status status) const;

  private:
    Session &session;
    ContextPtr context;
  };

  /// A run, and its results, which live in a context that no other call uses
  /// as long as this does, or in the caller's buffers.
  class Run {
  public:
    /// `outputs` are buffers of the caller, those without data the context's.
    /// Throws Error.
    Run(Session &session, const std::vector<onnxc_tensor> &inputs,
        std::vector<onnxc_tensor> outputs);
    Run(const Run &) = delete;

    /// As many as the model has outputs.
    const std::vector<onnxc_tensor> &outputs() const { return tensors; }

  private:
    Use use;
    std::vector<onnxc_tensor> tensors;
  };

private:
  /// A context that no other call uses.
  ContextPtr acquire();
  void release(ContextPtr context);

  /// Forks share it.
  std::shared_ptr<ModelLibrary> library;
  unsigned threads;
  std::mutex mutex;
  std::condition_variable isReleased;
  std::vector<ContextPtr> idle;
  /// The first context is there.
  bool isOpen = false;
};

} // namespace onnxc::python

#endif // ONNXC_PYTHON_SRC_SESSION_H
