//===- ProgramDialect.h - Target and signature of a module ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_PROGRAM_PROGRAMDIALECT_H
#define ONNXC_DIALECT_PROGRAM_PROGRAMDIALECT_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"

#include "onnxc/Dialect/Program/ProgramDialect.h.inc"
#include "onnxc/Dialect/Program/ProgramEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "onnxc/Dialect/Program/ProgramAttributes.h.inc"

#endif // ONNXC_DIALECT_PROGRAM_PROGRAMDIALECT_H
