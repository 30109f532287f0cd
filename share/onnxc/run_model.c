/*===- run_model.c - Runs a compiled model on .npy files ----------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* One file of C99 that needs onnxc/runtime.h and a C library, for every      *|
|* target that has files. Either linked with a model, PREFIX being that of    *|
|* its symbols (the name of the file that onnxc wrote, as it is):             *|
|*                                                                            *|
|*   cc -I include -DONNXC_MODEL=PREFIX run_model.c model.a -lm -pthread      *|
|*                                                                            *|
|* or without ONNXC_MODEL, which loads a shared library by dlopen:            *|
|*                                                                            *|
|*   cc -I include run_model.c -o run_model -ldl                              *|
|*   ./run_model ./model.so x=x.npy --output=.                                *|
|*                                                                            *|
|* For another processor, with its C compiler, and QEMU where it is not there:*|
|*                                                                            *|
|*   aarch64-linux-gnu-gcc -I include run_model.c -o run_model -ldl           *|
|*   qemu-aarch64 -L /usr/aarch64-linux-gnu ./run_model ./model.so x.npy      *|
|*                                                                            *|
|* As a WebAssembly command, by wasi-libc, where a folder is given to it:     *|
|*                                                                            *|
|*   onnxc model.onnx --mtriple=wasm32-wasi -o model.a                        *|
|*   clang --target=wasm32-wasi -I include -DONNXC_MODEL=model run_model.c \  *|
|*     model.a -lm -o run_model.wasm                                          *|
|*   wasmtime --dir=. run_model.wasm x=x.npy --output=.                       *|
|*                                                                            *|
|* onnxc links it with a model itself where the output has no suffix: a       *|
|* program for Linux, for which no C compiler is needed.                      *|
|*                                                                            *|
|*   onnxc model.onnx -o model                                                *|
|*   ./model x=x.npy --output=.                                               *|
|*                                                                            *|
|* --help says what the options are, and what the model takes and gives.      *|
|*                                                                            *|
|* Exit status: 0; 1 if a file or the run failed; 2 for a wrong command line. *|
|* Files of outputs get their names when all of them are complete.            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/runtime.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ONNXC_MODEL
#include <dlfcn.h>
#endif

enum { success = 0, failed = 1, wrong_usage = 2, shown_elements = 8 };

/* What messages begin with. */
static const char *program = "run_model";

/* A file of an output, which has the name `unfinished` until all are there. */
typedef struct output_file {
  char *path, *unfinished;
} output_file;

static output_file *output_files;
static size_t num_output_files;

static void die(int code, const char *format, ...) {
  va_list arguments;
  size_t i;
  for (i = 0; i < num_output_files; ++i)
    remove(output_files[i].unfinished);
  va_start(arguments, format);
  fprintf(stderr, "%s: ", program);
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  exit(code);
}

static void *allocate(size_t bytes) {
  void *memory = malloc(bytes ? bytes : 1);
  if (!memory)
    die(failed, "no memory for %lu bytes", (unsigned long)bytes);
  return memory;
}

static int ends_with(const char *text, const char *end) {
  size_t length = strlen(text), end_length = strlen(end);
  return length >= end_length && !strcmp(text + length - end_length, end);
}

/*===----------------------------------------------------------------------===*\
|* Element types                                                              *|
\*===----------------------------------------------------------------------===*/

typedef struct element_type {
  int dtype;
  /* As numpy writes it, without the byte order. */
  const char *code;
} element_type;

/* numpy has no type for floats of fewer than 16 bits: bytes without a meaning
   (V) stand for them; smaller integers are bytes. */
static const element_type element_types[] = {
    {ONNXC_FLOAT, "f4"},       {ONNXC_DOUBLE, "f8"},
    {ONNXC_FLOAT16, "f2"},     {ONNXC_BFLOAT16, "V2"},
    {ONNXC_BOOL, "b1"},        {ONNXC_INT8, "i1"},
    {ONNXC_INT16, "i2"},       {ONNXC_INT32, "i4"},
    {ONNXC_INT64, "i8"},       {ONNXC_UINT8, "u1"},
    {ONNXC_UINT16, "u2"},      {ONNXC_UINT32, "u4"},
    {ONNXC_UINT64, "u8"},      {ONNXC_INT4, "i1"},
    {ONNXC_INT2, "i1"},        {ONNXC_UINT4, "u1"},
    {ONNXC_UINT2, "u1"},       {ONNXC_COMPLEX64, "c8"},
    {ONNXC_COMPLEX128, "c16"}, {ONNXC_FLOAT8E4M3FN, "V1"},
    {ONNXC_FLOAT8E5M2, "V1"},  {ONNXC_FLOAT8E4M3FNUZ, "V1"},
    {ONNXC_FLOAT8E8M0, "V1"},  {ONNXC_FLOAT8E5M2FNUZ, "V1"},
    {ONNXC_FLOAT4E2M1, "V1"},  {ONNXC_FLOAT6E2M3, "V1"},
    {ONNXC_FLOAT6E3M2, "V1"},
};

