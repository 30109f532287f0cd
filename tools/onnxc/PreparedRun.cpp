//===- PreparedRun.cpp - A context with its inputs bound ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PreparedRun.h"

using namespace llvm;
using namespace onnxc;

Expected<std::unique_ptr<PreparedRun>>
PreparedRun::get(StringRef path, const LoadedModel &loaded, ContextPtr context,
                 GetArrays getArrays) {
  const onnxc_model &model = loaded.model();
  Expected<NamedArrays> arrays = getArrays(model);
  if (!arrays)
    return arrays.takeError();
  std::unique_ptr<PreparedRun> run(
      new PreparedRun(path, std::move(context), std::move(*arrays)));
  Expected<std::vector<onnxc_tensor>> bound = run->binder.bind(model);
  if (!bound)
    return bound.takeError();
  run->bound = std::move(*bound);
  run->results.assign(model.num_outputs, onnxc_output_buffer(nullptr, 0));
  return run;
}

Error PreparedRun::run() {
  // Each run is the first one of a stream: the same work.
  onnxc_status status = onnxc_reset(owned.get());
  if (status == ONNXC_OK)
    status = onnxc_run(owned.get(), bound.data(), bound.size(), results.data(),
                       results.size());
  if (status == ONNXC_OK)
    return Error::success();
  std::string why = onnxc_error(owned.get());
  return createStringError(path + ": " +
                           (why.empty() ? onnxc_status_text(status) : why));
}
