//===- Recurrent.cpp - RNN, GRU and LSTM ----------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a step takes from the input is one matrix product for all steps, made
// before the loop. The loop over the steps carries the states and Y, and has
// the products with the states in it. States are kept in the accumulator's
// type and are updated in place.
//
// A sequence that ends early keeps its state from then on; backwards, it keeps
// the initial one until it begins. So no sequence is ever reversed in memory.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "Lowering.h"
#include "RecurrentActivations.h"

#include "onnxc/Dialect/ONNX/Recurrent.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace onnxc;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// What the three operators have in common
//===----------------------------------------------------------------------===//

namespace {

/// An operator's operands and attributes.
struct Network {
  unsigned gates;
  StringRef direction;
  bool isBatchFirst;
  std::optional<double> clip;
  Value x, w, r, bias, lengths, initialH, initialC, peepholes;
  /// Of all directions.
  SmallVector<Activation> activations;
  /// Known statically where any operand tells.
  OpFoldResult steps, batch, inputs, hidden, directions;

  int64_t numDirections() const { return direction == "bidirectional" ? 2 : 1; }
  OpFoldResult gatesSize(Lowering &l, unsigned count) const {
    return l.mul(l.attr(count), hidden);
  }
  /// A shape that has the batch before, or after, another dimension.
  Sizes order(OpFoldResult other, OpFoldResult last) const {
    return isBatchFirst ? Sizes{batch, other, last} : Sizes{other, batch, last};
  }
};

/// The weights of a product: [n, k], or [k, n].
struct Factor {
  Value matrix;
  bool isTransposed;
};

/// One direction of a network; the operators differ in `step`.
class Direction {
public:
  Direction(Lowering &l, const Network &net, int64_t number)
      : l(l), net(net), number(number), element(Lowering::elementType(net.x)),
        type(getAccumulatorType(element)) {}
  virtual ~Direction() = default;

  /// Reads what the steps need; after it come the loop's states.
  virtual void begin();
  /// Runs the steps; puts the outputs into `y` unless that is null. The states
  /// are left in `states`.
  void run(Value &y);

  SmallVector<Value, 2> states;

protected:
  /// The states after a step whose input contributes `x` [batch, gates].
  virtual void step(Value x, SmallVectorImpl<Value> &states) = 0;
  /// How many gates each product with a state has, in their order.
  virtual SmallVector<unsigned> products() const { return {net.gates}; }
  /// Whether the last gate adds its part of the recurrent bias later.
  virtual bool keepsLastBias() const { return false; }

  /// [directions, size] to the [length] at `from` that is this direction's.
  Value vector(Value tensor, OpFoldResult from, OpFoldResult length);
  /// Gate `k` of what is laid out as gates.
  Value gate(Value x, unsigned k);
  /// x + h r^T, where r has the gates of a product.
  Value multiplyAdd(Value x, Value h, unsigned product = 0);
  /// New elements of a state; the body gets the elements of `matrices`, of
  /// `vectors`, and the state's old one.
  Value update(Value state, ValueRange matrices, ValueRange vectors,
               ScalarBody body);
  Value apply(ScalarBuilder &s, unsigned function, Value x) const;
  /// Applied to `x` within the bounds of `clip`.
  Value activate(ScalarBuilder &s, unsigned function, Value x) const;
  /// The element of a sequence that goes on, or `ended`.
  Value whileActive(ScalarBuilder &s, Value length, Value x, Value ended);

  Lowering &l;
  const Network &net;
  int64_t number;
  Type element, type;
  /// [gates * hidden]; null without a bias.
  Value recurrentBias;

  Value initialState(Value given);

private:
  bool isReverse() const { return net.direction == "reverse" || number == 1; }
  /// This direction's `count` gates from `first` on, of [directions, gates,
  /// columns]. A step reads them faster as [columns, gates], several gates at a
  /// time: a constant becomes that at compile time.
  Factor factor(Value matrices, unsigned first, unsigned count,
                OpFoldResult columns);
  Value multiplyInput();
  void insertOutput(Value &y, Value h, Value time);

  /// For each product.
  SmallVector<Factor, 2> weights;
  /// The number of the step in the input, as the type of lengths.
  Value now;
};

} // namespace