/* numpy's code of an element type, NULL if it has none. */
static const char *find_code(int dtype) {
  size_t i;
  for (i = 0; i < sizeof element_types / sizeof *element_types; ++i)
    if (element_types[i].dtype == dtype)
      return element_types[i].code;
  return NULL;
}

/* Whether a file with elements of `descr`, as numpy writes it, has those of a
   type with this code. Numbers that numpy has no type for are stored as bytes
   without a meaning, or as integers of their size. */
static int fits_code(const char *descr, const char *code, int dtype) {
  int is_foreign = *code == 'V' || dtype == ONNXC_INT4 || dtype == ONNXC_INT2 ||
                   dtype == ONNXC_UINT4 || dtype == ONNXC_UINT2;
  size_t length = strlen(code);
  return (*descr == *code || (is_foreign && strchr("Viu", *descr))) &&
         !strncmp(descr + 1, code + 1, length - 1) && descr[length] == '\'';
}

/* The element type of the tensors that a type such as "seq(tensor(float))"
   consists of. */
static int find_dtype(const char *type) {
  const char *name = strstr(type, "tensor(");
  int dtype;
  name = name ? name + strlen("tensor(") : "";
  for (dtype = ONNXC_FLOAT; onnxc_dtype_size(dtype); ++dtype) {
    size_t length = strlen(onnxc_dtype_name(dtype));
    if (!strncmp(name, onnxc_dtype_name(dtype), length) && name[length] == ')')
      return dtype;
  }
  return ONNXC_UNDEFINED;
}

static int is_composite(int dtype) {
  return dtype == ONNXC_SEQUENCE || dtype == ONNXC_OPTIONAL ||
         dtype == ONNXC_MAP;
}

/* The values of which one consists. */
static const onnxc_tensor *parts_of(const onnxc_tensor *value) {
  return (const onnxc_tensor *)value->data;
}

/*===----------------------------------------------------------------------===*\
|* Reading                                                                    *|
\*===----------------------------------------------------------------------===*/

static void *read_file(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  size_t capacity = 1 << 16, count;
  char *data = allocate(capacity);
  *bytes = 0;
  if (!file)
    die(failed, "cannot read %s: %s", path, strerror(errno));
  while ((count = fread(data + *bytes, 1, capacity - *bytes, file)) > 0) {
    *bytes += count;
    if (*bytes < capacity)
      continue;
    capacity *= 2;
    data = realloc(data, capacity);
    if (!data)
      die(failed, "no memory for %s", path);
  }
  if (ferror(file))
    die(failed, "cannot read %s: %s", path, strerror(errno));
  fclose(file);
  return data;
}

/* What stands behind the key in the header, a Python dictionary. */
static const char *find_value(const char *header, const char *key,
                              const char *path) {
  const char *found = strstr(header, key);
  if (found)
    found = strchr(found + strlen(key), ':');
  if (!found)
    die(failed, "%s: the header has no %s", path, key);
  for (++found; *found == ' ';)
    ++found;
  return found;
}

static void read_shape(const char *text, onnxc_tensor *tensor,
                       const char *path) {
  char *end;
  tensor->rank = 0;
  if (*text++ != '(')
    die(failed, "%s: the shape is not a tuple", path);
  while (*text && *text != ')') {
    long long size = strtoll(text, &end, 10);
    if (end == text || size < 0 || tensor->rank == ONNXC_MAX_RANK)
      die(failed, "%s: expected a shape of at most %d sizes", path,
          ONNXC_MAX_RANK);
    tensor->dims[tensor->rank++] = size;
    for (text = end; *text == ',' || *text == ' ' || *text == 'L';)
      ++text;
  }
}

static size_t count_elements(const onnxc_tensor *tensor, const char *path) {
  size_t count = 1;
  int i;
  for (i = 0; i < tensor->rank; ++i) {
    size_t size = (size_t)tensor->dims[i];
    if (size && count > SIZE_MAX / 16 / size)
      die(failed, "%s: the shape is too large", path);
    count *= size;
  }
  return count;
}

/* A code point as UTF-8; returns how many bytes. */
static size_t encode(uint32_t point, char *to) {
  if (point < 0x80) {
    to[0] = (char)point;
    return 1;
  }
  if (point < 0x800) {
    to[0] = (char)(0xC0 | point >> 6);
    to[1] = (char)(0x80 | (point & 0x3F));
    return 2;
  }
  if (point < 0x10000) {
    to[0] = (char)(0xE0 | point >> 12);
    to[1] = (char)(0x80 | (point >> 6 & 0x3F));
    to[2] = (char)(0x80 | (point & 0x3F));
    return 3;
  }
  to[0] = (char)(0xF0 | point >> 18);
  to[1] = (char)(0x80 | (point >> 12 & 0x3F));
  to[2] = (char)(0x80 | (point >> 6 & 0x3F));
  to[3] = (char)(0x80 | (point & 0x3F));
  return 4;
}

/* Texts of `width` characters each: of one byte (S), or of four (U). numpy
   fills up shorter ones by NUL. */
