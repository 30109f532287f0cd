//===- KernelInterfaces.td - What all kernels have in common --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_KERNEL_KERNELINTERFACES_TD
#define ONNXC_DIALECT_KERNEL_KERNELINTERFACES_TD

include "mlir/IR/OpBase.td"

def KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::onnxc::kernel";
  let description = [{
    A contraction with an epilogue. The operands are the inputs of the
    contraction, then the *extras* of the epilogue, then the destination. The
    epilogue is a block of scalar operations: its first argument is the finished sum,
    the others are one element of each extra, and what it yields is the element
    of the result. `epilogue_maps` says which: for each extra, an affine map from the
    dimensions of the result to its own.
  }];
  let methods = [
    InterfaceMethod<"The operands of the epilogue.", "::mlir::OperandRange",
                    "getExtras">,
    InterfaceMethod<"The operands of the epilogue.",
                    "::mlir::MutableOperandRange", "getExtrasMutable">,
    InterfaceMethod<"The destination.", "::mlir::OpOperand &",
                    "getInitMutable">,
    InterfaceMethod<"The scalar code behind each sum.", "::mlir::Region &",
                    "getEpilogue">,
    InterfaceMethod<"One map for each extra.", "::mlir::ArrayAttr",
                    "getEpilogueMaps">,
    InterfaceMethod<"Replaces the maps.", "void", "setEpilogueMapsAttr",
                    (ins "::mlir::ArrayAttr":$maps)>,
    InterfaceMethod<[{
        In which order the elements of an operand are; nothing if it is not packed.
      }],
      "::std::optional<::onnxc::kernel::PackedLayout>", "getPackedLayout",
      (ins "::mlir::OpOperand &":$operand)>,
    InterfaceMethod<[{
        How often the multiply-add runs. The op works on buffers; `b` makes the
        operations that read their open sizes.
      }],
      "::onnxc::kernel::StepCount", "countSteps", (ins "::mlir::OpBuilder &":$b)>,
    InterfaceMethod<[{
        What a person would like to know of the form that was chosen: `say` gets
        pairs such as "pack" and "weights in panels of 32 columns".
      }],
      "void", "describe",
      (ins "::llvm::function_ref<void(::llvm::StringRef, const ::llvm::Twine &)>":$say)>,
  ];
  let extraSharedClassDeclaration = [{
    /// The type of the sums.
    ::mlir::Type getAccumulatorType() {
      return $_op.getEpilogue().front().getArgument(0).getType();
    }
    ::mlir::SmallVector<::mlir::AffineMap> getEpilogueAffineMaps() {
      return ::llvm::map_to_vector(
          $_op.getEpilogueMaps().template getAsValueRange<::mlir::AffineMapAttr>(),
          [](::mlir::AffineMap map) { return map; });
    }
    /// Whether the result is the sum itself.
    bool hasTrivialEpilogue() {
      ::mlir::Block &block = $_op.getEpilogue().front();
      return block.getTerminator()->getOperand(0) == block.getArgument(0);
    }
  }];
  let verify = [{ return ::onnxc::kernel::detail::verifyKernel($_op); }];
  let verifyWithRegions = 1;
}

#endif // ONNXC_DIALECT_KERNEL_KERNELINTERFACES_TD
