//===- SetOpset.cpp - The opsets that a model imports ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/ConvertOpset/Passes.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "onnxc/Upgrade/VersionForm.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/IRVersion.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Schema.h"
#include "onnxc/Support/OptionFault.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace onnxc {
#define GEN_PASS_DEF_SETOPSET
#include "onnxc/ConvertOpset/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {
struct SetOpset : onnxc::impl::SetOpsetBase<SetOpset> {
  using SetOpsetBase::SetOpsetBase;

  void runOnOperation() override {
    SchemaTable schemas(&getContext());
    NamedAttrList targets;
    for (const std::string &text : opsets)
      if (failed(readTarget(text, schemas, targets)))
        return signalPassFailure();
    ModuleOp module = getOperation();
    auto imports = module->getAttrOfType<DictionaryAttr>(model::opsetImports);
    for (NamedAttribute target : targets)
      if (!imports || !imports.get(target.getName())) {
        module.emitError() << "the model does not import domain '"
                           << target.getName().strref()
                           << "', whose opset is to be changed";
        return signalPassFailure();
      }
    SmallVector<std::pair<SchemaOpInterface, int>> before =
        listVersions(schemas);
    module->setAttr(model::opsetImports, replace(imports, targets));
    setIRVersion(targets);
    setOfFunctions(targets, schemas);
    for (auto [op, version] : before)
      if (getVersionInForce(op, schemas) == version)
        op->setAttr(model::sameVersion, UnitAttr::get(&getContext()));
  }

private:
  static std::optional<int> getVersionInForce(SchemaOpInterface op,
                                              const SchemaTable &schemas);
  SmallVector<std::pair<SchemaOpInterface, int>>
  listVersions(const SchemaTable &schemas);
  LogicalResult readTarget(StringRef text, const SchemaTable &schemas,
                           NamedAttrList &targets);
  void setIRVersion(const NamedAttrList &targets);
  void setOfFunctions(const NamedAttrList &targets, const SchemaTable &schemas);

  DictionaryAttr replace(DictionaryAttr imports, const NamedAttrList &targets) {
    NamedAttrList replaced(imports);
    for (NamedAttribute target : targets)
      if (imports.get(target.getName()))
        replaced.set(target.getName(), target.getValue());
    return replaced.getDictionary(&getContext());
  }
};
} // namespace

std::optional<int> SetOpset::getVersionInForce(SchemaOpInterface op,
                                               const SchemaTable &schemas) {
  std::optional<int64_t> opset = getOpset(op, op.getOnnxDomain());
  const OperatorHistory *history =
      schemas.lookup(op.getOnnxDomain(), op.getOnnxName());
  return opset && history ? history->getVersionAt(*opset) : std::nullopt;
}

/// The version that is in force for each op that has this form; a Constant may
/// be no node.
SmallVector<std::pair<SchemaOpInterface, int>>
SetOpset::listVersions(const SchemaTable &schemas) {
  SmallVector<std::pair<SchemaOpInterface, int>> versions;
  getOperation().walk([&](SchemaOpInterface op) {
    std::optional<int> version = getVersionInForce(op, schemas);
    if (version && !isa<ConstantOp>(op.getOperation()) &&
        llvm::is_contained(op.getSchemaVersions(), *version))
      versions.emplace_back(op, *version);
  });
  return versions;
}

LogicalResult SetOpset::readTarget(StringRef text, const SchemaTable &schemas,
                                   NamedAttrList &targets) {
  auto [domain, number] =
      text.contains('=') ? text.split('=') : std::pair(StringRef(), text);
  StringRef shown = normalizeDomain(domain).empty() ? "ai.onnx" : domain;
  int64_t version = 0;
  if (!schemas.isKnownDomain(domain))
    return markOptionFault(getOperation().emitError())
           << "opset '" << text << "': unknown domain '" << shown << "'";
  int64_t newest = schemas.getNewestOpset(domain);
  if (number.getAsInteger(10, version) || version < 1 || version > newest)
    return markOptionFault(getOperation().emitError())
           << "opset '" << text << "': domain '" << shown
           << "' has versions 1 to " << newest;
  targets.set(shown,
              IntegerAttr::get(IntegerType::get(&getContext(), 64), version));
  return success();
}

