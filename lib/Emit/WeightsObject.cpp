//===- WeightsObject.cpp - The weights as an object file ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's object writer wants the contents of a section in memory, as a
// constant of the IR. Weights are too large for that, and simple enough to
// write by hand: a header, the section, a symbol.
//
//===----------------------------------------------------------------------===//

#include "WeightsObject.h"

#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Target/Architecture.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/EndianStream.h"

using namespace mlir;
namespace ELF = llvm::ELF;

namespace onnxc {

static void writeRepeated(ArrayRef<char> element, uint64_t count,
                          llvm::raw_ostream &os) {
  // Whole blocks: one write per element would be slow.
  SmallVector<char, 0> block;
  uint64_t perBlock = std::max<uint64_t>(1, 65536 / element.size());
  for (uint64_t i = 0; i < std::min(perBlock, count); ++i)
    block.append(element.begin(), element.end());
  for (; count >= perBlock; count -= perBlock)
    os.write(block.data(), block.size());
  // no overflow: less than a block
  os.write(block.data(), count * element.size());
}

/// The elements of `value` as they lie in memory: row-major, whole bytes.
static LogicalResult writeElements(ModuleOp module, ElementsAttr value,
                                   llvm::raw_ostream &os) {
  uint64_t count = static_cast<uint64_t>(value.getNumElements());
  uint64_t width = elementBytes(value.getElementType());
  if (count == 0)
    return success();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return module.emitError()
             << program::weights << ": the resource '"
             << resource.getRawHandle().getKey() << "' has no data";
    ArrayRef<char> data = blob->getData();
    // no overflow: CheckSizes counted the elements
    if (data.size() != count * width)
      return module.emitError() << program::weights << ": the resource '"
                                << resource.getRawHandle().getKey() << "' has "
                                << data.size()
                                // no overflow: CheckSizes counted the elements
                                << " bytes, expected " << count * width;
    os.write(data.data(), data.size());
    return success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return module.emitError()
           << program::weights
           << ": expected a dense or dense_resource attribute";
  if (dense.getElementType().isInteger(1)) {
    // Bits in the attribute, bytes in memory.
    if (dense.isSplat()) {
      writeRepeated({static_cast<char>(dense.getSplatValue<bool>())}, count,
                    os);
      return success();
    }
    for (bool bit : dense.getValues<bool>())
      os << static_cast<char>(bit);
    return success();
  }
  ArrayRef<char> data = dense.getRawData();
  if (dense.isSplat())
    writeRepeated(data.take_front(width), count, os);
  else
    os.write(data.data(), data.size());
  return success();
}

/// Zeros up to the position `end`.
static void padTo(llvm::raw_ostream &os, uint64_t end) {
  for (uint64_t at = os.tell(); at < end; at = os.tell())
    os.write_zeros(std::min<uint64_t>(1u << 20, end - at));
}

LogicalResult writeWeights(ModuleOp module, const ModelInfo &info,
                           llvm::raw_ostream &os) {
  uint64_t start = os.tell();
  for (const Weight &weight : info.weights) {
    padTo(os, start + weight.offset);
    if (failed(writeElements(module, weight.value, os)))
      return failure();
  }
  padTo(os, start + info.weightBytes);
  return success();
}

namespace {
/// Little-endian structures on a stream.
class ElfStream {
public:
  explicit ElfStream(llvm::raw_ostream &os) : os(os), start(os.tell()) {}

  template <typename T> void put(T value) {
    llvm::support::endian::write(os, value, llvm::endianness::little);
  }
  void padTo(uint64_t offset) { onnxc::padTo(os, start + offset); }

private:
  llvm::raw_ostream &os;
  uint64_t start;
};

struct Section {
  uint32_t name;
  uint32_t type;
  uint64_t flags;
  uint64_t offset;
  uint64_t size;
  uint32_t link;
  uint32_t info;
  uint64_t align;
  uint64_t entrySize;

