// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v2" | FileCheck %s --check-prefix=V2
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v2 features=+avx" | FileCheck %s --check-prefix=AVX
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" | FileCheck %s --check-prefix=V3
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3 features=+avxvnni" | FileCheck %s --check-prefix=V3VNNI
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3 features=+avx512f" | FileCheck %s --check-prefix=V4F
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4" | FileCheck %s --check-prefix=V4
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4 features=+avx512vnni" | FileCheck %s --check-prefix=V4VNNI
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=aarch64-linux-gnu cpu=generic" | FileCheck %s --check-prefix=ARM
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=aarch64-linux-gnu cpu=neoverse-n1" | FileCheck %s --check-prefix=ARMDOT
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=aarch64-linux-gnu cpu=generic features=+i8mm" | FileCheck %s --check-prefix=ARMI8MM
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=riscv64-linux-gnu cpu=generic" | FileCheck %s --check-prefix=RV
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=riscv64-linux-gnu cpu=generic features=+v" | FileCheck %s --check-prefix=RVV
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=riscv64-linux-gnu cpu=generic features=+v,+zvl256b" | FileCheck %s --check-prefix=RVV256
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=thumbv7em-none-eabihf freestanding=true" | FileCheck %s --check-prefix=M4
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=thumbv7em-none-eabi freestanding=true" | FileCheck %s --check-prefix=M4SOFT
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=thumbv8.1m.main-none-eabihf cpu=cortex-m55 freestanding=true" | FileCheck %s --check-prefix=M55
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=armv7a-none-eabihf cpu=cortex-a9 features=+neon freestanding=true" | FileCheck %s --check-prefix=A9
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=riscv32-unknown-elf freestanding=true" | FileCheck %s --check-prefix=RV32
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=riscv32-unknown-elf features=+f freestanding=true" | FileCheck %s --check-prefix=RV32F
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-none-elf freestanding=true" | FileCheck %s --check-prefix=X86
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=arm64-apple-macos cpu=generic" | FileCheck %s --check-prefix=MAC
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-apple-macos13.1" | FileCheck %s --check-prefix=INTEL
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-w64-mingw32" | FileCheck %s --check-prefix=MINGW
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=aarch64-pc-windows-msvc cpu=generic" | FileCheck %s --check-prefix=WINARM
// RUN: not onnx-mlir-opt %s --onnxc-set-target=triple=arm64-apple-ios 2>&1 | FileCheck %s --check-prefix=SYSTEM
// RUN: not onnx-mlir-opt %s --onnxc-set-target=triple=arm64ec-pc-windows-msvc 2>&1 | FileCheck %s --check-prefix=SYSTEM
// RUN: not onnx-mlir-opt %s --onnxc-set-target=triple=x86_64-pc-windows-cygnus 2>&1 | FileCheck %s --check-prefix=SYSTEM
// RUN: not onnx-mlir-opt %s --onnxc-set-target="triple=thumbv7m-none-eabihf freestanding=true" 2>&1 | FileCheck %s --check-prefix=M3ABI
// RUN: not onnx-mlir-opt %s --onnxc-set-target="triple=riscv64-linux-gnu cpu=generic-rv64" 2>&1 | FileCheck %s --check-prefix=RVABI
// RUN: not onnx-mlir-opt %s --onnxc-set-target=triple=x86_64-unknown-freebsd 2>&1 | FileCheck %s --check-prefix=SYSTEM
// RUN: not onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=haswel" 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not onnx-mlir-opt %s --onnxc-set-target="triple=aarch64-linux-gnu cpu=native" 2>&1 | FileCheck %s --check-prefix=NATIVE
// RUN: not onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-w64-mingw32 cpu=native+avx2" 2>&1 | FileCheck %s --check-prefix=NATIVEWIN
// RUN: not onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=+avx2" 2>&1 | FileCheck %s --check-prefix=NONAME
// RUN: not onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=quantum" 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not onnx-mlir-opt %s --onnxc-set-target="triple=arm64-apple-macos cpu=apple-m11" 2>&1 | FileCheck %s --check-prefix=ALIAS
// RUN: not onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4" 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=sapphirerapids" | FileCheck %s --check-prefix=CACHES
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=skylake" | FileCheck %s --check-prefix=SMALL
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=aarch64-linux-gnu cpu=apple-m1" | FileCheck %s --check-prefix=APPLE

