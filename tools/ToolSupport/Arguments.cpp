//===- Arguments.cpp - What a command line says  --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "Findings.h"

#include "onnxc/Support/OptionNumbers.h"
#include "onnxc/Support/OutputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/StringSaver.h"

#include <algorithm>
#include <cstdlib>
#include <map>

using namespace llvm;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {

/// The flags of options that Options.td defines, beside llvm::opt's.
enum OptionFlag : unsigned {
  Repeatable = 1 << 4,
  CommaSeparated = 1 << 5,
  ValueOptional = 1 << 6,
  Advanced = 1 << 7,
};

#define OPTTABLE_STR_TABLE_CODE
#include "onnxc/Pipelines/Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "onnxc/Pipelines/Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

using opt::DefaultVis;
using opt::HelpHidden;
constexpr unsigned Compile = unsigned(Command::Compile),
                   Check = unsigned(Command::Check),
                   Inspect = unsigned(Command::Inspect),
                   Run = unsigned(Command::Run),
                   Bench = unsigned(Command::Bench),
                   Profile = unsigned(Command::Profile),
                   Optimize = unsigned(Command::Optimize),
                   Compare = unsigned(Command::Compare),
                   Convert = unsigned(Command::Convert),
                   Doctor = unsigned(Command::Doctor),
                   Tune = unsigned(Command::Tune),
                   Quantize = unsigned(Command::Quantize);

constexpr opt::OptTable::Info infos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "onnxc/Pipelines/Options.inc"
#undef OPTION
};

struct Table : opt::GenericOptTable {
  Table() : GenericOptTable(OptionStrTable, OptionPrefixesTable, infos) {}
};

} // namespace

static const Table &getTable() {
  static const Table table;
  return table;
}

static opt::Visibility maskOf(const CommandText &text) {
  return opt::Visibility(static_cast<unsigned>(text.command));
}

/// What --help and docs/generated/options.md call a number: 400, 2^22.
static std::string spellNumber(int64_t number) {
  constexpr int64_t readable = 1 << 16;
  return number >= readable && isPowerOf2_64(number)
             ? "2^" + std::to_string(Log2_64(number))
             : std::to_string(number);
}

std::string onnxc::getOptionHelp(OptionID id, Command command) {
  std::string help = getTable().getOptionHelpText(
      id, opt::Visibility(static_cast<unsigned>(command)));
  if (const OptionNumber *number =
          findOptionNumber(getTable().getOption(id).getName()))
    help += " (default: " + spellNumber(number->value) + ")";
  return help;
}

