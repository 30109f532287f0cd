//===- Header.cpp - The C header of a model -------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header is for people first: it says what the model takes and gives, and
// offers one function whose arguments are the model's inputs and outputs. All
// of it but the query function is inline, on top of onnxc/runtime.h, which a
// standalone header has in it.
//
//===----------------------------------------------------------------------===//

#include "Header.h"

#include "Freestanding.h"

#include "onnxc/runtime.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using llvm::StringRef;

namespace onnxc {

/// From its guard on: the comment before it is about the file.
static constexpr llvm::StringLiteral runtimeHeader =
#include "RuntimeHeader.inc"
    ;

namespace {

/// The C type of an element, and words for what it does not say.
struct ElementType {
  StringRef type;
  StringRef note;
};

/// An input or output as an argument.
struct Argument {
  const ValueInfo *info;
  std::string name;
  /// An expression for each dimension: a number or the name of a size argument.
  std::vector<std::string> dims;
  /// Some dimensions are known after a run only.
  bool isTensor = false;
};

/// Which of the functions that run the model.
enum class RunKind {
  /// The inputs that a run must have.
  Required,
  /// Those with default values, too.
  Overriding
};

/// A size that the caller gives.
struct SizeArgument {
  std::string name;
  std::string meaning;
};

class HeaderWriter {
public:
  HeaderWriter(const ModelInfo &info, StringRef prefix, bool standalone,
               llvm::raw_ostream &os)
      : info(info), prefix(prefix), standalone(standalone), os(os) {
    nameArguments();
  }

  void write() {
    writeTop();
    writeQuery();
    writeCounts();
    writePulses();
    writeRun(RunKind::Required);
    if (!overridable.empty())
      writeRun(RunKind::Overriding);
    if (!info.states.empty())
      writeStates();
    writeEnd();
  }

  void writeFreestanding();

private:
  void nameArguments();
  void nameSizes(Argument &input, std::vector<SizeArgument> &added);
  std::string uniqueName(StringRef name, StringRef fallback);

  std::string guard() const { return "ONNXC_MODEL_" + prefix.str() + "_H"; }
  void writeTop();
  void writeRuntime();
  void writeDescription();
  void writeGuard(StringRef include);
  void writeTable(StringRef title, llvm::ArrayRef<ValueInfo> values);
  void writeQuery();
  void writeCounts();
  void writePulses();
  void writePulseTable();
  void writeRun(RunKind kind);
  void writeRunComment(RunKind kind);
  void writeStateTable();
  void writeStates();
  void writeEnd();
  /// A line for each, in a comment.
  void describe(const std::vector<Argument> &arguments, StringRef what,
                StringRef more);
  std::vector<Argument> argumentsOf(RunKind kind) const;
  void writeTensor(StringRef array, size_t index, const Argument &argument);

  const ModelInfo &info;
  StringRef prefix;
  bool standalone;
  llvm::raw_ostream &os;
  llvm::StringSet<> taken;
  std::vector<std::pair<std::string, std::string>> sizeOfSymbol;
  std::vector<SizeArgument> sizes;
  /// What the inputs with default values add to them.
  std::vector<SizeArgument> overridableSizes;
  std::vector<Argument> inputs, overridable, outputs;
};

} // namespace

static ElementType elementType(int32_t dtype) {
  switch (dtype) {
  case ONNXC_FLOAT:
    return {"float", ""};
  case ONNXC_DOUBLE:
    return {"double", ""};
  case ONNXC_INT8:
    return {"int8_t", ""};
  case ONNXC_INT16:
    return {"int16_t", ""};
  case ONNXC_INT32:
    return {"int32_t", ""};
  case ONNXC_INT64:
    return {"int64_t", ""};
  case ONNXC_UINT8:
    return {"uint8_t", ""};
  case ONNXC_UINT16:
    return {"uint16_t", ""};
  case ONNXC_UINT32:
    return {"uint32_t", ""};
  case ONNXC_UINT64:
    return {"uint64_t", ""};
  case ONNXC_BOOL:
    return {"bool", ""};
  case ONNXC_FLOAT16:
  case ONNXC_BFLOAT16:
    return {"uint16_t", "as bits"};
  case ONNXC_COMPLEX64:
    return {"float", "as pairs (real, imaginary)"};
  case ONNXC_COMPLEX128:
    return {"double", "as pairs (real, imaginary)"};
  case ONNXC_STRING:
    return {"char *", "NUL-terminated UTF-8"};
  case ONNXC_INT4:
  case ONNXC_INT2:
    return {"int8_t", "one element per byte"};
  case ONNXC_UINT4:
  case ONNXC_UINT2:
    return {"uint8_t", "one element per byte"};
  default:
    return {"uint8_t", "as bits, one element per byte"};
  }
}

/// Text from a model in a comment: on one line, and it does not end it.
static std::string commentText(StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '/' && !result.empty() && result.back() == '*')
      result += ' ';
    if (c == '*' && !result.empty() && result.back() == '/')
      result += ' ';
    result += static_cast<unsigned char>(c) < 32 || c == 127 ? ' ' : c;
  }
  return result;
}