Value Direction::vector(Value tensor, OpFoldResult from, OpFoldResult length) {
  return l.sliceWithout(tensor, {l.attr(number), from}, {l.attr(1), length},
                        {0});
}

Value Direction::gate(Value x, unsigned k) {
  return l.sliceWithout(x, {l.attr(0), net.gatesSize(l, k)},
                        {net.batch, net.hidden}, {});
}

/// Rows [first, first + rows) of matrix `number` of `matrices`, transposed.
/// Null if that is not a matter of moving bytes of fixed size.
static ElementsAttr transposeConstant(Lowering &l, Value matrices,
                                      int64_t number, OpFoldResult first,
                                      OpFoldResult rows) {
  ElementsAttr elements;
  RankedTensorType type = Lowering::typeOf(matrices);
  std::optional<int64_t> from = getConstantIntValue(first);
  std::optional<int64_t> count = getConstantIntValue(rows);
  if (!matchPattern(matrices, m_Constant(&elements)) ||
      !type.hasStaticShape() || !from || !count ||
      *from + *count > type.getDimSize(1) || !type.getNumElements() ||
      elements.getShapedType() != type)
    return {};
  ArrayRef<char> bytes;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      bytes = blob->getData();
  } else if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    if (!dense.isSplat())
      bytes = dense.getRawData();
  }
  int64_t columns = type.getDimSize(2);
  size_t size = bytes.size() / type.getNumElements();
  if (!size || size * type.getNumElements() != bytes.size())
    return {};
  const char *source =
      bytes.data() + (number * type.getDimSize(1) + *from) * columns * size;
  std::vector<char> result(*count * columns * size);
  for (int64_t row = 0; row < *count; ++row)
    for (int64_t column = 0; column < columns; ++column)
      std::memcpy(&result[(column * *count + row) * size],
                  source + (row * columns + column) * size, size);
  return DenseResourceElementsAttr::get(
      RankedTensorType::get({columns, *count}, type.getElementType()),
      "transposed",
      HeapAsmResourceBlob::allocateAndCopyWithAlign(result, /*align=*/64));
}

Factor Direction::factor(Value matrices, unsigned first, unsigned count,
                         OpFoldResult columns) {
  OpFoldResult from = net.gatesSize(l, first), rows = net.gatesSize(l, count);
  if (ElementsAttr constant =
          transposeConstant(l, matrices, number, from, rows))
    return {l.constant(cast<TypedAttr>(constant)), /*isTransposed=*/true};
  Value matrix = l.sliceWithout(matrices, {l.attr(number), from, l.attr(0)},
                                {l.attr(1), rows, columns}, {0});
  return {matrix, /*isTransposed=*/false};
}

/// x [m, k] times the transpose of y [n, k], added to `init`. A product of one
/// step has a row for each sequence only; that decides how it is scheduled.
static Value multiply(Lowering &l, Value x, const Factor &y, Value init,
                      bool isOneStep) {
  AffineExpr m, n, k;
  bindDims(l.b.getContext(), m, n, k);
  auto map = [&](AffineExpr row, AffineExpr column) {
    return AffineMap::get(3, 0, {row, column}, l.b.getContext());
  };
  AffineMap factor = y.isTransposed ? map(k, n) : map(n, k);
  ArrayAttr maps = l.b.getAffineMapArrayAttr({map(m, k), factor, map(m, n)});
  auto op = linalg::MatmulOp::create(l.b, l.loc, init.getType(),
                                     ValueRange{x, y.matrix}, init,
                                     {l.b.getNamedAttr("indexing_maps", maps)});
  if (isOneStep)
    op->setAttr(program::fewRows, l.b.getUnitAttr());
  return op.getResult(0);
}

Value Direction::multiplyAdd(Value x, Value h, unsigned product) {
  return multiply(l, h, weights[product], x, /*isOneStep=*/true);
}

