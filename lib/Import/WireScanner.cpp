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

/// TensorProto.segment, in which the scanner tells where a payload lies.
constexpr uint64_t segmentField = 3;

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

/// Whether the field holds one message, whose occurrences protobuf merges, and
/// that message is or has a tensor of its own.
bool isSingleTensor(Message message, uint64_t number) {
  return (message == Message::Sparse && (number == 1 || number == 2)) ||
         (message == Message::Attribute && (number == 5 || number == 22));
}

enum WireType {
  Varint = 0,
  Fixed64 = 1,
  Length = 2,
  GroupStart = 3,
  GroupEnd = 4,
  Fixed32 = 5
};

class Scanner {
public:
  /// Takes nothing out if `isWhole`.
  Scanner(ArrayRef<char> file, function_ref<void(const Twine &)> error,
          bool isWhole)
      : file(file), error(error), isWhole(isWhole) {}

  FailureOr<SlimModel> run();

  /// Whether `run` failed since elements stand in several pieces, which only
  /// protobuf puts together.
  bool hasPieces() const { return foundPieces; }

private:
  /// A message that is being copied.
  struct Frame {
    Message message;
    uint64_t end;
    /// Where its length stands in the output.
    size_t lengthAt;
    bool tookPayload = false;
    bool keptData = false;
    /// Numbers of the single tensors seen, as bits.
    uint32_t singles = 0;
  };

  LogicalResult scanField();
  void takePayload(uint64_t number, uint64_t length);
  LogicalResult close();

  std::optional<uint64_t> readVarint(uint64_t end);
  LogicalResult skipValue(uint64_t wireType, uint64_t end);
  LogicalResult skipGroup(uint64_t end);
  LogicalResult checkSize(uint64_t size, uint64_t end);
  LogicalResult copyField(uint64_t number, uint64_t start);

  LogicalResult failByPieces() {
    foundPieces = true;
    return failure();
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
  bool isWhole = false;
  bool foundPieces = false;
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
  writeVarint(slim.bytes, segmentField << 3 | Length);
  writeVarint(slim.bytes, segment.size());
  slim.bytes += segment;
  position += length;
}

LogicalResult Scanner::checkSize(uint64_t size, uint64_t end) {
  if (size <= end - position)
    return success();
  return fail("a field of " + Twine(size) + " bytes, where " +
              Twine(end - position) + " are left");
}

/// Goes behind a value that is not a message to look into.
LogicalResult Scanner::skipValue(uint64_t wireType, uint64_t end) {
  uint64_t size = 0;
  switch (wireType) {
  case Varint:
    if (!readVarint(end))
      return fail("a number is cut off");
    return success();
  case Fixed64:
    size = 8;
    break;
  case Fixed32:
    size = 4;
    break;
  case Length: {
    std::optional<uint64_t> length = readVarint(end);
    if (!length)
      return fail("the length of a field is cut off");
    size = *length;
    break;
  }
  case GroupStart:
    return skipGroup(end);
  default:
    return fail("a field has the wire type " + Twine(wireType));
  }
  if (failed(checkSize(size, end)))
    return failure();
  position += size;
  return success();
}

/// Groups are an old form of messages, which ONNX does not use: one is of a
/// field that is not known. Whether its ends match, protobuf sees.
LogicalResult Scanner::skipGroup(uint64_t end) {
  for (uint64_t depth = 1; depth;) {
    std::optional<uint64_t> tag = readVarint(end);
    if (!tag)
      return fail("a group is cut off");
    uint64_t wireType = *tag & 7;
    if (wireType == GroupStart)
      ++depth;
    else if (wireType == GroupEnd)
      --depth;
    else if (failed(skipValue(wireType, end)))
      return failure();
  }
  return success();
}

/// Copies the field from `start` to where we are.
LogicalResult Scanner::copyField(uint64_t number, uint64_t start) {
  Frame &frame = stack.back();
  if (frame.message == Message::Tensor && isTensorData(number))
    frame.keptData = true;
  slim.bytes.append(file.data() + start, position - start);
  if (slim.bytes.size() > maxSlimBytes)
    return fail("more than 2 GiB without the weights");
  return success();
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

  const uint64_t wireType = *tag & 7;
  if (wireType != Length) {
    if (failed(skipValue(wireType, frame.end)))
      return failure();
    return copyField(number, start);
  }
  std::optional<uint64_t> length = readVarint(frame.end);
  if (!length)
    return fail("the length of a field is cut off");
  const uint64_t size = *length;
  if (failed(checkSize(size, frame.end)))
    return failure();

  // The mark of a payload must not be mistaken for what the file itself has.
  if (!isWhole && frame.message == Message::Tensor && number == segmentField &&
      size)
    return failByPieces();
  if (!isWhole && isSingleTensor(frame.message, number)) {
    uint32_t bit = 1u << number;
    if (frame.singles & bit)
      return failByPieces();
    frame.singles |= bit;
  }
  if (!isWhole && size >= minMappedPayload) {
    if (frame.message == Message::Tensor &&
        (number == Payload::RawData || number == Payload::FloatData ||
         number == Payload::DoubleData)) {
      if (frame.tookPayload)
        return failByPieces();
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
  position += size;
  return copyField(number, start);
}

LogicalResult Scanner::close() {
  Frame frame = stack.pop_back_val();
  if (frame.tookPayload && frame.keptData)
    return failByPieces();
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
  Scanner scanner(file, error, /*isWhole=*/false);
  FailureOr<SlimModel> slim = scanner.run();
  if (succeeded(slim) || !scanner.hasPieces())
    return slim;
  return Scanner(file, error, /*isWhole=*/true).run();
}
