//===- ConvLoops.h - What the emitter of kernel.conv knows ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_CONV_CONVLOOPS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_CONV_CONVLOOPS_H

#include "ConvOperands.h"
#include "ConvSchedule.h"

namespace onnxc::conv {

/// Tiles of fewer columns leave most sums' registers unused.
constexpr int64_t kFewColumns = 7;
/// Rows of unknown length that are so short get code of their own for each
/// length.
constexpr int64_t kShortRow = 7;
/// Tiles of at most so many columns have code for each number of them.
constexpr int64_t kMostEvenWidths = 8;
/// Columns of an image whose size is not known.
constexpr int64_t kTypicalColumns = 64;

/// Whether taps of a tile's columns may lie outside of the image, and what is
/// known about which: where the tile stands, or nothing but that they are those
/// of the first and the last columns, which then read zeros (or what is below
/// all maxima) from a buffer, or nothing at all (it has one column).
enum class Border { None, Known, Ends, Unknown };

/// Some of a panel's blocks of input channels, and where the sums of the pixels
/// from `firstPixel` on (in the map of the result) wait for the others.
struct ChannelPiece {
  mlir::Value sums;
  mlir::OpFoldResult first, firstPixel;
  int64_t count = 0;
  /// The channels behind the last whole block belong to it.
  bool hasRest = false;
};

/// What a tile fetches of the weights behind those that it reads: for each
/// block of channels so many lines, of which the tile before fetched others.
struct WeightsAhead {
  mlir::OpFoldResult tile; // its number
  int64_t lines = 0;
  int64_t perRow = 0; // tiles
};

/// Where a tile stands, and how many pixels it has.
struct Tile : Pixel {
  mlir::OpFoldResult panel;
  int64_t rows = 1, columns = 1, vectors = 1;
  /// The panel's weights as floats; null where these lie as the model has them.
  mlir::Value widened;
  /// Number among the tiles of the panel, where that is known.
  std::optional<int64_t> number;
  Border border = Border::None;
  /// So many columns at the front belong to the tile before as well, which has
  /// stored them; null: none.
  mlir::OpFoldResult stored;
  /// Without sums: all channels, the sums of which the tile stores.
  ChannelPiece piece;
  WeightsAhead ahead;
};

/// Where a tile reads a pixel that may lie outside of the image: there or in a
/// buffer of border values. `step` is from channel to channel.
struct EndPixel {
  mlir::Value memory;
  mlir::OpFoldResult at, step;
};

/// Some of the tiles of a row, or of a map that is one row.
struct TileRange {
  int64_t first, count;
};

/// Every spread-th place of a result, from `number` on: a convolution of the
/// image without zeros, with some of the taps from `firstTap` on.
struct Phase {
  int64_t number, firstTap, taps, dilation, before, after;

  static Phase get(const Axis &all, int64_t number);
};

class ConvLoops : ConvOperands {
public:
  ConvLoops(mlir::OpBuilder &b, kernel::ConvOp op,
            kernel::ConvScheduleAttr schedule)
      : ConvOperands(b, op), schedule(schedule) {}

  void emit();

private:
  void prepare();
  void mergePixels();
  void chooseColumns();

  void enterPhase(unsigned axis, int64_t phase);
  void enterOneOf(llvm::ArrayRef<Phase> phases, mlir::OpFoldResult number);
  void emitUnknownPhases(const Tile &tile);
  mlir::OpFoldResult getBefore(const Axis &axis);
  void emitPhases(unsigned axis);
  void emitAllPanels();
  void emitPanels(mlir::OpFoldResult first, mlir::OpFoldResult count,
                  int64_t vectors);
  void emitWholeMaps(
      mlir::OpFoldResult count, int64_t vectors, int64_t rows,
      llvm::function_ref<Tile(llvm::ArrayRef<mlir::OpFoldResult>)> place);
  void emitWidenedPixels(
      mlir::OpFoldResult count, int64_t vectors, mlir::OpFoldResult full,
      llvm::function_ref<Tile(llvm::ArrayRef<mlir::OpFoldResult>)> place);
  void emitNearPixels(
      mlir::OpFoldResult count, int64_t vectors,
      llvm::function_ref<Tile(llvm::ArrayRef<mlir::OpFoldResult>)> place);
  void emitMapInPieces(Tile all, int64_t rows, int64_t columns,
                       llvm::function_ref<void(const Tile &)> emitRows);
  void emitRowsInPieces(
      mlir::OpFoldResult count, int64_t vectors, int64_t rows, int64_t columns,
      llvm::function_ref<Tile(llvm::ArrayRef<mlir::OpFoldResult>)> place);
  int64_t countWeights(const Tile &tile);
  int64_t countLines(const Tile &tile);
  bool isInPieces();
  bool isOpenInPieces();
  void coverEvenly(const Tile &tile, mlir::OpFoldResult from,
                   mlir::OpFoldResult to, Border border);
  void emitOpenMapInPieces(
      mlir::OpFoldResult count, int64_t vectors,
      llvm::function_ref<Tile(llvm::ArrayRef<mlir::OpFoldResult>)> place);
  void emitPieces(const Tile &all, mlir::OpFoldResult rows,
                  mlir::OpFoldResult columns, int64_t most,
                  llvm::function_ref<void(const Tile &)> emitTiles);
  mlir::OpFoldResult numberOfPixel(const Tile &tile);
  void overSums(const Tile &tile,
                llvm::function_ref<void(int64_t, mlir::Value)> body);
  llvm::SmallVector<mlir::Value> loadSums(const Tile &tile);
  void storeSums(const Tile &tile, mlir::ValueRange sums);
  void prefetchWeights(const Tile &tile, mlir::OpFoldResult block);
  int64_t shareOf(mlir::OpFoldResult count, int64_t panels, int64_t pixels);
  int64_t tilesPerPart(int64_t tiles, int64_t panels, int64_t pixels,
                       bool isSingleRow);
  void overShare(mlir::OpFoldResult part, int64_t share,
                 mlir::OpFoldResult extent,
                 llvm::function_ref<void(mlir::OpFoldResult)> body);
  void emitColumns(const Tile &tile, std::optional<TileRange> only);
  void emitPhaseColumns(Tile tile, std::optional<TileRange> only);
  void emitUnknownColumns(const Tile &tile);
  void emitRowOfAnyLength(const Tile &tile);
  void emitEnds(const Tile &tile);
  void emitMiddle(const Tile &tile);
  int64_t countEndColumns(int64_t pad) const;
  mlir::OpFoldResult selectIfAtMost(mlir::OpFoldResult x, int64_t most,
                                    mlir::OpFoldResult yes,
                                    mlir::OpFoldResult no);
  void emitTile(const Tile &tile);
  void
  overParts(llvm::ArrayRef<mlir::OpFoldResult> extents, int64_t work,
            llvm::function_ref<void(llvm::ArrayRef<mlir::OpFoldResult>)> body);
  llvm::SmallVector<mlir::Value> sumTile(const Tile &tile);
  void keepSums(mlir::ValueRange sums);
  void emitStoreLoop(const Tile &tile, mlir::OpFoldResult rows,
                     mlir::OpFoldResult columns);
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  readShared(const Tile &tile);
  void emitStores(const Tile &tile, mlir::ValueRange sums);
  void emitPixelStores(const Tile &tile, mlir::OpFoldResult row,
                       mlir::OpFoldResult column, mlir::ValueRange sums,
                       llvm::ArrayRef<llvm::SmallVector<mlir::Value>> shared);

