//===- Passes.td - Loops, registers and vectors ---------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SCHEDULE_PASSES_TD
#define ONNXC_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseElementwisePass : Pass<"onnxc-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Fuse chains of elementwise structured ops";
  let description = [{
    Every structured op becomes a `linalg.generic`. An elementwise producer
    moves into its consumer if no value is computed twice by that, or if
    what is computed twice is cheap. Nothing moves into the inner loop of a
    contraction.
  }];
}

def FuseRowsPass : Pass<"onnxc-fuse-rows", "::mlir::func::FuncOp"> {
  let summary = "One loop over rows for reductions and what is around them";
  let description = [{
    A reduction, the reductions and elementwise ops that it reads from and those
    that read from it become the body of one `scf.forall` over the loops that all
    of them have in common (softmax, normalizations): a row is in the nearest cache
    while it is worked on. What only the body needs is a row long, not a tensor;
    where a result has the room, it is computed in its place. `onnxc.work` on the
    loop estimates the cycles that one row takes.

    The innermost dimension of what the reduction reads stays whole, for lanes.
    Rows of fewer than 16 elements, and contractions, stay as they are.
  }];
}

def MergeEqualPass : Pass<"onnxc-merge-equal", "::mlir::func::FuncOp"> {
  let summary = "Make equal operations one";
  let description = [{
    Operations without effects that are equal, bodies and all, become the first of them; those that
    nothing uses go. Operations that differ in their bodies alone are not compared, so that the time is
    linear in them.
  }];
}

def CollapseLoopsPass : Pass<"onnxc-collapse-loops", "::mlir::func::FuncOp"> {
  let summary = "Join loops that walk memory as one";
  let description = [{
    Loops of one iteration leave the index maps; neighbouring loops that every
    operand walks in the same order become one. What is left has long
    innermost loops: a 1x1 convolution becomes a matrix product.
  }];
}

def UnfoldConvolutionsPass : Pass<"onnxc-unfold-convolutions", "::mlir::func::FuncOp"> {
  let summary = "Write out the windows of convolutions over small maps";
  let description = [{
    Rows of 7 or 14 pixels fill no lanes. With its windows written out, such a
    convolution is a matrix product over all pixels at once. Only where each
    element that is written is used many times.
  }];
}

