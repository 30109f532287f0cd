//===- KernelAttributes.td - How kernels are computed ------ -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedules: decisions that `onnxc-select-schedule` makes of an op and the
// target, and that emitters obey. An attribute's verifier holds what is true of a
// schedule by itself, verifyFor what the op has to do with it.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_KERNEL_KERNELATTRIBUTES_TD
#define ONNXC_DIALECT_KERNEL_KERNELATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/Interfaces.td"
include "onnxc/Dialect/Kernel/KernelBase.td"

def Kernel_ScheduleInterface : AttrInterface<"ScheduleInterface"> {
  let cppNamespace = "::onnxc::kernel";
  let description = [{
    The decision how an op is computed, as its attribute `onnxc.schedule`.
  }];
  let methods = [
    InterfaceMethod<[{
        Whether `op` can be computed so: emitters obey without a look. If not,
        `emitError` makes the diagnostic.
      }],
      "::llvm::LogicalResult", "verifyFor",
      (ins "::mlir::Operation *":$op,
           "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>,
    InterfaceMethod<[{
        What a person would like to know of the decision: `say` gets pairs such as
        "tile" and "6 x 32".
      }],
      "void", "describe",
      (ins "::llvm::function_ref<void(::llvm::StringRef, const ::llvm::Twine &)>":$say)>,
    InterfaceMethod<[{
        All numbers and flags, those together that depend on each other: a search for
        a better decision changes one part at a time.
      }],
      "::llvm::SmallVector<::llvm::SmallVector<int64_t>>", "getParts">,
  ];
}

class Kernel_ScheduleAttr<string name, string attrMnemonic>
    : AttrDef<Kernel_Dialect, name,
              [DeclareAttrInterfaceMethods<Kernel_ScheduleInterface>]> {
  let mnemonic = attrMnemonic;
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

class Kernel_Number<string what>
    : DefaultValuedParameter<"int64_t", "0", what>;
class Kernel_Flag<string what>
    : DefaultValuedParameter<"bool", "false", what>;

def Kernel_MatmulScheduleAttr
    : Kernel_ScheduleAttr<"MatmulSchedule", "matmul_schedule"> {
  let summary = "How a kernel.matmul becomes loops";
  let description = [{
    Sums of `rows` x `columns` elements stay in registers. The columns are those of a
    panel, or of several, or, where panels are packed for several processors, of a
    part of one. `depth` steps of the sum are taken for a whole block of rows before
    the next ones (0: all); between them the sums lie in a scratch buffer. `block` is
    the number of rows of a block (0: all rows are one block). Where the number of rows is open,
    a call with one row has tiles of `single_row` columns, whose panels are read side
    by side, without depth or widening (0: code for any number), and a call with two rows such ones
    of `two_rows` columns. What is left of an open number of rows is done by tiles of powers of two,
    or, with `each_rest`, by one tile that has as many rows.
  }];
  let parameters = (ins
      "int64_t":$rows,
      "int64_t":$columns,
      Kernel_Number<"steps of the sum at a time">:$depth,
      Kernel_Number<"rows of a block">:$block,
      Kernel_Flag<"blocks of rows are the outermost loop: each meets all panels of rhs while it stays in the cache">:$rows_outside,
      Kernel_Flag<"the next panel of rhs is fetched while the first rows use this one">:$prefetch,
      Kernel_Flag<"the part of rhs that a tile reads is copied to consecutive memory">:$copy,
      Kernel_Flag<"a panel of halves becomes floats before several tiles read it">:$widen,
      Kernel_Flag<"rows of lhs are read by vectors along the sum, of which multiply-adds take one element each">:$by_element,
      Kernel_Number<"columns of a tile of a row alone">:$single_row,
      Kernel_Number<"columns of a tile of two rows alone">:$two_rows,
      Kernel_Flag<"each number of rows that is left has a tile of its own">:$each_rest);
  let extraClassDeclaration = [{
    /// The same with halves that each tile widens itself.
    MatmulScheduleAttr withoutWidening() const {
      return get(getContext(), getRows(), getColumns(), getDepth(), getBlock(),
                 getRowsOutside(), getPrefetch(), getCopy(), /*widen=*/false,
                 getByElement(), getSingleRow(), getTwoRows(), getEachRest());
    }
  }];
}

def Kernel_ConvScheduleAttr
    : Kernel_ScheduleAttr<"ConvSchedule", "conv_schedule"> {
  let summary = "How a kernel.conv becomes loops";
  let description = [{
    A register tile has `rows` x `columns` pixels; with more than one row the tiles
    stand at known places. `blocks` is the number of blocks of channels that a tile
    has, where panels are packed for several processors: those of some panels, or a
    part of one (0: those of a panel). `depth` blocks of input channels are
    multiplied at a time (0: all), if the convolution is pointwise or the map small; between
    them the sums of all pixels that meet a panel lie in a scratch buffer.
  }];
  let parameters = (ins
      "int64_t":$rows,
      "int64_t":$columns,
      Kernel_Number<"blocks of channels of a tile">:$blocks,
      Kernel_Number<"blocks of input channels at a time">:$depth,
      Kernel_Flag<"the tile's next weights are fetched ahead">:$prefetch_filter,
      Kernel_Flag<"the pixels of the next tile are fetched ahead">:$prefetch_image,
      Kernel_Flag<"a panel of halves becomes floats before several tiles read it">:$widen,
      Kernel_Flag<"all channels of a block are read at once, and multiply-adds take one of them each">:$by_element,
      Kernel_Flag<"a tile's pixels are fetched two blocks of input channels ahead">:$prefetch_blocks);
}

def Kernel_WinogradScheduleAttr
    : Kernel_ScheduleAttr<"WinogradSchedule", "winograd_schedule"> {
  let summary = "How windows become products of transformed pixels and weights";
  let description = [{
    Winograd's minimal filtering: the result is cut into squares, each of which is computed from
    fewer products for each channel, windows of 3 x 3 taps from 36 instead of 144 for 4 x 4 pixels
    ([029](docs/decisions/029-winograd.md)). An axis along which the window has one tap is left as it
    is: squares have four pixels then. Of a window that has more taps than the kernel's
    `winograd_taps`, the parts are like more channels. A kernel.integer_dot is computed so in exact
    numbers of 16 bits, two channels of which are one element of its operands: `depth` counts those.

    Of three dimensions, a window's slices are like more channels, and an image's like more images.

    The squares of all images of the batch are numbered row by row, and products are made of
    runs of at most `run` consecutive ones. A register tile of a product has `squares` x `blocks`
    blocks of channels. `depth` channels are multiplied at a time; between them the sums lie in a
    scratch buffer. With `weights_first`, all weights are transformed before, and a thread has
    runs, from pixels to results; without, the pixels of a run are transformed, and a thread has the
    weights of one panel and `depth` channels. Of several groups, a thread has one with `weights_first`,
    or some of its runs, and the group's weights; without, groups follow each other.

    With `direct`, which images of open size have, the sums are computed as they are defined, by
    that schedule, unless S squares take less time than their P pixels:
    S * `square_cost` + `fixed_cost` < 16 * P.
  }];
  let parameters = (ins
      "int64_t":$squares,
      "int64_t":$blocks,
      "int64_t":$depth,
      "int64_t":$run,
      Kernel_Flag<"the weights of all panels (of a group) are transformed first">:$weights_first,
      Kernel_Number<"time of a square, in that of sixteenths of pixels">:$square_cost,
      Kernel_Number<"time of the weights, in that of sixteenths of pixels">:$fixed_cost,
      OptionalParameter<"ScheduleInterface">:$direct);
}

def Kernel_IntegerDotScheduleAttr
    : Kernel_ScheduleAttr<"IntegerDotSchedule", "integer_dot_schedule"> {
  let summary = "How a kernel.integer_dot becomes loops";
  let description = [{
    `rows` is the most rows of one register tile (tiles are made of about equal size),
    `panels` the panels of columns that a tile has. From `prepared` rows on (0: never) a thread
    goes through the weights of a tile's columns once before its rows read them: they become
    16-bit numbers, or, where `wide` describes them, lists of the dot products that bytes can do
    and of the others.
  }];
  let parameters = (ins
      "int64_t":$rows,
      "int64_t":$panels,
      Kernel_Number<"rows from which on weights are prepared">:$prepared,
      Kernel_Flag<"pixels are read by vectors, of which dot products take four bytes each">:$by_element,
      Kernel_Flag<"two rows of an even number meet two columns at once, if channels do not forbid it">:$blocks,
      Kernel_Flag<"rows and columns are multiplied 16 by 16 in tile registers, but for very few rows">:$tiles);
}

def Kernel_BlockMatmulScheduleAttr
    : Kernel_ScheduleAttr<"BlockMatmulSchedule", "block_matmul_schedule"> {
  let summary = "How a kernel.block_matmul becomes loops";
  let description = [{
    `rows` is the most rows of one register tile that widens weights as it goes,
    `wide_rows` the same where a strip of weights was widened before. `near_rows` rows (0: all)
    meet all strips before the next ones do. The weights of `depth` steps are widened at a
    time (0: of all); between them the sums of these rows lie in a scratch buffer. With `tiles` this
    is how few rows are multiplied, where their number is open: others are in tile registers.
  }];
  let parameters = (ins
      "int64_t":$rows,
      "int64_t":$wide_rows,
      Kernel_Number<"rows that meet all strips before the next ones do">:$near_rows,
      Kernel_Number<"steps whose weights are widened at a time">:$depth,
      Kernel_Flag<"floats are sums of three bf16, which are multiplied by weights in tile registers">:$tiles);
}

def Kernel_BlockDotScheduleAttr
    : Kernel_ScheduleAttr<"BlockDotSchedule", "block_dot_schedule"> {
  let summary = "How a kernel.block_dot becomes loops";
  let description = [{
    `rows` is the most rows of one register tile. `near_rows` rows (0: all) meet all columns before
    the next ones do.
  }];
  let parameters = (ins
      "int64_t":$rows,
      Kernel_Number<"rows that meet all columns before the next ones do">:$near_rows,
      Kernel_Flag<"16 rows and 16 columns are multiplied in tile registers, the rows that are left in vectors">:$tiles,
      Kernel_Flag<"words of a strip of columns are split into bytes once for all rows, if these are not very few">:$split);
}

#endif // ONNXC_DIALECT_KERNEL_KERNELATTRIBUTES_TD
