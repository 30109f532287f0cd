//===- Difference.h - How two arrays differ ------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_DIFFERENCE_H
#define ONNXC_TOOLS_ONNXC_DIFFERENCE_H

#include "onnxc/Npz/Npz.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace onnxc {

class Arguments;

/// How far numbers may be apart.
struct Tolerance {
  /// --rtol and --atol.
  explicit Tolerance(const Arguments &arguments);

  /// Relative to the greatest number of the array; without a value, what the
  /// element type allows.
  std::optional<double> relative;
  double absolute;

  double getRelative(int32_t dtype) const;
};

/// The elements as numbers, real and imaginary parts one after the other; none
/// of a type that C++ does not compute with.
std::vector<double> toNumbers(const Array &array);

/// What is wrong with `got`, where `source` has `want`: "element [0,2] is 3,
/// source has 4 ..."; empty if nothing is. `worst` becomes the greatest
/// difference relative to the greatest number, if that is more than it was.
std::string describeDifference(const Array &got, const Array &want,
                               llvm::StringRef source,
                               const Tolerance &tolerance, double &worst);

/// The same of the arrays by name; one in `want` that `got` does not have is a
/// difference. A line for each that differs, after "what 'name': ".
std::string describeDifferences(llvm::StringRef what, const NamedArrays &got,
                                const NamedArrays &want, llvm::StringRef source,
                                const Tolerance &tolerance, double &worst);

/// Arrays from a .npz file, or from a .npy file, which is the one called
/// `only`; "" if there is no such.
llvm::Expected<NamedArrays> readExpected(llvm::StringRef path,
                                         llvm::StringRef only);

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_DIFFERENCE_H
