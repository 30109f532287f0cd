//===- OpAssembly.cpp - The textual form shared by all ops ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %y = onnx.Clip(%x, _, %max) {attr = 1} : (f, f) -> f
//   %y = onnx.If(%c) then_branch { … } else_branch { … } : (tensor<i1>) -> f
//
// `_` is an absent operand or result. Attributes read as in ONNX: integers
// without a type, floats as f32, lists of either.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Schema.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Format.h"

#include <limits>

using namespace mlir;
using namespace onnxc;

static constexpr llvm::StringLiteral kOperandSegments = "operandSegmentSizes";
static constexpr llvm::StringLiteral kResultSegments = "resultSegmentSizes";

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Whether the plain spelling of `value` parses back to it.
static bool hasPlainForm(llvm::APFloat value) { return value.isFinite(); }

/// The shortest decimal that reads back as `value`: 0.9, 1.0e-05.
static void printFloat(llvm::raw_ostream &os, float value) {
  llvm::SmallString<24> text;
  for (int digits = 1; digits <= std::numeric_limits<float>::max_digits10;
       ++digits) {
    text.clear();
    llvm::raw_svector_ostream(text) << llvm::format("%.*g", digits, value);
    // Literals are parsed as f64.
    llvm::APFloat parsed(llvm::APFloat::IEEEdouble(), text);
    if (static_cast<float>(parsed.convertToDouble()) == value)
      break;
  }
  // A literal has a point, also before an exponent.
  auto [mantissa, exponent] = text.str().split('e');
  os << mantissa;
  if (!mantissa.contains('.'))
    os << ".0";
  if (!exponent.empty())
    os << 'e' << exponent;
}

static void printAttributeValue(OpAsmPrinter &printer, Attribute attr) {
  auto &os = printer.getStream();
  if (auto integer = dyn_cast<IntegerAttr>(attr)) {
    if (integer.getType().isSignlessInteger(64)) {
      os << integer.getInt();
      return;
    }
  } else if (auto number = dyn_cast<FloatAttr>(attr)) {
    if (number.getType().isF32() && hasPlainForm(number.getValue())) {
      printFloat(os, number.getValue().convertToFloat());
      return;
    }
  } else if (auto integers = dyn_cast<DenseI64ArrayAttr>(attr)) {
    if (!integers.empty()) {
      os << '[';
      llvm::interleaveComma(integers.asArrayRef(), os);
      os << ']';
      return;
    }
  } else if (auto floats = dyn_cast<DenseF32ArrayAttr>(attr)) {
    if (!floats.empty() && llvm::all_of(floats.asArrayRef(), [](float value) {
          return hasPlainForm(llvm::APFloat(value));
        })) {
      os << '[';
      llvm::interleaveComma(floats.asArrayRef(), os,
                            [&](float value) { printFloat(os, value); });
      os << ']';
      return;
    }
  }
  printer.printAttribute(attr);
}

static void printAttributes(OpAsmPrinter &printer, DictionaryAttr attributes) {
  llvm::SmallVector<NamedAttribute> shown;
  for (NamedAttribute attribute : attributes)
    if (attribute.getName() != kOperandSegments &&
        attribute.getName() != kResultSegments)
      shown.push_back(attribute);
  if (shown.empty())
    return;
  printer << " {";
  llvm::interleaveComma(shown, printer, [&](NamedAttribute attribute) {
    printer.printKeywordOrString(attribute.getName().getValue());
    if (isa<UnitAttr>(attribute.getValue()))
      return;
    printer << " = ";
    printAttributeValue(printer, attribute.getValue());
  });
  printer << '}';
}

/// Turns the plain spelling (f64 numbers, arrays of numbers) into the
/// attributes that ONNX's INT, FLOAT, INTS and FLOATS are stored as.
static Attribute coerceAttribute(Attribute attr) {
  Builder builder(attr.getContext());
  auto narrow = [](FloatAttr number) {
    return static_cast<float>(number.getValueAsDouble());
  };
  if (auto number = dyn_cast<FloatAttr>(attr))
    return number.getType().isF64() ? builder.getF32FloatAttr(narrow(number))
                                    : attr;
  auto array = dyn_cast<ArrayAttr>(attr);
  if (!array || array.empty())
    return attr;
  auto isPlainInteger = [](Attribute element) {
    auto integer = dyn_cast<IntegerAttr>(element);
    return integer && integer.getType().isSignlessInteger(64);
  };
  if (llvm::all_of(array, isPlainInteger))
    return builder.getDenseI64ArrayAttr(
        llvm::map_to_vector(array, [](Attribute element) {
          return cast<IntegerAttr>(element).getInt();
        }));
  if (llvm::all_of(array, [](Attribute element) {
        auto number = dyn_cast<FloatAttr>(element);
        return number && number.getType().isF64();
      }))
    return builder.getDenseF32ArrayAttr(
        llvm::map_to_vector(array, [&](Attribute element) {
          return narrow(cast<FloatAttr>(element));
        }));
  return attr;
}

