//===- NpzTest.cpp - Reading and writing numpy's files --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Npz/Npz.h"
#include "onnxc/Npz/Zip.h"
#include "onnxc/runtime.h"

#include "gtest/gtest.h"

#include <cstring>
#include <zlib.h>

using namespace onnxc;

namespace {

std::string npy(const std::string &header, const std::string &data) {
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size());
  out += '\0';
  return out + header + data;
}

std::string header(const std::string &descr, const std::string &shape,
                   const char *fortranOrder = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortranOrder +
         ", 'shape': " + shape + ", }  \n";
}

Array parse(const std::string &bytes) {
  llvm::Expected<Array> array = parseNpy(bytes);
  if (!array) {
    ADD_FAILURE() << llvm::toString(array.takeError());
    return {};
  }
  return std::move(*array);
}

std::string parseError(const std::string &bytes) {
  llvm::Expected<Array> array = parseNpy(bytes);
  return array ? "" : llvm::toString(array.takeError());
}

template <typename T> std::vector<T> elements(const Array &array) {
  std::vector<T> result(array.data.size() / sizeof(T));
  std::memcpy(result.data(), array.data.data(), array.data.size());
  return result;
}

TEST(NpyTest, ReadsShapesAndTypes) {
  Array array = parse(npy(header("<i2", "(2, 3)"),
                          std::string("\1\0\2\0\3\0\4\0\5\0\6\0", 12)));
  EXPECT_EQ(array.dtype, ONNXC_INT16);
  EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(elements<int16_t>(array), (std::vector<int16_t>{1, 2, 3, 4, 5, 6}));

  Array scalar = parse(npy(header("|b1", "()"), "\1"));
  EXPECT_EQ(scalar.dtype, ONNXC_BOOL);
  EXPECT_EQ(scalar.size(), 1u);

  Array empty = parse(npy(header("<f4", "(0, 9223372036854775807)"), ""));
  EXPECT_EQ(empty.size(), 0u);
  EXPECT_EQ(parse(npy(header("<V2", "(1,)"), "ab")).dtype, ONNXC_UNDEFINED);
}

TEST(NpyTest, ColumnMajorAndBigEndian) {
  Array array = parse(npy(header(">i2", "(2, 3)", "True"),
                          std::string("\0\1\0\4\0\2\0\5\0\3\0\6", 12)));
  EXPECT_EQ(elements<int16_t>(array), (std::vector<int16_t>{1, 2, 3, 4, 5, 6}));
}

TEST(NpyTest, Strings) {
  Array array = parse(npy(header("<U2", "(2,)"),
                          std::string("a\0\0\0\0\0\0\0\xfc\0\0\0b\0\0\0", 16)));
  EXPECT_EQ(array.dtype, ONNXC_STRING);
  EXPECT_EQ(array.strings, (std::vector<std::string>{"a", "\u00fcb"}));
  EXPECT_EQ(parse(formatNpy(array)).strings, array.strings);
  EXPECT_EQ(parse(npy(header("|S3", "(1,)"), std::string("xy\0", 3))).strings,
            std::vector<std::string>{"xy"});
}

TEST(NpyTest, RefusesWhatItCannotRead) {
  EXPECT_NE(parseError("PK"), "");
  EXPECT_NE(parseError(npy("{'descr': '<f4'}", "")), "");
  // An order of bytes alone.
  EXPECT_NE(parseError(npy(header(">", "(2,)"), "")), "");
  EXPECT_NE(parseError(npy(header("<f4", "(2,)"), "1234567")), "");
  EXPECT_NE(parseError(npy(header("<f4", "(-1,)"), "1234567")), "");
  EXPECT_NE(parseError(npy(header("<f3", "(1,)"), "123")), "");
  EXPECT_NE(parseError(npy(header("<M8", "(1,)"), "12345678")), "");
  EXPECT_NE(parseError(npy(header("<f4", "(4611686018427387904, 4)"), "1234")),
            "");
  // As many elements cannot be counted, even if each has no bytes.
  EXPECT_NE(parseError(
                npy(header("<U0", "(4294967296, 4294967296, 4294967296)"), "")),
            "");
  EXPECT_NE(
      parseError(npy(header("|O", "(1,)"), "12345678")).find("Python objects"),
      std::string::npos);
  // Cut anywhere.
  std::string whole = npy(header("<f8", "(1, 2)"), std::string(16, 'x'));
  EXPECT_EQ(parseError(whole), "");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(parseError(whole.substr(0, size)), "") << size;
}

