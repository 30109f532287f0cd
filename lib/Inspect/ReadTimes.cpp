//===- ReadTimes.cpp - What a profile measured ----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Inspect/CompiledView.h"

#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace onnxc;

static Error reject(const Twine &message) { return createStringError(message); }

static std::string describe(StringRef kind, StringRef name, StringRef op) {
  return ("'" + kind + "'" +
          (op.empty() ? Twine() : Twine(" of " + name + " (" + op + ")")))
      .str();
}

/// One kernel of a node, as the profile lists them.
static Error readKernel(const json::Object &node, const json::Object &kernel,
                        ArrayRef<RegionView> regions, TimesView &times) {
  std::optional<int64_t> number = kernel.getInteger("region");
  std::optional<double> time = kernel.getNumber("time_us");
  if (!number || !time)
    return reject("a kernel has no 'region' or no 'time_us'");
  std::string there = describe(kernel.getString("kind").value_or(""),
                               node.getString("name").value_or(""),
                               node.getString("op").value_or(""));
  if (*number < 0 || static_cast<size_t>(*number) >= regions.size())
    return reject("region " + Twine(*number) + ", " + there +
                  ", is not of this code, which has " + Twine(regions.size()) +
                  " regions");
  const RegionView &region = regions[*number];
  if (std::string here = describe(region.kind, region.name, region.op);
      here != there)
    return reject("region " + Twine(*number) + " is " + there + " there, but " +
                  here + " in this code");
  times.regions[*number] = *time;
  return Error::success();
}

Expected<TimesView> onnxc::readTimes(StringRef text,
                                     ArrayRef<RegionView> regions) {
  Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return parsed.takeError();
  const json::Object *profile = parsed->getAsObject();
  const json::Array *nodes = profile ? profile->getArray("nodes") : nullptr;
  if (!nodes || !profile->getNumber("total_us"))
    return reject("expected what onnxc profile --json prints");
  TimesView times;
  times.total = *profile->getNumber("total_us");
  times.other = profile->getNumber("other_us").value_or(0);
  times.regions.resize(regions.size());
  for (const json::Value &value : *nodes) {
    const json::Object *node = value.getAsObject();
    const json::Array *kernels = node ? node->getArray("kernels") : nullptr;
    if (!kernels)
      return reject("a node has no 'kernels'");
    for (const json::Value &kernel : *kernels)
      if (!kernel.getAsObject())
        return reject("a kernel is not an object");
      else if (Error error =
                   readKernel(*node, *kernel.getAsObject(), regions, times))
        return std::move(error);
  }
  return times;
}
