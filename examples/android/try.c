/* try IMAGE.pgm: which digit an image of 28x28 shows. */

#include "app.h"

#include <stdio.h>

int main(int argc, char **argv) {
  unsigned char pixels[28 * 28];
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!file || fseek(file, -(long)sizeof pixels, SEEK_END) ||
      fread(pixels, 1, sizeof pixels, file) != sizeof pixels) {
    fprintf(stderr, "usage: try IMAGE.pgm\n");
    return 1;
  }
  fclose(file);
  printf("%d\n", read_digit(pixels));
  return 0;
}