static std::string shapeText(const ValueInfo &value) {
  std::string text = onnxc_dtype_name(value.dtype);
  if (!value.ranked)
    return StringRef(value.type).starts_with("tensor(") ? text + " of any rank"
                                                        : value.type;
  std::vector<std::string> dims;
  for (auto [size, symbol] : llvm::zip(value.dims, value.symbols))
    dims.push_back(size >= 0        ? std::to_string(size)
                   : symbol.empty() ? "?"
                                    : commentText(symbol));
  return text + " [" + llvm::join(dims, ", ") + "]";
}

/// The product of fixed dimensions, unless it does not fit an enumerator of C.
static std::optional<int64_t> smallCount(const ValueInfo &value) {
  int64_t count = 1;
  if (!value.isStatic())
    return std::nullopt;
  for (int64_t size : value.dims)
    if (llvm::MulOverflow(count, size, count) || count > INT32_MAX)
      return std::nullopt;
  return count;
}

/// Words that C or C++ or their usual macros have taken, and what the generated
/// functions use themselves.
/// Long: one list.
static bool isReserved(StringRef name) {
  static const StringRef words[] = {"alignas",
                                    "alignof",
                                    "and",
                                    "and_eq",
                                    "asm",
                                    "auto",
                                    "bitand",
                                    "bitor",
                                    "bool",
                                    "break",
                                    "case",
                                    "catch",
                                    "char",
                                    "class",
                                    "compl",
                                    "concept",
                                    "const",
                                    "consteval",
                                    "constexpr",
                                    "constinit",
                                    "const_cast",
                                    "continue",
                                    "decltype",
                                    "default",
                                    "delete",
                                    "do",
                                    "double",
                                    "dynamic_cast",
                                    "else",
                                    "enum",
                                    "explicit",
                                    "export",
                                    "extern",
                                    "false",
                                    "float",
                                    "for",
                                    "friend",
                                    "goto",
                                    "if",
                                    "inline",
                                    "int",
                                    "long",
                                    "mutable",
                                    "namespace",
                                    "new",
                                    "noexcept",
                                    "not",
                                    "not_eq",
                                    "nullptr",
                                    "operator",
                                    "or",
                                    "or_eq",
                                    "private",
                                    "protected",
                                    "public",
                                    "register",
                                    "reinterpret_cast",
                                    "requires",
                                    "restrict",
                                    "return",
                                    "short",
                                    "signed",
                                    "sizeof",
                                    "static",
                                    "static_assert",
                                    "static_cast",
                                    "struct",
                                    "switch",
                                    "template",
                                    "this",
                                    "thread_local",
                                    "throw",
                                    "true",
                                    "try",
                                    "typedef",
                                    "typeid",
                                    "typename",
                                    "typeof",
                                    "union",
                                    "unsigned",
                                    "using",
                                    "virtual",
                                    "void",
                                    "volatile",
                                    "wchar_t",
                                    "while",
                                    "xor",
                                    "xor_eq",
                                    "errno",
                                    "stdin",
                                    "stdout",
                                    "stderr",
                                    "linux",
                                    "unix",
                                    "i386",
                                    "complex",
                                    "imaginary",
                                    "assert",
                                    "noreturn",
                                    "arena",
                                    "context",
                                    "dims",
                                    "status",
                                    "model_inputs",
                                    "model_outputs"};
  return llvm::is_contained(words, name) || name.starts_with("onnxc_") ||
         name.ends_with("_t") || name.upper() == name.str();
}

