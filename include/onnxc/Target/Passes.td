//===- Passes.td - The target of a module ---------------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TARGET_PASSES_TD
#define ONNXC_TARGET_PASSES_TD

include "mlir/Pass/PassBase.td"

def SetTargetPass : Pass<"onnxc-set-target", "::mlir::ModuleOp"> {
  let summary = "State the processor that code is made for";
  let description = [{
    Sets `onnxc.target` of the module, which the stages from schedule on read. Fails if
    LLVM or onnxc does not know the target, or if the module has another one. Without
    options, the target that the module has stays.
  }];
  let options = [
    Option<"triple", "triple", "std::string", "", "Empty: this machine's">,
    Option<"cpu", "cpu", "std::string", "",
           "A processor that LLVM knows, or native; x86-64-v4+avx512vnni: with a "
           "feature besides. Empty: native, or the least one of another triple">,
    Option<"features", "features", "std::string", "",
           "Beside the processor's, as in +avx2,-fma">,
    Option<"layout", "layout", "std::string", "",
           "The processor that constants are packed for; empty: this one">,
    Option<"freestanding", "freestanding", "bool", "false",
           "For a machine without an operating system">,
  ];
  let dependentDialects = ["::onnxc::ProgramDialect"];
}

#endif // ONNXC_TARGET_PASSES_TD
