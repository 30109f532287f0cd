/*===- BFloat16.h - Halves and bfloat16 as calls pass them --------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_RUNTIME_BFLOAT16_H
#define ONNXC_RUNTIME_BFLOAT16_H

/* What crosses a call as a bfloat16 does: only its bits mean something. gcc has
   the type since 13; before, a half stands in, which the calling conventions
   treat alike. WebAssembly passes the bits as an integer. */
#if defined(__wasm__)
typedef unsigned short onnxc_bf16;
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
typedef _Float16 onnxc_bf16;
#else
typedef __bf16 onnxc_bf16;
#endif

/* A half in a call of the functions that convert them. */
#if defined(__wasm__)
typedef unsigned short onnxc_half;
#else
typedef _Float16 onnxc_half;
#endif

#endif /* ONNXC_RUNTIME_BFLOAT16_H */
