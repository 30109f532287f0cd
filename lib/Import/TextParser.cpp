//===- TextParser.cpp - Models in ONNX's textual syntax -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result is the message that onnx.parser makes of the same text, down to
// which empty fields are present, but for what that drops or leaves half done:
// lists of tensors, graphs and types, and whole numbers for a float.
//
//===----------------------------------------------------------------------===//

#include "TextParser.h"

#include "TextLexer.h"
#include "onnxc/Proto/ProtoWriter.h"

#include "llvm/ADT/StringExtras.h"
#include <cstdlib>

using namespace llvm;
using namespace onnxc;
using onnx::AttributeProto;
using onnx::TensorProto;

namespace {
class TextParser {
public:
  TextParser(StringRef text, unsigned maxDepth, ErrorSink error)
      : lexer(text), maxDepth(maxDepth), error(error), token(lexer.lex()) {}

  LogicalResult parseModel(onnx::ModelProto &model);

private:
  using Infos = Repeated<onnx::ValueInfoProto>;
  using Tensors = Repeated<TensorProto>;
  using Strings = Repeated<std::string>;

  // Tokens.
  void next() { token = lexer.lex(); }
  LogicalResult fail(const Twine &message);
  LogicalResult failExpecting(const Twine &what);
  bool consumeIf(char c);
  LogicalResult expect(char c);
  LogicalResult expectArrow();
  bool isWord() const { return token.kind == Token::Identifier; }
  LogicalResult parseWord(std::string &word, const Twine &what);
  LogicalResult parseName(std::string &name, const Twine &what);
  LogicalResult parseString(std::string &text);
  template <typename Number> LogicalResult parseInteger(Number &number);
  template <typename Number> LogicalResult parseReal(Number &number);
  /// Elements up to `close`, at least one unless `mayBeEmpty`.
  LogicalResult parseList(char close, bool mayBeEmpty,
                          function_ref<LogicalResult()> parseElement);
  /// `key: value, ...>`; `parseValue` is given the key, and fails without a
  /// word at one that it does not know.
  LogicalResult
  parseHeader(StringRef keys,
              function_ref<std::optional<LogicalResult>(StringRef)> parseValue);

  // Types and tensors.
  bool isType() const;
  LogicalResult parseElementType(int32_t &type);
  template <typename Tensor> LogicalResult parseTensorType(Tensor &tensor);
  LogicalResult parseType(onnx::TypeProto &type);
  LogicalResult parseValueInfo(onnx::ValueInfoProto &info);
  LogicalResult parseTensor(const onnx::TypeProto &type, TensorProto &tensor);
  LogicalResult parseElement(TensorProto &tensor);
  LogicalResult parsePairs(Repeated<onnx::StringStringEntryProto> &pairs);
  LogicalResult parseOpsets(Repeated<onnx::OperatorSetIdProto> &opsets);

  // Attributes and nodes.
  LogicalResult parseAttribute(AttributeProto &attribute);
  LogicalResult parseAttributeRest(AttributeProto &attribute);
  LogicalResult parseAttributeValue(AttributeProto &attribute);
  LogicalResult parseAttributeList(AttributeProto &attribute);
  LogicalResult parseSingleValue(AttributeProto &value);
  LogicalResult parseAttributes(Repeated<AttributeProto> &attributes);
  LogicalResult parseOperands(Strings &names);
  LogicalResult parseNode(onnx::NodeProto &node);
  LogicalResult parseNodes(Repeated<onnx::NodeProto> &nodes);

  // Graphs and functions.
  LogicalResult parseInitialized(onnx::ValueInfoProto &info, bool &hasData,
                                 Tensors &initializers);
  /// Behind its name.
  LogicalResult parseGraph(onnx::GraphProto &graph);
  LogicalResult parseParameters(Strings &names, Infos &infos);
  LogicalResult parseFunction(onnx::FunctionProto &function);

  /// Fails beyond `maxDepth`, counted while the object lives.
  struct Nesting {
    explicit Nesting(TextParser &parser) : depth(parser.depth) { ++depth; }
    ~Nesting() { --depth; }
    unsigned &depth;
  };
  LogicalResult checkDepth() {
    return depth <= maxDepth
               ? success()
               : fail("nested more than " + Twine(maxDepth) + " deep");
  }

