//===- LoadedModel.cpp - A compiled model in this process -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Load/LoadedModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <dlfcn.h>

using namespace llvm;
using namespace onnxc;

/// What a file is instead of a shared object, and how to run it; "" if there is
/// no more to say than that it cannot be read.
static std::string describeOther(file_magic magic) {
  switch (magic) {
  case file_magic::archive:
  case file_magic::elf_relocatable:
  case file_magic::macho_object:
  case file_magic::coff_object:
    return "to be linked with a program, such as share/onnxc/run_model.c, "
           "whose first lines say how";
  case file_magic::wasm_object:
    return "WebAssembly, which browsers and Node.js run by the loader beside "
           "it, as docs/webassembly.md says";
  case file_magic::unknown:
    return "not a shared object, expected what 'onnxc MODEL.onnx -o MODEL.so' "
           "writes";
  default:
    return "";
  }
}

/// The names of the functions `<prefix>_query` that the file exports.
static Expected<std::vector<std::string>> findQueries(StringRef path) {
  file_magic magic;
  if (std::error_code error = identify_magic(path, magic))
    return createStringError(path + ": " + error.message());
  if (std::string other = describeOther(magic); !other.empty())
    return createStringError(path + ": " + other);
  Expected<object::OwningBinary<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(path);
  if (!file)
    return createStringError(path + ": " + toString(file.takeError()));
  auto *elf = dyn_cast<object::ELFObjectFileBase>(file->getBinary());
  if (!elf)
    return createStringError(path + ": not a shared object of this system");
  const Triple host(sys::getProcessTriple());
  if (elf->getArch() != host.getArch())
    return createStringError(
        path + ": compiled for " + Triple::getArchTypeName(elf->getArch()) +
        ", and this is " + host.getArchName() +
        "; a C program runs it there, or by an emulator: the first lines of "
        "share/onnxc/run_model.c say how");
  std::vector<std::string> names;
  for (object::ELFSymbolRef symbol : elf->getDynamicSymbolIterators()) {
    Expected<StringRef> name = symbol.getName();
    if (!name) {
      consumeError(name.takeError());
      continue;
    }
    Expected<uint32_t> flags = symbol.getFlags();
    if (!flags) {
      consumeError(flags.takeError());
      continue;
    }
    if (name->ends_with("_query") &&
        !(*flags & object::SymbolRef::SF_Undefined))
      names.push_back(name->str());
  }
  return names;
}

static Expected<std::string> findQuery(StringRef path, StringRef prefix) {
  Expected<std::vector<std::string>> names = findQueries(path);
  if (!names)
    return names.takeError();
  if (names->empty())
    return createStringError(path + ": not a model that onnxc compiled (it "
                                    "exports no <prefix>_query)");
  std::string wanted = (prefix + "_query").str();
  if (is_contained(*names, wanted))
    return wanted;
  auto listed = map_range(*names, [](StringRef name) {
    return name.drop_back(StringRef("_query").size());
  });
  if (!prefix.empty())
    return createStringError(path + ": has no model of the prefix '" + prefix +
                             "', expected " + join(listed, " or "));
  if (names->size() > 1)
    return createStringError(path + ": has several models (" +
                             join(listed, ", ") + "); choose by --prefix");
  return names->front();
}

/// The library in the file. dlopen would take one that was loaded from that
/// path before, though another file has the name by now (a model that was
/// compiled again); what it knows by another name it compares by the file
/// itself.
static void *load(const Twine &path) {
  SmallString<128> buffer, folder;
  const char *name = path.toNullTerminatedStringRef(buffer).data();
  void *before = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (!before || sys::fs::createUniqueDirectory("onnxc-load", folder)) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (before)
      dlclose(before);
    return library;
  }
  std::string alias = (folder + "/model.so").str();
  void *library = nullptr;
  if (!sys::fs::create_link(name, alias))
    library = dlopen(alias.c_str(), RTLD_NOW | RTLD_LOCAL);
  (void)sys::fs::remove_directories(folder);
  dlclose(before);
  return library;
}

Expected<LoadedModel> LoadedModel::open(StringRef path, StringRef prefix) {
  Expected<std::string> query = findQuery(path, prefix);
  if (!query)
    return query.takeError();
  // A name without a slash would be searched in the system's directories.
  SmallString<128> absolute(path);
  if (std::error_code error = sys::fs::make_absolute(absolute))
    return createStringError(path + ": " + error.message());
  LoadedModel loaded;
  loaded.path = path.str();
  loaded.library = load(absolute);
  if (!loaded.library)
    return createStringError(path + ": " + dlerror());
  using QueryFn = const onnxc_model *(*)(uint32_t);
  auto queryFn =
      reinterpret_cast<QueryFn>(dlsym(loaded.library, query->c_str()));
  if (!queryFn)
    return createStringError(path + ": has no function " + *query);
  loaded.description = queryFn(ONNXC_ABI_VERSION);
  if (!loaded.description)
    return createStringError(path + ": " +
                             onnxc_status_text(ONNXC_ABI_MISMATCH));
  StringRef stem = StringRef(*query).drop_back(StringRef("_query").size());
  using ProfileFn = const onnxc_profile *(*)(uint32_t);
  if (auto profileFn = reinterpret_cast<ProfileFn>(
          dlsym(loaded.library, (stem + "_profile").str().c_str())))
    loaded.regions = profileFn(ONNXC_PROFILE_VERSION);
  return loaded;
}

Expected<ContextPtr> LoadedModel::createContext(onnxc_options options) const {
  char message[512] = "";
  options.message = message;
  options.message_size = sizeof message;
  onnxc_context *context = nullptr;
  onnxc_status status = onnxc_create(description, &options, &context);
  if (status != ONNXC_OK)
    return createStringError(path + ": " + onnxc_status_text(status) +
                             (*message ? ": " : "") + message);
  return ContextPtr(context);
}

LoadedModel::LoadedModel(LoadedModel &&other)
    : path(std::move(other.path)),
      library(std::exchange(other.library, nullptr)),
      description(std::exchange(other.description, nullptr)),
      regions(std::exchange(other.regions, nullptr)) {}

LoadedModel::~LoadedModel() {
  if (library)
    dlclose(library);
}

std::string onnxc::describeValue(const onnxc_value_info &value) {
  std::string text = onnxc_dtype_name(value.dtype);
  if (value.rank < 0)
    return text + " of any rank";
  text += " [";
  for (int32_t i = 0; i < value.rank; ++i) {
    text += i ? "," : "";
    if (value.dims[i] >= 0)
      text += std::to_string(value.dims[i]);
    else if (value.symbols && *value.symbols[i])
      text += value.symbols[i];
    else
      text += "?";
  }
  return text + "]";
}

std::string onnxc::describeTensor(int32_t dtype, ArrayRef<int64_t> dims) {
  return std::string(onnxc_dtype_name(dtype)) + " [" +
         join(map_range(dims, [](int64_t dim) { return std::to_string(dim); }),
              ",") +
         "]";
}
