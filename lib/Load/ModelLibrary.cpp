//===- ModelLibrary.cpp - A compiled model, loaded without LLVM -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Load/ModelLibrary.h"

#include "ElfQueries.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

using namespace onnxc;

static constexpr char querySuffix[] = "_query";

/// The name of the function that describes the model; nullopt with the reason.
static std::optional<std::string> findQuery(const std::string &path,
                                            const std::string &prefix,
                                            std::string &error) {
  std::vector<std::string> names;
  if (error = findExported(path, querySuffix, names); !error.empty())
    return std::nullopt;
  if (names.empty()) {
    error = path + ": not a model that onnxc compiled (it exports no <prefix>" +
            querySuffix + ")";
    return std::nullopt;
  }
  for (const std::string &name : names)
    if (name == prefix + querySuffix)
      return name;
  if (prefix.empty() && names.size() == 1)
    return names.front();
  std::string list;
  const char *separator = prefix.empty() ? ", " : " or ";
  for (const std::string &name : names)
    list += (list.empty() ? "" : separator) +
            name.substr(0, name.size() - std::strlen(querySuffix));
  error =
      path +
      (prefix.empty()
           ? ": has several models (" + list + "); choose by --prefix"
           : ": has no model of the prefix '" + prefix + "', expected " + list);
  return std::nullopt;
}

/// A new folder for temporary files; "" if there can be none.
static std::string makeFolder() {
  const char *chosen = std::getenv("TMPDIR");
  std::string folder = chosen && *chosen ? chosen : "/tmp";
  folder += "/onnxc-load-XXXXXX";
  return mkdtemp(folder.data()) ? folder : "";
}

/// The library in the file. dlopen would take one that was loaded from that
/// path before, though another file has the name by now (a model that was
/// compiled again); what it knows by another name it compares by the file
/// itself.
static void *load(const std::string &path) {
  void *before = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  std::string folder = before ? makeFolder() : "";
  void *library = nullptr;
  if (folder.empty()) {
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  } else {
    std::string alias = folder + "/model.so";
    if (!symlink(path.c_str(), alias.c_str())) {
      library = dlopen(alias.c_str(), RTLD_NOW | RTLD_LOCAL);
      unlink(alias.c_str());
    }
    rmdir(folder.c_str());
  }
  if (before)
    dlclose(before);
  return library;
}

std::unique_ptr<ModelLibrary> ModelLibrary::open(const std::string &path,
                                                 const std::string &prefix,
                                                 std::string &error) {
  std::optional<std::string> query = findQuery(path, prefix, error);
  if (!query)
    return nullptr;
  // A name without a slash would be searched in the system's directories.
  std::string absolute = path;
  if (path.empty() || path.front() != '/') {
    char folder[PATH_MAX];
    if (!getcwd(folder, sizeof folder)) {
      error = path + ": " + std::strerror(errno);
      return nullptr;
    }
    absolute = std::string(folder) + "/" + path;
  }
  std::unique_ptr<ModelLibrary> loaded(new ModelLibrary(path));
  loaded->library = load(absolute);
  if (!loaded->library) {
    const char *reason = dlerror();
    error = path + ": " + (reason ? reason : "cannot be loaded");
    return nullptr;
  }
  return loaded->describe(*query, error) ? std::move(loaded) : nullptr;
}

bool ModelLibrary::describe(const std::string &query, std::string &error) {
  using QueryFn = const onnxc_model *(*)(uint32_t);
  auto queryFn = reinterpret_cast<QueryFn>(dlsym(library, query.c_str()));
  if (!queryFn) {
    error = path + ": has no function " + query;
    return false;
  }
  description = queryFn(ONNXC_ABI_VERSION);
  if (!description) {
    error = path + ": " + onnxc_status_text(ONNXC_ABI_MISMATCH);
    return false;
  }
  using ProfileFn = const onnxc_profile *(*)(uint32_t);
  std::string stem = query.substr(0, query.size() - std::strlen(querySuffix));
  if (auto profileFn = reinterpret_cast<ProfileFn>(
          dlsym(library, (stem + "_profile").c_str())))
    regions = profileFn(ONNXC_PROFILE_VERSION);
  return true;
}

ContextPtr ModelLibrary::createContext(onnxc_options options,
                                       std::string &error) const {
  char message[512] = "";
  options.message = message;
  options.message_size = sizeof message;
  onnxc_context *context = nullptr;
  onnxc_status status = onnxc_create(description, &options, &context);
  if (status != ONNXC_OK)
    error = path + ": " + onnxc_status_text(status) + (*message ? ": " : "") +
            message;
  return ContextPtr(context);
}

ModelLibrary::~ModelLibrary() {
  if (library)
    dlclose(library);
}
