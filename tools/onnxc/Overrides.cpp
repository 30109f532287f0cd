//===- Overrides.cpp - What the user knows better than the model ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Overrides.h"

#include "Arguments.h"

#include "onnxc/Import/Import.h"
#include "onnxc/Pipelines/Pipelines.h"

using namespace onnxc;

Overrides::Overrides(const Arguments &arguments)
    : shapes(arguments.getAll(OPT_shape)), dims(arguments.getAll(OPT_dim)) {
  for (std::string &shape : arguments.getAll(OPT_input_shape))
    shapes.push_back(std::move(shape));
}

void Overrides::set(StageOptions &options) const {
  options.inputShapes = shapes;
  options.dims = dims;
}

FreezeOption::FreezeOption(const Arguments &arguments)
    : names(arguments.getAll(OPT_freeze)) {}

void FreezeOption::set(bool &all, ImportOptions &options) const {
  for (const std::string &name : names)
    if (name.empty())
      all = true;
    else
      options.frozen.push_back(name);
}
