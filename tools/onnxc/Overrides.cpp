//===- Overrides.cpp - What the user knows better than the model ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Overrides.h"

#include "onnxc/Import/Import.h"
#include "onnxc/Pipelines/Pipelines.h"

using namespace onnxc;
namespace cl = llvm::cl;

Overrides::Overrides(cl::OptionCategory &category)
    : shapes("shape", cl::cat(category), cl::value_desc("name:sizes"),
             cl::desc("The shape of an input where the model leaves it open, ? "
                      "for what stays so: x:1x3x?x?. Once for each input")),
      inputShapes("input-shape", cl::cat(category), cl::aliasopt(shapes),
                  cl::desc("The same as --shape")),
      dims("dim", cl::cat(category), cl::value_desc("name=size"),
           cl::desc("The size of a dimension that the model gives a name: "
                    "seq=128; for a compile also a range, seq=1..512, to have "
                    "faster code for likely sizes beside that for any. Once "
                    "for each dimension")) {}

void Overrides::set(StageOptions &options) const {
  options.inputShapes.assign(shapes.begin(), shapes.end());
  options.dims.assign(dims.begin(), dims.end());
}

FreezeOption::FreezeOption(cl::OptionCategory &category)
    : names("freeze", cl::cat(category), cl::value_desc("name,..."),
            cl::ValueOptional, cl::CommaSeparated,
            cl::desc("Initializers that are inputs, too (from IR version 4 "
                     "on), can be overridden when the model runs, for which "
                     "code is compiled that does not know their values. With "
                     "--freeze they are constants; with names, those are")) {}

void FreezeOption::set(bool &all, ImportOptions &options) const {
  for (const std::string &name : names)
    if (name.empty())
      all = true;
    else
      options.frozen.push_back(name);
}
