//===- FourierTest.cpp - Transforms of all lengths ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime/Entry.h"

#include "Tensors.h"

#include <cmath>

namespace {

class Fourier : public ContextTest {};

// By the definition. 31 is the largest prime that is a factor of its own; with
// 37 and 2 * 41 a transform becomes a convolution.
TEST_F(Fourier, LengthsOfSmallAndLargePrimes) {
  const double pi = std::acos(-1.0);
  for (int64_t n : {1, 2, 5, 12, 31, 37, 62, 82, 7 * 29}) {
    SCOPED_TRACE(n);
    std::vector<double> from(2 * n), to(2 * n);
    for (int64_t i = 0; i < 2 * n; ++i)
      from[i] = double(i * i % 11) - 5;
    onnxc_tensor x = tensorOf(ONNXC_DOUBLE, {1, n, 2}, from);
    onnxc_tensor y = tensorOf(ONNXC_DOUBLE, {1, n, 2}, to);
    ASSERT_EQ(onnxc_rt_dft(&context.face, "", &x, /*axis=*/1, n,
                           /*is_inverse=*/0, /*is_onesided=*/0, &y),
              ONNXC_OK);
    for (int64_t k = 0; k < n; ++k) {
      double real = 0, imaginary = 0;
      for (int64_t i = 0; i < n; ++i) {
        double angle = -2 * pi * double(i * k % n) / double(n);
        real +=
            from[2 * i] * std::cos(angle) - from[2 * i + 1] * std::sin(angle);
        imaginary +=
            from[2 * i] * std::sin(angle) + from[2 * i + 1] * std::cos(angle);
      }
      EXPECT_NEAR(to[2 * k], real, 1e-9) << k;
      EXPECT_NEAR(to[2 * k + 1], imaginary, 1e-9) << k;
    }
  }
}

TEST_F(Fourier, NothingToTransform) {
  std::vector<float> none;
  onnxc_tensor x = tensorOf(ONNXC_FLOAT, {0, 8, 2}, none);
  onnxc_tensor y = tensorOf(ONNXC_FLOAT, {0, 8, 2}, none);
  EXPECT_EQ(onnxc_rt_dft(&context.face, "", &x, 1, 8, 0, 0, &y), ONNXC_OK);
}

} // namespace
