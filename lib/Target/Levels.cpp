//===- Levels.cpp - Several processors in one model -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Levels.h"

#include "onnxc/Target/Architecture.h"
#include "onnxc/Target/Target.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace onnxc;

namespace {
/// A row of Architectures.def.
struct PortableLevel {
  llvm::Triple::ArchType arch;
  llvm::StringLiteral name;
  LevelPurpose purpose;
};
} // namespace

/// Those that "portable" stands for.
static SmallVector<Level> listPortable(const TargetOptions &options) {
  static constexpr PortableLevel rows[] = {
#define PORTABLE_LEVEL(ARCH, NAME, PURPOSE)                                    \
  {llvm::Triple::ARCH, NAME, LevelPurpose::PURPOSE},
#include "onnxc/Target/Architectures.def"
  };
  llvm::Triple triple = getTriple(options);
  SmallVector<Level> levels;
  for (const SystemLevel &row : getSystemLevels(triple))
    levels.push_back({row.name.str(), {}, row.purpose});
  if (!levels.empty())
    return levels;
  for (const PortableLevel &row : rows)
    if (row.arch == triple.getArch())
      levels.push_back({row.name.str(), {}, row.purpose});
  if (levels.empty())
    levels.push_back({"generic", {}});
  // Nothing chooses at the start there.
  if (options.freestanding || triple.isWasm())
    levels.truncate(1);
  return levels;
}

SmallVector<Level> onnxc::listLevels(const TargetOptions &options) {
  SmallVector<Level> levels;
  if (options.cpu == portableCpu)
    levels = listPortable(options);
  else
    for (StringRef name : llvm::split(options.cpu, ','))
      levels.push_back({name.trim().str(), {}});
  for (Level &level : levels) {
    level.target = options;
    level.target.cpu = level.name;
    if (levels.size() > 1)
      level.target.layout = levels.back().name;
  }
  if (levels.size() == 1)
    levels.front().name.clear();
  return levels;
}

/// Refuses several levels where nothing chooses one of them at the start.
static LogicalResult checkSeveral(Location loc, const TargetOptions &options) {
  llvm::Triple triple = getTriple(options);
  if (!options.freestanding && !triple.isWasm())
    return success();
  return emitError(loc) << "--mcpu=" << options.cpu << ": "
                        << (triple.isWasm() ? "code for WebAssembly"
                                            : "--freestanding code")
                        << " is for one processor, expected its name";
}

/// Vectors never get shorter: the weights that levels share are packed for the
/// last one, and a context takes the last one that its processor has.
static LogicalResult checkOrder(Location loc, const TargetOptions &options,
                                ArrayRef<Level> levels,
                                ArrayRef<TargetAttr> targets) {
  for (size_t i = 1; i < levels.size(); ++i)
    if (targets[i].getVectorBytes() < targets[i - 1].getVectorBytes())
      return emitError(loc)
             << "--mcpu=" << options.cpu << ": '" << levels[i].name
             << "' has shorter vectors than '" << levels[i - 1].name
             << "', expected levels from the lowest on";
  return success();
}

FailureOr<SmallVector<Level>> onnxc::getLevels(Location loc,
                                               const TargetOptions &options) {
  SmallVector<Level> levels = listLevels(options);
  if (levels.size() > 1 && failed(checkSeveral(loc, options)))
    return failure();
  llvm::StringSet<> names;
  SmallVector<TargetAttr> targets;
  for (const Level &level : levels) {
    if (levels.size() > 1) {
      if (level.name == portableCpu)
        return emitError(loc)
               << "--mcpu=" << options.cpu << ": '" << portableCpu
               << "' stands alone for "
               << llvm::join(llvm::map_range(
                                 listPortable(options),
                                 [](const Level &level) { return level.name; }),
                             ",")
               << "; write --mcpu=" << portableCpu
               << ", or those that are meant and the others beside them";
      if (level.name.empty() || level.name == nativeCpu)
        return emitError(loc)
               << "--mcpu=" << options.cpu << ": expected the name of a "
               << "processor, or several, separated by commas, is '"
               << level.name << "'";
      if (!names.insert(level.name).second)
        return emitError(loc) << "--mcpu=" << options.cpu << ": '" << level.name
                              << "' is listed twice";
    }
    FailureOr<TargetAttr> target = makeTarget(loc, level.target);
    if (failed(target))
      return failure();
    targets.push_back(*target);
  }
  if (levels.size() > 1 && failed(checkOrder(loc, options, levels, targets)))
    return failure();
  return levels;
}