// Registers, and instructions that not all have. A width of 32 bytes and 16
// registers are what is assumed where nothing is said.
// V2: #onnxc.target<triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v2", vector_bytes = 16, instructions = ["pmaddwd.128", "pmaddubsw.128", "psignb.128", "pshufb.128", "roundps"]>
// AVX: cpu = "x86-64-v2", features = "+avx", instructions = ["pmaddwd.128", "pmaddubsw.128", "psignb.128", "pshufb.128", "roundps"]>
// V3: cpu = "x86-64-v3", instructions = ["pmaddwd.256", "pmaddwd.128", "pmaddubsw.256", "pmaddubsw.128", "psignb.256", "psignb.128", "pshufb.256", "pshufb.128", "vpermps.256", "fma", "roundps"]>
// V3VNNI: instructions = ["vpdpbusd.256", "vpdpbusd.128", "vpdpwssd.256", "vpdpwssd.128", "pmaddwd.256", "pmaddwd.128", "pmaddubsw.256", "pmaddubsw.128", "psignb.256", "psignb.128", "pshufb.256", "pshufb.128", "vpermps.256", "fma", "roundps"]>
// Without those for integers, which came with AVX512BW.
// V4F: vector_bytes = 64, registers = 32, instructions = ["pmaddwd.256", "pmaddwd.128", "pmaddubsw.256", "pmaddubsw.128", "psignb.256", "psignb.128", "pshufb.256", "pshufb.128", "vpermps.512", "vpermps.256", "vrcp14ps.512", "fma", "roundps"]>
// V4: vector_bytes = 64, registers = 32, second_level_cache = 1048576, instructions = ["pmaddwd.512", "pmaddwd.256", "pmaddwd.128", "pmaddubsw.512", "pmaddubsw.256", "pmaddubsw.128", "psignb.256", "psignb.128", "pshufb.512", "pshufb.256", "pshufb.128", "vpermps.512", "vpermps.256", "vrcp14ps.512", "fma", "roundps"]>
// V4VNNI: instructions = ["vpdpbusd.512", "vpdpbusd.256",
// ARM: vector_bytes = 16, registers = 32, instructions = ["fmla", "fmla.element", "frintn"]>
// ARMDOT: vector_bytes = 16, registers = 32, first_level_cache = 65536, second_level_cache = 1048576, instructions = ["sdot", "fmla", "fmla.element", "frintn"]>
// ARMI8MM: instructions = ["usdot", "usmmla", "smmla", "fmla", "fmla.element", "frintn"]>
// RV: cpu = "generic-rv64", features = "+m,+a,+f,+d,+c", vector_bytes = 16, registers = 8, instructions = ["fmadd"]>
// RVV: features = "+m,+a,+f,+d,+c,+v", vector_bytes = 16, registers = 32, instructions = ["fmadd"]>
// RVV256: features = "+m,+a,+f,+d,+c,+v,+zvl256b", registers = 32, instructions = ["fmadd"]>
// Without an operating system: the least processor of a triple, without floats where
// they are not passed in registers.
// M4: #onnxc.target<triple = "thumbv7em-unknown-none-eabihf", cpu = "cortex-m4", vector_bytes = 16, registers = 8, instructions = ["vfma"], freestanding = true>
// M4SOFT: cpu = "cortex-m4", features = "-fpregs", vector_bytes = 16, registers = 8, freestanding = true>
// M55: cpu = "cortex-m55", vector_bytes = 16, registers = 8, instructions = ["vfma", "vrintn"], freestanding = true>
// A9: cpu = "cortex-a9", features = "+neon", vector_bytes = 16, freestanding = true>
// RV32: cpu = "generic-rv32", features = "+m,+a,+c", vector_bytes = 16, registers = 8, freestanding = true>
// RV32F: features = "+m,+a,+c,+f", vector_bytes = 16, registers = 8, instructions = ["fmadd.32"], freestanding = true>
// X86: triple = "x86_64-unknown-none-elf", cpu = "x86-64", vector_bytes = 16, instructions = ["pmaddwd.128"], freestanding = true>
// Other systems: their least processor, and not this machine's.
// MAC: #onnxc.target<triple = "arm64-apple-macosx11.0.0", cpu = "apple-m1", vector_bytes = 16, registers = 32, first_level_cache = 131072, second_level_cache = 3145728, instructions = ["sdot", "fmla", "fmla.element", "frintn"]>
// INTEL: triple = "x86_64-apple-macos13.1", cpu = "x86-64-v2",
// MINGW: triple = "x86_64-w64-windows-gnu", cpu = "x86-64",
// WINARM: triple = "aarch64-pc-windows-msvc", cpu = "generic",
// M3ABI: code for thumbv7m-unknown-none-eabihf needs the feature 'fpregs'
// RVABI: code for riscv64 needs the feature 'm'
// SYSTEM: unsupported target, expected x86_64-linux-gnu
// CPU: error: --mcpu=haswel: unknown processor of x86_64; did you mean 'haswell'? 'onnxc targets x86_64-unknown-linux-gnu' lists all{{$}}
// FAR: error: --mcpu=quantum: unknown processor of x86_64; 'onnxc targets x86_64-unknown-linux-gnu' lists all{{$}}
// Names of LLVM that stand for others are names, too.
// ALIAS: error: --mcpu=apple-m11: unknown processor of arm64; did you mean 'apple-a11' or 'apple-m1'?
// NONAME: error: --mcpu=+avx2: expected the name of a processor before '+'
// This machine's processor says nothing of others.
// NATIVE: error: --mcpu=native is this machine's processor, and aarch64-unknown-linux-gnu is another kind of machine; write --mcpu=portable, or the name of a processor that 'onnxc targets aarch64-unknown-linux-gnu' lists
// NATIVEWIN: error: --mcpu=native+avx2 is this machine's processor, and x86_64-w64-windows-gnu is another kind of machine
// OTHER: the module is made for x86-64-v3 of x86_64-unknown-linux-gnu, not for x86-64-v4
module {}

// Caches of the processor; 32 and 512 KiB are what is assumed where nothing is said.
// V3-NOT: _level_cache
// CACHES: first_level_cache = 49152, second_level_cache = 2097152
// SMALL: cpu = "skylake", second_level_cache = 262144
// APPLE: first_level_cache = 131072, second_level_cache = 3145728
