//===- ElfQueries.cpp - What a shared object exports ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads ELF of this machine, by the few structures that lead to a name. LLVM's
// reader of object files knows more, and is larger than all else that running a
// model takes.
//
//===----------------------------------------------------------------------===//

#include "ElfQueries.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace onnxc;

namespace {

/// A file to read from at any place.
class File {
public:
  explicit File(const std::string &path)
      : descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status) < 0)
      reason = std::strerror(errno);
    else if (S_ISDIR(status.st_mode))
      reason = std::strerror(EISDIR);
    else
      size = static_cast<uint64_t>(status.st_size);
  }
  File(const File &) = delete;
  ~File() {
    if (descriptor >= 0)
      close(descriptor);
  }

  /// Why it cannot be read, "" if it can.
  const std::string &error() const { return reason; }

  /// How many bytes were there to read.
  size_t read(uint64_t offset, void *to, size_t bytes) const {
    size_t done = 0;
    while (done < bytes) {
      ssize_t now = pread(descriptor, static_cast<char *>(to) + done,
                          bytes - done, static_cast<off_t>(offset + done));
      if (now <= 0 && !(now < 0 && errno == EINTR))
        break;
      done += now > 0 ? static_cast<size_t>(now) : 0;
    }
    return done;
  }

  /// `count` structures of the file; false if it has not that many.
  template <typename T>
  bool read(uint64_t offset, uint64_t count, std::vector<T> &to) const {
    if (offset > size || count > (size - offset) / sizeof(T))
      return false;
    to.resize(count);
    return read(offset, to.data(), count * sizeof(T)) == count * sizeof(T);
  }

private:
  int descriptor;
  uint64_t size = 0;
  std::string reason;
};

} // namespace

/// Whether the first bytes are those of an object file for Windows: a machine,
/// or the mark of large ones.
static bool isCoff(std::string_view start) {
  // x86-64, i386, aarch64, and 0 with 0xffff behind it.
  for (std::string_view machine : {"\x64\x86", "\x4c\x01", "\x64\xaa"})
    if (start.substr(0, 2) == machine)
      return true;
  return start.substr(0, 4) == std::string_view("\0\0\xff\xff", 4);
}

static bool isMachO(std::string_view start) {
  std::string_view magic = start.substr(0, 4);
  return magic == "\xcf\xfa\xed\xfe" || magic == "\xce\xfa\xed\xfe" ||
         magic == "\xfe\xed\xfa\xcf" || magic == "\xfe\xed\xfa\xce";
}

/// What a file is that is not ELF, and how to run it.
static std::string describeOther(std::string_view start) {
  if (start.substr(0, 8) == "!<arch>\n" || start.substr(0, 8) == "!<thin>\n" ||
      isCoff(start) || isMachO(start))
    return "to be linked with a program, such as share/onnxc/run_model.c, "
           "whose first lines say how";
  if (start.substr(0, 4) == std::string_view("\0asm", 4))
    return "WebAssembly, which browsers and Node.js run by the loader beside "
           "it, as docs/webassembly.md says";
  if (start.substr(0, 2) == "MZ")
    return "not a shared object of this system";
  return "not a shared object, expected what 'onnxc MODEL.onnx -o MODEL.so' "
         "writes";
}

/// A processor as LLVM calls it. All that is read is at one place in files for
/// 32 and 64 bits, of either order of bytes.
static std::string nameMachine(const ElfW(Ehdr) & header) {
  bool is64 = header.e_ident[EI_CLASS] == ELFCLASS64;
  auto *bytes = reinterpret_cast<const unsigned char *>(&header.e_machine);
  bool isLittle = header.e_ident[EI_DATA] == ELFDATA2LSB;
  unsigned machine =
      isLittle ? bytes[0] | bytes[1] << 8 : bytes[0] << 8 | bytes[1];
  switch (machine) {
  case EM_386:
    return "i386";
  case EM_X86_64:
    return is64 ? "x86_64" : "x86_64 with pointers of 32 bits";
  case EM_ARM:
    return isLittle ? "arm" : "armeb";
  case EM_AARCH64:
    return isLittle ? "aarch64" : "aarch64_be";
  case EM_RISCV:
    return is64 ? "riscv64" : "riscv32";
  case EM_PPC64:
    return isLittle ? "powerpc64le" : "powerpc64";
  case EM_S390:
    return "s390x";
  }
  return "the processor that ELF numbers " + std::to_string(machine);
}

