//===- ImageDecoder.cpp - Image files -------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "SystemLibraries.h"

#include "onnxc/Dialect/ONNX/Image.h"
#include "onnxc/runtime.h"

using namespace mlir;
using namespace onnxc;

static LogicalResult lowerImageDecoder(ImageDecoderOp op,
                                       ImageDecoderOp::Adaptor operands,
                                       Lowering &l) {
  if (missingImages)
    return l.fail(missingImages);
  // The shape rule knows the three formats, which differ in the first letter.
  Value format = l.constant(l.b.getI64IntegerAttr(op.getPixelFormat().front()));
  return l.replace(l.call("decode_image", {operands.getEncodedStream(), format},
                          {}, l.resultType(), {ONNXC_UINT8, 0, ONNXC_UINT8}));
}

void onnxc::populateImageDecoder(Lowerings &lowerings) {
  lowerings.add<ImageDecoderOp>(lowerImageDecoder);
}
