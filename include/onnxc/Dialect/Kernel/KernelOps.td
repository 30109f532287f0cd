//===- KernelOps.td - Contractions as they are scheduled - -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_KERNEL_KERNELOPS_TD
#define ONNXC_DIALECT_KERNEL_KERNELOPS_TD

include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "onnxc/Dialect/Kernel/KernelBase.td"
include "onnxc/Dialect/Kernel/KernelInterfaces.td"

class Kernel_Op<string mnemonic, list<Trait> traits = []>
    : Op<Kernel_Dialect, mnemonic, traits>;

/// Writes all of its last operand, the destination, on tensors and on buffers.
class Kernel_DestinationOp<string mnemonic, list<Trait> traits = []>
    : Kernel_Op<mnemonic, traits # [
          DestinationStyleOpInterface,
          DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
              ["reifyResultShapes"]>,
          DeclareOpInterfaceMethods<BufferizableOpInterface,
              ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
               "bufferizesToElementwiseAccess", "getAliasingValues", "bufferize"]>]> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasVerifier = 1;
  code commonDeclarations = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(getOperation(),
                                         getInitMutable().getOperandNumber(), 1);
    }
  }];
}

class Kernel_ContractionOp<string mnemonic, list<Trait> traits = []>
    : Kernel_DestinationOp<mnemonic, traits # [
          SingleBlock,
          DeclareOpInterfaceMethods<KernelOpInterface, ["countSteps", "describe", "getPackedLayout"]>]> {
  let regions = (region SizedRegion<1>:$epilogue);
}

def Kernel_MatmulOp : Kernel_ContractionOp<"matmul"> {
  let summary = "Matrix product with an epilogue";
  let description = [{
    For each batch b…, row m and column n:

        result[b…, m, n] = epilogue(sum over k of lhs[b…, m, k] * rhs[b…, k, n],
                                    extras…)

    `indexing_maps` has a map for lhs, rhs and the result, each from (b…, m, n, k) to
    the operand's dimensions. Those of lhs and of the result are permutations
    of some of the loops. That of rhs is one too (rows or columns may lie in
    memory; a batch loop may be missing), or says that it is *packed*:
    `(b…, n floordiv NR, k, n mod NR)`, panels of NR columns, the last one filled
    up with zeros. Both operands are extended to the type of the sum before they are
    multiplied: f32 for floats up to 32 bits, i32 for integers of 8 bits (`lhs_unsigned`,
    `rhs_unsigned` say how these are extended). With `rhs_factor`, an element of rhs, which is a
    16-bit float and not packed, is multiplied by it and rounded to its own type first.

        kernel.matmul ins(%x, %w : tensor<128x768xf32>, tensor<24x768x32xf32>)
            extras(%bias : tensor<768xf32>) outs(%out : tensor<128x768xf32>)
            {indexing_maps = [#lhs, #packed, #result], epilogue_maps = [#columns]} epilogue {
          ^bb0(%sum: f32, %b: f32):
            %y = arith.addf %sum, %b : f32
            kernel.yield %y : f32
        } -> tensor<128x768xf32>
  }];
  let arguments = (ins AnyShaped:$lhs, AnyShaped:$rhs,
                       Variadic<AnyType>:$extras, AnyShaped:$init,
                       AffineMapArrayAttr:$indexing_maps,
                       AffineMapArrayAttr:$epilogue_maps,
                       UnitAttr:$lhs_unsigned, UnitAttr:$rhs_unsigned,
                       OptionalAttr<F32Attr>:$rhs_factor);
  let assemblyFormat = [{
    `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)`
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $init `:` type($init) `)` attr-dict `epilogue` $epilogue
    (`->` type($results)^)?
  }];
  let extraClassDeclaration = commonDeclarations # [{
    ::mlir::AffineMap getMap(unsigned operand) {
      return ::llvm::cast<::mlir::AffineMapAttr>(getIndexingMaps()[operand])
          .getValue();
    }
    unsigned getNumBatchLoops() { return getMap(0).getNumDims() - 3; }
    /// The width of rhs' panels; 0 if it is not packed.
    int64_t getPanelWidth();
    /// The extent of a loop where it is known; 1 if no operand has it.
    int64_t getLoopExtent(unsigned loop);
    /// A matrix that `map` indexes by loops of these extents, in panels of
    /// `width` columns. The coordinates are the loops.
    static PackedLayout getRhsLayout(::mlir::AffineMap map,
                                     ::llvm::ArrayRef<int64_t> extents,
                                     int64_t width);
  }];
}

