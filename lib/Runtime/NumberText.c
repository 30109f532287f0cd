/*===- NumberText.c - Numbers as text and back --------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Cast from and to strings, as numpy writes and reads numbers: of a float as *|
|* many digits as it takes to tell it from its neighbours. libc does the      *|
|* conversions, with the decimal point of the "C" locale for this thread.     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/BFloat16.h"
#include "onnxc/Runtime/Context.h"
#include "onnxc/Runtime/Strings.h"

#include "Texts.h"

enum { longest_number = 40 };

/* 0: the error is set. */
static int enter_numerals(onnxc_context *face, const char *node,
                          onnxc_sys_numerals *numerals) {
  if (onnxc_sys_enter_numerals(numerals))
    return 1;
  onnxc_rt_set_error((onnxc_rt_context *)face, ONNXC_OUT_OF_MEMORY,
                     "%sno memory for a locale", node);
  return 0;
}

/*===----------------------------------------------------------------------===*\
|* To text                                                                    *|
\*===----------------------------------------------------------------------===*/

/* Of Half.c: rounded once. */
onnxc_bf16 __truncdfbf2(double value);
onnxc_half __truncdfhf2(double value);
float __extendhfsf2(onnxc_half value);

/* The number with these bits as a bfloat16. */
static double extend(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float single;
  memcpy(&single, &wide, sizeof single);
  return (double)single;
}

/* Element i of a tensor of floats. */
static double float_at(const onnxc_tensor *x, int64_t i) {
  switch (x->dtype) {
  case ONNXC_FLOAT16:
    return (double)__extendhfsf2(((const onnxc_half *)x->data)[i]);
  case ONNXC_BFLOAT16:
    return extend(((const uint16_t *)x->data)[i]);
  case ONNXC_FLOAT:
    return (double)((const float *)x->data)[i];
  default:
    return ((const double *)x->data)[i];
  }
}

/* The number of type `dtype` that is nearest to `value`. */
static double round_to(int32_t dtype, double value) {
  switch (dtype) {
  case ONNXC_FLOAT16:
    return (double)__extendhfsf2(__truncdfhf2(value));
  case ONNXC_BFLOAT16: {
    onnxc_bf16 rounded = __truncdfbf2(value);
    uint16_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return extend(bits);
  }
  case ONNXC_FLOAT:
    return (double)(float)value;
  default:
    return value;
  }
}

/* From where on numpy writes an exponent. */
static double exponent_limit(int32_t dtype) {
  return dtype == ONNXC_FLOAT16 ? 1e3 : dtype == ONNXC_DOUBLE ? 1e16 : 1e6;
}

/* Writes a float to `to`; the end of what it wrote. */
static char *write_float(char *to, double value, int32_t dtype,
                         const onnxc_sys_numerals *numerals) {
  char digits[longest_number];
  int precision = 0, exponent, i, whole;
  double size = value < 0 ? -value : value;
  if (value != value || size > 1.7976931348623157e308)
    return to + snprintf(to, longest_number, "%s",
                         value != value ? "nan"
                         : value < 0    ? "-inf"
                                        : "inf");
  do
    onnxc_sys_write_exponential(digits, sizeof digits, precision, value,
                                numerals);
  while (++precision < 17 &&
         round_to(dtype, onnxc_sys_strtod(digits, NULL, numerals)) != value);
  if (size != 0 && (size < 1e-4 || size >= exponent_limit(dtype)))
    return to + snprintf(to, longest_number, "%s", digits);

  /* "-d.ddde+xx": the same digits around a point elsewhere. */
  if (digits[0] == '-') {
    *to++ = '-';
    memmove(digits, digits + 1, sizeof digits - 1);
  }
  exponent =
      (int)strtoll(digits + (precision > 1 ? precision + 2 : 2), NULL, 10);
  if (precision > 1)
    memmove(digits + 1, digits + 2, (size_t)precision - 1);
  whole = exponent < 0 ? 0 : exponent + 1;
  if (!whole)
    *to++ = '0';
  for (i = 0; i < whole; ++i)
    *to++ = i < precision ? digits[i] : '0';
  *to++ = '.';
  for (i = exponent + 1; i < 0; ++i)
    *to++ = '0';
  if (whole >= precision)
    *to++ = '0';
  for (i = whole; i < precision; ++i)
    *to++ = digits[i];
  *to = 0;
  return to;
}