/// What the model has of the format, besides operators, came with this version.
static int64_t getLeastIRVersion(ModuleOp module) {
  int64_t least = 3;
  auto raise = [&](int64_t version) { least = std::max(least, version); };
  if (module->hasAttr(model::functions))
    raise(8);
  module.walk([&](Operation *op) {
    SourceAttr source = getSource(op->getLoc());
    DictionaryAttr metadata = source ? source.getMetadata() : DictionaryAttr();
    if (metadata && metadata.get("metadata_props"))
      raise(10);
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      // One that is not an input, which it had to be before.
      raise(4);
      if (constant.getSparseValueAttr())
        raise(6);
    }
  });
  return least;
}

/// Readers refuse versions that are newer than they are.
void SetOpset::setIRVersion(const NamedAttrList &targets) {
  auto target = dyn_cast_or_null<IntegerAttr>(targets.get("ai.onnx"));
  auto version = getOperation()->getAttrOfType<IntegerAttr>(model::irVersion);
  if (!target || !version)
    return;
  int64_t came = getIRVersionOf(target.getInt());
  int64_t needed =
      version.getInt() <= came
          ? came
          : std::min(version.getInt(),
                     std::max(came, getLeastIRVersion(getOperation())));
  getOperation()->setAttr(model::irVersion,
                          IntegerAttr::get(version.getType(), needed));
}

/// The versions of what a function does, at its opsets.
static bool needsChange(func::FuncOp func, DictionaryAttr before,
                        DictionaryAttr after, const SchemaTable &schemas) {
  auto getVersion = [&](DictionaryAttr imports, StringRef domain,
                        StringRef name) -> std::optional<int> {
    auto opset =
        imports.getAs<IntegerAttr>(domain.empty() ? "ai.onnx" : domain);
    const OperatorHistory *history = schemas.lookup(domain, name);
    return opset && history ? history->getVersionAt(opset.getInt())
                            : std::nullopt;
  };
  WalkResult result = func.walk([&](Operation *op) {
    StringRef domain, name;
    if (auto node = dyn_cast<NodeOp>(op)) {
      domain = node.getDomain();
      name = node.getOpType();
    } else if (auto schema = dyn_cast<SchemaOpInterface>(op)) {
      domain = schema.getOnnxDomain();
      name = schema.getOnnxName();
    } else {
      return WalkResult::advance();
    }
    return getVersion(before, domain, name) == getVersion(after, domain, name)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return result.wasInterrupted();
}

/// Functions import opsets of their own. They must have the versions that the
/// model has of the operators that both use; where they already do, they stay
/// as they are. A function that is written as it came calls what it called: all
/// change, or none.
void SetOpset::setOfFunctions(const NamedAttrList &targets,
                              const SchemaTable &schemas) {
  SmallVector<std::pair<func::FuncOp, DictionaryAttr>> changed;
  bool isNeeded = false;
  for (auto func : getOperation().getOps<func::FuncOp>()) {
    auto description = func->getAttrOfType<DictionaryAttr>(model::function);
    auto imports = description
                       ? description.getAs<DictionaryAttr>("opset_imports")
                       : DictionaryAttr();
    if (!imports)
      continue;
    DictionaryAttr after = replace(imports, targets);
    isNeeded |= needsChange(func, imports, after, schemas);
    NamedAttrList replaced(description);
    replaced.set("opset_imports", after);
    changed.emplace_back(func, replaced.getDictionary(&getContext()));
  }
  if (!isNeeded)
    return;
  for (auto [func, description] : changed) {
    func->setAttr(model::function, description);
    func->removeAttr(model::verbatim);
  }
}