/// A C identifier that no other argument has, in whatever case.
std::string HeaderWriter::uniqueName(StringRef name, StringRef fallback) {
  std::string base;
  for (char c : name)
    base += llvm::isAlnum(c) ? c : '_';
  StringRef trimmed = StringRef(base).trim('_');
  base = trimmed.empty() ? fallback.str() : trimmed.str();
  if (llvm::isDigit(base.front()))
    base = fallback.str() + base;
  // One capital letter is a name; more of them are often macros.
  if (base.size() > 1 && isReserved(base))
    base += "_";
  std::string unique = base;
  for (int n = 2; !taken.insert(StringRef(unique).lower()).second; ++n)
    unique = base + "_" + std::to_string(n);
  return unique;
}

/// The sizes of an input: numbers, and arguments, of which new ones are added.
void HeaderWriter::nameSizes(Argument &input,
                             std::vector<SizeArgument> &added) {
  input.isTensor = !input.info->ranked;
  for (auto [axis, size] : llvm::enumerate(input.info->dims)) {
    if (size >= 0) {
      input.dims.push_back(std::to_string(size));
      continue;
    }
    StringRef symbol = input.info->symbols[axis];
    auto known = llvm::find_if(sizeOfSymbol, [&](const auto &entry) {
      return !symbol.empty() && entry.first == symbol;
    });
    if (known != sizeOfSymbol.end()) {
      input.dims.push_back(known->second);
      continue;
    }
    std::string own = input.name + "_dim" + std::to_string(axis);
    std::string name =
        uniqueName(symbol.empty() ? StringRef(own) : symbol, "size");
    if (!symbol.empty())
      sizeOfSymbol.push_back({symbol.str(), name});
    added.push_back(
        {name, "dimension " + std::to_string(axis) + " of " + input.name});
    input.dims.push_back(name);
  }
}

void HeaderWriter::nameArguments() {
  llvm::ArrayRef<ValueInfo> given(info.inputs);
  // Arrays first: their names matter more.
  for (const ValueInfo &value : given.take_front(info.numRequired()))
    inputs.push_back({&value, uniqueName(value.name, "input"), {}, false});
  for (const ValueInfo &value : given.drop_front(info.numRequired()))
    overridable.push_back({&value, uniqueName(value.name, "input"), {}, false});
  for (const ValueInfo &value : info.outputs)
    outputs.push_back({&value, uniqueName(value.name, "output"), {}, false});

  for (Argument &input : inputs)
    nameSizes(input, sizes);
  // An output's size is named by an argument of both functions.
  auto sizesOfRequired = sizeOfSymbol;
  for (Argument &input : overridable)
    nameSizes(input, overridableSizes);
  for (Argument &output : outputs) {
    output.isTensor = !output.info->ranked;
    for (size_t axis = 0; axis < output.info->dims.size(); ++axis) {
      int64_t size = output.info->dims[axis];
      const std::string &symbol = output.info->symbols[axis];
      auto known = llvm::find_if(sizesOfRequired, [&](const auto &entry) {
        return entry.first == symbol;
      });
      if (size >= 0)
        output.dims.push_back(std::to_string(size));
      else if (known != sizesOfRequired.end())
        output.dims.push_back(known->second);
      else
        output.isTensor = true;
    }
  }
}

void HeaderWriter::writeTable(StringRef title,
                              llvm::ArrayRef<ValueInfo> values) {
  os << "   " << title << ":" << (values.empty() ? " none" : "") << "\n";
  for (const ValueInfo &value : values)
    os << "     " << commentText(value.name) << "  " << shapeText(value)
       << "\n";
}

