//===- Emit.cpp - From the llvm dialect to files --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Emit/Emit.h"

#include "Codegen.h"
#include "Extra.h"
#include "FillWeights.h"
#include "Freestanding.h"
#include "Header.h"
#include "Link.h"
#include "ModelInfo.h"
#include "Parts.h"
#include "RequiredFeatures.h"
#include "Scratch.h"
#include "SystemObjects.h"
#include "Target.h"
#include "WebAssembly.h"
#include "WeightsObject.h"
#include "onnxc/Support/OutputFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <atomic>
#include <chrono>
#include <mutex>

using namespace mlir;

namespace onnxc {

std::optional<EmitKind> emitKindFromPath(StringRef path) {
  return llvm::StringSwitch<std::optional<EmitKind>>(
             llvm::sys::path::extension(path))
      .Case(".so", EmitKind::SharedObject)
      .Cases({".o", ".obj"}, EmitKind::Object)
      .Cases({".a", ".lib"}, EmitKind::Archive)
      .Case(".s", EmitKind::Assembly)
      .Case(".ll", EmitKind::LLVMIR)
      .Case(".wasm", EmitKind::WebAssembly)
      .Default(std::nullopt);
}

std::string symbolPrefixFromPath(StringRef path) {
  std::string prefix;
  for (char c : llvm::sys::path::stem(path))
    prefix += llvm::isAlnum(c) ? c : '_';
  if (prefix.empty() || !llvm::isAlpha(prefix.front()))
    prefix = "model_" + prefix;
  return prefix;
}

static FailureOr<std::string> choosePrefix(ModuleOp module, StringRef prefix,
                                           StringRef path) {
  if (prefix.empty())
    return symbolPrefixFromPath(path);
  if (llvm::isDigit(prefix.front()) || !llvm::all_of(prefix, [](char c) {
        return llvm::isAlnum(c) || c == '_';
      }))
    return module.emitError()
           << "--prefix=" << prefix << ": expected a C identifier";
  return prefix.str();
}

std::string headerPathFromOutput(StringRef path) {
  SmallString<128> header(path);
  llvm::sys::path::replace_extension(header, "h");
  return header.str().str();
}

/// Adds the members of the archive that the compiler carries. A program with
/// several such models takes each of them once.
static llvm::Error
addExtraMembers(llvm::object::Archive &archive,
                std::vector<llvm::NewArchiveMember> &members) {
  llvm::Error error = llvm::Error::success();
  for (const llvm::object::Archive::Child &child : archive.children(error)) {
    llvm::Expected<llvm::NewArchiveMember> member =
        llvm::NewArchiveMember::getOldMember(child, /*Deterministic=*/true);
    if (!member)
      return llvm::joinErrors(std::move(error), member.takeError());
    members.push_back(std::move(*member));
  }
  return error;
}

/// Puts the objects into an archive. No member carries a time or an owner.
static LogicalResult writeArchive(ModuleOp module, ArrayRef<StringRef> objects,
                                  ArrayRef<std::string> names,
                                  const llvm::Triple &triple,
                                  StringRef output) {
  std::vector<llvm::NewArchiveMember> members;
  for (auto [object, name] : llvm::zip(objects, names)) {
    llvm::Expected<llvm::NewArchiveMember> member =
        llvm::NewArchiveMember::getFile(object, /*Deterministic=*/true);
    if (!member)
      return module.emitError() << "cannot read back the object file: "
                                << llvm::toString(member.takeError());
    member->MemberName = name;
    member->Perms = 0644;
    members.push_back(std::move(*member));
  }
  FailureOr<bool> extra = usesExtra(module, objects, triple);
  if (failed(extra))
    return failure();
  std::unique_ptr<llvm::object::Archive> carried;
  if (*extra) {
    auto opened = llvm::object::Archive::create(
        llvm::MemoryBufferRef(getExtraArchive(), "extra"));
    llvm::Error error =
        opened ? addExtraMembers(**opened, members) : opened.takeError();
    if (error)
      return module.emitError() << "the runtime's archive cannot be read: "
                                << llvm::toString(std::move(error));
    carried = std::move(*opened);
  }
  if (llvm::Error error = llvm::writeArchive(
          output, members, llvm::SymtabWritingMode::NormalSymtab,
          getArchiveKind(triple), /*Deterministic=*/true,
          /*Thin=*/false))
    return module.emitError()
           << "cannot write the archive: " << llvm::toString(std::move(error));
  return success();
}

namespace {
/// One run of emitModule.
class Emitter {
public:
  Emitter(MutableArrayRef<LevelCode> levels, const EmitOptions &options)
      : module(levels.back().module), levels(levels), options(options),
        info(levels.back().info) {}

