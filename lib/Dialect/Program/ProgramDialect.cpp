//===- ProgramDialect.cpp - What a module is compiled for -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

#include "onnxc/Dialect/Program/ProgramDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "onnxc/Dialect/Program/ProgramAttributes.cpp.inc"

void ProgramDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "onnxc/Dialect/Program/ProgramAttributes.cpp.inc"
      >();
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef triple, StringRef cpu,
                                 StringRef features, int64_t vectorBytes,
                                 int64_t registers, ArrayAttr instructions) {
  if (vectorBytes < 16 || !llvm::isPowerOf2_64(vectorBytes))
    return emitError() << "vector_bytes is " << vectorBytes
                       << ", expected a power of two from 16 on";
  if (registers < 8)
    return emitError() << "registers is " << registers
                       << ", expected at least 8";
  if (instructions && !llvm::all_of(instructions, llvm::IsaPred<StringAttr>))
    return emitError() << "instructions is " << instructions
                       << ", expected names";
  return success();
}

TargetAttr TargetAttr::of(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  if (module)
    if (auto target = module->getAttrOfType<TargetAttr>(attrName))
      return target;
  return get(op->getContext(), "", "", "", /*vectorBytes=*/32,
             /*registers=*/16, ArrayAttr());
}

bool TargetAttr::hasInstruction(StringRef name) const {
  return getInstructions() &&
         llvm::any_of(getInstructions().getAsRange<StringAttr>(),
                      [&](StringAttr known) { return known == name; });
}