def FormConvolutionsPass : Pass<"onnxc-form-convolutions", "::mlir::func::FuncOp"> {
  let summary = "Make kernels of convolutions with constant filters";
  let description = [{
    A convolution of floats becomes `kernel.conv` between reorders: its filter is packed into
    panels now, padding with zeros becomes its pads, what the sums start from becomes its
    epilogue. An image with fewer channels than a vector has lanes is read as
    it is, unless it comes from a kernel. Zeros between the pixels, as transposed convolutions
    have them, become the kernel's spread; a filter that is a rearranged constant is made now.

    Of windows of 3 neighbouring pixels or more along an axis it is estimated how exact Winograd's filtering of these weights is
    (the kernel's `winograd_error`).
  }];
  let options = [
    Option<"winograd", "winograd", "bool", "true",
           "Estimate, and so allow, Winograd's filtering">
  ];
  let dependentDialects = ["::onnxc::ProgramDialect", "::onnxc::kernel::KernelDialect", "::mlir::arith::ArithDialect",
      "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def PointwiseProductsPass : Pass<"onnxc-pointwise-products", "::mlir::func::FuncOp"> {
  let summary = "Write pointwise convolutions as matrix products";
  let description = [{
    A convolution whose windows have one pixel each, and which `onnxc-form-convolutions` left (groups
    that end within a block of channels, a filter that is not constant), is a product of the filter and all
    pixels, batched by groups: its spatial dimensions are joined, and the window's go. `onnxc-form-matmuls`
    makes a kernel of it, which reads the image as it is.

    With `alone`, before `onnxc-form-convolutions`, such a product is made of a convolution that no
    other windows are near: its kernel would copy the image into blocks of channels, and the result back.
  }];
  let options = [
    Option<"alone", "alone", "bool", "false",
           "Only convolutions that have no other op with windows near them">
  ];
}

def FormPoolsPass : Pass<"onnxc-form-pools", "::mlir::func::FuncOp"> {
  let summary = "Make kernels of the windows of images that kernels make";
  let description = [{
    The maximum or the sum of each window becomes a depthwise `kernel.conv` between reorders, if
    the image comes from a kernel, so blocked by channels: a filter of ones, or the kernel's
    `maximum`. What lies around the image becomes its pads: nothing is copied for it.
  }];
  let dependentDialects = ["::onnxc::ProgramDialect", "::onnxc::kernel::KernelDialect", "::mlir::arith::ArithDialect",
      "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def PropagateBlocksPass : Pass<"onnxc-propagate-blocks", "::mlir::func::FuncOp"> {
  let summary = "Let images stay blocked between kernels";
  let description = [{
    An op that treats all channels alike (elementwise ops, pools, pads, resizes, concatenations
    and slices along whole blocks) and reads what `kernel.reorder` has made plain works on
    the blocked image instead; the reorder moves behind it. Reorders are left at the borders.
    Transposes between this and channels as the innermost dimension move whole blocks of lanes.
  }];
}

def ReadTuningPass : Pass<"onnxc-read-tuning", "::mlir::ModuleOp"> {
  let summary = "Take measured schedules from a file of onnxc tune";
  let description = [{
    Sets `onnxc.tuning` of the module: the file's schedules for the module's target, by the keys of
    kernels. What packs weights and `onnxc-select-schedule` look there. A file for other
    targets alone is an error, unless the module is one of several levels.
  }];
  let options = [
    Option<"file", "file", "std::string", "", "A file that `onnxc tune` wrote">,
  ];
  let dependentDialects = ["::onnxc::ProgramDialect", "::onnxc::kernel::KernelDialect"];
}

def EndTuningPass : Pass<"onnxc-end-tuning", "::mlir::ModuleOp"> {
  let summary = "Name the measured schedules that no kernel took";
  let description = [{
    Removes `onnxc.tuning`, behind `onnxc-select-schedule`. Entries of other models' kernels
    do no harm: each is a remark.
  }];
}

def SelectSchedulePass : Pass<"onnxc-select-schedule", "::mlir::func::FuncOp"> {
  let summary = "Decide how each structured op becomes vector code";
  let description = [{
    Writes `onnxc.schedule` on every structured op, from the op's kind, its
    element types and the target (never from the machine that compiles):

    - `vector`: for each loop 0, or the number of lanes; at most one loop has
      lanes;
    - `tile`: for each loop the steps that one pass of the kernel covers: the
      register tile;
    - `order`: the parallel loops from the outermost to the innermost;
    - `band`, of sums over columns: so many steps of the outermost reduction are
      done for all tiles along the lanes before the next ones;
    - or `reason`: why the op stays a scalar loop.

    The ops of the kernel dialect decide themselves (`KernelCodegenInterface`); those
    that have a schedule, with which their weights were packed, keep it. Where `onnxc.tuning` of
    the module has a schedule for a kernel, it is taken, and the kernel marked as `onnxc.tuned`; one by
    which the kernel cannot be computed, or not to the same bits, is an error.
  }];
  let dependentDialects = ["::onnxc::ProgramDialect"];
}

def VerifySchedulePass : Pass<"onnxc-verify-schedule", "::mlir::func::FuncOp"> {
  let summary = "Check the contract of the schedule stage";
  let description = [{
    Each structured op carries a well-formed `onnxc.schedule`: vectors of
    at most four registers, register tiles of at most 64 vectors, or a reason
    for none. So does each kernel that has vector code for the target
    (`KernelCodegenInterface`).
  }];
  let dependentDialects = ["::onnxc::ProgramDialect"];
}

def ShareCodePass : Pass<"onnxc-share-code", "::mlir::ModuleOp"> {
  let summary = "Give operations on buffers that are alike one function";
  let description = [{
    Every structured op, kernel and parallel loop on buffers with more than a few steps moves into a
    private function, and ops that differ only in the buffers they work on, and where
    in them, call the same one. Constants are part of the function. A buffer that no other
    argument reaches is marked `llvm.noalias`.
  }];
}

def VectorizePass : Pass<"onnxc-vectorize", "::mlir::func::FuncOp"> {
  let summary = "Turn scheduled structured ops on buffers into vector code";
  let description = [{
    Obeys `onnxc.schedule`. Accumulators are loop-carried vectors; full tiles and
    remainders are separate loops; only the last vector of a row is masked. Sums may be
    reassociated and contracted (fma); NaN, infinities and signed zeros are kept.
    Runs on buffers, because one-shot bufferization takes quadratic time in the number of
    writes to one tensor, and an unrolled register tile has many.
    With `parallel`, the outermost parallel loops of a kernel that takes long enough are an
    `scf.forall`, for `onnxc-outline-parallel`.
    An op that has no vector form is left as it is; with `remarks` a remark says why.
  }];
  let options = [
    Option<"parallel", "parallel", "bool", "false",
           "Let threads share the loops of long kernels">,
    Option<"remarks", "remarks", "bool", "false",
           "Say why an op stays a scalar loop">,
  ];
}

def FormIntegerDotsPass : Pass<"onnxc-form-integer-dots", "::mlir::func::FuncOp"> {
  let summary = "Contractions of quantized numbers become integer kernels";
  let description = [{
    A matrix product or convolution of what is dequantized (or of bytes without their zero points)
    by weights that are constant becomes `kernel.integer_dot` on the bytes. Zero points, scales and bias are
    part of its epilogue: sums of weights are computed here. Images get their channels
    innermost; transposes stand around the kernel. Of windows of 3 x 3 neighbouring pixels it is found out how large
    sums can be (the kernel's `largest_sum`).
  }];
  let options = [
    Option<"winograd", "winograd", "bool", "true",
           "Find out what Winograd's filtering has to know, and so allow it">
  ];
  let dependentDialects = ["::onnxc::ProgramDialect", "::onnxc::kernel::KernelDialect", "::mlir::arith::ArithDialect",
      "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FormBlockMatmulsPass : Pass<"onnxc-form-block-matmuls", "::mlir::func::FuncOp"> {
  let summary = "Products of floats with dequantized weights become kernels on the narrow weights";
  let description = [{
    A matrix product with constant integers that are dequantized, by blocks of steps or by columns, becomes
    `kernel.block_matmul`: weights of 4 bits are packed by eight, those of 8 bits by four.
  }];
  let dependentDialects = ["::onnxc::ProgramDialect", "::onnxc::kernel::KernelDialect", "::mlir::arith::ArithDialect",
      "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FormBlockDotsPass : Pass<"onnxc-form-block-dots", "::mlir::func::FuncOp"> {
  let summary = "Products of rows of bytes with narrow weights, both in scaled blocks, become kernels";
  let description = [{
    Where onnxc-quantize-activations has made the rows of a product multiples of a scale for each block, and
    the weights are constant integers that are dequantized by the same blocks, the product becomes
    `kernel.block_dot` on the integers. The sums of the bytes of each block are computed before.
  }];
  let dependentDialects = ["::onnxc::ProgramDialect", "::onnxc::kernel::KernelDialect", "::mlir::arith::ArithDialect",
      "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def SinkTransposesPass : Pass<"onnxc-sink-transposes", "::mlir::func::FuncOp"> {
  let summary = "Move transposes behind elementwise ops, windows, pads and concatenations until they meet";
  let description = [{
    What is computed from a transposed value is computed in the order in which that lies in
    memory, and transposed then. Between two kernels that want the same layout nothing is left. Of what
    is inserted side by side into an empty tensor, at least half must be transposed alike; the rest is
    transposed by itself.
  }];
}

def SplitPhasesPass : Pass<"onnxc-split-phases", "::mlir::func::FuncOp"> {
  let summary = "Compute the phases of a transposed convolution of few filters as filters of their own";
  let description = [{
    A convolution with a constant filter over an image with zeros between its pixels becomes one over the
    image without them, whose filters are those taps that meet pixels, apart for each phase; results of
    the phases are then interleaved. Only where vectors of filters would be almost empty otherwise, and
    each phase has as many taps.
    (Shi et al., "Is the deconvolution layer the same as a convolutional layer?", 2016.)
  }];
  let dependentDialects = ["::onnxc::ProgramDialect", "::onnxc::kernel::KernelDialect", "::mlir::arith::ArithDialect",
      "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FoldColumnsPass : Pass<"onnxc-fold-columns", "::mlir::func::FuncOp"> {
  let summary = "Compute what an epilogue needs of constants alone";
  let description = [{
    Scales and zero points of columns are combined once, when compiling: what an epilogue computes
    from constants is read as one vector of constants.
  }];
}

def DivideOncePass : Pass<"onnxc-divide-once", "::mlir::func::FuncOp"> {
  let summary = "Quantize by multiplying and adding";
  let description = [{
    A number that is rounded, clamped and narrowed to an integer is clamped first and rounded by an
    addition. Where the bounds of integers and constants that it is made of show that 32 bits hold it, it
    is converted instead, and clamped as an integer. On targets that have fused multiply-adds, a quotient that is rounded to
    an integer of few bits and whose divisor is a constant or the same for all elements becomes a product
    by the reciprocal and a correction that makes it exact. Other quotients stay: where they are large,
    the correction may overflow.
  }];
}

def FormLookupsPass : Pass<"onnxc-form-lookups", "::mlir::func::FuncOp"> {
  let summary = "Read functions of one byte from tables";
  let description = [{
    What an elementwise body or an epilogue computes from a single byte (an activation between two
    quantizations) becomes `kernel.lookup` in a table that is computed here, if that is faster.
  }];
}

def LowerLookupsPass : Pass<"onnxc-lower-lookups", "::mlir::ModuleOp"> {
  let summary = "Write the loads and permutations of lookups";
  let description = [{
    `kernel.lookup` of a vector permutes bytes of registers where the target can, or gathers; of a scalar it is a load. Tables are constants of the program.
  }];
}

def WidenImagesPass : Pass<"onnxc-widen-images", "::mlir::func::FuncOp"> {
  let summary = "Give integer kernels images of 16-bit numbers where they multiply such";
  let description = [{
    The image of a `kernel.integer_dot` whose target multiplies pairs of 16-bit numbers is widened once, if enough tiles
    of columns and taps read each byte: by what computes it, where nothing else reads that, or in a loop of its own.
  }];
}

def PadDestinationsPass : Pass<"onnxc-pad-destinations", "::mlir::func::FuncOp"> {
  let summary = "Let integer kernels write into what their results are padded to";
  let description = [{
    A `tensor.pad` of the result of `kernel.integer_dot` becomes a tensor with filled borders, between
    which the kernel writes: nothing is copied.
  }];
}

def FlushSubnormalsPass : Pass<"onnxc-flush-subnormals", "::mlir::func::FuncOp"> {
  let summary = "Make subnormal weights of kernels zero";
  let description = [{
    Training lets the weights of channels that are not needed decay until they are subnormal, and a processor multiplies such
    numbers many times slower than others. In constants of kernels (weights, biases) they become 0 of the same sign where the
    greatest number of the constant is 2^24 times the least normal one or more. Where one sum takes both, it loses them anyway;
    where it takes but small ones (a channel that died), the result is off by the inputs times numbers below 2^-126.
  }];
}

def FormMatmulsPass : Pass<"onnxc-form-matmuls", "::mlir::func::FuncOp"> {
  let summary = "Make kernels of matrix products";
  let description = [{
    A structured op that multiplies matrices, with any batches and any order of
    dimensions, becomes a `kernel.matmul`. What the sums start from is added
    behind it, where `onnxc-fuse-epilogues` finds it. Transpositions of operands and
    of the result become index maps. A constant rhs is packed into panels as wide
    as the tile that `onnxc-select-schedule` would choose; all products
    share one packed copy, and the constant goes if it has no other use.
  }];
  let dependentDialects = ["::onnxc::ProgramDialect", "::onnxc::kernel::KernelDialect", "::mlir::arith::ArithDialect",
      "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FuseEpiloguesPass : Pass<"onnxc-fuse-epilogues", "::mlir::func::FuncOp"> {
  let summary = "Move what is done to the sums of a kernel into the kernel";
  let description = [{
    An elementwise op whose input is the result of a `kernel` op, in the same order and used
    by no other op, becomes part of that kernel's epilogue: bias, activation, residual,
    scale and requantization happen in registers.
  }];
}

def FlattenRowsPass : Pass<"onnxc-flatten-rows", "::mlir::func::FuncOp"> {
  let summary = "Rows of a reshaped product are taken from the product itself";
  let description = [{
    A loop over rows, as softmax is after `onnxc-fuse-rows`, that reads a reshaped product, and whose
    result is reshaped to the lhs of another product, counts the rows of the products' matrices
    instead: its variables follow from the number of a row. Between grouped queries' products and
    their softmax no reshape is left then, and `onnxc-block-attention` finds them.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect"];
}

def BlockAttentionPass : Pass<"onnxc-block-attention", "::mlir::func::FuncOp"> {
  let summary = "Attention by blocks of rows, without a matrix of scores";
  let description = [{
    A product whose result only a loop over its rows reads, as softmax is after
    `onnxc-fuse-rows`, and a product of which that loop's result is the lhs become one loop over
    batches and blocks of rows; a block's scores stay in a scratch buffer of each thread.
    Right operands that are float32 of 16-bit floats, scaled or not, are read as what they were. Of up
    to 16 rows with 1,024 columns or more, and less than 64 matrices, blocks of 512 columns are shared
    among threads: scores, softmax of whole rows, sums of each block of columns, and those added in order.
    Weights of softmax below e^-80 become 0. Where the number of columns is open, the run decides by
    it between that loop and the ops as they were (`scf.if`): these are for rows of more than half a million.
  }];
}

def FuseWindowsPass : Pass<"onnxc-fuse-windows", "::mlir::func::FuncOp"> {
  let summary = "Combine the windows of plain images map by map";
  let description = [{
    The greatest or the sum of each window of an image that no kernel made becomes a loop over maps: what lies around
    a map, and windows that are combined along columns first and along rows then, stay near. Maps that may be far, or whose size
    is not known, are made in parts. Only of maps that are not small (of those that are not known each run finds that out),
    and where an image is padded or both steps take less than one.
  }];
}

def FuseDepthwisePass : Pass<"onnxc-fuse-depthwise", "::mlir::func::FuncOp"> {
  let summary = "A depthwise convolution with the convolution before it, by pieces of channels";
  let description = [{
    A depthwise convolution or a pool that alone reads the result of a convolution, both of them `kernel.conv`, becomes
    one loop with it, over the batch, bands of rows and pieces of the channels: a piece of the image stays in a scratch
    buffer of each thread. Bands are as high as leaves a piece, and what it is made of, in half of the second level of the
    cache; rows that two bands read are computed twice. That is done where the image is more than five eighths of that
    level, and waiting for it is estimated to take longer than the rows that are made twice. Each sum takes its products
    in the order that it had.
  }];
}

def EmitKernelsPass : Pass<"onnxc-emit-kernels", "::mlir::func::FuncOp"> {
  let summary = "Write the loops of kernels on buffers";
  let description = [{
    Every op of the `kernel` dialect on buffers becomes loops with the sums in vector
    registers, and its epilogue on them. Tiles follow from the registers of the target; each
    op gets the attribute `onnxc.schedule` from `onnxc-select-schedule`.

    The passes that form kernels form none that there is no vector code for. Should there be one
    all the same, it becomes scalar loops; with `strict`, as in builds with assertions, that is an error.
  }];
  let options = [
    Option<"strict", "strict", "bool", "false",
           "A kernel without vector code is an error">,
    Option<"plain", "plain", "bool", "false",
           "Scalar loops for every kernel, to compare with">,
  ];
}

def LiftScratchPass : Pass<"onnxc-lift-scratch", "::mlir::ModuleOp"> {
  let summary = "Let the callers of kernels allocate what these need";
  let description = [{
    Memory is planned in one function, the entry. What a private function allocates becomes
    an argument, and its callers allocate it.
  }];
}

#endif // ONNXC_SCHEDULE_PASSES_TD