  /// Leaves the result in `result`, still without its name.
  LogicalResult emit(ScratchFile &result) {
    // Functions say for which level they are.
    const EmitTarget &target = levels.back().target;
    auto context = std::make_unique<llvm::LLVMContext>();
    FailureOr<std::unique_ptr<llvm::Module>> code =
        buildLLVMModule(levels, options, *context);
    if (failed(code))
      return failure();
    // One part for a sanitizer: its constructor stands in each.
    if (isLinked(options.kind) && options.optLevel >= 2 &&
        !options.sanitizeAddress)
      if (std::unique_ptr<Parts> parts = Parts::split(*code)) {
        context.reset();
        return emitParts(*parts, target, result);
      }
    timed(&EmitTimes::optimize, [&] { optimize(**code, target, options); });
    bool isText =
        options.kind == EmitKind::LLVMIR || options.kind == EmitKind::Assembly;
    // No linker that runs here makes one object of several in these formats.
    bool isWhole =
        options.kind == EmitKind::Object && isSystemObject(target.triple());
    if ((isText || isWhole) && !isFreestanding(module) &&
        !isWebAssembly(module) && failed(defineFeaturesOf(**code, target)))
      return failure();
    if (isWhole)
      return emitWhole(**code, target, result);
    if (options.kind == EmitKind::LLVMIR)
      return result.create(module, options.outputPath, ".ll",
                           [&](llvm::raw_fd_ostream &os) {
                             (*code)->print(os, nullptr);
                             return success();
                           });
    if (options.kind == EmitKind::Assembly)
      return createFromCode(result, **code, target, ".s",
                            llvm::CodeGenFileType::AssemblyFile);

    ScratchFile codeObject;
    if (failed(createFromCode(codeObject, **code, target, ".o",
                              llvm::CodeGenFileType::ObjectFile)))
      return failure();
    code->reset();
    context.reset();
    if (isFreestanding(module) || isWebAssembly(module) ||
        isSystemObject(target.triple()))
      return combineByLLVM(codeObject.getPath(), target, result);
    return combine({codeObject.getPath()}, target, result);
  }

private:
  LogicalResult createFromCode(ScratchFile &file, llvm::Module &code,
                               const EmitTarget &target, StringRef suffix,
                               llvm::CodeGenFileType type) {
    return timed(&EmitTimes::codegen, [&] {
      return file.create(
          module, options.outputPath, suffix, [&](llvm::raw_fd_ostream &os) {
            return writeMachineCode(module, code, target, type, os);
          });
    });
  }

  /// An object with all of the model in it.
  LogicalResult emitWhole(llvm::Module &code, const EmitTarget &target,
                          ScratchFile &result) {
    if (info.weightBytes &&
        failed(defineWeights(module, info, options.prefix, code)))
      return failure();
    llvm::internalizeModule(code, [](const llvm::GlobalValue &value) {
      return isa<llvm::Function>(value);
    });
    if (failed(createFromCode(result, code, target,
                              getObjectSuffix(target.triple()),
                              llvm::CodeGenFileType::ObjectFile)))
      return failure();
    return checkSystemCalls(module, {result.getPath()}, target.triple());
  }

  /// Does `work` and adds the time to `part`.
  template <typename Work>
  std::invoke_result_t<Work> timed(double EmitTimes::*part, Work work) {
    auto start = std::chrono::steady_clock::now();
    llvm::scope_exit note([&] {
      std::chrono::duration<double> time =
          std::chrono::steady_clock::now() - start;
      std::lock_guard<std::mutex> lock(timesMutex);
      if (options.times)
        options.times->*part += time.count();
    });
    return work();
  }