/// The begin of the comment that the header begins with.
void HeaderWriter::writeDescription() {
  os << "/* The model '"
     << (info.name.empty() ? prefix.str() : commentText(info.name))
     << "', compiled by onnxc. This file is generated.\n";
  if (info.opset) {
    os << "   ONNX operator set " << info.opset;
    if (!info.producer.empty())
      os << ", written by " << commentText(info.producer);
    os << ".\n";
  }
  os << "\n";
  llvm::ArrayRef<ValueInfo> given(info.inputs);
  writeTable("Inputs", given.take_front(inputs.size()));
  if (!overridable.empty())
    writeTable("Inputs with default values", given.drop_front(inputs.size()));
  writeTable("Outputs", info.outputs);
  if (!info.states.empty())
    writeStateTable();
  writePulseTable();
}

void HeaderWriter::writePulseTable() {
  if (llvm::none_of(info.outputs,
                    [](const ValueInfo &output) { return output.pulse; }))
    return;
  os << "   A run takes a pulse of a sequence. Pulses of an output behind "
        "each\n"
        "   other are the output for the whole sequence, behind the delay:\n";
  int64_t lookahead = -1;
  for (const ValueInfo &output : info.outputs) {
    PulseAttr pulse = output.pulse;
    if (!pulse)
      continue;
    os << "     pulse: output '" << commentText(output.name) << "': axis "
       << pulse.getAxis() << ", " << pulse.getPositions() << " positions for "
       << pulse.getInputPositions() << " of the input, delay "
       << pulse.getDelay() << "\n";
    lookahead = std::max(lookahead, pulse.getLookahead());
  }
  if (lookahead >= 0)
    os << "   Set the state that ends in .length to the length of the whole\n"
          "   sequence before the run with which more than that less "
       << lookahead << "\n   positions have come.\n";
}

void HeaderWriter::writeStateTable() {
  os << "   States, which the context keeps from run to run:\n";
  for (const StateInfo &state : info.states) {
    os << "     " << commentText(state.value.name) << "  "
       << shapeText(state.value) << ", then " << commentText(state.output);
    if (state.axis >= 0)
      os << "; grows in dimension " << state.axis;
    os << "\n";
  }
}

void HeaderWriter::writeTop() {
  writeDescription();
  os << "\n   A context is needed to run it: one per thread.\n\n"
     << "     onnxc_context *context;\n"
     << "     onnxc_status status = " << prefix << "_create(NULL, &context);\n"
     << "     status = " << prefix << "_run(context, ...);\n"
     << "     if (status != ONNXC_OK)\n"
     << "       fprintf(stderr, \"%s\\n\", onnxc_error(context));\n"
     << "     onnxc_destroy(context); */\n\n";
  if (standalone)
    writeRuntime();
  writeGuard(standalone ? "" : "onnxc/runtime.h");
}

/// With the guard that it has as a file: headers of several models, and the
/// file itself, can be included in any order.
void HeaderWriter::writeRuntime() {
  os << "/* From here to its #endif, onnxc/runtime.h, a part of the onnxc "
        "project, under the\n   Apache License v2.0 with LLVM Exceptions.\n"
        "   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */\n\n"
     << runtimeHeader.trim() << "\n\n";
}

void HeaderWriter::writeGuard(StringRef include) {
  os << "#ifndef " << guard() << "\n#define " << guard() << "\n";
  if (!include.empty())
    os << "\n#include <" << include << ">\n";
  auto isBool = [](const ValueInfo &value) {
    return value.dtype == ONNXC_BOOL;
  };
  if (llvm::any_of(info.inputs, isBool) || llvm::any_of(info.outputs, isBool))
    os << "\n#ifndef __cplusplus\n#include <stdbool.h>\n#endif\n";
  os << "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
}

