//===- Session.cpp - A compiled model and its contexts --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include "onnxc/Load/LoadedModel.h"

#include <mutex>
#include <vector>

using namespace onnxc;
using namespace onnxc::python;

template <typename T> static T valueOrThrow(llvm::Expected<T> value) {
  if (!value)
    throw Error(llvm::toString(value.takeError()));
  return std::move(*value);
}

class Session::Impl {
public:
  Impl(const std::string &path, const std::string &prefix, unsigned threads)
      : loaded(valueOrThrow(LoadedModel::open(path, prefix))),
        threads(threads) {
    // Now rather than in the first run: it can fail.
    release(acquire());
  }

  /// A context that no other call uses.
  ContextPtr acquire() {
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
    return valueOrThrow(loaded.createContext(options));
  }

  void release(ContextPtr context) {
    std::lock_guard<std::mutex> lock(mutex);
    idle.push_back(std::move(context));
  }

  LoadedModel loaded;

private:
  unsigned threads;
  std::mutex mutex;
  std::vector<ContextPtr> idle;
};

Session::Session(const std::string &path, const std::string &prefix,
                 unsigned threads)
    : impl(std::make_unique<Impl>(path, prefix, threads)) {}

Session::~Session() = default;

const onnxc_model &Session::model() const { return impl->loaded.model(); }

std::unique_ptr<Session::Results>
Session::run(const onnxc_tensor *inputs, int32_t numInputs,
             std::vector<onnxc_tensor> outputs) {
  struct Owner : Results {
    Owner(Impl &impl, std::vector<onnxc_tensor> outputs)
        : impl(impl), context(impl.acquire()), tensors(std::move(outputs)) {}
    ~Owner() override { impl.release(std::move(context)); }
    const onnxc_tensor *outputs() const override { return tensors.data(); }

    Impl &impl;
    ContextPtr context;
    std::vector<onnxc_tensor> tensors;
  };
  outputs.resize(model().num_outputs, onnxc_output_buffer(nullptr, 0));
  auto results = std::make_unique<Owner>(*impl, std::move(outputs));
  onnxc_context *context = results->context.get();
  onnxc_status status = onnxc_run(context, inputs, numInputs,
                                  results->tensors.data(), model().num_outputs);
  if (status != ONNXC_OK) {
    std::string why = onnxc_error(context);
    throw Error(why.empty() ? onnxc_status_text(status) : why);
  }
  return results;
}
