//===- InsertionGroups.h - Tensors of very many parts -----------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferization compares each insertion into a tensor with all others, and how
// they came about: with the fourth power of their number. A tensor of many
// parts is put together by groups, and a group of many is computed in a buffer
// of its own: as a part of the whole one, all insertions would share that.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SUPPORT_INSERTIONGROUPS_H
#define ONNXC_SUPPORT_INSERTIONGROUPS_H

#include <cstddef>

namespace onnxc {

/// More parts are put together by groups of so many.
constexpr size_t maxInsertions = 32, insertionGroupSize = 8;
/// So many insertions are too many to share a buffer with others; a group of
/// them is where there are as many around it.
constexpr size_t maxSharedInsertions = 2 * insertionGroupSize,
                 maxNestedInsertions = insertionGroupSize;

} // namespace onnxc

#endif // ONNXC_SUPPORT_INSERTIONGROUPS_H