/// What the input contributes to the gates: [steps, batch, gates], or
/// [batch, steps, gates] as the input is.
Value Direction::multiplyInput() {
  OpFoldResult size = net.gatesSize(l, net.gates);
  Sizes sizes = net.order(net.steps, size);
  OpFoldResult rows = l.mul(sizes[0], sizes[1]);
  Factor w = factor(net.w, 0, net.gates, net.inputs);
  Value init;
  if (net.bias) {
    AffineMap column = AffineMap::get(2, 0, l.b.getAffineDimExpr(1));
    Value last = l.asValue(net.gatesSize(l, net.gates - 1));
    init = l.map(
        {vector(net.bias, l.attr(0), size), recurrentBias}, {column, column},
        {rows, size}, type, [&](ScalarBuilder &s, ValueRange args) {
          Value w = s.cast(args[0], type, false, false);
          Value both = s.add(w, args[1]);
          if (!keepsLastBias())
            return both;
          Value at = linalg::IndexOp::create(s.getBuilder(), s.getLoc(), 1);
          return s.select(s.lt(at, last), both, w);
        });
  } else {
    init = l.filled({rows, size}, l.constant(type, 0));
  }
  Value x = l.reshape(net.x, {rows, net.inputs});
  bool isOneStep = getConstantIntValue(net.steps) == int64_t(1);
  return l.reshape(multiply(l, x, w, init, isOneStep), sizes);
}

/// Zeros where nothing is given, and for sequences without a step.
Value Direction::initialState(Value given) {
  Sizes sizes{net.batch, net.hidden};
  if (!given)
    return l.filled(sizes, l.constant(type, 0));
  Sizes at = net.isBatchFirst ? Sizes{l.attr(0), l.attr(number), l.attr(0)}
                              : Sizes{l.attr(number), l.attr(0), l.attr(0)};
  SmallVector<Value> inputs{l.sliceWithout(
      given, at, net.order(l.attr(1), net.hidden), net.isBatchFirst ? 1 : 0)};
  SmallVector<AffineMap> maps{l.identityMap(2)};
  if (net.lengths) {
    inputs.push_back(net.lengths);
    maps.push_back(l.dropDims(2, 1));
  }
  return l.map(inputs, maps, sizes, type,
               [&](ScalarBuilder &s, ValueRange args) {
                 Value x = s.cast(args[0], type, false, false);
                 if (!net.lengths)
                   return x;
                 Value isPositive = s.gt(args[1], s.zero(args[1]));
                 return s.select(isPositive, x, s.zero(x));
               });
}

void Direction::begin() {
  OpFoldResult size = net.gatesSize(l, net.gates);
  if (net.bias)
    recurrentBias = l.castElements(vector(net.bias, size, size), type);
  unsigned first = 0;
  for (unsigned count : products()) {
    weights.push_back(factor(net.r, first, count, net.hidden));
    weights.back().matrix = l.castElements(weights.back().matrix, type);
    first += count;
  }
  states.push_back(initialState(net.initialH));
}

Value Direction::apply(ScalarBuilder &s, unsigned function, Value x) const {
  size_t each = net.activations.size() / net.numDirections();
  return net.activations[number * each + function](s, x);
}

Value Direction::activate(ScalarBuilder &s, unsigned function, Value x) const {
  if (net.clip) {
    x = s.max(x, s.constant(x, -*net.clip));
    x = s.min(x, s.constant(x, *net.clip));
  }
  return apply(s, function, x);
}

Value Direction::whileActive(ScalarBuilder &s, Value length, Value x,
                             Value ended) {
  return s.select(s.lt(now, length), x, ended);
}

Value Direction::update(Value state, ValueRange matrices, ValueRange vectors,
                        ScalarBody body) {
  SmallVector<Value> inputs(matrices);
  SmallVector<AffineMap> maps(matrices.size(), l.identityMap(2));
  llvm::append_range(inputs, vectors);
  maps.append(vectors.size(), l.dropDims(2, 0));
  if (net.lengths) {
    inputs.push_back(net.lengths);
    maps.push_back(l.dropDims(2, 1));
  }
  maps.push_back(l.identityMap(2));
  return l.generic(
      inputs, state, maps, SmallVector<IteratorType>(2, IteratorType::parallel),
      [&](ScalarBuilder &s, ValueRange args) {
        SmallVector<Value> read(args);
        if (net.lengths)
          read.erase(read.end() - 2);
        Value x = body(s, read);
        if (!net.lengths)
          return x;
        return whileActive(s, args[args.size() - 2], x, args.back());
      });
}

