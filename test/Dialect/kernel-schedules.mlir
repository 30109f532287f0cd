// RUN: onnx-mlir-opt %s -split-input-file -verify-diagnostics

// What is true of a schedule by itself.

// expected-error @below {{rows is 0, expected at least 1}}
#s = #kernel.matmul_schedule<rows = 0, columns = 16>

// -----

// expected-error @below {{depth is 512, expected a block of rows with it}}
#s = #kernel.matmul_schedule<rows = 4, columns = 16, depth = 512>

// -----

// expected-error @below {{rows_outside is set, expected a block of rows}}
#s = #kernel.matmul_schedule<rows = 4, columns = 16, rows_outside = true>

// -----

// expected-error @below {{single_row is -1, expected at least 0}}
#s = #kernel.matmul_schedule<rows = 4, columns = 16, single_row = -1>

// -----

// expected-error @below {{two_rows is 64, expected single_row with it}}
#s = #kernel.matmul_schedule<rows = 4, columns = 16, two_rows = 64>

// -----

// expected-error @below {{single_row is 64, expected none with copy}}
#s = #kernel.matmul_schedule<rows = 4, columns = 16, copy = true, single_row = 64>

// -----

// expected-error @below {{blocks is -1, expected at least 0}}
#s = #kernel.conv_schedule<rows = 1, columns = 14, blocks = -1>

// -----

// expected-error @below {{depth is 0, expected at least 1}}
#s = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 0, run = 16>

// -----

// expected-error @below {{run is 0, expected at least 1}}
#s = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 16, run = 0>

// -----

// expected-error @below {{a cost is 65537, expected 0 to 65536}}
#s = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 16, run = 16, square_cost = 65537>

// -----

// expected-error @below {{expected another schedule for direct sums}}
#s = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 16, run = 16, direct = #kernel.winograd_schedule<squares = 6, blocks = 2, depth = 16, run = 16>>

// -----

// expected-error @below {{panels is 0, expected at least 1}}
#s = #kernel.integer_dot_schedule<rows = 4, panels = 0>

// -----

// expected-error @below {{prepared is -1, expected at least 0}}
#s = #kernel.integer_dot_schedule<rows = 4, panels = 1, prepared = -1>

// -----

// expected-error @below {{wide_rows is 0, expected at least 1}}
#s = #kernel.block_matmul_schedule<rows = 4, wide_rows = 0>

// -----

// expected-error @below {{rows is 0, expected at least 1}}
#s = #kernel.block_dot_schedule<rows = 0>

// -----

// expected-error @below {{near_rows is -1, expected at least 0}}
#s = #kernel.block_dot_schedule<rows = 1, near_rows = -1>

// -----

// expected-error @below {{depth is 64, expected near_rows with it}}
#s = #kernel.block_matmul_schedule<rows = 4, wide_rows = 6, depth = 64>
