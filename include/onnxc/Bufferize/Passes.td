//===- Passes.td - From tensors to planned buffers ------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_BUFFERIZE_PASSES_TD
#define ONNXC_BUFFERIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def BindAbiPass : Pass<"onnxc-bind-abi", "::mlir::ModuleOp"> {
  let summary = "Give the entry function the C calling convention of the runtime";
  let description = [{
    Turns the function that carries `onnxc.entry` from tensors to
    `(ctx, inputs, outputs) -> i32`. Inputs become buffers built from the
    `onnxc_tensor` array; each result is written into the buffer that
    `onnxc_rt_output` returns. The call stands as early as the result's
    dimensions are known, so that a later empty-tensor elimination can have the
    result computed in place. The signature is kept for the emitter in the module attribute
    `onnxc.model`.

    A NULL answer of the runtime becomes `cf.assert %ok, ""`: the empty text
    means that the runtime has recorded the error already (see
    `onnxc-lower-checks`).
  }];
}

def AnchorBuffersPass : Pass<"onnxc-anchor-buffers", "::mlir::func::FuncOp"> {
  let summary = "Shape tensor programs so that one-shot bufferization needs no allocation";
  let description = [{
    Decomposes `tensor.pad` into a fill and an insertion, so that the padded
    value's producer can write into the padded buffer, gives each user of
    an empty or filled tensor its own, and copies
    loop-carried tensors of unchanging shape into the buffer of their
    iteration argument, so that no buffer escapes from a loop. A tensor that many
    others are inserted into before it is inserted itself keeps a buffer of its
    own: the analysis takes the fourth power of how many insertions share one. So do
    each so many readers of an input or constant: it compares each with all others;
    and a kernel's result whose elements are inserted at a distance: it writes vectors.
  }];
}

def SeparateResultsPass : Pass<"onnxc-separate-results", "::mlir::func::FuncOp"> {
  let summary = "Give each result of the entry its own chain of destinations";
  let description = [{
    Results are written into the caller's buffers at the end of the function, and
    empty-tensor elimination lets their producers work there from the start. To
    one-shot bufferization that last write is not a write to a tensor: if two ops
    share an initial value, one of which becomes result 0, the other may be made
    in the buffer of result 0 too, and be overwritten before it is read. This
    pass repeats (fills, broadcasts) or copies the initial values that a result
    shares with another op. No CSE may run between it and bufferization.
  }];
}

def MarkRegionsPass : Pass<"onnxc-mark-regions", "::mlir::ModuleOp"> {
  let summary = "Have the entry note when the work for each node begins and ends";
  let description = [{
    Each structured op of some size, each call and each loop without such in it becomes a
    region: `onnxc_rt_profile_begin(ctx, region)` stands before it and
    `onnxc_rt_profile_end(ctx, flops, bytes)` behind it, with an estimate of what it computes
    and moves (see WorkEstimate.h). Regions do not nest. The list of regions goes to the module
    attribute `onnxc.regions`: what runs, and the locations of all that was fused into it.
  }];
}

def LowerCopiesPass : Pass<"onnxc-lower-copies", "::mlir::func::FuncOp"> {
  let summary = "Turn strided memref.copy into loops; contiguous ones stay (memcpy)";
}

def LowerReshapesPass : Pass<"onnxc-lower-reshapes", "::mlir::func::FuncOp"> {
  let summary = "Turn memref.expand_shape to several unknown sizes into a cast";
  let description = [{
    `memref.expand_shape` of a contiguous buffer that splits one dimension into
    more than one of unknown size becomes `memref.reinterpret_cast`: upstream's
    lowering of such splits computes at most one size per group.
  }];
}

def OwnBuffersPass : Pass<"onnxc-own-buffers", "::mlir::func::FuncOp"> {
  let summary = "Give buffers that leave the region of an scf op an owner";
  let description = [{
    A loop that carries a tensor of changing size makes a new buffer in each iteration, and
    the branches of `scf.if` yield theirs to the block around it. What is handed on this way
    becomes a fresh buffer, a copy if need be, and `memref.dealloc` gives it back: at the end of
    the iteration that got it, or after the last use of the op's result. So such loops
    run in bounded memory. Buffers of fixed size that leave an `scf.if` are left to the arena, and a
    buffer that a loop works in from start to end needs no owner.
    The allocations concerned carry `onnxc.owned`.
  }];
}