/// Y's elements at `time`; zeros where the sequence has ended.
void Direction::insertOutput(Value &y, Value h, Value time) {
  SmallVector<Value> inputs{h};
  SmallVector<AffineMap> maps{l.identityMap(2)};
  if (net.lengths) {
    inputs.push_back(net.lengths);
    maps.push_back(l.dropDims(2, 1));
  }
  if (net.lengths || element != type)
    h = l.map(inputs, maps, {net.batch, net.hidden}, element,
              [&](ScalarBuilder &s, ValueRange args) {
                Value x = s.cast(args[0], element, false, false);
                return net.lengths ? whileActive(s, args[1], x, s.zero(x)) : x;
              });
  OpFoldResult one = l.attr(1), zero = l.attr(0), own = l.attr(number);
  Sizes at = net.isBatchFirst ? Sizes{zero, time, own, zero}
                              : Sizes{time, own, zero, zero};
  Sizes sizes = net.isBatchFirst ? Sizes{net.batch, one, one, net.hidden}
                                 : Sizes{one, one, net.batch, net.hidden};
  y = tensor::InsertSliceOp::create(l.b, l.loc, h, y, at, sizes, Sizes(4, one));
}

void Direction::run(Value &y) {
  Value products = multiplyInput();
  SmallVector<Value> carried(states.begin(), states.end());
  if (y)
    carried.push_back(y);
  Value last = l.asValue(l.sub(net.steps, l.attr(1)));
  auto body = [&](OpBuilder &b, Location loc, Value number, ValueRange args) {
    Value time = isReverse() ? l.asValue(l.sub(last, number)) : number;
    if (net.lengths)
      now = arith::IndexCastOp::create(
          b, loc, Lowering::elementType(net.lengths), time);
    Sizes at = net.order(time, l.attr(0));
    at[net.isBatchFirst ? 0 : 1] = l.attr(0);
    OpFoldResult size = net.gatesSize(l, net.gates);
    Value x = l.sliceWithout(products, at, net.order(l.attr(1), size),
                             net.isBatchFirst ? 1 : 0);
    SmallVector<Value> next(args.take_front(states.size()));
    step(x, next);
    if (y) {
      Value outputs = args.back();
      insertOutput(outputs, next[0], time);
      next.push_back(outputs);
    }
    scf::YieldOp::create(b, loc, next);
  };
  Value zero = l.index(0);
  Value end = l.asValue(net.steps);
  auto loop =
      scf::ForOp::create(l.b, l.loc, zero, end, l.index(1), carried, body);
  llvm::copy(loop.getResults().take_front(states.size()), states.begin());
  if (y)
    y = loop.getResults().back();
}

//===----------------------------------------------------------------------===//
// The cells
//===----------------------------------------------------------------------===//

namespace {

class RNNDirection : public Direction {
public:
  using Direction::Direction;

protected:
  void step(Value x, SmallVectorImpl<Value> &states) override {
    Value &h = states[0];
    h = update(h, multiplyAdd(x, h), {},
               [&](ScalarBuilder &s, ValueRange args) {
                 return activate(s, 0, args[0]);
               });
  }
};

class LSTMDirection : public Direction {
public:
  LSTMDirection(Lowering &l, const Network &net, int64_t number, bool isCoupled)
      : Direction(l, net, number), isCoupled(isCoupled) {}

  void begin() override {
    Direction::begin();
    states.push_back(initialState(net.initialC));
  }

protected:
  void step(Value x, SmallVectorImpl<Value> &states) override;

private:
  /// The forget gate is what the input gate leaves.
  bool isCoupled;
};

class GRUDirection : public Direction {
public:
  GRUDirection(Lowering &l, const Network &net, int64_t number,
               bool isLinearFirst)
      : Direction(l, net, number), isLinearFirst(isLinearFirst) {}

protected:
  void step(Value x, SmallVectorImpl<Value> &states) override;
  bool keepsLastBias() const override { return isLinearFirst; }
  SmallVector<unsigned> products() const override {
    if (isLinearFirst)
      return {3};
    return {2, 1};
  }

private:
  /// The reset gate comes after the product with the state.
  bool isLinearFirst;
};

} // namespace

