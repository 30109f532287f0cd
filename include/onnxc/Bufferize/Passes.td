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
    result computed in place. `#onnxc.signature` on the module keeps what the inputs and
    outputs were; a module without one, of no model, gets one by the entry's types.

    A NULL answer of the runtime becomes `cf.assert %ok, ""`: the empty text
    means that the runtime has recorded the error already (see
    `onnxc-lower-checks`).
  }];
}

def DecomposeInsertionsPass : Pass<"onnxc-decompose-insertions", "::mlir::func::FuncOp"> {
  let summary = "Turn pads and concatenations into insertions";
  let description = [{
    `tensor.pad` becomes a fill and an insertion, `tensor.concat` of at most 64 operands a
    chain of insertions: the producers of the parts can then write into the buffer of the whole.
    A concatenation of more stays and is bufferized as copies into one buffer.
  }];
}

def SeparateInitialValuesPass : Pass<"onnxc-separate-initial-values", "::mlir::func::FuncOp"> {
  let summary = "Give each user of an empty or filled tensor its own";
  let description = [{
    Shared, which is what CSE makes of them, a filled tensor is copied for every user that writes
    into it, and stays alive from the first to the last. So is a tensor whose borders are filled, by each
    op whose destination lies between them. `onnxc-verify-initial-values` checks
    that it stays so until one-shot bufferization.
  }];
}

def AllocateInsertedPass : Pass<"onnxc-allocate-inserted", "::mlir::func::FuncOp"> {
  let summary = "Give some tensors that are inserted a buffer of their own";
  let description = [{
    `bufferization.alloc_tensor` takes the place of the `tensor.empty` that they start from, so that
    they are not made in the buffer that they are inserted into. A tensor that 16 or more others are
    inserted into, or 8 where it is one of 8: the analysis takes the fourth power of how many insertions share a buffer. And a kernel's
    result whose elements are inserted at a distance: kernels write vectors.
  }];
}

def SeparateReadersPass : Pass<"onnxc-separate-readers", "::mlir::func::FuncOp"> {
  let summary = "Let at most 64 operations read one value of an input or constant";
  let description = [{
    The analysis compares each reader of a tensor with all others. Of an input or a constant, to which
    nothing may write, each 64 readers get a value of their own in the same memory; CSE joins them again
    after bufferization.
  }];
}

def AnchorLoopsPass : Pass<"onnxc-anchor-loops", "::mlir::func::FuncOp"> {
  let summary = "Let loops keep their buffers";
  let description = [{
    Copies what `scf.for` and `scf.while` carry into the buffer of its iteration argument, if
    its sizes do not change and it is not made there, so that no buffer escapes from a loop. Arguments that
    change places are saved first. The arguments of both regions of a while loop get the same numbers.
  }];
}

def VerifyInitialValuesPass : Pass<"onnxc-verify-initial-values", "::mlir::func::FuncOp"> {
  let summary = "Check that no two operations share an empty or filled tensor";
  let description = [{
    What `onnxc-separate-initial-values` and `onnxc-separate-results` promise to one-shot bufferization. A CSE
    between them breaks it: an operation may then be made in the buffer of another one's result, and be overwritten
    before it is read.
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
    shares with another op.
  }];
}

def SeparateYieldedSlicesPass : Pass<"onnxc-separate-yielded-slices", "::mlir::func::FuncOp"> {
  let summary = "Copy slices of open size that a branch hands on";
  let description = [{
    Where both branches of an `scf.if` yield a slice of the same strides, one-shot bufferization gives
    the result this layout. `onnxc-own-buffers` makes a fresh buffer of what a branch hands on, which
    has none. The copy that it would make is made here, on tensors, so that the result has none either.
  }];
}

def SeparateDroppedDimsPass : Pass<"onnxc-separate-dropped-dims", "::mlir::func::FuncOp"> {
  let summary = "Split memref.subview that drops dimensions which others could be taken for";
  let description = [{
    A view with all dimensions, and a `memref.collapse_shape` of it. LLVM 22 tells which dimensions of size 1 a
    `memref.subview` drops by comparing the strides of the result with those of the source: those are others
    where there are steps (then it crashes), and where both are open, it takes the first one
    (`SubViewOp::getDroppedDims`): of sizes `1, n, 1, m` to `1 x n x m`, the first, and n gets the stride of
    the dropped dimension.
  }];
}

def MoveEmptyViewsPass : Pass<"onnxc-move-empty-views", "::mlir::func::FuncOp"> {
  let summary = "Give views that start at the end of their buffer a form that may";
  let description = [{
    The part that an empty tensor has in a Concat starts at the end of the result, or in a dimension of
    size 0. Where the size of a buffer becomes known from elsewhere, that of the part, which must be 0
    then, may stay open, and `memref.subview` forbids an offset that is the size. Such views become
    `memref.reinterpret_cast`, of the same type.
  }];
}

def SkipIdleLoopsPass : Pass<"onnxc-skip-idle-loops", "::mlir::func::FuncOp"> {
  let summary = "Do not run loops around loops that do not run";
  let description = [{
    A tensor of sizes [2^50, 0] has no elements, and a loop nest over it would still run its outer loop.
    Where nothing but inner loops has an effect, and their bounds are open, the outermost loop ends at
    once if none of them runs, which their bounds tell in front of it. What is known not to run often
    stays as it is. Writes to scratch memory do not count as effects: arguments that onnxc-outline-parallel
    marks, and allocations that nothing else uses. The marks go.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def MarkRegionsPass : Pass<"onnxc-mark-regions", "::mlir::ModuleOp"> {
  let summary = "Have the entry note when the work for each node begins and ends";
  let description = [{
    Each structured op of some size, each call and each loop without such in it becomes a
    region: `onnxc_rt_profile_begin(ctx, region)` stands before it and
    `onnxc_rt_profile_end(ctx, flops, bytes)` behind it, with an estimate of what it computes
    and moves (see WorkEstimate.h). Regions do not nest. The list of regions goes to the module
    attribute `onnxc.regions`: what runs, and the locations of all that was fused into it, and
    the number of the kernel (`onnxc.kernel`) where the op has one;
    regions that are listed already keep their numbers.
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

    With `record`, the plan of the first entry goes to the module attribute
    `onnxc.memory_plan`, for people to look at: `buffers` has offset, bytes, first
    and last position in the program of each static temporary, `locations` its
    location, `regions` the number, first and last position of each region of a
    profile, and `open` the number of dynamic temporaries.
  }];
  let options = [
    Option<"record", "record", "bool", /*default=*/"false",
           "Leave the plan on the module">,
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
    `onnxc.weights`; no weight byte is copied. What is listed there already, by another
    level of the model (docs/decisions/022), stays in its place, and equal constants share it.
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
    static, outside of loops and at most 32 KiB per function; no cf.assert; LLVM finds the
    dimensions that memref.subview drops; the entry has the C calling convention.
  }];
}

#endif // ONNXC_BUFFERIZE_PASSES_TD
