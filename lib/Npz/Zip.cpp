//===- Zip.cpp - The container of .npz files ------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Npz/Zip.h"

#include "llvm/Support/Endian.h"

#include <limits>
#include <zlib.h>

using namespace llvm;
using namespace onnxc;

namespace {
namespace le = llvm::support::endian;

// Signatures and sizes of the records, PKWARE's APPNOTE 4.3.
constexpr uint32_t localSignature = 0x04034b50;
constexpr uint32_t centralSignature = 0x02014b50;
constexpr uint32_t endSignature = 0x06054b50;
constexpr uint32_t end64Signature = 0x06064b50;
constexpr uint32_t locator64Signature = 0x07064b50;
constexpr size_t localSize = 30, centralSize = 46, endSize = 22,
                 locator64Size = 20;

/// One file as the central directory tells.
struct Entry {
  std::string name;
  uint16_t flags, method;
  uint32_t crc;
  uint64_t packedSize, size, offset;
};

/// Reads little-endian numbers inside a range; out of it, sets a flag.
class Reader {
public:
  explicit Reader(StringRef bytes) : bytes(bytes) {}

  template <typename T> T read(uint64_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
      bad = true;
      return 0;
    }
    return le::read<T, llvm::endianness::little>(bytes.data() + offset);
  }
  StringRef slice(uint64_t offset, uint64_t size) {
    if (offset > bytes.size() || bytes.size() - offset < size) {
      bad = true;
      return "";
    }
    return bytes.substr(offset, size);
  }
  bool bad = false;

private:
  StringRef bytes;
};

Error damaged(const Twine &what) {
  return createStringError("not a readable zip archive: " + what);
}

/// The last record, searched from the end: a comment may follow it.
std::optional<uint64_t> findEnd(StringRef bytes) {
  if (bytes.size() < endSize)
    return std::nullopt;
  uint64_t last = bytes.size() - endSize;
  uint64_t first = last > 0xffff ? last - 0xffff : 0;
  for (uint64_t at = last + 1; at-- > first;)
    if (le::read32le(bytes.data() + at) == endSignature &&
        le::read16le(bytes.data() + at + 20) <= last - at)
      return at;
  return std::nullopt;
}

/// Replaces what did not fit 32 bits by the numbers of the ZIP64 extra field,
/// which has them in this order.
bool readZip64Extra(StringRef extra, Entry &entry) {
  Reader reader(extra);
  uint64_t at = 0;
  while (at + 4 <= extra.size()) {
    uint16_t id = reader.read<uint16_t>(at);
    uint16_t size = reader.read<uint16_t>(at + 2);
    if (id == 1) {
      Reader field(reader.slice(at + 4, size));
      uint64_t next = 0;
      for (uint64_t *number : {&entry.size, &entry.packedSize, &entry.offset})
        if (*number == 0xffffffff) {
          *number = field.read<uint64_t>(next);
          next += 8;
        }
      return !reader.bad && !field.bad;
    }
    at += 4 + size;
  }
  return !reader.bad;
}