/// Gates: input, output, forget, cell.
void LSTMDirection::step(Value x, SmallVectorImpl<Value> &states) {
  Value &h = states[0], &c = states[1];
  Value gates = multiplyAdd(x, h);
  // Peepholes of the input, output and forget gates.
  SmallVector<Value> peepholes;
  if (net.peepholes)
    for (unsigned i = 0; i < 3; ++i)
      peepholes.push_back(
          vector(net.peepholes, net.gatesSize(l, i), net.hidden));
  bool hasPeepholes = !peepholes.empty();
  auto peep = [&](ScalarBuilder &s, Value x, Value weight, Value c) {
    return s.add(x, s.mul(s.cast(weight, type, false, false), c));
  };
  SmallVector<Value> cellPeepholes, outputPeepholes;
  if (hasPeepholes) {
    cellPeepholes = {peepholes[0], peepholes[2]};
    outputPeepholes = {peepholes[1]};
  }
  c = update(c, {gate(gates, 0), gate(gates, 2), gate(gates, 3)}, cellPeepholes,
             [&](ScalarBuilder &s, ValueRange args) {
               Value input = args[0], forget = args[1], old = args.back();
               if (hasPeepholes) {
                 input = peep(s, input, args[3], old);
                 forget = peep(s, forget, args[4], old);
               }
               input = activate(s, 0, input);
               forget = isCoupled ? s.sub(s.one(input), input)
                                  : activate(s, 0, forget);
               Value cell = activate(s, 1, args[2]);
               Value kept = s.mul(forget, old);
               return s.add(kept, s.mul(input, cell));
             });
  h = update(h, {gate(gates, 1), c}, outputPeepholes,
             [&](ScalarBuilder &s, ValueRange args) {
               Value output = args[0], cell = args[1];
               if (hasPeepholes)
                 output = peep(s, output, args[2], cell);
               // `clip` is for sums of products: the cell is none.
               Value opened = activate(s, 0, output);
               return s.mul(opened, apply(s, 2, cell));
             });
}

/// Gates: update, reset, hidden.
void GRUDirection::step(Value x, SmallVectorImpl<Value> &states) {
  Value &h = states[0];
  auto mix = [](ScalarBuilder &s, Value z, Value hidden, Value old) {
    Value fromHidden = s.mul(s.sub(s.one(z), z), hidden);
    return s.add(fromHidden, s.mul(z, old));
  };
  if (isLinearFirst) {
    Sizes sizes{net.batch, net.gatesSize(l, 3)};
    Value zeros = l.filled(sizes, l.constant(type, 0));
    Value product = multiplyAdd(zeros, h);
    SmallVector<Value> matrices, vectors;
    for (unsigned i = 0; i < 3; ++i) {
      matrices.push_back(gate(x, i));
      matrices.push_back(gate(product, i));
    }
    if (recurrentBias)
      vectors.push_back(
          l.sliceWithout(recurrentBias, net.gatesSize(l, 2), net.hidden, {}));
    h = update(h, matrices, vectors, [&](ScalarBuilder &s, ValueRange args) {
      Value z = activate(s, 0, s.add(args[0], args[1]));
      Value reset = activate(s, 0, s.add(args[2], args[3]));
      Value linear = args[5];
      if (recurrentBias)
        linear = s.add(linear, args[6]);
      Value hidden = activate(s, 1, s.add(args[4], s.mul(reset, linear)));
      return mix(s, z, hidden, args.back());
    });
    return;
  }
  Value front = l.sliceWithout(x, {l.attr(0), l.attr(0)},
                               {net.batch, net.gatesSize(l, 2)}, {});
  Value gates = multiplyAdd(front, h);
  Value reset = l.mapSame({gate(gates, 1), h}, type,
                          [&](ScalarBuilder &s, ValueRange args) {
                            return s.mul(activate(s, 0, args[0]), args[1]);
                          });
  Value hidden = multiplyAdd(gate(x, 2), reset, 1);
  h = update(h, {gate(gates, 0), hidden}, {},
             [&](ScalarBuilder &s, ValueRange args) {
               Value z = activate(s, 0, args[0]);
               return mix(s, z, activate(s, 1, args[1]), args.back());
             });
}

//===----------------------------------------------------------------------===//
// The operators
//===----------------------------------------------------------------------===//