void HeaderWriter::writeQuery() {
  os << "/* Describes the model, and holds its functions; NULL if it does not "
        "speak this\n   version of onnxc/runtime.h. */\n"
     << "const onnxc_model *" << prefix << "_query(uint32_t abi_version);\n\n"
     << "/* Creates a context; see onnxc_create. */\n"
     << "static inline onnxc_status " << prefix
     << "_create(const onnxc_options *options,\n"
     << "                                        onnxc_context **context) {\n"
     << "  const onnxc_model *model = " << prefix
     << "_query(ONNXC_ABI_VERSION);\n"
     << "  if (!model)\n"
     << "    return ONNXC_ABI_MISMATCH;\n"
     << "  return onnxc_create(model, options, context);\n}\n\n";
}

void HeaderWriter::writeCounts() {
  std::vector<std::string> lines;
  for (const auto *arguments : {&inputs, &overridable, &outputs})
    for (const Argument &argument : *arguments)
      if (std::optional<int64_t> count = smallCount(*argument.info))
        lines.push_back("  " + prefix.str() + "_" + argument.name +
                        "_elements = " + std::to_string(*count));
  if (!lines.empty())
    os << "/* How many elements the arrays have. */\nenum {\n"
       << llvm::join(lines, ",\n") << "\n};\n\n";
}

void HeaderWriter::writePulses() {
  std::vector<std::string> lines;
  for (const Argument &output : outputs)
    if (PulseAttr pulse = output.info->pulse) {
      std::string start = "  " + prefix.str() + "_" + output.name;
      lines.push_back(start +
                      "_pulse = " + std::to_string(pulse.getPositions()));
      lines.push_back(start + "_delay = " + std::to_string(pulse.getDelay()));
    }
  if (!lines.empty())
    os << "/* Positions of the outputs per run, and how many come before the\n"
          "   first of the sequence. */\nenum {\n"
       << llvm::join(lines, ",\n") << "\n};\n\n";
}

std::vector<Argument> HeaderWriter::argumentsOf(RunKind kind) const {
  std::vector<Argument> all = inputs;
  if (kind == RunKind::Overriding)
    all.insert(all.end(), overridable.begin(), overridable.end());
  return all;
}

void HeaderWriter::describe(const std::vector<Argument> &arguments,
                            StringRef what, StringRef more) {
  for (const Argument &argument : arguments) {
    StringRef note = elementType(argument.info->dtype).note;
    os << "     " << argument.name << "  " << what << " '"
       << commentText(argument.info->name) << "', " << shapeText(*argument.info)
       << (note.empty() ? "" : ", ") << note << more << "\n";
  }
}

void HeaderWriter::writeRunComment(RunKind kind) {
  if (kind == RunKind::Required)
    os << "/* Runs the model; see onnxc_run. Arrays are dense and row-major.\n";
  else
    os << "\n/* The same with inputs that have default values: where a pointer "
          "to one is\n   NULL, it has its default value, and its sizes do not "
          "matter.\n";
  auto describeSizes = [&](const std::vector<SizeArgument> &described) {
    for (const SizeArgument &size : described)
      os << "     " << size.name << "  " << commentText(size.meaning) << "\n";
  };
  describeSizes(sizes);
  if (kind == RunKind::Overriding)
    describeSizes(overridableSizes);
  describe(inputs, "input", "");
  if (kind == RunKind::Overriding)
    describe(overridable, "input", "; NULL: the model's default value");
  describe(outputs, "output", "");
  if (llvm::any_of(outputs, [](const Argument &a) { return a.isTensor; }))
    os << "   The sizes of some outputs are known after the run only: prepare "
          "these with\n   onnxc_output_buffer, and find their dimensions in "
          "them. */\n";
  else
    os << "   */\n";
}

void HeaderWriter::writeTensor(StringRef array, size_t index,
                               const Argument &argument) {
  os << "  ";
  if (argument.isTensor) {
    os << array << "[" << index << "] = *" << argument.name << ";\n";
    return;
  }
  bool hasDims = !argument.dims.empty();
  if (hasDims)
    os << "{\n    const int64_t dims[] = {" << llvm::join(argument.dims, ", ")
       << "};\n    ";
  os << array << "[" << index << "] = onnxc_tensor_over(" << argument.name
     << ", " << argument.info->dtype << ", " << argument.dims.size() << ", "
     << (hasDims ? "dims" : "NULL") << ");\n";
  if (hasDims)
    os << "  }\n";
}

