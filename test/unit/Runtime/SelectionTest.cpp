//===- SelectionTest.cpp - Sorting and choosing ---------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime/Selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace {

class Selection : public ::testing::Test {
protected:
  Selection() {
    std::memset(&context, 0, sizeof context);
    context.options.allocate = [](void *, size_t bytes, size_t alignment) {
      return std::aligned_alloc(alignment, bytes);
    };
    context.options.release = [](void *, void *memory, size_t) {
      std::free(memory);
    };
  }
  ~Selection() override { onnxc_rt_pool_destroy(&context); }

  template <typename T>
  static onnxc_tensor tensor(int32_t dtype, std::vector<int64_t> dims,
                             std::vector<T> &data) {
    onnxc_tensor result = {};
    result.data = data.data();
    result.dtype = dtype;
    result.rank = int32_t(dims.size());
    std::copy(dims.begin(), dims.end(), result.dims);
    return result;
  }
  static std::vector<int64_t> integers(const onnxc_tensor &made) {
    auto *data = static_cast<const int64_t *>(made.data);
    int64_t count = made.dims[0] * (made.rank == 2 ? made.dims[1] : 1);
    return {data, data + count};
  }
  static onnxc_tensor unknown(int32_t dtype, int32_t rank) {
    onnxc_tensor result = {};
    result.dtype = dtype;
    result.rank = rank;
    for (int32_t i = 0; i < rank; ++i)
      result.dims[i] = -1;
    return result;
  }

  onnxc_rt_context context;
};

using Integers = std::vector<int64_t>;
constexpr float inf = std::numeric_limits<float>::infinity();

template <typename T>
void expectAscending(int32_t dtype, const std::vector<T> &values) {
  for (size_t i = 1; i < values.size(); ++i)
    EXPECT_LT(onnxc_rt_order_key(values.data(), dtype, int64_t(i - 1)),
              onnxc_rt_order_key(values.data(), dtype, int64_t(i)))
        << "dtype " << dtype << ", element " << i;
}

TEST_F(Selection, KeysFollowTheOrderOfEveryType) {
  expectAscending<float>(ONNXC_FLOAT,
                         {-inf, -2, -1e-40f, 0, 1e-40f, 3, inf, std::nanf("")});
  expectAscending<double>(ONNXC_DOUBLE,
                          {-HUGE_VAL, -1, 0, 1e-310, HUGE_VAL, std::nan("")});
  // -inf, -1, 0, 1, inf, NaN
  expectAscending<uint16_t>(ONNXC_FLOAT16,
                            {0xfc00, 0xbc00, 0, 0x3c00, 0x7c00, 0x7e00});
  expectAscending<uint16_t>(ONNXC_BFLOAT16,
                            {0xff80, 0xbf80, 0, 0x3f80, 0x7f80, 0x7fc0});
  expectAscending<int8_t>(ONNXC_INT8, {-128, -1, 0, 127});
  expectAscending<int16_t>(ONNXC_INT16, {-32768, -1, 0, 32767});
  expectAscending<int32_t>(ONNXC_INT32, {INT32_MIN, -1, 0, INT32_MAX});
  expectAscending<int64_t>(ONNXC_INT64, {INT64_MIN, -1, 0, INT64_MAX});
  expectAscending<uint8_t>(ONNXC_UINT8, {0, 127, 128, 255});
  expectAscending<uint16_t>(ONNXC_UINT16, {0, 32768, 65535});
  expectAscending<uint32_t>(ONNXC_UINT32, {0, 1u << 31, UINT32_MAX});
  expectAscending<uint64_t>(ONNXC_UINT64, {0, uint64_t(1) << 63, UINT64_MAX});
}

TEST_F(Selection, ZerosAndNaNsAreEqual) {
  float values[] = {0.0f, -0.0f, std::nanf("1"), -std::nanf("2")};
  EXPECT_EQ(onnxc_rt_order_key(values, ONNXC_FLOAT, 0),
            onnxc_rt_order_key(values, ONNXC_FLOAT, 1));
  EXPECT_EQ(onnxc_rt_order_key(values, ONNXC_FLOAT, 2),
            onnxc_rt_order_key(values, ONNXC_FLOAT, 3));
}

TEST_F(Selection, TopKPrefersTheLowerIndex) {
  std::vector<float> x{2, 5, 2, 5, 1, 5}, values(4);
  Integers indices(4);
  onnxc_tensor in = tensor(ONNXC_FLOAT, {6, 1}, x);
  onnxc_tensor v = tensor(ONNXC_FLOAT, {4, 1}, values);
  onnxc_tensor i = tensor(ONNXC_INT64, {4, 1}, indices);
  ASSERT_EQ(onnxc_rt_top_k(&context.face, "", &in, 0, 1, &v, &i), ONNXC_OK);
  EXPECT_EQ(values, (std::vector<float>{5, 5, 5, 2}));
  EXPECT_EQ(indices, (Integers{1, 3, 5, 0}));
  ASSERT_EQ(onnxc_rt_top_k(&context.face, "", &in, 0, 0, &v, &i), ONNXC_OK);
  EXPECT_EQ(indices, (Integers{4, 0, 2, 1}));
}

