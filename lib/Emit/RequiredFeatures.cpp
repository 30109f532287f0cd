//===- RequiredFeatures.cpp - What machine code needs ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A processor that code is compiled for has more instructions than the code
// uses. What a model asks for is read from its machine code: on x86-64, whose
// decoder knows no features, by a table; elsewhere an instruction needs a
// feature if it cannot be decoded without.
//
//===----------------------------------------------------------------------===//

#include "RequiredFeatures.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"

using namespace llvm;

namespace onnxc {

namespace {
/// How an x86-64 instruction is encoded: the first word of a row of
/// X86Instructions.def, without and with the kind of its operand.
struct Encoding {
  StringRef name;
  bool inMemory = false;
};
} // namespace

static Encoding getEncoding(ArrayRef<uint8_t> bytes) {
  static constexpr uint8_t prefixes[] = {0x66, 0xF2, 0xF3, 0xF0, 0x2E, 0x36,
                                         0x3E, 0x26, 0x64, 0x65, 0x67};
  while (!bytes.empty() && is_contained(prefixes, bytes.front()))
    bytes = bytes.drop_front();
  auto isMemory = [&](size_t at) {
    return at < bytes.size() && bytes[at] < 0xC0;
  };
  if (bytes.size() > 2 && bytes[0] == 0xC5)
    return {bytes[1] & 4 ? "vex256" : "vex128", isMemory(3)};
  if (bytes.size() > 3 && bytes[0] == 0xC4)
    return {bytes[2] & 4 ? "vex256" : "vex128", isMemory(4)};
  if (bytes.size() > 5 && bytes[0] == 0x62) {
    // Between registers the bit of a broadcast means a rounding mode, which
    // stands where the length does.
    unsigned length = bytes[3] >> 5 & 3;
    if ((bytes[3] & 0x10) && !isMemory(5))
      length = 2;
    return {length == 0   ? "evex128"
            : length == 1 ? "evex256"
                          : "evex512",
            isMemory(5)};
  }
  if (bytes.size() > 2 && bytes[0] == 0x8F && (bytes[1] & 0x1F) >= 8)
    return {"xop"};
  return {"legacy"};
}

/// Comparisons and multiplications whose name contains an immediate value: the
/// name with the value 0.
static std::string withoutImmediate(StringRef mnemonic) {
  StringRef prefix = mnemonic.starts_with("vcmp")    ? "vcmpeq"
                     : mnemonic.starts_with("vpcmp") ? "vpcmpeq"
                     : mnemonic.starts_with("cmp")   ? "cmpeq"
                                                     : "";
  if (mnemonic.contains("pclmul"))
    return mnemonic.starts_with("v") ? "vpclmulqdq" : "pclmulqdq";
  if (prefix.empty() || mnemonic.starts_with("vpcmpistr") ||
      mnemonic.starts_with("vpcmpestr"))
    return mnemonic.str();
  return (prefix + mnemonic.take_back(prefix == "vpcmpeq" ? 1 : 2)).str();
}

using FeatureTable = StringMap<SmallVector<StringRef>>;

static const FeatureTable &getX86Table() {
  static const FeatureTable table = [] {
    FeatureTable rows;
    auto add = [&](StringRef encoding, StringRef features,
                   StringRef mnemonics) {
      SmallVector<StringRef> names;
      for (StringRef mnemonic : split(mnemonics, ' ')) {
        SmallVector<StringRef> &row = rows[(encoding + " " + mnemonic).str()];
        features.split(row, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
      }
    };
#define X86_INSTRUCTIONS(ENCODING, FEATURES, MNEMONICS)                        \
  add(ENCODING, FEATURES, MNEMONICS);
#include "X86Instructions.def"
    return rows;
  }();
  return table;
}

std::optional<SmallVector<StringRef>> findX86Features(StringRef mnemonic,
                                                      ArrayRef<uint8_t> bytes) {
  const FeatureTable &table = getX86Table();
  Encoding encoding = getEncoding(bytes);
  for (const std::string &name : {mnemonic.str(), withoutImmediate(mnemonic)})
    for (StringRef form : {encoding.inMemory ? ".mem" : ".reg", ""})
      if (auto row = table.find((encoding.name + form + " " + name).str());
          row != table.end())
        return row->second;
  return std::nullopt;
}

namespace {
/// LLVM's disassembler of a target.
class Disassembler {
public:
  static Expected<std::unique_ptr<Disassembler>>
  create(const TargetMachine &machine, StringRef features) {
    auto made = std::make_unique<Disassembler>(machine, features);
    if (!made->disassembler || !made->printer)
      return createStringError("LLVM has no disassembler for " +
                               machine.getTargetTriple().str());
    return made;
  }

  Disassembler(const TargetMachine &machine, StringRef features)
      : subtarget(machine.getTarget().createMCSubtargetInfo(
            machine.getTargetTriple(), machine.getTargetCPU(), features)),
        context(machine.getTargetTriple(), machine.getMCAsmInfo(),
                machine.getMCRegisterInfo(), subtarget.get()),
        disassembler(
            machine.getTarget().createMCDisassembler(*subtarget, context)),
        printer(machine.getTarget().createMCInstPrinter(
            machine.getTargetTriple(), /*SyntaxVariant=*/0,
            *machine.getMCAsmInfo(), *machine.getMCInstrInfo(),
            *machine.getMCRegisterInfo())) {}

  /// Whether an instruction stands there; `size` is at least 1.
  bool decode(ArrayRef<uint8_t> bytes, MCInst &instruction, uint64_t &size) {
    instruction.clear();
    bool found =
        disassembler->getInstruction(instruction, size, bytes, /*Address=*/0,
                                     nulls()) == MCDisassembler::Success;
    size = std::max<uint64_t>(size, 1);
    return found;
  }

  /// Without prefixes; empty for a prefix that stands alone.
  std::string getMnemonic(const MCInst &instruction) {
    std::string text;
    raw_string_ostream os(text);
    printer->printInst(&instruction, /*Address=*/0, "", *subtarget, os);
    StringRef rest = StringRef(text).trim();
    while (true) {
      StringRef word = rest.take_until(isSpace);
      static constexpr StringLiteral prefixes[] = {
          "lock",    "rep",   "repe",   "repne",    "rex64",    "data16",
          "notrack", "{vex}", "{evex}", "xacquire", "xrelease", "cs",
          "ds",      "es",    "fs",     "gs",       "ss"};
      if (!is_contained(prefixes, word))
        return word.str();
      rest = rest.drop_front(word.size()).ltrim();
    }
  }

private:
  std::unique_ptr<MCSubtargetInfo> subtarget;
  MCContext context;
  std::unique_ptr<MCDisassembler> disassembler;
  std::unique_ptr<MCInstPrinter> printer;
};

/// Looks at instructions, at one of each kind.
class Scanner {
public:
  static Expected<Scanner> create(const EmitTarget &target,
                                  StringSet<> &required) {
    auto disassembler = Disassembler::create(
        *target.machine, target.machine->getTargetFeatureString());
    if (!disassembler)
      return disassembler.takeError();
    Scanner scanner(target, required, std::move(*disassembler));
    if (target.triple().getArch() != Triple::x86_64)
      for (const CheckableFeature &feature : target.checkedFeatures) {
        auto without = Disassembler::create(
            *target.machine, (target.machine->getTargetFeatureString() + ",-" +
                              feature.decodedBy)
                                 .str());
        if (!without)
          return without.takeError();
        scanner.lacking.push_back(std::move(*without));
      }
    return scanner;
  }

  void scan(ArrayRef<uint8_t> code) {
    MCInst instruction;
    uint64_t size = 0;
    for (; !code.empty(); code = code.drop_front(size)) {
      bool known = disassembler->decode(code, instruction, size);
      // Past the end there is nothing, also where LLVM stops in the middle.
      size = std::min<uint64_t>(size, code.size());
      if (!known)
        continue;
      ArrayRef<uint8_t> bytes = code.take_front(size);
      // LLVM's opcodes stand for an encoding, a length and the kinds of the
      // operands.
      if (!seen.insert(instruction.getOpcode()).second)
        continue;
      if (target.triple().getArch() == Triple::x86_64)
        addX86(disassembler->getMnemonic(instruction), bytes);
      else
        addByTrial(bytes);
    }
  }

private:
  Scanner(const EmitTarget &target, StringSet<> &required,
          std::unique_ptr<Disassembler> disassembler)
      : target(target), required(required),
        disassembler(std::move(disassembler)) {}

  void addX86(StringRef mnemonic, ArrayRef<uint8_t> bytes) {
    if (mnemonic.empty())
      return;
    auto features = findX86Features(mnemonic, bytes);
    for (const CheckableFeature &feature : target.checkedFeatures) {
      // What only wider encodings can use is not meant by an old one.
      bool mayNeed = getEncoding(bytes).name != "legacy" ||
                     !feature.name.starts_with("avx");
      if (features ? is_contained(*features, feature.name) : mayNeed)
        required.insert(feature.name);
    }
  }

  void addByTrial(ArrayRef<uint8_t> bytes) {
    MCInst instruction;
    uint64_t size;
    for (auto [feature, without] : zip_equal(target.checkedFeatures, lacking))
      if (!without->decode(bytes, instruction, size))
        required.insert(feature.name);
  }

  const EmitTarget &target;
  StringSet<> &required;
  std::unique_ptr<Disassembler> disassembler;
  /// By number of a checked feature: without it.
  SmallVector<std::unique_ptr<Disassembler>> lacking;
  DenseSet<unsigned> seen;
};
} // namespace

Error addRequiredFeatures(const object::ObjectFile &object,
                          const EmitTarget &target, StringRef section,
                          StringSet<> &required) {
  Expected<Scanner> scanner = Scanner::create(target, required);
  if (!scanner)
    return scanner.takeError();
  for (const object::SectionRef &code : object.sections()) {
    if (!code.isText())
      continue;
    Expected<StringRef> name = code.getName();
    if (!name)
      return name.takeError();
    if (!section.empty() && *name != section)
      continue;
    Expected<StringRef> contents = code.getContents();
    if (!contents)
      return contents.takeError();
    scanner->scan(arrayRefFromStringRef(*contents));
  }
  return Error::success();
}

} // namespace onnxc
