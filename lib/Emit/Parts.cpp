//===- Parts.cpp - Machine code of a module, by parts ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace onnxc {

/// More than there are cores in common machines, so that they end together.
static constexpr size_t maxParts = 8;
/// Instructions that a part shall have at least: it takes some 50 ms.
static constexpr size_t leastInstructions = 2000;

/// A function with more, of those that call kernels, is a part of its own.
static constexpr size_t longInstructions = 8000;

static bool isLongCaller(const llvm::Function &function) {
  return !function.hasFnAttribute(llvm::Attribute::NoInline) &&
         function.getInstructionCount() > longInstructions;
}

/// Functions that others reach by their name only: kernels, and the model's
/// interface.
static bool standsAlone(const llvm::Function &function) {
  return !function.isDeclaration() &&
         (function.hasFnAttribute(llvm::Attribute::NoInline) ||
          !function.hasLocalLinkage() || isLongCaller(function));
}

std::unique_ptr<Parts> Parts::split(std::unique_ptr<llvm::Module> &code) {
  std::vector<std::pair<size_t, llvm::Function *>> alone;
  size_t instructions = 0;
  for (llvm::Function &function : *code) {
    if (!standsAlone(function))
      continue;
    alone.push_back({function.getInstructionCount(), &function});
    instructions += alone.back().first;
  }
  size_t count =
      std::min({maxParts, instructions / leastInstructions, alone.size()});
  if (count < 2)
    return nullptr;

  auto parts = std::make_unique<Parts>();
  parts->members.resize(count);
  std::vector<size_t> sizes(count, 0);
  // The large ones first, each to where there is least so far.
  llvm::sort(alone, [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first > b.first
                              : a.second->getName() < b.second->getName();
  });
  parts->firstLong = count;
  for (auto [size, function] : alone) {
    size_t part = std::min_element(sizes.begin(), sizes.end()) - sizes.begin();
    if (isLongCaller(*function)) {
      part = parts->members.size();
      parts->members.emplace_back();
    } else {
      sizes[part] += size;
    }
    parts->members[part].insert(function->getName());
    parts->functions.insert(function->getName());
    if (function->hasLocalLinkage()) {
      function->setLinkage(llvm::GlobalValue::ExternalLinkage);
      function->setVisibility(llvm::GlobalValue::HiddenVisibility);
    }
  }
  llvm::raw_svector_ostream os(parts->bitcode);
  llvm::WriteBitcodeToFile(*code, os);
  code.reset();
  return parts;
}

std::unique_ptr<llvm::Module> Parts::load(size_t part,
                                          llvm::LLVMContext &context) const {
  llvm::MemoryBufferRef buffer(llvm::StringRef(bitcode.data(), bitcode.size()),
                               "onnxc");
  // Bodies are read when they are needed.
  std::unique_ptr<llvm::Module> code =
      llvm::cantFail(llvm::getLazyBitcodeModule(buffer, context));
  for (llvm::Function &function : *code)
    if (functions.contains(function.getName()) &&
        !members[part].contains(function.getName()))
      function.deleteBody();
  llvm::cantFail(code->materializeAll());
  return code;
}

} // namespace onnxc