static std::string spell(opt::Option option) {
  StringRef name = option.getName();
  return (name.size() == 1 ? "-" : "--") + name.str();
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

void Arguments::fail(const Twine &message) const {
  errs() << text.name << ": " << message << "\n";
  std::exit(2);
}

void Arguments::fail(OptionID id, const Twine &message) const {
  fail(places.lookup(args.getLastArg(id)) + message);
}

/// Options of the libraries, --mlir-timing and the like, which llvm::cl reads.
/// Without "=", the value is the next argument.
bool Arguments::leaveToLLVM(const opt::ArgList &from, unsigned &index,
                            bool isOfFile) {
  StringRef given = from.getArgString(index);
  auto [name, value] = given.ltrim('-').split('=');
  cl::Option *option = cl::getRegisteredOptions().lookup(name);
  if (!given.starts_with("-") || !option)
    return false;
  std::vector<const char *> words = {from.getArgString(index++)};
  if (!given.contains('=') && index < from.getNumInputArgStrings() &&
      option->getValueExpectedFlag() == cl::ValueRequired)
    words.push_back(from.getArgString(index++));
  if (isOfFile && libraryOptions.count(name.str()))
    return true;
  append_range(left, words);
  libraryOptions[name.str()] =
      join(std::vector<std::string>(words.begin(), words.end()), " ");
  return true;
}

/// What may be meant, of our options and those of the libraries; "" if nothing
/// is like it.
static std::string findNearest(StringRef given, const CommandText &text) {
  std::string nearest;
  unsigned distance = getTable().findNearest(given, nearest, maskOf(text));
  StringRef name = given.ltrim('-').split('=').first;
  for (const auto &[other, option] : cl::getRegisteredOptions()) {
    StringRef registered = other;
    if (name.edit_distance(registered, true, distance) >= distance)
      continue;
    distance = name.edit_distance(registered);
    nearest = "--" + registered.str();
  }
  // Values have no part in it: --seed=x is not like --save=x.
  StringRef found = StringRef(nearest).ltrim('-').split('=').first;
  size_t edits = name.edit_distance(found);
  bool isLike =
      edits <= std::max<size_t>(2, name.size() / 3) && 2 * edits <= name.size();
  return isLike ? nearest : "";
}

std::string Arguments::describeUnknown(StringRef given) const {
  std::string message = formatv("unknown option '{0}'", given);
  if (std::string near = findNearest(given, text); !near.empty())
    message += "; did you mean '" + near + "'?";
  return message + " (--help lists all)";
}

void Arguments::parseOne(unsigned &index) {
  const unsigned before = index;
  std::unique_ptr<opt::Arg> arg =
      getTable().ParseOneArg(args, index, maskOf(text));
  if (!arg)
    fail(Twine(args.getArgString(before)) + ": requires a value");
  if (arg->getOption().matches(OPT_UNKNOWN)) {
    index = before;
    if (leaveToLLVM(args, index, /*isOfFile=*/false))
      return;
    fail(describeUnknown(args.getArgString(before)));
  }
  args.append(arg.release());
}

void Arguments::parse(ArrayRef<const char *> given) {
  args = opt::InputArgList(given.begin(), given.end());
  const auto count = static_cast<unsigned>(given.size());
  for (unsigned index = 0; index < count;) {
    StringRef next = args.getArgString(index);
    if (next == "--") {
      while (++index < count)
        args.append(new opt::Arg(getTable().getOption(OPT_INPUT), "", index,
                                 args.getArgString(index)));
      break;
    }
    if (next.empty()) {
      ++index;
      continue;
    }
    parseOne(index);
  }
}

/// That no option is given twice that has one value, and that there are as many
/// operands as the command takes.
void Arguments::checkCounts() const {
  SmallDenseSet<unsigned, 16> seen;
  for (const opt::Arg *arg : args) {
    const opt::Option &option = arg->getOption();
    if (option.matches(OPT_INPUT) || option.hasFlag(Repeatable) ||
        option.hasFlag(CommaSeparated))
      continue;
    if (!seen.insert(option.getID()).second)
      fail(spell(option) + ": given twice, expected at most once");
  }
  const size_t operands = args.getAllArgValues(OPT_INPUT).size();
  if (operands < text.minOperands && !asksForFeatures())
    fail(text.operands + ": missing (--help says more)");
  if (operands > text.maxOperands)
    fail(formatv("'{0}': {1} operands are given, expected at most {2} (--help "
                 "says more)",
                 args.getAllArgValues(OPT_INPUT)[text.maxOperands], operands,
                 text.maxOperands)
             .str());
}

Arguments::Arguments(int argc, char **argv, const CommandText &text)
    : text(text) {
  StringSaver saver(memory);
  SmallVector<const char *, 32> given(argv + 1, argv + argc);
  // @file stands for what is in the file.
  cl::ExpandResponseFiles(saver, cl::TokenizeGNUCommandLine, given);
  left.push_back(argv[0]);
  parse(given);
  if (args.hasArg(OPT_help_all)) {
    printHelp(/*isHidden=*/false);
    std::exit(0);
  }
  if (args.hasArg(OPT_help)) {
    printBriefHelp();
    std::exit(0);
  }
  if (args.hasArg(OPT_version)) {
    outs() << StringRef(text.name).split(' ').first << " " << ONNXC_VERSION
           << " (LLVM " << LLVM_VERSION_STRING << ")\n";
    std::exit(0);
  }
  readConfig();
  // What follows of it is llvm::cl's.
  if (any_of(left,
             [](StringRef word) { return word.ltrim('-') == "help-hidden"; }))
    printHelp(/*isHidden=*/true);
  if (left.size() > 1)
    cl::ParseCommandLineOptions(static_cast<int>(left.size()), left.data(),
                                text.overview);
  checkCounts();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::string Arguments::getString(OptionID id, StringRef otherwise) const {
  const opt::Arg *arg = args.getLastArg(id);
  if (!arg)
    return otherwise.str();
  return arg->getNumValues() ? arg->getValue() : "";
}

std::string Arguments::getName(OptionID id, StringRef otherwise) const {
  std::string value = getString(id, otherwise);
  if (has(id) && value.empty())
    fail(id, spell(getTable().getOption(id)) +
                 "=: the value is empty, expected " +
                 getTable().getOptionMetaVar(id) + ", or no such option");
  return value;
}

std::optional<double> Arguments::getFraction(OptionID id) const {
  if (!has(id))
    return std::nullopt;
  std::string value = getString(id);
  double number;
  if (StringRef(value).getAsDouble(number) || !(number >= 0))
    fail(id, spell(getTable().getOption(id)) + "=" + value +
                 ": expected a number from 0 on");
  return number;
}

std::string Arguments::getChoice(OptionID id, StringRef otherwise) const {
  if (!has(id))
    return otherwise.str();
  std::string value = getString(id);
  const opt::Option option = getTable().getOption(id);
  std::vector<std::string> choices = getTable().suggestValueCompletions(
      "--" + option.getName().str(), /*Arg=*/"");
  if (is_contained(choices, value))
    return value;
  std::string message = spell(option) + "=" + value +
                        ": unknown value, expected " + join(choices, ", ");
  auto distance = [&](StringRef choice) { return choice.edit_distance(value); };
  const std::string &nearest =
      *min_element(choices, [&](const auto &a, const auto &b) {
        return distance(a) < distance(b);
      });
  if (distance(nearest) <= 2)
    message += "; did you mean '" + nearest + "'?";
  fail(id, message);
}

std::vector<std::string> Arguments::getAll(OptionID id) const {
  std::vector<std::string> all;
  for (const opt::Arg *arg : args.filtered(id)) {
    StringRef value = arg->getNumValues() ? arg->getValue() : "";
    if (!arg->getOption().hasFlag(CommaSeparated)) {
      all.push_back(value.str());
      continue;
    }
    for (StringRef part : split(value, ','))
      all.push_back(part.str());
  }
  return all;
}

std::optional<bool> Arguments::getGiven(OptionID id) const {
  const opt::Arg *arg = args.getLastArg(id);
  if (!arg)
    return std::nullopt;
  if (!arg->getNumValues())
    return true;
  StringRef value = arg->getValue();
  if (is_contained({"true", "TRUE", "True", "1", ""}, value))
    return true;
  if (!is_contained({"false", "FALSE", "False", "0"}, value))
    fail(id,
         spell(arg->getOption()) + "=" + value + ": expected true or false");
  return false;
}

int64_t Arguments::getInteger(OptionID id) const {
  const OptionNumber *option =
      findOptionNumber(getTable().getOption(id).getName());
  assert(option && "Options.td does not say that it is a number");
  return getInteger(id, option->value, option->least, option->greatest);
}

int64_t Arguments::getInteger(OptionID id, int64_t otherwise, int64_t low,
                              int64_t high) const {
  if (!has(id))
    return otherwise;
  std::string value = getString(id);
  const OptionNumber bounds{"", otherwise, low, high};
  int64_t number;
  if (StringRef(value).getAsInteger(0, number))
    fail(id, spell(getTable().getOption(id)) + "=" + value +
                 ": expected an integer");
  if (!bounds.takes(number))
    fail(id, spell(getTable().getOption(id)) + "=" + value + ": " +
                 bounds.describe());
  return number;
}

unsigned Arguments::getLevel() const {
  std::string level = getString(OPT_O, "2");
  if (level.size() != 1 || level[0] < '0' || level[0] > '3')
    fail(OPT_O, "-O" + level + " does not exist, expected -O0 to -O3");
  return static_cast<unsigned>(level[0] - '0');
}

bool Arguments::asksForFeatures() const {
  return text.command == Command::Compile &&
         (getFlag(OPT_list_features) || getString(OPT_mcpu) == "help" ||
          getString(OPT_mattr) == "help");
}

std::string Arguments::getOperand(unsigned i) const {
  std::vector<std::string> operands = args.getAllArgValues(OPT_INPUT);
  return i < operands.size() ? operands[i] : "";
}

//===----------------------------------------------------------------------===//
// --config and --save-config
//===----------------------------------------------------------------------===//

/// What a file says of itself, or what only a person at a command line asks.
static bool isOfCommandLine(const opt::Option &option) {
  return is_contained({OPT_INPUT, OPT_config, OPT_save_config, OPT_help,
                       OPT_help_all, OPT_version},
                      option.getID());
}

/// The option of a line, whose arguments are its words; `place` is "x.cfg:3: ".
void Arguments::readConfigLine(ArrayRef<const char *> words,
                               const std::string &place) {
  opt::InputArgList &line = *lines.emplace_back(
      std::make_unique<opt::InputArgList>(words.begin(), words.end()));
  unsigned index = 0;
  auto parse = [&](opt::Visibility commands) {
    index = 0;
    return getTable().ParseOneArg(line, index, commands);
  };
  std::unique_ptr<opt::Arg> arg = parse(maskOf(text));
  if (!arg)
    fail(place + words.front() + ": requires a value");
  if (arg->getOption().matches(OPT_UNKNOWN)) {
    index = 0;
    if (leaveToLLVM(line, index, /*isOfFile=*/true))
      return;
    // One file may serve several verbs.
    arg = parse(opt::Visibility(~0u));
    if (arg && !arg->getOption().matches(OPT_UNKNOWN))
      return;
    fail(place + describeUnknown(words.front()));
  }
  const opt::Option &option = arg->getOption();
  if (option.matches(OPT_INPUT))
    fail(
        place + "'" + words.front() +
        "' is not an option; expected one as on the command line, or a comment "
        "that begins with #");
  if (isOfCommandLine(option))
    fail(place + spell(option) + " is for the command line");
  if (index < words.size())
    fail(place + spell(option) + " takes no value, '" + words.back() +
         "' is given");
  const opt::Arg *other = args.getLastArg(option.getID());
  bool isRepeatable =
      option.hasFlag(Repeatable) || option.hasFlag(CommaSeparated);
  if (other && !places.count(other))
    return;
  if (other && !isRepeatable)
    fail(place + spell(option) + ": given twice, expected at most once");
  places[arg.get()] = place;
  args.append(arg.release());
}

void Arguments::readConfig() {
  if (!has(OPT_config))
    return;
  const std::string path = getName(OPT_config);
  auto contents = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!contents)
    fail("--config=" + path +
         ": cannot be read: " + contents.getError().message());
  StringSaver saver(memory);
  unsigned number = 0;
  for (StringRef text : split((*contents)->getBuffer(), '\n')) {
    ++number;
    text = text.trim();
    if (text.empty() || text.starts_with("#"))
      continue;
    // A value is the rest of the line, spaces included.
    SmallVector<const char *, 2> words;
    size_t end = text.find_first_of("= \t");
    if (end == StringRef::npos || text[end] == '=') {
      words = {saver.save(text).data()};
    } else {
      words = {saver.save(text.take_front(end)).data(),
               saver.save(text.drop_front(end).ltrim()).data()};
    }
    readConfigLine(words, path + ":" + std::to_string(number) + ": ");
  }
}

int Arguments::saveConfig(StringRef input) const {
  if (!has(OPT_save_config))
    return 0;
  const std::string path = getName(OPT_save_config);
  std::string config = "# Options of '" + text.name + "', for --config=.\n";
  for (const opt::Arg *arg : args) {
    const opt::Option &option = arg->getOption();
    if (isOfCommandLine(option))
      continue;
    StringRef value = arg->getNumValues() ? arg->getValue() : "";
    if (value != value.trim() || value.contains('\n'))
      fail("--save-config=" + path + ": the value of " + spell(option) +
           " begins or ends with a space or has several lines, which a line "
           "of the file cannot say");
    config += spell(option);
    if (arg->getNumValues() && option.getKind() != opt::Option::JoinedClass)
      config += "=";
    config += value.str() + "\n";
  }
  for (const auto &[name, line] : libraryOptions)
    config += line + "\n";
  std::string reason = refuseOutput(path, input);
  if (reason.empty())
    if (Error error = writeToOutput(path, [&](raw_ostream &os) {
          os << config;
          return Error::success();
        }))
      reason = "cannot write '" + path + "': " + toString(std::move(error));
  if (reason.empty())
    return 0;
  errs() << text.name << ": " << reason << "\n";
  return status::model;
}

//===----------------------------------------------------------------------===//
// --help
//===----------------------------------------------------------------------===//

/// Whether --help-all lists it.
static bool isListed(const opt::Option &option, const CommandText &text,
                     bool isHidden) {
  return option.getKind() != opt::Option::GroupClass &&
         !option.getAlias().isValid() &&
         option.hasVisibilityFlag(static_cast<unsigned>(text.command)) &&
         (isHidden || !option.hasFlag(HelpHidden));
}

/// "-o <file>", as a user writes it.
static std::string spellWithValue(const opt::Option &option, Command command) {
  std::string name = spell(option);
  const char *value = getTable().getOptionMetaVar(option.getID());
  if (!value)
    return name;
  const bool isOptional = option.hasFlag(ValueOptional);
  // An optional value of onnxc's is none of onnx-optimize.
  if (isOptional)
    return command == Command::Optimize
               ? name
               : name + "[=<" + std::string(value) + ">]";
  return name +
         (option.getID() == OPT_O        ? "<"
          : option.getName().size() == 1 ? " <"
                                         : "=<") +
         value + ">";
}

/// The same, with its longer name.
static std::string spellAll(const opt::Option &option, Command command) {
  std::string name = spellWithValue(option, command);
  for (unsigned id = OPT_UNKNOWN + 1; id <= getTable().getNumOptions(); ++id) {
    const opt::Option other = getTable().getOption(id);
    StringRef longer = other.getName();
    if (other.getAlias().isValid() &&
        other.getAlias().getID() == option.getID() &&
        option.getName().size() == 1 && longer.size() > 1 &&
        !longer.ends_with("="))
      name +=
          ", --" + longer.str() +
          (getTable().getOptionMetaVar(option.getID())
               ? "=<" +
                     std::string(getTable().getOptionMetaVar(option.getID())) +
                     ">"
               : "");
  }
  return name;
}

/// What an option is for in a few words: the first clause of what --help-all
/// says, if need be its beginning.
static std::string shorten(StringRef help, size_t room) {
  size_t end = help.size();
  for (StringRef mark : {"; ", ": ", " ("})
    end = std::min(end, help.find(mark));
  for (size_t at = help.find(". "); at < end; at = help.find(". ", at + 1))
    if (isUpper(help[at + 2]))
      end = at;
  StringRef clause = help.take_front(end);
  if (clause.size() <= room)
    return clause.str();
  constexpr StringLiteral more = " ...";
  clause = clause.take_front(room - more.size());
  return (clause.take_front(clause.rfind(' ')) + more).str();
}

void Arguments::printBriefHelp() const {
  constexpr size_t columns = 100;
  outs() << StringRef(text.overview).rtrim() << "\n\nUSAGE: " << text.name
         << " [options] " << text.operands << "\n";
  struct Line {
    std::string name, help;
  };
  // By the group's name, which is its place.
  std::map<StringRef, std::pair<StringRef, std::vector<Line>>> groups;
  size_t width = 0;
  bool isComplete = true;
  for (unsigned id = OPT_UNKNOWN + 1; id <= getTable().getNumOptions(); ++id) {
    const opt::Option option = getTable().getOption(id);
    if (!isListed(option, text, /*isHidden=*/false))
      continue;
    if (option.hasFlag(Advanced)) {
      isComplete = false;
      continue;
    }
    const opt::Option group = option.getGroup();
    auto &[title, lines] = groups[group.getName()];
    title = getTable().getOptionHelpText(group.getID());
    std::string name = spellAll(option, text.command);
    width = std::max(width, name.size());
    lines.push_back({std::move(name),
                     getOptionHelp(static_cast<OptionID>(id), text.command)});
  }
  for (const auto &[order, group] : groups) {
    outs() << group.first << "\n";
    for (const Line &line : group.second)
      outs() << "  " << left_justify(line.name, static_cast<unsigned>(width))
             << "  " << shorten(line.help, columns - width - 4) << "\n";
  }
  outs() << StringRef(text.brief.empty() ? text.more : text.brief).rtrim()
         << "\n"
         << (isComplete ? "--help-all says more of each option.\n"
                        : "--help-all lists more options, and says more of "
                          "each.\n");
}

void Arguments::printHelp(bool isHidden) const {
  outs() << "OVERVIEW: " << text.overview << "\nUSAGE: " << text.name
         << " [options] " << text.operands << "\n\nOPTIONS:\n\n";
  std::vector<std::pair<std::string, std::string>> lines;
  size_t width = 0;
  for (unsigned id = OPT_UNKNOWN + 1; id <= getTable().getNumOptions(); ++id) {
    const opt::Option option = getTable().getOption(id);
    if (!isListed(option, text, isHidden))
      continue;
    std::string name = spellAll(option, text.command);
    width = std::max(width, name.size());
    lines.emplace_back(std::move(name),
                       getOptionHelp(static_cast<OptionID>(id), text.command));
  }
  for (const auto &[name, help] : lines)
    outs() << "  " << left_justify(name, static_cast<unsigned>(width)) << " - "
           << help << "\n";
  outs() << text.more;
}
