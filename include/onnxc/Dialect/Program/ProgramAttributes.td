//===- ProgramAttributes.td - What a module is compiled for ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_PROGRAM_PROGRAMATTRIBUTES_TD
#define ONNXC_DIALECT_PROGRAM_PROGRAMATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"

def Program_Dialect : Dialect {
  let name = "onnxc";
  let cppNamespace = "::onnxc";
  let summary = "What is true of a program as a whole, at every stage";
  let description = [{
    Attributes of a module. Every stage keeps them, and a pass that needs one reads
    it here: no pass has it as an option.
  }];
  let useDefaultAttributePrinterParser = 1;
}

def Program_TargetAttr : AttrDef<Program_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "The processor that code is made for";
  let description = [{
    `onnxc.target` on the module. `onnxc-set-target` makes it from a triple, a processor
    and features as LLVM names them; nothing in it depends on the machine that
    compiles. `instructions` are names of include/onnxc/Target/Instructions.def.

    A module without one is for a processor of which nothing is known: 16
    registers of 32 bytes, and no instruction that not every processor has.
  }];
  let parameters = (ins
      StringRefParameter<"as LLVM normalizes it", "\"\"">:$triple,
      StringRefParameter<"a processor that LLVM knows", "\"\"">:$cpu,
      StringRefParameter<"beside the processor's: +avx2,-fma", "\"\"">:$features,
      DefaultValuedParameter<"int64_t", "32", "width of a vector register">:$vector_bytes,
      DefaultValuedParameter<"int64_t", "16", "number of vector registers">:$registers,
      OptionalParameter<"::mlir::ArrayAttr", "names">:$instructions);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Where it is on a module.
    static constexpr ::llvm::StringLiteral attrName = "onnxc.target";

    /// The target of the module around `op`, or of nothing known.
    static TargetAttr of(::mlir::Operation *op);

    /// Whether it has the instruction of Instructions.def.
    bool hasInstruction(::llvm::StringRef name) const;
  }];
}

#endif // ONNXC_DIALECT_PROGRAM_PROGRAMATTRIBUTES_TD