  TextLexer lexer;
  unsigned maxDepth;
  unsigned depth = 0;
  ErrorSink error;
  Token token;
};
} // namespace

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

LogicalResult TextParser::fail(const Twine &message) {
  error(lexer.describePosition(token.offset) + ": " + message);
  return failure();
}

LogicalResult TextParser::failExpecting(const Twine &what) {
  if (token.kind == Token::Error)
    return fail(token.text);
  if (token.kind == Token::End)
    return fail("unexpected end of the text, expected " + what);
  return fail("unexpected '" + token.text.take_front(40) + "', expected " +
              what);
}

bool TextParser::consumeIf(char c) {
  if (!token.is(c))
    return false;
  next();
  return true;
}

LogicalResult TextParser::expect(char c) {
  if (consumeIf(c))
    return success();
  return failExpecting("'" + Twine(c) + "'");
}

LogicalResult TextParser::expectArrow() {
  if (token.kind != Token::Arrow)
    return failExpecting("'=>'");
  next();
  return success();
}

LogicalResult TextParser::parseWord(std::string &word, const Twine &what) {
  if (!isWord())
    return failExpecting(what);
  word = token.text.str();
  next();
  return success();
}

/// What is not a word stands in quotes.
LogicalResult TextParser::parseName(std::string &name, const Twine &what) {
  if (token.kind != Token::String)
    return parseWord(name, what);
  return parseString(name);
}

LogicalResult TextParser::parseString(std::string &text) {
  if (token.kind != Token::String)
    return failExpecting("a string");
  text = unescape(token.text);
  next();
  return success();
}

template <typename Number>
LogicalResult TextParser::parseInteger(Number &number) {
  if (token.kind != Token::Integer)
    return failExpecting("an integer");
  if (token.text.getAsInteger(10, number))
    return fail("'" + token.text + "' does not fit " +
                Twine(8 * sizeof(Number)) + " bits");
  next();
  return success();
}

template <typename Number> LogicalResult TextParser::parseReal(Number &number) {
  bool isNumber = token.kind == Token::Integer || token.kind == Token::Float ||
                  (isWord() && isSpecialFloat(token.text));
  if (!isNumber)
    return failExpecting("a number");
  // Of its own type: through a double it would be rounded twice.
  std::string text = token.text.str();
  if constexpr (sizeof(Number) == sizeof(float))
    number = std::strtof(text.c_str(), nullptr);
  else
    number = std::strtod(text.c_str(), nullptr);
  next();
  return success();
}

LogicalResult
TextParser::parseList(char close, bool mayBeEmpty,
                      function_ref<LogicalResult()> parseElement) {
  if (mayBeEmpty && consumeIf(close))
    return success();
  do {
    if (failed(parseElement()))
      return failure();
  } while (consumeIf(','));
  if (consumeIf(close))
    return success();
  return failExpecting("',' or '" + Twine(close) + "'");
}

LogicalResult TextParser::parseHeader(
    StringRef keys,
    function_ref<std::optional<LogicalResult>(StringRef)> parseValue) {
  return parseList('>', /*mayBeEmpty=*/false, [&]() -> LogicalResult {
    Token start = token;
    std::string key;
    if (failed(parseWord(key, "one of " + keys)) || failed(expect(':')))
      return failure();
    if (std::optional<LogicalResult> parsed = parseValue(key))
      return *parsed;
    token = start;
    return failExpecting("one of " + keys);
  });
}

//===----------------------------------------------------------------------===//
// Types and tensors
//===----------------------------------------------------------------------===//

static TensorProto::DataType getElementTypeNamed(StringRef name) {
  TensorProto::DataType type = TensorProto::UNDEFINED;
  if (name != name.lower() || !TensorProto::DataType_Parse(name.upper(), &type))
    return TensorProto::UNDEFINED;
  return type;
}

