//===- Link.cpp - Linking without a compiler ------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld runs in this process. What a model takes from libc and libm is known:
// the table below lists it with the version of each symbol. From it come
// stand-ins for the two libraries, so that the result is the same on every
// machine, needs no development packages, and asks for no newer C library than
// it has to. A symbol that is not in the table is an error here and not at the
// user's.
//
//===----------------------------------------------------------------------===//

#include "Link.h"

#include "Extra.h"
#include "Runtime.h"
#include "Scratch.h"

#include "onnxc/Target/Architecture.h"

#include "lld/Common/Driver.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"

#include <map>
#include <mutex>
#include <set>

LLD_HAS_DRIVER(elf)
LLD_HAS_DRIVER(wasm)

using namespace mlir;

namespace onnxc {

namespace {
/// lld shares LLVM's registry of command-line options with the program that it
/// runs in: it resets all options to their defaults, and registers its own
/// "mcpu" and others, where a second option of a name ends the process. While
/// this object lives, the program's options that were given, or whose names lld
/// wants, are out of the registry; their values stay.
class OptionsAside {
public:
  OptionsAside() {
    for (auto &entry : llvm::cl::getRegisteredOptions())
      if (entry.second->getNumOccurrences() > 0 ||
          llvm::is_contained({"mcpu", "mattr", "march"}, entry.first))
        options.push_back(entry.second);
    for (llvm::cl::Option *option : options)
      option->removeArgument();
  }
  ~OptionsAside() {
    auto &registered = llvm::cl::getRegisteredOptions();
    for (llvm::cl::Option *option : options)
      if (!option->hasArgStr() || !registered.contains(option->ArgStr))
        option->addArgument();
  }

private:
  SmallVector<llvm::cl::Option *> options;
};
} // namespace

LogicalResult runLinker(ModuleOp module, ArrayRef<std::string> arguments) {
  // lld keeps its state in a global of its own.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  SmallVector<const char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  std::string text;
  llvm::raw_string_ostream messages(text);
  OptionsAside aside;
  lld::Result result = lld::lldMain(
      argv, messages, messages,
      {{lld::Gnu, &lld::elf::link}, {lld::Wasm, &lld::wasm::link}});
  if (result.retCode == 0)
    return success();
  return module.emitError() << "the linker failed: " << StringRef(text).trim();
}

/// What a program calls to find its model (lib/Runtime/CMakeLists.txt).
static constexpr llvm::StringLiteral linkedQuery = "onnxc_linked_model_query";

namespace {
struct LibrarySymbol {
  StringRef soname;
  /// The version that glibc gives the symbol; empty for a libc without.
  std::string version;
};
} // namespace

/// The first minor version 2.x of glibc that has the symbol, where that is not
/// the first version of all on x86-64. None is above 17, so that models run on
/// every Linux of the last decade. Functions that changed later are taken as
/// they were before, which newer releases of glibc keep: lgamma (2.23), expf
/// and the like (2.27), exp and the like (2.29) differ in errno and signgam
/// alone.
static unsigned glibcMinorVersion(StringRef name) {
  return llvm::StringSwitch<unsigned>(name)
      .Cases({"freelocale", "newlocale", "uselocale"}, 3)
      .Case("memcpy", 14)
      .Cases({"aligned_alloc", "getauxval"}, 16)
      .Case("clock_gettime", 17)
      .Default(0);
}

bool isOfLibm(StringRef name) {
  // With the suffix f too.
  static const StringRef libm[] = {
      "acos",   "acosh",   "asin",      "asinh", "atan",      "atan2", "atanh",
      "cbrt",   "ceil",    "copysign",  "cos",   "cosh",      "erf",   "erfc",
      "exp",    "exp10",   "exp2",      "expm1", "fabs",      "floor", "fma",
      "fmax",   "fmin",    "fmod",      "frexp", "hypot",     "ldexp", "lgamma",
      "llrint", "llround", "log",       "log10", "log1p",     "log2",  "lrint",
      "lround", "modf",    "nearbyint", "pow",   "remainder", "rint",  "round",
      "scalbn", "sin",     "sincos",    "sinh",  "sqrt",      "tan",   "tanh",
      "tgamma", "trunc"};
  return llvm::is_contained(libm, name) ||
         (name.consume_back("f") && llvm::is_contained(libm, name));
}

/// Which library gives `name`, if libc or libm does.
static std::optional<LibrarySymbol> findSymbol(StringRef name,
                                               const llvm::Triple &triple) {
  static const StringRef libc[] = {
      "aligned_alloc", "bcmp",       "calloc",    "clock_gettime", "close",
      "free",          "freelocale", "getauxval", "getenv",        "getpid",
      "madvise",       "malloc",     "memchr",    "memcmp",        "memcpy",
      "memmove",       "memset",     "mmap",      "mprotect",      "mremap",
      "munmap",        "newlocale",  "open",      "read",          "realloc",
      "sigfillset",    "snprintf",   "strchr",    "strcmp",        "strlen",
      "strncmp",       "strtod",     "strtof",    "strtoll",       "strtoull",
      "syscall",       "uselocale",  "vsnprintf"};
  // What programs of models call besides.
  static const StringRef ofPrograms[] = {"__errno_location",
                                         "__libc_start_main",
                                         "abort",
                                         "exit",
                                         "fclose",
                                         "ferror",
                                         "fflush",
                                         "fopen",
                                         "fprintf",
                                         "fputc",
                                         "fputs",
                                         "fread",
                                         "fwrite",
                                         "printf",
                                         "putchar",
                                         "puts",
                                         "remove",
                                         "rename",
                                         "sprintf",
                                         "stderr",
                                         "stdout",
                                         "stpcpy",
                                         "strcpy",
                                         "strcspn",
                                         "strerror",
                                         "strrchr",
                                         "strstr",
                                         "strtol",
                                         "strtoul",
                                         "vfprintf"};
  // Part of libc.so.6 since glibc 2.34, where libpthread.so.0 still stands for
  // the names that it had.
  static const StringRef libpthread[] = {"pthread_create", "pthread_join",
                                         "pthread_sigmask"};
  StringRef soname = "libm.so.6";
  if (llvm::is_contained(libc, name) || llvm::is_contained(ofPrograms, name))
    soname = "libc.so.6";
  else if (llvm::is_contained(libpthread, name))
    soname = "libpthread.so.0";
  else if (!isOfLibm(name))
    return std::nullopt;
  if (triple.isMusl())
    return LibrarySymbol{"libc.so", ""};
  // The first version of glibc that an architecture was ported to is the
  // version of everything that was there.
  unsigned version = glibcMinorVersion(name);
  const Architecture &architecture = getArchitecture(triple);
  std::string text = architecture.glibcVersion.str();
  if (version > architecture.glibcMinor)
    text = "GLIBC_2." + std::to_string(version);
  return LibrarySymbol{soname, text};
}

namespace {
/// The global names of some objects.
struct GlobalNames {
  std::set<std::string> defined, undefined;

