//===- ToolMains.h - The commands as functions ---------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libonnxc has the commands as functions, so that compiler, LLVM and MLIR are
// there once, however many commands there are. The programs of bin/ call them;
// cmake/AddOnnxc.cmake (onnxc_add_tool) writes these programs and relies on
// the names: that of the command, with '_' for '-', and "_main".
//
// Each is called once in a process, and returns the exit status.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_TOOLSUPPORT_TOOLMAINS_H
#define ONNXC_TOOLS_TOOLSUPPORT_TOOLMAINS_H

extern "C" {
int onnxc_main(int argc, char **argv);
int onnx_optimize_main(int argc, char **argv);
int onnx_mlir_opt_main(int argc, char **argv);
int onnx_mlir_translate_main(int argc, char **argv);
int onnx_mlir_reduce_main(int argc, char **argv);
int onnx_mlir_lsp_server_main(int argc, char **argv);
}

namespace onnxc {
/// `onnxc optimize`, in a program that runs already.
int optimizeMain(int argc, char **argv);
} // namespace onnxc

#endif // ONNXC_TOOLS_TOOLSUPPORT_TOOLMAINS_H