/// An argument of type `argument`: "const float *x".
static std::string pointerTo(const Argument &argument, bool isConst,
                             bool has32BitAddresses) {
  StringRef type = elementType(argument.info->dtype).type;
  if (argument.info->dtype == ONNXC_STRING && has32BitAddresses)
    type = "onnxc_string";
  bool isPointer = type.ends_with("*");
  std::string text = isPointer ? "const " : isConst ? "const " : "";
  text += type;
  if (isPointer && isConst)
    text += "const ";
  return text +
         (isPointer && !isConst ? "*"
          : isPointer           ? "*"
                                : " *") +
         argument.name;
}

void HeaderWriter::writeFreestanding() {
  std::string macro = prefix.upper();
  writeDescription();
  os << "\n   It needs no operating system and allocates nothing: a run takes "
        "the caller's\n   buffer for intermediate results, and what it leaves "
        "there is not read again.\n\n"
     << "     static _Alignas(" << macro
     << "_ARENA_ALIGNMENT) unsigned char arena[" << macro << "_ARENA_BYTES];\n"
     << "     const char *error = " << prefix << "_run(arena, ...);\n"
     << "     if (error)\n       ... */\n\n";
  writeGuard("stdint.h");
  os << "/* Of the buffer for intermediate results. */\n"
     << "#define " << macro << "_ARENA_BYTES " << getArenaBytes(info) << "\n"
     << "#define " << macro << "_ARENA_ALIGNMENT " << arenaAlignment << "\n"
     << "/* Of the constants, in a read-only section: .rodata." << prefix
     << "_weights. */\n"
     << "#define " << macro << "_WEIGHT_BYTES " << info.weightBytes << "\n\n";
  writeCounts();
  os << "/* Runs the model, and returns NULL, or what went wrong. Arrays are "
        "dense and\n   row-major. Two runs at a time need two arenas.\n"
     << "     arena  " << macro << "_ARENA_BYTES bytes, aligned to " << macro
     << "_ARENA_ALIGNMENT\n";
  describe(inputs, "input", "");
  describe(outputs, "output", "");
  os << "   */\n";
  std::vector<std::string> parameters = {"void *arena"};
  for (const Argument &input : inputs)
    parameters.push_back(
        pointerTo(input, /*isConst=*/true, info.has32BitAddresses));
  for (const Argument &output : outputs)
    parameters.push_back(
        pointerTo(output, /*isConst=*/false, info.has32BitAddresses));
  os << "const char *" << prefix << "_run(" << llvm::join(parameters, ",\n    ")
     << ");\n";
  writeEnd();
}