/// The header of the code that this is, which is in memory.
static const ElfW(Ehdr) & getOwnHeader() {
  Dl_info info = {};
  dladdr(reinterpret_cast<const void *>(&getOwnHeader), &info);
  return *static_cast<const ElfW(Ehdr) *>(info.dli_fbase);
}

/// Why a file with this header cannot be loaded here; "" if it can.
static std::string checkHeader(const ElfW(Ehdr) & header) {
  std::string theirs = nameMachine(header), ours = nameMachine(getOwnHeader());
  bool isLittle = header.e_ident[EI_DATA] == ELFDATA2LSB;
  auto *type = reinterpret_cast<const unsigned char *>(&header.e_type);
  if ((isLittle ? type[0] : type[1]) == ET_REL)
    return "to be linked with a program, such as share/onnxc/run_model.c, "
           "whose first lines say how";
  if (theirs != ours)
    return "compiled for " + theirs + ", and this is " + ours +
           "; a C program runs it there, or by an emulator: the first lines of "
           "share/onnxc/run_model.c say how";
  if (header.e_shentsize != sizeof(ElfW(Shdr)))
    return "not a shared object of this system";
  return "";
}

/// The dynamic symbols and their names; false if the file is not whole.
static bool readSymbols(const File &file, const ElfW(Ehdr) & header,
                        std::vector<ElfW(Sym)> &symbols,
                        std::vector<char> &names) {
  std::vector<ElfW(Shdr)> sections;
  if (!file.read(header.e_shoff, header.e_shnum, sections))
    return false;
  auto dynamic = std::find_if(
      sections.begin(), sections.end(),
      [](const ElfW(Shdr) & section) { return section.sh_type == SHT_DYNSYM; });
  if (dynamic == sections.end())
    return true;
  if (dynamic->sh_link >= sections.size())
    return false;
  const ElfW(Shdr) &texts = sections[dynamic->sh_link];
  return file.read(dynamic->sh_offset, dynamic->sh_size / sizeof(ElfW(Sym)),
                   symbols) &&
         file.read(texts.sh_offset, texts.sh_size, names);
}

std::string onnxc::findExported(const std::string &path,
                                const std::string &suffix,
                                std::vector<std::string> &names) {
  File file(path);
  if (!file.error().empty())
    return path + ": " + file.error();
  ElfW(Ehdr) header = {};
  size_t bytes = file.read(0, &header, sizeof header);
  std::string_view start(reinterpret_cast<const char *>(&header), bytes);
  if (start.substr(0, SELFMAG) != ELFMAG)
    return path + ": " + describeOther(start);
  std::vector<ElfW(Sym)> symbols;
  std::vector<char> texts;
  std::string wrong = bytes < sizeof header ? "" : checkHeader(header);
  if (!wrong.empty())
    return path + ": " + wrong;
  if (bytes < sizeof header || !readSymbols(file, header, symbols, texts))
    return path + ": not a shared object (the end of the file is missing)";
  for (const ElfW(Sym) &symbol : symbols) {
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= texts.size())
      continue;
    const char *name = texts.data() + symbol.st_name;
    std::string_view text(name, strnlen(name, texts.size() - symbol.st_name));
    if (text.size() >= suffix.size() &&
        text.substr(text.size() - suffix.size()) == suffix)
      names.emplace_back(text);
  }
  return "";
}