def Kernel_ConvOp : Kernel_ContractionOp<"conv"> {
  let summary = "Convolution of an image with packed weights, with an epilogue";
  let description = [{
    Convolution over `strides.size()` spatial dimensions; what lies outside of the image is zero
    (`pads`: all begins, then all ends). Layouts, with L lanes per block:

    - image: [n, c, s…], or blocked [n, c / L, s…, L];
    - result: blocked [n, f / L, o…, L]. `filters` says how many of its channels are meant; the
      lanes behind hold anything;
    - filter: panels of NR output channels, [f / NR, c / B, k…, B, NR] for a blocked image, where B
      is a multiple of L, [f / NR, k…, c, NR] for a plain one; with `group` the panels of a group
      follow those of the one before, and c counts the channels of a group;
    - depthwise (`group` equal to `channels` and `filters`): image blocked, filter [c / L, k…, L],
      or [1, k…, L] if it is the same for all channels.

    `channels` says how many channels of the image are meant; lanes behind them are not read.
    With `spread`, a transposed convolution, `spread[i] - 1` zeros lie between the pixels of the
    image along dimension i; strides are 1 then, and `pads` count such places, too.
    With `maximum`, which is depthwise, the greatest pixel of each window takes the place of the
    sum: -inf if none lies in the image, NaN if one is NaN. The filter's shape is the window's.

    `winograd_error` allows sums by Winograd's minimal filtering: it is how many times as large their rounding errors are as
    those of the sums that are defined, at the filter's worst output channel, as its weights let expect. Only what
    `isWinogradForm` can have it. `winograd_taps` says how many taps of the window's rows and columns (of a row, if there is
    one spatial dimension) are taken at a time, 3 to 5, or 1 of 1; all of them, if it is missing.
  }];
  let arguments = (ins AnyShaped:$image, AnyShaped:$filter,
                       Variadic<AnyType>:$extras, AnyShaped:$init,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$pads, I64Attr:$channels,
                       I64Attr:$filters, I64Attr:$group,
                       AffineMapArrayAttr:$epilogue_maps,
                       UnitAttr:$image_unsigned, UnitAttr:$filter_unsigned,
                       OptionalAttr<DenseI64ArrayAttr>:$spread,
                       UnitAttr:$maximum,
                       OptionalAttr<F32Attr>:$winograd_error,
                       OptionalAttr<DenseI64ArrayAttr>:$winograd_taps);
  let assemblyFormat = [{
    `ins` `(` $image `,` $filter `:` type($image) `,` type($filter) `)`
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $init `:` type($init) `)` attr-dict `epilogue` $epilogue
    (`->` type($results)^)?
  }];
  let extraClassDeclaration = commonDeclarations # [{
    unsigned getNumSpatial() { return getStrides().size(); }
    /// How far the pixels of the image lie apart along a spatial dimension.
    int64_t getSpreadOf(unsigned i) {
      return getSpread() ? (*getSpread())[i] : 1;
    }
    bool isDepthwise();
    /// The channels that one filter meets.
    int64_t getGroupChannels() { return getChannels() / getGroup(); }
    /// Whether windows of 3 x 3 neighbouring pixels of a blocked image, or of
    /// several of its slices, overlap, one for each pixel, and sums are over
    /// channels, too.
    bool isWinogradForm();
    /// Taps of the window along the last two spatial dimensions, its rows and
    /// columns; one row if there is one dimension.
    ::std::pair<int64_t, int64_t> getWindow();
    /// How many taps Winograd's filtering can take at a time along an axis that
    /// has several.
    static constexpr int64_t kLeastFilteredTaps = 3, kMostFilteredTaps = 5;
    /// How many of the window's rows and columns it takes at a time.
    ::std::pair<int64_t, int64_t> getFilteredTaps();
    /// Whether the image is blocked by channels.
    bool isImageBlocked();
    /// The lanes of a block of the result.
    int64_t getBlock();
    /// How many blocks of output channels one panel of the filter has.
    int64_t getPanelBlocks();
    /// How many blocks of the image one block of the filter's channels has.
    int64_t getChannelBlocks();
    /// A filter with coordinates group, filter of the group, channel of the
    /// group, taps…: in panels of `panel` filters and, for a blocked image,
    /// blocks of `block` channels (0: as they are).
    static PackedLayout getFilterLayout(::mlir::MLIRContext *context,
                                        ::llvm::ArrayRef<int64_t> extents,
                                        int64_t panel, int64_t block);
    /// A depthwise filter with coordinates channel, taps…, in blocks of `lanes`
    /// channels; there is one block alone if it is `shared` by all.
    static PackedLayout getDepthwiseLayout(::mlir::MLIRContext *context,
                                           ::llvm::ArrayRef<int64_t> extents,
                                           int64_t lanes, bool shared);
  }];
}

