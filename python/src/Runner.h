//===- Runner.h - A session on values of Python --------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PYTHON_SRC_RUNNER_H
#define ONNXC_PYTHON_SRC_RUNNER_H

#include "Numpy.h"
#include "Session.h"

namespace onnxc::python {

/// Runs a model on values by name. Inputs are read where numpy keeps them,
/// outputs of fixed size are computed where numpy will: small models run no
/// longer than values take to convert.
class Runner {
public:
  Runner(const std::string &path, const std::string &prefix, unsigned threads);
  /// A fork: with copies of the states.
  explicit Runner(Runner &other);

  /// The outputs of a run on `feed`, a dict, as a list; those of the list
  /// `names`, or all for None. None, and nothing has run, if the names are not
  /// the model's, or the arguments something else: Python says what is wrong
  /// then.
  nanobind::object run(nanobind::handle names, nanobind::handle feed);

  const onnxc_model &model() const { return session.model(); }

  /// What is done with states: the functions of onnxc/runtime.h.
  void reset();
  int64_t getStateLength();
  nanobind::object getState(int32_t state);
  void setState(int32_t state, nanobind::handle value);
  void truncateStates(int32_t state, int64_t length);
  nanobind::object saveStates();
  void loadStates(nanobind::bytes bytes);

private:
  struct Input {
    nanobind::object name;
    ValueType type;
    bool isOverridable;
  };
  struct Output {
    nanobind::object name, type;
    /// Null if the model does not fix the sizes, or numpy lacks the type.
    nanobind::object shape;
  };

  /// What does not change while the session lives.
  void describe();
  void addOutput(const onnxc_value_info &info);
  /// Which outputs are asked for; false if `names` is something else.
  bool choose(nanobind::handle names, std::vector<size_t> &chosen) const;
  /// Whether the names in `feed` are those of inputs, and none is missing.
  bool hasInputs(nanobind::handle feed) const;

  Session session;
  Numpy numpy;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
};

} // namespace onnxc::python

#endif // ONNXC_PYTHON_SRC_RUNNER_H