Expected<std::vector<Entry>> readDirectory(StringRef bytes) {
  std::optional<uint64_t> end = findEnd(bytes);
  if (!end)
    return damaged("it has no directory");
  Reader reader(bytes);
  uint64_t count = reader.read<uint16_t>(*end + 10);
  uint64_t at = reader.read<uint32_t>(*end + 16);
  if (*end >= locator64Size &&
      reader.read<uint32_t>(*end - locator64Size) == locator64Signature) {
    uint64_t end64 = reader.read<uint64_t>(*end - locator64Size + 8);
    if (reader.read<uint32_t>(end64) != end64Signature)
      return damaged("the ZIP64 directory is missing");
    count = reader.read<uint64_t>(end64 + 32);
    at = reader.read<uint64_t>(end64 + 48);
  }
  std::vector<Entry> entries;
  for (uint64_t i = 0; i < count; ++i) {
    if (reader.read<uint32_t>(at) != centralSignature)
      return damaged("the directory is cut short");
    Entry entry;
    entry.flags = reader.read<uint16_t>(at + 8);
    entry.method = reader.read<uint16_t>(at + 10);
    entry.crc = reader.read<uint32_t>(at + 16);
    entry.packedSize = reader.read<uint32_t>(at + 20);
    entry.size = reader.read<uint32_t>(at + 24);
    uint16_t nameSize = reader.read<uint16_t>(at + 28);
    uint16_t extraSize = reader.read<uint16_t>(at + 30);
    uint16_t commentSize = reader.read<uint16_t>(at + 32);
    entry.offset = reader.read<uint32_t>(at + 42);
    entry.name = reader.slice(at + centralSize, nameSize).str();
    if (!readZip64Extra(reader.slice(at + centralSize + nameSize, extraSize),
                        entry) ||
        reader.bad)
      return damaged("the directory is cut short");
    at += centralSize + nameSize + extraSize + commentSize;
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// Inflates `packed`, which must give exactly `size` bytes.
bool inflateTo(StringRef packed, std::string &out, uint64_t size) {
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return false;
  out.resize(size);
  int status = Z_OK;
  uint64_t read = 0, written = 0;
  constexpr uint64_t most = std::numeric_limits<uInt>::max();
  while (status == Z_OK) {
    stream.next_in =
        reinterpret_cast<Bytef *>(const_cast<char *>(packed.data() + read));
    stream.avail_in = std::min<uint64_t>(packed.size() - read, most);
    stream.next_out = reinterpret_cast<Bytef *>(out.data() + written);
    stream.avail_out = std::min<uint64_t>(size - written, most);
    uInt readBefore = stream.avail_in, writtenBefore = stream.avail_out;
    status = inflate(&stream, Z_NO_FLUSH);
    read += readBefore - stream.avail_in;
    written += writtenBefore - stream.avail_out;
    if (readBefore == stream.avail_in && writtenBefore == stream.avail_out)
      break; // more output than said, or the input ends early
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && written == size;
}

uint32_t checksum(StringRef bytes) {
  return crc32_z(crc32(0, nullptr, 0),
                 reinterpret_cast<const Bytef *>(bytes.data()), bytes.size());
}

} // namespace

Expected<ZipEntries> onnxc::unpackZip(StringRef bytes) {
  Expected<std::vector<Entry>> directory = readDirectory(bytes);
  if (!directory)
    return directory.takeError();
  ZipEntries entries;
  for (const Entry &entry : *directory) {
    Reader reader(bytes);
    if (reader.read<uint32_t>(entry.offset) != localSignature)
      return damaged("'" + entry.name + "' is not where the directory says");
    uint64_t start = entry.offset + localSize +
                     reader.read<uint16_t>(entry.offset + 26) +
                     reader.read<uint16_t>(entry.offset + 28);
    StringRef packed = reader.slice(start, entry.packedSize);
    if (reader.bad)
      return damaged("'" + entry.name + "' is cut short");
    if (entry.flags & 1)
      return createStringError("'" + entry.name + "' is encrypted");
    std::string content;
    if (entry.method == 0) {
      if (entry.size != entry.packedSize)
        return damaged("the sizes of '" + entry.name + "' contradict");
      content = packed.str();
    } else if (entry.method == 8) {
      // Deflate cannot do better than 1032:1; a larger claim is a lie, and
      // would make us ask for absurd amounts of memory.
      if (entry.size / 1032 > entry.packedSize + 1 ||
          !inflateTo(packed, content, entry.size))
        return damaged("'" + entry.name + "' does not unpack");
    } else {
      return createStringError("'" + entry.name + "' is packed by method " +
                               Twine(entry.method) +
                               "; stored and deflated are read");
    }
    if (checksum(content) != entry.crc)
      return damaged("'" + entry.name + "' has a wrong checksum");
    entries.emplace_back(entry.name, std::move(content));
  }
  return entries;
}

template <typename T> static void put(std::string &out, T value) {
  char bytes[sizeof(T)];
  le::write<T, llvm::endianness::little>(bytes, value);
  out.append(bytes, sizeof(T));
}

Expected<std::string> onnxc::packZip(const ZipEntries &entries) {
  constexpr uint64_t limit = 0xfffffffe;
  // 1980-01-01, the first date that the format has.
  constexpr uint16_t date = (1 << 5) | 1;
  std::string out, directory;
  for (const auto &[name, content] : entries) {
    if (name.size() > 0xffff || content.size() > limit || out.size() > limit)
      return createStringError("larger than the 4 GiB of a zip archive");
    uint32_t offset = out.size();
    std::string common; // what both records have
    put<uint16_t>(common, 20);
    put<uint16_t>(common, 1 << 11); // names are UTF-8
    put<uint16_t>(common, 0);       // stored
    put<uint16_t>(common, 0);
    put<uint16_t>(common, date);
    put<uint32_t>(common, checksum(content));
    put<uint32_t>(common, content.size());
    put<uint32_t>(common, content.size());
    put<uint16_t>(common, name.size());
    put<uint16_t>(common, 0); // no extra field

    put<uint32_t>(out, localSignature);
    out += common + name + content;

    put<uint32_t>(directory, centralSignature);
    put<uint16_t>(directory, 20);
    directory += common;
    put<uint16_t>(directory, 0); // no comment
    put<uint16_t>(directory, 0); // disk
    put<uint16_t>(directory, 0); // attributes
    put<uint32_t>(directory, 0);
    put<uint32_t>(directory, offset);
    directory += name;
  }
  if (entries.size() > 0xfffe || out.size() + directory.size() > limit)
    return createStringError("larger than the 4 GiB of a zip archive");
  uint32_t start = out.size();
  out += directory;
  put<uint32_t>(out, endSignature);
  put<uint16_t>(out, 0);
  put<uint16_t>(out, 0);
  put<uint16_t>(out, entries.size());
  put<uint16_t>(out, entries.size());
  put<uint32_t>(out, directory.size());
  put<uint32_t>(out, start);
  put<uint16_t>(out, 0);
  return out;
}
