//===- Window.h - Sliding windows of convolutions and pools --- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernel_shape, strides, dilations, pads, auto_pad and ceil_mode mean, in
// terms of a ShapeBuilder: shape rules, the normalization of attributes and the
// lowerings (which reify the padding of SAME_* over dynamic dims) all ask here.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_WINDOW_H
#define ONNXC_DIALECT_ONNX_WINDOW_H

#include "onnxc/Dialect/ONNX/ShapeBuilder.h"

namespace onnxc {

enum class AutoPad { NotSet, SameUpper, SameLower, Valid };

/// The attributes as they stand on an op.
struct WindowAttrs {
  std::optional<llvm::ArrayRef<int64_t>> kernelShape = {}, strides = {},
                                         dilations = {}, pads = {};
  llvm::StringRef autoPad = "NOTSET";
  bool ceilMode = false;
};

/// The attributes with defaults filled in, one entry per spatial dimension.
class Window {
public:
  /// Checks `attrs` against the number of spatial dims and, where the op has
  /// weights, against their kernel dims (else empty). Errors carry `op`, as in
  /// "conv_strides". After an error the window is still fit for use.
  Window(ShapeBuilder &s, const WindowAttrs &attrs, int64_t spatialRank,
         llvm::ArrayRef<Dim> weightKernel, llvm::StringRef op);

  /// From the first to past the last element that a window touches.
  Dim extent(int64_t i);
  /// The number of windows over `input` elements of spatial dimension `i`.
  Dim output(int64_t i, Dim input);
  /// What is added before and after `input` elements.
  std::pair<Dim, Dim> padding(int64_t i, Dim input);

  Dims kernel;
  llvm::SmallVector<int64_t> strides, dilations;
  /// All begins, then all ends; zeros unless auto_pad is NOTSET.
  llvm::SmallVector<int64_t> pads;
  AutoPad autoPad = AutoPad::NotSet;
  bool ceilMode;

private:
  bool isSame() const {
    return autoPad == AutoPad::SameUpper || autoPad == AutoPad::SameLower;
  }

  ShapeBuilder &s;
  std::string op;
};

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_WINDOW_H