bool TextParser::isType() const {
  return isWord() && (getElementTypeNamed(token.text) || token.text == "seq" ||
                      token.text == "map" || token.text == "optional" ||
                      token.text == "sparse_tensor");
}

LogicalResult TextParser::parseElementType(int32_t &type) {
  type = isWord() ? getElementTypeNamed(token.text) : TensorProto::UNDEFINED;
  if (type == TensorProto::UNDEFINED)
    return failExpecting("an element type");
  next();
  return success();
}

/// No brackets: a scalar; empty ones: any shape.
template <typename Tensor>
LogicalResult TextParser::parseTensorType(Tensor &tensor) {
  int32_t type;
  if (failed(parseElementType(type)))
    return failure();
  tensor.set_elem_type(type);
  if (!consumeIf('[')) {
    tensor.mutable_shape();
    return success();
  }
  if (consumeIf(']'))
    return success();
  return parseList(']', /*mayBeEmpty=*/false, [&]() -> LogicalResult {
    auto &dim = *tensor.mutable_shape()->add_dim();
    if (consumeIf('?'))
      return success();
    if (token.kind != Token::Integer)
      return parseName(*dim.mutable_dim_param(), "a size, a name or '?'");
    int64_t size;
    if (failed(parseInteger(size)))
      return failure();
    dim.set_dim_value(size);
    return success();
  });
}

LogicalResult TextParser::parseType(onnx::TypeProto &type) {
  Nesting nesting(*this);
  if (failed(checkDepth()))
    return failure();
  if (!isType())
    return failExpecting("a type");
  if (getElementTypeNamed(token.text))
    return parseTensorType(*type.mutable_tensor_type());
  StringRef kind = token.text;
  next();
  if (failed(expect('(')))
    return failure();
  auto parseInner = [&]() -> LogicalResult {
    if (kind == "seq")
      return parseType(*type.mutable_sequence_type()->mutable_elem_type());
    if (kind == "optional")
      return parseType(*type.mutable_optional_type()->mutable_elem_type());
    if (kind == "sparse_tensor")
      return parseTensorType(*type.mutable_sparse_tensor_type());
    int32_t key;
    if (failed(parseElementType(key)) || failed(expect(',')))
      return failure();
    type.mutable_map_type()->set_key_type(key);
    return parseType(*type.mutable_map_type()->mutable_value_type());
  };
  if (failed(parseInner()))
    return failure();
  return expect(')');
}

LogicalResult TextParser::parseValueInfo(onnx::ValueInfoProto &info) {
  if (isType() && failed(parseType(*info.mutable_type())))
    return failure();
  return parseName(*info.mutable_name(), "the name of a value");
}

/// An entry of the field that tensors of the type have: types of less than 32
/// bits that are not integers are given by their bits, those of less than 8 by
/// whole bytes, complex numbers by two entries.
LogicalResult TextParser::parseElement(TensorProto &tensor) {
  auto add = [&](auto number, auto parse, auto &field) -> LogicalResult {
    if (failed(parse(number)))
      return failure();
    field.Add(number);
    return success();
  };
  auto integer = [&](auto &number) { return parseInteger(number); };
  auto real = [&](auto &number) { return parseReal(number); };
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
  case TensorProto::COMPLEX64:
    return add(0.0f, real, *tensor.mutable_float_data());
  case TensorProto::DOUBLE:
  case TensorProto::COMPLEX128:
    return add(0.0, real, *tensor.mutable_double_data());
  case TensorProto::INT64:
    return add(int64_t(0), integer, *tensor.mutable_int64_data());
  case TensorProto::UINT32:
  case TensorProto::UINT64:
    return add(uint64_t(0), integer, *tensor.mutable_uint64_data());
  case TensorProto::STRING:
    return parseString(*tensor.add_string_data());
  default:
    return add(int32_t(0), integer, *tensor.mutable_int32_data());
  }
}

