//===- FillWeights.cpp - Weights into a linked file -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linker would read the weights from one file and write them to another, both
// mapped: twice their size in memory, and most of the time that a large model
// takes to emit. So it sees a section without contents, which lies at the end
// of a segment since segments may have no bytes in the file there only. The
// contents are put in, and what comes later in the file moves by whole pages.
// No address changes.
//
//===----------------------------------------------------------------------===//

#include "FillWeights.h"

#include "WeightsObject.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
namespace ELF = llvm::ELF;

namespace onnxc {

using Header = llvm::object::ELF64LE::Ehdr;
using Segment = llvm::object::ELF64LE::Phdr;
using Section = llvm::object::ELF64LE::Shdr;

namespace {
/// The tables of a shared object, to be changed where they are.
struct LinkedFile {
  explicit LinkedFile(std::string &image)
      : header(*reinterpret_cast<Header *>(image.data())),
        segments(reinterpret_cast<Segment *>(image.data() + header.e_phoff),
                 header.e_phnum),
        sections(reinterpret_cast<Section *>(image.data() + header.e_shoff),
                 header.e_shnum) {}

  Header &header;
  MutableArrayRef<Segment> segments;
  MutableArrayRef<Section> sections;
};
} // namespace

/// The only read-only section of this size that has no contents.
static Section *findPlace(LinkedFile &file, uint64_t bytes) {
  auto *found = llvm::find_if(file.sections, [&](const Section &section) {
    return section.sh_type == ELF::SHT_NOBITS && section.sh_size == bytes &&
           (section.sh_flags & ELF::SHF_ALLOC) &&
           !(section.sh_flags & ELF::SHF_WRITE);
  });
  return found == file.sections.end() ? nullptr : found;
}

/// The segment that the section is the end of.
static Segment *findSegment(LinkedFile &file, const Section &section) {
  auto *found = llvm::find_if(file.segments, [&](const Segment &segment) {
    return segment.p_type == ELF::PT_LOAD &&
           section.sh_addr >= segment.p_vaddr + segment.p_filesz &&
           section.sh_addr + section.sh_size ==
               segment.p_vaddr + segment.p_memsz;
  });
  return found == file.segments.end() ? nullptr : found;
}

LogicalResult fillWeights(ModuleOp module, const ModelInfo &info,
                          StringRef linked, llvm::raw_ostream &os) {
  auto contents = llvm::MemoryBuffer::getFile(linked, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
  if (!contents)
    return module.emitError() << "cannot read '" << linked
                              << "': " << contents.getError().message();
  std::string image = (*contents)->getBuffer().str();
  LinkedFile file(image);
  Section *place = findPlace(file, info.weightBytes);
  Segment *segment = place ? findSegment(file, *place) : nullptr;
  if (!segment)
    return module.emitError() << "the linker left no place for the weights";

  uint64_t cut = segment->p_offset + segment->p_filesz;
  uint64_t begin = segment->p_offset + (place->sh_addr - segment->p_vaddr);
  uint64_t shift =
      llvm::alignTo(begin + info.weightBytes - cut, uint64_t(segment->p_align));
  place->sh_type = ELF::SHT_PROGBITS;
  for (Section &section : file.sections)
    if (&section != place && section.sh_offset >= cut)
      section.sh_offset += shift;
  place->sh_offset = begin;
  for (Segment &other : file.segments)
    if (&other != segment && other.p_offset >= cut)
      other.p_offset += shift;
  segment->p_filesz = segment->p_memsz;
  if (file.header.e_shoff >= cut)
    file.header.e_shoff += shift;

  uint64_t start = os.tell();
  os << StringRef(image).take_front(cut);
  os.write_zeros(begin - cut);
  if (failed(writeWeights(module, info, os)))
    return failure();
  os.write_zeros(cut + shift - (os.tell() - start));
  os << StringRef(image).drop_front(cut);
  return success();
}

} // namespace onnxc