  /// Compiles the parts side by side, and links what comes out in their order.
  LogicalResult emitParts(const Parts &parts, const EmitTarget &target,
                          ScratchFile &result) {
    std::vector<EmitTarget> targets;
    for (size_t i = 0; i < parts.size(); ++i) {
      FailureOr<EmitTarget> target = EmitTarget::create(module, options);
      if (failed(target))
        return failure();
      targets.push_back(std::move(*target));
    }
    std::vector<ScratchFile> objects(parts.size());
    std::atomic<bool> ok = true;
    // Not more than there are cores: each holds a part in memory.
    size_t threads = options.threads
                         ? options.threads
                         : llvm::hardware_concurrency().compute_thread_count();
    llvm::DefaultThreadPool pool(
        llvm::hardware_concurrency(std::min(threads, parts.size())));
    // Those of one long function, the last ones, cannot be shared at the end.
    for (size_t i = parts.size(); i-- > 0;)
      pool.async([&, i] {
        llvm::LLVMContext context;
        std::unique_ptr<llvm::Module> code = parts.load(i, context);
        // It is calls and checks, which no register allocation makes faster.
        if (parts.isLong(i))
          targets[i].machine->setOptLevel(llvm::CodeGenOptLevel::None);
        timed(&EmitTimes::optimize,
              [&] { optimize(*code, targets[i], options, parts.isLong(i)); });
        if (failed(createFromCode(objects[i], *code, targets[i], ".o",
                                  llvm::CodeGenFileType::ObjectFile)))
          ok = false;
      });
    pool.wait();
    if (!ok)
      return failure();
    return combine(
        llvm::map_to_vector(
            objects, [](const ScratchFile &file) { return file.getPath(); }),
        target, result);
  }

  /// Adds what the code of an object needs of the processor, for each level.
  LogicalResult
  addFeatures(llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> object,
              MutableArrayRef<llvm::StringSet<>> required) {
    llvm::Error error = object ? llvm::Error::success() : object.takeError();
    for (auto [level, features] : llvm::zip_equal(levels, required))
      if (!error)
        error = addRequiredFeatures(**object, level.target, level.getSection(),
                                    features);
    if (error)
      return module.emitError() << "cannot read back the object file: "
                                << llvm::toString(std::move(error));
    return success();
  }

  /// In the order in which the runtime asks for them.
  static std::vector<std::string> inOrder(const llvm::StringSet<> &required,
                                          const EmitTarget &target) {
    std::vector<std::string> features;
    for (const CheckableFeature &feature : target.checkedFeatures)
      if (required.contains(feature.name))
        features.push_back(feature.name.str());
    return features;
  }

  /// The lists of all levels.
  void define(llvm::Module &code, ArrayRef<llvm::StringSet<>> required) {
    for (auto [level, features] : llvm::zip_equal(levels, required))
      defineFeatures(code, options.prefix + level.getSuffix(),
                     inOrder(features, level.target));
    if (options.cpuFeatures)
      *options.cpuFeatures = inOrder(required.back(), levels.back().target);
  }

  /// Completes a module that is written as text by what its code needs.
  LogicalResult defineFeaturesOf(llvm::Module &code, const EmitTarget &target) {
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream os(bytes);
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(code);
    if (failed(writeMachineCode(module, *copy, target,
                                llvm::CodeGenFileType::ObjectFile, os)))
      return failure();
    std::vector<llvm::StringSet<>> required(levels.size());
    llvm::MemoryBufferRef buffer(StringRef(bytes.data(), bytes.size()), "code");
    if (failed(addFeatures(llvm::object::ObjectFile::createObjectFile(buffer),
                           required)))
      return failure();
    define(code, required);
    return success();
  }

  /// An object with the lists of what the code of the others needs.
  LogicalResult createFeatures(ScratchFile &file, ArrayRef<StringRef> objects,
                               const EmitTarget &target) {
    std::vector<llvm::StringSet<>> required(levels.size());
    for (StringRef path : objects) {
      auto object = llvm::object::ObjectFile::createObjectFile(path);
      if (!object)
        return module.emitError() << "cannot read back the object file: "
                                  << llvm::toString(object.takeError());
      auto [binary, buffer] = object->takeBinary();
      if (failed(addFeatures(std::move(binary), required)))
        return failure();
    }
    llvm::LLVMContext context;
    llvm::Module list("onnxc", context);
    list.setDataLayout(target.machine->createDataLayout());
    list.setTargetTriple(target.triple());
    define(list, required);
    return createFromCode(file, list, target, ".o",
                          llvm::CodeGenFileType::ObjectFile);
  }