LogicalResult TextParser::parseTensor(const onnx::TypeProto &type,
                                      TensorProto &tensor) {
  if (!type.has_tensor_type() || !type.tensor_type().has_shape())
    return fail("the value of a tensor needs a tensor type with its shape");
  tensor.set_data_type(type.tensor_type().elem_type());
  for (const auto &dim : type.tensor_type().shape().dim()) {
    if (!dim.has_dim_value())
      return fail("the value of a tensor needs sizes that are numbers");
    tensor.add_dims(dim.dim_value());
  }
  if (consumeIf('{'))
    return parseList('}', /*mayBeEmpty=*/true,
                     [&] { return parseElement(tensor); });
  if (!consumeIf('['))
    return failExpecting("'{' and elements, or '[' and where they are");
  tensor.set_data_location(TensorProto::EXTERNAL);
  return parsePairs(*tensor.mutable_external_data());
}

LogicalResult
TextParser::parsePairs(Repeated<onnx::StringStringEntryProto> &pairs) {
  return parseList(']', /*mayBeEmpty=*/true, [&]() -> LogicalResult {
    onnx::StringStringEntryProto &pair = *pairs.Add();
    return success(succeeded(parseString(*pair.mutable_key())) &&
                   succeeded(expect(':')) &&
                   succeeded(parseString(*pair.mutable_value())));
  });
}

LogicalResult
TextParser::parseOpsets(Repeated<onnx::OperatorSetIdProto> &opsets) {
  if (failed(expect('[')))
    return failure();
  return parseList(']', /*mayBeEmpty=*/true, [&]() -> LogicalResult {
    onnx::OperatorSetIdProto &opset = *opsets.Add();
    int64_t version;
    if (failed(parseString(*opset.mutable_domain())) || failed(expect(':')) ||
        failed(parseInteger(version)))
      return failure();
    opset.set_version(version);
    return success();
  });
}

//===----------------------------------------------------------------------===//
// Attributes and nodes
//===----------------------------------------------------------------------===//

LogicalResult TextParser::parseSingleValue(AttributeProto &value) {
  if (isType()) {
    onnx::TypeProto type;
    if (failed(parseType(type)))
      return failure();
    bool isTensor = token.is('{') || token.is('=') || isWord() ||
                    token.kind == Token::String;
    if (!isTensor) {
      value.set_type(AttributeProto::TYPE_PROTO);
      *value.mutable_tp() = std::move(type);
      return success();
    }
    value.set_type(AttributeProto::TENSOR);
    std::string &name = *value.mutable_t()->mutable_name();
    if (!token.is('{') && !token.is('=') &&
        failed(parseName(name, "the name of a tensor")))
      return failure();
    consumeIf('=');
    return parseTensor(type, *value.mutable_t());
  }
  if (token.kind == Token::Integer) {
    int64_t number;
    if (failed(parseInteger(number)))
      return failure();
    value.set_type(AttributeProto::INT);
    value.set_i(number);
    return success();
  }
  if (token.kind == Token::Float || (isWord() && isSpecialFloat(token.text))) {
    float number;
    if (failed(parseReal(number)))
      return failure();
    value.set_type(AttributeProto::FLOAT);
    value.set_f(number);
    return success();
  }
  if (token.kind == Token::String) {
    std::string text;
    if (failed(parseString(text)))
      return failure();
    if (!token.is('(')) {
      value.set_type(AttributeProto::STRING);
      value.set_s(std::move(text));
      return success();
    }
    value.mutable_g()->set_name(std::move(text));
  } else if (failed(parseWord(*value.mutable_g()->mutable_name(),
                              "the value of an attribute"))) {
    return failure();
  }
  value.set_type(AttributeProto::GRAPH);
  return parseGraph(*value.mutable_g());
}

/// The type of a list's elements, or the type itself.
static AttributeProto::AttributeType
getElementKind(AttributeProto::AttributeType type) {
  // The numbers that onnx.proto gives them.
  if (type >= AttributeProto::FLOATS && type <= AttributeProto::GRAPHS)
    return static_cast<AttributeProto::AttributeType>(
        type - AttributeProto::FLOATS + AttributeProto::FLOAT);
  if (type == AttributeProto::TYPE_PROTOS)
    return AttributeProto::TYPE_PROTO;
  return type == AttributeProto::SPARSE_TENSORS ? AttributeProto::SPARSE_TENSOR
                                                : type;
}