  llvm::Error add(const llvm::object::ObjectFile &object) {
    for (const llvm::object::SymbolRef &symbol : object.symbols()) {
      llvm::Expected<StringRef> name = symbol.getName();
      llvm::Expected<uint32_t> flags = symbol.getFlags();
      if (!name || !flags)
        return llvm::joinErrors(name.takeError(), flags.takeError());
      if (name->empty())
        continue;
      if (*flags & llvm::object::SymbolRef::SF_Undefined)
        undefined.insert(name->str());
      else if (*flags & llvm::object::SymbolRef::SF_Global)
        defined.insert(name->str());
    }
    return llvm::Error::success();
  }

  /// Adds the members of the archive that a linker would take.
  llvm::Error addNeeded(const llvm::object::Archive &archive) {
    std::set<uint64_t> taken;
    std::set<std::string> asked;
    while (true) {
      auto next = llvm::find_if(undefined, [&](const std::string &name) {
        return !defined.count(name) && !asked.count(name);
      });
      if (next == undefined.end())
        return llvm::Error::success();
      asked.insert(*next);
      auto member = archive.findSym(*next);
      if (!member)
        return member.takeError();
      if (!*member || !taken.insert((*member)->getChildOffset()).second)
        continue;
      auto binary = (*member)->getAsBinary();
      if (!binary)
        return binary.takeError();
      if (llvm::Error error =
              add(llvm::cast<llvm::object::ObjectFile>(**binary)))
        return error;
    }
  }
};
} // namespace

static LogicalResult addObjects(ModuleOp module, ArrayRef<StringRef> paths,
                                GlobalNames &names) {
  for (StringRef path : paths) {
    auto object = llvm::object::ObjectFile::createObjectFile(path);
    llvm::Error error =
        object ? names.add(*object->getBinary()) : object.takeError();
    if (error)
      return module.emitError() << "cannot read back the object file: "
                                << llvm::toString(std::move(error));
  }
  return success();
}

/// What is left undefined by the objects and what they, and a program's
/// `entry`, take of the runtime.
static LogicalResult collectUndefined(ModuleOp module,
                                      ArrayRef<StringRef> paths,
                                      StringRef runtime, StringRef entry,
                                      std::set<std::string> &undefined) {
  GlobalNames names;
  if (!entry.empty())
    names.undefined.insert(entry.str());
  if (failed(addObjects(module, paths, names)))
    return failure();
  auto archive =
      llvm::object::Archive::create(llvm::MemoryBufferRef(runtime, "runtime"));
  llvm::Error error =
      archive ? names.addNeeded(**archive) : archive.takeError();
  if (error)
    return module.emitError() << "the runtime's archive cannot be read: "
                              << llvm::toString(std::move(error));
  for (const std::string &name : names.undefined)
    if (!names.defined.count(name))
      undefined.insert(name);
  return success();
}

namespace {
/// The symbols of one library, by version.
using LibrarySymbols = std::map<std::string, std::set<std::string>>;
} // namespace

/// A linker script from which lld makes a shared object with these symbols.
static void writeStandIn(const LibrarySymbols &symbols, llvm::raw_ostream &os) {
  for (const auto &[version, names] : symbols)
    for (const std::string &name : names)
      os << name << " = 0;\n";
  os << "VERSION {\n";
  for (const auto &[version, names] : symbols) {
    os << version << " { global:";
    for (const std::string &name : names)
      os << " " << name << ";";
    os << " };\n";
  }
  os << "}\n";
}

/// The function of lib/RuntimeExtra among `undefined`, "" if there is none.
static FailureOr<std::string> findExtra(ModuleOp module,
                                        const std::set<std::string> &undefined,
                                        const llvm::Triple &triple) {
  auto found = llvm::find_if(undefined, isExtraFunction);
  if (found == undefined.end())
    return std::string();
  if (failed(checkExtraTarget(module, *found, triple)))
    return failure();
  return *found;
}

FailureOr<bool> usesExtra(ModuleOp module, ArrayRef<StringRef> objects,
                          const llvm::Triple &triple) {
  GlobalNames names;
  if (failed(addObjects(module, objects, names)))
    return failure();
  FailureOr<std::string> extra = findExtra(module, names.undefined, triple);
  if (failed(extra))
    return failure();
  return !extra->empty();
}

/// An archive that the compiler carries, as a file.
static LogicalResult writeArchive(ModuleOp module, StringRef contents,
                                  StringRef output, ScratchFile &file) {
  return file.create(module, output, ".a", [&](llvm::raw_fd_ostream &os) {
    os << contents;
    return success();
  });
}

/// The libraries of the system that the archive stands on; all must be there.
static LogicalResult addExtraLibraries(ModuleOp module,
                                       std::vector<std::string> &arguments) {
  arguments.push_back("--as-needed");
  for (StringRef library : getExtraLibraries()) {
    if (!llvm::sys::fs::exists(library))
      return module.emitError() << "the model has an operator that needs '"
                                << library << "', which is not installed";
    arguments.push_back(library.str());
  }
  return success();
}

namespace {
/// One link of a shared object or a program.
class Linker {
public:
  Linker(ModuleOp module, ArrayRef<StringRef> objects, StringRef output,
         const llvm::Triple &triple, bool sanitized)
      : module(module), objects(objects), output(output), triple(triple),
        sanitized(sanitized),
        emulation(getArchitecture(triple).emulation.str()),
        runtime(getRuntimeArchive(triple)) {}

