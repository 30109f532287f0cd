// A result ends where it ends: what lies behind the caller's buffers stays as it
// is, at every level and for every width of vectors.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: onnxc %S/Inputs/bounds.mlir --start-from=upgrade -O0 -o %t/bounds.so
// RUN: %cc -I %t %s %t/bounds.so -lm -o %t/run && %t/run
// RUN: onnxc %S/Inputs/bounds.mlir --start-from=upgrade -O1 -o %t/bounds.so && %t/run
// RUN: onnxc %S/Inputs/bounds.mlir --start-from=upgrade -O2 -o %t/bounds.so && %t/run
// RUN: onnxc %S/Inputs/bounds.mlir --start-from=upgrade -O2 --mcpu=x86-64 -o %t/bounds.so && %t/run

#include "bounds.h"

#include "check.h"

#include <math.h>
#include <string.h>

enum { columns = 33, rows = 5, row = 49, behind = 64, untouched = 0xab };

/* As the operator says: halves to even, then what the type holds. */
static double quantize(float x, double zero, double least, double most) {
  double y = nearbyint(x / 0.5f) + zero;
  return y < least ? least : y > most ? most : y;
}

static void check_behind(const unsigned char *buffer, size_t bytes) {
  int i;
  for (i = 0; i < behind; ++i)
    CHECK(buffer[bytes + i] == untouched);
}

int main(void) {
  static float x[columns], m[rows * row];
  static uint8_t bytes[columns + behind];
  static int8_t table[rows * row + behind];
  static uint16_t halves[columns + behind / 2];
  static int16_t shorts[columns + behind / 2];
  onnxc_context *context;
  int i;
  for (i = 0; i < columns; ++i)
    x[i] = 0.37f * (float)(i - 9);
  for (i = 0; i < rows * row; ++i)
    m[i] = 0.61f * (float)(i - 100);
  memset(bytes, untouched, sizeof bytes);
  memset(table, untouched, sizeof table);
  memset(halves, untouched, sizeof halves);
  memset(shorts, untouched, sizeof shorts);
  CHECK(bounds_create(NULL, &context) == ONNXC_OK);
  CHECK(bounds_run(context, x, m, bytes, table, halves, shorts) == ONNXC_OK);
  for (i = 0; i < columns; ++i) {
    CHECK(bytes[i] == quantize(x[i], 3, 0, 255));
    CHECK(shorts[i] == quantize(x[i], 7, -32768, 32767));
  }
  for (i = 0; i < rows * row; ++i)
    CHECK(table[i] == quantize(m[i], -3, -128, 127));
  check_behind((unsigned char *)bytes, columns);
  check_behind((unsigned char *)table, rows * row);
  check_behind((unsigned char *)halves, 2 * columns);
  check_behind((unsigned char *)shorts, 2 * columns);
  onnxc_destroy(context);
  return 0;
}
