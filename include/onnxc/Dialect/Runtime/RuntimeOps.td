//===- RuntimeOps.td - Calls of the C runtime on tensors - -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_RUNTIME_RUNTIMEOPS_TD
#define ONNXC_DIALECT_RUNTIME_RUNTIMEOPS_TD

include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def RT_Dialect : Dialect {
  let name = "rt";
  let cppNamespace = "::onnxc::rt";
  let summary = "Calls of the C runtime that every compiled model carries";
  let description = [{
    What is not worth generating, or is not arithmetic on dense tensors at all
    (sorting, strings, sequences), is a C function of lib/Runtime. This dialect
    calls such functions from tensor programs, takes part in bufferization, and
    becomes plain calls of the llvm dialect (`onnxc-lower-runtime-calls`).

    Sequences, optionals, maps and tensors of unknown rank have no ranked tensor
    form. They travel as *handles*: an `i64` that holds the address of an
    `onnxc_tensor` (onnxc/runtime.h) that does not change and that lives until
    the end of the run.
  }];
}

class RT_Op<string mnemonic, list<Trait> traits = []>
    : Op<RT_Dialect, mnemonic, traits>;

def RT_CallOp : RT_Op<"call", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
        ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
        ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
         "getAliasingValues", "isWritable", "bufferize"]>]> {
  let summary = "Calls a function of the runtime";
  let description = [{
    `rt.call "name"(%inputs…) outs(%inits…) -> results` calls

        int32_t onnxc_rt_name(onnxc_context *context, const char *node,
                              inputs…, outs…, results…)

    A tensor arrives as `onnxc_tensor *`: data, dtype, rank and dims are set, and
    the elements are contiguous. Scalars (i1 … i64, index as int64_t, f32, f64)
    and handles (i64) arrive as they are. `node` is the text that error messages
    begin with. The function returns 0, or a status after it recorded an error
    (onnxc_rt_set_error), which ends the run.

    The first results of the tensor form are the `outs`, of which the callee
    writes every element. Each further result is either a tensor that the callee
    makes (it sets `data`, to memory of the context that lives to the end of the
    run, and `dims`, of which the static ones arrive set and the others as -1), or a
    scalar that it writes through a pointer. A tensor that the callee makes is
    never written to afterwards: it may be the memory behind a handle.

    `dtypes` has the onnxc_dtype of each input, out and further result, 0 for
    scalars; without it they follow from the element types, which do not tell
    unsigned integers or strings. A call without results other than
    its effect on the context carries `stateful`, and is neither removed nor
    merged.
  }];
  let arguments = (ins StrAttr:$callee, Variadic<AnyType>:$inputs,
                       Variadic<AnyType>:$outs,
                       OptionalAttr<DenseI32ArrayAttr>:$dtypes,
                       OptionalAttr<StrAttr>:$node, UnitAttr:$stateful);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $callee `(` ($inputs^ `:` type($inputs))? `)`
    (`outs` `(` $outs^ `:` type($outs) `)`)? attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether it works on tensors: then the first results are the outs.
    bool hasTensorForm();
    /// The results that are not outs.
    ::mlir::ResultRange getMadeResults();
    /// The onnxc_dtype of input, out or made result `index`, counted through.
    int32_t getDtype(unsigned index, ::mlir::Type type);
  }];
}

def RT_TextOp : RT_Op<"text", [Pure]> {
  let summary = "The address of a constant NUL-terminated text";
  let arguments = (ins StrAttr:$text);
  let results = (outs I64:$address);
  let assemblyFormat = "$text attr-dict";
}

#endif // ONNXC_DIALECT_RUNTIME_RUNTIMEOPS_TD
