//===- Target.cpp - The machine that code is made for ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Target.h"

#include "onnxc/Target/Architecture.h"
#include "onnxc/Target/Caches.h"
#include "onnxc/Target/Instructions.h"
#include "onnxc/Target/Levels.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace mlir;
using namespace onnxc;

// Registration is idempotent, and guarded by LLVM against concurrent use only
// when it runs once.
static void initializeTargets() {
  static const bool once = [] {
#define ARCHITECTURE(ARCH, BACKEND, BASELINE, FEATURES, MACHINE, FLAGS,        \
                     EMULATION, GLIBC, SYMBOLS)                                \
  LLVMInitialize##BACKEND##TargetInfo();                                       \
  LLVMInitialize##BACKEND##Target();                                           \
  LLVMInitialize##BACKEND##TargetMC();                                         \
  LLVMInitialize##BACKEND##AsmPrinter();                                       \
  LLVMInitialize##BACKEND##AsmParser();                                        \
  LLVMInitialize##BACKEND##Disassembler();
#define FREESTANDING_ARCHITECTURE(ARCH, BACKEND, BASELINE, FEATURES)           \
  ARCHITECTURE(ARCH, BACKEND, , , , , , , )
#include "onnxc/Target/Architectures.def"
    return true;
  }();
  (void)once;
}

/// The systems whose C library and kernel interface the runtime uses. On others
/// the code would be linked, and fail when it runs. Freestanding code uses
/// neither.
static bool isSupported(const llvm::Triple &triple, bool freestanding) {
  const Architecture *architecture = findArchitecture(triple);
  if (architecture && architecture->isWebAssembly())
    return !freestanding && (triple.isOSUnknown() || triple.isOSWASI()) &&
           triple.getEnvironment() == llvm::Triple::UnknownEnvironment;
  if (!freestanding && findSystemRuntime(triple))
    // Not arm64e nor arm64ec, which have other calling conventions.
    return llvm::is_contained(
               {llvm::Triple::NoSubArch, llvm::Triple::ARMSubArch_v8},
               triple.getSubArch()) &&
           (triple.isMacOSX() ? triple.isOSBinFormatMachO() &&
                                    triple.getEnvironment() ==
                                        llvm::Triple::UnknownEnvironment
                              : triple.isOSBinFormatCOFF() &&
                                    (triple.isWindowsMSVCEnvironment() ||
                                     triple.isWindowsGNUEnvironment()));
  if (!architecture || !triple.isOSBinFormatELF())
    return false;
  if (freestanding)
    return llvm::is_contained({llvm::Triple::UnknownEnvironment,
                               llvm::Triple::EABI, llvm::Triple::EABIHF,
                               llvm::Triple::GNU, llvm::Triple::Musl},
                              triple.getEnvironment());
  return !architecture->isFreestandingOnly() && triple.isOSLinux() &&
         llvm::is_contained({llvm::Triple::UnknownEnvironment,
                             llvm::Triple::GNU, llvm::Triple::Musl},
                            triple.getEnvironment());
}

/// "; did you mean 'x', 'y' or 'z'?" for the most similar of the names, if they
/// are similar.
static std::string suggest(StringRef name, ArrayRef<StringRef> known) {
  constexpr size_t most = 3;
  const unsigned limit = std::max<unsigned>(name.size() / 3, 1);
  SmallVector<std::pair<unsigned, StringRef>> near;
  for (StringRef other : known)
    if (unsigned distance =
            name.edit_distance(other, /*AllowReplacements=*/true, limit);
        distance <= limit)
      near.emplace_back(distance, other);
  llvm::stable_sort(near, llvm::less_first());
  while (!near.empty() &&
         (near.size() > most || near.back().first > near.front().first))
    near.pop_back();
  std::string text;
  for (auto [i, row] : llvm::enumerate(near))
    text += ((i == 0                 ? "; did you mean '"
              : i + 1 == near.size() ? "' or '"
                                     : "', '") +
             row.second)
                .str();
  return text.empty() ? "" : text + "'?";
}