static void read_texts(onnxc_tensor *tensor, size_t count, size_t width,
                       int is_wide, const char *data, const char *path,
                       const char *input) {
  onnxc_string *texts = allocate(count * sizeof *texts);
  size_t i, at;
  for (i = 0; i < count; ++i) {
    char *text = allocate(4 * width + 1), *end = text;
    int has_ended = 0;
    for (at = 0; at < width; ++at) {
      uint32_t point;
      if (is_wide)
        memcpy(&point, data + 4 * (i * width + at), 4);
      else
        point = (unsigned char)data[i * width + at];
      if (has_ended && point)
        die(failed,
            "%s: element %lu of input '%s' has a NUL character, which strings "
            "of a model cannot have",
            path, (unsigned long)i, input);
      has_ended = !point;
      if (has_ended)
        continue;
      if (is_wide)
        end += encode(point, end);
      else
        *end++ = (char)point;
    }
    *end = 0;
    texts[i].text = text;
  }
  tensor->data = texts;
  tensor->bytes = count * sizeof *texts;
}

/* For an input, of `dtype` or of parts of it. */
static onnxc_tensor read_npy(const char *path, const onnxc_value_info *info,
                             int dtype) {
  static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
  onnxc_tensor tensor;
  size_t bytes, start, length, count;
  unsigned char *file = read_file(path, &bytes);
  char *header, *end;
  const char *descr, *code = find_code(dtype);
  if (bytes >= 4 && !memcmp(file, "PK\3\4", 4))
    die(failed,
        "%s is an archive of arrays (.npz), expected one array (.npy); save "
        "each by numpy.save",
        path);
  if (bytes < 12 || memcmp(file, magic, sizeof magic))
    die(failed, "%s is not a .npy file, which numpy.save writes", path);
  start = file[6] == 1 ? 10 : 12;
  length = file[8] | (size_t)file[9] << 8;
  if (start == 12)
    length |= (size_t)file[10] << 16 | (size_t)file[11] << 24;
  if (length > bytes - start)
    die(failed, "%s ends within its header", path);
  header = allocate(length + 1);
  memcpy(header, file + start, length);
  header[length] = 0;

  memset(&tensor, 0, sizeof tensor);
  tensor.dtype = dtype;
  read_shape(find_value(header, "'shape'", path), &tensor, path);
  count = count_elements(&tensor, path);
  if (strncmp(find_value(header, "'fortran_order'", path), "False", 5) &&
      tensor.rank > 1)
    die(failed, "%s: expected the elements in C order", path);
  descr = find_value(header, "'descr'", path);
  if (*descr++ != '\'' || !strchr("<|=>", *descr))
    die(failed, "%s: unknown element type", path);
  if (*descr == '>')
    die(failed, "%s: expected numbers of little byte order", path);
  ++descr;
  file += start + length;
  bytes -= start + length;
  if (dtype == ONNXC_STRING && (*descr == 'U' || *descr == 'S')) {
    int is_wide = *descr == 'U';
    size_t width = strtoul(descr + 1, &end, 10);
    if (width > SIZE_MAX / 16 / (count ? count : 1) ||
        bytes < count * width * (is_wide ? 4 : 1))
      die(failed, "%s ends within its elements", path);
    read_texts(&tensor, count, width, is_wide, (const char *)file, path,
               info->name);
    return tensor;
  }
  if (!code || !fits_code(descr, code, dtype))
    die(failed, "%s: the elements are '%.*s', but input '%s' takes %s", path,
        (int)strcspn(descr, "'"), descr, info->name, info->type);
  tensor.bytes = count * onnxc_dtype_size(dtype);
  if (bytes < tensor.bytes)
    die(failed, "%s ends within its elements", path);
  /* Aligned as malloc does, which the header need not be a multiple of. */
  tensor.data = allocate((size_t)tensor.bytes);
  memcpy(tensor.data, file, (size_t)tensor.bytes);
  return tensor;
}

static void start_parts(onnxc_tensor *value, int dtype) {
  memset(value, 0, sizeof *value);
  value->dtype = dtype;
  value->rank = 1;
  value->data = allocate(0);
}

static void append(onnxc_tensor *value, const onnxc_tensor *part) {
  size_t count = (size_t)value->dims[0]++;
  onnxc_tensor *parts = realloc(value->data, (count + 1) * sizeof *parts);
  if (!parts)
    die(failed, "no memory for a sequence");
  parts[count] = *part;
  value->data = parts;
  value->bytes = (count + 1) * sizeof *parts;
}