/// Appends `value` to the list.
static void appendValue(AttributeProto &list, AttributeProto &value) {
  switch (value.type()) {
  case AttributeProto::FLOAT:
    list.set_type(AttributeProto::FLOATS);
    return list.add_floats(value.f());
  case AttributeProto::INT:
    list.set_type(AttributeProto::INTS);
    return list.add_ints(value.i());
  case AttributeProto::STRING:
    list.set_type(AttributeProto::STRINGS);
    return list.add_strings(std::move(*value.mutable_s()));
  case AttributeProto::TENSOR:
    list.set_type(AttributeProto::TENSORS);
    *list.add_tensors() = std::move(*value.mutable_t());
    return;
  case AttributeProto::GRAPH:
    list.set_type(AttributeProto::GRAPHS);
    *list.add_graphs() = std::move(*value.mutable_g());
    return;
  default:
    list.set_type(AttributeProto::TYPE_PROTOS);
    *list.add_type_protos() = std::move(*value.mutable_tp());
  }
}

/// Makes the value what it is declared as; only a whole number for a float is
/// spelled as something else.
static bool convertValue(AttributeProto &value,
                         AttributeProto::AttributeType declared) {
  if (declared == AttributeProto::FLOAT &&
      value.type() == AttributeProto::INT) {
    value.set_f(static_cast<float>(value.i()));
    value.clear_i();
    value.set_type(declared);
  }
  return declared == AttributeProto::UNDEFINED || declared == value.type();
}

LogicalResult TextParser::parseAttributeList(AttributeProto &attribute) {
  const auto declared = attribute.type();
  if (token.is(']') && declared == AttributeProto::UNDEFINED)
    return fail("an empty list needs its type: '" +
                StringRef(attribute.name()) + ": ints = []'");
  const auto element = getElementKind(declared);
  if (declared != AttributeProto::UNDEFINED && element == declared)
    return fail("a list, where one value was declared");
  return parseList(']', /*mayBeEmpty=*/true, [&]() -> LogicalResult {
    Token start = token;
    AttributeProto value;
    if (failed(parseSingleValue(value)))
      return failure();
    auto expected = declared != AttributeProto::UNDEFINED
                        ? element
                        : getElementKind(attribute.type());
    if (!convertValue(value, expected)) {
      token = start;
      return fail("elements of different types in one list");
    }
    appendValue(attribute, value);
    return success();
  });
}

LogicalResult TextParser::parseAttributeValue(AttributeProto &attribute) {
  if (consumeIf('['))
    return parseAttributeList(attribute);
  if (consumeIf('@'))
    return parseName(*attribute.mutable_ref_attr_name(),
                     "the name of a function's attribute");
  const auto declared = attribute.type();
  if (failed(parseSingleValue(attribute)))
    return failure();
  if (convertValue(attribute, declared))
    return success();
  return fail("attribute '" + StringRef(attribute.name()) +
              "' is declared as " +
              AttributeProto::AttributeType_Name(declared) + ", but is " +
              AttributeProto::AttributeType_Name(attribute.type()));
}

LogicalResult TextParser::parseAttribute(AttributeProto &attribute) {
  if (failed(parseWord(*attribute.mutable_name(), "the name of an attribute")))
    return failure();
  return parseAttributeRest(attribute);
}

/// What comes after the name.
LogicalResult TextParser::parseAttributeRest(AttributeProto &attribute) {
  if (consumeIf(':')) {
    AttributeProto::AttributeType type = AttributeProto::UNDEFINED;
    StringRef name = token.text;
    bool isKnown = isWord() && name == name.lower() &&
                   AttributeProto::AttributeType_Parse(name.upper(), &type);
    if (!isKnown || type == AttributeProto::UNDEFINED)
      return failExpecting("a type of attributes");
    attribute.set_type(type);
    next();
  }
  if (failed(expect('=')))
    return failure();
  return parseAttributeValue(attribute);
}

LogicalResult
TextParser::parseAttributes(Repeated<AttributeProto> &attributes) {
  if (!consumeIf('<'))
    return success();
  return parseList('>', /*mayBeEmpty=*/false,
                   [&] { return parseAttribute(*attributes.Add()); });
}