TEST_F(Selection, TopKAsksForNoMoreThanThereIs) {
  std::vector<float> x{2}, values(2);
  Integers indices(2);
  onnxc_tensor in = tensor(ONNXC_FLOAT, {1}, x);
  onnxc_tensor v = tensor(ONNXC_FLOAT, {2}, values);
  onnxc_tensor i = tensor(ONNXC_INT64, {2}, indices);
  EXPECT_EQ(onnxc_rt_top_k(&context.face, "node 'n': ", &in, 0, 1, &v, &i),
            ONNXC_RUNTIME_ERROR);
  EXPECT_STREQ(context.message, "node 'n': k is 2, but there are 1 elements");
}

TEST_F(Selection, UniqueInOrderAndAsTheyCome) {
  std::vector<float> x{3, 1, 3, 2, 1};
  onnxc_tensor in = tensor(ONNXC_FLOAT, {5}, x);
  for (bool sorted : {true, false}) {
    onnxc_tensor y = unknown(ONNXC_FLOAT, 1), first = unknown(ONNXC_INT64, 1),
                 inverse = first, counts = first;
    ASSERT_EQ(onnxc_rt_unique(&context.face, "", &in, -1, sorted, &y, &first,
                              &inverse, &counts),
              ONNXC_OK);
    auto *data = static_cast<const float *>(y.data);
    std::vector<float> values(data, data + y.dims[0]);
    EXPECT_EQ(values, sorted ? (std::vector<float>{1, 2, 3})
                             : (std::vector<float>{3, 1, 2}));
    EXPECT_EQ(integers(first),
              sorted ? (Integers{1, 3, 0}) : (Integers{0, 1, 3}));
    EXPECT_EQ(integers(inverse),
              sorted ? (Integers{2, 0, 2, 1, 0}) : (Integers{0, 1, 0, 2, 1}));
    EXPECT_EQ(integers(counts),
              sorted ? (Integers{2, 1, 2}) : (Integers{2, 2, 1}));
  }
}

TEST_F(Selection, UniqueColumnsOfTexts) {
  std::vector<const char *> x{"b", "a", "b", "x", "y", "x"};
  onnxc_tensor in = tensor(ONNXC_STRING, {2, 3}, x);
  onnxc_tensor y = unknown(ONNXC_STRING, 2), first = unknown(ONNXC_INT64, 1),
               inverse = first, counts = first;
  ASSERT_EQ(onnxc_rt_unique(&context.face, "", &in, 1, 1, &y, &first, &inverse,
                            &counts),
            ONNXC_OK);
  EXPECT_EQ(y.dims[0], 2);
  EXPECT_EQ(y.dims[1], 2);
  auto *data = static_cast<const char *const *>(y.data);
  EXPECT_EQ(std::vector<const char *>(data, data + 4),
            (std::vector<const char *>{x[1], x[0], x[4], x[3]}));
  EXPECT_EQ(integers(counts), (Integers{1, 2}));
}

/// Unique of rows: each is compared with all before it.
template <typename T>
void checkRows(onnxc_rt_context &context, int32_t dtype, int64_t width,
               std::vector<T> &x, bool sorted) {
  const int64_t count = int64_t(x.size()) / width;
  onnxc_tensor in = {}, y = {}, first = {};
  in.data = x.data();
  in.dtype = y.dtype = dtype;
  in.rank = y.rank = 2;
  in.dims[0] = count;
  in.dims[1] = width;
  first.dtype = ONNXC_INT64;
  first.rank = 1;
  onnxc_tensor inverse = first, counts = first;
  ASSERT_EQ(onnxc_rt_unique(&context.face, "", &in, 0, sorted, &y, &first,
                            &inverse, &counts),
            ONNXC_OK);
  auto row = [&](int64_t i) {
    std::vector<uint64_t> keys;
    for (int64_t j = 0; j < width; ++j)
      keys.push_back(onnxc_rt_order_key(x.data(), dtype, i * width + j));
    return keys;
  };
  // By what groups are numbered: the row, or the index of the first one.
  std::map<std::vector<uint64_t>, Integers> rows;
  for (int64_t i = 0; i < count; ++i)
    rows[row(i)].push_back(i);
  std::vector<Integers> groups;
  for (auto &[keys, group] : rows)
    groups.push_back(group);
  if (!sorted)
    std::sort(groups.begin(), groups.end());
  ASSERT_EQ(y.dims[0], int64_t(groups.size()));
  for (size_t i = 0; i < groups.size(); ++i) {
    EXPECT_EQ(static_cast<int64_t *>(first.data)[i], groups[i].front());
    EXPECT_EQ(static_cast<int64_t *>(counts.data)[i],
              int64_t(groups[i].size()));
    EXPECT_EQ(std::memcmp(static_cast<T *>(y.data) + int64_t(i) * width,
                          &x[groups[i].front() * width], width * sizeof(T)),
              0);
    for (int64_t item : groups[i])
      EXPECT_EQ(static_cast<int64_t *>(inverse.data)[item], int64_t(i));
  }
}

