//===- WebAssembly.cpp - Models for browsers and other engines ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WebAssembly.h"

#include "Link.h"
#include "Runtime.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"
#include "onnxc/Emit/Emit.h"
#include "onnxc/runtime.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/Wasm.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace onnxc {

bool isWebAssembly(ModuleOp module) {
  return llvm::Triple(TargetAttr::of(module).getTriple()).isWasm();
}

bool hasThreads(ModuleOp module) {
  return llvm::is_contained(
      llvm::split(TargetAttr::of(module).getFeatures(), ','), "+atomics");
}

bool hasWebAssemblyLibrary() {
  // An archive without members is its eight bytes of magic.
  llvm::Triple triple("wasm32-unknown-unknown");
  return getRuntimeArchive(triple).size() > StringRef("!<arch>\n").size();
}

LogicalResult checkWebAssembly(ModuleOp module, const ModelInfo &info) {
  // no overflow: CheckSizes keeps each far below 2^63
  uint64_t bytes = info.weightBytes + info.workspaceBytes + info.scratchBytes;
  if (bytes >> 32)
    return module.emitError()
           << "weights and temporaries take " << bytes
           << " bytes, expected less than 4 GiB: addresses of wasm32 have 32 "
              "bits";
  return checkRuntimeCalls(module, "wasm32");
}

/// A host need not give anything to a module but the memory that threads share,
/// whose size in pages is the result.
static FailureOr<uint64_t> readImports(ModuleOp module, StringRef path) {
  auto object = llvm::object::ObjectFile::createObjectFile(path);
  if (!object)
    return module.emitError() << "cannot read back the module: "
                              << llvm::toString(object.takeError());
  auto *wasm = llvm::cast<llvm::object::WasmObjectFile>(object->getBinary());
  uint64_t pages = 0;
  StringRef missing;
  for (const llvm::wasm::WasmImport &import : wasm->imports())
    if (import.Kind == llvm::wasm::WASM_EXTERNAL_MEMORY && hasThreads(module))
      pages = import.Memory.Minimum;
    else
      missing = import.Field;
  if (missing.empty())
    return pages;
  return module.emitError() << "the code calls '" << missing
                            << "' of a system, which WebAssembly does not have";
}

LogicalResult linkWebAssembly(ModuleOp module, ArrayRef<StringRef> objects,
                              StringRef prefix, StringRef output) {
  std::vector<std::string> arguments = {
      "wasm-ld", "--no-entry", "-o", output.str(), "-z", "stack-size=1048576",
      // A stack that overflows ends the run,
      // and does not write to data.
      "--stack-first", "--gc-sections", "--strip-all",
      "--export=" + prefix.str() + "_query", "--export=aligned_alloc",
      "--export=free"};
  for (StringRef name : moduleExports)
    arguments.push_back("--export=" + name.str());
  // A thread that waits for another does so by an instruction; the C library,
  // which is made for one thread, is called by that of the model alone.
  if (hasThreads(module)) {
    for (StringRef name : threadExports)
      arguments.push_back("--export=" + name.str());
    llvm::append_range(arguments,
                       ArrayRef<const char *>{
                           "--import-memory", "--export-memory",
                           "--shared-memory", "--max-memory=4294967296",
                           "--no-check-features", "--export=__stack_pointer"});
  }
  for (StringRef object : objects)
    arguments.push_back(object.str());
  llvm::Triple triple(TargetAttr::of(module).getTriple());
  ScratchFile library;
  if (failed(
          library.create(module, output, ".a", [&](llvm::raw_fd_ostream &os) {
            os << getRuntimeArchive(triple);
            return success();
          })))
    return failure();
  arguments.push_back(library.getPath().str());
  return failure(failed(runLinker(module, arguments)) ||
                 failed(readImports(module, output)));
}

static std::string quote(StringRef text) {
  return llvm::formatv("{0}", llvm::json::Value(llvm::json::fixUTF8(text)));
}

/// lib/Emit/Loader.mjs, for a module. `pages`: of the memory that threads
/// share.
static std::string makeLoader(StringRef prefix, StringRef output,
                              std::optional<uint64_t> pages) {
  static constexpr StringLiteral loader =
#include "Loader.inc"
      ;
  static constexpr StringLiteral alone =
#include "LoaderAlone.inc"
      ;
  static constexpr StringLiteral threads =
#include "LoaderThreads.inc"
      ;
  std::string text = (loader + (pages ? threads : alone)).str();
  auto replace = [&](StringRef what, const std::string &by) {
    size_t at = text.find(what.str());
    assert(at != std::string::npos && "the loader has another name for it");
    text.replace(at, what.size(), by);
  };
  replace("'MODULE_FILE'", quote(llvm::sys::path::filename(output)));
  replace("MODULE_QUERY", (prefix + "_query").str());
  if (pages)
    replace("MEMORY_PAGES", std::to_string(*pages));
  return text;
}

