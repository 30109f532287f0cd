//===- NpzFuzzer.cpp - libFuzzer on the reader of numpy's files -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the bytes are, they are refused with a text, or are an array whose
// elements are as many as its shape says and which is the same when it is written
// and read again. An archive starts with 'P'; anything else is a .npy file, so
// that checksums do not keep mutations from the arrays.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Npz/Npz.h"
#include "onnxc/Npz/Zip.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <cstdio>
#include <cstdlib>

using namespace onnxc;

namespace {
[[noreturn]] void complain(const char *what) {
  std::fprintf(stderr, "onnxc-npz-fuzzer: %s\n", what);
  std::abort();
}

template <typename T> bool refuse(llvm::Expected<T> &result) {
  if (result)
    return false;
  if (llvm::toString(result.takeError()).empty())
    complain("refused without a reason");
  return true;
}

void readArray(llvm::StringRef bytes) {
  llvm::Expected<Array> array = parseNpy(bytes);
  if (refuse(array))
    return;
  bool isText = array->data.empty() && !array->strings.empty();
  if (isText ? array->strings.size() != array->size()
             : array->data.size() != array->size() * array->itemSize)
    complain("the elements are not as many as the shape says");
  // numpy's 'S' has any bytes; what is written is text.
  if (!llvm::all_of(array->strings, [](const std::string &text) {
        return llvm::json::isUTF8(text);
      }))
    return;
  llvm::Expected<Array> again = parseNpy(formatNpy(*array));
  if (!again)
    complain("what was read cannot be read again once it is written");
  if (again->shape != array->shape || again->strings != array->strings ||
      (!isText && again->data != array->data))
    complain("what was read differs once it is written and read again");
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  if (!bytes.starts_with("P")) {
    readArray(bytes);
    return 0;
  }
  llvm::Expected<ZipEntries> entries = unpackZip(bytes);
  if (refuse(entries))
    return 0;
  for (const auto &entry : *entries)
    readArray(entry.second);
  return 0;
}
