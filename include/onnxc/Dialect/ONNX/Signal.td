//===- Signal.td - Signal processing --------------------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_SIGNAL
#define ONNXC_DIALECT_ONNX_SIGNAL

include "onnxc/Dialect/ONNX/ONNXBase.td"

def ONNX_DFTOp : ONNX_Op<"DFT", [20],
    (ins ONNX_T<Floats, "T1">:$input, ONNX_Opt<ONNX_T<Int32s64s, "T2">>:$dft_length,
         ONNX_Opt<ONNX_T<OnlyInt64, "">>:$axis, Flag<0>:$inverse, Flag<0>:$onesided),
    (outs ONNX_T<Floats, "T1">:$output), [Pure]> {
  let summary = "Discrete Fourier transform along an axis, or its inverse";
  let upgrades = [[{ {"DFT", 17, {setDefault("axis", 1), attrToInput("axis")}} }]];
}

def ONNX_STFTOp : ONNX_Op<"STFT", [17],
    (ins ONNX_T<Floats, "T1">:$signal, ONNX_T<Int32s64s, "T2">:$frame_step,
         ONNX_Opt<ONNX_T<Floats, "T1">>:$window, ONNX_Opt<ONNX_T<Int32s64s, "T2">>:$frame_length,
         Flag<1>:$onesided),
    (outs ONNX_T<Floats, "T1">:$output), [Pure]> {
  let summary = "Discrete Fourier transforms of windows that move along a signal";
}

def ONNX_HannWindowOp : ONNX_Op<"HannWindow", [17],
    (ins ONNX_T<Int32s64s, "T1">:$size, IntOr<1>:$output_datatype, Flag<1>:$periodic),
    (outs ONNX_T<Numbers, "T2">:$output), [Pure, ONNX_NeverNegative]> {
  let summary = "Hann window";
}

def ONNX_HammingWindowOp : ONNX_Op<"HammingWindow", [17],
    (ins ONNX_T<Int32s64s, "T1">:$size, IntOr<1>:$output_datatype, Flag<1>:$periodic),
    (outs ONNX_T<Numbers, "T2">:$output), [Pure, ONNX_NeverNegative]> {
  let summary = "Hamming window";
}

def ONNX_BlackmanWindowOp : ONNX_Op<"BlackmanWindow", [17],
    (ins ONNX_T<Int32s64s, "T1">:$size, IntOr<1>:$output_datatype, Flag<1>:$periodic),
    (outs ONNX_T<Numbers, "T2">:$output), [Pure]> {
  let summary = "Blackman window";
}

def ONNX_MelWeightMatrixOp : ONNX_Op<"MelWeightMatrix", [17],
    (ins ONNX_T<Int32s64s, "T1">:$num_mel_bins, ONNX_T<Int32s64s, "T1">:$dft_length,
         ONNX_T<Int32s64s, "T1">:$sample_rate, ONNX_T<Floats, "T2">:$lower_edge_hertz,
         ONNX_T<Floats, "T2">:$upper_edge_hertz, IntOr<1>:$output_datatype),
    (outs ONNX_T<Numbers, "T3">:$output), [Pure]> {
  let summary = "Weights that bring a spectrum to the mel scale";
}

#endif // ONNXC_DIALECT_ONNX_SIGNAL