/// The array of JavaScript that holds elements of the type.
static StringRef getArrayType(int32_t dtype) {
  switch (dtype) {
  case ONNXC_FLOAT:
  case ONNXC_COMPLEX64:
    return "Float32Array";
  case ONNXC_DOUBLE:
  case ONNXC_COMPLEX128:
    return "Float64Array";
  case ONNXC_INT64:
    return "BigInt64Array";
  case ONNXC_UINT64:
    return "BigUint64Array";
  case ONNXC_INT32:
    return "Int32Array";
  case ONNXC_UINT32:
    return "Uint32Array";
  case ONNXC_INT16:
    return "Int16Array";
  case ONNXC_UINT16:
  case ONNXC_FLOAT16:
  case ONNXC_BFLOAT16:
    return "Uint16Array";
  case ONNXC_STRING:
    return "string[]";
  case ONNXC_INT8:
  case ONNXC_INT4:
  case ONNXC_INT2:
    return "Int8Array";
  default:
    return "Uint8Array";
  }
}

static void writeValues(ArrayRef<ValueInfo> values, size_t numRequired,
                        bool isInput, llvm::raw_ostream &os) {
  for (auto [i, value] : llvm::enumerate(values)) {
    os << "  /** " << value.type;
    if (value.ranked && onnxc_dtype_size(value.dtype)) {
      os << " [";
      llvm::interleaveComma(llvm::zip(value.dims, value.symbols), os,
                            [&](const auto &dim) {
                              auto [size, symbol] = dim;
                              if (size >= 0)
                                os << size;
                              else
                                os << (symbol.empty() ? "?" : symbol);
                            });
      os << "]";
    }
    os << " */\n  " << quote(value.name) << (i < numRequired ? "" : "?")
       << ": ";
    if (!onnxc_dtype_size(value.dtype)) {
      os << "Value;\n";
      continue;
    }
    StringRef array = getArrayType(value.dtype);
    if (isInput)
      os << array << " | ";
    os << "Tensor<" << array << ">;\n";
  }
}

/// What TypeScript knows of the loader.
static void writeTypes(const ModelInfo &info, bool withThreads,
                       llvm::raw_ostream &os) {
  os << R"types(/** Elements in row-major order, and the size of each dimension. */
export interface Tensor<Elements = ArrayBufferView | string[]> {
  data: Elements;
  dims: number[];
  /** Of an element, as ONNX spells it. */
  type?: string;
}

/** A sequence is an array, a missing optional value is null. */
export type Value =
  Tensor | Value[] | { keys: Tensor; values: Tensor } | null;

export interface Inputs {
)types";
  writeValues(info.inputs, info.numRequired(), /*isInput=*/true, os);
  os << "}\n\nexport interface Outputs {\n";
  writeValues(info.outputs, info.outputs.size(), /*isInput=*/false, os);
  os << R"types(}

export interface ValueInfo {
  name: string;
  /** As ONNX spells it: "tensor(float)". */
  type: string;
  /** null where the rank is not fixed; -1 for a size that is not. */
  dims: number[] | null;
  /** The name of each dimension, "" for none. */
  symbols: string[];
  /** Whether a run may leave the input out. */
  optional: boolean;
}

export interface Model {
  readonly inputs: ValueInfo[];
  readonly outputs: ValueInfo[];
  /** Throws an Error with the model's text where it cannot compute. */
  run(inputs: Inputs): Outputs;
  /** Ends the model, which cannot run any more, and its threads if it has some. */
  close(): void;
}

/** Each model has a memory of its own. Without a source, the module beside this
 * file is read. */
export function load(
  source?: URL | string | Response | BufferSource | WebAssembly.Module,
)types"
     << (withThreads ? "  options?: {\n    /** Of a run, besides the others "
                       "the calling one; all of the machine's by\n     * "
                       "default. */\n    threads?: number,\n  },\n"
                     : "")
     << "): Promise<Model>;\n";
}

std::vector<std::string> loaderPathsFromOutput(StringRef path) {
  std::vector<std::string> paths;
  for (StringRef suffix : {"mjs", "d.ts"}) {
    SmallString<128> loader(path);
    llvm::sys::path::replace_extension(loader, suffix);
    paths.push_back(loader.str().str());
  }
  return paths;
}

LogicalResult writeWebAssembly(ModuleOp module, const ModelInfo &info,
                               StringRef prefix, ScratchFile &linked,
                               StringRef output) {
  std::vector<std::string> paths = loaderPathsFromOutput(output);
  FailureOr<uint64_t> imported = readImports(module, linked.getPath());
  if (failed(imported))
    return failure();
  std::optional<uint64_t> pages;
  if (hasThreads(module))
    pages = *imported;
  ScratchFile loader, types;
  if (failed(loader.create(module, output, ".mjs",
                           [&](llvm::raw_fd_ostream &os) {
                             os << makeLoader(prefix, output, pages);
                             return success();
                           })) ||
      failed(
          types.create(module, output, ".d.ts", [&](llvm::raw_fd_ostream &os) {
            writeTypes(info, pages.has_value(), os);
            return success();
          })))
    return failure();
  return failure(failed(loader.keepAs(module, paths[0])) ||
                 failed(types.keepAs(module, paths[1])) ||
                 failed(linked.keepAs(module, output)));
}

} // namespace onnxc
