/* Inputs/calls.mlir in a program whose numbers have a comma: texts have a
   point, and are read back as the same numbers. */
#include "calls.h"

#include "../../../capi/check.h"

#include <locale.h>
#include <string.h>

int main(void) {
  const float x[] = {0.1f, -2.5f, 1e20f, 12345.678f};
  const char *const expected[] = {"0.1", "-2.5", "1e+20", "12345.678"};
  double y[4];
  const char *texts[4];
  float z[4];
  char comma[16];
  onnxc_context *context;
  CHECK(setlocale(LC_ALL, "de-DE"));
  sprintf(comma, "%.1f", 0.5);
  CHECK(!strcmp(comma, "0,5"));
  for (int times = 0; times < 2; ++times) {
    CHECK(calls_create(NULL, &context) == ONNXC_OK);
    for (int run = 0; run < 2; ++run) {
      CHECK(calls_run(context, x, y, texts, z) == ONNXC_OK);
      for (int i = 0; i < 4; ++i) {
        CHECK(!strcmp(texts[i], expected[i]));
        CHECK(z[i] == x[i]);
      }
    }
    onnxc_destroy(context);
  }
  sprintf(comma, "%.1f", 0.5);
  CHECK(!strcmp(comma, "0,5"));
  return 0;
}
