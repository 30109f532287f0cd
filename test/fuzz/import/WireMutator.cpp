//===- WireMutator.cpp - Mutations of protobuf's fields -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No schema is needed: a length-delimited field is a message if its bytes read
// as one, which tells text and weights apart well enough.
//
//===----------------------------------------------------------------------===//

#include "WireMutator.h"

#include <cstring>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {
enum WireType : unsigned { Varint = 0, Fixed64 = 1, Length = 2, Fixed32 = 5 };

/// ONNX has no greater field numbers.
constexpr uint64_t maxFieldNumber = 64;
constexpr int maxDepth = 64;

struct Field {
  unsigned number = 0;
  unsigned wireType = Varint;
  uint64_t varint = 0;
  /// Of fixed size, or length-delimited and no message.
  std::string bytes;
  std::vector<Field> fields;
  bool isMessage = false;
};

/// What reads from a string, as long as there is something.
struct Reader {
  const char *position, *end;

  std::optional<uint64_t> readVarint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && position != end; shift += 7) {
      uint8_t byte = static_cast<uint8_t>(*position++);
      value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return value;
    }
    return std::nullopt;
  }

  std::optional<std::string> readBytes(uint64_t size) {
    if (size > static_cast<uint64_t>(end - position))
      return std::nullopt;
    std::string bytes(position, static_cast<size_t>(size));
    position += size;
    return bytes;
  }
};

std::optional<std::vector<Field>> parse(const std::string &bytes, int depth) {
  if (depth > maxDepth)
    return std::nullopt;
  std::vector<Field> fields;
  Reader reader{bytes.data(), bytes.data() + bytes.size()};
  while (reader.position != reader.end) {
    std::optional<uint64_t> tag = reader.readVarint();
    if (!tag || *tag >> 3 == 0 || *tag >> 3 > maxFieldNumber)
      return std::nullopt;
    Field field;
    field.number = static_cast<unsigned>(*tag >> 3);
    field.wireType = *tag & 7;
    std::optional<std::string> payload;
    if (field.wireType == Varint) {
      std::optional<uint64_t> value = reader.readVarint();
      if (!value)
        return std::nullopt;
      field.varint = *value;
    } else if (field.wireType == Length) {
      std::optional<uint64_t> size = reader.readVarint();
      payload = size ? reader.readBytes(*size) : std::nullopt;
    } else if (field.wireType == Fixed64 || field.wireType == Fixed32) {
      payload = reader.readBytes(field.wireType == Fixed64 ? 8 : 4);
    }
    if (field.wireType != Varint) {
      if (!payload)
        return std::nullopt;
      field.bytes = std::move(*payload);
    }
    if (field.wireType == Length && !field.bytes.empty())
      if (auto inner = parse(field.bytes, depth + 1)) {
        field.fields = std::move(*inner);
        field.isMessage = true;
      }
    fields.push_back(std::move(field));
  }
  return fields;
}

void appendVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

std::string serialize(const std::vector<Field> &fields) {
  std::string out;
  for (const Field &field : fields) {
    appendVarint(out, uint64_t(field.number) << 3 | field.wireType);
    if (field.wireType == Varint) {
      appendVarint(out, field.varint);
      continue;
    }
    std::string payload =
        field.isMessage ? serialize(field.fields) : field.bytes;
    if (field.wireType == Length)
      appendVarint(out, payload.size());
    out += payload;
  }
  return out;
}

/// All lists of fields: of the message and of those within it.
void collect(std::vector<Field> &fields,
             std::vector<std::vector<Field> *> &lists) {
  if (!fields.empty())
    lists.push_back(&fields);
  for (Field &field : fields)
    if (field.isMessage)
      collect(field.fields, lists);
}

constexpr uint64_t interesting[] = {
    0,          1,          2,         3,          5,          7,
    8,          16,         32,        64,         127,        255,
    256,        1u << 16,   1u << 20,  1u << 31,   UINT32_MAX, 1ull << 32,
    1ull << 40, 1ull << 62, INT64_MAX, 1ull << 63, UINT64_MAX, UINT64_MAX - 1};

class Mutator {
public:
  explicit Mutator(unsigned seed) : random(seed) {}

  size_t below(size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random);
  }

  void changeValue(Field &field) {
    if (field.wireType == Varint) {
      field.varint = below(3) ? interesting[below(std::size(interesting))]
                              : field.varint + below(3) - 1;
      return;
    }
    if (field.isMessage) {
      field.fields.clear();
      return;
    }
    size_t size = field.bytes.size();
    size_t room = field.wireType == Length ? size + 16 : size;
    field.bytes.resize(room);
    size_t changed = LLVMFuzzerMutate(
        reinterpret_cast<uint8_t *>(field.bytes.data()), size, room);
    field.bytes.resize(field.wireType == Length ? changed : size);
  }

  void mutate(std::vector<Field> &root) {
    std::vector<std::vector<Field> *> lists;
    collect(root, lists);
    if (lists.empty())
      return;
    std::vector<Field> &fields = *lists[below(lists.size())];
    size_t at = below(fields.size());
    auto offset = [](size_t i) { return static_cast<std::ptrdiff_t>(i); };
    switch (below(8)) {
    case 0:
      fields.erase(fields.begin() + offset(at));
      return;
    case 1: {
      Field copy = fields[at];
      fields.insert(fields.begin() + offset(below(fields.size() + 1)),
                    std::move(copy));
      return;
    }
    case 2:
      std::swap(fields[at], fields[below(fields.size())]);
      return;
    case 3: {
      // A piece of somewhere else, where its number may mean another thing.
      const std::vector<Field> &from = *lists[below(lists.size())];
      Field copy = from[below(from.size())];
      fields.insert(fields.begin() + offset(at), std::move(copy));
      return;
    }
    case 4: {
      // What stands elsewhere under the same number, as names do.
      const std::vector<Field> &from = *lists[below(lists.size())];
      const Field &other = from[below(from.size())];
      if (other.wireType == fields[at].wireType) {
        Field copy = other;
        copy.number = fields[at].number;
        fields[at] = std::move(copy);
      }
      return;
    }
    case 5:
      fields[at].number = static_cast<unsigned>(1 + below(30));
      return;
    default:
      changeValue(fields[at]);
    }
  }

private:
  std::minstd_rand random;
};
} // namespace

size_t mutateFields(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  std::optional<std::vector<Field>> fields = parse(bytes, 0);
  if (!fields || fields->empty())
    return LLVMFuzzerMutate(data, size, maxSize);
  Mutator mutator(seed);
  for (size_t left = 1 + mutator.below(3); left; --left)
    mutator.mutate(*fields);
  std::string changed = serialize(*fields);
  if (changed.empty() || changed.size() > maxSize)
    return size;
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}
