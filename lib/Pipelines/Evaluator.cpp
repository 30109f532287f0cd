//===- Evaluator.cpp - Constants are computed by compiled code ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are compiled many at a time, since a compile has a price of its own:
// one model whose first input says which kernel a run is of, and an If around
// each. The compile happens in a context apart, so that it leaves nothing in
// the caller's and needs no dialect there.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipelines/Evaluator.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Emit/Emit.h"
#include "onnxc/Load/LoadedModel.h"
#include "onnxc/Optimize/Evaluator.h"
#include "onnxc/Pipelines/Registration.h"
#include "onnxc/Pipelines/Session.h"
#include "onnxc/Support/Interrupt.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Signals.h"

#include <cstdlib>
#include <cstring>
#include <mutex>

using namespace mlir;
using namespace onnxc;

/// Code grows faster than its functions: LLVM takes more than twice the time
/// for twice the kernels.
static constexpr size_t maxBatchSize = 48;

/// What a run may allocate.
static constexpr size_t maxRunBytes = size_t(1) << 30;

namespace {

//===----------------------------------------------------------------------===//
// The model of a batch
//===----------------------------------------------------------------------===//

/// Builds the module: main(which, arguments of all kernels) -> results of all.
class BatchBuilder {
public:
  BatchBuilder(MLIRContext *context, ArrayRef<func::FuncOp> kernels)
      : builder(context), kernels(kernels) {}

  OwningOpRef<ModuleOp> build() {
    Location loc = builder.getUnknownLoc();
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    SmallVector<Type> inputs = {
        RankedTensorType::get({}, builder.getI64Type())};
    for (func::FuncOp kernel : kernels)
      llvm::append_range(inputs, kernel.getArgumentTypes());
    builder.setInsertionPointToStart(module->getBody());
    auto main = func::FuncOp::create(builder, loc, "main",
                                     builder.getFunctionType(inputs, {}));
    main->setAttr(model::entry, builder.getUnitAttr());
    Block *body = main.addEntryBlock();
    builder.setInsertionPointToStart(body);
    SmallVector<Value> results;
    ArrayRef<BlockArgument> arguments = body->getArguments().drop_front();
    for (size_t i = 0; i < kernels.size(); ++i) {
      func::FuncOp kernel = kernels[i];
      ArrayRef<BlockArgument> mine =
          arguments.take_front(kernel.getNumArguments());
      arguments = arguments.drop_front(mine.size());
      addKernel(kernel, i, body->getArgument(0), mine, results);
    }
    func::ReturnOp::create(builder, loc, results);
    main.setFunctionType(
        builder.getFunctionType(inputs, TypeRange(ValueRange(results))));
    return module;
  }

private:
  void addKernel(func::FuncOp kernel, int64_t number, Value which,
                 ArrayRef<BlockArgument> arguments,
                 SmallVectorImpl<Value> &results) {
    if (kernels.size() == 1)
      return llvm::append_range(results, inlineBody(kernel, arguments));
    Location loc = builder.getUnknownLoc();
    auto scalar = RankedTensorType::get({}, builder.getI64Type());
    Value mine = makeConstant(
        DenseElementsAttr::get(scalar, builder.getI64IntegerAttr(number)));
    Value condition = EqualOp::create(
        builder, loc, scalar.clone(builder.getI1Type()), which, mine);
    SmallVector<Type> types;
    for (Type type : kernel.getResultTypes()) {
      auto tensor = cast<RankedTensorType>(type);
      types.push_back(tensor.clone(
          SmallVector<int64_t>(tensor.getRank(), ShapedType::kDynamic)));
    }
    auto choice = IfOp::create(builder, loc, types, condition);
    llvm::append_range(results, choice.getResults());
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&choice.getThenBranch());
    YieldOp::create(builder, loc, inlineBody(kernel, arguments));
    builder.createBlock(&choice.getElseBranch());
    SmallVector<Value> nothing;
    for (Type type : kernel.getResultTypes())
      nothing.push_back(
          makeConstant(makeNothing(cast<RankedTensorType>(type))));
    YieldOp::create(builder, loc, nothing);
  }

  SmallVector<Value> inlineBody(func::FuncOp kernel,
                                ArrayRef<BlockArgument> arguments) {
    IRMapping mapping;
    for (auto [from, to] : llvm::zip_equal(kernel.getArguments(), arguments))
      mapping.map(from, to);
    for (Operation &op : kernel.getBody().front().without_terminator())
      builder.clone(op, mapping);
    return llvm::map_to_vector(
        kernel.getBody().front().getTerminator()->getOperands(),
        [&](Value value) { return mapping.lookup(value); });
  }

  /// What a kernel gives that a run is not of.
  static ElementsAttr makeNothing(RankedTensorType type) {
    RankedTensorType empty =
        type.clone(SmallVector<int64_t>(type.getRank(), 0));
    if (isa<StringType>(type.getElementType())) {
      SmallVector<StringRef> texts(empty.getNumElements(), "");
      return DenseStringElementsAttr::get(empty, texts);
    }
    if (type.getRank() > 0)
      return DenseElementsAttr::get(empty, ArrayRef<Attribute>());
    size_t bytes = onnxc_dtype_size(getDataType(type.getElementType()));
    SmallVector<char> zero(bytes, 0);
    return DenseElementsAttr::getFromRawBuffer(empty, zero);
  }

