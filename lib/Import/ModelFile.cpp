//===- ModelFile.cpp - An opened and parsed model file --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelFile.h"

#include "TextParser.h"

#include <google/protobuf/io/coded_stream.h>

using namespace llvm;
using namespace onnxc;

/// What a file is that people take for a model; null if it may be one.
static const char *recognizeOtherFile(StringRef text) {
  if (text.empty())
    return "the file is empty";
  if (text.starts_with("version https://git-lfs"))
    return "the file is a git-lfs pointer, not the model itself; run `git lfs "
           "pull`";
  StringRef trimmed = text.take_front(256).ltrim();
  if (trimmed.starts_with_insensitive("<!doctype html") ||
      trimmed.starts_with_insensitive("<html"))
    return "the file is an HTML page, not a model; the download went wrong";
  if (trimmed.starts_with("{") && text.take_front(256).contains('"'))
    return "the file is text (JSON), a binary ONNX model was expected";
  if (text.starts_with("PK\x03\x04"))
    return "the file is a zip archive; a binary ONNX model was expected";
  if (text.starts_with("\x1f\x8b"))
    return "the file is gzip-compressed; a binary ONNX model was expected";
  return nullptr;
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
  if (const char *what = recognizeOtherFile(text)) {
    error(what);
    return failure();
  }
  if (isModelText(path, text)) {
    auto file = std::make_unique<ModelFile>(ModelFile{
        mapping, SlimModel().payloads, {}, ExternalFiles(path, realPath)});
    if (failed(parseModelText(text, maxDepth, file->proto, error)))
      return failure();
    return file;
  }
  FailureOr<SlimModel> slim =
      takeOutPayloads(ArrayRef<char>(text.data(), text.size()), error);
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
      !stream.ConsumedEntireMessage()) {
    error("the file is no ONNX model: its protobuf is malformed, cut off, or "
          "nested more than " +
          Twine(maxDepth) + " subgraphs deep");
    return failure();
  }
  return file;
}