/// Names with commas between them. One may be left out before a comma, which is
/// an absent operand; a comma at the end is nothing.
LogicalResult TextParser::parseOperands(Strings &names) {
  do {
    bool isName = isWord() || token.kind == Token::String;
    if (!isName && !token.is(','))
      return success();
    std::string &name = *names.Add();
    if (isName && failed(parseName(name, "the name of a value")))
      return failure();
  } while (consumeIf(','));
  return success();
}

LogicalResult TextParser::parseNode(onnx::NodeProto &node) {
  if (consumeIf('[')) {
    std::string &name = *node.mutable_name();
    if (!token.is(']') && failed(parseName(name, "the name of a node")))
      return failure();
    if (failed(expect(']')))
      return failure();
  }
  if (failed(parseOperands(*node.mutable_output())) || failed(expect('=')))
    return failure();
  std::string &domain = *node.mutable_domain();
  std::string &type = *node.mutable_op_type();
  if (failed(parseWord(type, "an operator")))
    return failure();
  while (consumeIf('.')) {
    domain += (domain.empty() ? "" : ".") + type;
    if (failed(parseWord(type, "an operator")))
      return failure();
  }
  if (consumeIf(':') &&
      failed(parseName(*node.mutable_overload(), "the name of an overload")))
    return failure();
  if (failed(parseAttributes(*node.mutable_attribute())) ||
      failed(expect('(')) || failed(parseOperands(*node.mutable_input())) ||
      failed(expect(')')))
    return failure();
  return node.attribute_size() ? success()
                               : parseAttributes(*node.mutable_attribute());
}