void HeaderWriter::writeRun(RunKind kind) {
  writeRunComment(kind);
  std::vector<Argument> given = argumentsOf(kind);
  std::vector<std::string> parameters = {"onnxc_context *context"};
  for (const SizeArgument &size : sizes)
    parameters.push_back("int64_t " + size.name);
  if (kind == RunKind::Overriding)
    for (const SizeArgument &size : overridableSizes)
      parameters.push_back("int64_t " + size.name);
  for (const Argument &input : given)
    parameters.push_back(input.isTensor ? "const onnxc_tensor *" + input.name
                                        : pointerTo(input, /*isConst=*/true,
                                                    info.has32BitAddresses));
  for (const Argument &output : outputs)
    parameters.push_back(output.isTensor ? "onnxc_tensor *" + output.name
                                         : pointerTo(output, /*isConst=*/false,
                                                     info.has32BitAddresses));
  os << "static inline onnxc_status " << prefix
     << (kind == RunKind::Overriding ? "_run_overriding(" : "_run(")
     << llvm::join(parameters, ",\n    ") << ") {\n";
  if (!given.empty())
    os << "  onnxc_tensor model_inputs[" << given.size() << "];\n";
  if (!outputs.empty())
    os << "  onnxc_tensor model_outputs[" << outputs.size() << "];\n";
  os << "  onnxc_status status;\n";
  std::vector<std::string> nulls;
  for (const Argument &input : inputs)
    if (input.isTensor)
      nulls.push_back("!" + input.name);
  for (const Argument &output : outputs)
    nulls.push_back("!" + output.name);
  // A NULL array would mean memory of the context, which no caller could find.
  if (!nulls.empty())
    os << "  if (" << llvm::join(nulls, " || ")
       << ")\n    return ONNXC_INVALID_ARGUMENT;\n";
  for (auto [index, input] : llvm::enumerate(given))
    writeTensor("model_inputs", index, input);
  for (auto [index, output] : llvm::enumerate(outputs))
    writeTensor("model_outputs", index, output);
  os << "  status = onnxc_run(context, "
     << (given.empty() ? "NULL" : "model_inputs") << ", " << given.size()
     << ", " << (outputs.empty() ? "NULL" : "model_outputs") << ", "
     << outputs.size() << ");\n";
  for (auto [index, output] : llvm::enumerate(outputs))
    if (output.isTensor)
      os << "  *" << output.name << " = model_outputs[" << index << "];\n";
  os << "  return status;\n}\n";
}

/// What stands before the parameters of a function of states, and its call.
static void writeStateFunction(llvm::raw_ostream &os, StringRef prefix,
                               StringRef comment, StringRef result,
                               StringRef name, StringRef parameters,
                               StringRef arguments) {
  os << "\n/* " << comment << " */\nstatic inline " << result << " " << prefix
     << "_" << name << "(" << parameters << ") {\n  return onnxc_" << name
     << "(" << arguments << ");\n}\n";
}

void HeaderWriter::writeStates() {
  os << "\n/* The numbers of the states. */\nenum {\n";
  for (auto [number, state] : llvm::enumerate(info.states))
    os << (number ? ",\n" : "") << "  " << prefix << "_state_"
       << uniqueName("state_" + state.value.name, "state").substr(6) << " = "
       << number;
  os << "\n};\n";
  StringRef context = "onnxc_context *context", status = "onnxc_status";
  writeStateFunction(os, prefix, "Starts anew; see onnxc_reset.", status,
                     "reset", context, "context");
  writeStateFunction(os, prefix,
                     "How long the states that grow are; see "
                     "onnxc_state_length.",
                     "int64_t", "state_length", "const onnxc_context *context",
                     "context");
  writeStateFunction(os, prefix,
                     "Cuts all states off behind `length`; see "
                     "onnxc_state_truncate.",
                     status, "state_truncate",
                     "onnxc_context *context, int64_t length",
                     "context, -1, length");
  writeStateFunction(
      os, prefix, "Writes the states as bytes; see onnxc_state_save.", status,
      "state_save", "onnxc_context *context, void *bytes, uint64_t *size",
      "context, bytes, size");
  writeStateFunction(os, prefix,
                     "Takes over states that were written as bytes; see "
                     "onnxc_state_load.",
                     status, "state_load",
                     "onnxc_context *context, const void *bytes, uint64_t size",
                     "context, bytes, size");
  writeStateFunction(os, prefix,
                     "Another context with the same states; see "
                     "onnxc_state_fork.",
                     status, "state_fork",
                     "onnxc_context *context, onnxc_context **other",
                     "context, other");
}

void HeaderWriter::writeEnd() {
  os << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard() << " */\n";
}

void writeFreestandingHeader(const ModelInfo &info, StringRef prefix,
                             llvm::raw_ostream &os) {
  HeaderWriter(info, prefix, /*standalone=*/true, os).writeFreestanding();
}

void writeHeader(const ModelInfo &info, StringRef prefix, bool standalone,
                 llvm::raw_ostream &os) {
  HeaderWriter(info, prefix, standalone, os).write();
}

} // namespace onnxc
