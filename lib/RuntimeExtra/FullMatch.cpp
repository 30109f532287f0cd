//===- FullMatch.cpp - Regular expressions --------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By RE2.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime/Extra.h"

#include <re2/re2.h>

int onnxc_extra_full_match(const char *pattern, const char *const *texts,
                           int64_t count, uint8_t *matches) {
  // Callers are C and cannot catch.
  try {
    re2::RE2::Options options;
    options.set_log_errors(false);
    re2::RE2 expression(pattern, options);
    if (!expression.ok())
      return 1;
    for (int64_t i = 0; i < count; ++i)
      matches[i] = re2::RE2::FullMatch(texts[i], expression);
    return 0;
  } catch (...) {
    return 1;
  }
}