  Value makeConstant(ElementsAttr value) {
    return builder.getContext()
        ->getLoadedDialect<ONNXDialect>()
        ->materializeConstant(builder, value, value.getType(),
                              builder.getUnknownLoc())
        ->getResult(0);
  }

  OpBuilder builder;
  ArrayRef<func::FuncOp> kernels;
};

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// A compiler in a context of its own.
class Compiler {
public:
  Compiler() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
    // The rewrites that fold fall back on not folding.
    context.getDiagEngine().registerHandler([](Diagnostic &) {});
    options.optLevel = 0;
  }

  std::optional<LoadedModel> compile(ModuleOp given) {
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    if (failed(writeBytecodeToFile(given, os)))
      return std::nullopt;
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(bytes, ParserConfig(&context));
    if (!module)
      return std::nullopt;
    Session session(context, options);
    session.setModule(std::move(module));
    if (failed(session.run(Stage::Infer, Stage::LLVM)))
      return std::nullopt;
    return load(session.getModule());
  }

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  static std::optional<LoadedModel> load(ModuleOp module) {
    SmallString<128> path;
    std::unique_lock<std::mutex> creating = lockFileCreation();
    if (llvm::sys::fs::createTemporaryFile("onnxc-fold", "so", path))
      return std::nullopt;
    // Loaded code needs no name; a signal must not leave one, either.
    llvm::sys::RemoveFileOnSignal(path);
    creating.unlock();
    llvm::FileRemover remover(path);
    EmitOptions emit;
    emit.outputPath = path.str().str();
    emit.prefix = "fold";
    emit.optLevel = 0;
    emit.header = false;
    std::optional<LoadedModel> loaded;
    if (succeeded(emitModule(module, emit))) {
      llvm::Expected<LoadedModel> opened = LoadedModel::open(path, emit.prefix);
      if (opened)
        loaded.emplace(std::move(*opened));
      else
        llvm::consumeError(opened.takeError());
    }
    llvm::sys::DontRemoveFileOnSignal(path);
    return loaded;
  }

  MLIRContext context;
  StageOptions options;
};

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Memory of a run, of which there is an end.
class Memory {
public:
  static void *allocate(void *user, size_t bytes, size_t alignment) {
    auto *memory = static_cast<Memory *>(user);
    if (bytes > maxRunBytes - memory->used)
      return nullptr;
    void *block = std::aligned_alloc(
        alignment, llvm::alignTo(std::max<size_t>(bytes, 1), alignment));
    if (block)
      memory->used += bytes;
    return block;
  }
  static void release(void *user, void *block, size_t bytes) {
    static_cast<Memory *>(user)->used -= bytes;
    std::free(block);
  }

private:
  size_t used = 0;
};

/// Kernels that were compiled together.
class Batch {
public:
  Batch(LoadedModel model, ArrayRef<func::FuncOp> kernels)
      : model(std::move(model)) {
    size_t argument = 1, result = 0;
    for (func::FuncOp kernel : kernels) {
      spans.push_back(
          {argument, kernel.getNumArguments(), result, kernel.getNumResults()});
      argument += kernel.getNumArguments();
      result += kernel.getNumResults();
    }
    numResults = result;
    inputs.resize(argument);
    uint64_t most = sizeof(int64_t);
    for (auto [input, info] : llvm::zip_equal(
             inputs, ArrayRef(this->model.model().inputs, argument))) {
      input = onnxc_tensor_over(nullptr, info.dtype, info.rank, info.dims);
      most = std::max(most, input.bytes);
    }
    // Arguments of other kernels are not read, but have to be there.
    nothing.reset(std::calloc(most + alignment, 1));
    if (!nothing)
      return;
    for (onnxc_tensor &input : inputs)
      input.data = reinterpret_cast<void *>(
          llvm::alignTo(reinterpret_cast<uintptr_t>(nothing.get()), alignment));
    onnxc_options options = {};
    options.user = &memory;
    options.allocate = Memory::allocate;
    options.release = Memory::release;
    // ONNXC_CPU_LEVEL is about models, not about code of this process's own.
    options.cpu_level = "";
    llvm::Expected<ContextPtr> created = this->model.createContext(options);
    if (created)
      context = std::move(*created);
    else
      llvm::consumeError(created.takeError());
  }

