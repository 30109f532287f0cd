/*===- read_digits.c - Reads handwritten digits -------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* read_digits IMAGE.pgm...                                                   *|
|*                                                                            *|
|* Shows each image of 28x28 pixels and says which digit the model sees.      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "mnist.h" /* written by: onnxc model.onnx -o mnist.so */

#include <math.h>
#include <stdio.h>

enum { SIDE = 28, PIXELS = SIDE * SIDE, DIGITS = 10 };

static int read_image(const char *path, unsigned char *pixels) {
  FILE *file = fopen(path, "rb");
  int width = 0, height = 0, most = 0, ok;
  if (!file)
    return 0;
  ok = fscanf(file, "P5 %d %d %d", &width, &height, &most) == 3 &&
       width == SIDE && height == SIDE && most == 255 && fgetc(file) == '\n' &&
       fread(pixels, 1, PIXELS, file) == PIXELS;
  fclose(file);
  return ok;
}

static void show_image(const unsigned char *pixels) {
  static const char shades[] = " .:-=+*#%@";
  for (int row = 0; row < SIDE; ++row) {
    for (int column = 0; column < SIDE; ++column) {
      char shade = shades[pixels[row * SIDE + column] * 9 / 255];
      putchar(shade);
      putchar(shade); /* characters are twice as high as wide */
    }
    putchar('\n');
  }
}

int main(int argc, char **argv) {
  char message[200] = "";
  onnxc_options options = {.message = message, .message_size = sizeof message};
  onnxc_context *context;
  if (mnist_create(&options, &context) != ONNXC_OK) {
    fprintf(stderr, "read_digits: %s\n", message);
    return 1;
  }
  for (int i = 1; i < argc; ++i) {
    unsigned char pixels[PIXELS];
    float image[PIXELS], scores[DIGITS]; /* scores: logarithms */
    int best = 0;
    if (!read_image(argv[i], pixels)) {
      fprintf(stderr, "read_digits: %s: not a PGM image of 28x28\n", argv[i]);
      return 1;
    }
    /* As the model was trained: mean 0, deviation 1. */
    for (int p = 0; p < PIXELS; ++p)
      image[p] = ((float)pixels[p] / 255.0f - 0.1307f) / 0.3081f;
    if (mnist_run(context, image, scores) != ONNXC_OK) {
      fprintf(stderr, "read_digits: %s\n", onnxc_error(context));
      return 1;
    }
    for (int d = 1; d < DIGITS; ++d)
      if (scores[d] > scores[best])
        best = d;
    show_image(pixels);
    printf("%s: this is a %d (%.1f %% sure)\n\n", argv[i], best,
           100.0 * exp(scores[best]));
  }
  onnxc_destroy(context);
  return 0;
}