SmallVector<StringRef>
onnxc::getProcessorNames(const llvm::MCSubtargetInfo &subtarget,
                         const llvm::Triple &triple) {
  SmallVector<StringRef> names;
  for (const llvm::SubtargetSubTypeKV &row :
       subtarget.getAllProcessorDescriptions())
    names.push_back(row.Key);
  // LLVM's table has no names that stand for another one, such as apple-m1.
  SmallVector<StringRef> others;
  if (triple.isAArch64())
    llvm::AArch64::fillValidCPUArchList(others);
  for (StringRef name : others)
    if (subtarget.isCPUStringValid(name))
      names.push_back(name);
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  return names;
}

static LogicalResult checkCpu(Location loc, StringRef cpu,
                              const llvm::MCSubtargetInfo &subtarget,
                              const llvm::Triple &triple) {
  if (subtarget.isCPUStringValid(cpu))
    return success();
  std::string near = suggest(cpu, getProcessorNames(subtarget, triple));
  return emitError(loc) << "--mcpu=" << cpu << ": unknown processor of "
                        << triple.getArchName() << near
                        << (near.empty() ? "; " : " ") << "'onnxc targets "
                        << triple.str() << "' lists all";
}

/// "+avx2,-fma": a sign and a name that LLVM knows, for each.
static LogicalResult checkFeatures(Location loc, StringRef features,
                                   const llvm::MCSubtargetInfo &subtarget,
                                   const llvm::Triple &triple) {
  for (StringRef feature : llvm::split(features, ',')) {
    if (feature.empty())
      continue;
    StringRef name = feature;
    if (!name.consume_front("+") && !name.consume_front("-"))
      return emitError(loc) << "--mattr=" << feature << ": expected +" << name
                            << " or -" << name;
    if (llvm::any_of(subtarget.getAllProcessorFeatures(),
                     [&](const llvm::SubtargetFeatureKV &row) {
                       return name == row.Key;
                     }))
      continue;
    SmallVector<StringRef> names;
    for (const llvm::SubtargetFeatureKV &row :
         subtarget.getAllProcessorFeatures())
      names.push_back(row.Key);
    return emitError(loc) << "--mattr=" << feature << ": unknown feature '"
                          << name << "' of " << triple.getArchName()
                          << suggest(name, names)
                          << "; known are, among others, "
                          << llvm::join(llvm::map_range(
                                            getCheckableFeatures(triple),
                                            [](const CheckableFeature &row) {
                                              return StringRef(row.name);
                                            }),
                                        ", ");
  }
  return success();
}

/// Whether the processor has one of the alternatives: "a,b|c".
static bool hasFeatures(const llvm::MCSubtargetInfo &cpu, StringRef needed) {
  if (needed.empty())
    return true;
  return llvm::any_of(llvm::split(needed, '|'), [&](StringRef together) {
    return llvm::all_of(llvm::split(together, ','), [&](StringRef feature) {
      return cpu.checkFeatures(("+" + feature).str());
    });
  });
}

/// Whether code can be made that follows the calling convention.
static LogicalResult checkAbi(Location loc, StringRef cpu, StringRef features,
                              const llvm::MCSubtargetInfo &subtarget,
                              const llvm::Triple &triple) {
  struct AbiFeatures {
    llvm::Triple::ArchType arch;
    llvm::StringLiteral needed, refused;
  };
  static constexpr AbiFeatures rows[] = {
#define ABI_FEATURES(ARCH, NEEDED, REFUSED)                                    \
  {llvm::Triple::ARCH, NEEDED, REFUSED},
#include "onnxc/Target/Architectures.def"
  };
  const HardFloat *floats = findHardFloat(triple);
  if (floats && triple.getEnvironment() == llvm::Triple::EABIHF &&
      !hasFeatures(subtarget, floats->features))
    return emitError(loc) << "--mcpu=" << cpu
                          << (features.empty() ? "" : " --mattr=") << features
                          << ": code for " << triple.str()
                          << " needs the feature '" << floats->features << "'";
  for (const AbiFeatures &row : rows) {
    if (row.arch != triple.getArch())
      continue;
    auto check = [&](StringRef list, bool isNeeded) -> LogicalResult {
      for (StringRef feature : llvm::split(list, ','))
        if (!feature.empty() && hasFeatures(subtarget, feature) != isNeeded)
          return emitError(loc)
                 << "--mcpu=" << cpu << (features.empty() ? "" : " --mattr=")
                 << features << ": code for " << triple.getArchName()
                 << (isNeeded ? " needs" : " cannot have") << " the feature '"
                 << feature << "'";
      return success();
    };
    if (failed(check(row.needed, true)) || failed(check(row.refused, false)))
      return failure();
  }
  return success();
}