/// The functions that the node names, or `defaults` for each direction.
static LogicalResult readActivations(Lowering &l, Network &net,
                                     std::optional<ArrayAttr> names,
                                     std::optional<ArrayRef<float>> alphas,
                                     std::optional<ArrayRef<float>> betas,
                                     ArrayRef<StringRef> defaults) {
  SmallVector<StringRef> all;
  if (names && !names->empty())
    llvm::append_range(all, names->getAsValueRange<StringAttr>());
  else
    for (int64_t i = 0; i < net.numDirections(); ++i)
      llvm::append_range(all, defaults);
  size_t count = defaults.size() * net.numDirections();
  if (all.size() < count)
    return l.invalid("activations must be " + Twine(count) + ", there are " +
                     Twine(all.size()));
  // Parameters go to the functions that have them, in order.
  auto take = [](std::optional<ArrayRef<float>> &given,
                 std::optional<double> byDefault) {
    if (!byDefault || !given || given->empty())
      return byDefault.value_or(0);
    double value = given->front();
    given = given->drop_front();
    return value;
  };
  ArrayRef<ActivationKind> kinds = getActivationKinds();
  for (StringRef name : ArrayRef(all).take_front(count)) {
    const auto *kind = llvm::find_if(kinds, [&](const auto &kind) {
      return name.equals_insensitive(kind.name);
    });
    if (kind == kinds.end()) {
      auto names = llvm::map_range(
          kinds, [](const auto &kind) { return StringRef(kind.name); });
      return l.invalid("activation '" + name + "', expected one of " +
                       llvm::join(names, ", "));
    }
    double alpha = take(alphas, kind->alpha), beta = take(betas, kind->beta);
    net.activations.push_back({kind, alpha, beta});
  }
  return success();
}

/// Brings all operands to sizes that agree, as static as any of them says.
static LogicalResult fitOperands(Lowering &l, Network &net,
                                 std::optional<int64_t> hiddenSize) {
  auto pick = [](ArrayRef<OpFoldResult> candidates) {
    for (OpFoldResult size : candidates)
      if (getConstantIntValue(size))
        return size;
    return candidates.front();
  };
  int64_t time = net.isBatchFirst ? 1 : 0;
  auto state = [&](Value given, Sizes &sizes) {
    if (given && Lowering::rank(given) == 3)
      sizes.push_back(l.dim(given, 1 - time));
  };
  Sizes batch{l.dim(net.x, 1 - time)};
  state(net.initialH, batch);
  state(net.initialC, batch);
  if (net.lengths && Lowering::rank(net.lengths) == 1)
    batch.push_back(l.dim(net.lengths, 0));
  net.directions = l.attr(net.numDirections());
  net.steps = l.dim(net.x, time);
  net.batch = pick(batch);
  net.inputs = pick({l.dim(net.x, 2), l.dim(net.w, 2)});
  net.hidden = hiddenSize ? l.attr(*hiddenSize) : l.dim(net.r, 2);
  OpFoldResult gates = net.gatesSize(l, net.gates);
  if (failed(l.fit(net.x, net.order(net.steps, net.inputs), "X")) ||
      failed(l.fit(net.w, {net.directions, gates, net.inputs}, "W")) ||
      failed(l.fit(net.r, {net.directions, gates, net.hidden}, "R")) ||
      failed(l.fit(net.bias, {net.directions, net.gatesSize(l, 2 * net.gates)},
                   "B")) ||
      failed(l.fit(net.lengths, {net.batch}, "sequence_lens")) ||
      failed(l.fit(net.initialH, net.order(net.directions, net.hidden),
                   "initial_h")) ||
      failed(l.fit(net.initialC, net.order(net.directions, net.hidden),
                   "initial_c")) ||
      failed(l.fit(net.peepholes, {net.directions, net.gatesSize(l, 3)}, "P")))
    return failure();
  if (net.lengths)
    checkUpTo(
        l, net.lengths, l.asValue(net.steps),
        "sequence_lens must be at least 0 and at most the number of steps");
  return success();
}

