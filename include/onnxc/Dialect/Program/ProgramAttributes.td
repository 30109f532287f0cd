//===- ProgramAttributes.td - Target and signature of a module ------------===//
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
include "mlir/IR/EnumAttr.td"

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
    and features as LLVM names them, and from Caches.def; nothing in it depends on the
    machine that compiles unless the processor is `native`. `instructions` are names of include/onnxc/Target/Instructions.def.

    A module without one is for a processor of which nothing is known: 16
    registers of 32 bytes, caches of 32 and 512 KiB, and no instruction that not
    every processor has.

    Code for several processors in one file reads the same constants: `layout` is
    the processor that they are packed for, which may be this one.
  }];
  let parameters = (ins
      StringRefParameter<"as LLVM normalizes it", "\"\"">:$triple,
      StringRefParameter<"a processor that LLVM knows", "\"\"">:$cpu,
      StringRefParameter<"beside the processor's: +avx2,-fma", "\"\"">:$features,
      DefaultValuedParameter<"int64_t", "32", "width of a vector register">:$vector_bytes,
      DefaultValuedParameter<"int64_t", "16", "number of vector registers">:$registers,
      DefaultValuedParameter<"int64_t", "TargetAttr::defaultFirstLevelCache", "bytes of a core's first cache for data">:$first_level_cache,
      DefaultValuedParameter<"int64_t", "TargetAttr::defaultSecondLevelCache", "bytes of a core's second cache">:$second_level_cache,
      OptionalParameter<"::mlir::ArrayAttr", "names">:$instructions,
      OptionalParameter<"::mlir::Attribute", "a target">:$layout,
      DefaultValuedParameter<"bool", "false", "no operating system">:$freestanding);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Where it is on a module.
    static constexpr ::llvm::StringLiteral attrName = "onnxc.target";
    /// Caches of a processor of which nothing is known.
    static constexpr int64_t defaultFirstLevelCache = 32 << 10,
                             defaultSecondLevelCache = 512 << 10;

    /// The target of the module around `op`, or of nothing known.
    static TargetAttr of(::mlir::Operation *op);

    /// The processor for which constants are packed; often this one.
    TargetAttr getLayoutTarget() const;
    TargetAttr withLayout(TargetAttr layout) const;

    /// Whether it has the instruction of Instructions.def.
    bool hasInstruction(::llvm::StringRef name) const;
  }];
}

def Program_PulseAttr : AttrDef<Program_Dialect, "Pulse"> {
  let mnemonic = "pulse";
  let summary = "An output of a step over pulses of a sequence";
  let description = [{
    A run gives `positions` of the sequence along dimension `axis` for `input_positions`
    of the input (onnx-pulse-streams). All pulses behind each other are the output for
    the whole sequence, behind `delay` positions that are none of it. `lookahead`: how
    many positions of the input before its end the caller is to say how long it is; -1
    where the output does not depend on the length.
  }];
  let parameters = (ins
      "int64_t":$axis,
      "int64_t":$positions,
      DefaultValuedParameter<"int64_t", "0">:$delay,
      "int64_t":$input_positions,
      DefaultValuedParameter<"int64_t", "-1">:$lookahead);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Program_ValueInfoAttr : AttrDef<Program_Dialect, "ValueInfo"> {
  let mnemonic = "value_info";
  let summary = "An input or output of the C interface";
  let description = [{
    What `onnxc_value_info` says (include/onnxc/runtime.h); `dtype` is an
    onnxc_dtype. `dims` holds -1 where a
    size is not fixed, and is absent where the rank is not known or the value is
    not a tensor; `symbols` has a name for each dimension, "" for none. An input
    with a `default_value` may be left out by the caller; `default_offset` is where
    in the weights its elements are (onnxc-place-weights). `pulse` is what an output of
    a step over pulses is of its sequence.
  }];
  let parameters = (ins
      StringRefParameter<"ONNX's name">:$name,
      "int32_t":$dtype,
      StringRefParameter<"the type in ONNX's words", "\"\"">:$type,
      OptionalParameter<"::mlir::DenseI64ArrayAttr">:$dims,
      OptionalParameter<"::mlir::ArrayAttr">:$symbols,
      OptionalParameter<"::mlir::ElementsAttr">:$default_value,
      DefaultValuedParameter<"int64_t", "-1", "bytes">:$default_offset,
      OptionalParameter<"PulseAttr">:$pulse);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Program_StateUpdate : I32Enum<"StateUpdate", "How runs make the next value of a state", [
    I32EnumCase<"Made", 0, "made">,
    I32EnumCase<"Appended", 1, "appended">,
    I32EnumCase<"Rewritten", 2, "rewritten">,
    I32EnumCase<"Overwritten", 3, "overwritten">]> {
  let cppNamespace = "::onnxc";
}

def Program_StateAttr : AttrDef<Program_Dialect, "State"> {
  let mnemonic = "state";
  let summary = "A tensor that lives in the context";
  let description = [{
    What `onnxc_state_info` says: the input that it stands for, which has no
    default value, the name of the output that is its next value, and the dimension in
    which it grows, -1 for none. `update` is how the entry function makes the next value:

    - `made`: all of it, in other memory.
    - `appended`: it neither gets nor returns elements, and asks the runtime for room
      behind the rows that are there.
    - `rewritten`: the same, but the run says how many of the first rows stay: what it writes
      behind these may replace others, and there may be fewer rows than before.
    - `overwritten`: it writes some elements where the value before lies.
  }];
  let parameters = (ins
      "ValueInfoAttr":$value,
      StringRefParameter<"ONNX's name">:$output,
      DefaultValuedParameter<"int64_t", "-1", "the dimension that grows">:$axis,
      DefaultValuedParameter<"::onnxc::StateUpdate", "::onnxc::StateUpdate::Made", "made, appended, rewritten, overwritten">:$update);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether new rows are written behind those that are there.
    bool isAppendedTo() const {
      return getUpdate() == StateUpdate::Appended ||
             getUpdate() == StateUpdate::Rewritten;
    }
  }];
}

