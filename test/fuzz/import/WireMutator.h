//===- WireMutator.h - Mutations of protobuf's fields --------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_FUZZ_IMPORT_WIREMUTATOR_H
#define ONNXC_TEST_FUZZ_IMPORT_WIREMUTATOR_H

#include <cstddef>
#include <cstdint>

/// Changes a few fields of the serialized message at `data`: they are dropped,
/// doubled, moved, exchanged, or get another value. Lengths stay right, so that
/// what comes out is a message still. Returns the new size, at most `maxSize`.
size_t mutateFields(uint8_t *data, size_t size, size_t maxSize, unsigned seed);

#endif // ONNXC_TEST_FUZZ_IMPORT_WIREMUTATOR_H