def Kernel_ReorderOp : Kernel_DestinationOp<"reorder"> {
  let summary = "Block an image by channels, or undo that";
  let description = [{
    Copies [n, c, s…] to [n, c / L, s…, L] or back, with L lanes per block. Lanes behind the
    last channel become zero; on the way back they are not read.
  }];
  let arguments = (ins AnyShaped:$source, AnyShaped:$init);
  let assemblyFormat = [{
    `ins` `(` $source `:` type($source) `)` `outs` `(` $init `:` type($init) `)`
    attr-dict (`->` type($results)^)?
  }];
  let hasCanonicalizer = 1;
  let extraClassDeclaration = commonDeclarations # [{
    /// Whether the destination is the blocked one.
    bool isBlocking();
    /// The type of the side that is not blocked, or that is.
    ::mlir::ShapedType getPlainType();
    ::mlir::ShapedType getBlockedType();
  }];
}

def Kernel_IntegerDotOp : Kernel_ContractionOp<"integer_dot", [AttrSizedOperandSegments]> {
  let summary = "Sums of products of bytes, over windows, with an epilogue";
  let description = [{
    For each row r…, each position o… of a window (none: a matrix product) and each column f:

        result[r…, o…, f] = epilogue(sum over k…, c of
            image[r…, o * stride + k * dilation …, c] * filter[f, k…, c], extras…)

    The image holds unsigned bytes, or signed ones with `image_signed`, the filter signed ones; the sums are i32 and wrap around.
    Channels are innermost, and nothing lies outside of the image. The filter is packed for
    dot products of G consecutive channels: [f / NR, k…, c / G, NR, G], columns and
    channels that are not there are zeros; the image has a multiple of G channels. With
    `depthwise`, column f reads channel f only, and the filter is [k…, f], of 8 or 16 bits. With `groups`, the panels of a
    group of columns follow those of the one before, each group reads as many channels of its
    own, `group_channels`, and the image has as many more as the last dot product reads.

    Where a target multiplies bytes to sums of 16 bits, those of two products may be too large, depending on the weights.
    `narrow_pairs` says that none is: neighbours w0 and w1 (channels 2 i and 2 i + 1) of one sign add up to 128 at most,
    so that 255 * (w0 + w1) fits. Or `wide` tells where one may be: bytes [f / NR, k…, c / G], 0 where all columns
    of the panel have such weights. Both are facts about the filter; a target may ignore them.

    `order` tells which dot products a sum of 16 bits holds together: i16 [f / NR, 5 + k… * c / G]. The panel's are put in an order,
    first in groups of three, then of two, then those that stand alone, then those that are not wide if of their four channels the
    two in the middle change places, then if the last three are turned to 3, 1, 2, and at last those that are wide all the same.
    The first five numbers are where these parts end but the last, then each dot product has its place in the order. The weights of one
    sign that a group has for two neighbouring channels of a column add up to 128 at most. It comes with `narrow_pairs` or with `wide`.

    The image may be 16-bit numbers, each of which holds an unsigned byte (G = 4 only): what is multiplied as pairs of such
    numbers is then widened once.

    `largest_sum` says that no sum's absolute value is larger, whatever the image is. It allows minimal filtering, which computes
    a multiple of each sum modulo 2^32 ([029](docs/decisions/029-winograd.md)): only what `isWinogradForm` can have it. Its weights are bytes,
    so that transformed ones have 16 bits.

    Zero points, scales and the shift of images from signed to unsigned bytes or back are up to the epilogue.
  }];
  let arguments = (ins AnyShaped:$image, AnyShaped:$filter,
                       Optional<AnyShaped>:$wide, Optional<AnyShaped>:$order,
                       Variadic<AnyType>:$extras, AnyShaped:$init,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       AffineMapArrayAttr:$epilogue_maps,
                       UnitAttr:$image_signed, UnitAttr:$depthwise,
                       UnitAttr:$narrow_pairs,
                       DefaultValuedAttr<I64Attr, "1">:$groups,
                       DefaultValuedAttr<I64Attr, "0">:$group_channels,
                       OptionalAttr<I64Attr>:$largest_sum);
  let assemblyFormat = [{
    `ins` `(` $image `,` $filter `:` type($image) `,` type($filter) `)`
    (`wide` `(` $wide^ `:` type($wide) `)`)?
    (`order` `(` $order^ `:` type($order) `)`)?
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $init `:` type($init) `)` attr-dict `epilogue` $epilogue
    (`->` type($results)^)?
  }];
  let extraClassDeclaration = commonDeclarations # [{
    unsigned getNumSpatial() { return getStrides().size(); }
    /// Columns in a panel of the filter.
    int64_t getPanelWidth();
    /// The channels that one dot product covers.
    int64_t getGroup();
    /// The dot products of a panel.
    int64_t countDots();
    /// The largest sums that minimal filtering has right: it computes 576 = 9 *
    /// 2^6 times a sum modulo 2^32.
    static constexpr int64_t kLargestFilteredSum = (int64_t(1) << 25) - 1;
    /// Pairs of the channels of a group, in whole dot products.
    int64_t countPairs();
    /// The most dot products that `order` puts into one sum of 16 bits, and
    /// its parts but the last.
    static constexpr int64_t kMostTogether = 3, kOrderParts = 5;
    /// Where channels of a dot product come from, in the parts of `order` that
    /// change their places.
    static constexpr std::array<std::array<int64_t, 4>, 2> kExchanges{
        {{0, 2, 1, 3}, {0, 3, 1, 2}}};
    /// Whether the image has 16 bits for each byte.
    bool isImageWidened();
    /// Whether minimal filtering can compute it: windows of 3 x 3 taps of
    /// images of two dimensions, without strides or dilations, in dot products
    /// of four channels.
    bool isWinogradForm();
    /// A filter with coordinates group, column of the group, taps…, channel of
    /// the group: in panels of `width` columns, for dot products of `dot`
    /// channels.
    static PackedLayout getFilterLayout(::mlir::MLIRContext *context,
                                        ::llvm::ArrayRef<int64_t> extents,
                                        int64_t width, int64_t dot);
    /// A depthwise filter with coordinates column, taps….
    static PackedLayout getDepthwiseLayout(::mlir::MLIRContext *context,
                                           ::llvm::ArrayRef<int64_t> extents);
  }];
}

