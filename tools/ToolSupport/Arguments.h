//===- Arguments.h - What a command line says  ---------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options of Pipelines/Options.td, read by llvm::opt. What they say is
// copied: LLVM's own options, which a compile resets, are others.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_TOOLSUPPORT_ARGUMENTS_H
#define ONNXC_TOOLS_TOOLSUPPORT_ARGUMENTS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace onnxc {

/// Who takes an option, as Options.td says it (bit 0 is llvm::opt's).
enum class Command : unsigned {
  Compile = 1 << 1,
  Check = 1 << 2,
  Inspect = 1 << 3,
  Run = 1 << 4,
  Bench = 1 << 5,
  Profile = 1 << 6,
  Optimize = 1 << 7,
  Compare = 1 << 8,
  Convert = 1 << 9,
  Doctor = 1 << 10,
  Tune = 1 << 11,
  Quantize = 1 << 12,
};

enum OptionID : unsigned {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "onnxc/Pipelines/Options.inc"
#undef OPTION
};

/// What --help says beside the options.
struct CommandText {
  Command command;
  /// "onnxc check": as in messages.
  std::string name;
  llvm::StringRef overview;
  /// What stands behind the options: "<model.onnx>".
  llvm::StringRef operands;
  unsigned minOperands, maxOperands;
  /// Behind the list of options.
  std::string more;
  /// The same where the list is short; empty: `more`.
  std::string brief = {};
};

/// What --help says of an option.
std::string getOptionHelp(OptionID id, Command command);

/// What was given. Reading a value that is not of its type is an error, and
/// ends the program, as a wrong command line does.
class Arguments {
public:
  /// Ends the program after --help, --help-all and --version, and with status 2
  /// where the command line is wrong. Options of MLIR and LLVM that are
  /// registered are left to llvm::cl.
  Arguments(int argc, char **argv, const CommandText &text);

  bool has(OptionID id) const { return args.hasArg(id); }
  std::string getString(OptionID id, llvm::StringRef otherwise = "") const;
  /// A value that, where it is given, says something: --name= is an error.
  std::string getName(OptionID id, llvm::StringRef otherwise = "") const;
  /// One of those that Options.td lists; `otherwise` without the option.
  std::string getChoice(OptionID id, llvm::StringRef otherwise) const;
  /// All of an option that may be repeated; of one with commas, the parts.
  std::vector<std::string> getAll(OptionID id) const;
  /// --name is true; --name=false is false.
  std::optional<bool> getGiven(OptionID id) const;
  bool getFlag(OptionID id, bool otherwise = false) const {
    return getGiven(id).value_or(otherwise);
  }
  /// A number that need not be whole, not negative.
  std::optional<double> getFraction(OptionID id) const;
  /// Of an option that is a number in Options.td.
  template <typename Number> Number getNumber(OptionID id) const {
    return static_cast<Number>(getInteger(id));
  }
  /// Of one whose default depends on the command.
  template <typename Number>
  Number getNumber(OptionID id, Number otherwise) const {
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    constexpr Number low = std::numeric_limits<Number>::min();
    constexpr Number high = std::numeric_limits<Number>::max();
    constexpr int64_t limit =
        static_cast<uint64_t>(high) > static_cast<uint64_t>(most)
            ? most
            : static_cast<int64_t>(high);
    return static_cast<Number>(
        getInteger(id, static_cast<int64_t>(otherwise), low, limit));
  }
  /// -O0 to -O3; an error names what was given.
  unsigned getLevel() const;
  /// Whether the processors and features of the target are asked for, which
  /// needs no model: --list-features, --mcpu=help or --mattr=help.
  bool asksForFeatures() const;
  /// The i-th operand, "" without it.
  std::string getOperand(unsigned i) const;
  /// Writes what is given into the file of --save-config, if there is one;
  /// returns the status to end with, or 0. Of `input` nothing is replaced.
  int saveConfig(llvm::StringRef input) const;

private:
  void parse(llvm::ArrayRef<const char *> given);
  void parseOne(unsigned &index);
  bool leaveToLLVM(const llvm::opt::ArgList &from, unsigned &index,
                   bool isOfFile);
  std::string describeUnknown(llvm::StringRef given) const;
  void readConfig();
  void readConfigLine(llvm::ArrayRef<const char *> words,
                      const std::string &place);
  void checkCounts() const;
  void printBriefHelp() const;
  void printHelp(bool isHidden) const;
  [[noreturn]] void fail(const llvm::Twine &message) const;
  /// The same of an option, which may stand in a file.
  [[noreturn]] void fail(OptionID id, const llvm::Twine &message) const;
  int64_t getInteger(OptionID id) const;
  int64_t getInteger(OptionID id, int64_t otherwise, int64_t low,
                     int64_t high) const;

  const CommandText &text;
  /// What response files say.
  llvm::BumpPtrAllocator memory;
  llvm::opt::InputArgList args;
  /// The lines of --config; `args` refers to them.
  std::vector<std::unique_ptr<llvm::opt::InputArgList>> lines;
  /// Where the arguments stand that are not of the command line: "x.cfg:3: ".
  llvm::DenseMap<const llvm::opt::Arg *, std::string> places;
  /// For llvm::cl.
  std::vector<const char *> left;
  /// The same by name, in lines.
  std::map<std::string, std::string> libraryOptions;
};

} // namespace onnxc

#endif // ONNXC_TOOLS_TOOLSUPPORT_ARGUMENTS_H