/// What the attributes and operands of all three operators say.
template <typename OpTy>
static LogicalResult
readNetwork(Lowering &l, OpTy op, typename OpTy::Adaptor operands,
            ArrayRef<StringRef> activations, Network &net) {
  net.direction = op.getDirection();
  net.isBatchFirst = op.getLayout() == 1;
  if (std::optional<APFloat> clip = op.getClip();
      clip && clip->convertToDouble() > 0)
    net.clip = clip->convertToDouble();
  net.x = operands.getX();
  net.w = operands.getW();
  net.r = operands.getR();
  net.bias = operands.getB();
  net.lengths = operands.getSequenceLens();
  net.initialH = operands.getInitialH();
  std::optional<ArrayAttr> names = op.getActivations();
  if (failed(readActivations(l, net, names, op.getActivationAlpha(),
                             op.getActivationBeta(), activations)))
    return failure();
  return fitOperands(l, net, op.getHiddenSize());
}

/// Runs the directions and puts their results together. `wanted` tells of Y and
/// the states which are results.
static LogicalResult
lowerNetwork(Lowering &l, const Network &net,
             ArrayRef<std::unique_ptr<Direction>> directions,
             ArrayRef<bool> wanted) {
  Type element = Lowering::elementType(net.x);
  Value y;
  if (wanted[0]) {
    Sizes sizes = net.order(net.steps, net.hidden);
    sizes.insert(sizes.begin() + (net.isBatchFirst ? 2 : 1), net.directions);
    y = l.empty(sizes, element);
  }
  SmallVector<Value> states(wanted.size() - 1);
  for (auto [i, direction] : llvm::enumerate(directions)) {
    direction->begin();
    direction->run(y);
    OpFoldResult zero = l.attr(0), one = l.attr(1), own = l.attr(i);
    for (auto [k, all] : llvm::enumerate(states)) {
      if (!wanted[1 + k])
        continue;
      if (!all)
        all = l.empty(net.order(net.directions, net.hidden), element);
      Sizes at(3, zero);
      at[net.isBatchFirst ? 1 : 0] = own;
      Value last = l.castElements(direction->states[k], element);
      all = tensor::InsertSliceOp::create(
          l.b, l.loc, last, all, at, net.order(one, net.hidden), Sizes(3, one));
    }
  }
  SmallVector<Value> results;
  if (y)
    results.push_back(y);
  llvm::copy_if(states, std::back_inserter(results),
                [](Value state) { return bool(state); });
  return l.replace(results);
}

/// The directions, made of what `DirectionTy` needs besides.
template <typename DirectionTy, typename... Args>
static SmallVector<std::unique_ptr<Direction>>
makeDirections(Lowering &l, const Network &net, Args... args) {
  SmallVector<std::unique_ptr<Direction>> directions;
  for (int64_t i = 0; i < net.numDirections(); ++i)
    directions.push_back(std::make_unique<DirectionTy>(l, net, i, args...));
  return directions;
}

static LogicalResult lowerRNN(RNNOp op, RNNOp::Adaptor operands, Lowering &l) {
  Network net;
  net.gates = 1;
  if (failed(readNetwork(l, op, operands, {"Tanh"}, net)))
    return failure();
  return lowerNetwork(l, net, makeDirections<RNNDirection>(l, net),
                      {bool(op.getY()), bool(op.getYH())});
}

static LogicalResult lowerGRU(GRUOp op, GRUOp::Adaptor operands, Lowering &l) {
  Network net;
  net.gates = 3;
  if (failed(readNetwork(l, op, operands, {"Sigmoid", "Tanh"}, net)))
    return failure();
  bool isLinearFirst = op.getLinearBeforeReset() != 0;
  return lowerNetwork(l, net,
                      makeDirections<GRUDirection>(l, net, isLinearFirst),
                      {bool(op.getY()), bool(op.getYH())});
}

static LogicalResult lowerLSTM(LSTMOp op, LSTMOp::Adaptor operands,
                               Lowering &l) {
  Network net;
  net.gates = 4;
  net.initialC = operands.getInitialC();
  net.peepholes = operands.getP();
  if (failed(readNetwork(l, op, operands, {"Sigmoid", "Tanh", "Tanh"}, net)))
    return failure();
  bool isCoupled = op.getInputForget() != 0;
  return lowerNetwork(l, net, makeDirections<LSTMDirection>(l, net, isCoupled),
                      {bool(op.getY()), bool(op.getYH()), bool(op.getYC())});
}

void onnxc::populateRecurrent(Lowerings &lowerings) {
  lowerings.add<GRUOp>(lowerGRU);
  lowerings.add<LSTMOp>(lowerLSTM);
  lowerings.add<RNNOp>(lowerRNN);
}