  /// `kind` are the arguments that say what is made; `entry` is where a program
  /// begins, empty for a shared object.
  LogicalResult link(ArrayRef<std::string> kind, StringRef entry);

private:
  LogicalResult addStandIns(const std::set<std::string> &undefined);
  LogicalResult createStandIn(StringRef soname, const LibrarySymbols &symbols);
  LogicalResult addExtra();

  ModuleOp module;
  ArrayRef<StringRef> objects;
  StringRef output;
  const llvm::Triple &triple;
  bool sanitized;
  std::string emulation;
  StringRef runtime;
  /// Kept until the end.
  SmallVector<std::unique_ptr<ScratchFile>> files;
  /// What comes behind the objects.
  std::vector<std::string> libraries;
};
} // namespace

LogicalResult Linker::createStandIn(StringRef soname,
                                    const LibrarySymbols &symbols) {
  auto &script = files.emplace_back(std::make_unique<ScratchFile>());
  if (failed(
          script->create(module, output, ".ld", [&](llvm::raw_fd_ostream &os) {
            writeStandIn(symbols, os);
            return success();
          })))
    return failure();
  std::string scriptPath = script->getPath().str();
  auto &standIn = files.emplace_back(std::make_unique<ScratchFile>());
  if (failed(standIn->create(module, output, ".so",
                             [](llvm::raw_fd_ostream &) { return success(); })))
    return failure();
  libraries.push_back(standIn->getPath().str());
  return runLinker(module, {"ld.lld", "-shared", "-m", emulation, "-soname",
                            soname.str(), "-o", libraries.back(), scriptPath});
}

LogicalResult Linker::addStandIns(const std::set<std::string> &undefined) {
  std::map<std::string, LibrarySymbols> needed;
  for (const std::string &name : undefined) {
    // The sanitizer's runtime, and the bounds of its section, which lld
    // defines.
    if (sanitized &&
        (StringRef(name).starts_with("__asan_") ||
         name == "__start_asan_globals" || name == "__stop_asan_globals"))
      continue;
    std::optional<LibrarySymbol> symbol = findSymbol(name, triple);
    if (!symbol)
      return module.emitError() << "the code calls '" << name
                                << "', expected functions of libc and libm";
    needed[symbol->soname.str()][symbol->version].insert(name);
  }
  for (const auto &[soname, symbols] : needed)
    if (failed(createStandIn(soname, symbols)))
      return failure();
  return success();
}

/// lib/RuntimeExtra, and this machine's libc, for which no stand-in is needed.
LogicalResult Linker::addExtra() {
  auto &archive = files.emplace_back(std::make_unique<ScratchFile>());
  if (failed(writeArchive(module, getExtraArchive(), output, *archive)))
    return failure();
  // Exports stay the model's own.
  libraries.insert(libraries.end(),
                   {"--exclude-libs=ALL", archive->getPath().str()});
  return addExtraLibraries(module, libraries);
}

LogicalResult Linker::link(ArrayRef<std::string> kind, StringRef entry) {
  std::set<std::string> undefined;
  if (failed(collectUndefined(module, objects, runtime, entry, undefined)))
    return failure();
  undefined.erase(linkedQuery.str());
  FailureOr<std::string> extra = findExtra(module, undefined, triple);
  if (failed(extra) ||
      failed(extra->empty() ? addStandIns(undefined) : addExtra()))
    return failure();
  std::vector<std::string> arguments = {"ld.lld"};
  llvm::append_range(arguments, kind);
  arguments.insert(
      arguments.end(),
      {"-m", emulation, "-o", output.str(),
       // Nothing of this machine or moment.
       "--build-id=none",
       // All symbols are found at load time: no call fails for a missing one.
       "-z", sanitized ? "undefs" : "defs", "-z", "now", "-z", "relro", "-z",
       "noexecstack", "--hash-style=gnu", "--gc-sections"});
  for (StringRef object : objects)
    arguments.push_back(object.str());
  ScratchFile archive;
  if (failed(writeArchive(module, runtime, output, archive)))
    return failure();
  arguments.push_back(archive.getPath().str());
  llvm::append_range(arguments, libraries);
  return runLinker(module, arguments);
}

LogicalResult linkSharedObject(ModuleOp module, ArrayRef<StringRef> objects,
                               StringRef output, const llvm::Triple &triple,
                               bool sanitized) {
  return Linker(module, objects, output, triple, sanitized)
      .link({"-shared"}, /*entry=*/"");
}

/// The dynamic loader, by the path that the C library gives it.
static std::string getInterpreter(const llvm::Triple &triple) {
  if (triple.isMusl())
    return ("/lib/ld-musl-" + llvm::Triple::getArchTypeName(triple.getArch()) +
            ".so.1")
        .str();
  switch (triple.getArch()) {
#define INTERPRETER(ARCH, PATH)                                                \
  case llvm::Triple::ARCH:                                                     \
    return PATH;
#include "onnxc/Target/Architectures.def"
  default:
    llvm_unreachable("no program is linked for other architectures");
  }
}

LogicalResult linkProgram(ModuleOp module, ArrayRef<StringRef> objects,
                          StringRef output, const llvm::Triple &triple,
                          StringRef prefix) {
  // Start.c.
  StringRef entry = "onnxc_program";
  SmallVector<std::string> kind = {"-pie", "-e", entry.str(), "-dynamic-linker",
                                   getInterpreter(triple)};
  // The program was compiled before the model had a name.
  std::string query = prefix.str() + "_query";
  if (query != linkedQuery)
    kind.push_back("--defsym=" + linkedQuery.str() + "=" + query);
  return Linker(module, objects, output, triple, /*sanitized=*/false)
      .link(kind, entry);
}

LogicalResult linkObject(ModuleOp module, ArrayRef<StringRef> objects,
                         StringRef output, const llvm::Triple &triple,
                         StringRef prefix) {
  std::vector<std::string> arguments = {triple.isWasm() ? "wasm-ld" : "ld.lld",
                                        "-r", "-o", output.str()};
  // Else wasm-ld writes down the name of the output, a temporary file's.
  arguments.push_back(triple.isWasm() ? ("-soname=" + prefix).str()
                                      : "--build-id=none");
  for (StringRef object : objects)
    arguments.push_back(object.str());
  FailureOr<bool> extra = usesExtra(module, objects, triple);
  ScratchFile archive;
  if (failed(extra) || (*extra && failed(writeArchive(module, getExtraArchive(),
                                                      output, archive))))
    return failure();
  if (*extra)
    arguments.push_back(archive.getPath().str());
  return runLinker(module, arguments);
}

} // namespace onnxc
