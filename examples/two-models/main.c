/*===- main.c - Two models in one program -------------------------*- C -*-===*\
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* two_models IMAGE.pgm...                                                    *|
|*                                                                            *|
|* Two networks that were trained apart read the same digits. Each model has  *|
|* its own prefix, weights and functions; they share nothing.                 *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "first.h"  /* written by: onnxc mnist_cnn.onnx -o first.a */
#include "second.h" /* written by: onnxc mnist_mlp.onnx -o second.a */

#include <stdio.h>

enum { PIXELS = 28 * 28, DIGITS = 10 };

static int read_image(const char *path, unsigned char *pixels) {
  FILE *file = fopen(path, "rb");
  int width = 0, height = 0, ok;
  if (!file)
    return 0;
  ok = fscanf(file, "P5 %d %d 255", &width, &height) == 2 && width == 28 &&
       height == 28 && fgetc(file) == '\n' &&
       fread(pixels, 1, PIXELS, file) == PIXELS;
  fclose(file);
  return ok;
}

static int best(const float *scores) {
  int result = 0;
  for (int i = 1; i < DIGITS; ++i)
    if (scores[i] > scores[result])
      result = i;
  return result;
}

int main(int argc, char **argv) {
  onnxc_context *first, *second;
  if (first_create(NULL, &first) != ONNXC_OK ||
      second_create(NULL, &second) != ONNXC_OK)
    return 1;
  for (int i = 1; i < argc; ++i) {
    unsigned char pixels[PIXELS];
    float image[PIXELS], scores[DIGITS];
    int a, b;
    if (!read_image(argv[i], pixels)) {
      fprintf(stderr, "two_models: %s: not a PGM image of 28x28\n", argv[i]);
      return 1;
    }
    /* As both were trained: mean 0, deviation 1. */
    for (int p = 0; p < PIXELS; ++p)
      image[p] = ((float)pixels[p] / 255.0f - 0.1307f) / 0.3081f;
    if (first_run(first, image, scores) != ONNXC_OK) {
      fprintf(stderr, "two_models: %s\n", onnxc_error(first));
      return 1;
    }
    a = best(scores);
    if (second_run(second, image, scores) != ONNXC_OK) {
      fprintf(stderr, "two_models: %s\n", onnxc_error(second));
      return 1;
    }
    b = best(scores);
    printf("%s: %d and %d%s\n", argv[i], a, b, a == b ? "" : ", not the same");
  }
  onnxc_destroy(first);
  onnxc_destroy(second);
  return 0;
}
