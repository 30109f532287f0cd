//===- SystemObjects.cpp - Objects for linkers of systems -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SystemObjects.h"

#include "Link.h"
#include "Runtime.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ObjectFile.h"

using namespace mlir;

namespace onnxc {

bool isSystemObject(const llvm::Triple &triple) {
  return triple.isOSBinFormatMachO() || triple.isOSBinFormatCOFF();
}

llvm::object::Archive::Kind getArchiveKind(const llvm::Triple &triple) {
  if (triple.isOSBinFormatMachO())
    return llvm::object::Archive::K_DARWIN;
  return triple.isWindowsMSVCEnvironment() ? llvm::object::Archive::K_COFF
                                           : llvm::object::Archive::K_GNU;
}

StringRef getObjectSuffix(const llvm::Triple &triple) {
  return triple.isWindowsMSVCEnvironment() ? ".obj" : ".o";
}

LogicalResult checkSystemObject(ModuleOp module, const ModelInfo &info,
                                const llvm::Triple &triple) {
  // Code reaches what lies within 31 bits of it, and COFF counts in 32.
  if (info.weightBytes >> 31)
    return module.emitError()
           << "weights take " << info.weightBytes
           << " bytes, expected less than 2 GiB: that is how far code for "
           << triple.str() << " reaches";
  return checkRuntimeCalls(module, triple.isOSWindows() ? "Windows" : "macOS");
}

/// Of libSystem, from macOS 10.13 on.
static bool isOfMacOS(StringRef name) {
  static const StringRef names[] = {
      // What the runtime calls.
      "arc4random_buf", "clock_gettime", "free", "freelocale", "getenv",
      "getpid", "memcpy", "memmove", "memset", "newlocale", "posix_memalign",
      "pthread_cond_broadcast", "pthread_cond_destroy", "pthread_cond_init",
      "pthread_cond_wait", "pthread_create", "pthread_join",
      "pthread_mutex_destroy", "pthread_mutex_init", "pthread_mutex_lock",
      "pthread_mutex_unlock", "pthread_sigmask", "sched_yield", "sigfillset",
      "snprintf", "strcmp", "strlen", "strncmp", "strtod", "strtof", "strtoll",
      "strtoull", "sysctlbyname", "uselocale", "vsnprintf",
      // What LLVM makes of it.
      "__bzero", "__sincos_stret", "__sincosf_stret", "bcmp", "bzero", "memchr",
      "memcmp", "memset_pattern16", "memset_pattern4", "memset_pattern8",
      "strchr"};
  return llvm::is_contained(names, name) || isOfLibm(name);
}

/// Of kernel32.dll, from Windows Vista on, and of the Universal C Runtime with
/// what compilers link to every program.
static bool isOfWindows(StringRef name) {
  static const StringRef names[] = {
      "AcquireSRWLockExclusive", "CloseHandle", "GetCurrentProcess",
      "GetProcessAffinityMask", "IsProcessorFeaturePresent",
      "QueryPerformanceCounter", "QueryPerformanceFrequency",
      "ReleaseSRWLockExclusive", "SleepConditionVariableSRW", "SwitchToThread",
      "WaitForSingleObject", "WakeAllConditionVariable",
      "__stdio_common_vsprintf", "_aligned_free", "_aligned_malloc",
      "_beginthreadex", "_create_locale", "_free_locale", "_strtod_l",
      "_strtof_l", "getenv", "memcpy", "memmove", "memset", "rand_s", "strcmp",
      "strlen", "strncmp", "strtof", "strtoll", "strtoull",
      // What LLVM makes of it: probes of large stack frames among it.
      "___chkstk_ms", "__chkstk", "_fltused", "memchr", "memcmp", "strchr"};
  // What its headers define, or what is glibc's.
  static const StringRef notThere[] = {"exp10",  "exp10f", "fabsf",  "frexpf",
                                       "hypotf", "ldexpf", "sincos", "sincosf"};
  return llvm::is_contained(names, name) ||
         (isOfLibm(name) && !llvm::is_contained(notThere, name));
}

LogicalResult checkSystemCalls(ModuleOp module, ArrayRef<StringRef> paths,
                               const llvm::Triple &triple) {
  llvm::StringSet<> defined, undefined;
  for (StringRef path : paths) {
    auto object = llvm::object::ObjectFile::createObjectFile(path);
    llvm::Error error = object ? llvm::Error::success() : object.takeError();
    if (!error)
      for (const auto &symbol : object->getBinary()->symbols()) {
        llvm::Expected<StringRef> name = symbol.getName();
        llvm::Expected<uint32_t> flags = symbol.getFlags();
        error = llvm::joinErrors(name.takeError(), flags.takeError());
        if (error)
          break;
        bool isMissing = *flags & llvm::object::SymbolRef::SF_Undefined;
        (isMissing ? undefined : defined).insert(*name);
      }
    if (error)
      return module.emitError() << "cannot read back the object file: "
                                << llvm::toString(std::move(error));
  }
  for (StringRef name : undefined.keys()) {
    if (defined.contains(name))
      continue;
    StringRef ofC = name;
    bool isKnown = triple.isOSWindows()
                       ? isOfWindows(name)
                       : ofC.consume_front("_") && isOfMacOS(ofC);
    if (!isKnown)
      return module.emitError()
             << "the code calls '" << name << "', expected functions of "
             << (triple.isOSWindows() ? "the C runtime and kernel32.dll"
                                      : "libSystem");
  }
  return success();
}

} // namespace onnxc