/// Its vector registers and caches, and the instructions that not all have.
static TargetAttr describe(MLIRContext *context, const llvm::Triple &triple,
                           StringRef cpu, StringRef features,
                           const llvm::MCSubtargetInfo &subtarget,
                           std::optional<Caches> caches, bool freestanding) {
  struct VectorUnit {
    llvm::Triple::ArchType arch;
    llvm::StringLiteral feature;
    int64_t bytes, registers;
  };
  static constexpr VectorUnit units[] = {
#define VECTOR_UNIT(ARCH, FEATURE, BYTES, REGISTERS)                           \
  {llvm::Triple::ARCH, FEATURE, BYTES, REGISTERS},
#include "onnxc/Target/Architectures.def"
  };
  const VectorUnit *unit = llvm::find_if(units, [&](const VectorUnit &row) {
    return row.arch == triple.getArch() && hasFeatures(subtarget, row.feature);
  });
  assert(unit != std::end(units) && "the last row of each holds for all");
  Builder b(context);
  SmallVector<Attribute> names;
  // The runtime asks Linux for tile registers.
  bool hasTiles = triple.isOSLinux() && !freestanding;
  auto isUsable = [&](const Instruction &row) {
    return hasTiles || (row.capability != Capability::MultiplyTiles &&
                        row.capability != Capability::MultiplySignedTiles &&
                        row.capability != Capability::MultiplyHalfTiles);
  };
  for (const Instruction &row : getInstructions())
    if (row.architecture == triple.getArch() && row.bytes <= unit->bytes &&
        hasFeatures(subtarget, row.features) && isUsable(row))
      names.push_back(b.getStringAttr(row.name));
  Caches known = caches.value_or(Caches{TargetAttr::defaultFirstLevelCache,
                                        TargetAttr::defaultSecondLevelCache});
  return TargetAttr::get(context, triple.str(), cpu, features, unit->bytes,
                         unit->registers, known.first, known.second,
                         names.empty() ? ArrayAttr() : b.getArrayAttr(names),
                         /*layout=*/nullptr, freestanding);
}

llvm::Triple onnxc::getTriple(const TargetOptions &options) {
  llvm::Triple triple(options.triple.empty()
                          ? llvm::sys::getDefaultTargetTriple()
                          : llvm::Triple::normalize(options.triple));
  // Objects state the oldest system that they are for: without a version, the
  // first one for Apple's processors, or the oldest that the runtime is for.
  if (triple.isMacOSX() && triple.getOSVersion().empty())
    triple.setOSName(triple.isAArch64() ? "macosx11.0.0" : "macosx10.13.0");
  return triple;
}

/// The features that are asked for, with the processor ("cpu+avx2") and beside
/// it.
static std::string getAskedFeatures(const TargetOptions &options) {
  std::string asked;
  if (auto [name, more] = StringRef(options.cpu).split('+'); !more.empty())
    asked = "+" + llvm::join(llvm::split(more, '+'), ",+");
  if (!asked.empty() && !options.features.empty())
    asked += ",";
  return asked + options.features;
}

/// The features of this machine's processor.
static void addHostFeatures(llvm::SubtargetFeatures &features) {
  std::vector<std::string> names;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    names.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(names);
  for (const std::string &name : names)
    features.AddFeature(name);
}

/// The processor without the features behind it, as LLVM names it or "generic";
/// this machine's has its features in `features`, and its caches in `caches`
/// where they are known.
static FailureOr<std::string> chooseCpu(Location loc,
                                        const TargetOptions &options,
                                        const llvm::Triple &triple,
                                        llvm::SubtargetFeatures &features,
                                        std::optional<Caches> &caches) {
  // The processor of this machine says something about machines of its kind
  // that run this system.
  const llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  const bool isHost =
      triple.getArch() == host.getArch() && triple.getOS() == host.getOS();
  StringRef cpu = StringRef(options.cpu).split('+').first;
  if (cpu.empty() && !options.cpu.empty())
    return emitError(loc) << "--mcpu=" << options.cpu
                          << ": expected the name of a processor before '+'";
  if (cpu == nativeCpu && !isHost)
    return emitError(loc) << "--mcpu=" << options.cpu
                          << " is this machine's processor, and "
                          << triple.str()
                          << " is another kind of machine; write --mcpu="
                          << portableCpu
                          << ", or the name of a processor that 'onnxc targets "
                          << triple.str() << "' lists";
  if (cpu == nativeCpu || (cpu.empty() && isHost)) {
    addHostFeatures(features);
    caches = getHostCaches();
    return llvm::sys::getHostCPUName().str();
  }
  return cpu.empty() ? std::string("generic") : cpu.str();
}

