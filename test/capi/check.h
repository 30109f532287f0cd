/* What the C tests share: a check that says where it failed. */
#ifndef ONNXC_TEST_CHECK_H
#define ONNXC_TEST_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(CONDITION)                                                       \
  do {                                                                         \
    if (!(CONDITION)) {                                                        \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #CONDITION);          \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

#endif