def Program_SignatureAttr : AttrDef<Program_Dialect, "Signature"> {
  let mnemonic = "signature";
  let summary = "The C interface of a model";
  let description = [{
    `onnxc.signature` on the module, from `onnxc-lower-to-linalg` to emit: name and
    producer of the model, the version of ONNX's own operator set, inputs and
    outputs, and states, which are neither. The entry function has as arguments the
    inputs without a default value and the states; the one marked `onnxc.overridden`
    has the inputs with a default value, too, which come last. Both have as results
    the outputs and the states.
  }];
  let parameters = (ins
      StringRefParameter<"the graph's name", "\"\"">:$name,
      StringRefParameter<"what wrote the model", "\"\"">:$producer,
      DefaultValuedParameter<"int64_t", "0", "version of the operator set">:$opset,
      "::mlir::ArrayAttr":$inputs,
      "::mlir::ArrayAttr":$outputs,
      OptionalParameter<"::mlir::ArrayAttr", "each an #onnxc.state">:$states,
      DefaultValuedParameter<"int64_t", "0", "how long states may become, 0 for any length">:$state_capacity);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Where it is on a module.
    static constexpr ::llvm::StringLiteral attrName = "onnxc.signature";

    /// The signature of the module around `op`, or null.
    static SignatureAttr of(::mlir::Operation *op);

    ValueInfoAttr getInput(size_t number) const {
      return ::llvm::cast<ValueInfoAttr>(getInputs()[number]);
    }
    ValueInfoAttr getOutput(size_t number) const {
      return ::llvm::cast<ValueInfoAttr>(getOutputs()[number]);
    }
    size_t getNumStates() const {
      return getStates() ? getStates().size() : 0;
    }
    StateAttr getState(size_t number) const {
      return ::llvm::cast<StateAttr>(getStates()[number]);
    }
    /// How many inputs have no default value.
    size_t getNumRequired() const;

    /// What argument `number` of an entry function is; null if it has none.
    ValueInfoAttr getArgument(size_t number) const;
    /// The name of result `number` of an entry function, and its onnxc_dtype.
    ::llvm::StringRef getResultName(size_t number) const;
    int32_t getResultDtype(size_t number) const;

    /// The same with other inputs.
    SignatureAttr withInputs(::llvm::ArrayRef<::mlir::Attribute> inputs) const;
  }];
}

#endif // ONNXC_DIALECT_PROGRAM_PROGRAMATTRIBUTES_TD