/* Gives an input the file `path`; "" for nothing. */
static void read_input(onnxc_tensor *input, const onnxc_value_info *info,
                       const char *path) {
  int dtype = find_dtype(info->type);
  onnxc_tensor part;
  if (!is_composite(info->dtype)) {
    if (input->data)
      die(wrong_usage, "input '%s' is given twice, the second time by %s",
          info->name, path);
    if (!*path)
      die(wrong_usage,
          "%s=: expected %s=FILE.npy; nothing is for sequences and optional "
          "values, and the input is %s",
          info->name, info->name, info->type);
    *input = read_npy(path, info, dtype);
    return;
  }
  if (info->dtype == ONNXC_MAP || !strncmp(info->type, "seq(seq", 7) ||
      strstr(info->type, "map("))
    die(failed, "input '%s' is %s, which cannot be given by files", info->name,
        info->type);
  if (!input->data)
    start_parts(input, info->dtype);
  if (!*path)
    return;
  part = read_npy(path, info, dtype);
  if (!strncmp(info->type, "optional(seq(", 13)) {
    onnxc_tensor sequence;
    start_parts(&sequence, ONNXC_SEQUENCE);
    if (!input->dims[0])
      append(input, &sequence);
    append((onnxc_tensor *)input->data, &part);
    return;
  }
  if (info->dtype == ONNXC_OPTIONAL && input->dims[0])
    die(wrong_usage, "input '%s' holds one value at most, %s is one too many",
        info->name, path);
  append(input, &part);
}

/*===----------------------------------------------------------------------===*\
|* Writing                                                                    *|
\*===----------------------------------------------------------------------===*/

/* Decodes the UTF-8 at *text, and moves it on. */
static uint32_t decode(const unsigned char **text) {
  const unsigned char *at = *text;
  int more = at[0] >= 0xF0 ? 3 : at[0] >= 0xE0 ? 2 : at[0] >= 0xC0 ? 1 : 0;
  uint32_t point = more ? at[0] & (0x3Fu >> more) : at[0];
  for (++at; more && (*at & 0xC0) == 0x80; --more)
    point = point << 6 | (*at++ & 0x3F);
  *text = at;
  return point;
}

static size_t count_points(const char *text) {
  size_t count = 0;
  for (; *text; ++text)
    count += (*text & 0xC0) != 0x80;
  return count;
}

