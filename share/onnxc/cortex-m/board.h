/*===- board.h - What the example asks of the board ---------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_CORTEX_M_BOARD_H
#define ONNXC_CORTEX_M_BOARD_H

#include <stdint.h>

int main(void);

/* To who watches the board. */
void board_write(const char *text);
void board_write_hex(uint32_t number);

/* The most that the stack has held since the start. */
uint32_t board_stack_bytes(void);

/* A clock of the board, which counts up to 2^24 ticks and starts again. */
uint32_t board_ticks(void);

#endif /* ONNXC_CORTEX_M_BOARD_H */
