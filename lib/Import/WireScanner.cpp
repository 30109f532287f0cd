//===- WireScanner.cpp - A model file without its weights -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Import/WireScanner.h"

#include "llvm/ADT/SmallVector.h"
#include <optional>

using namespace llvm;
using namespace onnxc;

namespace {

/// The messages that can hold a tensor, directly or further down.
enum class Message {
  None,
  Model,
  Training,
  Function,
  Graph,
  Node,
  Attribute,
  Sparse,
  Tensor
};

/// What the length-delimited field `number` of `message` is, by onnx-ml.proto.
Message getFieldMessage(Message message, uint64_t number) {
  switch (message) {
  case Message::Model:
    return number == 7    ? Message::Graph
           : number == 20 ? Message::Training
           : number == 25 ? Message::Function
                          : Message::None;
  case Message::Training:
    return number == 1 || number == 2 ? Message::Graph : Message::None;
  case Message::Function:
    return number == 7    ? Message::Node
           : number == 11 ? Message::Attribute
                          : Message::None;
  case Message::Graph:
    return number == 1    ? Message::Node
           : number == 5  ? Message::Tensor
           : number == 15 ? Message::Sparse
                          : Message::None;
  case Message::Node:
    return number == 5 ? Message::Attribute : Message::None;
  case Message::Attribute:
    return number == 5 || number == 10    ? Message::Tensor
           : number == 6 || number == 11  ? Message::Graph
           : number == 22 || number == 23 ? Message::Sparse
                                          : Message::None;
  case Message::Sparse:
    return number == 1 || number == 2 ? Message::Tensor : Message::None;
  case Message::Tensor:
  case Message::None:
    break;
  }
  return Message::None;
}

/// Whether field `number` of TensorProto holds elements.
bool isTensorData(uint64_t number) {
  return (number >= 4 && number <= 7) || (number >= 9 && number <= 11);
}

enum WireType { Varint = 0, Fixed64 = 1, Length = 2, Fixed32 = 5 };

class Scanner {
public:
  Scanner(ArrayRef<char> file, function_ref<void(const Twine &)> error)
      : file(file), error(error) {}

  FailureOr<SlimModel> run();

private:
  /// A message that is being copied.
  struct Frame {
    Message message;
    uint64_t end;
    /// Where its length stands in the output.
    size_t lengthAt;
    bool tookPayload = false;
    bool keptData = false;
  };

  LogicalResult scanField();
  void takePayload(uint64_t number, uint64_t length);
  LogicalResult close();

  std::optional<uint64_t> readVarint(uint64_t end);
  /// Copies [from, to) of the file.
  void copy(uint64_t from, uint64_t to) {
    slim.bytes.append(file.data() + from, to - from);
  }

  LogicalResult fail(const Twine &message) {
    error("malformed protobuf at byte " + Twine(position) + ": " + message);
    return failure();
  }

  /// Lengths of copied messages are known when their end is reached; a varint
  /// of fixed size keeps their place. 5 bytes hold 35 bits.
  static constexpr unsigned lengthBytes = 5;
  static constexpr uint64_t maxSlimBytes = 0x7fffffff;
  static constexpr uint64_t maxDepth = 4096;

  ArrayRef<char> file;
  function_ref<void(const Twine &)> error;
  uint64_t position = 0;
  SmallVector<Frame, 16> stack;
  SlimModel slim;
};

} // namespace

std::optional<uint64_t> Scanner::readVarint(uint64_t end) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (position >= end)
      return std::nullopt;
    uint64_t byte = static_cast<unsigned char>(file[position++]);
    // The tenth byte holds the topmost bit only; protobuf drops the others.
    value |= (byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
  return std::nullopt;
}

static void writeVarint(std::string &bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
}

/// Replaces the payload at the current position by its range in the file.
void Scanner::takePayload(uint64_t number, uint64_t length) {
  stack.back().tookPayload = true;
  slim.payloads[position] = {static_cast<Payload::Field>(number),
                             file.slice(position, length)};
  std::string segment;
  writeVarint(segment, 1 << 3 | Varint); // begin
  writeVarint(segment, position);
  writeVarint(segment, 2 << 3 | Varint); // end
  writeVarint(segment, position + length);
  writeVarint(slim.bytes, 3 << 3 | Length); // TensorProto.segment
  writeVarint(slim.bytes, segment.size());
  slim.bytes += segment;
  position += length;
}

LogicalResult Scanner::scanField() {
  Frame &frame = stack.back();
  const uint64_t start = position;
  std::optional<uint64_t> tag = readVarint(frame.end);
  if (!tag)
    return fail("the tag of a field is cut off");
  uint64_t number = *tag >> 3;
  if (number == 0 || number > 0x1fffffff)
    return fail("a field has the number " + Twine(number));

  uint64_t size = 0;
  switch (*tag & 7) {
  case Varint:
    if (!readVarint(frame.end))
      return fail("a number is cut off");
    break;
  case Fixed64:
    size = 8;
    break;
  case Fixed32:
    size = 4;
    break;
  case Length: {
    std::optional<uint64_t> length = readVarint(frame.end);
    if (!length)
      return fail("the length of a field is cut off");
    size = *length;
    break;
  }
  default:
    return fail("a field has the wire type " + Twine(*tag & 7));
  }
  if (size > frame.end - position)
    return fail("a field of " + Twine(size) + " bytes, where " +
                Twine(frame.end - position) + " are left");

  if ((*tag & 7) == Length && size >= minMappedPayload) {
    if (frame.message == Message::Tensor &&
        (number == Payload::RawData || number == Payload::FloatData ||
         number == Payload::DoubleData)) {
      if (frame.tookPayload)
        return fail("the data of a tensor is given twice");
      takePayload(number, size);
      return success();
    }
    Message inner = getFieldMessage(frame.message, number);
    if (inner != Message::None) {
      if (stack.size() >= maxDepth)
        return fail("messages are nested more than " + Twine(maxDepth) +
                    " deep");
      writeVarint(slim.bytes, *tag);
      Frame next{inner, position + size, slim.bytes.size()};
      slim.bytes.append(lengthBytes, '\0');
      stack.push_back(next);
      return success();
    }
  }
  if (frame.message == Message::Tensor && isTensorData(number))
    frame.keptData = true;
  position += size;
  copy(start, position);
  if (slim.bytes.size() > maxSlimBytes)
    return fail("more than 2 GiB without the weights");
  return success();
}

LogicalResult Scanner::close() {
  Frame frame = stack.pop_back_val();
  if (frame.tookPayload && frame.keptData)
    return fail("the data of a tensor is given in several pieces");
  if (stack.empty())
    return success();
  uint64_t length = slim.bytes.size() - frame.lengthAt - lengthBytes;
  for (unsigned i = 0; i < lengthBytes; ++i, length >>= 7)
    slim.bytes[frame.lengthAt + i] =
        static_cast<char>((length & 0x7f) | (i + 1 < lengthBytes ? 0x80 : 0));
  return success();
}

FailureOr<SlimModel> Scanner::run() {
  stack.push_back({Message::Model, file.size(), 0});
  while (!stack.empty()) {
    LogicalResult step = position < stack.back().end ? scanField() : close();
    if (failed(step))
      return failure();
  }
  return std::move(slim);
}

FailureOr<SlimModel>
onnxc::takeOutPayloads(ArrayRef<char> file,
                       function_ref<void(const Twine &)> error) {
  return Scanner(file, error).run();
}