  FailureOr<std::vector<TensorValue>>
  run(size_t kernel, ArrayRef<TensorValue> arguments, MLIRContext *types) {
    const Span &span = spans[kernel];
    if (!context || arguments.size() != span.numArguments)
      return failure();
    int64_t which = kernel;
    std::vector<onnxc_tensor> given = inputs;
    given[0].data = &which;
    // Weights lie anywhere in a model's file, and a run takes no odd address.
    std::vector<std::unique_ptr<void, Free>> copies;
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      onnxc_tensor &input = given[span.firstArgument + i];
      if (argument.bytes.size() != input.bytes)
        return failure();
      if (argument.bytes.empty())
        continue;
      input.data = const_cast<char *>(argument.bytes.data());
      if (llvm::isAddrAligned(llvm::Align(alignment), input.data))
        continue;
      copies.emplace_back(std::aligned_alloc(
          alignment, llvm::alignTo(argument.bytes.size(), alignment)));
      if (!copies.back())
        return failure();
      input.data = std::memcpy(copies.back().get(), argument.bytes.data(),
                               argument.bytes.size());
    }
    std::vector<onnxc_tensor> outputs(numResults,
                                      onnxc_output_buffer(nullptr, 0));
    if (onnxc_run(context.get(), given.data(), given.size(), outputs.data(),
                  outputs.size()) != ONNXC_OK)
      return failure();
    std::vector<TensorValue> results;
    for (const onnxc_tensor &output :
         ArrayRef(outputs).slice(span.firstResult, span.numResults)) {
      Type element = getElementType(types, output.dtype);
      if (!element || output.rank < 0 || output.rank > ONNXC_MAX_RANK)
        return failure();
      results.push_back(
          copy(output, RankedTensorType::get(ArrayRef(output.dims, output.rank),
                                             element)));
    }
    return results;
  }

private:
  struct Span {
    size_t firstArgument, numArguments, firstResult, numResults;
  };
  struct Free {
    void operator()(void *block) const { std::free(block); }
  };

  static TensorValue copy(const onnxc_tensor &tensor, RankedTensorType type) {
    TensorValue value;
    value.type = type;
    uint64_t bytes = onnxc_tensor_bytes(&tensor);
    if (tensor.dtype == ONNXC_STRING) {
      auto *texts = static_cast<const char *const *>(tensor.data);
      value.texts.assign(texts, texts + bytes / sizeof(char *));
      return value;
    }
    auto *data = static_cast<const char *>(tensor.data);
    value.owned = std::make_shared<std::vector<char>>(data, data + bytes);
    // Above the bits of a narrow type there may be anything.
    unsigned width = type.getElementType().isIntOrFloat()
                         ? type.getElementType().getIntOrFloatBitWidth()
                         : 8;
    if (width < 8)
      for (char &byte : *value.owned)
        byte &= (1 << width) - 1;
    value.bytes = *value.owned;
    return value;
  }

  static constexpr size_t alignment = 64;

  LoadedModel model;
  Memory memory;
  ContextPtr context;
  std::vector<Span> spans;
  size_t numResults = 0;
  std::vector<onnxc_tensor> inputs;
  std::unique_ptr<void, Free> nothing;
};

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

class CompilingEvaluator : public EvaluatorInterface {
public:
  using EvaluatorInterface::EvaluatorInterface;

  bool isKnown(StringRef key) const override {
    std::lock_guard<std::mutex> lock(mutex);
    return kernels.contains(key);
  }

  void compile(ArrayRef<Kernel> given) const override {
    std::lock_guard<std::mutex> lock(mutex);
    if (!given.empty() && !compiler)
      compiler = std::make_unique<Compiler>();
    for (; !given.empty();
         given = given.drop_front(std::min(given.size(), maxBatchSize)))
      compileBatch(given.take_front(maxBatchSize));
  }

  FailureOr<std::vector<TensorValue>>
  run(StringRef key, ArrayRef<TensorValue> arguments) const override {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = kernels.find(key);
    if (found == kernels.end() || !found->second.batch)
      return failure();
    return found->second.batch->run(found->second.number, arguments,
                                    getContext());
  }

private:
  /// Those that cannot be compiled are found by halving.
  void compileBatch(ArrayRef<Kernel> given) const {
    auto functions = llvm::map_to_vector(given, [](const Kernel &kernel) {
      return cast<func::FuncOp>(kernel.function);
    });
    OwningOpRef<ModuleOp> module =
        BatchBuilder(getContext(), functions).build();
    std::optional<LoadedModel> model = compiler->compile(*module);
    if (!model && given.size() > 1) {
      compileBatch(given.take_front(given.size() / 2));
      compileBatch(given.drop_front(given.size() / 2));
      return;
    }
    std::shared_ptr<Batch> batch;
    if (model)
      batch = std::make_shared<Batch>(std::move(*model), functions);
    for (auto [i, kernel] : llvm::enumerate(given))
      kernels[kernel.key] = {batch, i};
  }

  struct Compiled {
    /// Null if it cannot be compiled.
    std::shared_ptr<Batch> batch;
    size_t number = 0;
  };

  mutable std::mutex mutex;
  mutable std::unique_ptr<Compiler> compiler;
  mutable llvm::StringMap<Compiled> kernels;
};
} // namespace

void onnxc::registerEvaluator(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, ONNXDialect *dialect) {
    dialect->addInterface<CompilingEvaluator>();
  });
}