LogicalResult TextParser::parseNodes(Repeated<onnx::NodeProto> &nodes) {
  if (failed(expect('{')))
    return failure();
  while (!consumeIf('}'))
    if (failed(parseNode(*nodes.Add())))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Graphs, functions, the model
//===----------------------------------------------------------------------===//

/// A value, and its elements if there are some.
LogicalResult TextParser::parseInitialized(onnx::ValueInfoProto &info,
                                           bool &hasData,
                                           Tensors &initializers) {
  if (failed(parseValueInfo(info)))
    return failure();
  hasData = consumeIf('=');
  if (!hasData)
    return success();
  TensorProto &tensor = *initializers.Add();
  tensor.set_name(info.name());
  return parseTensor(info.type(), tensor);
}

LogicalResult TextParser::parseGraph(onnx::GraphProto &graph) {
  Nesting nesting(*this);
  if (failed(checkDepth()) || failed(expect('(')))
    return failure();
  Tensors &initializers = *graph.mutable_initializer();
  bool hasData;
  auto parseInput = [&] {
    return parseInitialized(*graph.add_input(), hasData, initializers);
  };
  auto parseOutput = [&] { return parseValueInfo(*graph.add_output()); };
  auto parseInner = [&]() -> LogicalResult {
    onnx::ValueInfoProto info;
    if (failed(parseInitialized(info, hasData, initializers)))
      return failure();
    if (!hasData)
      *graph.add_value_info() = std::move(info);
    return success();
  };
  if (failed(parseList(')', /*mayBeEmpty=*/true, parseInput)) ||
      failed(expectArrow()) || failed(expect('(')) ||
      failed(parseList(')', /*mayBeEmpty=*/true, parseOutput)))
    return failure();
  if (consumeIf('<') && failed(parseList('>', /*mayBeEmpty=*/true, parseInner)))
    return failure();
  return parseNodes(*graph.mutable_node());
}

/// Inputs or outputs of a function, which may have types.
LogicalResult TextParser::parseParameters(Strings &names, Infos &infos) {
  if (failed(expect('(')))
    return failure();
  return parseList(')', /*mayBeEmpty=*/true, [&]() -> LogicalResult {
    onnx::ValueInfoProto info;
    if (failed(parseValueInfo(info)))
      return failure();
    *names.Add() = info.name();
    if (info.has_type())
      *infos.Add() = std::move(info);
    return success();
  });
}

LogicalResult TextParser::parseFunction(onnx::FunctionProto &function) {
  if (consumeIf('<') &&
      failed(parseHeader("opset_import, domain, doc_string and overload",
                         [&](StringRef key) -> std::optional<LogicalResult> {
                           if (key == "opset_import")
                             return parseOpsets(
                                 *function.mutable_opset_import());
                           if (key == "domain")
                             return parseString(*function.mutable_domain());
                           if (key == "doc_string")
                             return parseString(*function.mutable_doc_string());
                           if (key == "overload")
                             return parseString(*function.mutable_overload());
                           return std::nullopt;
                         })))
    return failure();
  if (failed(parseName(*function.mutable_name(), "the name of a function")))
    return failure();
  auto parseAttributeOfFunction = [&]() -> LogicalResult {
    std::string name;
    if (failed(parseName(name, "the name of an attribute")))
      return failure();
    if (!token.is(':') && !token.is('=')) {
      function.add_attribute(name);
      return success();
    }
    AttributeProto &attribute = *function.add_attribute_proto();
    attribute.set_name(name);
    return parseAttributeRest(attribute);
  };
  if (consumeIf('<') &&
      failed(parseList('>', /*mayBeEmpty=*/false, parseAttributeOfFunction)))
    return failure();
  Infos &infos = *function.mutable_value_info();
  if (failed(parseParameters(*function.mutable_input(), infos)) ||
      failed(expectArrow()) ||
      failed(parseParameters(*function.mutable_output(), infos)))
    return failure();
  if (consumeIf('<') && failed(parseList('>', /*mayBeEmpty=*/true, [&] {
        return parseValueInfo(*infos.Add());
      })))
    return failure();
  return parseNodes(*function.mutable_node());
}

LogicalResult TextParser::parseModel(onnx::ModelProto &model) {
  auto parseInto = [&](auto set) -> LogicalResult {
    int64_t number;
    if (failed(parseInteger(number)))
      return failure();
    set(number);
    return success();
  };
  auto parseField = [&](StringRef key) -> std::optional<LogicalResult> {
    if (key == "ir_version")
      return parseInto([&](int64_t number) { model.set_ir_version(number); });
    if (key == "model_version")
      return parseInto(
          [&](int64_t number) { model.set_model_version(number); });
    if (key == "opset_import")
      return parseOpsets(*model.mutable_opset_import());
    if (key == "metadata_props")
      return success(succeeded(expect('[')) &&
                     succeeded(parsePairs(*model.mutable_metadata_props())));
    if (key == "producer_name")
      return parseString(*model.mutable_producer_name());
    if (key == "producer_version")
      return parseString(*model.mutable_producer_version());
    if (key == "domain")
      return parseString(*model.mutable_domain());
    if (key == "doc_string")
      return parseString(*model.mutable_doc_string());
    return std::nullopt;
  };
  if (consumeIf('<') &&
      failed(parseHeader("ir_version, opset_import, producer_name, "
                         "producer_version, domain, model_version, doc_string "
                         "and metadata_props",
                         parseField)))
    return failure();
  onnx::GraphProto &graph = *model.mutable_graph();
  if (failed(parseName(*graph.mutable_name(), "the name of a graph")) ||
      failed(parseGraph(graph)))
    return failure();
  while (token.kind != Token::End)
    if (failed(parseFunction(*model.add_functions())))
      return failure();
  return success();
}

bool onnxc::isModelText(StringRef path, StringRef bytes) {
  if (path.ends_with(".onnxtxt"))
    return true;
  StringRef start = bytes.ltrim();
  if (!start.consume_front("<"))
    return false;
  StringRef key =
      start.ltrim().take_while([](char c) { return isAlpha(c) || c == '_'; });
  return !key.empty() &&
         start.ltrim().drop_front(key.size()).ltrim().starts_with(":");
}

LogicalResult onnxc::parseModelText(StringRef text, unsigned maxDepth,
                                    onnx::ModelProto &model, ErrorSink error) {
  return TextParser(text, maxDepth, error).parseModel(model);
}