  static constexpr uint64_t headerSize = 64;
  void write(ElfStream &out) const {
    out.put<uint32_t>(name);
    out.put<uint32_t>(type);
    out.put<uint64_t>(flags);
    out.put<uint64_t>(0);
    out.put<uint64_t>(offset);
    out.put<uint64_t>(size);
    out.put<uint32_t>(link);
    out.put<uint32_t>(info);
    out.put<uint64_t>(align);
    out.put<uint64_t>(entrySize);
  }
};
} // namespace

/// The header of a relocatable file behind its first four bytes. The last
/// section has the sections' names.
static void writeHeader(ElfStream &out, const Architecture &architecture,
                        uint64_t tableOffset, size_t numSections) {
  constexpr uint64_t headerSize = 64;
  out.put<uint8_t>(ELF::ELFCLASS64);
  out.put<uint8_t>(ELF::ELFDATA2LSB);
  out.put<uint8_t>(ELF::EV_CURRENT);
  out.padTo(16);
  out.put<uint16_t>(ELF::ET_REL);
  out.put<uint16_t>(architecture.elfMachine);
  out.put<uint32_t>(ELF::EV_CURRENT);
  out.put<uint64_t>(0);
  out.put<uint64_t>(0);
  out.put<uint64_t>(tableOffset);
  out.put<uint32_t>(architecture.elfFlags);
  out.put<uint16_t>(headerSize);
  out.put<uint16_t>(0);
  out.put<uint16_t>(0);
  out.put<uint16_t>(Section::headerSize);
  out.put<uint16_t>(numSections);
  out.put<uint16_t>(numSections - 1);
}

LogicalResult writeWeightsObject(ModuleOp module, const ModelInfo &info,
                                 const llvm::Triple &triple, StringRef symbol,
                                 bool withContents, llvm::raw_ostream &os) {
  constexpr uint64_t symbolSize = 24, page = 4096;
  const Architecture &architecture = getArchitecture(triple);

  // x86-64 keeps what may lie more than 2 GiB away in sections of its own; code
  // finds it through the global offset table.
  bool hasLargeSections = architecture.elfMachine == ELF::EM_X86_64;
  std::string names(1, '\0');
  auto addName = [&](StringRef name) {
    uint32_t at = names.size();
    names += name;
    names += '\0';
    return at;
  };
  std::string strings(1, '\0');
  strings += symbol;
  strings += '\0';
  uint64_t dataOffset = page;
  uint64_t symbolsOffset =
      llvm::alignTo(dataOffset + (withContents ? info.weightBytes : 0), 8);
  uint64_t stringsOffset = symbolsOffset + 2 * symbolSize;

  SmallVector<Section> sections;
  sections.push_back({});
  // What has no contents yet may not become part of a section that has.
  StringRef name = !withContents      ? ".onnxc.weights"
                   : hasLargeSections ? ".lrodata.onnxc"
                                      : ".rodata.onnxc";
  sections.push_back(
      {addName(name), withContents ? ELF::SHT_PROGBITS : ELF::SHT_NOBITS,
       ELF::SHF_ALLOC |
           (hasLargeSections ? uint64_t(ELF::SHF_X86_64_LARGE) : 0),
       dataOffset, info.weightBytes, 0, 0, page, 0});
  sections.push_back({addName(".note.GNU-stack"), ELF::SHT_PROGBITS, 0,
                      symbolsOffset, 0, 0, 0, 1, 0});
  sections.push_back({addName(".symtab"), ELF::SHT_SYMTAB, 0, symbolsOffset,
                      2 * symbolSize, /*link=*/4, /*info=*/1, 8, symbolSize});
  sections.push_back({addName(".strtab"), ELF::SHT_STRTAB, 0, stringsOffset,
                      strings.size(), 0, 0, 1, 0});
  uint32_t ownName = addName(".shstrtab");
  uint64_t namesOffset = stringsOffset + strings.size();
  sections.push_back(
      {ownName, ELF::SHT_STRTAB, 0, namesOffset, names.size(), 0, 0, 1, 0});
  uint64_t tableOffset = llvm::alignTo(namesOffset + names.size(), 8);

  ElfStream out(os);
  os.write("\x7f"
           "ELF",
           4);
  writeHeader(out, architecture, tableOffset, sections.size());

  out.padTo(dataOffset);
  if (withContents && failed(writeWeights(module, info, os)))
    return failure();

  out.padTo(symbolsOffset + symbolSize);
  out.put<uint32_t>(1);
  out.put<uint8_t>((ELF::STB_GLOBAL << 4) | ELF::STT_OBJECT);
  out.put<uint8_t>(ELF::STV_HIDDEN);
  out.put<uint16_t>(1);
  out.put<uint64_t>(0);
  out.put<uint64_t>(info.weightBytes);
  os << strings << names;

  out.padTo(tableOffset);
  for (const Section &section : sections)
    section.write(out);
  return success();
}

} // namespace onnxc
