//===- SystemLibraries.h - Libraries that the build left out -- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Why an operator that lib/RuntimeExtra computes is not supported: null where
// its library is there.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_LOWER_SYSTEMLIBRARIES_H
#define ONNXC_LIB_LOWER_SYSTEMLIBRARIES_H

namespace onnxc {

#ifdef ONNXC_WITHOUT_REGEX
inline constexpr const char *missingRegex =
    "it needs re2, without which this onnxc was built (ONNXC_REGEX_LIBRARY)";
#else
inline constexpr const char *missingRegex = nullptr;
#endif

#ifdef ONNXC_WITHOUT_UNICODE
inline constexpr const char *missingUnicode =
    "it needs utf8proc, without which this onnxc was built "
    "(ONNXC_UNICODE_LIBRARY)";
#else
inline constexpr const char *missingUnicode = nullptr;
#endif

#ifdef ONNXC_WITHOUT_IMAGES
inline constexpr const char *missingImages =
    "it needs libraries for images, without which this onnxc was built "
    "(ONNXC_IMAGE_LIBRARIES)";
#else
inline constexpr const char *missingImages = nullptr;
#endif

} // namespace onnxc

#endif // ONNXC_LIB_LOWER_SYSTEMLIBRARIES_H
