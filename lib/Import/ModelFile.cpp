//===- ModelFile.cpp - An opened and parsed model file --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelFile.h"

#include "TextParser.h"

#include "llvm/ADT/StringExtras.h"

#include <google/protobuf/io/coded_stream.h>

using namespace llvm;
using namespace onnxc;

namespace {
/// The first bytes, from `offset` on, of files that people take for models.
struct Signature {
  StringLiteral bytes;
  StringLiteral what;
  size_t offset = 0;
};
} // namespace

static constexpr Signature signatures[] = {
    {"PK\x03\x04", "a zip archive"},
    {"\x1f\x8b", "gzip-compressed"},
    {"BZh", "bzip2-compressed"},
    {StringLiteral::withInnerNUL("\xfd"
                                 "7zXZ\0"),
     "xz-compressed"},
    {"\x28\xb5\x2f\xfd", "zstd-compressed"},
    {"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"},
    {"ustar", "a tar archive", 257},
    {"\x93NUMPY", "a NumPy array"},
    {"\x89HDF\r\n\x1a\n", "an HDF5 file (Keras?)"},
    {"GGUF", "a GGUF model"},
    {"TFL3", "a TensorFlow Lite model", 4},
    {"ORTM", "a model in ONNX Runtime's own ORT format", 4},
    {"{\"", "a safetensors file, weights without a graph", 8},
    {"\x7f"
     "ELF",
     "an ELF file (a program or library)"},
    {"\x89PNG\r\n", "an image (PNG)"},
    {"\xff\xd8\xff", "an image (JPEG)"},
    {"%PDF-", "a PDF document"},
    {"ML\xefR", "MLIR bytecode, which is read if its name ends in .mlirbc"},
};

static constexpr StringLiteral lfsPointer = "version https://git-lfs";

/// Protocol 2 and newer: a marker, and the version.
static bool isPickle(StringRef text) {
  return text.size() > 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5;
}

static bool isText(StringRef text) {
  return llvm::all_of(text.take_front(64), [](char c) {
    return isPrint(c) || c == '\n' || c == '\r' || c == '\t';
  });
}

/// What a file that is not a model is more likely; empty if that is unknown.
/// Only asked of what could not be read: a model may begin with anything.
static std::string recognizeOtherFile(StringRef text) {
  if (text.empty())
    return "the file is empty";
  if (text.starts_with(lfsPointer))
    return "the file is a git-lfs pointer, not the model itself; run `git lfs "
           "pull`";
  StringRef start = text.take_front(256);
  start.consume_front("\xef\xbb\xbf");
  StringRef trimmed = start.ltrim();
  if (trimmed.starts_with_insensitive("<!doctype html") ||
      trimmed.starts_with_insensitive("<html"))
    return "the file is an HTML page, not a model; the download went wrong";
  auto describe = [](const Twine &what) {
    return ("the file is " + what + "; expected a binary ONNX model").str();
  };
  if (trimmed.starts_with("<?xml"))
    return describe("XML");
  if ((trimmed.starts_with("{") || trimmed.starts_with("[")) &&
      start.contains('"'))
    return describe("text (JSON)");
  // What PyTorch and NumPy write is zip archives as well.
  if (text.starts_with("PK\x03\x04")) {
    StringRef name =
        text.take_front(128).drop_front(std::min<size_t>(text.size(), 30));
    if (name.contains("data.pkl") || name.contains("/version"))
      return describe("a zip archive (a PyTorch checkpoint or program)");
    if (name.contains(".npy"))
      return describe("a zip archive (NumPy's .npz)");
  }
  for (const Signature &signature : signatures)
    if (text.substr(signature.offset).starts_with(signature.bytes))
      return describe(signature.what);
  if (isPickle(text))
    return describe("a Python pickle (a PyTorch checkpoint or scikit-learn "
                    "model?)");
  if (isText(text))
    return describe("text");
  return "";
}

FailureOr<std::unique_ptr<ModelFile>>
onnxc::openModelFile(StringRef path, unsigned maxDepth, ErrorSink error) {
  std::string realPath;
  FailureOr<MappedFile> mapping =
      mapRegularFile(path.str(), &realPath, [&](const Twine &message) {
        error("the model " + message);
      });
  if (failed(mapping))
    return failure();
  return parseModelFile(*mapping, path, realPath, maxDepth, error);
}

FailureOr<std::unique_ptr<ModelFile>>
onnxc::parseModelFile(MappedFile mapping, StringRef path, StringRef realPath,
                      unsigned maxDepth, ErrorSink error) {
  StringRef text = mapping->getBuffer();
  auto fail = [&](const Twine &message) {
    std::string other = recognizeOtherFile(text);
    error(other.empty() ? message : other);
    return failure();
  };
  if (text.empty() || text.starts_with(lfsPointer))
    return fail("");
  if (isModelText(path, text)) {
    auto file = std::make_unique<ModelFile>(ModelFile{
        mapping, SlimModel().payloads, {}, ExternalFiles(path, realPath)});
    if (failed(parseModelText(text, maxDepth, file->proto, error)))
      return failure();
    return file;
  }
  FailureOr<SlimModel> slim =
      takeOutPayloads(ArrayRef<char>(text.data(), text.size()),
                      [&](const Twine &message) { (void)fail(message); });
  if (failed(slim))
    return failure();

  auto file = std::make_unique<ModelFile>(ModelFile{
      mapping, std::move(slim->payloads), {}, ExternalFiles(path, realPath)});
  namespace io = google::protobuf::io;
  io::CodedInputStream stream(
      reinterpret_cast<const uint8_t *>(slim->bytes.data()),
      static_cast<int>(slim->bytes.size()));
  // A subgraph is three messages deeper than its node (node, attribute, graph);
  // the rest are types and tensors.
  stream.SetRecursionLimit(static_cast<int>(3 * maxDepth + 64));
  if (!file->proto.ParseFromCodedStream(&stream) ||
      !stream.ConsumedEntireMessage())
    return fail("not an ONNX model: its protobuf is malformed, cut "
                "off, or nested more than " +
                Twine(maxDepth) + " subgraphs deep");
  return file;
}
