//===- Text.cpp - Strings -------------------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A string is an i64, the address of a NUL-terminated text: to move strings,
// the lowerings of numbers do. What looks into them is a call of the runtime.
//
//===----------------------------------------------------------------------===//

#include "SystemLibraries.h"
#include "Texts.h"

#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/Text.h"
#include "onnxc/Dialect/Runtime/RuntimeDialect.h"
#include "onnxc/runtime.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static LogicalResult requireNoNul(Lowering &l, StringRef string) {
  if (string.contains('\0'))
    return l.fail("a string with a NUL character");
  return success();
}

FailureOr<Value> onnxc::texts(Lowering &l, ArrayRef<StringRef> strings,
                              ArrayRef<int64_t> shape) {
  SmallVector<int8_t> bytes;
  for (StringRef string : strings) {
    if (failed(requireNoNul(l, string)))
      return failure();
    bytes.append(string.begin(), string.end());
    bytes.push_back(0);
  }
  Value out = l.empty(getAsIndexOpFoldResult(l.b.getContext(), shape),
                      l.b.getI64Type());
  if (strings.empty())
    return out;
  auto type = RankedTensorType::get(bytes.size(), l.b.getI8Type());
  Value constant = l.constant(cast<TypedAttr>(
      DenseElementsAttr::get<int8_t>(type, ArrayRef<int8_t>(bytes))));
  return l.call("texts", constant, out, {}, {ONNXC_INT8, ONNXC_STRING}).front();
}

FailureOr<Value> onnxc::texts(Lowering &l, ArrayRef<StringRef> strings) {
  return texts(l, strings, static_cast<int64_t>(strings.size()));
}

FailureOr<Value> onnxc::text(Lowering &l, StringRef string) {
  if (failed(requireNoNul(l, string)))
    return failure();
  return rt::TextOp::create(l.b, l.loc, l.b.getI64Type(), string).getResult();
}

SmallVector<StringRef> onnxc::getStrings(std::optional<ArrayAttr> list) {
  SmallVector<StringRef> strings;
  if (list)
    for (auto string : list->getAsRange<StringAttr>())
      strings.push_back(string.getValue());
  return strings;
}

LogicalResult onnxc::lowerTextConstant(Lowering &l, ElementsAttr value) {
  auto strings = dyn_cast<DenseStringElementsAttr>(value);
  if (!strings)
    return l.fail("a constant of this form");
  FailureOr<Value> result =
      texts(l, llvm::to_vector(strings.getValues<StringRef>()),
            strings.getType().getShape());
  return failed(result) ? failure() : l.replace(*result);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

static bool isText(Type type) {
  return isa<StringType>(getElementTypeOrSelf(type));
}

bool onnxc::computesTexts(Operation *op) {
  return isa<CastOp, EqualOp>(op) && (isText(op->getOperand(0).getType()) ||
                                      isText(op->getResult(0).getType()));
}

/// The operands of an op with broadcasting, as tensors of its result's shape.
static FailureOr<SmallVector<Value>>
broadcastOperands(Lowering &l, ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> all;
  for (Value operand : l.operands) {
    auto [input, map] = l.broadcast(operand, sizes);
    bool isWhole =
        Lowering::rank(input) == int64_t(sizes.size()) && map.isIdentity();
    all.push_back(
        isWhole
            ? input
            : l.map(input, map, sizes, Lowering::elementType(input),
                    [](ScalarBuilder &, ValueRange args) { return args[0]; }));
  }
  return all;
}

/// A call on two operands with broadcasting.
static LogicalResult lowerBinary(Lowering &l, StringRef name, int32_t dtype) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  FailureOr<SmallVector<Value>> operands = broadcastOperands(l, *sizes);
  if (failed(operands))
    return failure();
  Value out = l.empty(*sizes, l.resultType().getElementType());
  return l.replace(
      l.call(name, *operands, out, {}, {ONNXC_STRING, ONNXC_STRING, dtype}));
}

/// The type, of those that the runtime reads and writes, by way of which `type`
/// becomes a text.
static Type getWrittenType(Builder &b, Type type) {
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type) ||
      type.isInteger(1))
    return type;
  if (isa<FloatType>(type))
    return b.getF32Type();
  return type.isUnsignedInteger() ? b.getIntegerType(64, /*isSigned=*/false)
                                  : b.getI64Type();
}

/// The same for the way back.
static Type getReadType(Builder &b, Type type) {
  if (isa<FloatType>(type) && !type.isF64())
    return b.getF32Type();
  return getWrittenType(b, type);
}

