//===- ExternalData.cpp - Weights beside the model ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Import/ExternalData.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace onnxc;

static const char *describeFileKind(mode_t mode) {
  if (S_ISDIR(mode))
    return "a directory";
  if (S_ISFIFO(mode))
    return "a FIFO";
  if (S_ISSOCK(mode))
    return "a socket";
  return "a device";
}

FailureOr<MappedFile> onnxc::mapRegularFile(const std::string &path,
                                            std::string *realPath,
                                            ErrorSink error) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    error("cannot be opened: " + Twine(std::strerror(errno)));
    return failure();
  }
  scope_exit closeFile([&] { ::close(fd); });
  struct stat status;
  if (::fstat(fd, &status) != 0) {
    error("cannot be examined: " + Twine(std::strerror(errno)));
    return failure();
  }
  if (!S_ISREG(status.st_mode)) {
    error(Twine("is ") + describeFileKind(status.st_mode) +
          ", expected a regular file");
    return failure();
  }
  if (realPath) {
    // Of what is open, not of what the path may name by now.
    SmallString<256> real;
    if (sys::fs::real_path("/proc/self/fd/" + Twine(fd), real) &&
        sys::fs::real_path(path, real)) {
      error("its real path cannot be found");
      return failure();
    }
    *realPath = real.str().str();
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getOpenFile(
      fd, path, status.st_size, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    error("cannot be read: " + Twine(buffer.getError().message()));
    return failure();
  }
  return MappedFile(std::move(*buffer));
}

/// The real path of the folder that `path` is in, ended by '/'; empty if there
/// is none.
static std::string getRealFolder(StringRef path) {
  SmallString<256> real;
  if (sys::fs::real_path(path.empty() ? "." : path, real))
    return "";
  if (!real.ends_with("/"))
    real += '/';
  return real.str().str();
}

ExternalFiles::ExternalFiles(StringRef modelPath, StringRef modelRealPath)
    : folder(sys::path::parent_path(modelPath)) {
  allowed[0] = getRealFolder(folder);
  allowed[1] = getRealFolder(sys::path::parent_path(modelRealPath));
}

/// Why `location` may not be followed; null if it may.
static const char *refuseLocation(StringRef location) {
  if (location.empty())
    return "is empty";
  if (location.contains('\0'))
    return "has a NUL character";
  if (sys::path::is_absolute(location))
    return "is an absolute path, expected one relative to the model";
  SmallVector<StringRef> parts;
  location.split(parts, '/');
  // Where links lead is seen when the file is open.
  int depth = 0;
  for (StringRef part : parts) {
    if (part == "..")
      --depth;
    else if (!part.empty() && part != ".")
      ++depth;
    if (depth < 0)
      return "leads out of the model's folder by '..'";
  }
  return nullptr;
}

FailureOr<MappedFile> ExternalFiles::get(StringRef location, ErrorSink error) {
  auto known = files.find(location);
  if (known != files.end())
    return known->second;

  // Hundreds of tensors may name it.
  if (refused.contains(location))
    return failure();
  auto fail = [&](const Twine &message) -> LogicalResult {
    refused.insert(location);
    error("external file '" + location + "' " + message);
    return failure();
  };
  if (const char *reason = refuseLocation(location))
    return fail(reason);
  SmallString<256> path(folder);
  sys::path::append(path, location);
  std::string real;
  FailureOr<MappedFile> file =
      mapRegularFile(path.str().str(), &real,
                     [&](const Twine &message) { (void)fail(message); });
  if (failed(file))
    return failure();
  auto holds = [&](const std::string &root) {
    return !root.empty() && StringRef(real).starts_with(root);
  };
  if (!holds(allowed[0]) && !holds(allowed[1]))
    return fail("is a link out of the model's folder");
  files[location] = *file;
  return file;
}

std::vector<StringRef> ExternalFiles::getLocations() const {
  std::vector<StringRef> locations(files.keys().begin(), files.keys().end());
  llvm::sort(locations);
  return locations;
}
