//===- AttentionParts.h - What attentions are made of --------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONTRIB_ATTENTIONPARTS_H
#define ONNXC_LIB_CONTRIB_ATTENTIONPARTS_H

#include "ContribOps.h"

namespace onnxc::contrib {

/// What ONNX's Attention takes. Queries, keys and values are [batch, heads,
/// sequence, head size].
struct AttentionParts {
  mlir::Value query, key, value;
  /// What is added to the scores; may be absent.
  mlir::Value bias;
  /// What comes before keys and values; absent or both.
  mlir::Value pastKey, pastValue;
  /// How many keys are there, for each sample, if they are fewer than `key`
  /// has; may be absent.
  mlir::Value lengths;
  /// 0: by the head size.
  float scale = 0;
  float softcap = 0;
  bool isCausal = false;
  /// Keys before the own position that are seen; -1: all.
  int64_t window = -1;
  /// Of qk_matmul_output_mode.
  int64_t scoresMode = 0;
};

struct AttentionResults {
  /// [batch, sequence, heads * head size].
  mlir::Value output;
  mlir::Value presentKey, presentValue, scores;
};

AttentionResults attend(Composer &c, const AttentionParts &parts);

/// [batch, sequence, heads * size] to [batch, heads, sequence, size].
mlir::Value splitHeads(Composer &c, mlir::Value x, int64_t heads);

/// A mask of ONNX Runtime as what is added to scores [batch, heads, sequence,
/// `total`]: `filter` where nothing may be attended to. Null without a mask.
/// The mask is input `index`; `queries` are as in AttentionParts, `total` is
/// the number of keys, as a tensor of one element.
mlir::Value makeMaskBias(Composer &c, unsigned index, mlir::Value queries,
                         mlir::Value total, float filter);

} // namespace onnxc::contrib

#endif // ONNXC_LIB_CONTRIB_ATTENTIONPARTS_H
