//===- OutputKinds.cpp - Which kinds of files can be made -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputKinds.h"

#include "onnxc/Emit/Emit.h"
#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Target/Architecture.h"
#include "onnxc/Target/Target.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace onnxc;

/// Refuses a kind that onnxc does not make for macOS and Windows.
static LogicalResult checkSystemKind(Location loc,
                                     const CompileRequest &request,
                                     const llvm::Triple &triple) {
  StringRef system = triple.isOSWindows() ? "Windows" : "macOS";
  if (request.kind == OutputKind::SharedObject)
    return emitError(loc) << "--mtriple=" << triple.str()
                          << ": onnxc links no libraries for " << system
                          << "; name the output "
                          << (triple.isWindowsMSVCEnvironment() ? ".lib or .obj"
                                                                : ".a or .o")
                          << ", which the system's linker makes one of";
  if (request.sanitizeAddress)
    return emitError(loc) << "--sanitize= makes code for Linux alone, not for "
                          << system;
  return success();
}

/// The same, of programs.
static LogicalResult checkProgram(Location loc, const CompileRequest &request,
                                  const llvm::Triple &triple) {
  if (!triple.isOSLinux() || triple.isAndroid())
    return emitError(loc)
           << "--mtriple=" << triple.str()
           << ": onnxc links programs for Linux with glibc or musl alone; name "
              "the output "
           << (triple.isWindowsMSVCEnvironment() ? ".lib" : ".a")
           << " and link it with share/onnxc/run_model.c, which is such a "
              "program";
  if (request.sanitizeAddress)
    return emitError(loc)
           << "--sanitize=address leaves the sanitizer's runtime to the "
              "program, which onnxc's does not have; name the output .so or .a";
  if (request.options.profile)
    return emitError(loc) << "--profile is for 'onnxc profile', which loads a "
                             "library; name the output .so";
  return success();
}

/// Refuses states where no context keeps them from run to run.
static LogicalResult checkStates(Location loc, const CompileRequest &request) {
  bool isPulsed = !request.options.pulses.empty();
  if (request.options.states.empty() && !isPulsed) {
    if (request.options.stateCapacity)
      return emitError(loc) << "--state-capacity= is for a model with states, "
                               "which --state= says";
    return success();
  }
  auto refuse = [&](const Twine &reason) {
    return emitError(loc) << (isPulsed ? "--pulse=: " : "--state=: ") << reason;
  };
  if (isMLIRFile(request.inputPath))
    return refuse("a module has states already, or none; the option is for a "
                  ".onnx file");
  if (request.kind == OutputKind::Model)
    return refuse("a .onnx file has no states; name an output that runs");
  if (request.kind == OutputKind::Program)
    return refuse("a program runs the model once; name the output .so or .a");
  if (request.options.target.freestanding)
    return refuse("--freestanding code has no context to keep them in; the "
                  "caller passes each output as the next run's input");
  if (request.kind == OutputKind::WebAssembly)
    return refuse("the loader of a .wasm file does not know of states; .a and "
                  ".o for --mtriple=wasm32-wasi have them");
  return success();
}

/// Refuses --last-logits= where the upgrade stage does not run, or would write
/// another model than the one it read.
static LogicalResult checkLastLogits(Location loc,
                                     const CompileRequest &request) {
  if (request.options.lastLogits.empty() ||
      (!isMLIRFile(request.inputPath) && request.kind != OutputKind::Model))
    return success();
  return emitError(loc) << "--last-logits=: changes what is compiled of a "
                           ".onnx file; name such an input, and an output that "
                           "runs";
}

LogicalResult onnxc::checkKind(Location loc, const CompileRequest &request) {
  if (failed(checkLastLogits(loc, request)))
    return failure();
  if (failed(checkStates(loc, request)))
    return failure();
  bool isModule = request.kind == OutputKind::WebAssembly;
  llvm::Triple triple = getTriple(request.options.target);
  if (request.kind == OutputKind::Program)
    return checkProgram(loc, request, triple);
  if (isModule && !triple.isWasm())
    return emitError(loc) << "--mtriple=" << triple.str()
                          << ": a .wasm file is for wasm32-unknown-unknown or "
                             "wasm32-unknown-wasi";
  if (isModule && !hasWebAssemblyLibrary())
    return emitError(loc) << "this onnxc was built without wasi-libc, which a "
                             ".wasm file takes its libc from; .a and .o for "
                             "--mtriple=wasm32-wasi do without";
  StringRef suffix = llvm::sys::path::extension(request.outputPath);
  if ((suffix == ".lib" || suffix == ".obj") && !triple.isOSWindows())
    return emitError(loc) << "--mtriple=" << triple.str() << ": a " << suffix
                          << " file is for Windows; name the output "
                          << (suffix == ".lib" ? ".a" : ".o");
  if (findSystemRuntime(triple))
    return checkSystemKind(loc, request, triple);
  if (!triple.isWasm())
    return success();
  if (request.kind == OutputKind::SharedObject)
    return emitError(loc) << "--mtriple=" << triple.str()
                          << ": WebAssembly has no shared objects; name the "
                             "output .wasm, .a or .o";
  if (request.sanitizeAddress)
    return emitError(loc) << "--sanitize= needs a library of the system, which "
                             "WebAssembly has not";
  if (request.options.profile)
    return emitError(loc) << "--profile asks a system for the time, which "
                             "WebAssembly has not";
  return success();
}