static void write_header(FILE *file, const char *descr,
                         const onnxc_tensor *tensor) {
  char header[32 + 24 * ONNXC_MAX_RANK + 64];
  size_t length, i;
  int at =
      snprintf(header, sizeof header,
               "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  for (i = 0; i < (size_t)tensor->rank; ++i)
    at += snprintf(header + at, sizeof header - (size_t)at, "%lld,",
                   (long long)tensor->dims[i]);
  at += snprintf(header + at, sizeof header - (size_t)at, "), }");
  /* The elements begin at a multiple of 64. */
  length = ((size_t)at + 1 + 10 + 63) / 64 * 64 - 10;
  fwrite("\x93NUMPY\x01", 1, 7, file);
  fputc(0, file);
  fputc((int)(length & 0xFF), file);
  fputc((int)(length >> 8), file);
  fwrite(header, 1, (size_t)at, file);
  for (i = (size_t)at; i + 1 < length; ++i)
    fputc(' ', file);
  fputc('\n', file);
}

static void write_texts(FILE *file, const onnxc_tensor *tensor, size_t count) {
  const onnxc_string *texts = tensor->data;
  size_t width = 1, i, at;
  char descr[32];
  for (i = 0; i < count; ++i)
    if (count_points(texts[i].text) > width)
      width = count_points(texts[i].text);
  snprintf(descr, sizeof descr, "<U%lu", (unsigned long)width);
  write_header(file, descr, tensor);
  for (i = 0; i < count; ++i) {
    const unsigned char *text = (const unsigned char *)texts[i].text;
    for (at = 0; at < width; ++at) {
      uint32_t point = *text ? decode(&text) : 0;
      fwrite(&point, 4, 1, file);
    }
  }
}

/* Opens the file that becomes `path`, under another name. */
static FILE *open_output(const char *path) {
  output_file next;
  FILE *file;
  size_t i;
  for (i = 0; i < num_output_files; ++i)
    if (!strcmp(output_files[i].path, path))
      die(failed,
          "%s would be the file of two outputs; name files by "
          "--output=NAME=FILE.npy",
          path);
  next.path = allocate(strlen(path) + 1);
  memcpy(next.path, path, strlen(path) + 1);
  next.unfinished = allocate(strlen(path) + 5);
  sprintf(next.unfinished, "%s.tmp", path);
  file = fopen(next.unfinished, "wb");
  if (!file)
    die(failed, "cannot write %s: %s", path, strerror(errno));
  output_files =
      realloc(output_files, (num_output_files + 1) * sizeof *output_files);
  if (!output_files)
    abort();
  output_files[num_output_files++] = next;
  return file;
}

/* Gives all files their names. */
static void keep_outputs(void) {
  for (; num_output_files; --num_output_files) {
    const output_file *last = &output_files[num_output_files - 1];
#ifdef _WIN32
    /* There, rename replaces nothing. */
    remove(last->path);
#endif
    if (rename(last->unfinished, last->path))
      die(failed, "cannot write %s: %s", last->path, strerror(errno));
  }
}

/* Of the output `name`, or a part of it, to the file that `base` begins. */
static void write_npy(const char *base, const char *name,
                      const onnxc_tensor *tensor) {
  char *path = allocate(strlen(base) + 5);
  char descr[8];
  const char *code = find_code(tensor->dtype);
  size_t count;
  FILE *file;
  sprintf(path, "%s.npy", base);
  if (!code && tensor->dtype != ONNXC_STRING)
    die(failed, "output '%s' is of %s, which a .npy file cannot hold", name,
        onnxc_dtype_name(tensor->dtype));
  count = count_elements(tensor, path);
  file = open_output(path);
  if (tensor->dtype == ONNXC_STRING) {
    write_texts(file, tensor, count);
  } else {
    snprintf(descr, sizeof descr, "%c%s",
             code[1] == '1' && !code[2] ? '|' : '<', code);
    write_header(file, descr, tensor);
    fwrite(tensor->data, onnxc_dtype_size(tensor->dtype), count, file);
  }
  if (ferror(file) | fclose(file))
    die(failed, "cannot write %s: %s", path, strerror(errno));
  free(path);
}

/* A value, and what it consists of by longer names. */
static void write_value(const char *base, const char *name,
                        const onnxc_tensor *value) {
  char *part = allocate(strlen(base) + 32);
  int64_t i;
  if (value->dtype == ONNXC_MAP) {
    sprintf(part, "%s_keys", base);
    write_value(part, name, parts_of(value));
    sprintf(part, "%s_values", base);
    write_value(part, name, parts_of(value) + 1);
  } else if (value->dtype == ONNXC_SEQUENCE) {
    for (i = 0; i < value->dims[0]; ++i) {
      sprintf(part, "%s_%lld", base, (long long)i);
      write_value(part, name, parts_of(value) + i);
    }
  } else if (value->dtype == ONNXC_OPTIONAL) {
    if (value->dims[0])
      write_value(base, name, parts_of(value));
  } else {
    write_npy(base, name, value);
  }
  free(part);
}

/* The number with these bits: a half has 5 of exponent and 10 of fraction. */
static double half_to_double(unsigned bits) {
  unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
  uint64_t wide = (uint64_t)(bits >> 15) << 63;
  double value;
  if (!exponent) {
    value = (double)fraction / (1 << 24);
    return bits >> 15 ? -value : value;
  }
  wide |= (uint64_t)(exponent == 31 ? 2047 : exponent + 1008) << 52;
  wide |= (uint64_t)fraction << 42;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static double bfloat16_to_double(unsigned bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return (double)value;
}

#define ELEMENT(type) (((const type *)tensor->data)[i])

static void print_element(const onnxc_tensor *tensor, size_t i) {
  switch (tensor->dtype) {
  case ONNXC_FLOAT:
    printf(" %g", (double)ELEMENT(float));
    break;
  case ONNXC_DOUBLE:
    printf(" %g", ELEMENT(double));
    break;
  case ONNXC_FLOAT16:
    printf(" %g", half_to_double(ELEMENT(uint16_t)));
    break;
  case ONNXC_BFLOAT16:
    printf(" %g", bfloat16_to_double(ELEMENT(uint16_t)));
    break;
  case ONNXC_COMPLEX64:
    printf(" %g%+gi", (double)((const float *)tensor->data)[2 * i],
           (double)((const float *)tensor->data)[2 * i + 1]);
    break;
  case ONNXC_COMPLEX128:
    printf(" %g%+gi", ((const double *)tensor->data)[2 * i],
           ((const double *)tensor->data)[2 * i + 1]);
    break;
  case ONNXC_INT64:
    printf(" %lld", (long long)ELEMENT(int64_t));
    break;
  case ONNXC_UINT64:
    printf(" %llu", (unsigned long long)ELEMENT(uint64_t));
    break;
  case ONNXC_INT32:
    printf(" %ld", (long)ELEMENT(int32_t));
    break;
  case ONNXC_UINT32:
    printf(" %lu", (unsigned long)ELEMENT(uint32_t));
    break;
  case ONNXC_INT16:
    printf(" %d", ELEMENT(int16_t));
    break;
  case ONNXC_UINT16:
    printf(" %d", ELEMENT(uint16_t));
    break;
  case ONNXC_INT8:
  case ONNXC_INT4:
  case ONNXC_INT2:
    printf(" %d", ELEMENT(int8_t));
    break;
  case ONNXC_UINT8:
  case ONNXC_UINT4:
  case ONNXC_UINT2:
  case ONNXC_BOOL:
    printf(" %d", ELEMENT(uint8_t));
    break;
  case ONNXC_STRING:
    printf(" \"%s\"", ELEMENT(onnxc_string).text);
    break;
  default: /* a float of at most 8 bits */
    printf(" 0x%02x", ELEMENT(uint8_t));
  }
}

static void print_value(const char *name, const char *type,
                        const onnxc_tensor *value) {
  size_t count, i;
  int d;
  printf("%s %s", name, type);
  if (is_composite(value->dtype)) {
    count = value->dtype == ONNXC_MAP ? 2 : (size_t)value->dims[0];
    printf(count ? "\n" : " of nothing\n");
    for (i = 0; i < count; ++i)
      print_value(" ", onnxc_dtype_name(parts_of(value)[i].dtype),
                  parts_of(value) + i);
    return;
  }
  printf(" [");
  for (d = 0; d < value->rank; ++d)
    printf(d ? ", %lld" : "%lld", (long long)value->dims[d]);
  printf("]");
  count = count_elements(value, name);
  for (i = 0; i < count && i < shown_elements; ++i)
    print_element(value, i);
  printf(count > shown_elements ? " ...\n" : "\n");
}

/*===----------------------------------------------------------------------===*\
|* The model                                                                  *|
\*===----------------------------------------------------------------------===*/

typedef const onnxc_model *(*query_function)(uint32_t abi_version);

#ifdef ONNXC_MODEL
#define ONNXC_JOIN(a, b) a##b
#define ONNXC_QUERY(prefix) ONNXC_JOIN(prefix, _query)
extern const onnxc_model *ONNXC_QUERY(ONNXC_MODEL)(uint32_t abi_version);
static query_function find_query(const char *path, const char *prefix) {
  (void)path;
  (void)prefix;
  return ONNXC_QUERY(ONNXC_MODEL);
}
#else
/* The prefix that onnxc takes from a file's name: a C identifier. */
static char *prefix_of(const char *path) {
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  const char *end = strrchr(name, '.');
  size_t length = end ? (size_t)(end - name) : strlen(name), i;
  char *prefix = allocate(length + 7);
  int is_letter = length && ((name[0] | 32) >= 'a' && (name[0] | 32) <= 'z');
  sprintf(prefix, "%s%.*s", is_letter ? "" : "model_", (int)length, name);
  for (i = 0; prefix[i]; ++i)
    if (!((prefix[i] | 32) >= 'a' && (prefix[i] | 32) <= 'z') &&
        !(prefix[i] >= '0' && prefix[i] <= '9'))
      prefix[i] = '_';
  return prefix;
}

/* What dlopen would say in fewer words, or in none. */
static void check_library(const char *path) {
  FILE *file = fopen(path, "rb");
  char magic[8] = {0};
  size_t count;
  if (!file)
    die(failed, "cannot read %s: %s", path, strerror(errno));
  count = fread(magic, 1, sizeof magic, file);
  fclose(file);
  if (count == sizeof magic && !memcmp(magic, "!<arch>\n", sizeof magic))
    die(failed,
        "%s is an archive, expected a shared library; link the archive with "
        "run_model.c, whose first lines say how",
        path);
  if (strlen(path) > 5 && !strcmp(path + strlen(path) - 5, ".onnx"))
    die(failed, "%s is a model, expected what 'onnxc %s -o MODEL.so' writes",
        path, path);
}

static query_function find_query(const char *path, const char *prefix) {
  query_function query;
  char *name;
  void *library;
  if (!path)
    die(wrong_usage, "expected a library: run_model ./model.so ...");
  check_library(path);
  /* A name without a slash would be searched in the system's folders. */
  name = allocate(strlen(path) + 3);
  sprintf(name, "%s%s", strchr(path, '/') ? "" : "./", path);
  library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    die(failed,
        "%s: expected a library that onnxc wrote for this kind of machine",
        dlerror());
  if (!prefix)
    prefix = prefix_of(path);
  name = allocate(strlen(prefix) + 7);
  sprintf(name, "%s_query", prefix);
  *(void **)&query = dlsym(library, name);
  if (!query)
    die(failed,
        "%s has no function %s, expected a library that onnxc wrote; where it "
        "was given another name or prefix, say so by --prefix=PREFIX",
        path, name);
  return query;
}
#endif

static void print_infos(FILE *to, const char *what,
                        const onnxc_value_info *infos, int first, int count,
                        const char *mark) {
  int i, d;
  for (i = first; i < first + count; ++i) {
    fprintf(to, "  %s %s: %s", what, infos[i].name, infos[i].type);
    for (d = 0; d < infos[i].rank; ++d) {
      fprintf(to, d ? ", " : " [");
      if (infos[i].dims[d] >= 0)
        fprintf(to, "%lld", (long long)infos[i].dims[d]);
      else
        fprintf(to, "%s", *infos[i].symbols[d] ? infos[i].symbols[d] : "?");
    }
    fprintf(to, "%s%s\n", infos[i].rank > 0 ? "]" : "", mark);
  }
}

/* Says what the model takes and gives. */
static void print_model(FILE *to, const onnxc_model *model) {
  print_infos(to, "input", model->inputs, 0, model->num_inputs, "");
  print_infos(to, "input", model->inputs, model->num_inputs,
              model->num_overridable, " (has a default value)");
  print_infos(to, "output", model->outputs, 0, model->num_outputs, "");
}

/*===----------------------------------------------------------------------===*\
|* The command line                                                           *|
\*===----------------------------------------------------------------------===*/

typedef struct command {
  const char *library, *prefix;
  long threads, repeat;
  int num_files, num_outputs, asks_for_help;
  /* Of inputs, and the values of --output. */
  const char **files, **outputs;
} command;

#ifdef ONNXC_MODEL
#define ONNXC_LIBRARY_OPERAND ""
#define ONNXC_PREFIX_HELP ""
#else
#define ONNXC_LIBRARY_OPERAND "MODEL.so "
#define ONNXC_PREFIX_HELP                                                      \
  "  --prefix=PREFIX  of the library's symbols, if not its file's name\n"
#endif

static void print_help(void) {
  printf(
      "usage: %s " ONNXC_LIBRARY_OPERAND "[OPTION...] [[NAME=]FILE.npy...]\n"
      "  Inputs by name, or in the model's order. Each element of a sequence "
      "is a file,\n"
      "  by one NAME=FILE.npy after the other; NAME= is an empty sequence or "
      "an optional\n"
      "  value that is not there.\n"
      "  --output=FOLDER  writes each output to FOLDER/NAME.npy, those of "
      "which a sequence\n"
      "                   or a map consists to NAME_0.npy ... or "
      "NAME_keys.npy and\n"
      "                   NAME_values.npy; without --output the first "
      "elements are printed\n"
      "  --output=NAME=FILE.npy, of a model with one output "
      "--output=FILE.npy\n"
      "                   writes this output to the file\n"
      "  --threads=N      of a run; 0, the default: as many as the process "
      "may use\n"
      "  --repeat=N       runs N times\n" ONNXC_PREFIX_HELP
      "  --help           prints this text, and stops\n"
      "Exit status: 0; 1 if a file or the run failed; 2 for a wrong command "
      "line.\n",
      program);
}

/* The value of the option `name` at argument *i, --NAME=VALUE or --NAME VALUE,
   or NULL if another argument stands there. */
static const char *match(int argc, char **argv, int *i, const char *name) {
  size_t length = strlen(name);
  const char *argument = argv[*i];
  if (strncmp(argument, name, length))
    return NULL;
  if (argument[length] == '=')
    return argument + length + 1;
  if (argument[length])
    return NULL;
  if (*i + 1 == argc)
    die(wrong_usage, "%s: requires a value", name);
  return argv[++*i];
}

static long parse_number(const char *text, const char *option, long least) {
  char *end;
  long number = strtol(text, &end, 10);
  if (end == text || *end || number < least)
    die(wrong_usage, "%s=%s: expected a number from %ld on", option, text,
        least);
  return number;
}

static command parse(int argc, char **argv) {
  command line;
  const char *value;
  int i;
  memset(&line, 0, sizeof line);
  line.repeat = 1;
  line.files = allocate((size_t)argc * sizeof *line.files);
  line.outputs = allocate((size_t)argc * sizeof *line.outputs);
  for (i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
      line.asks_for_help = 1;
    else if ((value = match(argc, argv, &i, "--output")))
      line.outputs[line.num_outputs++] = value;
    else if ((value = match(argc, argv, &i, "--threads")))
      line.threads = parse_number(value, "--threads", 0);
    else if ((value = match(argc, argv, &i, "--repeat")))
      line.repeat = parse_number(value, "--repeat", 1);
#ifndef ONNXC_MODEL
    else if ((value = match(argc, argv, &i, "--prefix")))
      line.prefix = value;
#endif
    else if (argv[i][0] == '-')
      die(wrong_usage, "unknown option %s; --help lists what there is",
          argv[i]);
#ifndef ONNXC_MODEL
    else if (!line.library)
      line.library = argv[i];
#endif
    else
      line.files[line.num_files++] = argv[i];
  }
  return line;
}

/* Ends the program: `argument` is for something that the model does not have.
 */
static void refuse(const onnxc_model *model, const char *argument,
                   const char *what, const char *name, size_t length) {
  fprintf(stderr, "%s: %s: the model has no %s '%.*s'; the model takes\n",
          program, argument, what, (int)length, name);
  print_model(stderr, model);
  exit(wrong_usage);
}

/* Ends the program if `file` is NAME=PATH of another name than the inputs'. */
static void check_name(const onnxc_model *model, const char *file) {
  const char *end = strchr(file, '=');
  FILE *there = end ? fopen(file, "rb") : NULL;
  if (there)
    fclose(there);
  if (end && !there)
    refuse(model, file, "input", file, (size_t)(end - file));
}

/* Which input `file` is for: NAME=PATH, or the first that has none yet. */
static int find_input(const onnxc_model *model, const onnxc_tensor *inputs,
                      int count, const char **file) {
  int i;
  for (i = 0; i < count; ++i) {
    size_t length = strlen(model->inputs[i].name);
    if (!strncmp(*file, model->inputs[i].name, length) &&
        (*file)[length] == '=') {
      *file += length + 1;
      return i;
    }
  }
  check_name(model, *file);
  for (i = 0; i < count; ++i)
    if (!inputs[i].data)
      return i;
  die(wrong_usage, "the model has %d inputs, %s is one too many", count, *file);
  return 0;
}

/* The file in `value` of --output if that names one for this output; NULL for
   another's, and for a folder. */
static const char *find_file(const onnxc_model *model, int output,
                             const char *value) {
  const char *name = model->outputs[output].name;
  size_t length = strlen(name);
  if (!ends_with(value, ".npy"))
    return NULL;
  if (!strncmp(value, name, length) && value[length] == '=')
    return value + length + 1;
  return model->num_outputs == 1 ? value : NULL;
}

/* Ends the program if a --output is for no output, before anything is run. */
static void check_outputs(const onnxc_model *model, const command *line) {
  int i, output;
  for (i = 0; i < line->num_outputs; ++i) {
    const char *value = line->outputs[i];
    size_t length = strcspn(value, "=/\\");
    int is_named = 0;
    if (!ends_with(value, ".npy"))
      continue;
    for (output = 0; output < model->num_outputs; ++output)
      is_named |= find_file(model, output, value) > value;
    if (is_named)
      continue;
    if (value[length] == '=')
      refuse(model, "--output", "output", value, length);
    if (model->num_outputs != 1)
      die(wrong_usage,
          "--output=%s: the model has %d outputs, expected a folder, or "
          "--output=NAME=FILE.npy",
          value, model->num_outputs);
  }
}

/* What the names of this output's files begin with; NULL if it has none. */
static char *find_base(const onnxc_model *model, int output,
                       const command *line) {
  const char *name = model->outputs[output].name, *folder = NULL;
  char *base, *at;
  int i;
  for (i = 0; i < line->num_outputs; ++i) {
    const char *file = find_file(model, output, line->outputs[i]);
    if (file) {
      base = allocate(strlen(file) + 1);
      memcpy(base, file, strlen(file) + 1);
      base[strlen(file) - strlen(".npy")] = 0;
      return base;
    }
    if (!ends_with(line->outputs[i], ".npy"))
      folder = line->outputs[i];
  }
  if (!folder)
    return NULL;
  base = allocate(strlen(folder) + strlen(name) + 2);
  at = base + sprintf(base, "%s/", folder);
  for (sprintf(at, "%s", name); *at; ++at)
    if (strchr("/\\:", *at))
      *at = '_';
  return base;
}

/*===----------------------------------------------------------------------===*\
|* The run                                                                    *|
\*===----------------------------------------------------------------------===*/

static void read_inputs(const onnxc_model *model, const command *line,
                        onnxc_tensor *inputs, int count) {
  int i;
  for (i = 0; i < line->num_files; ++i) {
    const char *file = line->files[i];
    int input = find_input(model, inputs, count, &file);
    read_input(&inputs[input], &model->inputs[input], file);
  }
  for (i = 0; i < model->num_inputs; ++i)
    if (!inputs[i].data) {
      fprintf(stderr, "%s: input '%s' is missing; the model takes\n", program,
              model->inputs[i].name);
      print_model(stderr, model);
      exit(wrong_usage);
    }
}

static void write_outputs(const onnxc_model *model, const command *line,
                          const onnxc_tensor *outputs) {
  int i;
  for (i = 0; i < model->num_outputs; ++i) {
    char *base = find_base(model, i, line);
    if (base)
      write_value(base, model->outputs[i].name, &outputs[i]);
    else if (!line->num_outputs)
      print_value(model->outputs[i].name, model->outputs[i].type, &outputs[i]);
    free(base);
  }
  keep_outputs();
}

static void run_model(const onnxc_model *model, const command *line) {
  int count = model->num_inputs + model->num_overridable;
  onnxc_tensor *inputs = allocate((size_t)count * sizeof *inputs);
  onnxc_tensor *outputs =
      allocate((size_t)model->num_outputs * sizeof *outputs);
  char message[256] = "";
  onnxc_options options;
  onnxc_context *context;
  onnxc_status status;
  long run;
  memset(inputs, 0, (size_t)count * sizeof *inputs);
  memset(outputs, 0, (size_t)model->num_outputs * sizeof *outputs);
  check_outputs(model, line);
  read_inputs(model, line, inputs, count);

  memset(&options, 0, sizeof options);
  options.message = message;
  options.message_size = sizeof message;
  options.threads = (int32_t)line->threads;
  status = onnxc_create(model, &options, &context);
  if (status != ONNXC_OK)
    die(failed, "%s: %s", onnxc_status_text((int)status), message);
  for (run = 0; run < line->repeat; ++run) {
    status = onnxc_run(context, inputs, count, outputs, model->num_outputs);
    if (status != ONNXC_OK)
      die(failed, "%s: %s", onnxc_status_text((int)status),
          onnxc_error(context));
  }
  write_outputs(model, line, outputs);
  onnxc_destroy(context);
}

int main(int argc, char **argv) {
  command line;
  const onnxc_model *model;
#ifdef ONNXC_MODEL
  if (argc > 0 && *argv[0])
    program = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
#endif
  line = parse(argc, argv);
  if (line.asks_for_help) {
    print_help();
#ifndef ONNXC_MODEL
    if (!line.library)
      return success;
#endif
  }
  model = find_query(line.library, line.prefix)(ONNXC_ABI_VERSION);
  if (!model)
    die(failed, "the model does not speak version %u of the interface",
        ONNXC_ABI_VERSION);
  if (line.asks_for_help) {
    printf("The model:\n");
    print_model(stdout, model);
  } else {
    run_model(model, &line);
  }
  if (ferror(stdout) | fflush(stdout))
    die(failed, "cannot write what is printed: %s", strerror(errno));
  return success;
}
