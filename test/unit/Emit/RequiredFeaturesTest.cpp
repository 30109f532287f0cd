//===- RequiredFeaturesTest.cpp - Which instruction needs what ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Emit/RequiredFeatures.h"

#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace {

/// The features, with a space between them; "unknown" for no row.
std::string find(StringRef mnemonic, std::initializer_list<uint8_t> bytes) {
  auto found = onnxc::findX86Features(mnemonic, ArrayRef<uint8_t>(bytes));
  return found ? join(*found, " ") : "unknown";
}

// The same addition in all encodings; those of EVEX with a broadcast element of
// memory are as long as the vector, and with a rounding mode as long as can be.
TEST(RequiredFeaturesTest, Encodings) {
  EXPECT_EQ(find("addps", {0x0F, 0x58, 0xC1}), "");
  EXPECT_EQ(find("vaddps", {0xC5, 0xF8, 0x58, 0xC1}), "avx");
  EXPECT_EQ(find("vaddps", {0xC5, 0xFC, 0x58, 0xC1}), "avx");
  EXPECT_EQ(find("vaddps", {0xC4, 0xC1, 0x7C, 0x58, 0x00}), "avx");
  EXPECT_EQ(find("vaddps", {0x62, 0xF1, 0x7C, 0x08, 0x58, 0xC1}), "avx512vl");
  EXPECT_EQ(find("vaddps", {0x62, 0xF1, 0x7C, 0x28, 0x58, 0xC1}), "avx512vl");
  EXPECT_EQ(find("vaddps", {0x62, 0xF1, 0x7C, 0x48, 0x58, 0xC1}), "avx512f");
  EXPECT_EQ(find("vaddps", {0x62, 0xF1, 0x7C, 0x18, 0x58, 0x00}), "avx512vl");
  EXPECT_EQ(find("vaddps", {0x62, 0xF1, 0x7C, 0x38, 0x58, 0x00}), "avx512vl");
  EXPECT_EQ(find("vaddps", {0x62, 0xF1, 0x7C, 0x58, 0x58, 0x00}), "avx512f");
  EXPECT_EQ(find("vaddps", {0x62, 0xF1, 0x7C, 0x18, 0x58, 0xC1}), "avx512f");
  // 128 and 256 bits of integers: AVX2 has the longer one.
  EXPECT_EQ(find("vpaddd", {0xC5, 0xF9, 0xFE, 0xC1}), "avx");
  EXPECT_EQ(find("vpaddd", {0xC5, 0xFD, 0xFE, 0xC1}), "avx2");
  EXPECT_EQ(find("vpaddd", {0xC4, 0xC1, 0x79, 0xFE, 0x00}), "avx");
  EXPECT_EQ(find("vpaddd", {0xC4, 0xC1, 0x7D, 0xFE, 0x00}), "avx2");
  // Of an element of memory AVX has a broadcast, of a register AVX2.
  EXPECT_EQ(find("vbroadcastss", {0xC4, 0xE2, 0x7D, 0x18, 0x00}), "avx");
  EXPECT_EQ(find("vbroadcastss", {0xC4, 0xE2, 0x7D, 0x18, 0xC1}), "avx2");
}

TEST(RequiredFeaturesTest, ImmediateValues) {
  EXPECT_EQ(find("vcmpltps", {0xC5, 0xFC, 0xC2, 0xC1, 0x01}), "avx");
  EXPECT_EQ(find("vpcmpltud", {0x62, 0xF3, 0x7D, 0x48, 0x1E, 0xC1, 0x01}),
            "avx512f");
  EXPECT_EQ(find("cmpltps", {0x0F, 0xC2, 0xC1, 0x01}), "");
}

TEST(RequiredFeaturesTest, Unknown) {
  EXPECT_EQ(find("vnosuch", {0xC5, 0xF8, 0x58, 0xC1}), "unknown");
  EXPECT_EQ(find("", {}), "unknown");
}

} // namespace