static ParseResult parseAttributes(OpAsmParser &parser,
                                   OperationState &result) {
  NamedAttrList parsed;
  if (parser.parseOptionalAttrDict(parsed))
    return failure();
  for (NamedAttribute attribute : parsed)
    result.addAttribute(attribute.getName(),
                        coerceAttribute(attribute.getValue()));
  return success();
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

/// Segment sizes from the presence of each written item, `_` being absent. A
/// variadic parameter takes what the parameters after it leave.
static FailureOr<llvm::SmallVector<int32_t>>
getSegmentSizes(llvm::ArrayRef<ValueSpec> specs, llvm::ArrayRef<bool> present) {
  llvm::SmallVector<int32_t> sizes(specs.size(), 0);
  size_t next = 0;
  for (auto [index, spec] : llvm::enumerate(specs)) {
    size_t left = present.size() - next;
    if (spec.kind == ValueKind::Variadic) {
      size_t after = specs.size() - index - 1;
      size_t count = left > after ? left - after : 0;
      for (size_t i = 0; i < count; ++i)
        if (!present[next++])
          return failure();
      sizes[index] = static_cast<int32_t>(count);
      continue;
    }
    bool here = left > 0 && present[next];
    next += left > 0;
    if (!here && spec.kind == ValueKind::Single)
      return failure();
    sizes[index] = here;
  }
  if (next != present.size())
    return failure();
  return sizes;
}

template <typename PrintItem>
static void printItems(OpAsmPrinter &printer,
                       llvm::ArrayRef<std::optional<unsigned>> items,
                       PrintItem printItem) {
  printer << '(';
  llvm::interleaveComma(items, printer, [&](std::optional<unsigned> item) {
    if (item)
      printItem(*item);
    else
      printer << '_';
  });
  printer << ')';
}

/// Whether every formal parameter could be found again from a plain list.
static bool hasSegments(llvm::ArrayRef<ValueSpec> specs) {
  return llvm::count_if(specs, [](const ValueSpec &spec) {
           return spec.kind != ValueKind::Single;
         }) > 1;
}

void onnxc::printOp(OpAsmPrinter &printer, Operation *op,
                    llvm::ArrayRef<ValueSpec> operands,
                    llvm::ArrayRef<ValueSpec> results,
                    llvm::ArrayRef<llvm::StringLiteral> regions) {
  printItems(printer, getNodeItems(getOperandSegments(op)),
             [&](unsigned i) { printer << op->getOperand(i); });
  for (auto [name, region] : llvm::zip(regions, op->getRegions())) {
    if (region.empty())
      continue;
    printer << ' ' << name << ' ';
    printer.printRegion(region, /*printEntryBlockArgs=*/true,
                        /*printBlockTerminators=*/true,
                        /*printEmptyBlock=*/true);
  }
  printAttributes(printer, op->getAttrDictionary());
  printer << " : (";
  llvm::interleaveComma(op->getOperandTypes(), printer);
  printer << ") -> ";
  auto items = getNodeItems(getResultSegments(op));
  if (items.size() == 1 && items.front()) {
    printer << op->getResult(0).getType();
    return;
  }
  printItems(printer, items,
             [&](unsigned i) { printer << op->getResult(i).getType(); });
}

ParseResult onnxc::parseOp(OpAsmParser &parser, OperationState &result,
                           llvm::ArrayRef<ValueSpec> operandSpecs,
                           llvm::ArrayRef<ValueSpec> resultSpecs,
                           llvm::ArrayRef<llvm::StringLiteral> regions) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> operands;
  llvm::SmallVector<bool> present;
  auto parseOperand = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    present.push_back(parsed.has_value());
    if (!parsed.has_value())
      return parser.parseKeyword("_");
    operands.push_back(operand);
    return *parsed;
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseOperand))
    return failure();
  FailureOr<llvm::SmallVector<int32_t>> operandSizes =
      getSegmentSizes(operandSpecs, present);
  if (failed(operandSizes))
    return parser.emitError(loc, "operands do not fit the op's ")
           << operandSpecs.size() << " inputs";

  // An absent optional subgraph is not written; the verifier misses others.
  for (llvm::StringLiteral name : regions) {
    Region &region = *result.addRegion();
    if (succeeded(parser.parseOptionalKeyword(name)) &&
        parser.parseRegion(region))
      return failure();
  }
  if (parseAttributes(parser, result))
    return failure();

  llvm::SmallVector<Type> operandTypes, resultTypes;
  if (parser.parseColon() || parser.parseLParen())
    return failure();
  if (failed(parser.parseOptionalRParen()))
    if (parser.parseTypeList(operandTypes) || parser.parseRParen())
      return failure();
  if (parser.parseArrow())
    return failure();
  present.clear();
  auto parseResult = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("_"))) {
      present.push_back(false);
      return success();
    }
    present.push_back(true);
    return parser.parseType(resultTypes.emplace_back());
  };
  if (succeeded(parser.parseOptionalLParen())) {
    if (failed(parser.parseOptionalRParen()))
      if (parser.parseCommaSeparatedList(parseResult) || parser.parseRParen())
        return failure();
  } else if (parseResult()) {
    return failure();
  }
  FailureOr<llvm::SmallVector<int32_t>> resultSizes =
      getSegmentSizes(resultSpecs, present);
  if (failed(resultSizes))
    return parser.emitError(loc, "result types do not fit the op's ")
           << resultSpecs.size() << " outputs";

  Builder &builder = parser.getBuilder();
  if (hasSegments(operandSpecs))
    result.addAttribute(kOperandSegments,
                        builder.getDenseI32ArrayAttr(*operandSizes));
  if (hasSegments(resultSpecs))
    result.addAttribute(kResultSegments,
                        builder.getDenseI32ArrayAttr(*resultSizes));
  result.addTypes(resultTypes);
  if (failed(result.name.verifyInherentAttrs(result.attributes, [&] {
        return parser.emitError(loc)
               << "'" << result.name.getStringRef() << "' op ";
      })))
    return failure();
  return parser.resolveOperands(operands, operandTypes, loc, result.operands);
}
