//===- SpecializeInputs.cpp - Sizes of inputs that the user states --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dimensions.h"
#include "onnxc/Dialect/ONNX/EntryNames.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Infer/Passes.h"

#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Support/OptionFault.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

namespace onnxc {
#define GEN_PASS_DEF_SPECIALIZEINPUTS
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

/// "2x?x4" as dims; empty text for a scalar.
static std::optional<SmallVector<int64_t>> parseDims(StringRef text) {
  SmallVector<int64_t> dims;
  if (text.empty())
    return dims;
  for (StringRef part : llvm::split(text, 'x')) {
    int64_t &dim = dims.emplace_back(ShapedType::kDynamic);
    if (part != "?" && (part.getAsInteger(10, dim) || dim < 0))
      return std::nullopt;
  }
  return dims;
}

/// Joins what is given for a dimension of an argument with what is declared.
static LogicalResult refine(func::FuncOp entry, unsigned argument,
                            ArrayRef<int64_t> dims) {
  BlockArgument value = entry.getArgument(argument);
  auto declared = dyn_cast<TensorType>(value.getType());
  Type asked = declared ? RankedTensorType::get(dims, declared.getElementType())
                        : Type();
  Type joined = declared ? joinTypes(declared, asked) : Type();
  if (!joined) {
    InFlightDiagnostic error = entry.emitError()
                               << "input '" << getInputName(entry, argument)
                               << "' is " << value.getType()
                               << ", which contradicts the ";
    if (declared)
      return error << "requested type " << asked;
    return error << "requested shape: it is not a tensor";
  }
  value.setType(joined);
  return success();
}

/// Where a size with a name is given, by an input or in `sizes`, all sizes of
/// that name are.
static LogicalResult spreadSymbols(func::FuncOp entry,
                                   llvm::StringMap<int64_t> sizes) {
  auto forEach = [&](auto visit) {
    for (BlockArgument argument : entry.getArguments()) {
      auto names = entry.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                     model::dimParams);
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (names && type && names.size() == size_t(type.getRank()))
        visit(argument.getArgNumber(), names, type);
    }
  };
  forEach([&](unsigned, ArrayAttr names, RankedTensorType type) {
    for (auto [name, size] :
         llvm::zip_equal(names.getAsRange<StringAttr>(), type.getShape()))
      if (!name.empty() && ShapedType::isStatic(size))
        sizes.try_emplace(name, size);
  });
  bool invalid = false;
  forEach([&](unsigned argument, ArrayAttr names, RankedTensorType type) {
    SmallVector<int64_t> dims(type.getShape());
    SmallVector<Attribute> left;
    for (auto [name, size] :
         llvm::zip_equal(names.getAsRange<StringAttr>(), dims)) {
      auto known = sizes.find(name);
      bool isKnown = known != sizes.end();
      left.push_back(isKnown ? StringAttr::get(entry.getContext()) : name);
      if (isKnown)
        size = known->second;
    }
    invalid |= failed(refine(entry, argument, dims));
    entry.setArgAttr(argument, model::dimParams,
                     ArrayAttr::get(entry.getContext(), left));
  });
  return failure(invalid);
}

/// What is stated of the sizes of an overridable initializer must be so of its
/// own value, too, which it has where another one is overridden.
static LogicalResult checkDefaults(func::FuncOp entry) {
  for (BlockArgument argument : entry.getArguments()) {
    auto value = entry.getArgAttrOfType<ElementsAttr>(argument.getArgNumber(),
                                                      model::defaultValue);
    if (value && !joinTypes(argument.getType(), value.getType()))
      return entry.emitError()
             << "input '" << getInputName(entry, argument.getArgNumber())
             << "' is stated to be " << argument.getType()
             << ", but its default value is " << value.getType();
  }
  return success();
}

namespace {
class SpecializeInputs
    : public onnxc::impl::SpecializeInputsBase<SpecializeInputs> {
public:
  using SpecializeInputsBase::SpecializeInputsBase;

private:
  void runOnOperation() override {
    if (shapes.empty() && dims.empty())
      return;
    SmallVector<func::FuncOp> entries = listEntries(getOperation());
    for (func::FuncOp entry : entries)
      if (failed(specialize(entry, entry == entries.back())))
        return signalPassFailure();
  }

  /// `isAll`: the entry has all inputs.
  LogicalResult specialize(func::FuncOp entry, bool isAll) {
    for (const std::string &text : shapes) {
      auto [name, dimText] = StringRef(text).rsplit(':');
      std::optional<SmallVector<int64_t>> dims = parseDims(dimText);
      if (!dims || !StringRef(text).contains(':'))
        return markOptionFault(entry.emitError())
               << "input shape '" << text
               << "': expected a name, a colon and sizes, as in x:1x3x?x?";
      auto arguments = llvm::seq<unsigned>(0, entry.getNumArguments());
      auto found = llvm::find_if(arguments, [&, name = name](unsigned i) {
        return getInputName(entry, i) == name;
      });
      if (found == arguments.end() && !isAll)
        continue;
      if (found == arguments.end())
        return entry.emitError()
               << "input shape '" << text << "': the model has no such input; "
               << "its inputs are "
               << llvm::join(llvm::map_range(arguments,
                                             [&](unsigned i) {
                                               return getInputName(entry, i);
                                             }),
                             ", ");
      if (failed(refine(entry, *found, *dims)))
        return failure();
    }
    llvm::StringMap<int64_t> sizes;
    for (const std::string &text : dims) {
      auto [name, size] = StringRef(text).split('=');
      int64_t number;
      if (name.empty() || size.getAsInteger(10, number) || number < 0)
        return markOptionFault(entry.emitError())
               << "dimension '" << text
               << "': expected a name and a size, as in seq=128";
      int64_t known = sizes.try_emplace(name, number).first->second;
      if (known != number)
        return markOptionFault(entry.emitError())
               << "dimension '" << name << "' is given as " << known
               << " and as " << number;
      if (isAll && failed(checkDimension(entry, name)))
        return failure();
    }
    if (failed(spreadSymbols(entry, std::move(sizes))) ||
        failed(checkDefaults(entry)))
      return failure();
    entry.setFunctionType(FunctionType::get(entry.getContext(),
                                            entry.front().getArgumentTypes(),
                                            entry.getResultTypes()));
    return success();
  }
};
} // namespace