def Kernel_BlockMatmulOp : Kernel_ContractionOp<"block_matmul"> {
  let summary = "Product with a matrix of narrow integers, scaled by blocks, with an epilogue";
  let description = [{
    With a scale for each column and each `block` steps of the sum:

        result[m, n] = epilogue(sum over k of
            lhs[m, k] * (w[k, n] - zero[k / block, n]) * scale[k / block, n], extras…)

    The weights are signed integers of `bits` bits, 2, 4 or 8, packed as [n / NR, k * bits / 32, NR]:
    an element has those of consecutive steps in one column, the first in its lowest bits. The last element may have
    places for more steps than there are. Several blocks have whole elements each. They
    become floats in registers. `scales` is [n / NR, k / block, 1, NR], in panels as well, and `offset` is
    the zero point of all; or it is [n / NR, k / block, 2, NR], and the second row has the zero points, which
    are integers of `bits` bits as well.
  }];
  let arguments = (ins AnyShaped:$lhs, AnyShaped:$weights, AnyShaped:$scales,
                       Variadic<AnyType>:$extras, AnyShaped:$init,
                       I64Attr:$bits, I64Attr:$block, I64Attr:$offset,
                       AffineMapArrayAttr:$epilogue_maps);
  let assemblyFormat = [{
    `ins` `(` $lhs `,` $weights `,` $scales `:` type($lhs) `,` type($weights) `,` type($scales) `)`
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $init `:` type($init) `)` attr-dict `epilogue` $epilogue
    (`->` type($results)^)?
  }];
  let extraClassDeclaration = commonDeclarations # [{
    /// Weights in an element.
    int64_t getPerWord() { return 32 / int64_t(getBits()); }
    int64_t getPanelWidth() {
      return ::llvm::cast<::mlir::ShapedType>(getWeights().getType()).getDimSize(2);
    }
    /// The steps of the sum.
    int64_t getSteps() {
      return ::llvm::cast<::mlir::ShapedType>(getLhs().getType()).getDimSize(1);
    }
    /// Weights of `bits` bits with coordinates column and step, in panels of
    /// `width` columns. An element has several steps.
    static PackedLayout getWeightsLayout(::mlir::MLIRContext *context,
                                         int64_t columns, int64_t steps,
                                         int64_t width, int64_t bits);
    bool hasZeroPoints() {
      return ::llvm::cast<::mlir::ShapedType>(getScales().getType()).getDimSize(2) == 2;
    }
  }];
}