static LogicalResult lowerTextCast(Lowering &l) {
  Type from = getElementTypeOrSelf(l.op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(l.op->getResult(0).getType());
  Value x = l.operands[0];
  if (from == to)
    return l.replace(x);
  auto convert = [&](Value tensor, Type from, Type to) {
    return l.mapSame(tensor, getStorageType(to),
                     [&](ScalarBuilder &s, ValueRange args) {
                       return s.convert(args[0], from, to);
                     });
  };
  if (isa<StringType>(to)) {
    Type written = getWrittenType(l.b, from);
    x = from == written ? x : convert(x, from, written);
    return l.replace(l.call("numbers_to_texts", x,
                            l.empty(l.sizes(x), l.b.getI64Type()), {},
                            {getDataType(written), ONNXC_STRING}));
  }
  Type read = getReadType(l.b, to);
  Value numbers =
      l.call("texts_to_numbers", x, l.empty(l.sizes(x), getStorageType(read)),
             {}, {ONNXC_STRING, getDataType(read)})
          .front();
  return l.replace(to == read ? numbers : convert(numbers, read, to));
}

LogicalResult onnxc::lowerTextElementwise(Lowering &l) {
  if (isa<CastOp>(l.op))
    return lowerTextCast(l);
  return lowerBinary(l, "texts_equal", ONNXC_BOOL);
}

static LogicalResult lowerStringConcat(StringConcatOp, StringConcatOp::Adaptor,
                                       Lowering &l) {
  return lowerBinary(l, "texts_concat", ONNXC_STRING);
}

//===----------------------------------------------------------------------===//
// The others
//===----------------------------------------------------------------------===//

static LogicalResult lowerStringSplit(StringSplitOp op,
                                      StringSplitOp::Adaptor operands,
                                      Lowering &l) {
  FailureOr<Value> delimiter = text(l, op.getDelimiter().value_or(StringRef()));
  if (failed(delimiter))
    return failure();
  int64_t most = op.getMaxsplit().value_or(-1);
  if (most < 0)
    most = std::numeric_limits<int64_t>::max();
  Value x = operands.getX();
  SmallVector<Value> inputs = {x, *delimiter,
                               l.constant(l.b.getI64IntegerAttr(most))};
  SmallVector<Value> results =
      l.call("texts_split", inputs, l.empty(l.sizes(x), l.b.getI64Type()),
             l.resultType(0), {ONNXC_STRING, 0, 0, ONNXC_INT64, ONNXC_STRING});
  return l.replace({results[1], results[0]});
}

static LogicalResult lowerStringNormalizer(StringNormalizerOp op,
                                           StringNormalizerOp::Adaptor operands,
                                           Lowering &l) {
  if (missingUnicode)
    return l.fail(missingUnicode);
  auto change = llvm::StringSwitch<int64_t>(op.getCaseChangeAction())
                    .Case("NONE", 0)
                    .Case("LOWER", 'L')
                    .Case("UPPER", 'U')
                    .Default(-1);
  if (change < 0)
    return l.invalid("case_change_action = " + op.getCaseChangeAction() +
                     " is none of NONE, LOWER, UPPER");
  // Other languages differ from Unicode's tables by context alone, if at all.
  StringRef locale = op.getLocale().value_or("");
  bool isTurkic = locale.starts_with("tr") || locale.starts_with("az");
  FailureOr<Value> stopWords = texts(l, getStrings(op.getStopwords()));
  if (failed(stopWords))
    return failure();
  auto integer = [&](int64_t value) {
    return l.constant(l.b.getI64IntegerAttr(value));
  };
  return l.replace(l.call(
      "texts_normalize",
      {operands.getX(), *stopWords, integer(change),
       integer(op.getIsCaseSensitive() == 0), integer(isTurkic)},
      {}, l.resultType(), {ONNXC_STRING, ONNXC_STRING, 0, 0, 0, ONNXC_STRING}));
}

static LogicalResult lowerRegexFullMatch(RegexFullMatchOp op,
                                         RegexFullMatchOp::Adaptor operands,
                                         Lowering &l) {
  if (missingRegex)
    return l.fail(missingRegex);
  FailureOr<Value> pattern = text(l, op.getPattern().value_or(StringRef()));
  if (failed(pattern))
    return failure();
  Value x = operands.getX();
  return l.replace(l.call("texts_match", {x, *pattern},
                          l.empty(l.sizes(x), l.b.getI1Type()), {},
                          {ONNXC_STRING, 0, ONNXC_BOOL}));
}

static LogicalResult
lowerTokenizer(TokenizerOp op, TokenizerOp::Adaptor operands, Lowering &l) {
  if (missingRegex)
    return l.fail(missingRegex);
  SmallVector<StringRef> patterns = getStrings(op.getSeparators());
  bool separates = !op.getTokenexp();
  if (!separates) {
    patterns = {*op.getTokenexp()};
  } else if (llvm::equal(patterns, ArrayRef<StringRef>(""))) {
    // Between all characters: each is a token.
    patterns = {"(?s:.)"};
    separates = false;
  }
  FailureOr<Value> table = texts(l, patterns), pad = text(l, op.getPadValue());
  if (failed(table) || failed(pad))
    return failure();
  auto integer = [&](int64_t value) {
    return l.constant(l.b.getI64IntegerAttr(value));
  };
  return l.replace(
      l.call("texts_tokenize",
             {operands.getX(), *table, integer(separates),
              integer(op.getMincharnum()), integer(op.getMark() != 0), *pad},
             {}, l.resultType(),
             {ONNXC_STRING, ONNXC_STRING, 0, 0, 0, 0, ONNXC_STRING}));
}

//===----------------------------------------------------------------------===//
// TfIdfVectorizer
//===----------------------------------------------------------------------===//

namespace {
/// A vocabulary of n-grams, those of each size in ascending order.
template <typename Word> struct Vocabulary {
  SmallVector<Word> words;
  /// Where the words of n-grams of size n begin, for n from 0 on.
  SmallVector<int64_t> starts;
  /// By n-gram: its place in the attributes.
  SmallVector<int64_t> order;
};
} // namespace

/// `counts[n - 1]` is where the n-grams of size n begin in `pool`.
template <typename Word>
static FailureOr<Vocabulary<Word>>
sortVocabulary(Lowering &l, ArrayRef<Word> pool, ArrayRef<int64_t> counts,
               int64_t longest) {
  Vocabulary<Word> result;
  result.starts.assign(2, 0);
  int64_t numBefore = 0;
  for (int64_t n = 1; n <= longest; ++n) {
    int64_t numSizes = counts.size();
    int64_t size = pool.size();
    int64_t begin = n <= numSizes ? counts[n - 1] : size;
    int64_t end = n < numSizes ? counts[n] : size;
    if (begin < 0 || begin > end || end > size || (end - begin) % n != 0 ||
        (n == 1 && begin != 0))
      return l.invalid(
          "ngram_counts must ascend from 0 in steps of whole n-grams");
    auto gram = [&](int64_t i) { return pool.slice(begin + i * n, n); };
    SmallVector<int64_t> order =
        llvm::to_vector(llvm::seq<int64_t>(0, (end - begin) / n));
    // Of equal ones, the first.
    llvm::sort(order, [&](int64_t a, int64_t b) {
      if (gram(a) == gram(b))
        return a < b;
      return std::lexicographical_compare(gram(a).begin(), gram(a).end(),
                                          gram(b).begin(), gram(b).end());
    });
    for (int64_t i : order) {
      llvm::append_range(result.words, gram(i));
      result.order.push_back(numBefore + i);
    }
    result.starts.push_back(result.words.size());
    numBefore += order.size();
  }
  return result;
}

static Value constantIntegers(Lowering &l, ArrayRef<int64_t> values) {
  return l.constant(cast<TypedAttr>(DenseElementsAttr::get(
      RankedTensorType::get(values.size(), l.b.getI64Type()), values)));
}

namespace {
/// What a TfIdfVectorizer counts, as the runtime takes it.
struct Ngrams {
  /// The words of all n-grams, and where those of each size begin.
  Value pool;
  SmallVector<int64_t> starts;
  /// By n-gram: its place in the attributes.
  SmallVector<int64_t> order;
};
} // namespace

/// Of n-grams no longer than `most`, of the pool of texts or of integers.
static FailureOr<Ngrams> readNgrams(TfIdfVectorizerOp op, Lowering &l,
                                    bool isText, int64_t most) {
  Ngrams ngrams;
  auto read = [&](auto words) -> LogicalResult {
    auto vocabulary =
        sortVocabulary(l, ArrayRef(words), op.getNgramCounts(), most);
    if (failed(vocabulary))
      return failure();
    ngrams.starts = vocabulary->starts;
    ngrams.order = vocabulary->order;
    if constexpr (std::is_same_v<std::decay_t<decltype(words[0])>, StringRef>) {
      FailureOr<Value> made = texts(l, vocabulary->words);
      if (failed(made))
        return failure();
      ngrams.pool = *made;
    } else {
      ngrams.pool = constantIntegers(l, vocabulary->words);
    }
    return success();
  };
  if (failed(isText ? read(getStrings(op.getPoolStrings()))
                    : read(SmallVector<int64_t>(
                          op.getPoolInt64s().value_or(ArrayRef<int64_t>())))))
    return failure();
  return ngrams;
}

/// The weight of each n-gram in `order`. Without weights, or where only the
/// count is wanted, each counts 1.
static FailureOr<Value> makeWeightTable(TfIdfVectorizerOp op, Lowering &l,
                                        ArrayRef<int64_t> order,
                                        bool countsOnly) {
  ArrayRef<float> given = op.getWeights().value_or(ArrayRef<float>());
  if (!given.empty() && given.size() < order.size())
    return l.invalid("weights must have an element for each n-gram");
  bool hasWeights = !countsOnly && !given.empty();
  SmallVector<float> weights;
  for (int64_t i : order)
    weights.push_back(hasWeights ? given[i] : 1.0f);
  return l.constant(cast<TypedAttr>(DenseElementsAttr::get(
      RankedTensorType::get(weights.size(), l.b.getF32Type()),
      ArrayRef(weights))));
}

static LogicalResult lowerTfIdfVectorizer(TfIdfVectorizerOp op,
                                          TfIdfVectorizerOp::Adaptor operands,
                                          Lowering &l) {
  Value x = operands.getX();
  bool isText = l.operandDtype(0) == ONNXC_STRING;
  int64_t least = op.getMinGramLength(), most = op.getMaxGramLength();
  int64_t skips = op.getMaxSkipCount();
  if (least < 1 || most < least || skips < 0)
    return l.invalid(
        "it must be that 1 <= min_gram_length <= max_gram_length, and "
        "max_skip_count >= 0");
  // There are no longer n-grams than pools.
  most = std::min<int64_t>(most, op.getNgramCounts().size());
  auto mode = llvm::StringSwitch<int64_t>(op.getMode())
                  .Case("TF", 0)
                  .Case("IDF", 1)
                  .Case("TFIDF", 2)
                  .Default(-1);
  if (mode < 0)
    return l.invalid("mode = " + op.getMode() + " is none of TF, IDF, TFIDF");
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  std::optional<int64_t> width = getConstantIntValue(sizes->back());
  ArrayRef<int64_t> indexes = op.getNgramIndexes();
  if (!width ||
      llvm::any_of(indexes, [&](int64_t i) { return i < 0 || i >= *width; }))
    return l.invalid("ngram_indexes must not be negative");

  FailureOr<Ngrams> ngrams = readNgrams(op, l, isText, most);
  if (failed(ngrams))
    return failure();
  if (ngrams->order.empty())
    return l.replace(l.filled(*sizes, l.constant(l.b.getF32Type(), 0.0)));
  if (indexes.size() < ngrams->order.size())
    return l.invalid("ngram_indexes must have an element for each n-gram");
  FailureOr<Value> weights =
      makeWeightTable(op, l, ngrams->order, /*countsOnly=*/mode == 0);
  if (failed(weights))
    return failure();
  SmallVector<int64_t> columns;
  for (int64_t i : ngrams->order)
    columns.push_back(indexes[i]);
  // The runtime compares elements of one type.
  if (!isText)
    x = l.castElements(x, l.b.getI64Type());
  auto integer = [&](int64_t value) {
    return l.constant(l.b.getI64IntegerAttr(value));
  };
  int32_t dtype = isText ? ONNXC_STRING : ONNXC_INT64;
  SmallVector<Value> inputs = {x,
                               ngrams->pool,
                               constantIntegers(l, ngrams->starts),
                               constantIntegers(l, columns),
                               *weights,
                               integer(least),
                               integer(most),
                               integer(skips),
                               integer(mode)};
  return l.replace(l.call("count_ngrams", inputs,
                          l.empty(*sizes, l.b.getF32Type()), {},
                          {dtype, dtype, ONNXC_INT64, ONNXC_INT64, ONNXC_FLOAT,
                           0, 0, 0, 0, ONNXC_FLOAT}));
}

void onnxc::populateText(Lowerings &lowerings) {
  lowerings.add<RegexFullMatchOp>(lowerRegexFullMatch);
  lowerings.add<StringConcatOp>(lowerStringConcat);
  lowerings.add<StringNormalizerOp>(lowerStringNormalizer);
  lowerings.add<StringSplitOp>(lowerStringSplit);
  lowerings.add<TfIdfVectorizerOp>(lowerTfIdfVectorizer);
  lowerings.add<TokenizerOp>(lowerTokenizer);
}