def PlanMemoryPass : Pass<"onnxc-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Give every temporary of the entry function its memory";
  let description = [{
    Static temporaries become views of one arena (`onnxc_rt_workspace`), at
    offsets assigned by liveness, largest first, into the tightest gap. Dynamic
    ones come from `onnxc_rt_alloc` and go back with `onnxc_rt_free` after their
    last use, or where `memref.dealloc` says so (see `onnxc-own-buffers`). Sizes are checked for
    overflow.
    Writes `onnxc.workspace` (bytes) and `onnxc.workspace_lower_bound` (the peak
    of bytes that are live at once) on the module.

    With `separate`, static temporaries are allocated and freed like dynamic ones, so that a
    sanitizer sees where each one begins, ends and dies.
  }];
  let options = [
    Option<"separate", "separate", "bool", /*default=*/"false",
           "Allocate every temporary by itself, and plan no arena">
  ];
}

def OutlineParallelPass : Pass<"onnxc-outline-parallel", "::mlir::ModuleOp"> {
  let summary = "Turn scf.forall into tasks that the runtime's threads share";
  let description = [{
    The body of an outermost `scf.forall` without results becomes a private function
    over a range of iterations, which takes the values from outside as arguments: buffers of
    fixed shape as pointers, `llvm.noalias` where it was known. A task with the C signature
    `(data, scratch, begin, end)` reads these values from a struct on the caller's stack,
    and `onnxc_rt_parallel_for` gets it with an estimate of the cycles per iteration
    (`onnxc.work` on the loop, else counted). Functions around get the context as their last
    argument. Which thread runs which range does not change what an iteration computes.

    A `memref.alloc` inside is memory of the thread; the most that any loop needs goes to the
    module attribute `onnxc.scratch`. A loop that is known to be too short, and every
    `scf.forall` inside another, becomes `scf.for`. With `remarks` a remark on each outermost
    loop says which of the two it became.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false",
           "Say which loops threads share">,
  ];
}

def PlaceWeightsPass : Pass<"onnxc-place-weights", "::mlir::ModuleOp"> {
  let summary = "Lay out large constants in the model's weight section";
  let description = [{
    Each constant `memref.global` of at least `min-bytes` becomes a view of the
    external `@onnxc_weights` at a 64-byte aligned offset. Equal
    contents share one place. Booleans that are a resource move whatever their
    size, since LLVM has no such constant. The list of places goes to the module attribute
    `onnxc.weights`; no weight byte is copied.
  }];
  let options = [
    Option<"minBytes", "min-bytes", "int64_t", "256",
           "Smaller constants stay constants of the program">,
  ];
}

def LowerRuntimeCallsPass : Pass<"onnxc-lower-runtime-calls", "::mlir::ModuleOp"> {
  let summary = "Turn rt.call into calls of the C runtime";
  let description = [{
    Buffers are passed as `onnxc_tensor` on the stack, of which all calls of the entry
    share one piece. A status other than 0 becomes `cf.assert %ok, ""`: the callee
    has recorded the error. Buffers that the callee made are used where they are.
  }];
}

def LowerChecksPass : Pass<"onnxc-lower-checks", "::mlir::ModuleOp"> {
  let summary = "Turn cf.assert of the entry function into early returns";
  let description = [{
    A failed check calls `onnxc_rt_fail(ctx, message)` and returns its code; where
    it compares two integers, `onnxc_rt_fail_comparison`, which prints them. A
    check with an empty message returns `onnxc_rt_status(ctx)`: the runtime call that it guards
    has recorded the error. Structured control flow around a check becomes
    branches; other control flow stays structured.
  }];
}

def VerifyBuffersPass : Pass<"onnxc-verify-buffers", "::mlir::ModuleOp"> {
  let summary = "Check the contract of the bufferize stage";
  let description = [{
    No tensor is left; no memref.alloc or memref.dealloc; stack memory is
    static, outside of loops and at most 32 KiB per function; no cf.assert; the entry has
    the C calling convention.
  }];
}

#endif // ONNXC_BUFFERIZE_PASSES_TD
