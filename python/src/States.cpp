//===- States.cpp - What a session keeps, as values of Python -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runner.h"

#include "Inputs.h"
#include "Outputs.h"

namespace nb = nanobind;
using namespace onnxc::python;

/// Calls `function` with the session's context, and lets Python's other threads
/// work meanwhile: one of them may have the context.
template <typename Function>
static void use(Session &session, Function function) {
  nb::gil_scoped_release release;
  Session::Use context(session);
  context.check(function(context.get()));
}

void Runner::reset() { use(session, onnxc_reset); }

int64_t Runner::getStateLength() {
  int64_t length = 0;
  use(session, [&](onnxc_context *context) {
    length = onnxc_state_length(context);
    return ONNXC_OK;
  });
  return length;
}

nb::object Runner::getState(int32_t state) {
  std::vector<std::max_align_t> elements;
  onnxc_tensor tensor = onnxc_output_buffer(nullptr, 0);
  use(session, [&](onnxc_context *context) {
    onnxc_status status = onnxc_state_get(context, state, &tensor);
    if (status != ONNXC_OK)
      return status;
    elements.resize(tensor.bytes / sizeof(std::max_align_t) + 1);
    tensor.data = elements.data();
    return onnxc_state_get(context, state, &tensor);
  });
  return Outputs(numpy).convert(tensor);
}

void Runner::setState(int32_t state, nb::handle value) {
  if (state < 0 || state >= model().num_states)
    throw Error("there is no state number " + std::to_string(state),
                "invalid-argument");
  const onnxc_value_info &info = model().states[state].value;
  Inputs given(numpy, 1);
  given.add(value, ValueType::parse(info.type), info.name);
  use(session, [&](onnxc_context *context) {
    return onnxc_state_set(context, state, given.tensors().data());
  });
}

void Runner::truncateStates(int32_t state, int64_t length) {
  use(session, [&](onnxc_context *context) {
    return onnxc_state_truncate(context, state, length);
  });
}

nb::object Runner::saveStates() {
  std::vector<char> bytes;
  use(session, [&](onnxc_context *context) {
    uint64_t size = 0;
    onnxc_status status = onnxc_state_save(context, nullptr, &size);
    if (status != ONNXC_OK)
      return status;
    bytes.resize(size);
    return onnxc_state_save(context, bytes.data(), &size);
  });
  return nb::bytes(bytes.data(), bytes.size());
}

void Runner::loadStates(nb::bytes bytes) {
  use(session, [&](onnxc_context *context) {
    return onnxc_state_load(context, bytes.data(), bytes.size());
  });
}