def Kernel_BlockDotOp : Kernel_ContractionOp<"block_dot"> {
  let summary = "Product of rows of bytes with a matrix of narrow integers, both scaled by blocks, with an epilogue";
  let description = [{
    With a scale for each row, each column, and each `block` steps of the sum:

        dot[m, j, n] = sum over k of block j of lhs[m, k] * (w[k, n] - zero[j, n])
        result[m, n] = epilogue(sum over j of
            float(dot[m, j, n]) * scale[j, n] * row_scale[m, j], extras…)

    The sum over j is in order, rounded once for each block where the target has a fused multiply-add,
    and the same on all of them. `lhs` is of signed bytes from -127 to 127, `row_scales` and `row_sums` are [m, j]:
    the sums are those of lhs over a block, i32. `steps` are whole blocks of at most 512, so that float32
    holds a dot product exactly.

    The weights have `bits` bits. Those of 8 are signed, packed as [n / NR, k / 4, NR] words of 32 bits with the
    first step in the lowest byte; those of 4 and 2 are unsigned, packed as [n / NR, k * bits / 32, NR]: a word
    has steps 0 to 3 in the lowest `bits` bits of its bytes, 4 to 7 in the next ones, and so on. `scales` and `offset` are those of
    kernel.block_matmul.
  }];
  let arguments = (ins AnyShaped:$lhs, AnyShaped:$row_scales, AnyShaped:$row_sums,
                       AnyShaped:$weights, AnyShaped:$scales,
                       Variadic<AnyType>:$extras, AnyShaped:$init,
                       I64Attr:$bits, I64Attr:$block, I64Attr:$offset,
                       AffineMapArrayAttr:$epilogue_maps);
  let assemblyFormat = [{
    `rows` `(` $lhs `,` $row_scales `,` $row_sums `:` type($lhs) `,` type($row_scales) `,` type($row_sums) `)`
    `weights` `(` $weights `,` $scales `:` type($weights) `,` type($scales) `)`
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $init `:` type($init) `)` attr-dict `epilogue` $epilogue
    (`->` type($results)^)?
  }];
  let extraClassDeclaration = commonDeclarations # [{
    /// The longest block.
    static constexpr int64_t kMaxBlock = 512;
    /// Whether registers of 16 rows of 64 bytes hold whole blocks, or a block
    /// whole registers.
    bool fillsTiles() {
      int64_t block = getBlock();
      return block == 16 || block == 32 || block % 64 == 0;
    }
    /// Weights in a word.
    int64_t getPerWord() { return 32 / int64_t(getBits()); }
    int64_t getPanelWidth() {
      return ::llvm::cast<::mlir::ShapedType>(getWeights().getType()).getDimSize(2);
    }
    /// The steps of the sum.
    int64_t getSteps() {
      return ::llvm::cast<::mlir::ShapedType>(getWeights().getType()).getDimSize(1) * getPerWord();
    }
    /// Weights of `bits` bits with coordinates column and step, in panels of
    /// `width` columns. A word has several steps.
    static PackedLayout getWeightsLayout(::mlir::MLIRContext *context,
                                         int64_t columns, int64_t steps,
                                         int64_t width, int64_t bits);
    bool hasZeroPoints() {
      return ::llvm::cast<::mlir::ShapedType>(getScales().getType()).getDimSize(2) == 2;
    }
  }];
}

def Kernel_LookupOp : Kernel_Op<"lookup", [Pure] # ElementwiseMappable.traits> {
  let summary = "An element of a table of 256, by a byte";
  let description = [{
    `result = table[index]`, the index taken as unsigned.
  }];
  let arguments = (ins SignlessIntegerLike:$index, ElementsAttr:$table);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$index `in` $table attr-dict `:` type($index) `->` type($result)";
  let hasVerifier = 1;
}

def Kernel_YieldOp : Kernel_Op<"yield", [Pure, Terminator]> {
  let summary = "The element that an epilogue makes";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let hasVerifier = 1;
}

#endif // ONNXC_DIALECT_KERNEL_KERNELOPS_TD
