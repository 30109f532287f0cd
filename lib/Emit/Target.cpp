//===- Target.cpp - The machine that code is made for -----------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace mlir;

namespace onnxc {

// Registration is idempotent, and guarded by LLVM against concurrent use only
// when it runs once.
static void initializeTargets() {
  static const bool once = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
    return true;
  }();
  (void)once;
}

/// What the processor must have is what LLVM may use, as far as the runtime
/// knows how to ask for it.
static std::vector<std::string>
findCheckedFeatures(const llvm::TargetMachine &machine) {
  llvm::StringSet<> enabled;
  const llvm::MCSubtargetInfo &subtarget = *machine.getMCSubtargetInfo();
  for (const llvm::SubtargetFeatureKV &feature :
       subtarget.getEnabledProcessorFeatures())
    enabled.insert(feature.Key);
  std::vector<std::string> checked;
  if (machine.getTargetTriple().getArch() == llvm::Triple::x86_64) {
#define X86_FEATURE(NAME, LEAF, SUBLEAF, REGISTER, BIT, STATE)                 \
  if (enabled.contains(NAME))                                                  \
    checked.push_back(NAME);
#include "onnxc/Runtime/CpuFeatures.def"
  } else {
#define AARCH64_FEATURE(NAME, ENTRY, BIT)                                      \
  if (enabled.contains(NAME))                                                  \
    checked.push_back(NAME);
#include "onnxc/Runtime/CpuFeatures.def"
  }
  return checked;
}

FailureOr<EmitTarget> EmitTarget::create(ModuleOp module,
                                         const EmitOptions &options) {
  initializeTargets();
  llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  llvm::Triple triple =
      options.triple.empty()
          ? host
          : llvm::Triple(llvm::Triple::normalize(options.triple));
  if (triple.getArch() != llvm::Triple::x86_64 &&
      triple.getArch() != llvm::Triple::aarch64)
    return module.emitError()
           << "--mtriple=" << triple.str()
           << ": unknown architecture, expected x86_64 or aarch64";
  if (triple.isOSBinFormatCOFF() || triple.isOSBinFormatMachO() ||
      !triple.isOSBinFormatELF())
    return module.emitError()
           << "--mtriple=" << triple.str()
           << ": onnxc writes ELF files only, expected a target such as "
              "x86_64-linux-gnu";
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return module.emitError() << "--mtriple=" << triple.str() << ": " << error;

  // The processor of this machine says something about machines of its kind.
  std::string cpu = options.cpu;
  llvm::SubtargetFeatures features;
  if (cpu == "native" || cpu.empty()) {
    cpu = "generic";
    if (triple.getArch() == host.getArch()) {
      cpu = llvm::sys::getHostCPUName().str();
      std::vector<std::string> names;
      for (const auto &feature : llvm::sys::getHostCPUFeatures())
        names.push_back((feature.second ? "+" : "-") + feature.first().str());
      llvm::sort(names);
      for (const std::string &name : names)
        features.AddFeature(name);
    }
  }
  if (cpu == "generic" && triple.getArch() == llvm::Triple::x86_64)
    cpu = "x86-64";
  for (StringRef feature : llvm::split(options.features, ','))
    if (!feature.empty())
      features.AddFeature(feature);

  std::unique_ptr<llvm::MCSubtargetInfo> probe(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!probe || !probe->isCPUStringValid(cpu))
    return module.emitError() << "--mcpu=" << cpu << ": unknown processor of "
                              << triple.getArchName();

  llvm::TargetOptions targetOptions;
  targetOptions.AllowFPOpFusion =
      options.optLevel == 0 ? llvm::FPOpFusion::Strict : llvm::FPOpFusion::Fast;
  targetOptions.FunctionSections = true;
  auto level = options.optLevel >= 3 ? llvm::CodeGenOptLevel::Aggressive
                                     : llvm::CodeGenOptLevel::Default;
  EmitTarget result;
  result.machine.reset(target->createTargetMachine(
      triple, cpu, features.getString(), targetOptions, llvm::Reloc::PIC_,
      std::nullopt, level));
  if (!result.machine)
    return module.emitError()
           << "--mtriple=" << triple.str() << ": LLVM has no code generator";
  result.checkedFeatures = findCheckedFeatures(*result.machine);
  return result;
}

std::optional<VectorUnit> findVectorUnit(const EmitOptions &options) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  FailureOr<EmitTarget> target = EmitTarget::create(*module, options);
  if (failed(target))
    return std::nullopt;
  const llvm::MCSubtargetInfo &cpu = *target->machine->getMCSubtargetInfo();
  if (target->triple().getArch() == llvm::Triple::aarch64)
    return VectorUnit{16, 32, 1, false, cpu.checkFeatures("+bf16")};
  // Pairs of 16 bits are there since SSE2; wider ones came with the extensions
  // for integers.
  if (cpu.checkFeatures("+avx512f"))
    return VectorUnit{64,
                      32,
                      cpu.checkFeatures("+avx512vnni") ? 4
                      : cpu.checkFeatures("+avx512bw") ? 2
                                                       : 1,
                      cpu.checkFeatures("+avx512vbmi"),
                      cpu.checkFeatures("+avx512bf16"),
                      /*estimates=*/true};
  if (cpu.checkFeatures("+avx"))
    return VectorUnit{32, 16,
                      cpu.checkFeatures("+avxvnni") ? 4
                      : cpu.checkFeatures("+avx2")  ? 2
                                                    : 1};
  return VectorUnit{16, 16, 2};
}

} // namespace onnxc
