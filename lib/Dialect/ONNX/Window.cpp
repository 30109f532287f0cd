//===- Window.cpp - Sliding windows of convolutions and pools -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Window.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace onnxc;

Window::Window(ShapeBuilder &s, const WindowAttrs &attrs, int64_t spatialRank,
               llvm::ArrayRef<Dim> weightKernel, llvm::StringRef op)
    : ceilMode(attrs.ceilMode), s(s), op(op.str()) {
  size_t n = spatialRank;
  auto fill = [&](std::optional<llvm::ArrayRef<int64_t>> given, size_t count,
                  int64_t byDefault, int64_t least, llvm::StringRef suffix) {
    llvm::SmallVector<int64_t> values(count, byDefault);
    if (!given)
      return values;
    if (!s.require(given->size() == count,
                   op + suffix + ": must have " + llvm::Twine(count) +
                       " elements, has " + llvm::Twine(given->size())))
      return values;
    if (s.require(llvm::all_of(*given, [&](int64_t v) { return v >= least; }),
                  op + suffix + ": elements must be at least " +
                      llvm::Twine(least)))
      llvm::copy(*given, values.begin());
    return values;
  };
  strides = fill(attrs.strides, n, 1, 1, "_strides");
  dilations = fill(attrs.dilations, n, 1, 1, "_dilations");

  if (attrs.autoPad == "SAME_UPPER")
    autoPad = AutoPad::SameUpper;
  else if (attrs.autoPad == "SAME_LOWER")
    autoPad = AutoPad::SameLower;
  else if (attrs.autoPad == "VALID")
    autoPad = AutoPad::Valid;
  else
    s.require(attrs.autoPad == "NOTSET" || attrs.autoPad.empty(),
              op +
                  "_auto_pad: must be NOTSET, SAME_UPPER, SAME_LOWER or "
                  "VALID, is '" +
                  attrs.autoPad + "'");
  pads = fill(attrs.pads, 2 * n, 0, 0, "_pads");
  // A convolution must not state both, a pool may: auto_pad is what counts
  // then, as it does where exporters write zeros beside it.
  bool isConvolution = !weightKernel.empty();
  s.require(!isConvolution || autoPad == AutoPad::NotSet ||
                llvm::all_of(pads, [](int64_t amount) { return amount == 0; }),
            op + "_pads: must not be given together with auto_pad " +
                attrs.autoPad);
  if (autoPad != AutoPad::NotSet)
    pads.assign(2 * n, 0);

  if (attrs.kernelShape) {
    for (int64_t size : fill(attrs.kernelShape, n, 1, 1, "_kernel_shape"))
      kernel.push_back(s.constant(size));
    for (size_t i = 0, e = std::min(n, weightKernel.size()); i < e; ++i)
      kernel[i] = s.same(kernel[i], weightKernel[i], op + "_kernel_shape");
  } else {
    kernel.assign(weightKernel.begin(), weightKernel.end());
  }
  kernel.resize(n, s.unknown());
}

Dim Window::extent(int64_t i) { return (kernel[i] - 1) * dilations[i] + 1; }

Dim Window::output(int64_t i, Dim input) {
  Dim stride = s.constant(strides[i]);
  if (isSame())
    return s.ceildiv(input, stride);
  Dim afterBegin = input + pads[i];
  Dim room = afterBegin + pads[i + kernel.size()] - extent(i);
  Dim zero = s.constant(0);
  // What has no elements is pooled to as little, by whatever window.
  s.requireLessEqual(zero, s.selectEqual(input, zero, zero, room),
                     op +
                         "_kernel_shape: the window is larger than the padded "
                         "input (spatial dimension " +
                         llvm::Twine(i) + ")");
  // VALID has one formula for both values of ceil_mode.
  bool roundUp = ceilMode && autoPad == AutoPad::NotSet;
  Dim count =
      (roundUp ? s.ceildiv(room, stride) : s.floordiv(room, stride)) + 1;
  // A window that would start in the padding behind the input is left out.
  if (roundUp && (strides[i] != 1 || pads[i + kernel.size()] != 0)) {
    Dim lastStart = (count - 1) * strides[i];
    count = s.selectLess(lastStart, afterBegin, count, count - 1);
  }
  s.requireLessEqual(zero, count,
                     op +
                         "_kernel_shape: the window is larger than the padded "
                         "input (spatial dimension " +
                         llvm::Twine(i) + ")");
  return count;
}

std::pair<Dim, Dim> Window::padding(int64_t i, Dim input) {
  if (!isSame())
    return {s.constant(pads[i]), s.constant(pads[i + kernel.size()])};
  Dim count = s.ceildiv(input, s.constant(strides[i]));
  Dim total = (count - 1) * strides[i];
  total = s.max(total + extent(i) - input, s.constant(0));
  Dim smaller = s.floordiv(total, s.constant(2));
  Dim larger = total - smaller;
  return autoPad == AutoPad::SameUpper ? std::pair(smaller, larger)
                                       : std::pair(larger, smaller);
}
