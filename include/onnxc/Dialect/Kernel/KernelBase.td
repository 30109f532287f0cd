//===- KernelBase.td - The dialect of kernels -------------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_KERNEL_KERNELBASE_TD
#define ONNXC_DIALECT_KERNEL_KERNELBASE_TD

include "mlir/IR/DialectBase.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::onnxc::kernel";
  let summary = "Contractions with their epilogues, in the layout that they are computed in";
  let description = [{
    A structured op says what is computed; an op of this dialect also says in which layout:
    weights are packed into panels, images are blocked by channels. Each op is one kernel: the
    sums stay in registers until the epilogue has made results of them.
    The ops work on tensors and on buffers; the schedule stage forms them
    (`onnxc-form-…`) and writes their code (`onnxc-emit-kernels`).
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();

    /// What `make` makes, once for each key, also of several threads: a
    /// constant that is made of another one, for every level of processors.
    ::mlir::ElementsAttr
    getDerivedConstant(::mlir::Attribute key,
                       ::llvm::function_ref<::mlir::ElementsAttr()> make);

  private:
    ::std::mutex constantsMutex;
    ::llvm::DenseMap<::mlir::Attribute, ::mlir::ElementsAttr> constants;

  public:
  }];
}

#endif // ONNXC_DIALECT_KERNEL_KERNELBASE_TD