  using Taps = llvm::SmallVector<mlir::OpFoldResult, kAxes>;
  llvm::SmallVector<mlir::Value> emitTaps(const Tile &tile,
                                          mlir::OpFoldResult block,
                                          int64_t channels,
                                          mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value>
  overTaps(const Tile &tile, unsigned axis, Taps taps, mlir::OpFoldResult image,
           mlir::OpFoldResult filter, int64_t channels, mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value>
  emitChannels(const Tile &tile, const Taps &taps, mlir::OpFoldResult image,
               mlir::OpFoldResult filter, int64_t channels,
               mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value> multiplyPixels(
      const Tile &tile, const Taps &taps, mlir::OpFoldResult row,
      llvm::function_ref<mlir::Value(int64_t, mlir::OpFoldResult)> ofPixel,
      mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value> emitBlockOfChannels(const Tile &tile,
                                                     const Taps &taps,
                                                     mlir::OpFoldResult image,
                                                     mlir::OpFoldResult filter,
                                                     mlir::ValueRange sums);
  void prefetchNextPanel(const Tile &tile, mlir::OpFoldResult row);
  WeightsAhead shareWeights(const Tile &tile, int64_t rows, int64_t columns);
  void prefetchPixels(const Tile &tile, mlir::OpFoldResult pixel,
                      mlir::OpFoldResult number);
  void prefetchBlockAhead(const Tile &tile, mlir::OpFoldResult from);
  llvm::SmallVector<mlir::Value> emitDepthwise(const Tile &tile,
                                               mlir::OpFoldResult image,
                                               mlir::OpFoldResult filter,
                                               mlir::ValueRange sums);

  llvm::SmallVector<mlir::Value> emitMaxima(const Tile &tile,
                                            mlir::OpFoldResult image,
                                            mlir::ValueRange greatest);
  llvm::SmallVector<mlir::Value> overColumns(const Tile &tile,
                                             mlir::ValueRange greatest);
  mlir::Value greater(mlir::Value x, mlir::Value y);
  void makeBorderValues();
  EndPixel clipPixel(const Tile &tile, mlir::OpFoldResult column,
                     mlir::OpFoldResult at);
  llvm::SmallVector<std::optional<EndPixel>>
  clipEnds(const Tile &tile, const Taps &taps, mlir::OpFoldResult image);
  mlir::Value loadColumn(const Tile &tile, int64_t column,
                         mlir::OpFoldResult image);
  int64_t countSums(const Tile &tile);
  bool isInside(const Tile &tile, unsigned axis, int64_t pixel,
                mlir::OpFoldResult tap);
  void cover(const Tile &tile, mlir::OpFoldResult from, mlir::OpFoldResult to,
             int64_t columns, Border border = Border::None);
  void coverInside(const Tile &tile);
  void coverRest(const Tile &tile, mlir::OpFoldResult from,
                 mlir::OpFoldResult to, int64_t columns,
                 Border border = Border::None);
  bool readsPixels();
  mlir::Value loadWeights(const Tile &tile, mlir::OpFoldResult at);
  void widenPanel(Tile &tile);

  int64_t workOf(int64_t vectors, int64_t pixels);

  kernel::ConvScheduleAttr schedule;
  /// Spread images: the axes and extras as they are without phases.
  Axis allAxes[kAxes];
  llvm::SmallVector<Extra> allExtras;
  bool isMerged = false;
  /// A block of what stands for channels outside of the image, and the image,
  /// both as memory of one type; null if no tile asks for them.
  mlir::Value borderValues, imageAnywhere;
  /// Where the sums of a tile wait for a long epilogue; null: in registers.
  mlir::Value tileSums;
};

} // namespace onnxc::conv

#endif // ONNXC_LIB_SCHEDULE_KERNELS_CONV_CONVLOOPS_H