  /// Code and weights become one file.
  LogicalResult combine(SmallVector<StringRef> objects,
                        const EmitTarget &target, ScratchFile &result) {
    ScratchFile features;
    if (failed(createFeatures(features, objects, target)))
      return failure();
    SmallVector<std::string> names = {options.prefix + ".o",
                                      options.prefix + "_features.o"};
    objects.push_back(features.getPath());
    return timed(&EmitTimes::link, [&] {
      return link(std::move(objects), std::move(names), target.triple(),
                  result);
    });
  }

  /// The same with weights in an object by LLVM, which knows formats and flags
  /// besides those of Linux.
  LogicalResult combineByLLVM(StringRef object, const EmitTarget &target,
                              ScratchFile &result) {
    std::string suffix = getObjectSuffix(target.triple()).str();
    SmallVector<StringRef> objects = {object};
    SmallVector<std::string> names = {options.prefix + suffix};
    bool isOfSystem = isSystemObject(target.triple());
    ScratchFile features;
    if (isOfSystem) {
      if (failed(createFeatures(features, objects, target)))
        return failure();
      objects.push_back(features.getPath());
      names.push_back(options.prefix + "_features" + suffix);
    }
    if (isFreestanding(module) &&
        failed(checkUndefined(module, object, options.prefix)))
      return failure();
    ScratchFile weights;
    if (info.weightBytes) {
      llvm::LLVMContext context;
      FailureOr<std::unique_ptr<llvm::Module>> data =
          buildWeightsModule(module, info, target, options.prefix, context);
      if (failed(data) ||
          failed(createFromCode(weights, **data, target, ".o",
                                llvm::CodeGenFileType::ObjectFile)))
        return failure();
      objects.push_back(weights.getPath());
      names.push_back(options.prefix + "_weights" + suffix);
    }
    if (isOfSystem &&
        failed(checkSystemCalls(module, objects, target.triple())))
      return failure();
    if (failed(result.create(module, options.outputPath, "",
                             [](llvm::raw_fd_ostream &) { return success(); })))
      return failure();
    if (options.kind == EmitKind::Archive)
      return writeArchive(module, objects, names, target.triple(),
                          result.getPath());
    if (options.kind == EmitKind::WebAssembly)
      return timed(&EmitTimes::link, [&] {
        return linkWebAssembly(module, objects, options.prefix,
                               result.getPath());
      });
    return linkObject(module, objects, result.getPath(), target.triple(),
                      options.prefix);
  }

  LogicalResult link(SmallVector<StringRef> objects,
                     SmallVector<std::string> names, const llvm::Triple &triple,
                     ScratchFile &result) {
    bool fillLater = isLinked(options.kind) && info.weightBytes;
    ScratchFile weights, linked;
    if (info.weightBytes) {
      std::string symbol = options.prefix + "_weights";
      if (failed(weights.create(
              module, options.outputPath, ".o", [&](llvm::raw_fd_ostream &os) {
                return writeWeightsObject(module, info, triple, symbol,
                                          !fillLater, os);
              })))
        return failure();
      objects.push_back(weights.getPath());
      names.push_back(symbol + ".o");
    }
    ScratchFile &combined = fillLater ? linked : result;
    if (failed(
            combined.create(module, options.outputPath, "",
                            [](llvm::raw_fd_ostream &) { return success(); })))
      return failure();
    if (options.kind == EmitKind::Archive)
      return writeArchive(module, objects, names, triple, result.getPath());
    if (options.kind == EmitKind::Object)
      return linkObject(module, objects, result.getPath(), triple,
                        options.prefix);
    if (failed(options.kind == EmitKind::Program
                   ? linkProgram(module, objects, combined.getPath(), triple,
                                 options.prefix)
                   : linkSharedObject(module, objects, combined.getPath(),
                                      triple, options.sanitizeAddress)))
      return failure();
    return fillLater ? fill(combined.getPath(), result) : success();
  }

  LogicalResult fill(StringRef linked, ScratchFile &result) {
    if (failed(result.create(module, options.outputPath, "",
                             [&](llvm::raw_fd_ostream &os) {
                               return fillWeights(module, info, linked, os);
                             })))
      return failure();
    auto mode = llvm::sys::fs::getPermissions(linked);
    std::error_code error =
        mode ? llvm::sys::fs::setPermissions(result.getPath(), *mode)
             : mode.getError();
    if (error)
      return module.emitError()
             << "cannot make '" << result.getPath()
             << "' a library or program: " << error.message();
    return success();
  }

