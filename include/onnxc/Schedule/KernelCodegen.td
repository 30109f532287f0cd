//===- KernelCodegen.td - How kernels become code ---------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SCHEDULE_KERNELCODEGEN_TD
#define ONNXC_SCHEDULE_KERNELCODEGEN_TD

include "mlir/IR/OpBase.td"

def KernelCodegenInterface : OpInterface<"KernelCodegenInterface"> {
  let cppNamespace = "::onnxc";
  let description = [{
    How an op of the kernel dialect becomes code for a target: what can be emitted, the
    decision how, and the code. The dialect knows no targets, so these are external
    models; each stands in its kernel's folder of lib/Schedule/Kernels.
  }];
  let methods = [
    InterfaceMethod<[{
        Whether there is vector code for this form on the target. If not, `why` says
        what stands against it. What forms a kernel asks this, and so does what
        emits it.
      }],
      "bool", "hasVectorCode",
      (ins "::onnxc::TargetAttr":$target, "std::string &":$why)>,
    InterfaceMethod<[{
        Whether the vector code reads operands of the epilogue at an index that is
        this sum of the result's: a coefficient for each of them, then a constant.
        The result's own indices, and 0, are always read.
      }],
      "bool", "readsExtraAt", (ins "::llvm::ArrayRef<int64_t>":$coefficients),
      /*methodBody=*/"", /*defaultImplementation=*/"return false;">,
    InterfaceMethod<[{
        The decision how the op is computed, for its attribute `onnxc.schedule`; null
        for a kernel of which there is only one way.
      }],
      "::onnxc::kernel::ScheduleInterface", "selectSchedule",
      (ins "::onnxc::TargetAttr":$target),
      /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<[{
        What names the op in a file of tuned decisions: all that decides which there
        are for it, and nothing of its epilogue. Empty: it takes none.
      }],
      "std::string", "getTuningKey", (ins "::onnxc::TargetAttr":$target),
      /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<[{
        Visits decisions by which the op computes the same results as by that of
        selectSchedule, bit for bit. Which there are depends on what the key says.
      }],
      "void", "visitChoices",
      (ins "::onnxc::TargetAttr":$target,
           "::llvm::function_ref<void(::onnxc::kernel::ScheduleInterface)>":$visit),
      /*methodBody=*/"", /*defaultImplementation=*/"return;">,
    InterfaceMethod<[{
        Writes vector code in front of the op, which works on buffers and has vector
        code for the target. `schedule` is a decision of selectSchedule that suits the op
        (`verifyFor`).
      }],
      "void", "emit",
      (ins "::mlir::OpBuilder &":$b, "::onnxc::kernel::ScheduleInterface":$schedule,
           "::onnxc::TargetAttr":$target)>,
    InterfaceMethod<[{
        Writes scalar loops in front of the op, for any form: they define what the op
        computes.
      }],
      "void", "emitPlain", (ins "::mlir::OpBuilder &":$b)>,
  ];
}

#endif // ONNXC_SCHEDULE_KERNELCODEGEN_TD