TEST_F(Selection, UniqueOfManyRows) {
  std::mt19937 random(1);
  const float specials[] = {0.0f, -0.0f, NAN, -NAN, INFINITY, -INFINITY, -1};
  for (int64_t width : {1, 3}) {
    for (int64_t count : {1, 20, 300, 5000}) {
      std::vector<float> floats;
      std::vector<int64_t> narrow, wide, halves;
      std::vector<uint8_t> bytes;
      for (int64_t i = 0; i < count * width; ++i) {
        floats.push_back(random() % 4 ? float(random() % 50)
                                      : specials[random() % 7]);
        narrow.push_back(int64_t(random() % 90) - 40);
        // Equal in the low halves, or in the high ones.
        halves.push_back(int64_t(random() % 9) << 32 | random() % 9);
        wide.push_back(random() % 2 ? INT64_MIN + int64_t(random() % 9)
                                    : INT64_MAX - int64_t(random() % 9));
        bytes.push_back(uint8_t(random() % 5));
      }
      for (bool sorted : {true, false}) {
        checkRows(context, ONNXC_FLOAT, width, floats, sorted);
        checkRows(context, ONNXC_INT64, width, narrow, sorted);
        checkRows(context, ONNXC_INT64, width, halves, sorted);
        checkRows(context, ONNXC_INT64, width, wide, sorted);
        checkRows(context, ONNXC_UINT8, width, bytes, sorted);
      }
    }
  }
}

TEST_F(Selection, UniqueOfComplexNumbers) {
  std::vector<float> x{1, 2, 1, 1, 0, 9, 1, 2, -0.0f, 9};
  onnxc_tensor in = tensor(ONNXC_COMPLEX64, {5}, x),
               y = unknown(ONNXC_COMPLEX64, 1), first = unknown(ONNXC_INT64, 1),
               inverse = first, counts = first;
  ASSERT_EQ(onnxc_rt_unique(&context.face, "", &in, -1, 1, &y, &first, &inverse,
                            &counts),
            ONNXC_OK);
  EXPECT_EQ(integers(first), (Integers{2, 1, 0}));
  EXPECT_EQ(integers(inverse), (Integers{2, 1, 0, 2, 0}));
  auto *data = static_cast<const float *>(y.data);
  EXPECT_EQ(std::vector<float>(data, data + 6),
            (std::vector<float>{0, 9, 1, 1, 1, 2}));
}

TEST_F(Selection, BoxesSuppressThoseThatOverlapMore) {
  // The second box is most of the first; the third is elsewhere, and flipped.
  std::vector<float> boxes{0, 0, 1, 1, 0, 0.1f, 1, 1.1f, 6, 6, 5, 5},
      scores{0.5f, 0.9f, 0.7f};
  onnxc_tensor b = tensor(ONNXC_FLOAT, {1, 3, 4}, boxes);
  onnxc_tensor s = tensor(ONNXC_FLOAT, {1, 1, 3}, scores);
  auto select = [&](int64_t limit, float iou, float least) {
    onnxc_tensor made = unknown(ONNXC_INT64, 2);
    EXPECT_EQ(onnxc_rt_suppress_boxes(&context.face, "", &b, &s, limit, iou,
                                      least, least > 0, 0, &made),
              ONNXC_OK);
    return integers(made);
  };
  EXPECT_EQ(select(9, 0.5f, 0), (Integers{0, 0, 1, 0, 0, 2}));
  EXPECT_EQ(select(9, 0.9f, 0), (Integers{0, 0, 1, 0, 0, 2, 0, 0, 0}));
  EXPECT_EQ(select(1, 0.9f, 0), (Integers{0, 0, 1}));
  EXPECT_EQ(select(9, 0.9f, 0.7f), (Integers{0, 0, 1}));
  EXPECT_EQ(select(-1, 0.9f, 0), Integers{});
}

TEST_F(Selection, DeterminantsWithPivotsAndWithout) {
  std::vector<double> x{0, 2, 3, 4, 1, 2, 2, 4}, result(2), one(1);
  std::vector<double> none;
  onnxc_tensor in = tensor(ONNXC_DOUBLE, {2, 2, 2}, x);
  onnxc_tensor y = tensor(ONNXC_DOUBLE, {2}, result);
  ASSERT_EQ(onnxc_rt_determinant(&context.face, "", &in, &y), ONNXC_OK);
  EXPECT_EQ(result, (std::vector<double>{-6, 0}));
  // Of a matrix without rows it is 1.
  in = tensor(ONNXC_DOUBLE, {0, 0}, none);
  y = tensor(ONNXC_DOUBLE, {}, one);
  ASSERT_EQ(onnxc_rt_determinant(&context.face, "", &in, &y), ONNXC_OK);
  EXPECT_EQ(one[0], 1);
}

} // namespace
