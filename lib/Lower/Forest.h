//===- Forest.h - Decision trees and their tables ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_LOWER_FOREST_H
#define ONNXC_LIB_LOWER_FOREST_H

#include "ClassicML.h"

namespace onnxc {

/// A node as a model gives it.
struct TreeNode {
  /// Numbered as ONNX's TreeEnsemble does.
  enum Mode {
    LessOrEqual,
    Less,
    GreaterOrEqual,
    Greater,
    Equal,
    NotEqual,
    Member,
    Leaf
  };
  Mode mode = Leaf;
  int64_t feature = 0;
  double split = 0;
  /// Where it goes if the comparison holds, and if not.
  int64_t yes = 0, no = 0;
  /// NaN goes as if the comparison held.
  bool isMissingYes = false;
  /// Of Member: the set.
  llvm::SmallVector<double, 0> members;
  /// Of Leaf: what it adds to which target.
  llvm::SmallVector<std::pair<int64_t, double>, 1> weights;
};

struct Forest {
  std::vector<TreeNode> nodes;
  llvm::SmallVector<int64_t> roots;
};

/// Nodes, roots, weights and their targets, starts of leaves among these,
/// members and starts of sets.
struct ForestTables {
  llvm::SmallVector<mlir::Value> values;
};

/// All numbers of a constant.
mlir::FailureOr<llvm::SmallVector<double>>
readNumbers(Lowering &l, mlir::ElementsAttr elements);

/// A table of floats or doubles.
mlir::Value numberTable(Lowering &l, llvm::ArrayRef<double> numbers,
                        bool isDouble);

/// The forest as the kernels of the runtime read it. Reads the number of
/// targets from the parameters, and sets those that the forest decides. Fails,
/// with the reason, where the nodes are not trees.
mlir::FailureOr<ForestTables> layOut(Lowering &l, const Forest &forest,
                                     bool isDouble,
                                     llvm::MutableArrayRef<int64_t> parameters);

} // namespace onnxc

#endif // ONNXC_LIB_LOWER_FOREST_H
