//===- onnxc/states.hpp - What a session keeps from run to run --*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The states of a model that was compiled with --state, for C++17 and newer:
//
//   #include <onnxc/states.hpp>
//
//   onnxc::Session session(decoder_query);
//   onnxc::States states(session);
//   session.run(...);              // the cache is in the session
//   auto other = states.fork();    // another session that goes on from here
//   states.truncate(10);           // as if the later tokens had not been
//
// As in onnxc.hpp, every call that can fail has a form that throws, and one
// named try_... that does not.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_STATES_HPP
#define ONNXC_STATES_HPP

#include "onnxc/onnxc.hpp"

namespace onnxc {

// A view of a session, which must outlive it.
class States {
public:
  explicit States(Session &session) noexcept : session_(&session) {}

  // Of a session that is to be made: how long its states may become; 0: what
  // the model says.
  static Options &set_capacity(Options &options, std::int64_t length) noexcept {
    options.raw_.state_capacity = length;
    return options;
  }

  std::size_t size() const noexcept {
    return static_cast<std::size_t>(model().num_states);
  }
  // What the .onnx file calls the input, and the output.
  const char *name(std::size_t state) const {
    return model().states[state].value.name;
  }
  const char *output(std::size_t state) const {
    return model().states[state].output;
  }
  std::optional<std::size_t> find(std::string_view name) const noexcept {
    for (std::size_t i = 0; i < size(); ++i)
      if (model().states[i].value.name == name)
        return i;
    return std::nullopt;
  }
  // Of those that grow, the longest.
  std::int64_t length() const noexcept {
    return onnxc_state_length(session_->raw());
  }

  // The sizes of a state.
  Result<Shape> try_shape(std::size_t state) const {
    onnxc_tensor tensor = onnxc_output_buffer(nullptr, 0);
    if (Failure failure =
            call(onnxc_state_get(session_->raw(), number(state), &tensor));
        failure.status != ONNXC_OK)
      return failure;
    return Tensor(tensor).shape();
  }
  // A copy of a state's elements.
  template <typename T>
  Result<std::vector<T>> try_get(std::size_t state) const {
    onnxc_tensor tensor = onnxc_output_buffer(nullptr, 0);
    Failure failure =
        call(onnxc_state_get(session_->raw(), number(state), &tensor));
    if (failure.status != ONNXC_OK)
      return failure;
    if (tensor.dtype != dtype_of<T>)
      return Failure::invalid("state '" + std::string(name(state)) +
                              "' holds " + onnxc_dtype_name(tensor.dtype) +
                              ", expected " + onnxc_dtype_name(dtype_of<T>));
    std::vector<T> elements(static_cast<std::size_t>(tensor.bytes) / sizeof(T));
    tensor.data = elements.data();
    failure = call(onnxc_state_get(session_->raw(), number(state), &tensor));
    if (failure.status != ONNXC_OK)
      return failure;
    return Result<std::vector<T>>(std::move(elements));
  }
  Failure try_set(std::size_t state, const Tensor &value) {
    return call(onnxc_state_set(session_->raw(), number(state), &value.raw()));
  }
  Failure try_reset() { return call(onnxc_reset(session_->raw())); }
  // Of all states.
  Failure try_truncate(std::int64_t length) {
    return call(onnxc_state_truncate(session_->raw(), -1, length));
  }
  // Of a state, and of those whose growing dimension has the same name.
  Failure try_truncate(std::size_t state, std::int64_t length) {
    return call(onnxc_state_truncate(session_->raw(), number(state), length));
  }
  Result<std::vector<unsigned char>> try_save() const {
    std::uint64_t size = 0;
    Failure failure = call(onnxc_state_save(session_->raw(), nullptr, &size));
    if (failure.status != ONNXC_OK)
      return failure;
    std::vector<unsigned char> bytes(static_cast<std::size_t>(size));
    failure = call(onnxc_state_save(session_->raw(), bytes.data(), &size));
    if (failure.status != ONNXC_OK)
      return failure;
    return Result<std::vector<unsigned char>>(std::move(bytes));
  }
  Failure try_load(span<const unsigned char> bytes) {
    return call(onnxc_state_load(session_->raw(), bytes.data(), bytes.size()));
  }
  Result<Session> try_fork() const {
    onnxc_context *context = nullptr;
    Failure failure = call(onnxc_state_fork(session_->raw(), &context));
    if (failure.status != ONNXC_OK)
      return failure;
    return Result<Session>(Session(*session_, context));
  }

#if ONNXC_EXCEPTIONS
  Shape shape(std::size_t state) const { return try_shape(state).value(); }
  template <typename T> std::vector<T> get(std::size_t state) const {
    return try_get<T>(state).value();
  }
  void set(std::size_t state, const Tensor &value) {
    check(try_set(state, value));
  }
  void reset() { check(try_reset()); }
  void truncate(std::int64_t length) { check(try_truncate(length)); }
  void truncate(std::size_t state, std::int64_t length) {
    check(try_truncate(state, length));
  }
  std::vector<unsigned char> save() const { return try_save().value(); }
  void load(span<const unsigned char> bytes) { check(try_load(bytes)); }
  Session fork() const { return try_fork().value(); }
#endif

private:
  const onnxc_model &model() const noexcept { return session_->model().raw(); }
  static std::int32_t number(std::size_t state) noexcept {
    return state > INT32_MAX ? INT32_MAX : static_cast<std::int32_t>(state);
  }
  Failure call(onnxc_status status) const {
    if (status == ONNXC_OK)
      return {};
    const char *text = onnxc_error(session_->raw());
    return Failure{status, *text ? text : onnxc_status_text(status)};
  }
#if ONNXC_EXCEPTIONS
  static void check(Failure failure) {
    if (failure.status != ONNXC_OK)
      throw Error(std::move(failure));
  }
#endif

  Session *session_;
};

} // namespace onnxc

#endif // ONNXC_STATES_HPP
