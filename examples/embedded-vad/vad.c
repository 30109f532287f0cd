/*===- vad.c - Voice activity, 32 ms after 32 ms -----------------*- C -*-===*\
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* vad [--probabilities] RECORDING.wav                                        *|
|*                                                                            *|
|* 16 bits, 16000 Hz, one channel. Prints when speech begins and ends, and    *|
|* how much memory the model took. What it remembers is its state: a frame of *|
|* 512 samples goes in, a probability comes out, and nothing else is between  *|
|* the program and the model. All memory of the model is one static array,    *|
|* there is one thread, and after the first frame nothing is allocated.       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "voice.h" /* written by: onnxc vad.onnx --state=... -o voice.a */

#include <stdio.h>
#include <string.h>

enum { RATE = 16000, FRAME = 512, ARENA = 64 * 1024 };

/* Speech begins at the first probability, and ends where so many frames in a
   row are below the second one. */
static const float speech = 0.5f, silence = 0.35f;
enum { FRAMES_OF_SILENCE = 4 };

/* Gives out parts of one array in a row. What is released is not given out
   again: a model whose sizes are fixed asks for all that it needs by the end of
   its first run. */
typedef struct arena {
  size_t used;
  int calls;
} arena;

static _Alignas(64) unsigned char memory[ARENA];

static void *allocate(void *user, size_t bytes, size_t alignment) {
  arena *from = user;
  size_t begin = (from->used + alignment - 1) / alignment * alignment;
  ++from->calls;
  if (alignment > 64 || begin > ARENA || bytes > ARENA - begin)
    return NULL;
  from->used = begin + bytes;
  return memory + begin;
}

static void release(void *user, void *pointer, size_t bytes) {
  (void)user, (void)pointer, (void)bytes;
}

static unsigned long little_endian(const unsigned char *bytes, int count) {
  unsigned long number = 0;
  while (count-- > 0)
    number = number << 8 | bytes[count];
  return number;
}

/* Goes to the samples; returns how many bytes they have, or says what is wrong
   with the file. */
static unsigned long find_samples(FILE *file, const char **error) {
  unsigned char head[12], chunk[8], format[16];
  int known = 0;
  *error = "not a WAV file";
  if (fread(head, 1, 12, file) != 12 || memcmp(head, "RIFF", 4) != 0 ||
      memcmp(head + 8, "WAVE", 4) != 0)
    return 0;
  *error = "ends before its samples";
  while (fread(chunk, 1, 8, file) == 8) {
    unsigned long size = little_endian(chunk + 4, 4), rest = size + size % 2;
    if (memcmp(chunk, "data", 4) == 0 && known) {
      *error = NULL;
      return size;
    }
    if (memcmp(chunk, "fmt ", 4) == 0 && size >= 16) {
      if (fread(format, 1, 16, file) != 16)
        return 0;
      rest -= 16;
      known = little_endian(format, 2) == 1 &&
              little_endian(format + 2, 2) == 1 &&
              little_endian(format + 4, 4) == RATE &&
              little_endian(format + 14, 2) == 16;
      if (!known) {
        *error = "expected 16 bits, 16000 Hz, one channel";
        return 0;
      }
    }
    if (fseek(file, (long)rest, SEEK_CUR) != 0)
      return 0;
  }
  return 0;
}

static void say(const char *what, long frame) {
  printf("%8.3f s  %s\n", (double)(frame * FRAME) / (double)RATE, what);
  fflush(stdout);
}

static int listen(FILE *file, unsigned long bytes, onnxc_context *context,
                  int all, const arena *used) {
  static unsigned char raw[2 * FRAME];
  static float samples[FRAME];
  int speaks = 0, silent = 0, calls = 0;
  long frame = 0;
  for (; bytes >= sizeof raw && fread(raw, 1, sizeof raw, file) == sizeof raw;
       bytes -= sizeof raw, ++frame) {
    float probability;
    for (int i = 0; i < FRAME; ++i) {
      unsigned long sample = little_endian(raw + 2 * i, 2);
      samples[i] = (float)((long)sample - (sample > 32767 ? 65536 : 0)) / 32768;
    }
    if (voice_run(context, samples, &probability) != ONNXC_OK) {
      fprintf(stderr, "vad: %s\n", onnxc_error(context));
      return 1;
    }
    if (frame == 0)
      calls = used->calls;
    if (all)
      printf("%8.6f\n", (double)probability);
    silent = probability < silence ? silent + 1 : 0;
    if (!speaks && probability >= speech) {
      speaks = 1;
      say("speech", frame);
    } else if (speaks && silent == FRAMES_OF_SILENCE) {
      speaks = 0;
      say("silence", frame + 1 - FRAMES_OF_SILENCE);
    }
  }
  say("end", frame);
  fprintf(stderr, "%lu bytes of memory; %d allocations after the first frame\n",
          (unsigned long)used->used, used->calls - calls);
  return 0;
}

int main(int argc, char **argv) {
  int all = argc == 3 && strcmp(argv[1], "--probabilities") == 0, status;
  const char *path = argv[argc - 1], *error;
  char message[256] = "";
  arena used = {0, 0};
  onnxc_options options = {0};
  onnxc_context *context;
  unsigned long bytes;
  FILE *file;
  if (argc != 2 + all) {
    fprintf(stderr, "usage: vad [--probabilities] RECORDING.wav\n");
    return 1;
  }
  file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "vad: %s: cannot be read\n", path);
    return 1;
  }
  bytes = find_samples(file, &error);
  if (error) {
    fprintf(stderr, "vad: %s: %s\n", path, error);
    fclose(file);
    return 1;
  }
  options.user = &used;
  options.allocate = allocate;
  options.release = release;
  options.threads = 1;
  options.message = message;
  options.message_size = sizeof message;
  if (voice_create(&options, &context) != ONNXC_OK) {
    fprintf(stderr, "vad: %s\n", message);
    fclose(file);
    return 1;
  }
  status = listen(file, bytes, context, all, &used);
  onnxc_destroy(context);
  fclose(file);
  return status;
}