  /// The last one, which lists the weights of all.
  ModuleOp module;
  MutableArrayRef<LevelCode> levels;
  const EmitOptions &options;
  const ModelInfo &info;
  std::mutex timesMutex;
};
} // namespace

static LogicalResult createHeader(ModuleOp module, const ModelInfo &info,
                                  StringRef path, StringRef prefix,
                                  bool standalone, ScratchFile &file) {
  return file.create(module, path, ".h", [&](llvm::raw_fd_ostream &os) {
    if (isFreestanding(module))
      writeFreestandingHeader(info, prefix, os);
    else
      writeHeader(info, prefix, standalone, os);
    return success();
  });
}

/// The target and the description of each level.
static LogicalResult readLevels(ArrayRef<ModuleOp> modules,
                                const EmitOptions &options,
                                std::vector<LevelCode> &levels) {
  for (auto [i, module] : llvm::enumerate(modules)) {
    FailureOr<ModelInfo> info = ModelInfo::read(module);
    FailureOr<EmitTarget> target = EmitTarget::create(module, options);
    if (failed(info) || failed(target))
      return failure();
    levels.push_back({module, std::move(*info), std::move(*target),
                      modules.size() > 1 ? options.levels[i] : "", i});
  }
  return success();
}

LogicalResult emitModule(ArrayRef<ModuleOp> modules, const EmitOptions &given) {
  ModuleOp module = modules.back();
  EmitOptions options = given;
  if (options.outputPath.empty())
    return module.emitError() << "no output path";
  FailureOr<std::string> prefix =
      choosePrefix(module, given.prefix, given.outputPath);
  std::vector<LevelCode> levels;
  if (failed(prefix) || failed(readLevels(modules, options, levels)))
    return failure();
  options.prefix = *prefix;
  if ((isFreestanding(module) &&
       failed(checkFreestanding(module, levels.back().info))) ||
      (isWebAssembly(module) &&
       failed(checkWebAssembly(module, levels.back().info))))
    return failure();
  const llvm::Triple &triple = levels.back().target.triple();
  if (isSystemObject(triple)) {
    if (isLinked(options.kind))
      return module.emitError()
             << "onnxc links no "
             << (options.kind == EmitKind::Program ? "programs" : "libraries")
             << " for " << triple.str() << ", expected .a or .o";
    if (failed(checkSystemObject(module, levels.back().info, triple)))
      return failure();
  }

  bool isModule = options.kind == EmitKind::WebAssembly;
  bool withHeader =
      options.header && !isModule && options.kind != EmitKind::Program &&
      options.kind != EmitKind::Assembly && options.kind != EmitKind::LLVMIR;
  if (withHeader && options.headerPath.empty())
    options.headerPath = headerPathFromOutput(options.outputPath);
  if (withHeader && options.headerPath == options.outputPath)
    return module.emitError() << "the C header would replace the output '"
                              << options.outputPath << "'; use another suffix";
  // Before any work, and before the header replaces an older one.
  SmallVector<std::string> paths = {options.outputPath, options.headerPath};
  if (isModule)
    llvm::append_range(paths, loaderPathsFromOutput(options.outputPath));
  for (StringRef path : paths)
    if (std::string reason = refuseOutput(path); !reason.empty())
      return module.emitError() << reason;

  ScratchFile output, header;
  if (failed(Emitter(levels, options).emit(output)))
    return failure();
  if (withHeader) {
    if (failed(createHeader(module, levels.back().info, options.headerPath,
                            options.prefix, options.standaloneHeader,
                            header)) ||
        failed(header.keepAs(module, options.headerPath)))
      return failure();
  }
  if (isModule)
    return writeWebAssembly(module, levels.back().info, options.prefix, output,
                            options.outputPath);
  if (succeeded(output.keepAs(module, options.outputPath)))
    return success();
  if (withHeader)
    (void)llvm::sys::fs::remove(options.headerPath);
  return failure();
}

LogicalResult emitHeader(ModuleOp module, StringRef path, StringRef prefix,
                         bool standalone) {
  FailureOr<std::string> chosen = choosePrefix(module, prefix, path);
  FailureOr<ModelInfo> info = ModelInfo::read(module);
  if (failed(chosen) || failed(info) ||
      (isFreestanding(module) && failed(checkFreestanding(module, *info))))
    return failure();
  ScratchFile file;
  if (failed(createHeader(module, *info, path, *chosen, standalone, file)))
    return failure();
  return file.keepAs(module, path);
}

} // namespace onnxc