TEST(NpyTest, WritesWhatItReads) {
  for (int dtype = ONNXC_FLOAT; dtype <= ONNXC_INT2; ++dtype) {
    if (dtype == ONNXC_STRING)
      continue;
    Array array;
    array.dtype = dtype;
    array.itemSize = onnxc_dtype_size(dtype);
    array.shape = {3, 1};
    for (uint64_t i = 0; i < 3 * array.itemSize; ++i)
      array.data.push_back(static_cast<char>(i));
    Array back = parse(formatNpy(array));
    EXPECT_EQ(back.data, array.data) << onnxc_dtype_name(dtype);
    EXPECT_EQ(back.shape, array.shape);
    EXPECT_EQ(formatNpy(array).size() % 64, 3 * array.itemSize);
  }
}

TEST(ZipTest, RoundTrip) {
  ZipEntries entries = {{"a.npy", "some text"}, {"b/c.npy", ""}};
  llvm::Expected<std::string> packed = packZip(entries);
  ASSERT_TRUE(static_cast<bool>(packed));
  llvm::Expected<ZipEntries> back = unpackZip(*packed);
  ASSERT_TRUE(static_cast<bool>(back));
  EXPECT_EQ(*back, entries);
}

/// Turns the stored archive of one file into a deflated one.
std::string deflateArchive(const std::string &name, const std::string &text) {
  std::string packed = llvm::cantFail(packZip({{name, text}}));
  std::string content(text.size() + 100, '\0');
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
  stream.avail_in = text.size();
  stream.next_out = reinterpret_cast<Bytef *>(content.data());
  stream.avail_out = content.size();
  deflate(&stream, Z_FINISH);
  content.resize(content.size() - stream.avail_out);
  deflateEnd(&stream);
  size_t start = 30 + name.size();
  packed.replace(start, text.size(), content);
  size_t central = start + content.size();
  size_t end = central + 46 + name.size();
  for (size_t record : {size_t(8), central + 10})
    packed[record] = 8; // the method
  for (size_t size : {size_t(18), central + 20})
    packed[size] = static_cast<char>(content.size());
  packed[end + 16] = static_cast<char>(central);
  return packed;
}

TEST(ZipTest, Inflates) {
  std::string text = "abcabcabcabcabcabcabcabcabcabcabcabcabcabcabc";
  std::string packed = deflateArchive("x.npy", text);
  llvm::Expected<ZipEntries> entries = unpackZip(packed);
  ASSERT_TRUE(static_cast<bool>(entries))
      << llvm::toString(entries.takeError());
  EXPECT_EQ(*entries, (ZipEntries{{"x.npy", text}}));
}

TEST(ZipTest, SurvivesEveryCutAndEveryChangedByte) {
  std::string text = "abcabcabcabcabcabcabcabcabcabcabcabcabcabcabc";
  for (const std::string &archive : {llvm::cantFail(packZip({{"x.npy", text}})),
                                     deflateArchive("x.npy", text)}) {
    for (size_t size = 0; size < archive.size(); ++size) {
      llvm::Expected<ZipEntries> entries = unpackZip(archive.substr(0, size));
      EXPECT_FALSE(static_cast<bool>(entries)) << size;
      llvm::consumeError(entries.takeError());
    }
    for (size_t at = 0; at < archive.size(); ++at)
      for (int bit = 0; bit < 8; ++bit) {
        std::string changed = archive;
        changed[at] ^= 1 << bit;
        llvm::Expected<ZipEntries> entries = unpackZip(changed);
        // Names, dates and versions have no checksum; contents do.
        if (entries && !entries->empty()) {
          EXPECT_EQ(entries->front().second, text) << at;
        }
        llvm::consumeError(entries.takeError());
      }
  }
}

} // namespace
