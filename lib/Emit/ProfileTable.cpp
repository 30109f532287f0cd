//===- ProfileTable.cpp - The constant onnxc_profile of a model -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Field by field as onnxc/profile.h declares them; the assertions below fail
// to compile when the two part.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"
#include "ConstantBuilder.h"

#include "onnxc/profile.h"

#include <cstddef>
#include <set>

namespace onnxc {

static_assert(offsetof(onnxc_profile_node, op) == 8 &&
                  sizeof(onnxc_profile_node) == 16,
              "makeNodes() below writes this layout");
static_assert(offsetof(onnxc_profile_region, num_nodes) == 8 &&
                  offsetof(onnxc_profile_region, flags) == 12 &&
                  offsetof(onnxc_profile_region, kind) == 16 &&
                  sizeof(onnxc_profile_region) == 24 &&
                  offsetof(onnxc_profile, num_regions) == 4 &&
                  offsetof(onnxc_profile, regions) == 8 &&
                  offsetof(onnxc_profile, events) == 16 &&
                  sizeof(onnxc_profile) == 24,
              "addProfile() below writes this layout");

/// The nodes that the locations stand for, each once. Constants are not work.
static llvm::SmallVector<llvm::Constant *>
makeNodes(ConstantBuilder &build, llvm::ArrayRef<mlir::Location> locations,
          const NodeFinder &findNode) {
  llvm::SmallVector<llvm::Constant *> nodes;
  std::set<std::pair<std::string, std::string>> known;
  for (mlir::Location location : locations) {
    std::optional<NodeName> node = findNode ? findNode(location) : std::nullopt;
    if (!node || node->isConstant ||
        !known.insert({node->name, node->opType}).second)
      continue;
    nodes.push_back(llvm::ConstantStruct::getAnon(
        {build.string(node->name), build.string(node->opType)}));
  }
  return nodes;
}

void addProfile(llvm::Module &module, const ModelInfo &info,
                const EmitOptions &options) {
  ConstantBuilder build(module);
  llvm::SmallVector<llvm::Constant *> regions;
  for (const ProfileRegion &region : *info.regions) {
    llvm::SmallVector<llvm::Constant *> nodes =
        makeNodes(build, region.locations, options.findNode);
    regions.push_back(llvm::ConstantStruct::getAnon(
        {build.array(nodes), build.i32(static_cast<int64_t>(nodes.size())),
         build.i32(0), build.string(region.kind)}));
  }
  llvm::Constant *events = module.getFunction(profileEvents);
  assert(events && "a function of the runtime is missing");
  llvm::GlobalVariable *profile = build.global(llvm::ConstantStruct::getAnon(
      {build.i32(ONNXC_PROFILE_VERSION),
       build.i32(static_cast<int64_t>(regions.size())), build.array(regions),
       events}));
  build.accessor(options.prefix + "_profile",
                 {{ONNXC_PROFILE_VERSION, profile}});
}

} // namespace onnxc