FailureOr<TargetAttr> onnxc::makeTarget(Location loc,
                                        const TargetOptions &options) {
  loc.getContext()->getOrLoadDialect<ProgramDialect>();
  initializeTargets();
  llvm::Triple triple = getTriple(options);
  if (!isSupported(triple, options.freestanding)) {
    InFlightDiagnostic error =
        emitError(loc) << "--mtriple=" << triple.str()
                       << ": unsupported target, expected "
                       << (options.freestanding ? listFreestandingTriples()
                                                : listTriples());
    if (!options.freestanding && isSupported(triple, /*freestanding=*/true))
      error << "; --freestanding makes code for machines without an operating "
               "system";
    return error;
  }
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return emitError(loc) << "--mtriple=" << triple.str() << ": " << error;

  llvm::SubtargetFeatures features;
  std::optional<Caches> caches;
  FailureOr<std::string> chosen =
      chooseCpu(loc, options, triple, features, caches);
  if (failed(chosen))
    return failure();
  std::string cpu = std::move(*chosen);
  auto add = [&](StringRef list) {
    for (StringRef feature : llvm::split(list, ','))
      if (!feature.empty())
        features.AddFeature(feature);
  };
  if (cpu == "generic") {
    Baseline baseline = getBaseline(triple);
    cpu = baseline.cpu;
    add(baseline.features);
  }
  std::string asked = getAskedFeatures(options);
  add(asked);

  std::unique_ptr<llvm::MCSubtargetInfo> probe(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!probe)
    return emitError(loc) << "--mtriple=" << triple.str()
                          << ": LLVM does not know its processors";
  if (failed(checkCpu(loc, cpu, *probe, triple)) ||
      failed(checkFeatures(loc, asked, *probe, triple)))
    return failure();
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, cpu, features.getString()));
  if (failed(checkAbi(loc, cpu, asked, *subtarget, triple)))
    return failure();
  TargetAttr made =
      describe(loc.getContext(), triple, cpu, features.getString(), *subtarget,
               caches ? caches : getCaches(triple, cpu), options.freestanding);
  if (options.layout.empty())
    return made;
  TargetOptions ofLayout = options;
  ofLayout.cpu = options.layout;
  ofLayout.layout.clear();
  FailureOr<TargetAttr> layout = makeTarget(loc, ofLayout);
  if (failed(layout))
    return failure();
  return made.withLayout(*layout);
}

LogicalResult onnxc::setTarget(ModuleOp module, const TargetOptions &options) {
  auto before = module->getAttrOfType<TargetAttr>(TargetAttr::attrName);
  if (before && options.isDefault())
    return success();
  FailureOr<TargetAttr> target = makeTarget(module.getLoc(), options);
  if (failed(target))
    return failure();
  if (before && before != *target)
    return module.emitError()
           << "the module is made for " << before.getCpu() << " of "
           << before.getTriple() << ", not for " << target->getCpu() << " of "
           << target->getTriple() << " as asked, or with other features";
  module->setAttr(TargetAttr::attrName, *target);
  return success();
}

std::unique_ptr<llvm::TargetMachine>
onnxc::createTargetMachine(TargetAttr target,
                           const llvm::TargetOptions &options,
                           llvm::CodeGenOptLevel level) {
  initializeTargets();
  llvm::Triple triple(target.getTriple());
  std::string error;
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return nullptr;
  // ARM's code for addresses relative to its own is longer than for fixed ones;
  // of others it runs wherever it is put at no cost. A WebAssembly module has a
  // memory of its own.
  bool isFixed = triple.isWasm() || (target.getFreestanding() &&
                                     (triple.isARM() || triple.isThumb()));
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      triple, target.getCpu(), target.getFeatures(), options,
      isFixed ? llvm::Reloc::Static : llvm::Reloc::PIC_, std::nullopt, level));
}