static char *write_number(char *to, const onnxc_tensor *x, int64_t i,
                          const onnxc_sys_numerals *numerals) {
  switch (x->dtype) {
  case ONNXC_BOOL:
    return to + snprintf(to, longest_number, "%s",
                         ((const uint8_t *)x->data)[i] ? "True" : "False");
  case ONNXC_INT64:
    return to + snprintf(to, longest_number, "%lld",
                         (long long)((const int64_t *)x->data)[i]);
  case ONNXC_UINT64:
    return to + snprintf(to, longest_number, "%llu",
                         (unsigned long long)((const uint64_t *)x->data)[i]);
  default:
    return write_float(to, float_at(x, i), x->dtype, numerals);
  }
}

int32_t onnxc_rt_numbers_to_texts(onnxc_context *face, const char *node,
                                  const onnxc_tensor *x, onnxc_tensor *result) {
  onnxc_string *to = texts_of(result);
  int64_t i, count = onnxc_rt_count_elements(x);
  char *memory = onnxc_rt_alloc(face, (count + 1) * longest_number);
  onnxc_sys_numerals numerals;
  if (!memory || !enter_numerals(face, node, &numerals))
    return onnxc_rt_status(face);
  for (i = 0; i < count; ++i) {
    to[i].text = memory;
    memory = write_number(memory, x, i, &numerals) + 1;
  }
  onnxc_sys_leave_numerals(&numerals);
  return ONNXC_OK;
}

/*===----------------------------------------------------------------------===*\
|* From text                                                                  *|
\*===----------------------------------------------------------------------===*/

static const char *skip_spaces(const char *text) {
  while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
    ++text;
  return text;
}

/* Whether only spaces stand from `end` on, and something before. */
static int is_whole(const char *text, const char *end) {
  return end != text && !*skip_spaces(end);
}

static int read_double(const char *text, double *value,
                       const onnxc_sys_numerals *numerals) {
  char *end;
  *value = onnxc_sys_strtod(text, &end, numerals);
  return is_whole(text, end);
}

static int read_float(const char *text, float *value,
                      const onnxc_sys_numerals *numerals) {
  char *end;
  *value = onnxc_sys_strtof(text, &end, numerals);
  return is_whole(text, end);
}

/* Also of a number that is not an integer, towards zero. */
static int read_int64(const char *text, int64_t *value,
                      const onnxc_sys_numerals *numerals) {
  char *end;
  double real;
  *value = strtoll(text, &end, 10);
  if (is_whole(text, end))
    return 1;
  if (!read_double(text, &real, numerals))
    return 0;
  *value = real >= -9223372036854775808.0 && real < 9223372036854775808.0
               ? (int64_t)real
               : INT64_MIN;
  return 1;
}

static int read_uint64(const char *text, uint64_t *value,
                       const onnxc_sys_numerals *numerals) {
  char *end;
  int64_t integer;
  *value = strtoull(text, &end, 10);
  if (is_whole(text, end))
    return 1;
  if (!read_int64(text, &integer, numerals))
    return 0;
  *value = (uint64_t)integer;
  return 1;
}

static int read_bool(const char *text, uint8_t *value,
                     const onnxc_sys_numerals *numerals) {
  double real;
  if (!strcmp(text, "True") || !strcmp(text, "true"))
    return *value = 1;
  *value = 0;
  if (!strcmp(text, "False") || !strcmp(text, "false"))
    return 1;
  if (!read_double(text, &real, numerals))
    return 0;
  *value = real != 0;
  return 1;
}

/* Reads element i of the result; 0 if the text is not a number. */
static int read_number(const char *text, onnxc_tensor *result, int64_t i,
                       const onnxc_sys_numerals *numerals) {
  switch (result->dtype) {
  case ONNXC_BOOL:
    return read_bool(text, (uint8_t *)result->data + i, numerals);
  case ONNXC_FLOAT:
    return read_float(text, (float *)result->data + i, numerals);
  case ONNXC_DOUBLE:
    return read_double(text, (double *)result->data + i, numerals);
  case ONNXC_UINT64:
    return read_uint64(text, (uint64_t *)result->data + i, numerals);
  default:
    return read_int64(text, (int64_t *)result->data + i, numerals);
  }
}

int32_t onnxc_rt_texts_to_numbers(onnxc_context *face, const char *node,
                                  const onnxc_tensor *x, onnxc_tensor *result) {
  const onnxc_string *texts = texts_of(x);
  int64_t i, count = onnxc_rt_count_elements(x);
  onnxc_sys_numerals numerals;
  if (!enter_numerals(face, node, &numerals))
    return onnxc_rt_status(face);
  for (i = 0; i < count; ++i)
    if (!read_number(skip_spaces(texts[i].text), result, i, &numerals))
      break;
  onnxc_sys_leave_numerals(&numerals);
  if (i == count)
    return ONNXC_OK;
  return onnxc_rt_set_error((onnxc_rt_context *)face, ONNXC_RUNTIME_ERROR,
                            "%s'%s' is not a number", node, texts[i].text);
}
